"""Damaged and hostile files: each is refused in one sentence with file and line, or is a sensible corpus.

Every case goes through both routes, the corpus and the mention table. Whatever they raise is an `InputError` that names
the file; where both succeed they agree.
"""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from cdcoref.corpus import Corpus
from cdcoref.errors import InputError
from cdcoref.formats import format_of, read_corpus, read_file, read_mention_table

Result = TypeVar("Result")

HUGE = "9" * 5000
"""More digits than Python makes a number of."""


def attempt(read: Callable[[Path], Result], path: Path) -> Result | InputError:
    try:
        return read(path)
    except InputError as error:
        return error


def read(path: Path) -> Corpus | InputError:
    """A file's corpus, or why it was refused; the mention table must be of the same opinion."""
    result = attempt(read_file, path)
    if isinstance(result, InputError):
        assert result.path == str(path), result
        assert len(str(result)) < 600 + len(str(path)), "one sentence, whatever the file holds"
        assert "\n" not in str(result)
    if isinstance(format := attempt(format_of, path), InputError) or format.read_table is None:
        return result
    table = attempt(read_mention_table, path)
    if isinstance(result, InputError):
        assert str(table) == str(result)
    elif isinstance(table, InputError):
        assert not result.documents, table
    else:
        assert [row.tokens for row in table.documents.values()] == [len(d.tokens) for d in result.documents]
        assert len(table.start) == len(result.mentions)
        assert len(set(table.cluster.tolist())) <= len(result.clusters())
    return result


def write(folder: Path, name: str, content: bytes | str) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


# -- JSON lines ------------------------------------------------------------------------------------------------------

GOOD = {
    "id": "a", "text": "x y z", "tokens": ["x", "y", "z"], "offsets": [[0, 1], [2, 3], [4, 5]],
    "sentences": [[0, 2], [2, 3]], "topic": "1", "subtopic": "1_a", "part": "0", "path": "p", "hidden": [0],
    "annotated": [1],
}  # fmt: skip
MENTION = {"tokens": [0, 2], "kind": "event", "cluster": "c", "id": "m", "tag": "t", "confidence": 0.5}
FIRST = '{"id": "first", "text": "x"}\n'


def line(**fields: Any) -> str:
    return json.dumps(GOOD | fields)


values = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 3) | st.sampled_from([10**30, 1.5, 1e308, "", "x", "\0", "x" * 2000]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["id", "tokens"]), inner, max_size=1),
    max_leaves=6,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=300)
@given(
    document=st.sampled_from([GOOD, {"id": "a", "text": "x y z"}, {"id": "a", "tokens": ["x", "y", "z"]}]),
    mention=st.sampled_from([MENTION, {"tokens": [0]}, {"start": 0, "end": 1}, {"spans": [[0, 1]]}]),
    field=st.sampled_from([*GOOD, "mentions", "unknown"]),
    field_of_mention=st.sampled_from([*MENTION, "start", "end", "spans", "unknown"]),
    value=values,
)
def test_any_value_in_any_field(
    tmp_path: Path, document: dict, mention: dict, field: str, field_of_mention: str, value: object
) -> None:
    for fields in (document | {field: value}, document | {"mentions": [mention | {field_of_mention: value}]}):
        result = read(write(tmp_path, "x.jsonl", FIRST + json.dumps(fields)))
        assert isinstance(result, Corpus) or result.line == 2


# -- CoNLL -----------------------------------------------------------------------------------------------------------

BEGIN = "#begin document (d); part 000\n"
END = "#end document\n"


def conll(*cells: str) -> str:
    return BEGIN + "".join(f"d 0 {n} w {cell}\n" for n, cell in enumerate(cells)) + END


def eight(*lines: str) -> str:
    return "#begin document x\n" + "".join(f"{line}\n" for line in lines) + END


CONLL = {
    "a mention that never ends": (conll("(1", "-"), 2, "begins here does not end"),
    "a mention that never begins": (conll("-", "1)"), 3, "cluster 1 ends here but does not begin"),
    "a bracket too many": (conll("(1))"), 2, r"last column is '\(1\)\)'"),
    "other documents between": (
        eight(*(f"t\tu\t{document}\t0\t0\tw\tTrue\t-" for document in "ded")),
        4,
        "begins a second time",
    ),
    "one column": (BEGIN + "hello\n" + END, 2, "one column"),
    "an end only": (END + "#begin document x\n" + END, 1, "without '#begin document'"),
    "a document twice": (BEGIN + END + BEGIN + END, 3, "begins a second time"),
    "other columns": (eight("t\tu\td\t0\t0\tw\tTrue\t-", "t\tu\td\t0\t1\tw\t-"), 3, "8 tab-separated columns"),
    "a mention over two documents": (
        eight("t\tu\td\t0\t0\tw\tTrue\t(1", "t\tu\te\t0\t0\tw\tTrue\t1)"),
        2,
        "does not end in its document",
    ),
    "ids that would be equal": (
        "#begin document (x; part 001)\n#end document\n#begin document (x)\n#end document\n"
        "#begin document (x); part 001\n#end document\n",
        None,
        "get the id 'x; part 001'",
    ),
}

SENSIBLE_CONLL = {
    "no documents": ("# a comment\n", 0, 0),
    "a document without a name": ("#begin document\n" + "d 0 0 w (1)\n" + END, 1, 1),
    "an endless part": (f"#begin document (d); part {HUGE}\nd 0 0 w (1)\n" + END, 1, 1),
    "clusters of 5,000 digits": (conll(f"({HUGE})", f"({HUGE}", f"{HUGE})"), 1, 2),
    "bare numbers": (conll("(1", "1", "1)"), 1, 1),
    "a hundred brackets": (conll("(1" * 100, "1)" * 100), 1, 100),
    "escapes that are none": (BEGIN + "d 0 0 \\u12 (1)\nd 0 1 \\ud8zz -\n" + END, 1, 1),
    "escaped surrogates": (BEGIN + "d 0 0 \\ud800 (1)\n" + END, 1, 1),
    "more columns in one line": (BEGIN + "d 0 0 w -\nd 0 1 w x y z (1)\n" + END, 1, 1),
}


# -- CorefUD and CoNLL-U ---------------------------------------------------------------------------------------------

HEADER = "# newdoc id = d\n# global.Entity = eid-etype-head-other\n"


def conllu(*entities: str, header: str = HEADER) -> str:
    words = (
        f"{n}\tw" + "\t_" * 7 + f"\t{'Entity=' + entity if entity else '_'}" for n, entity in enumerate(entities, 1)
    )
    return header + "".join(f"{word}\n" for word in words) + "\n"


COREFUD = {
    "a mention that never ends": (conllu("(e1-x", ""), 3, "does not end"),
    "a mention that never begins": (conllu("", "e1)"), 4, "does not begin"),
    "a mention over two documents": (conllu("(e1") + conllu("e1)", header="# newdoc id = e\n"), 3, "does not end"),
    "pieces that skip": (conllu("(e1[1/3])", "(e1[3/3])"), 4, "previous part is missing"),
    "no bracket": (conllu("e1"), 3, "cannot be parsed"),
    "nine columns": (HEADER + "1\tw" + "\t_" * 7 + "\n", 3, "9 tab-separated columns"),
    "a line of text": (HEADER + "some text\n", 3, "begins with 'some text'"),
    "a document twice": (conllu("(e1)") + conllu("(e1)"), 5, "begins a second time"),
    "ids that would be equal": (
        "".join(conllu("", header=f"# newdoc id = {id}\n") for id in ("x\\u003b part 001", "x", "x; part 001")),
        None,
        "get the id 'x; part 001'",
    ),
}

SENSIBLE_COREFUD = {
    "no words": (HEADER, 1, 0),
    "no document": (conllu("(e1)", header=""), 1, 1),
    "documents without ids": (conllu("(e1)", header="# newdoc\n") + conllu("(e1)", header="# newdoc\n"), 2, 2),
    "no header": (conllu("(e1--x", "e1)", header="# newdoc id = d\n"), 1, 1),
    "pieces of 5,000 digits": (conllu(f"(e1[{HUGE}/{HUGE}])"), 1, 1),
    "an unknown kind": (conllu("(e1--1-kind:thing,crossdoc:x%00%FF%zz)"), 1, 1),
    "an empty other": (conllu("(e1--1-,:,::)"), 1, 1),
    "words of white space": (HEADER + "1\t \t" + "_\t" * 7 + "Entity=(e1)\n\n", 1, 1),
    "no blank line at the end": (conllu("(e1)").rstrip("\n"), 1, 1),
    "crossing clusters": (conllu("(e1", "(e2", "e1)", "e2)"), 1, 2),
}


REFUSED = {
    **{("x.conll", name): case for name, case in CONLL.items()},
    **{("x.conllu", name): case for name, case in COREFUD.items()},
}
SENSIBLE = {
    **{("x.conll", name): case for name, case in SENSIBLE_CONLL.items()},
    **{("x.conllu", name): case for name, case in SENSIBLE_COREFUD.items()},
}


@pytest.mark.parametrize("case", REFUSED, ids=" ".join)
def test_annotation_is_refused_by_line(tmp_path: Path, case: tuple[str, str]) -> None:
    content, number, message = REFUSED[case]
    path = write(tmp_path, case[0], content)
    result = read(path) if number else attempt(read_file, path)  # a mention table has no ids
    with pytest.raises(InputError, match=message):
        raise result if isinstance(result, InputError) else AssertionError(result)
    assert result.line == number


@pytest.mark.parametrize("case", SENSIBLE, ids=" ".join)
def test_odd_annotation_is_read(tmp_path: Path, case: tuple[str, str]) -> None:
    content, documents, mentions = SENSIBLE[case]
    result = read(write(tmp_path, case[0], content))
    assert isinstance(result, Corpus), result
    assert (len(result.documents), len(result.mentions)) == (documents, mentions)


# -- text, and bytes of every format ---------------------------------------------------------------------------------

TEXT = {
    "Latin-1": (b"ok\ncaf\xe9\n", 2, "not valid UTF-8"),
    "a cut character": ("caf\u00e9".encode()[:-1], 1, "not valid UTF-8"),
    "a NUL byte": (b"a\n\0b", 2, "NUL byte"),
    "UTF-16 without its end": ("text".encode("utf-16")[:-1], 1, "decoded as utf-16"),
    "UTF-16 without a mark": ("text\n".encode("utf-16-le"), 1, "NUL byte"),
    "zstd": (b"\x28\xb5\x2f\xfd\x00", None, "zstd"),
    "a PDF": (b"%PDF-1.4\n", None, "the PDF cannot be read"),
    "an HTML page": (b"  <!doctype HTML>", None, "the page has no text"),
    "a Word document": (b"PK\x03\x04PK\x03\x04" + bytes(26) + b"word/", None, "the Word document cannot be read"),
    "XML": (b"<?xml version='1.0'?>", None, "XML"),
    "gzip, cut off": (gzip.compress(bytes(range(256)) * 99)[:200], None, "corrupt or truncated"),
    "gzip, damaged": (gzip.compress(b"text" * 99)[:20] + b"\xff" * 30, None, "corrupt or truncated"),
    "gzip with something behind": (gzip.compress(b"text") + b"more", None, "corrupt or truncated"),
    "gzip of Latin-1": (gzip.compress(b"\n\ncaf\xe9"), 3, "not valid UTF-8"),
}

SENSIBLE_TEXT = {
    "nothing": (b"", 0),
    "white space": (b" \t\r\n\x0b\x0c\xc2\xa0", 0),
    "a mark": (b"\xef\xbb\xbfText.", 2),
    "two packed files in one": (gzip.compress(b"One. ") + gzip.compress(b"Two."), 4),
    "old line ends": (b"One.\r\n\r\nTwo.\r\n", 4),
    "braces": (b"{ not JSON }", 4),
    "control characters": (b"a\x01b \x1b[0m", None),
    "a word of 9,000 letters": (b"x" * 9000, 45),
    "emoji and joiners": ("👩\u200d👩\u200d👧 ran.".encode(), None),
    "9,000 full stops": (b"." * 9000, None),
}


@pytest.mark.parametrize("case", TEXT)
@pytest.mark.parametrize("name", ["x.txt", "x.txt.gz", "x"])
def test_what_is_not_text_is_refused(tmp_path: Path, case: str, name: str) -> None:
    content, number, message = TEXT[case]
    result = read(write(tmp_path, name, content))
    with pytest.raises(InputError, match=message):
        raise result if isinstance(result, InputError) else AssertionError(result)
    assert result.line == number


@pytest.mark.parametrize("case", SENSIBLE_TEXT)
def test_odd_text_is_read(tmp_path: Path, case: str) -> None:
    content, tokens = SENSIBLE_TEXT[case]
    [document] = read_file(write(tmp_path, "x.txt", content)).documents
    assert tokens is None or len(document.tokens) == tokens
    assert [document.text[start:end] for start, end in document.offsets] == list(document.tokens)


def test_places_that_are_no_files(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    places = [tmp_path, tmp_path / "loop", tmp_path / "dangling", tmp_path / "no" / "file", tmp_path / ("x" * 300)]
    for place in places:
        with pytest.raises(InputError, match=r"does not exist|cannot be read"):
            read_file(place)
        with pytest.raises(InputError, match=r"does not exist|cannot be read"):
            read_mention_table(place)
    with pytest.raises(InputError, match="NUL character"):
        read_file("a\0b")
    loaded = read_corpus([*places[1:], "a\0b"])
    assert len(loaded.problems) == len(places)
    assert read_file(os.devnull).documents[0].tokens == ()


SAMPLES = {
    "x.jsonl": FIRST + line(mentions=[MENTION]) + "\n",
    "x.conll": conll("(1", "1)|(2)", "-", "(1)"),
    "y.conll": eight("t\tu\td\t0\t0\tw\tTrue\t(1", "t\tu\td\t0\t1\té\tTrue\t1)", "t\tu\te\t0\t0\tw\tTrue\t(1)"),
    "x.conllu": conllu("(e1[1/2]-person-1-kind:entity", "e1[1/2])", "(e2)", "(e1[2/2]-person-1-kind:entity)"),
    "x.txt": "Ann left. She\n\nfell.",
}
OTHERS = (
    *("data", "annotations", "result", "value", "labels", "from_id", "to_id", "answer", "relations", "head_span"),
    *("entities", "label", "articles", "doc_key", "clusters", "sents", "vertexSet", "corefs", "doc_ids", "predictions"),
    *("title", "source", "author", "date", "published"),
)
"""Fields of other layouts."""
INSERTED = [
    *(b"\n", b"\t", b"\r", b"\0", b"\xff", b"\xef\xbb\xbf", b"(", b")", b"|", b"-", b"[", b"]", b"{", b"}", b'"', b","),
    *(b"#", b"#begin document x\n", b"#end document\n", b"# newdoc\n", b"\\", b"9" * 5000, b"1e999", b"NaN", b"null"),
]


@pytest.mark.parametrize("name", SAMPLES)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_damage_is_refused_or_read(tmp_path: Path, name: str, data: st.DataObject) -> None:
    content = SAMPLES[name].encode()
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(content)))
        end = data.draw(st.integers(start, min(len(content), start + 12)))
        content = content[:start] + data.draw(st.sampled_from(INSERTED) | st.binary(max_size=4)) + content[end:]
    read(write(tmp_path, name, content))
    read(write(tmp_path, f"{name}.gz", gzip.compress(content)[: data.draw(st.integers(0, 200))]))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    value=st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from([*GOOD, *MENTION, "mentions", "spans", "start", "end", *OTHERS]), inner, max_size=5
            )
        ),
        max_leaves=12,
    )
)
@example(value={"id": "a", "text": "x", "mentions": [{"spans": [[0, 1]], "kind": []}]})
def test_any_json_is_refused_or_read(tmp_path: Path, value: object) -> None:
    read(write(tmp_path, "x.jsonl", json.dumps(value)))

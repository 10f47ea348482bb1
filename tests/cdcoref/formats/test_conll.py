"""CoNLL, both layouts: what is written is read back equal, odd brackets, and input that is refused by line."""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.errors import InputError
from cdcoref.formats import (
    DocumentKey,
    Layout,
    ReadOptions,
    read_conll,
    read_corpus,
    read_file,
    read_mention_table,
    write_conll,
    write_corpus,
)
from cdcoref.scoring import score_files
from tests.corpora import corpora

words = st.text(max_size=6) | st.sampled_from(["-", "_", "#", "\\e", "\\u0020", "(1", "1)", "|", "#end document"])
names = st.text(min_size=1, max_size=8) | st.sampled_from(
    ["-", "#x", "a (b)", "a); part 001", " x ", "x; part 001", "a/b.xml", "(x)", "#end document", "\\u0041"]
)


def coreference(corpus: Corpus) -> list[list[tuple]]:
    """The clusters as spans, without names."""
    return sorted(sorted(mention.place for mention in cluster) for cluster in corpus.clusters())


def refusal(corpus: Corpus, path: Path, layout: Layout) -> str | None:
    """Write a corpus; why it was refused, if it was."""
    path.unlink(missing_ok=True)
    try:
        write_conll(corpus, path, layout=layout)
    except InputError as error:
        return str(error)
    return None


def texts(corpus: Corpus) -> list[tuple]:
    return [(d.id, d.tokens, d.sentences) for d in corpus.documents]


@pytest.mark.parametrize(("layout", "name"), [("2012", "x.conll"), ("cross-document", "x.conll.gz")])
@given(data=st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_written_is_read_back_equal_or_refused(tmp_path: Path, layout: Layout, name: str, data: st.DataObject) -> None:
    path = tmp_path / name
    corpus = data.draw(corpora(words, names, st.sampled_from("ab\n"), empty=layout == "2012", gaps=False))
    if why := refusal(corpus, path, layout):
        assert "CoNLL cannot express" in why
        assert not path.exists()
        return
    back = read_conll(path)
    assert texts(back) == texts(corpus)
    for before, after in zip(corpus.documents, back.documents, strict=True):
        for field in ("topic", "subtopic", "annotated", "part") if layout == "cross-document" else ("part",):
            assert getattr(after, field) == getattr(before, field)
    assert coreference(back) == coreference(corpus)


@given(st.lists(st.tuples(st.sets(st.integers(0, 9), min_size=1), st.sampled_from("123")), max_size=6))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_mentions_with_gaps_are_extended(tmp_path: Path, spans: list[tuple[set[int], str]]) -> None:
    document = Document.from_sentences("d", [list("abcdefghij")])
    mentions = tuple(Mention("d", tuple(sorted(tokens)), "entity", cluster) for tokens, cluster in spans)
    try:
        notes = write_corpus(Corpus((document,), mentions), tmp_path / "x.conll")
    except InputError:
        return  # mentions of one cluster cross
    gaps = sum(not mention.contiguous for mention in mentions)
    assert [int(note.split()[0]) for note in notes if " extended " in note] == [gaps] * bool(gaps)
    found = Counter((mention.start, mention.end) for mention in read_conll(tmp_path / "x.conll").mentions)
    assert found == Counter((min(tokens), max(tokens) + 1) for tokens, _ in spans)


def test_the_file_as_it_is_written(tmp_path: Path) -> None:
    documents = (
        Document.from_sentences("d (1)", [["The", "old man"], ["fell"]], topic="5", subtopic="5_a"),
        Document.from_sentences("e", [["He"]], topic="5"),
    )
    mentions = (
        Mention("d (1)", (0, 1), "entity", "man"),
        Mention("d (1)", (2,), "event", "man"),  # another cluster: it is of another kind
        Mention("e", (0,), "entity", "man"),
        Mention("e", (0,), "entity"),
    )
    corpus = Corpus(documents, mentions)
    rest = "-\t*\t-\t-\t-\t-\t*"
    write_conll(corpus, tmp_path / "x.conll", layout="2012")
    assert (tmp_path / "x.conll").read_text() == (
        "# cluster ids: global\n#begin document (d (1)); part 000\n"
        f"d\\u0020(1)\t0\t0\tThe\t{rest}\t(0\n"
        f"d\\u0020(1)\t0\t1\told\\u0020man\t{rest}\t0)\n\n"
        f"d\\u0020(1)\t0\t0\tfell\t{rest}\t(1)\n\n"
        "#end document\n"
        "#begin document (e); part 000\n"
        f"e\t0\t0\tHe\t{rest}\t(0)|(2)\n\n"
        "#end document\n"
    )
    write_conll(corpus, tmp_path / "y.conll")
    assert (tmp_path / "y.conll").read_text() == (
        "#begin document corpus\n"
        "5\t5_a\td\\u0020(1)\t0\t0\tThe\tTrue\t(0\n"
        "5\t5_a\td\\u0020(1)\t0\t1\told\\u0020man\tTrue\t0)\n"
        "5\t5_a\td\\u0020(1)\t1\t2\tfell\tTrue\t(1)\n"
        "5\t-\te\t0\t0\tHe\tTrue\t(0)|(2)\n"
        "#end document\n"
    )


def write(path: Path, *cells: str, begin: str = "#begin document (d); part 000") -> Path:
    rows = [f"d 0 {number} w{number} {cell}" for number, cell in enumerate(cells)]
    path.write_text("\n".join([begin, *rows, "#end document", ""]))
    return path


def spans(path: Path) -> set[tuple[str, int, int]]:
    """Cluster, first token and last token of every mention."""
    return {(m.cluster or "", m.start, m.end - 1) for m in read_conll(path).mentions}


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["(1(2", "2)1)"], {("1", 0, 1), ("2", 0, 1)}),
        (["(1(2)", "1)"], {("1", 0, 1), ("2", 0, 0)}),
        (["(1)|(2", "2)"], {("1", 0, 0), ("2", 0, 1)}),
        (["(1|(1", "-", "1)1)"], {("1", 0, 2)}),
        (["(1", "(2", "1)", "2)"], {("1", 0, 2), ("2", 1, 3)}),
        (["(1", "(1)", "1)"], {("1", 0, 2), ("1", 1, 1)}),
        (["(1", "1", "1)|(2", "1|2", "2)"], {("1", 0, 2), ("2", 2, 4)}),  # bare numbers inside of a mention
        (["(1", "1)(1", "1)"], {("1", 1, 1), ("1", 0, 2)}),  # beginnings before ends, as the reference scorer has it
        (["_", "-", "(e-3|(x_1)", "e-3)"], {("e-3", 2, 3), ("x_1", 2, 2)}),
        (["(1", "-|(2)", "1)"], {("1", 0, 2), ("2", 1, 1)}),
    ],
)
def test_brackets(tmp_path: Path, cells: list[str], expected: set[tuple[str, int, int]]) -> None:
    assert spans(write(tmp_path / "x.conll", *cells)) == expected


@pytest.mark.parametrize(
    ("begin", "name", "part"),
    [
        ("#begin document (nw/00/x_0009); part 001", "nw/00/x_0009", "1"),
        ("#begin document (LuoTestCase); ", "LuoTestCase", "0"),
        ("#begin document (a (b) c)", "a (b) c", "0"),
        ("# begin document test_events", "test_events", "0"),
    ],
)
def test_names_of_documents(tmp_path: Path, begin: str, name: str, part: str) -> None:
    path = write(tmp_path / "x.conll", "-", begin=begin)
    assert list(read_mention_table(path).documents) == [DocumentKey(name, part)]


def test_parts_of_a_document(tmp_path: Path) -> None:
    path = tmp_path / "x.conll"
    parts = [f"#begin document (x); part 00{part}\nx {part} 0 w (1)\n#end document\n" for part in range(3)]
    path.write_text("".join(parts))
    corpus = read_conll(path)
    ids = [(d.id, d.part) for d in corpus.documents]
    assert ids == [("x", "0"), ("x; part 001", "1"), ("x; part 002", "2")]
    assert len(corpus.clusters()) == 3
    assert len(read_conll(path, ReadOptions(ids="global")).clusters()) == 1
    for layout in get_args(Layout):
        write_conll(corpus, tmp_path / "y.conll", layout=layout)
        assert read_mention_table(tmp_path / "y.conll").documents.keys() == read_mention_table(path).documents.keys()
        assert [(d.id, d.part) for d in read_conll(tmp_path / "y.conll").documents] == ids
        write_conll(corpus.subset(["x; part 001"]), tmp_path / "z.conll", layout=layout)
        assert read_conll(tmp_path / "z.conll").documents[0].id == "x; part 001"


def test_kinds_sentences_and_words(tmp_path: Path) -> None:
    path = tmp_path / "x.conll"
    path.write_text(
        "# a comment\n\n#begin document (d)\nd 0 0 One (1)\n\n\nd 0 0 Two -\n# x\nd 0 1 . -\n#end document\n"
    )
    corpus = read_conll(path, ReadOptions(kind="event"))
    assert corpus.documents[0].sentences == ((0, 1), (1, 3))
    assert corpus.documents[0].tokens == ("One", "Two", ".")
    assert corpus.mentions[0].kind == "event"


@pytest.mark.parametrize(
    "rows",
    [
        ["Ann (1)", "left -", "7 (2)"],
        ["0 Ann (1)", "1 left _", "2 7 (2)"],
        ["b 1 Ann (1)", "b 2 left _", "b 3 7 (2)"],
        ["b 0 0 Ann (1)", "b 0 1 left -", "b 0 2 7 (2)"],
        ["b 0 0 Ann NNP * - - - - * (1)", "b 0 1 left VBD * - - - - * -", "b 0 2 7 CD * - - - - * (2)"],
        ["Ann NNP (1)", "left VBD -", "7 CD (2)"],
        ["b Ann (1)", "b left -", "b 7 (2)"],
        ["Ann NNP PER (1)", "left VBD O -", "7 CD O (2)"],
        ["B-PER Ann (1)", "O left -", "O 7 (2)"],
        ["b 0 PROPN Ann (1)", "b 1 VERB left -", "b 2 NUM 7 (2)"],
        ["s1 w1 Ann (1)", "s1 w2 left -", "s1 w3 7 (2)"],
        ["1-1 Ann NNP (1)", "1-2 left VBD -", "1-3 7 CD (2)"],
        [f"{n}\t{word}\t{word}\tX\t_\t_\t0\tx\t_\t{c}" for n, word, c in
         [("1-2", "Ann", "(1)"), ("2.1", "left", "_"), ("3", "7", "(2)")]],
        [f"{n}\t{word}\t{word}\tX\t_\t_\t0\tx\t_\t_\t{c}" for n, (word, c) in
         enumerate([("Ann", "(1)"), ("left", "-"), ("7", "(2)")], 1)],
    ],
)  # fmt: skip
def test_words_are_found_behind_the_token_number(tmp_path: Path, rows: list[str]) -> None:
    path = tmp_path / "x.conll"
    path.write_text("\n".join(["#begin document (b)", *rows, "#end document", ""]))
    corpus = read_conll(path)
    assert corpus.documents[0].tokens == ("Ann", "left", "7")
    assert [(m.tokens, m.cluster) for m in corpus.mentions] == [((0,), "1"), ((2,), "2")]


def test_a_block_without_a_name_gets_that_of_the_file(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"{name}.conll").write_text("# begin document \n0\tAnn\t(1)\n# end document\n" * 2)
    loaded = read_corpus([tmp_path])
    assert loaded.problems == ()
    ids = ["a.conll", "a.conll; part 001", "b.conll", "b.conll; part 001"]
    assert [d.id for d in loaded.corpus.documents] == ids
    write_corpus(loaded.corpus, tmp_path / "x.jsonl")
    assert [d.id for d in read_file(tmp_path / "x.jsonl").documents] == ids
    [result] = score_files(tmp_path / "a.conll", [tmp_path / "b.conll"])
    assert result.scores["b3"].f1 == 1


EIGHT = (
    "#begin document test_events\nt\tt_0\td1\t3\t7\tA b\tTrue\t(0\nt\tt_0\td1\t4\t1\tc\tFalse\t0)\n{}#end document\n"
)


def test_the_eight_columns(tmp_path: Path) -> None:
    path = tmp_path / "x.conll"
    path.write_text(EIGHT.format("u\t-\td2\t0\t0\tx\tTrue\t(0)|(1)\nt\tt_0\td2\t0\t0\tx\tTrue\t-\n"))
    corpus = read_conll(path)
    assert [(d.id, d.topic, d.subtopic) for d in corpus.documents] == [
        ("d1", "t", "t_0"),
        ("d2", "u", None),
        ("t/t_0/d2", "t", "t_0"),  # the same name in another topic is another document
    ]
    assert corpus.documents[0].tokens == ("A b", "c")
    assert corpus.documents[0].sentences == ((0, 1), (1, 2))
    assert corpus.documents[0].annotated == frozenset([0])
    assert coreference(corpus) == [[("d1", (0, 1)), ("d2", (0,))], [("d2", (0,))]]


def test_crlf_marks_and_gzip_make_no_difference(tmp_path: Path) -> None:
    plain = write(tmp_path / "x.conll", "(1", "1)", "-", "(é)")
    other = tmp_path / "no_suffix"
    other.write_bytes(gzip.compress(b"\xef\xbb\xbf" + plain.read_bytes().replace(b"\n", b" \t  \r\n")))
    assert spans(other) == spans(plain)
    assert read_conll(other).documents[0].tokens == read_conll(plain).documents[0].tokens


@pytest.mark.parametrize(("layout", "megabytes"), [("2012", 9), ("cross-document", 13)])
def test_a_file_that_is_read_in_several_chunks(tmp_path: Path, layout: Layout, megabytes: int) -> None:
    """The chunks of 4 MB end in documents, sentences and mentions."""
    word = "ö" + "x" * ((megabytes << 20) // 40)
    sentences = [[word], [word], ["short"], [word] * 2]
    documents = tuple(Document.from_sentences(f"d{n}", sentences * (1 if n else 9)) for n in range(3))
    spans = ((0, 1, 2, 3, 4), (1,), (3, 4), (20, 21, 22, 23, 24, 25, 26, 27, 28, 29), (44,))
    mentions = (Mention(d.id, span, cluster="1") for d in documents for span in spans if span[-1] < len(d.tokens))
    corpus = Corpus(documents, tuple(mentions))
    path = tmp_path / "x.conll"
    write_conll(corpus, path, layout=layout)
    assert path.stat().st_size > megabytes << 20
    back = read_conll(path)
    assert texts(back) == texts(corpus)
    assert coreference(back) == coreference(corpus)


BEGIN = "#begin document (d)\n"


def test_a_line_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cdcoref.formats.lines.LONGEST_LINE", 1 << 24)
    path = tmp_path / "x.conll.gz"
    path.write_bytes(gzip.compress(BEGIN.encode() + b"d 0 0 " + b"x" * (21 << 20), 1))
    with pytest.raises(InputError, match="line 2: the line is longer than 16 MB"):
        read_mention_table(path)


def test_published_files_survive_a_round_trip(shared: Path, tmp_path: Path) -> None:
    corpus = read_conll(shared / "conformance" / "published-scores" / "gvc" / "key.conll.gz", ReadOptions(kind="event"))
    assert len(corpus.mentions) == 951
    assert len(corpus.documents) == 74
    for layout in ("2012", "cross-document"):
        write_conll(corpus, tmp_path / "x.conll", layout=layout)
        back = read_conll(tmp_path / "x.conll", ReadOptions(kind="event"))
        assert texts(back) == texts(corpus)
        assert coreference(back) == coreference(corpus)

"""JSON lines: what is written is read back equal; what a person writes is understood or refused by line."""

from __future__ import annotations

import gzip
import io
import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.errors import InputError
from cdcoref.formats import SCHEMAS, document_fields, json_schema, jsonl_writer, read_jsonl, write_jsonl
from tests.corpora import corpora

words = st.text(max_size=6)
names = st.text(min_size=1, max_size=5)
ANY = corpora(words, names, names)


@given(corpus=ANY, packed=st.booleans())
def test_round_trip(tmp_path_factory: pytest.TempPathFactory, corpus: Corpus, packed: bool) -> None:
    path = tmp_path_factory.mktemp("jsonl") / ("c.jsonl.gz" if packed else "c.jsonl")
    write_jsonl(corpus, path)
    back = read_jsonl(path)
    assert back == corpus
    assert back.notes == ()
    assert (path.read_bytes()[:2] == b"\x1f\x8b") == packed
    path.unlink()


def test_fields_with_their_default_are_left_out(tmp_path: Path) -> None:
    document = Document.from_sentences("a", [["x"]])
    write_jsonl(Corpus((document,), (Mention("a", (0,)),)), tmp_path / "c.jsonl")
    assert json.loads((tmp_path / "c.jsonl").read_text()) == {
        "id": "a",
        "text": "x",
        "tokens": ["x"],
        "offsets": [[0, 1]],
        "sentences": [[0, 1]],
        "mentions": [{"tokens": [0], "start": 0, "end": 1, "text": "x"}],
    }


def read_lines(*lines: object) -> Corpus:
    text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
    return read_jsonl(io.BytesIO(text.encode()))


def test_text_with_character_spans() -> None:
    corpus = read_lines(
        {
            "id": "a",
            "text": "Ann called. She rang him up.",
            "mentions": [
                {"start": 0, "end": 3, "kind": "entity", "cluster": 1},
                {"spans": [[16, 20], [25, 27]], "kind": "event", "cluster": "call", "id": 7},
                {"start": 5, "end": 8, "kind": "event", "cluster": "call"},
            ],
        },
        {"id": "b", "text": ""},
    )
    words_of = [" ".join(corpus.documents[0].tokens[t] for t in mention.tokens) for mention in corpus.mentions]
    assert words_of == ["Ann", "rang up", "called"]
    assert [(m.cluster, m.id) for m in corpus.mentions] == [("1", None), ("call", "7"), ("call", None)]
    assert corpus.documents[1].tokens == ()
    assert corpus.notes == ("the stream: mention extended to whole tokens (once, on line 1)",)


def test_other_fields_are_metadata_and_what_is_no_plain_value_is_noted() -> None:
    corpus = read_lines(
        {"id": "a", "text": "x", "title": "T", "page": 3, "url": None, "mention": [], "metadata": {"b": 1}}
    )
    assert corpus.documents[0].metadata == {"title": "T", "page": 3, "mention": [], "b": 1}
    assert corpus.documents[0].found == frozenset()
    [note] = corpus.notes
    assert note == 'the stream: unknown field "mention" of a document kept as metadata (once, on line 1)'


def test_what_is_stated_takes_the_place_of_what_is_found() -> None:
    text = "Ferry sinks off Tresk\n\nBy Ann Lee\n\nA ferry sank."
    [document] = read_lines({"id": "2024-03-05", "text": text, "author": "B. Lee"}).documents
    assert document.metadata == {"title": "Ferry sinks off Tresk", "date": "2024-03-05", "author": "B. Lee"}
    assert document.found == {"title", "date"}


def test_a_mention_with_tokens_and_characters_must_have_those_of_its_tokens() -> None:
    fields = {"id": "a", "tokens": ["Ann", "left"], "mentions": [{"tokens": [1], "start": 4, "end": 8, "text": "left"}]}
    assert read_lines(fields).mentions == (Mention("a", (1,)),)
    for wrong in ({"start": 3}, {"end": 9}):
        with pytest.raises(InputError, match="characters 4 to 8"):
            read_lines({**fields, "mentions": [{"tokens": [1], **wrong}]})
    fields["tokens"] = ["She", "rang", "him", "up"]
    for right in ([[4, 8], [13, 15]], [[4, 6], [13, 14]]):
        assert read_lines({**fields, "mentions": [{"tokens": [1, 3], "spans": right}]}).mentions == (
            Mention("a", (1, 3)),
        )
    with pytest.raises(InputError, match=r"its tokens are the characters \[\[4, 8\], \[13, 15\]\]"):
        read_lines({**fields, "mentions": [{"tokens": [1, 3], "spans": [[4, 8], [9, 12]]}]})


@given(corpus=ANY)
def test_what_is_written_follows_the_schema(tmp_path_factory: pytest.TempPathFactory, corpus: Corpus) -> None:
    path = tmp_path_factory.mktemp("schema") / "c.jsonl"
    named = {(m.kind, m.cluster): "name" for m in corpus.mentions[:1] if m.cluster is not None}
    write_jsonl(replace(corpus, names=named), path)
    schema = json_schema("document")
    jsonschema.Draft202012Validator.check_schema(schema)
    check = jsonschema.Draft202012Validator(schema)
    for line in path.read_text(encoding="utf-8").split("\n")[:-1]:
        fields = json.loads(line)
        check.validate(fields)
        for mention in fields["mentions"]:
            words = mention["text"].split(" ... ")
            parts = mention.get("spans", [[mention["start"], mention["end"]]])
            assert len(parts) == 1 or len(parts) <= len(words)
            assert (
                " ".join(fields["text"][mention["start"] : mention["end"]].split()) == mention["text"] or len(parts) > 1
            )


def test_every_schema_is_in_the_package() -> None:
    for name, version in SCHEMAS.items():
        assert json_schema(name)["$id"].endswith(f":{name}:{version}")
    with pytest.raises(InputError, match="document"):
        json_schema("x")


def test_blank_lines_and_compression_and_marks(tmp_path: Path) -> None:
    path = tmp_path / "by-content-not-by-name"
    path.write_bytes(gzip.compress(b'\xef\xbb\xbf\n{"id": "a", "text": "x"}\r\n\n{"id": "b", "text": "y"}'))
    assert [document.id for document in read_jsonl(path).documents] == ["a", "b"]


WHOLE = {"id": "a", "text": "x y", "tokens": ["x", "y"], "offsets": [[0, 1], [2, 3]], "sentences": [[0, 2]]}


def mention(**fields: object) -> dict[str, object]:
    return WHOLE | {"mentions": [fields]}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"id": "a", "text": "x', "is not JSON"),
        ("[]", "not a JSON object"),
        ("[" * 100_000, "cannot be parsed as JSON"),
        ('{"id": "a", "text": "\\ud800"}', "surrogate"),
        ({"id": "a", "text": "x", "sentences": [[0, 1]]}, "no 'tokens'"),
        (WHOLE | {"offsets": [[0, 1]]}, "1 ranges for 2 tokens"),
        (WHOLE | {"offsets": [[2, 3], [0, 1]]}, "ascending"),
        (WHOLE | {"offsets": [[0, 1], [2, 4]]}, "within the 3 characters"),
        (WHOLE | {"sentences": [[0, 1]]}, "cover the 2 tokens"),
        (WHOLE | {"tokens": ["x", 1]}, "number 2 of 'tokens' should be a valid string, not 1"),
        (WHOLE | {"hidden": [1]}, "sentence indices from 0 to 0"),
        (mention(), "needs either 'tokens'"),
        (mention(tokens=[]), r"should have at least 1 item, not \[\]"),
        (mention(tokens=[2]), "indices from 0 to 1"),
        (mention(tokens=[True]), "should be a valid integer, not true"),
        (mention(tokens=[1, 0]), "ascending indices from 0 to 1"),
        (mention(tokens=[0], start=0, end=2), "tokens are characters 0 to"),
        (mention(start=1, end=2), "contain no token"),
        (mention(start=2, end=9), "characters 2 to 9 go beyond the"),
        (
            mention(tokens=[0], kind="thing"),
            "'kind' of number 1 of 'mentions' should be 'event' or 'entity', not \"thing\"",
        ),
        (mention(tokens=[0], confidence=1.5), "should be less than or equal to 1, not 1.5"),
        ({"id": "a", "text": "x", "mentions": [{"tokens": [0]}]}, "character ranges"),
        ({"id": "first", "text": "x"}, "'first' is on line 1 already"),
    ],
)
def test_a_malformed_line_is_refused_with_its_number(line: object, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        read_lines({"id": "first", "text": "x"}, line)
    assert caught.value.line == 2


def test_ids_may_be_numbers_or_absent() -> None:
    corpus = read_lines({"id": 7, "text": "x"}, {"text": "y"})
    assert [document.id for document in corpus.documents] == ["7", "the stream:2"]


STORIES = Corpus(
    (Document.from_sentences("a", [["Ann", "ran"]]), Document.from_sentences("b", [["She", "fell"]])),
    (Mention("a", (0,), "entity", "1"), Mention("b", (0,), "entity", "1"), Mention("b", (1,), "event")),
)


def test_a_writer_refuses_what_could_not_be_read(tmp_path: Path) -> None:
    with jsonl_writer(tmp_path / "a.jsonl") as write:
        with pytest.raises(ValueError, match="is not in document 'a'"):
            write(STORIES.documents[0], STORIES.mentions)
        with pytest.raises(ValueError, match="is not in document 'a'"):
            write(STORIES.documents[0], [Mention("a", (2,))])
        write(STORIES.documents[0], [])
        with pytest.raises(ValueError, match="document 'a' has already been written"):
            write(STORIES.documents[0], [])
    assert read_jsonl(tmp_path / "a.jsonl").documents == STORIES.documents[:1]


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("what was there")
    with pytest.raises(InputError, match="surrogate"):
        write_jsonl(Corpus((Document.from_sentences("a", [["\ud800"]]),)), path)
    assert path.read_text() == "what was there"
    assert [file.name for file in tmp_path.iterdir()] == ["a.jsonl"]
    with pytest.raises(InputError, match="cannot be written"):
        write_jsonl(Corpus(()), tmp_path / "no" / "folder.jsonl")


@given(ANY, st.sampled_from([None, 1]), st.booleans())
def test_any_layout_of_json_is_the_same_corpus(corpus: Corpus, indent: int | None, array: bool) -> None:
    lines = [
        json.dumps(document_fields(d, ms), indent=indent) for d, ms in zip(corpus.documents, _by(corpus), strict=True)
    ]
    text = f"[{','.join(lines)}]" if array else "\n".join(lines)
    assert read_jsonl(io.BytesIO(text.encode())) == corpus


def _by(corpus: Corpus) -> list[list[Mention]]:
    return [[m for m in corpus.mentions if m.document == d.id] for d in corpus.documents]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ('[\n{"id": "a", "text": "x"}\n{"id": "b", "text": "x"}]', 3, "comma"),
        ('[\n{"id": "a", "text": "x"},\n{"id": "a", "text": "x"}]', 3, "unique"),
        ('[\n{"id": "a", "text": }]', 2, "not JSON"),
        ('{"id": "a",\n"text": "x"\n', 2, "not JSON"),
        ('[{"id": "a", "text": "x"}]\nmore', 1, "more after"),
        ('[{"id": "a", "text": "x"}, 3]', 1, "not a JSON object"),
        ('[{"id": "a", "text": "x", "id": "b"}]', 1, "twice"),
    ],
)
def test_json_over_several_lines_is_refused_by_line(text: str, line: int, message: str) -> None:
    with pytest.raises(InputError, match=message) as error:
        read_jsonl(io.BytesIO(text.encode()))
    assert error.value.line == line

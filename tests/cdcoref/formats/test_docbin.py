"""Documents as spaCy Docs and in ``.spacy`` files: everything comes back, and damaged files are refused."""

from __future__ import annotations

import gzip
import random
import zlib
from pathlib import Path

import pytest
import spacy
import srsly
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc, DocBin, Span

from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.errors import InputError
from cdcoref.formats import annotate, corpus_of, docs_of, named_entities, read_docbin, tokenise_text, write_docbin

FIRST = Document.from_sentences(
    "a b", [["http", "x"], ["She", "took", "it", "off", "."], ["No"]], topic="1", subtopic="1a", part="2",
    path="x/a.txt", hidden=frozenset({0}), annotated=frozenset({1}),
)  # fmt: skip
SECOND = Document.from_sentences("b", [["Ann", "took", "it", "."]], path="y.txt")
MENTIONS = (
    Mention("a b", (2,), "entity", "c\"1", "7", "HUMAN", 0.25),
    Mention("a b", (3, 5), "event", "take"),
    Mention("a b", (4,), None, "it"),
    Mention("b", (0, 1), "entity"),
    Mention("b", (0,), "entity", "c\"1"),
    Mention("b", (1,), "event", "take", confidence=0.5),
)  # fmt: skip
CORPUS = Corpus((FIRST, SECOND), tuple(sorted(MENTIONS, key=lambda m: (m.document, m.tokens))))


def test_everything_comes_back(tmp_path: Path) -> None:
    write_docbin(CORPUS, tmp_path / "x.spacy")
    assert read_docbin(tmp_path / "x.spacy") == CORPUS
    assert [path.name for path in tmp_path.iterdir()] == ["x.spacy"]


@given(st.lists(st.sampled_from(["Ann", "sank", ".", "No-one", " ", "  ", "\n", "\n\n", "\t", "。", "🚢", "é"])))
def test_any_white_space_comes_back(pieces: list[str]) -> None:
    document = tokenise_text("".join(pieces), "d")
    [doc] = docs_of(Corpus((document,)))
    assert doc.text == document.text
    assert corpus_of([doc]).documents == (document,)


def test_sentences_without_tokens_are_left_out() -> None:
    tokens = ("a", "b")
    document = Document("d", tokens, ((0, 0), (0, 1), (1, 1), (1, 2)), "a b", ((0, 1), (2, 3)),
                        hidden=frozenset({0, 3}), annotated=frozenset({1}))  # fmt: skip
    [found] = corpus_of(docs_of(Corpus((document,)))).documents
    assert found.sentences == ((0, 1), (1, 2))
    assert (found.hidden, found.annotated) == ({1}, {0})


def test_docs_of_a_pipeline() -> None:
    nlp = spacy.blank("en")
    text = "Ann left.\n\nShe  fell, Mr. Lee said. He left"
    plain = nlp(text)
    corpus = corpus_of([plain, nlp("")])
    assert [d.id for d in corpus.documents] == ["1", "2"]
    first = corpus.documents[0]
    assert first.text == text
    assert [text[a:b] for a, b in first.offsets] == list(first.tokens)
    by_rules = tokenise_text(text, "1")
    assert [first.offsets[a][0] for a, _ in first.sentences] == [by_rules.offsets[a][0] for a, _ in by_rules.sentences]
    nlp.add_pipe("sentencizer", config={"punct_chars": [","]})
    assert [len(d.sentences) for d in corpus_of([nlp(text)]).documents] == [2]


def test_named_entities_and_spans(tmp_path: Path) -> None:
    nlp = spacy.blank("en")
    doc = nlp("Ann  Dahl left Oslo.")
    doc.set_ents([Span(doc, 0, 3, "PERSON"), Span(doc, 4, 5, "GPE")])
    doc.spans["event"] = [Span(doc, 3, 4)]
    doc.spans["other"] = [Span(doc, 0, 1)]
    DocBin(docs=[doc]).to_disk(tmp_path / "x.spacy")
    assert read_docbin(tmp_path / "x.spacy").mentions == (Mention("x.spacy-1", (2,), "event"),)
    assert named_entities([doc], corpus_of([doc], prefix="x.spacy-")) == (
        Mention("x.spacy-1", (0, 1), "entity", tag="PERSON"),
        Mention("x.spacy-1", (3,), "entity", tag="GPE"),
    )  # fmt: skip
    assert read_docbin(tmp_path / "x.spacy").documents[0].path == str(tmp_path / "x.spacy")


def test_merged_tokens_are_the_words_that_they_consist_of() -> None:
    words = spacy.blank("en")("The big bad wolf left. It ran.")
    merged = words.copy()
    with merged.retokenize() as retokenizer:
        retokenizer.merge(merged[0:4])
    (document,) = corpus_of([merged]).documents
    assert document == corpus_of([words]).documents[0]
    mentions = [
        Mention("1", (3,), "entity", "x"),
        Mention("1", (1, 3, 6), "entity", "x"),
        Mention("1", (4,), "event", "y"),
    ]
    annotate([merged], Corpus((document,), tuple(mentions)))
    assert [span.text for span in merged.spans["entity"]] == ["The big bad wolf left. It", "The big bad wolf"]
    assert [span.text for span in merged.spans["event"]] == ["left"]
    read = corpus_of([merged], mentions=True).mentions
    assert sorted(mention.tokens for mention in read) == [(0, 1, 2, 3), (0, 1, 2, 3, 6), (4,)]
    merged.set_ents([Span(merged, 0, 1, "PERSON")])
    assert [mention.tokens for mention in named_entities([merged], corpus_of([merged]))] == [(0, 1, 2, 3)]


def test_a_merged_token_is_the_mention_that_has_its_head() -> None:
    doc = spacy.blank("en")("The mayor of Oslo and Ann Lee met.")
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[0:4])
        retokenizer.merge(doc[5:7])
    (document,) = corpus_of([doc]).documents
    found = [((1,), "x"), ((1,), "y"), ((3,), "oslo"), ((6,), "ann"), ((0, 6), "both"), ((1, 4, 6), "both")]
    mentions = tuple(Mention("1", tokens, "entity", cluster) for tokens, cluster in found)
    annotate([doc], Corpus((document,), mentions))
    spans = [(span.text, span.kb_id_) for span in doc.spans["entity"]]
    mayor, ann, both = "The mayor of Oslo", "Ann Lee", "The mayor of Oslo and Ann Lee"
    assert sorted(spans) == sorted([(mayor, "x"), (mayor, "y"), (ann, "ann"), (both, "both"), (both, "both")])


def test_entities_of_markup_come_back(tmp_path: Path) -> None:
    """The Doc has the text as it is; "&nbsp;" is no token."""
    document = tokenise_text("Smith &amp; Sons &nbsp; bought AT&amp;T now", "a", path="a.txt")
    assert document.tokens == ("Smith", "&", "Sons", "bought", "AT&T", "now")
    corpus = Corpus((document,), (Mention("a", (0, 1, 2), "entity", "c"), Mention("a", (4,), "entity", "d")))
    write_docbin(corpus, tmp_path / "a.spacy")
    assert read_docbin(tmp_path / "a.spacy") == corpus
    [doc] = docs_of(corpus)
    assert doc.text == document.text
    assert [span.text for span in doc.spans["entity"]] == ["Smith &amp; Sons", "AT&amp;T"]


def test_an_empty_token_is_refused(tmp_path: Path) -> None:
    corpus = Corpus((Document.from_sentences("a", [["The", "", "ferry"]]),))
    with pytest.raises(InputError, match="token 1 of document 'a' is empty, which spaCy cannot express; use JSON"):
        write_docbin(corpus, tmp_path / "x.spacy")
    assert not list(tmp_path.iterdir())


def test_two_docs_of_one_name_are_refused(tmp_path: Path) -> None:
    docs = docs_of(Corpus((SECOND,))) * 2
    with pytest.raises(InputError, match="two documents have the id 'b'"):
        corpus_of(docs)
    DocBin(docs=docs, store_user_data=True).to_disk(tmp_path / "x.spacy")
    with pytest.raises(InputError, match=r"x\.spacy: two documents have the id 'b'"):
        read_docbin(tmp_path / "x.spacy")


@pytest.mark.parametrize(
    "known", [{"annotated": 3}, "text", {"path": [1]}, {"places": [1]}, {"entities": {"0-1": 1}}, {"places": [0, 0]}]
)
def test_what_a_doc_holds_is_checked(known: object, tmp_path: Path) -> None:
    doc = Doc(spacy.blank("en").vocab, words=["a"], user_data={"cdcoref": known})
    DocBin(docs=[doc], store_user_data=True).to_disk(tmp_path / "x.spacy")
    with pytest.raises(InputError, match=r"x\.spacy: the file is not a valid spaCy DocBin"):
        read_docbin(tmp_path / "x.spacy")


def test_files_that_are_none(tmp_path: Path) -> None:
    (tmp_path / "text.spacy").write_text("Ann left.")
    (tmp_path / "empty.spacy").write_bytes(b"")
    (tmp_path / "cut.spacy").write_bytes(gzip.compress(b"x" * 100)[:-9])
    with pytest.raises(InputError, match=r"cut\.spacy: the gzip data is corrupt or truncated"):
        read_docbin(tmp_path / "cut.spacy")
    for name in ("text.spacy", "empty.spacy"):
        with pytest.raises(InputError, match=f"{name}: the file is not a valid spaCy DocBin"):
            read_docbin(tmp_path / name)
    for name in ("missing.spacy", "."):
        with pytest.raises(InputError, match=r"the file (cannot be read|does not exist)"):
            read_docbin(tmp_path / name)
    with pytest.raises(InputError, match="the file cannot be written"):
        write_docbin(CORPUS, tmp_path / "nowhere" / "x.spacy")


def test_damaged_files_are_refused_or_read(tmp_path: Path) -> None:
    write_docbin(CORPUS, tmp_path / "x.spacy")
    plain = zlib.decompress((tmp_path / "x.spacy").read_bytes())
    message = srsly.msgpack_loads(plain)
    chance = random.Random(3)
    refused = []
    for number in range(300):
        if number % 3 == 0:
            damaged = dict(message)
            damaged[chance.choice(sorted(damaged))] = chance.choice([None, [], {}, b"", b"xx", -1, "x", [b"x"], [None]])
            data = srsly.msgpack_dumps(damaged)
        else:
            bytes_ = bytearray(plain)
            for _ in range(number % 4 + 1):
                bytes_[chance.randrange(len(bytes_))] = chance.randrange(256)
            data = bytes(bytes_)
        (tmp_path / "y.spacy").write_bytes(zlib.compress(data))
        try:
            read_docbin(tmp_path / "y.spacy")
        except InputError as error:
            refused.append(error.path)
    assert len(refused) > 100
    assert set(refused) == {str(tmp_path / "y.spacy")}

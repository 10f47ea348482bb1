"""Parsing documents with the pipeline that ships."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
import spacy
from spacy.tokens import Doc
from spacy.vocab import Vocab

from cdcoref.corpus import Document
from cdcoref.errors import InputError
from cdcoref.facts import ENGLISH, Parse, parse, parse_of_doc, with_parses
from cdcoref.formats import ReadOptions, corpus_of, read_corpus, tokenise_text

pytestmark = pytest.mark.skipif(not ENGLISH.is_dir(), reason="the pipeline has not been built")

SHIP = ["The", "ship", "that", "left", "Norway", "on", "Monday", "sank", "."]
HEADLINE = ["Ferry", "Sinks", "Near", "Bergen", ",", "Police", "Say"]


@pytest.fixture(scope="module")
def parsed() -> Parse:
    return next(parse([Document.from_sentences("a", [HEADLINE, SHIP])]))


def test_every_sentence_has_one_root(parsed: Parse) -> None:
    roots = [token for token, head in enumerate(parsed.heads) if head == token]
    assert len(parsed.heads) == len(HEADLINE) + len(SHIP)
    assert [root >= len(HEADLINE) for root in roots] == [False, True]


def test_a_relative_clause_depends_on_its_noun(parsed: Parse) -> None:
    ship, left, sank = (len(HEADLINE) + SHIP.index(word) for word in ("ship", "left", "sank"))
    assert (parsed.heads[left], parsed.relations[left], parsed.lemmas[left]) == (ship, "relcl", "leave")
    assert (parsed.heads[ship], parsed.relations[ship]) == (sank, "nsubj")
    assert left in parsed.children[ship]
    assert list(parsed.ancestors(left)) == [ship, sank]
    assert parsed.head_of(range(len(HEADLINE), sank)) == ship


def test_named_entities_have_types(parsed: Parse) -> None:
    assert parsed.entity_types[len(HEADLINE) + SHIP.index("Norway")] == "GPE"


def test_a_parse_can_be_stored(parsed: Parse) -> None:
    assert parsed.children
    assert pickle.loads(pickle.dumps(parsed)) == parsed
    assert Parse.unpacked(parsed.packed()) == parsed
    side_by_side = Parse(
        (0, 0), ("ROOT", "conj"), ("PROPN",) * 2, ("NNP",) * 2, ("Bergen", "Oslo"), ((0, 1, "GPE"), (1, 2, "GPE"))
    )
    assert Parse.unpacked(side_by_side.packed()) == side_by_side


def test_a_damaged_parse_is_refused(parsed: Parse) -> None:
    with pytest.raises(ValueError, match="damaged"):
        Parse.unpacked(parsed.packed()[:-20])


def test_documents_keep_the_parse_that_they_have() -> None:
    documents = with_parses([Document.from_sentences(id, [SHIP]) for id in "ab"])
    with_one = [documents[0], replace(documents[1], parse=None)]
    assert [one.parse for one in with_parses(with_one)] == [one.parse for one in documents]
    other = Parse((0,), ("ROOT",), ("X",), ("XX",), ("x",)).packed()
    assert with_parses([replace(documents[0], parse=other)])[0].parse == other


def test_documents_are_parsed_in_order() -> None:
    documents = [Document.from_sentences(str(n), [["Word"] * n]) for n in (0, 3, 1)]
    assert [len(one.heads) for one in parse(documents)] == [0, 3, 1]


def test_a_pipeline_must_exist_and_parse() -> None:
    with pytest.raises(InputError, match="cannot be loaded"):
        next(parse([Document.from_sentences("a", [SHIP])], "no_such_pipeline"))


def test_a_dateline_is_parsed_by_itself() -> None:
    words = ["OSLO", ",", "May", "18", "(", "Orbit", ")", "-", "A", "ferry", "sank", "."]
    parsed = next(parse([Document.from_sentences("a", [words])]))
    assert parsed.heads[words.index("sank")] == words.index("sank")
    assert parsed.heads[words.index("ferry")] == words.index("sank")


def test_the_parse_of_a_doc_or_of_a_named_pipeline_is_kept(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("The ferry sank. Police found it.")
    (read,) = read_corpus(tmp_path / "a.txt", ReadOptions(pipeline=str(ENGLISH))).corpus.documents
    doc = spacy.load(ENGLISH)("The ferry  sank. Police found it.")  # with a token of white space
    (made,) = corpus_of([doc]).documents
    assert read.parse is not None
    assert "nsubj" in Parse.unpacked(read.parse).relations
    assert made.parse is not None
    heads = [made.tokens[head] for head in Parse.unpacked(made.parse).heads]
    assert heads == [token.head.text for token in doc if not token.is_space]


def test_words_of_one_token_depend_on_its_last() -> None:
    doc = Doc(Vocab(), words=["New York", "grew"], heads=[1, 1], deps=["nsubj", "ROOT"])
    own = parse_of_doc(doc, [0, 0, 1])
    assert own.heads == (1, 2, 2)
    assert own.relations == ("compound", "nsubj", "ROOT")


def test_threads_that_parse_at_once_get_what_one_gets() -> None:
    documents = [tokenise_text(f"The ferry Maren{n} sank off Tresk{n}. Ann{n} saw it.", str(n)) for n in range(60)]
    expected = list(parse(documents))
    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(lambda _: [list(parse(documents[n::3])) for n in range(3)], range(3)))
    assert found == [[expected[n::3] for n in range(3)]] * 3

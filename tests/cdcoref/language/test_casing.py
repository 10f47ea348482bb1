"""Headlines are written as in a sentence, all else stays as it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdcoref.corpus import ENTITY, Document, Mention
from cdcoref.language import in_conflict, in_sentence_case, mention_words
from tests.tables import cases

BODY = (
    "Police in Brownsville said that Mark Chase fled .",
    "They chase him with the help of the army and of NATO .",
)

WORDS = ("The", "the", "Bomb", "attack", "KILLS", "in", "Kabul", "NATO", ".", "7", "'S")


def written(headline: str, body: tuple[str, ...] = BODY) -> str:
    """How a document's headline is written in sentence case."""
    document = Document.from_sentences("1", [headline.split(), *(sentence.split() for sentence in body)])
    changed = in_sentence_case(document)
    end = len(headline.split())
    assert changed.tokens[end:] == document.tokens[end:]
    assert (changed.text, changed.offsets, changed.sentences) == (document.text, document.offsets, document.sentences)
    return " ".join(changed.tokens[:end])


@pytest.mark.parametrize(("headline", "expected"), cases(__file__, "headlines.tsv"))
def test_headlines(headline: str, expected: str) -> None:
    assert written(headline) == expected


def test_a_word_is_written_as_it_mostly_is_in_the_other_sentences() -> None:
    body = ("Later the Grace left , and Grace Hill with it .", "By the grace of God , the Grace arrived .")
    assert written("Grace Sails For Rose Harbour", body) == "Grace sails for rose harbour"
    assert written("Grace Sails For Rose Harbour", (*body, "At Rose Harbour it stayed .")) == (
        "Grace sails for Rose Harbour"
    )


def test_hidden_sentences_say_nothing() -> None:
    sentences = [["http", ":", "esther", "williams", "dead"], ["Esther", "Williams", "Found", "Dead", "at", "91"]]
    document = Document.from_sentences("1", sentences, hidden=frozenset({0}))
    assert in_sentence_case(document).tokens[5:] == ("Esther", "Williams", "found", "dead", "at", "91")


@given(st.lists(st.lists(st.sampled_from(WORDS), min_size=1)))
def test_only_capitals_change_and_only_once(sentences: list[list[str]]) -> None:
    document = Document.from_sentences("1", sentences)
    changed = in_sentence_case(document)
    assert [word.casefold() for word in changed.tokens] == [word.casefold() for word in document.tokens]
    assert in_sentence_case(changed).tokens == changed.tokens


def test_nouns_of_headlines_are_no_full_names() -> None:
    sentences = [["THE", "BOMB", "ATTACK", "SHOCKS", "BAGHDAD"], ["The", "Suicide", "Attack", "Shocks", "Baghdad"]]
    document = Document.from_sentences("1", sentences)
    mentions = [Mention("1", tokens, ENTITY) for tokens in ((0, 1, 2), (5, 6, 7))]

    def conflict(document: Document) -> bool:
        one, other = (mention_words(document, mention).stated for mention in mentions)
        return in_conflict(one, other)

    assert not conflict(in_sentence_case(document))
    sentences = [["ANNA", "BERG", "MEETS", "MARK", "CHASE"], ["There", "Anna", "Berg", "met", "Mark", "Chase", "."]]
    names = in_sentence_case(Document.from_sentences("1", sentences))
    one, other = (mention_words(names, Mention("1", t, ENTITY)) for t in ((0, 1), (3, 4)))
    assert in_conflict(one.stated, other.stated)

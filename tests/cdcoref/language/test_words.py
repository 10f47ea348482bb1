"""Heads by rule, lemmas, and what is a name, a number, a date or a pronoun."""

from __future__ import annotations

import pytest

from cdcoref.corpus import Document, Mention
from cdcoref.language import (
    MentionWords,
    StatedFacts,
    head_span,
    head_word,
    in_conflict,
    is_date,
    is_relative_pronoun,
    lemma,
    mention_facts,
    mention_words,
)
from tests.tables import cases, rows_of


def adjacent_facts(before: str, words: str, after: str = "") -> StatedFacts:
    """What the words beside an entity in its sentence add to it."""
    start, length = len(before.split()), len(words.split())
    document = Document.from_sentences("d", [f"{before} {words} {after}".split()])
    return mention_words(document, Mention("d", tuple(range(start, start + length)), "entity")).beside


def test_heads() -> None:
    """`heads.tsv`: the head, and the span that has its name, amount or date too."""
    for row in rows_of(__file__, "heads.tsv"):
        words = row["phrase"].split(" ")
        start, end = head_span(words)
        assert row["head"] in ("", head_word(words)), row
        assert row["span"] in ("", " ".join(words[start:end])), row
        assert head_span(words[start:end]) == (0, end - start)


@pytest.mark.parametrize(("words", "expected"), cases(__file__, "lemmas.tsv"))
def test_lemma(words: str, expected: str) -> None:
    assert {lemma(word) for word in words.split()} == {expected}


def test_the_lemma_of_nothing() -> None:
    assert lemma("") == ""
    assert MentionWords.of([""]).head == ""


def test_what_the_words_of_a_mention_are() -> None:
    words = MentionWords.of(["the", "2,000", "tonnes", "of", "French", "maize", "in", "March", "1987"])
    assert words.words == ("2,000", "tonnes", "of", "french", "maize", "in", "march", "1987")
    assert (words.numbers, words.years, words.dates) == ({"2000", "1987"}, {"1987"}, {"march"})
    assert (words.head, words.names, words.definite) == ("march", {"french"}, 1)
    assert words.lemmas == {"2,000", "tonne", "french", "maize", "march", "1987"}


@pytest.mark.parametrize(("mention", "pronoun", "definite", "names"), cases(__file__, "words.tsv", "definite", "names"))
def test_pronouns_determiners_and_names(mention: str, pronoun: str, definite: int, names: list[str]) -> None:
    words = MentionWords.of(mention.split())
    assert (words.pronoun, words.definite, words.names) == (pronoun, definite, set(names))


def test_a_capital_at_the_beginning_of_a_sentence_makes_no_name() -> None:
    assert MentionWords.of(["Shares"], begins_sentence=True).names == set()
    assert MentionWords.of(["Shares"]).names == {"shares"}


def test_numerals_are_numbers() -> None:
    assert MentionWords.of(["twelve", "of", "$1,200", "or", "12%"]).numbers == {"12", "1200"}
    assert MentionWords.of(["one"]).numbers == set()


def test_what_is_no_decimal_number_is_as_it_was_written() -> None:
    assert adjacent_facts("3-1/2 mln", "tonnes").amounts == {"3-1/2 * 1000000"}
    assert MentionWords.of(["10:30", "and", "3/4"]).amounts == {"3/4"}
    assert MentionWords.of(["10.30", "am"]).amounts == MentionWords.of(["9", "p.m."]).amounts == set()
    assert MentionWords.of(["1986/87", "and", "1990"]).amounts == set()


@pytest.mark.parametrize(("words", "amounts"), cases(__file__, "numbers.tsv", "amounts"))
def test_numbers_that_are_divided_are_one(words: str, amounts: list[str]) -> None:
    assert MentionWords.of(words.split()).amounts == set(amounts)


def test_a_number_before_a_mention_may_be_divided() -> None:
    assert adjacent_facts("some 20 , 000", "scientists").amounts == {"20000"}
    assert adjacent_facts("On May 9 , 200", "people").amounts == {"200"}


def test_what_stands_beside_a_pronoun_does_not_belong_to_it() -> None:
    beside = adjacent_facts("at 145.15", "here")
    assert MentionWords.of(["dollars"], beside=beside).stated.amounts == {"145.15"}
    assert not any(MentionWords.of(["here"], beside=beside).stated)


def test_dates_and_relative_pronouns() -> None:
    assert [is_date(word) for word in ("Friday", "May", "may", "1998", "19")] == [True, True, False, True, False]
    assert [is_relative_pronoun(word) for word in ("Where", "who", "he")] == [True, True, False]


@pytest.mark.parametrize(
    ("sentence", "modifiers", "complements"), cases(__file__, "phrases.tsv", "modifiers", "complements")
)
def test_the_phrase_around_a_head(sentence: str, modifiers: list[str], complements: list[str]) -> None:
    words = sentence.split()
    start = next(place for place, word in enumerate(words) if word.startswith("*"))
    words[start] = words[start][1:]
    phrase = mention_facts(Document.from_sentences("d", [words]), Mention("d", (start,)), 0).phrase
    assert phrase.modifiers == set(modifiers)
    assert phrase.complements == set(complements)


@pytest.mark.parametrize(
    "form",
    [
        *("Inc.", "S.A.", "GmbH", "B.V.", "L.L.C.", "S.p.A.", "Pty", "Incorporated", "LLP", "AG", "K.K.", "KK", "AB"),
        *("A/S", "ApS", "ASA", "Oy", "KG", "SAS", "Limited", "Berhad", "PJSC", "Kft."),
        *("SE", "e.V.", "S.A./N.V.", "d.o.o.", "UAB", "s.r.o.", "C.V.", "L.P.", "PLLC"),
    ],
)
def test_a_company_is_no_person_whatever_its_legal_form(form: str) -> None:
    company, person = MentionWords.of(["Dray", "Harbour", "Shipping", form]), MentionWords.of(["Peter", "Hale"])
    assert company.stated.full_name == ("dray", "harbour", "shipping")
    assert in_conflict(company.stated, person.stated)
    assert company.is_organisation
    assert not in_conflict(company.stated, MentionWords.of(["Dray", "Shipping"]).stated)

"""Heads by rule, lemmas, and what is a name, a number, a date or a pronoun; lines above a report."""

from __future__ import annotations

import importlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdcoref.corpus import ENTITY, Document, Mention
from cdcoref.formats import tokenise_text
from cdcoref.language import (
    MentionWords,
    StatedFacts,
    byline_author,
    date_of,
    head_span,
    head_word,
    in_conflict,
    in_sentence_case,
    is_date,
    is_date_line,
    is_header_line,
    is_relative_pronoun,
    lemma,
    mention_facts,
    mention_words,
    remarks_on_language,
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


BODY = ("Police in Brownsville said that Mark Chase fled .", "They chase him with the help of the army and of NATO .")

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


@pytest.mark.parametrize(("id", "text", "day"), cases(__file__, "days.tsv", "text", "day"))
def test_a_day(id: str, text: str, day: str | None) -> None:
    assert date_of(id, text) == day


OTHERS = ["ar", "de", "el", "es", "fr", "ja", "ko", "nl", "ru", "tr", "vi", "zh"]


@pytest.mark.parametrize("language", OTHERS)
def test_other_languages_are_named(language: str) -> None:
    text = " ".join(importlib.import_module(f"spacy.lang.{language}.examples").sentences)
    (remark,) = remarks_on_language(
        [tokenise_text("The ferry sank off Tresk. " * 5, "english"), tokenise_text(text, "x")]
    )
    assert "1 document seems" in remark
    assert remark.endswith(": x")


def test_short_texts_in_other_languages_are_named_and_english_ones_are_not() -> None:
    for row in rows_of(__file__, "short_texts.tsv"):
        assert bool(remarks_on_language([tokenise_text(row["text"], "x")])) is (row["foreign"] == "yes"), row


def test_a_few_are_named_and_the_others_counted() -> None:
    text = "Die Fähre sank am Freitag vor Tresk, und neunzehn Menschen ertranken, wie die Polizei mitteilte."
    (remark,) = remarks_on_language([tokenise_text(text, f"{n}.txt") for n in range(8)])
    assert "8 documents seem" in remark
    assert remark.endswith("0.txt, 1.txt, 2.txt, 3.txt, 4.txt and 3 more")


def test_header_lines() -> None:
    """`header_lines.tsv`: dates above a report, and lines that look like them."""
    for row in rows_of(__file__, "header_lines.tsv"):
        assert is_header_line(row["line"]) is (row["header"] == "yes"), row
        assert is_date_line(row["line"]) or row["header"] == "no", row


def test_authors() -> None:
    assert byline_author("By Ann Lee and Tom de Vries, Herald staff") == "Ann Lee and Tom de Vries"
    assert byline_author("BY ANN LEE") == "ANN LEE"
    assert byline_author("By Monday night the water had risen") is None
    assert byline_author(f"By Ann Lee, {'x' * 100}") is None


def stated(text: str) -> StatedFacts:
    """What a mention states, of a sentence after another that ends with a number."""
    before, _, rest = (text if "[" in text else f"[{text}]").partition("[")
    words, _, after = rest.partition("]")
    document = Document.from_sentences("d", [["It", "was", "12"], f"{before} {words} {after}".split()])
    start = 3 + len(before.split())
    return mention_words(document, Mention("d", tuple(range(start, start + len(words.split()))), "entity")).stated


def test_conflicts() -> None:
    for row in rows_of(__file__, "conflicts.tsv"):
        one, other = stated(row["one"]), stated(row["other"])
        assert in_conflict(one, other) is in_conflict(other, one) is (row["conflict"] == "yes"), row

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


def adjacent_facts(before: str, words: str, after: str = "") -> StatedFacts:
    """What the words beside an entity in its sentence add to it."""
    start, length = len(before.split()), len(words.split())
    document = Document.from_sentences("d", [f"{before} {words} {after}".split()])
    return mention_words(document, Mention("d", tuple(range(start, start + length)), "entity")).beside


@pytest.mark.parametrize(
    ("phrase", "head"),
    [
        ("earthquake", "earthquake"),
        ("the strong earthquake", "earthquake"),
        ("near an intersection in Brownsville", "intersection"),
        ("the 22-year-old actress , who left", "actress"),
        ("a man in his thirties", "man"),
        ("checked into", "checked"),
        ("on Saturday night", "Saturday"),
        ('" Winter Harbour "', "Harbour"),
        ("Lohan 's", "Lohan"),
        ("in", "in"),
        ("of the", "the"),
        ("''", "''"),
        (", then", "then"),
        ("the Chrysler Corp", "Chrysler"),
        ("Mazda Motor Co . Ltd .", "Motor"),
        ("Rolls Royce Plc in Derby", "Royce"),
        ("the army corps", "corps"),
        ("a corp", "corp"),
        ("Inc.", "Inc."),
        ("the mayor who may have lied", "mayor"),
        ("the protest march in March", "March"),
    ],
)
def test_head_word(phrase: str, head: str) -> None:
    assert head_word(phrase.split(" ")) == head


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("arrested arrests ARRESTING arrest", "arrest"),
        ("Lohan's Lohan lohan’s", "lohan"),
        ("his him He himself", "he"),
        ("Children child", "child"),
        ("U.S. US US's", "u.s."),
        ("us we", "we"),
        ("2010", "2010"),
        ("'s", "'s"),
    ],
)
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


@pytest.mark.parametrize(
    ("mention", "pronoun", "definite", "names"),
    [
        ("his", "he", 0, set()),
        ("They", "they", 0, set()),
        ("those", "that", 0, set()),
        ("his boat", "", 1, set()),
        ("a boat", "", -1, set()),
        ("boats", "", 0, set()),
        ("The Anna Maria", "", 1, {"anna", "maria"}),
        ("Monday", "", 0, set()),
        ("the US", "", 1, {"us"}),
        ("WHO", "", 0, {"who"}),
        ("IT", "", 0, {"it"}),
        ("it", "it", 0, set()),
        ("us", "we", 0, set()),
    ],
)
def test_pronouns_determiners_and_names(mention: str, pronoun: str, definite: int, names: set[str]) -> None:
    words = MentionWords.of(mention.split())
    assert (words.pronoun, words.definite, words.names) == (pronoun, definite, names)


def test_a_capital_at_the_beginning_of_a_sentence_makes_no_name() -> None:
    assert MentionWords.of(["Shares"], begins_sentence=True).names == set()
    assert MentionWords.of(["Shares"]).names == {"shares"}


def test_numerals_are_numbers() -> None:
    assert MentionWords.of(["twelve", "of", "$1,200", "or", "12%"]).numbers == {"12", "1200"}
    assert MentionWords.of(["one"]).numbers == set()


@pytest.mark.parametrize(
    ("one", "other", "conflict"),
    [
        ("2 million tonnes", "2 thousand tonnes", True),
        ("2 million tonnes", "2,000,000 tonnes", False),
        ("5 mln dlrs", "$5,000,000", False),
        ("two thousand people", "2,000 people", False),
        ("two dozen", "24", False),
        ("3.0 percent", "3 %", False),
        ("3.5 percent", "3 %", True),
        ("the protest march", "the June rally", False),
        ("the March rally", "the June rally", True),
        ("Theresa May", "the April visitor", False),
        ("early May", "early June", True),
        ("Monday May 5", "April 5", True),
        ("10 000 homes", "10,000 homes", False),
        ("10 000 homes", "25 000 homes", True),
        ("1,5 million", "1.5 million", False),
        ("10:30 am", "10.30 am", False),
        ("Chancellor Rohm", "Ida Rohm", False),
        ("Otto Rohm", "Ida Rohm", True),
        ("Ansel General Hospital", "St Brannoc Hospital", True),
        ("Memorial Hospital", "Harborview Memorial Hospital", False),
        ("Mercy Medical Center", "Lakeside Medical Center", True),
        ("Medical Center", "Lakeside Medical Center", False),
        ("the University of Leeds", "the city", True),
        ("the University of Leeds", "Leeds University", False),
        ("the Finnish prime minister", "the prime minister", False),
        ("the Finnish forest", "the Dutch forest", False),
        ("Halvard Museum", "Halvard Art Museum", False),
        ("Blue Mill Bridge", "Tower Bridge", True),
        ("Liam O'Brien", "Liam O’Brien", False),
        ("Luka Dončić", "Luka Doncic", False),
    ],
)
def test_amounts_and_months_that_differ(one: str, other: str, conflict: bool) -> None:
    stated_facts = [MentionWords.of(phrase.split()).stated for phrase in (one, other)]
    assert in_conflict(*stated_facts) is conflict
    assert in_conflict(*stated_facts[::-1]) is conflict


def test_what_is_no_decimal_number_is_as_it_was_written() -> None:
    assert adjacent_facts("3-1/2 mln", "tonnes").amounts == {"3-1/2 * 1000000"}
    assert MentionWords.of(["10:30", "and", "3/4"]).amounts == {"3/4"}
    assert MentionWords.of(["10.30", "am"]).amounts == MentionWords.of(["9", "p.m."]).amounts == set()
    assert MentionWords.of(["1986/87", "and", "1990"]).amounts == set()


@pytest.mark.parametrize(
    ("words", "amounts"),
    [
        ("over $2 . 6 million", {"2600000"}),
        ("1 , 000 , 000", {"1000000"}),
        ("9 , 000 . 5 %", {"9000.5"}),
        ("7 , 8 , 9", {"7", "8", "9"}),
        ("May 9 , 200 people", {"9", "200"}),
        ("in 2004 . 12 people", {"12"}),
        ("4 . people", {"4"}),
    ],
)
def test_numbers_that_are_divided_are_one(words: str, amounts: set[str]) -> None:
    assert MentionWords.of(words.split()).amounts == amounts


def test_a_number_before_a_mention_may_be_divided() -> None:
    assert adjacent_facts("some 20 , 000", "scientists").amounts == {"20000"}
    assert adjacent_facts("On May 9 , 200", "people").amounts == {"200"}


def test_what_stands_beside_a_pronoun_does_not_belong_to_it() -> None:
    beside = adjacent_facts("at 145.15", "here")
    assert MentionWords.of(["dollars"], beside=beside).stated.amounts == {"145.15"}
    assert not any(MentionWords.of(["here"], beside=beside).stated)


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("the two continents", "continents"),
        ("on Friday night", "Friday night"),
        ("at the harbour", "harbour"),
        ("on May 18 , 2006", "May 18 , 2006"),
        ("in June , which was cold", "June"),
        ("some 40 million euros", "euros"),
        ("about $ 40 million", "$ 40 million"),
        ("Mayor Dan Brown of Salem", "Mayor Dan Brown"),
        ("George W. Bush", "George W. Bush"),
        ("the Mazda Motor Co . Ltd . of Japan", "Mazda Motor Co . Ltd ."),
        ("the ferry 's owner", "owner"),
        ("the man who saw the man", "man"),
        ("it", "it"),
    ],
)
def test_where_the_head_stands_with_its_name_amount_or_date(phrase: str, expected: str) -> None:
    words = phrase.split()
    start, end = head_span(words)
    assert " ".join(words[start:end]) == expected
    assert head_span(words[start:end]) == (0, end - start)


def test_dates_and_relative_pronouns() -> None:
    assert [is_date(word) for word in ("Friday", "May", "may", "1998", "19")] == [True, True, False, True, False]
    assert [is_relative_pronoun(word) for word in ("Where", "who", "he")] == [True, True, False]


@pytest.mark.parametrize(
    ("sentence", "modifiers", "complements"),
    [
        ("He saw the old northern *city of London in May", {"old", "northern"}, {"london"}),
        ("John Smith 's old *house in the woods", {"smith", "old"}, {"wood"}),
        ("another *earthquake struck", set(), set()),
        ("Many southern *ports were closed", {"southern"}, set()),
        ("three armed *men", {"three", "arm"}, set()),
        ("The *president of the United States said", set(), {"unite", "state"}),
        ("and *ports", set(), set()),
        ("*ports", set(), set()),
    ],
)
def test_the_phrase_around_a_head(sentence: str, modifiers: set[str], complements: set[str]) -> None:
    words = sentence.split()
    start = next(place for place, word in enumerate(words) if word.startswith("*"))
    words[start] = words[start][1:]
    phrase = mention_facts(Document.from_sentences("d", [words]), Mention("d", (start,)), 0).phrase
    assert phrase.modifiers == modifiers
    assert phrase.complements == complements


@pytest.mark.parametrize(
    ("one", "other", "conflict"),
    [
        ("Sir Ben Hale", "she", True),
        ("Lord Hale", "her", True),
        ("Dame Judith Hale", "he", True),
        ("Duchess Anna", "him", True),
        ("Father Brown", "herself", True),
        ("Mother Agnes", "his", True),
        ("Congresswoman Diaz", "he", True),
        ("Monsieur Vidal", "Madame Vidal", True),
        ("Lord Hale", "he", False),
        ("Dr. Hale", "she", False),
        ("Count Hale", "she", False),
        ("the father", "she", True),
        ("the sister", "he", True),
        ("the king", "she", True),
        ("Dame Ann van der Berg", "he", True),
        ("Mr. van der Berg", "Ms. van der Berg", True),
        # Two people of one surname, and one person whose name is written in several ways.
        ("Jan van der Berg", "Piet van der Berg", True),
        ("Robert Hale , Jr.", "Robert Hale Sr.", True),
        ("Ann Hale-Smith", "Ben Hale-Smith", True),
        ("J. Hale", "Robert Hale", True),
        ("Le Pen", "Marine Le Pen", False),
        ("De Gaulle", "Charles de Gaulle", False),
        ("Robert Hale Jr.", "Robert Hale", False),
        ("J. Hale", "Jane Hale", False),
    ],
)
def test_titles_that_say_who_is_a_man_or_a_woman(one: str, other: str, conflict: bool) -> None:
    words = (MentionWords.of(mention.split()) for mention in (one, other))
    assert in_conflict(*(own.stated for own in words)) == conflict


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

"""What the parse says of mentions: their verb, what somebody is called beside a name, clauses and times."""

from __future__ import annotations

from datetime import date

import pytest

from cdcoref.corpus import ENTITY, EVENT, Corpus, Document, Mention
from cdcoref.facts import Period, looks_ahead, parse, syntax, times_in
from cdcoref.formats import tokenise_text
from cdcoref.language import MentionFacts, Syntax
from cdcoref.reading import Readings
from tests.tables import cases, rows_of


def syntax_of(text: str) -> list[Syntax]:
    """What the parse says of the mentions in brackets."""
    words = text.replace("[", "").replace("]", "").split()
    starts = [place for place, word in enumerate(text.split()) if word.startswith("[")]
    ends = [place for place, word in enumerate(text.split(), 1) if word.endswith("]")]
    (known,) = parse([Document.from_sentences("d", [words])])
    return [syntax(known, words, range(*span)) for span in zip(starts, ends, strict=True)]


@pytest.mark.parametrize(("text", "age", "nouns"), cases(__file__, "called.tsv", "age", "nouns"))
def test_what_somebody_is_called_beside_a_name(text: str, age: int, nouns: list[str]) -> None:
    (one,) = syntax_of(text)
    assert (one.age, {noun for _, noun in one.descriptions}) == (age, set(nouns))


@pytest.mark.parametrize(("text", "relatives", "another"), cases(__file__, "relatives.tsv", "relatives", "another"))
def test_whose_relative_somebody_is_and_who_else_has_the_name(
    text: str, relatives: list[tuple[int, str]], another: bool
) -> None:
    (one,) = syntax_of(text)
    assert ([list(relative) for relative in one.relatives], one.is_another) == (relatives, another)


@pytest.mark.parametrize(
    ("text", "roles"),
    [
        ("[Ann] thanked [Bo] .", ["subject", "object"]),
        ("[Bo] was thanked by [Ann] .", ["object", "subject"]),
        ("[Ann] met [Bo] and [Cleo] .", ["subject", "object", "object"]),
        ("[Ann] stood up and thanked [Bo] .", ["subject", "object"]),
        ("[Ann] slept in [Oslo] .", ["subject", "oblique"]),
    ],
)
def test_subjects_and_objects(text: str, roles: list[str]) -> None:
    found = syntax_of(text)
    assert [one.role for one in found] == roles
    assert len({one.verb for one in found if one.role}) == 1


@pytest.mark.parametrize(
    ("text", "antecedent"),
    [
        ("The [man] [who] left was tired .", True),
        ("They saw the [town] in [which] he lived .", True),
        ("The [guard] asked [who] left .", False),
    ],
)
def test_what_relative_pronouns_refer_to(text: str, antecedent: bool) -> None:
    noun, pronoun = syntax_of(text)
    assert pronoun.antecedent == (noun.head if antecedent else -1)


def test_possessors() -> None:
    peter, father, her, sister = syntax_of("[Peter] 's old [father] met [her] [sister] .")
    assert (father.possessor, sister.possessor) == (peter.head, her.head)
    assert (peter.possessor, her.possessor) == (-1, -1)


def facts_of(text: str, kind: str = ENTITY, *, hidden: bool = False) -> list[MentionFacts]:
    """The mentions in brackets of one sentence, the second of a document."""
    words = text.replace("[", "").replace("]", "").split()
    document = Document.from_sentences("d", [["First", "."], words], hidden=frozenset({1} if hidden else ()))
    starts = [place for place, word in enumerate(text.split(), 2) if word.startswith("[")]
    ends = [place for place, word in enumerate(text.split(), 3) if word.endswith("]")]
    mentions = [Mention("d", tuple(range(start, end)), kind) for start, end in zip(starts, ends, strict=True)]
    return list(Readings(Corpus((document,), tuple(mentions))).facts.mentions)


@pytest.mark.parametrize(("text", "expected"), cases(__file__, "two_things.tsv", "expected"))
def test_nouns_of_one_clause_are_two_things(text: str, expected: bool) -> None:
    one, other = facts_of(text)
    assert one.in_clause_with(other) is other.in_clause_with(one) is expected


def test_only_visible_entities_have_a_clause() -> None:
    text = "The [climber] watched his [brother] fall"
    assert [one.clause for one in facts_of(text)] == [4, 4]
    assert [one.clause for one in (*facts_of(text, EVENT), *facts_of(text, hidden=True))] == [-1] * 4


def test_a_mention_is_not_apart_from_what_it_holds() -> None:
    document = Document.from_sentences("d", [["a", "group", "of", "old", "farmers", "left"]])
    mentions = tuple(Mention("d", tokens, ENTITY) for tokens in ((0, 1, 2, 3, 4), (3, 4)))
    whole, part = Readings(Corpus((document,), mentions)).facts.mentions
    assert not whole.in_clause_with(part)


def test_every_expression_has_its_value() -> None:
    rows = rows_of(__file__, "times.tsv")
    documents = [tokenise_text(row["text"], str(number)) for number, row in enumerate(rows)]
    wrong = []
    for row, document, parsed in zip(rows, documents, parse(documents), strict=True):
        today = Period.of_day(date.fromisoformat(row["date"]))
        times = times_in(document.tokens, today, ahead=lambda token, parsed=parsed: looks_ahead(parsed, token))
        found = " ".join(str(one.period) for one in times if one.period is not None) or "-"
        if found != row["value"]:
            wrong.append((row["text"], row["value"], found))
    assert len(rows) >= 200
    assert not wrong


def test_of_a_document_without_a_day_only_the_weekday_is_known() -> None:
    (friday,) = times_in(["A", "bridge", "fell", "on", "Friday", "."], None)
    assert (friday.start, friday.end, friday.period, friday.weekday) == (4, 5, None, 4)


def test_a_text_without_a_year_counts_in_a_year_of_its_own() -> None:
    (day,) = times_in(["A", "bridge", "fell", "on", "August", "6", "."], None)
    assert str(day.period) == "XXXX-08-06"


def test_a_distance_waits_for_what_it_is_counted_from() -> None:
    distance, day = times_in(
        ["It", "left", "three", "days", "before", "the", "storm", "of", "3", "July", "2024", "."], None
    )
    assert (distance.days, distance.period, str(day.period)) == (-3, None, "2024-07-03")

"""Two people of one name, and things that have the name of somebody."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from cdcoref.corpus import ENTITY, Document, Mention
from cdcoref.language import MentionFacts, Syntax, mention_facts
from cdcoref.linking import numbered_people

NAME = ("ida", "rohm")


def mention(document: str, start: int, words: str, syntax: Syntax) -> MentionFacts:
    tokens = [*["then"] * start, *words.split()]
    place = tuple(range(start, len(tokens)))
    return mention_facts(
        Document.from_sentences(document, [tokens]), Mention(document, place, ENTITY), 0, syntax=syntax
    )


def numbers_of(*stated: tuple[str, int, str], pronouns: Sequence[tuple[int, int]] = ()) -> list[int]:
    """The number of whom each mention of a name means, 0 if one has it; of each its document, age and noun.

    `pronouns`: the mentions that a pronoun refers to beside which an age is stated.
    """
    facts = {
        number: mention(
            document, 10 * number, "Ida Rohm", Syntax(age=age, descriptions=((90 + number, noun),) if noun else ())
        )
        for number, (document, age, noun) in enumerate(stated)
    }
    of_pronouns = {n: [mention(facts[n].document, 99, "she", Syntax(age=age))] for n, age in pronouns}
    found = numbered_people(facts, dict.fromkeys(facts, NAME), of_pronouns)
    return [int(found[number][-1]) if number in found else 0 for number in facts]


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ([("a", 34, ""), ("a", 61, "")], [1, 2]),
        ([("a", 34, ""), ("a", 35, "")], [0, 0]),  # a birthday
        ([("a", 34, ""), ("a", 0, ""), ("a", 61, ""), ("a", 0, "")], [1, 1, 2, 2]),
        ([("a", 34, ""), ("b", 61, "")], [0, 0]),  # reports may be wrong
        ([("a", 34, "swimmer"), ("b", 61, "author")], [1, 2]),
        ([("a", 34, "swimmer"), ("b", 61, "swimmer")], [0, 0]),
        ([("a", 0, "nurse"), ("b", 0, "mayor")], [1, 2]),
        ([("a", 0, "nurse"), ("b", 0, "midwife")], [0, 0]),
        ([("a", 0, "nurse"), ("b", 0, "victim")], [0, 0]),
        ([("a", 34, "nurse"), ("b", 61, "mayor"), ("c", 0, "")], [1, 2, 1]),
    ],
)
def test_ages_and_jobs_tell_people_of_one_name_apart(stated: list[tuple[str, int, str]], expected: list[int]) -> None:
    assert numbers_of(*stated) == expected


def test_the_age_beside_a_pronoun_is_that_of_the_name() -> None:
    assert numbers_of(("a", 0, "nurse"), ("b", 61, "swimmer"), pronouns=[(0, 34)]) == [1, 2]


def test_a_noun_means_whom_it_was_said_of() -> None:
    facts = {
        0: mention("a", 0, "Ida Rohm", Syntax(age=34, descriptions=((3, "plumber"),))),
        1: mention("a", 3, "plumber", Syntax(head=3)),
        2: mention("a", 10, "Ida Rohm", Syntax(age=61, descriptions=((13, "surveyor"),))),
        3: mention("a", 20, "plumber", Syntax(head=20)),
        4: mention("a", 30, "surveyor", Syntax(head=30)),
        5: mention("a", 40, "driver", Syntax(head=40)),
    }
    found = numbered_people(facts, {0: NAME, 2: NAME}, {})
    assert {number: name[-1] for number, name in found.items()} == {0: "1", 1: "1", 2: "2", 3: "1", 4: "2"}

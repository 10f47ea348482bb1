"""Two people of one name, and things that have the name of somebody."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from types import FrameType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdcoref.corpus import ENTITY, Corpus, Document, Mention
from cdcoref.language import MentionFacts, Syntax, in_conflict, mention_facts
from cdcoref.linking import joined_by_name, numbered_people
from cdcoref.reading import Readings
from tests.tables import cases

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


@pytest.mark.parametrize(("stated", "expected"), cases(__file__, "homonyms.tsv", "stated", "expected"))
def test_ages_and_jobs_tell_people_of_one_name_apart(stated: list[tuple[str, int, str]], expected: list[int]) -> None:
    assert numbers_of(*stated) == expected


def test_the_age_beside_a_pronoun_is_that_of_the_name() -> None:
    assert numbers_of(("a", 0, "nurse"), ("b", 61, "swimmer"), pronouns=[(0, 34)]) == [1, 2]


def test_who_investigates_is_no_relative_of_the_victim() -> None:
    mother = Syntax(descriptions=((3, "mother"),), relatives=((5, "sr"),))
    apart = {0: "1", 1: "2"}
    for noun, numbers in (("detective", apart), ("mine inspector", apart), ("nurse", {})):
        facts = {
            0: mention("a", 0, "Ida Rohm", mother),
            1: mention("b", 0, "Ida Rohm", Syntax(descriptions=((3, noun),))),
        }
        found = numbered_people(facts, dict.fromkeys(facts, NAME), {})
        assert {number: name[-1] for number, name in found.items()} == numbers


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


NAMES = ["Anna Berg", "Berg", "Clara Berg", "Clara", "Norvale", "the mill", "Lund 1998", "Lund 2001", "Police"]


def story(id: str, *clusters: Sequence[str], text: str = "", kind: str = "entity") -> Corpus:
    """A story of one document, which mentions each phrase of each cluster in a sentence of its own."""
    sentences = [["said", *phrase.split()] for phrases in clusters for phrase in phrases]
    labels = [f"{id}{number}" for number, phrases in enumerate(clusters) for _ in phrases]
    document = Document.from_sentences(id, [*sentences, text.split() or ["."]])
    mentions = [
        Mention(id, tuple(range(start + 1, end)), kind, cluster=label)
        for (start, end), label in zip(document.sentences, labels, strict=False)
    ]
    return Corpus((document,), tuple(mentions))


def labels(*stories: Corpus) -> list[str | None]:
    """The labels of their clusters, in order, each once a story."""
    joined = joined_by_name([Readings(story) for story in stories])
    assert [one.documents for one in joined] == [one.documents for one in stories]
    return [label for one in joined for label in dict.fromkeys(mention.cluster for mention in one.mentions)]


@pytest.mark.parametrize(("one", "other", "same"), cases(__file__, "names_across.tsv", "one", "other", "same"))
def test_which_clusters_become_one(one: list[str], other: list[str], same: bool) -> None:
    assert labels(story("a", one), story("b", other)) == ["a0", "a0" if same else "b0"]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Anna Berg , 34 , a swimmer , left .", "Anna Berg , 61 , an author , left .", False),
        ("Anna Berg , 34 , a swimmer , left .", "Anna Berg , 61 , left .", False),
        ("Anna Berg , 34 , a swimmer , left .", "Anna Berg , 45 , left .", True),
        ("Anna Berg , a nurse , left .", "Anna Berg , a detective , left .", False),
        ("Anna Berg , a nurse , left .", "Anna Berg , a victim , left .", True),
    ],
)
def test_people_of_one_name_in_two_stories(one: str, other: str, same: bool) -> None:
    stories = [
        Corpus((Document.from_sentences(id, [text.split()]),), (Mention(id, (0, 1), "entity", cluster=f"{id}0"),))
        for id, text in (("a", one), ("b", other))
    ]
    assert labels(*stories) == ["a0", "a0" if same else "b0"]


def test_each_two_of_many_stories_are_compared_once() -> None:
    compared = 0

    def count(frame: FrameType, event: str, _: object) -> None:
        nonlocal compared
        compared += event == "call" and frame.f_code is in_conflict.__code__

    stories = [story(f"s{number}-", ["Anna Berg"]) for number in range(20)]
    before = sys.getprofile()
    sys.setprofile(count)
    try:
        found = labels(*stories)
    finally:
        sys.setprofile(before)
    assert found == ["s0-0"] * 20
    assert 0 < compared <= 20 * 20


def test_a_single_word_that_a_story_writes_in_lower_case_is_no_name() -> None:
    assert labels(story("a", ["Police"]), story("b", ["Police"])) == ["a0", "a0"]
    assert labels(story("a", ["Police"], text="the police came"), story("b", ["Police"])) == ["a0", "b0"]
    assert labels(story("a", ["White House"], text="a white house"), story("b", ["White House"])) == ["a0", "a0"]


def test_a_single_word_that_begins_a_sentence_is_no_name() -> None:
    documents = [Document.from_sentences(id, [["Norvale", "grew"]]) for id in "ab"]
    stories = [Corpus((d,), (Mention(d.id, (0,), "entity", cluster=d.id),)) for d in documents]
    assert labels(*stories) == ["a", "b"]


def test_a_name_that_two_clusters_of_a_story_bear_joins_neither() -> None:
    twice = story("b", ["Anna Berg"], ["Anna Berg", "Clara"])
    assert labels(story("a", ["Anna Berg"]), twice, story("c", ["Anna Berg"])) == ["a0", "b0", "b1", "a0"]


def test_clusters_of_a_story_stay_apart() -> None:
    """Even if a cluster of another story bears the names of both; then all three do."""
    assert labels(story("a", ["Anna Berg"], ["Clara Holm"]), story("b", ["Anna Berg", "Clara Holm"])) == [
        *("a0", "a1"),
        "b0",
    ]


def test_events_are_not_joined() -> None:
    assert labels(story("a", ["World Cup"], kind="event"), story("b", ["World Cup"], kind="event")) == ["a0", "b0"]


@given(st.lists(st.lists(st.lists(st.sampled_from(NAMES), min_size=1, max_size=3), max_size=3), max_size=4), st.data())
def test_the_order_of_stories_does_not_matter(clusters: list[list[list[str]]], data: st.DataObject) -> None:
    """No two clusters of a story become one, and what is one is so in every order."""
    stories = [story(f"s{number}.", *own) for number, own in enumerate(clusters)]
    joined = joined_by_name([Readings(story) for story in stories])
    for before, after in zip(stories, joined, strict=True):
        assert len({m.cluster for m in before.mentions}) == len({m.cluster for m in after.mentions})

    def partition(corpora: Sequence[Corpus]) -> set[frozenset[tuple[str, tuple[int, ...]]]]:
        mentions = [m for corpus in corpora for m in corpus.mentions]
        return {
            frozenset((m.document, m.tokens) for m in mentions if m.cluster == label)
            for label in {m.cluster for m in mentions}
        }

    assert partition(joined_by_name([Readings(story) for story in data.draw(st.permutations(stories))])) == partition(
        joined
    )

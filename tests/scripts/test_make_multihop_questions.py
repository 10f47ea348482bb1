"""The generated questions: each can be answered from its facts, in one way, and dev's names are not in train."""

from __future__ import annotations

import re
from collections.abc import Callable
from types import ModuleType

import pytest

from cdlm.tasks import Question, read_questions


@pytest.fixture(scope="module")
def script(load_script: Callable[[str], ModuleType]) -> ModuleType:
    return load_script("make_multihop_questions")


@pytest.fixture(scope="module")
def splits(script: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> tuple[tuple[Question, ...], ...]:
    folder = tmp_path_factory.mktemp("multihop")
    script.make_sets(folder, 96, 40, seed=1)
    return tuple(read_questions(folder / f"{name}.json", answered=True).questions for name in ("train", "dev"))


def births(question: Question) -> dict[str, tuple[str, int]]:
    """Town and year of birth of every person of a world, read from its sentences."""
    found = {}
    for paragraph in question.paragraphs:
        for sentence in paragraph.sentences:
            match = re.match(r"(\w+) was born in (\w+) in (\d+)\.", sentence)
            other = re.match(r"(\w+), born in (\d+), came from (\w+)\.", sentence)
            if match:
                found[paragraph.title] = (match[2], int(match[3]))
            elif other:
                found[paragraph.title] = (other[3], int(other[2]))
            if match or other:
                assert paragraph.title.endswith(" " + (match or other)[1])  # type: ignore[index]
    return found


def makers(question: Question) -> dict[str, str]:
    """The person behind each work of a world, read from its sentences."""
    found = {}
    for paragraph in question.paragraphs:
        for sentence in paragraph.sentences:
            match = re.fullmatch(
                r"(?:It was (?:directed|founded) by )?(\w+ \w+)(?: was its (?:director|founder))?\.", sentence
            )
            if match and paragraph.title not in births(question) and not sentence.startswith(("It is", "It opened")):
                found[paragraph.title] = match[1]
    return found


def test_answers_follow_from_the_facts(splits: tuple[tuple[Question, ...], ...]) -> None:
    for question in (*splits[0], *splits[1]):
        people, works = births(question), makers(question)
        assert len(people) == len(works) == 2
        sentences = {p.title: p.sentences for p in question.paragraphs}
        assert len(sentences) == 4
        facts = [sentences[title][number] for title, number in question.facts or ()]
        titles = [title for title, _ in question.facts or ()]
        if question.type == "bridge":
            asked = re.fullmatch(r"In which (town|year) was the (\w+) of (.+) born\?", question.text)
            assert asked is not None
            maker = works[asked[3]]
            assert titles == [asked[3], maker]
            assert maker in facts[0]
            assert question.answer == str(people[maker][asked[1] == "year"])
        else:
            compared = [name for name in people if name in question.text]
            assert sorted(titles) == sorted(compared)
            assert len(compared) == 2
            assert all(people[title][0] in fact for title, fact in zip(titles, facts, strict=True))
            one, other = (people[name] for name in compared)
            if question.text.startswith("Who"):
                assert question.answer == min(compared, key=lambda name: people[name][1])
                assert one[1] != other[1]
            else:
                assert question.answer == ("yes" if one[0] == other[0] else "no")

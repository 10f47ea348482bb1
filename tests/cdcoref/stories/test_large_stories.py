"""Stories stay whole however large they are, and apart however many: synthetic news with known stories.

A document is drawn from the words of its story (names and topic words, the first of each the most frequent) and from a
background that all stories share, both as frequent as words of news are (Zipf's law).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from cdcoref.corpus import Document
from cdcoref.stories import group_documents

CONSONANTS, VOWELS = "bcdfghjklmnprstvz", "aeiou"
SENTENCE = 20


class World:
    """Words that nobody uses twice, and documents made of them."""

    def __init__(self, seed: int, background: int = 8000) -> None:
        self._rng = np.random.default_rng(seed)
        self._used: set[str] = set()
        self._background = np.array(self._words(background))
        self._frequency = self._zipf(background, 10)

    @staticmethod
    def _zipf(count: int, start: int = 1) -> np.ndarray:
        weights = 1 / np.arange(start, start + count)
        return weights / weights.sum()

    def _words(self, count: int) -> list[str]:
        words: list[str] = []
        while len(words) < count:
            syllables = self._rng.integers(2, 5)
            word = "".join(
                self._rng.choice(list(CONSONANTS)) + self._rng.choice(list(VOWELS)) for _ in range(syllables)
            )
            if word not in self._used:
                self._used.add(word)
                words.append(word)
        return words

    def story(self, name: str, documents: int) -> list[Document]:
        """Documents of one story: an eighth of their words are its names, a sixth its topic words."""
        names = np.array([word.capitalize() for word in self._words(40)])
        topic = np.array(self._words(80))
        made = []
        for number in range(documents):
            length = int(self._rng.integers(60, 400))
            drawn = self._rng.random(length)
            words = np.where(
                drawn < 0.12,
                self._rng.choice(names, length, p=self._zipf(40)),
                np.where(
                    drawn < 0.3,
                    self._rng.choice(topic, length, p=self._zipf(80)),
                    self._rng.choice(self._background, length, p=self._frequency),
                ),
            ).tolist()
            sentences = [words[start : start + SENTENCE] for start in range(0, length, SENTENCE)]
            made.append(Document.from_sentences(f"{name}-{number:04}", sentences, subtopic=name))
        return made


def found(documents: Sequence[Document]) -> set[frozenset[str]]:
    return {frozenset(group) for group in group_documents(documents)}


def told(documents: Sequence[Document]) -> set[frozenset[str]]:
    return {frozenset(group) for group in group_documents(documents, "gold_subtopic")}


@pytest.fixture(scope="module")
def world() -> World:
    return World(1)


@pytest.mark.parametrize("size", [2, 10, 40, 160])
def test_two_stories_of_any_size_stay_two(world: World, size: int) -> None:
    documents = world.story(f"one{size}", size) + world.story(f"other{size}", size)
    assert found(documents) == told(documents)


def test_a_story_of_many_documents_stays_one(world: World) -> None:
    documents = world.story("large", 250) + world.story("small", 3)
    assert found(documents) == told(documents)


def test_stories_of_very_different_sizes_stay_apart(world: World) -> None:
    sizes = [2, 3, 3, 4, 5, 6, 8, 10, 12, 15, 18, 20, 25, 30, 40, 60]
    documents = [d for number, size in enumerate(sizes) for d in world.story(f"mixed{number}", size)]
    groups, stories = found(documents), told(documents)
    assert len(groups & stories) >= len(stories) - 1


def test_what_no_other_document_tells_is_a_story_of_its_own(world: World) -> None:
    documents = [d for number in range(30) for d in world.story(f"single{number}", 1)]
    assert found(documents) == told(documents)


def test_the_order_of_the_documents_does_not_matter(world: World) -> None:
    documents = world.story("a", 12) + world.story("b", 7) + world.story("c", 1)
    mixed = [documents[n] for n in np.random.default_rng(2).permutation(len(documents))]
    assert found(documents) == found(mixed)

"""Clusters under corrections: every one is obeyed, nothing else changes, contradictions are found."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from cdcoref.collection import Collection
from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.errors import InputError

NOUNS = ("pilot", "sailor", "cook", "clerk", "guard", "nurse", "judge", "tailor", "baker")
SAME, OTHER = 4.0, -4.0
Pairs = dict[tuple[int, int], float]
Clusters = list[set[int]]


class Linked:
    """A collection of one document, whose mentions are known by their numbers."""

    def __init__(self, collection: Collection) -> None:
        self.collection = collection
        (document,) = collection.documents()
        self._ids = [mention.id for mention in collection.document(document.id).mentions]

    def correct(self, action: Any, *mentions: int) -> None:
        self.collection.correct(action, [self._ids[number] for number in mentions])

    def move(self, mention: int, other: int) -> None:
        cluster = self.collection.mention(self._ids[other]).cluster
        assert cluster is not None
        self.collection.correct("move", [self._ids[mention], cluster])

    def clusters(self) -> Clusters:
        """The clusters, each as the numbers of its mentions, in the order of the first."""
        found: dict[str | None, set[int]] = {}
        for number, id in enumerate(self._ids):
            found.setdefault(self.collection.mention(id).cluster, set()).add(number)
        return list(found.values())


@pytest.fixture
def linked(written: Any, path: Path) -> Callable[..., Linked]:
    """Makes a collection of mentions with these words that a model compared with these logits."""

    def make(words: tuple[str, ...], logits: Pairs, **options: Any) -> Linked:
        document = Document.from_sentences("d", [["The", word, "left", "."] for word in words])
        mentions = tuple(Mention("d", (4 * number + 1,), "entity") for number in range(len(words)))
        written.with_logits(path, Corpus((document,), mentions), {("d", "d"): logits}, **options)
        return Linked(Collection.open(path))

    return make


def of_labels(labels: str) -> tuple[tuple[str, ...], Pairs]:
    """Mentions that are clustered with those of the same label, and their logits."""
    pairs = combinations(range(len(labels)), 2)
    return NOUNS[: len(labels)], {(a, b): SAME if labels[a] == labels[b] else OTHER for a, b in pairs}


def joined(pairs: list[tuple[int, int]]) -> Clusters:
    """The mentions that are together because of must-links alone."""
    found = [{n} for n in range(len(NOUNS))]
    for a, b in pairs:
        blocks = [block for block in found if a in block or b in block]
        found = [block for block in found if block not in blocks] + [set.union(*blocks)]
    return found


@pytest.mark.parametrize("seed", range(6))
def test_corrections_are_obeyed_or_contradict(linked: Callable[..., Linked], seed: int) -> None:
    chance = random.Random(seed)
    labels = "".join(chance.choices("0123", k=len(NOUNS)))
    words, logits = of_labels(labels)
    found = linked(words, {pair: logit + chance.uniform(-1, 1) for pair, logit in logits.items()})
    before = found.clusters()
    assert before == list({label: {n for n, own in enumerate(labels) if own == label} for label in labels}.values())
    said: dict[str, list[tuple[int, int]]] = {"same": [], "not-same": []}
    for _ in range(6):
        action = chance.choice(list(said))
        one, other = chance.sample(range(len(NOUNS)), 2)
        together = said["same"] + [(one, other)] * (action == "same")
        apart = said["not-same"] + [(one, other)] * (action == "not-same")
        if any({a, b} <= block for a, b in apart for block in joined(together)):
            with pytest.raises(InputError, match="contradicts"):
                found.correct(action, one, other)
            continue
        found.correct(action, one, other)
        said[action].append((one, other))
        clusters = found.clusters()
        assert all(any({a, b} <= cluster for cluster in clusters) for a, b in said["same"])
        assert not any({a, b} <= cluster for cluster in clusters for a, b in said["not-same"])
        # Clusters about which nothing was said are as they were.
        corrected = {n for pairs in said.values() for pair in pairs for n in pair}
        assert all(cluster in clusters for cluster in before if not cluster & corrected)


DIVIDED = {(0, 1): 2.2, (0, 2): -2.2, (0, 3): -1.4, (1, 2): -2.2, (1, 3): -0.8, (2, 3): 1.4}
PRONOUNS = {(0, 1): 2.2, (0, 2): 0.0, (0, 3): 0.0, (1, 2): 0.0, (1, 3): 0.4, (2, 3): 1.4}
PRONOUNS |= {(0, 4): 6.0, (4, 5): 6.0, (2, 6): 6.0}
"""Mentions 0 and 1 resemble 2 and 3; the pronouns 4, 5 and 6 refer to 0, to 4 and to 2."""
WITH_PRONOUNS = ((*NOUNS[:4], "he", "he", "he"), PRONOUNS, 0.1, [{0, 1, 2, 3, 4, 5, 6}])
DRAWN = {(0, 1): 2.2, (0, 2): -2.2, (1, 2): 1.4, **{(n, 3): -9.0 for n in range(3)}}


@pytest.mark.parametrize(
    ("words", "logits", "threshold", "before", "corrections", "after"),
    [
        # A cluster is divided into as few parts as it takes; clusters of what is the same become one whole.
        (NOUNS[:4], DIVIDED, 0.01, [{0, 1, 2, 3}], ["not-same 0 2"], [{0, 1}, {2, 3}]),
        (*of_labels("00112"), None, [{0, 1}, {2, 3}, {4}], ["same 1 2"], [{0, 1, 2, 3}, {4}]),
        # A pronoun goes with its antecedent and does not count.
        (*WITH_PRONOUNS, ["not-same 0 2"], [{0, 1, 4, 5}, {2, 3, 6}]),
        # People said that a pronoun is not what it refers to: it is alone, with the pronoun that refers to it.
        (*WITH_PRONOUNS, ["not-same 4 0"], [{0, 1, 2, 3, 6}, {4, 5}]),
        # Of a split everything else stays where it was, the pronouns too.
        (*WITH_PRONOUNS, ["split 0 1"], [{0, 1}, {2, 3, 4, 5, 6}]),
        # A mention moves alone.
        (*of_labels("000112"), None, [{0, 1, 2}, {3, 4}, {5}], ["move 0 3"], [{0, 3, 4}, {1, 2}, {5}]),
        # 2 is not 0. That 1 then goes to 3 says nothing of 2, which resembles 1.
        (NOUNS[:4], DRAWN, 0.01, [{0, 1, 2}, {3}], ["not-same 0 2", "move 1 3"], [{0}, {1, 3}, {2}]),
    ],
)
def test_clusters_obey(
    linked: Callable[..., Linked],
    words: tuple[str, ...],
    logits: Pairs,
    threshold: float | None,
    before: Clusters,
    corrections: list[str],
    after: Clusters,
) -> None:
    found = linked(words, logits, threshold=threshold)
    assert found.clusters() == before
    for correction in corrections:
        action, *mentions = correction.split()
        correct = found.move if action == "move" else partial(found.correct, action)
        correct(*map(int, mentions))
    assert found.clusters() == after

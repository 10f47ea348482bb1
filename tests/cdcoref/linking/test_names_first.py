"""Names come before what a model says: surnames, titles and full names, and what two people of one surname are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import pytest

from cdcoref.corpus import KINDS, Corpus, Document, Mention
from cdcoref.linking import KindClusters, PairLogits
from cdcoref.model import CorefConfig
from cdcoref.reading import Readings
from tests.tables import cases, rows_of


def mentions_in(*texts: str) -> Corpus:
    """A document for each text; mentions are in brackets."""
    documents, mentions = [], []
    for number, text in enumerate(texts):
        tokens: list[str] = []
        starts: list[int] = []
        own: list[tuple[int, int]] = []
        for word in text.split():
            if word == "[":
                starts.append(len(tokens))
            elif word == "]":
                own.append((starts.pop(), len(tokens)))
            else:
                tokens.append(word)
        ends = [place + 1 for place, token in enumerate(tokens) if token == "."] or [len(tokens)]
        sentences = [tokens[start:end] for start, end in zip([0, *ends], ends, strict=False)]
        documents.append(Document.from_sentences(f"d{number}", sentences))
        mentions += [Mention(f"d{number}", tuple(range(*span)), "entity") for span in own]
    return Corpus(tuple(documents), tuple(mentions))


def clustered(scores: Mapping[tuple[int, int], float], *texts: str) -> list[int]:
    """The cluster of every mention, given the probabilities of some pairs."""
    corpus = mentions_in(*texts)
    pairs = np.array(list(scores), dtype=np.int64).reshape(-1, 2)
    values = np.array(list(scores.values()))
    logits = np.log(values / (1 - values)).astype(np.float32)
    kinds = np.full(len(pairs), KINDS.index("entity"))
    known = PairLogits(len(corpus.mentions), pairs[:, 0], pairs[:, 1], kinds, logits)
    labels: list[int] = KindClusters(Readings(corpus), known, "entity", CorefConfig()).cut(0.5).tolist()
    return labels


def same(names: Sequence[object]) -> list[int]:
    """The first place of every name; mentions without one are alone."""
    return [names.index(name) if name != "" else place for place, name in enumerate(names)]


def test_a_surname_is_the_full_name_that_it_can_belong_to() -> None:
    """`surnames.tsv` has the name of every mention; by that alone they are one, whatever a model says."""
    for row in rows_of(__file__, "surnames.tsv"):
        names = [name.strip("-") for name in row["names"].split("; ")]
        assert same(clustered({}, *row["texts"].split(" || "))) == same(names), row


@pytest.mark.parametrize(("text", "expected"), cases(__file__, "offices.tsv"))
def test_an_office_is_the_one_name_that_has_it_as_a_title(text: str, expected: str) -> None:
    labels = clustered({}, text)
    place = 0 if text.startswith("The [") else 2
    holders = [n for n in range(len(labels)) if n != place and labels[n] == labels[place]]
    assert holders == ([0] if expected else [])  # whose name stands first


def test_clusters_of_one_full_name_become_one() -> None:
    texts = ("[ Ann Keller ] left with [ her dog ] .", "[ Ann Keller ] fell . [ Keller ] left with [ the dancer ] .")
    assert same(clustered({}, *texts)) == [0, 1, 0, 0, 4]
    assert same(clustered({(0, 1): 0.9, (3, 4): 0.9}, *texts)) == [0, 0, 0, 0, 0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # The amounts exclude each other: of the first name and of the towns.
        ("Then 2 [ Ann Keller ] met [ a guard ] . [ Keller ] sued 3 [ towns ] .", [0, 1, 0, 3]),
        # Of the two names themselves.
        ("Then 2 [ Ann Keller ] met [ a guard ] . Then 3 [ Keller ] left with [ towns ] .", [0, 1, 2, 2]),
    ],
)
def test_a_cluster_in_conflict_gives_up_the_mention_alone(text: str, expected: list[int]) -> None:
    assert same(clustered({(2, 3): 0.9}, text)) == expected


@pytest.mark.parametrize(("text", "expected"), [("Then [ Ernst Holm GmbH ] shrank . [ Ernst Holm ] wept .", [0, 1])])
def test_names_and_nouns_tell_two_apart_whatever_a_model_says(text: str, expected: list[int]) -> None:
    pairs = combinations(range(text.count("[")), 2)
    assert same(clustered(dict.fromkeys(pairs, 0.9), text)) == expected

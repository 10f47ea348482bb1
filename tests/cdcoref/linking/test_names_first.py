"""Names come before what a model says: surnames, titles and full names, and what two people of one surname are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from cdcoref.corpus import KINDS, Corpus, Document, Mention
from cdcoref.linking import KindClusters, PairLogits
from cdcoref.model import CorefConfig
from cdcoref.reading import Readings


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


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["[ Paula Reyes ] left . [ Reyes ] fell ."], ["paula reyes", "paula reyes"]),
        (["We saw [ Ms. Reyes ] . [ Paula Reyes ] fell ."], ["paula reyes", "paula reyes"]),
        # A second person of the name comes later: the surname before can only be the first one's.
        (["[ Ann Keller ] left . [ Keller ] fell . [ Bo Keller ] rose ."], ["ann keller", "ann keller", "bo keller"]),
        (["[ Ann Keller ] met [ Bo Keller ] . Then [ Keller ] fell ."], ["ann keller", "bo keller", ""]),
        # A title decides.
        (
            ["[ Mayor Ann Keller ] met [ Bo Keller ] . Then [ Mayor Keller ] fell ."],
            ["ann keller", "bo keller", "ann keller"],
        ),
        (
            ["[ Anne Keller ] met [ Boris Keller ] . Then [ Mr. Keller ] fell ."],
            ["anne keller", "boris keller", "boris keller"],
        ),
        (
            ["[ Bo Keller ] sang . [ Al Keller ] , once minister , left . Then [ Minister Keller ] fell ."],
            ["bo keller", "al keller", "al keller"],
        ),
        # Of another document, if one person of the story has the name.
        (["[ Ann Keller ] left .", "Then [ Keller ] fell ."], ["ann keller", "ann keller"]),
        (["[ Ann Keller ] met [ Bo Keller ] .", "Then [ Keller ] fell ."], ["ann keller", "bo keller", ""]),
        # A title that one of them has in another document decides before the only name of the own one.
        (
            ["[ Ann Keller ] left . Then [ President Keller ] fell .", "[ President Bo Keller ] rose ."],
            ["ann keller", "bo keller", "bo keller"],
        ),
        # Before all names of the document, what stands before one of them in the story.
        (
            [
                "union leader [ Bo Keller ] met [ Ann Keller ] .",
                "[ Keller ] , the union leader , left [ Ann Keller ] .",
            ],
            ["bo keller", "ann keller", "bo keller", "ann keller"],
        ),
        # A surname that is a common word.
        (
            ["[ George Bell ] met [ President Nina Bell ] there . Then [ President Bell ] fell ."],
            ["george bell", "nina bell", "nina bell"],
        ),
        (["[ Chief Justice Ann Keller ] left . [ Chief Justice Keller ] fell ."], ["ann keller", "ann keller"]),
        # An organisation has the name too.
        (["[ Keller Holdings ] sank . [ Keller ] met [ Ann Keller ] ."], ["keller holdings", "", "ann keller"]),
        (
            ["[ Keller Holdings ] sank . At [ Keller ] , [ Ann Keller ] rose . [ Ms. Keller ] left [ Keller ] ."],
            ["keller holdings", "", "ann keller", "ann keller", ""],
        ),
        (
            ["[ Keller Holdings ] hired [ Ann Keller ] .", "Shares of [ Keller ] rose . So did [ Ms. Keller ] ."],
            ["keller holdings", "ann keller", "", "ann keller"],
        ),
        # Particles, hyphens, and father and son.
        (["[ Jan van der Berg ] left . Then [ Van der Berg ] fell ."], ["jan berg", "jan berg"]),
        (["[ Eve Le Pen ] left . Then [ Mrs. Le Pen ] sang for [ Le Pen ] ."], ["eve pen", "eve pen", "eve pen"]),
        (["[ Ann Hale-Reyes ] left . Then [ Hale-Reyes ] fell ."], ["ann hale-reyes", "ann hale-reyes"]),
        (
            ["[ Bo Keller Sr. ] met [ Bo Keller Jr. ] . There [ Keller Jr. ] fell ."],
            ["bo keller sr", "bo keller jr", "bo keller jr"],
        ),
        (["[ Bo Keller ] met [ Bo Keller , Jr. ] there ."], ["bo keller", "bo keller jr"]),
        (["[ Bo Keller Jr. ] left . Then [ Keller ] fell ."], ["bo keller", "bo keller"]),
        (
            ["[ Keller Holdings ] hired [ Ann Keller ] . [ Keller ] left ."],
            ["keller holdings", "ann keller", "ann keller"],
        ),
        # What is no surname.
        (["[ White House ] aides saw the [ House ] vote ."], ["white house", ""]),
        (["In [ South Africa ] and in [ Africa ] it rained ."], ["", ""]),
        (["[ Ford Motors ] and [ General Motors ] merge ."], ["ford motors", ""]),
    ],
)
def test_a_surname_is_the_full_name_that_it_can_belong_to(texts: Sequence[str], expected: Sequence[str]) -> None:
    """By that alone they are one, whatever a model says."""
    assert same(clustered({}, *texts)) == same(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[ Captain Ruth Lang ] sat with [ Jan Beck ] . The [ captain ] slept .", "ruth lang"),
        (
            "Finance Minister [ Olga Brandt ] met [ Minister Pavel Rusk ] . The finance [ minister ] left .",
            "olga brandt",
        ),
        ("Finance Minister [ Olga Brandt ] met [ Minister Pavel Rusk ] . The [ minister ] left .", ""),
        ("[ Captain Ruth Lang ] sat with [ Captain Jan Beck ] . The [ captain ] slept .", ""),
        ("[ Captain Ruth Lang ] sat with [ Jan Beck ] . A [ captain ] slept .", ""),
        ("[ Captain Ruth Lang ] sat with [ Jan Beck ] . The [ captains ] slept .", ""),
        ("[ Captain Ruth Lang ] sat with [ Jan Beck ] . The other [ captain ] slept .", ""),
        ("The [ captain ] slept . [ Captain Ruth Lang ] sat with [ Jan Beck ] .", ""),
    ],
)
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

"""No cluster names two different years, amounts, weekdays, months or full names, in mentions or right before them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdcoref.circumstances import AGREEMENT
from cdcoref.corpus import KINDS, Corpus, Document, Mention
from cdcoref.language import MentionWords, in_conflict
from cdcoref.linking import KindClusters, PairLogits, cluster_mentions
from cdcoref.model import CorefConfig
from cdcoref.reading import Readings
from tests.tables import cases

VALUES = [
    *("the sinking", "1998", "the 1998 sinking", "2001", "12 people", "20 people", "people"),
    *("Monday", "Tuesday night", "May", "Monday , May 3 , 1998"),
]


def clustered(
    phrases: list[str], scores: Mapping[tuple[int, int], float], kind: str = "entity", threshold: float = 1.5
) -> list[list[int]]:
    """The clusters of phrases, each in a document of its own, with these scores; all are one but for conflicts.

    In a text with brackets the phrase is what is between them.
    """
    documents, mentions = [], []
    for number, phrase in enumerate(phrases):
        before, _, rest = (phrase if "[" in phrase else f"then [ {phrase} ] .").partition("[")
        own, _, after = rest.partition("]")
        documents.append(Document.from_sentences(f"2024-05-16_{number}", [f"{before} {own} {after}".split()]))
        start = len(before.split())
        mentions.append(Mention(documents[-1].id, tuple(range(start, start + len(own.split()))), kind))
    pairs = np.array(list(scores), dtype=np.int64)
    probabilities = np.array(list(scores.values()))
    logits = np.log(probabilities / (1 - probabilities)).astype(np.float32)
    kinds = np.full(len(pairs), KINDS.index(kind))
    known = PairLogits(len(phrases), pairs[:, 0], pairs[:, 1], kinds, logits)
    settings = CorefConfig()
    labels = (
        KindClusters(Readings(Corpus(tuple(documents), tuple(mentions))), known, kind, settings).cut(threshold).tolist()
    )
    return [[n for n, label in enumerate(labels) if label == one] for one in dict.fromkeys(labels)]


def words(phrase: str) -> MentionWords:
    return MentionWords.of(phrase.split())


@pytest.mark.parametrize(("kind", "apart"), [("entity", True), ("event", False)])
def test_entities_with_different_amounts_before_them_are_apart(kind: str, apart: bool) -> None:
    """However probable it is that they corefer."""
    sentences = [f"They sold {amount} tonnes".split() for amount in ("700,000", "200,000", "700,000")]
    document = Document.from_sentences("d", sentences)
    mentions = tuple(Mention("d", (place,), kind) for place in (3, 7, 11))
    first, second = np.triu_indices(3, 1)
    kinds = np.full(3, KINDS.index(kind))
    logits = PairLogits(3, first, second, kinds, np.full(3, 4.0, dtype=np.float32))
    one, other, again = cluster_mentions(Readings(Corpus((document,), mentions)), logits, CorefConfig()).mentions
    assert one.cluster == again.cluster
    assert (one.cluster != other.cluster) is apart


def test_a_cluster_is_divided_among_its_values() -> None:
    scores = {(0, 2): 0.3, (1, 2): 0.6, (0, 3): 0.9, (0, 4): 0.5, (3, 4): 0.4, (1, 4): 0.4}
    phrases = ["the 1998 sinking", "the 2001 sinking", "the sinking", "1998", "it"]
    assert clustered(phrases, scores) == [[0, 3, 4], [1, 2]]


def test_what_names_no_value_stays_together_when_a_cluster_is_divided() -> None:
    """It goes as a whole with that to which it is nearer; parts that agree become one again."""
    phrases = ["the 1998 sinking", "sinking", "ferry", "the ferry", "the 2001 sinking", "in 1998"]
    scores = {(1, 4): 0.9, (2, 4): 0.1, (3, 4): 0.1, (0, 1): 0.3, (0, 2): 0.3, (0, 3): 0.3, (0, 5): 0.2, (1, 5): 0.3}
    assert clustered(phrases, dict.fromkeys([(1, 2), (1, 3), (2, 3)], 0.99) | scores) == [[0, 5], [1, 2, 3, 4]]


@given(st.lists(st.sampled_from(VALUES), min_size=2, max_size=9), st.randoms(use_true_random=False))
def test_parts_of_a_cluster_are_without_conflict_and_no_two_of_them_are(phrases: list[str], chance: Random) -> None:
    scores = {pair: chance.randrange(1, 10**6) / 10**6 for pair in combinations(range(len(phrases)), 2)}
    parts = clustered(phrases, scores)

    def conflict(one: list[int], other: list[int]) -> bool:
        return any(in_conflict(words(phrases[a]).stated, words(phrases[b]).stated) for a in one for b in other)

    assert sorted(member for part in parts for member in part) == list(range(len(phrases)))
    assert not any(conflict(part, part) for part in parts)
    assert all(conflict(one, other) for one, other in combinations(parts, 2))


@pytest.mark.parametrize(
    ("sentences", "mentions", "expected"), cases(__file__, "possessors.tsv", "mentions", "expected")
)
def test_possessors_of_clauses_are_apart(sentences: str, mentions: list[list[int]], expected: list[list[int]]) -> None:
    document = Document.from_sentences("d", [sentence.split() for sentence in sentences.split(" | ")])
    corpus = Corpus((document,), tuple(Mention("d", tuple(tokens), "entity") for tokens in mentions))
    first, second = np.triu_indices(len(mentions), 1)
    everything = np.full(len(first), 4.0, dtype=np.float32)
    logits = PairLogits(len(mentions), first, second, np.full(len(first), KINDS.index("entity")), everything)
    found: dict[str | None, list[int]] = {}
    for number, mention in enumerate(cluster_mentions(Readings(corpus), logits, CorefConfig()).mentions):
        found.setdefault(mention.cluster, []).append(number)
    assert list(found.values()) == expected


@pytest.mark.parametrize(("town", "same"), [("Oslo", True), ("Lima", False)])
def test_nouns_of_two_places_are_one_less_easily(town: str, same: bool) -> None:
    texts = {"one": "Thieves hurt the guard in Oslo .", "other": f"Thieves hurt the guard in {town} ."}
    documents = tuple(Document.from_sentences(id, [text.split()]) for id, text in texts.items())
    corpus = Corpus(documents, tuple(Mention(document.id, (3,), "entity") for document in documents))
    pair = np.array([0]), np.array([1]), np.array([KINDS.index("entity")])
    logits = PairLogits(2, *pair, np.array([0.1], dtype=np.float32))
    one, other = cluster_mentions(Readings(corpus), logits, CorefConfig()).mentions
    assert (one.cluster == other.cluster) == same


@pytest.mark.parametrize(
    "texts",
    [
        ("A fire began in Peru .", "The fire spread .", "A fire began in Chile ."),
        ("Thieves struck in Orv on Monday .", "Thieves struck again .", "Thieves struck in Tresk in January ."),
    ],
)
def test_events_of_one_cluster_are_divided_by_their_circumstances(texts: Sequence[str]) -> None:
    documents = tuple(Document.from_sentences(f"{n}", [text.split()]) for n, text in enumerate(texts))
    mentions = tuple(Mention(document.id, (1,), "event") for document in documents)
    first, second = np.triu_indices(3, 1)
    kinds = np.zeros(3, dtype=np.int8)
    logits = PairLogits(3, first, second, kinds, np.array([4.0, 4.0, 3.0], dtype=np.float32))
    found = cluster_mentions(Readings(Corpus(documents, mentions)), logits, CorefConfig())
    assert found.mentions[0].cluster != found.mentions[2].cluster


def test_events_of_two_reports_that_agree_are_more_probably_one() -> None:
    texts = ["It came two days after a fire in Peru .", "A fire began in Peru on Tuesday ."]
    documents = tuple(Document.from_sentences(f"2024-05-16_{n}", [text.split()]) for n, text in enumerate(texts))
    mentions = [Mention(documents[0].id, (6,), "event"), Mention(documents[1].id, (1,), "event")]
    first, second, kinds = np.array([0]), np.array([1]), np.zeros(1, dtype=np.int8)
    logits = PairLogits(2, first, second, kinds, np.array([-1.5], dtype=np.float32))
    found = cluster_mentions(Readings(Corpus(documents, tuple(mentions))), logits, CorefConfig())
    assert found.mentions[0].confidence == pytest.approx(1 / (1 + np.exp(1.5 - AGREEMENT)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A bus *crashed in Lima . | The bus was old . | A bus *crashed in Oslo .", [[0, 1], [2]]),
        ("A bus *crashed near Orv . | The bus was old . | A bus *crashed near Tresk .", [[0, 1], [2]]),
        ("A bus *crashed on Monday . | The bus was old . | On Thursday a bus *crashed .", [[0, 1], [2]]),
        ("A bus *crashed in Lima . | The bus was old . | A bus *crashed near Lima .", [[0, 1, 2]]),
        ("A bus *crashed in Lima . | The bus was old . | The bus *crashed in Oslo .", [[0, 1, 2]]),
    ],
)
def test_a_noun_with_an_article_in_another_event_is_new(text: str, expected: list[list[int]]) -> None:
    """Neither it nor its event is what came before."""
    sentences = [sentence.split() for sentence in text.split(" | ")]
    words = [word for sentence in sentences for word in sentence]
    document = Document.from_sentences("d", [[word.strip("*") for word in sentence] for sentence in sentences])
    kinds = {place: "entity" if word == "bus" else "event" for place, word in enumerate(words) if word[0] in "b*"}
    corpus = Corpus((document,), tuple(Mention("d", (place,), kind) for place, kind in kinds.items()))
    for kind, answer in (("entity", expected), ("event", [[0], [1]] if len(expected) > 1 else None)):
        own = [number for number, mention in enumerate(corpus.mentions) if mention.kind == kind]
        first, second = (np.array(own)[numbers] for numbers in np.triu_indices(len(own), 1))
        numbers = np.full(len(first), KINDS.index(kind))
        logits = PairLogits(len(kinds), first, second, numbers, np.full(len(first), 4.0, dtype=np.float32))
        labels = KindClusters(Readings(corpus), logits, kind, CorefConfig()).cut(0.5)[own].tolist()
        found = [[n for n, label in enumerate(labels) if label == one] for one in dict.fromkeys(labels)]
        assert answer is None or found == answer


@pytest.mark.parametrize(("texts", "same"), cases(__file__, "beside.tsv", "same"))
def test_what_stands_beside_nouns_and_names_tells_two_apart(texts: str, same: bool) -> None:
    """The sides of things, nouns with "a" in happenings of two reports, rivers, ships and countries with a name."""
    documents, mentions = [], []
    for number, text in enumerate(texts.split(" || ")):
        words = text.split()
        sentences = [sentence.replace("*", "").split() for sentence in text.split(" | ")]
        documents.append(Document.from_sentences(f"{number}", sentences))
        tokens = [word for word in words if word != "|"]
        for place, word in enumerate(tokens):
            if word[0] == "*":
                start = place - (tokens[place - 1] == "Ann")
                mentions.append(Mention(f"{number}", tuple(range(start, place + 1)), "entity"))
            elif word in ("hit", "broke"):
                mentions.append(Mention(f"{number}", (place,), "event"))
    corpus = Corpus(tuple(documents), tuple(mentions))
    [one, other] = [number for number, mention in enumerate(corpus.mentions) if mention.kind == "entity"]
    numbers = np.full(1, KINDS.index("entity"))
    score = np.full(1, 4.0, dtype=np.float32)
    logits = PairLogits(len(mentions), np.array([one]), np.array([other]), numbers, score)
    labels = KindClusters(Readings(corpus), logits, "entity", CorefConfig()).cut(0.5)
    assert (labels[one] == labels[other]) == same


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("A *strike lasted ten days . | A separate *strike goes on .", False),
        ("Another *quake hits Peru | Another *quake hit Peru .", True),
        ("Two *attacks killed 12 . | Two separate *attacks killed 12 .", True),
    ],
)
def test_a_further_event_is_not_the_one_before_it(text: str, same: bool) -> None:
    document = Document.from_sentences("a", [own.replace("*", "").split() for own in text.split(" | ")])
    places = [place for place, word in enumerate(text.replace(" |", "").split()) if word[0] == "*"]
    corpus = Corpus((document,), tuple(Mention("a", (place,), "event") for place in places))
    numbers, score = np.full(1, KINDS.index("event")), np.full(1, 4.0, dtype=np.float32)
    logits = PairLogits(2, np.array([0]), np.array([1]), numbers, score)
    labels = KindClusters(Readings(corpus), logits, "event", CorefConfig()).cut(0.5)
    assert (labels[0] == labels[1]) == same

"""Pronouns: which mentions may be their antecedents, and how they join the clusters of those."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
import torch

from cdcoref.corpus import KINDS, Corpus, Document, Mention
from cdcoref.linking import KindClusters, PairLogits, anaphora, cluster_mentions, compare_vectors, read_vectors
from cdcoref.model import ANAPHORS, CorefConfig, CorefModel, VectorOptions
from cdcoref.reading import Readings
from tests.tables import cases

SENTENCES = [["Anna", "saw", "the", "boats", "."], ["She", "said", "they", "were", "late", ",", "Ben", "said", "."]]
SETTINGS = CorefConfig(vectors=VectorOptions(layers=1, antecedents=4))


def corpus_of(*documents: tuple[str, Sequence[Sequence[str]], Sequence[tuple[int, ...]]]) -> Corpus:
    """Documents with their sentences and the tokens of their mentions, all of them entities."""
    made = tuple(Document.from_sentences(id, sentences) for id, sentences, _ in documents)
    return Corpus(made, tuple(Mention(id, tokens, "entity") for id, _, own in documents for tokens in own))


def logits(corpus: Corpus, pairs: dict[tuple[int, int], float]) -> PairLogits:
    first, second = (np.array([pair[side] for pair in pairs], dtype=np.int64) for side in (0, 1))
    kinds = np.full(len(pairs), KINDS.index("entity"))
    return PairLogits(len(corpus.mentions), first, second, kinds, np.array(list(pairs.values()), dtype=np.float32))


@pytest.fixture(scope="module")
def with_antecedents(tiny_model: CorefModel) -> CorefModel:
    model = copy.deepcopy(tiny_model)
    model.add_vectors(VectorOptions(layers=1, pair_features=("same_words",), vector_width=4, antecedents=4))
    return model.eval()


Chosen = Callable[[Corpus, Sequence[float]], dict[tuple[int, int], float]]


@pytest.fixture
def chosen(with_antecedents: CorefModel) -> Chosen:
    """The log-odds by pronoun and antecedent, the smaller number first, where the scorer says these logits of pairs."""
    model = with_antecedents
    assert model.antecedent_scorer is not None

    def found(corpus: Corpus, logits: Sequence[float]) -> dict[tuple[int, int], float]:
        handle = model.antecedent_scorer.register_forward_hook(lambda *_: torch.tensor(logits))
        try:
            evidence = compare_vectors(model, Readings(corpus, read_vectors(model, corpus, batch_tokens=512)))
        finally:
            handle.remove()
        columns = (evidence.first, evidence.second, evidence.bi_encoder)
        first, second, odds = (column[evidence.antecedents].tolist() for column in columns)
        return dict(zip(zip(first, second, strict=True), odds, strict=True))

    return found


def test_candidates_stand_around_the_pronoun() -> None:
    corpus = corpus_of(("d", SENTENCES, [(0,), (2, 3), (5,), (7,), (11,)]))
    found = anaphora(Readings(corpus).facts.mentions)
    assert [ANAPHORS[number] for number in found.classes] == ["", "", "she", "they", ""]
    pairs = list(zip(found.pronouns.tolist(), found.candidates.tolist(), strict=True))
    assert pairs == [(2, 0), (2, 1), (2, 4), (3, 0), (3, 1), (3, 2), (3, 4)]
    assert found.sizes == (3, 4)
    # Plural, name, definite, first of its sentence, how often its head came before, length, quoted.
    assert found.known[1].tolist() == [1, 0, 1, 0, 0, 2, 0]
    assert found.known[0].tolist() == [0, 0, 0, 1, 0, 1, 0]
    # "She" and "Anna": two mentions and one sentence apart; "they" and "She" are neighbours in one sentence.
    assert found.pairs[0, :7] == pytest.approx([np.log1p(2), np.log1p(1), 0, 0, 0, 0, 0])
    assert found.pairs[5, :7] == pytest.approx([np.log1p(1), 0, 1, 0, 0, 0, 1])
    assert found.pairs[6, 3] == 1


def test_candidates_are_limited_and_follow_the_text() -> None:
    """The 50 before a pronoun and the 5 after it."""
    words = [["Ann"] * 60 + ["he"] + ["Bob"] * 15]
    size = len(words[0])
    forwards = corpus_of(("d", words, [(n,) for n in range(size)]))
    backwards = corpus_of(("d", words, [(n,) for n in reversed(range(size))]))
    for corpus in (forwards, backwards):
        found = anaphora(Readings(corpus).facts.mentions)
        place = [m.start for m in corpus.mentions]
        assert [place[n] for n in found.candidates] == [*range(10, 60), *range(61, 66)]
        assert {place[n] for n in found.pronouns} == {60}


def test_what_is_known_besides() -> None:
    """“ You saw me ”, said Anna . “ I saw you ”, he said ."""
    words = ["“", "You", "saw", "me", "”", "said", "Anna", ".", "“", "I", "saw", "you", "”", "he", "said", "."]
    seen = Readings(corpus_of(("d", [words], [(1,), (3,), (6,), (9,), (11,), (13,)]))).facts.mentions
    found = anaphora(seen)
    assert found.known[:, 6].tolist() == [1, 1, 0, 1, 1, 0]
    of = {pair: n for n, pair in enumerate(zip(found.pronouns.tolist(), found.candidates.tolist(), strict=True))}
    # In one quotation; in two; only the pronoun in one; only the candidate; how far apart the two are.
    assert found.pairs[of[1, 0], 7:12].tolist() == [1, 0, 0, 0, 0]
    assert found.pairs[of[3, 1], 7:12].tolist() == pytest.approx([0, 1, 0, 0, 1 / 6])
    assert found.pairs[of[3, 2], 7:12].tolist() == [0, 0, 1, 0, 0]
    assert found.pairs[of[5, 4], 7:12].tolist() == [0, 0, 0, 1, 0]
    # From candidate to pronoun: pronouns of the pronoun's class, others than pronouns; of these before it in all.
    assert found.pairs[of[3, 1], 12:] == pytest.approx(np.log1p([1, 1, 1]))
    assert found.pairs[of[4, 0], 12:] == pytest.approx(np.log1p([1, 1, 1]))
    assert found.pairs[of[4, 3], 12:] == pytest.approx(np.log1p([0, 0, 1]))
    assert found.pairs[of[0, 2], 12:] == pytest.approx([0, 0, 0])  # a candidate after the pronoun


def test_a_document_without_candidates_has_no_pairs() -> None:
    corpus = corpus_of(("d", [["he", "ran"]], [(0,)]))
    found = anaphora(Readings(corpus).facts.mentions)
    assert found.sizes == ()
    assert found.pairs.shape == (0, 15)


@pytest.mark.parametrize("kind", KINDS)
def test_only_pronouns_of_models_with_antecedents_follow_one(kind: str) -> None:
    document = Document.from_sentences("d", [["a", "fire", "spread", "and", "it", "killed"]])
    corpus = Corpus((document,), tuple(Mention("d", (token,), kind) for token in (1, 2, 4)))
    pairs = np.array([[0, 1, 0], [1, 2, 2]])
    values = np.array([-3.0, 0.1, 2.0], dtype=np.float32)
    known = PairLogits(3, pairs[0], pairs[1], np.full(3, KINDS.index(kind)), values)
    for width in (0, 4):
        settings = replace(SETTINGS, vectors=replace(SETTINGS.vectors, antecedents=width))
        clusters = KindClusters(Readings(corpus), known, kind, settings)
        assert (clusters.links.antecedents == {2: (0, pytest.approx(1 / (1 + np.exp(-2.0))))}) is bool(width)


def test_a_pronoun_joins_the_cluster_of_its_antecedent() -> None:
    corpus = corpus_of(("a", SENTENCES, [(0,), (2, 3), (5,), (7,)]), ("b", [["Anna", "left"], ["she"]], [(0,), (2,)]))
    pairs = {(0, 4): 2.0, (0, 2): 3.0, (1, 3): 1.0, (4, 5): 0.5}
    clustered = cluster_mentions(Readings(corpus), logits(corpus, pairs), SETTINGS)
    names = [m.cluster for m in clustered.mentions]
    assert names[0] == names[2] == names[4] == names[5] != names[1] == names[3]

    def probability(value: float) -> float:
        return float(1 / (1 + np.exp(-value)))

    found = [m.confidence for m in clustered.mentions]
    expected = [2.0, 1.0, 3.0, 1.0, 2.0, 0.5]
    assert found == pytest.approx([probability(value) for value in expected])


def test_pronouns_refer_to_pronouns_and_to_what_follows() -> None:
    corpus = corpus_of(("d", [["he", "he", "Ben", "he"]], [(0,), (1,), (2,), (3,)]))
    clusters = KindClusters(
        Readings(corpus), logits(corpus, {(0, 2): 1.0, (0, 1): 2.0, (1, 3): 0.2}), "entity", SETTINGS
    )
    assert len(set(clusters.cut(0.5).tolist())) == 1


def test_an_antecedent_is_likelier_than_none_and_candidates_of_one_name_speak_together(chosen: Chosen) -> None:
    """Ben, Robin, Ben, he, she, they: "he" follows a Ben with the other's support, "they" nobody."""
    words = [["Ben", "met", "Robin", ".", "Ben", "said", "he", "and", "she", "left", "them"]]
    corpus = corpus_of(("d", words, [(0,), (2,), (4,), (6,), (8,), (10,)]))
    assert anaphora(Readings(corpus).facts.mentions).sizes == (3, 4, 5)
    # he: Ben, Robin, Ben; she: and he; them: and she.
    found = chosen(corpus, [1.0, 0.0, 2.0, -1.0, 3.0, -1.0, -2.0, -1.0, -1.0, -1.0, -1.0, -0.1])
    # "he", and all who have the name that it refers to, are not women.
    assert found == pytest.approx({(2, 3): np.log((np.e + np.e**2) / (1 + 1)), (1, 4): 3.0})


@pytest.mark.parametrize(
    ("sentence", "mentions", "expected"), cases(__file__, "no_antecedents.tsv", "mentions", "expected")
)
def test_no_antecedent(chosen: Chosen, sentence: str, mentions: list[list[int]], expected: list[list[int]]) -> None:
    corpus = corpus_of(("d", [sentence.split()], [tuple(tokens) for tokens in mentions]))
    found = chosen(corpus, [2.0] * len(anaphora(Readings(corpus).facts.mentions).pronouns))
    assert [list(pair) for pair in found] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("You find rooms before you leave , and your ferry waits .", [[0, 1], [1, 2]]),
        ("We met him ; we left you and your boat .", [[0, 2], [3, 4]]),
        ("I met you ; you left me .", [[0, 3]]),  # not all that one narrator calls "you" are one
        ("“ I saw you and your son ” , said Ben . “ You saw me and my son , ” he said .", [[1, 2], [4, 5]]),
    ],
)
def test_without_another_antecedent_a_speaker_is_the_same_as_before(
    chosen: Chosen, text: str, expected: list[list[int]]
) -> None:
    words = text.split()
    pronouns = ["i", "me", "my", "we", "you", "your", "he", "him"]
    corpus = corpus_of(("d", [words], [(n,) for n, word in enumerate(words) if word.lower() in pronouns]))
    found = chosen(corpus, [-1.0] * len(anaphora(Readings(corpus).facts.mentions).pronouns))
    assert found == dict.fromkeys(map(tuple, expected), 3.0)


def test_a_pronoun_that_follows_a_mention_speaks_for_it(chosen: Chosen) -> None:
    corpus = corpus_of(("d", [["Ben", "knew", "he", "had", "his", "."]], [(0,), (2,), (4,)]))
    # Nothing but none speaks against it.
    assert chosen(corpus, [1.0, 0.5, 2.0]) == pytest.approx({(0, 1): 1.0, (1, 2): np.log(np.exp(0.5) + np.exp(2))})


def test_of_several_antecedents_the_likeliest_counts() -> None:
    corpus = corpus_of(("d", [["Ben", "Tom", "he"]], [(0,), (1,), (2,)]))
    clusters = KindClusters(Readings(corpus), logits(corpus, {(0, 2): 1.5, (1, 2): 1.0}), "entity", SETTINGS)
    labels = clusters.cut(0.5).tolist()
    assert labels[2] == labels[0] != labels[1]


def test_he_and_she_are_no_organisation_and_agree_with_the_name(chosen: Chosen) -> None:
    """The fund is no man; Reyes, whom a title makes a woman, is none either, wherever she is named."""
    words = [
        ["Ms.", "Reyes", "praised", "the", "Gray", "Fund", "."],
        ["Then", "Paula", "Reyes", "met", "Gray", ".", "There", "he", "left", "."],
    ]
    corpus = corpus_of(("d", words, [(0, 1), (3, 4, 5), (8, 9), (11,), (14,)]))
    assert anaphora(Readings(corpus).facts.mentions).sizes == (4,)
    assert list(chosen(corpus, [4.0, 3.0, 2.0, 1.0])) == [(3, 4)]


@pytest.mark.parametrize(
    ("name", "pronouns", "odds", "expected"),
    [
        ("Robin", ("he", "she"), (2.0, 1.0), [0, 0, 1, 2]),  # the likelier pronoun stays
        ("Robin", ("he", "she"), (1.0, 2.0), [0, 1, 0, 2]),
        ("Paula", ("he", "she"), (2.0, 1.0), [0, 1, 0, 2]),  # the name says who leaves
        ("Ben", ("he", "she"), (1.0, 2.0), [0, 0, 1, 2]),
        ("Ridgeway", ("he", "it"), (2.0, 1.0), [0, 0, 1, 2]),
        ("Ridgeway", ("he", "it"), (1.0, 2.0), [0, 1, 0, 2]),
        ("Ben", ("he", "it"), (1.0, 2.0), [0, 0, 1, 2]),
        ("Ben", ("it", "its"), (1.0, 2.0), [0, 0, 0, 1]),  # as companies may have a first name
        ("Ridgeway", ("she", "it"), (1.0, 2.0), [0, 0, 0, 1]),  # as ships
    ],
)
def test_he_is_not_she(name: str, pronouns: tuple[str, str], odds: tuple[float, float], expected: list[int]) -> None:
    words = [name, "said", pronouns[0], "saw", pronouns[1], "sold", "ships"]
    corpus = corpus_of(("d", [words], [(0,), (2,), (4,), (6,)]))
    clusters = KindClusters(Readings(corpus), logits(corpus, {(0, 1): odds[0], (0, 2): odds[1]}), "entity", SETTINGS)
    labels = clusters.cut(0.5).tolist()
    assert [sorted(set(labels), key=labels.index).index(label) for label in labels] == expected


@pytest.mark.parametrize(("odds", "together"), [(3.0, False), (0.5, True)])
def test_whom_a_certain_pronoun_makes_a_person_is_no_company(odds: float, together: bool) -> None:
    corpus = corpus_of(("d", [["Brandt", "said", "he", "left", "the", "company"]], [(0,), (2,), (5,)]))
    pairs = {(0, 1): odds, (0, 2): 4.0}
    labels = KindClusters(Readings(corpus), logits(corpus, pairs), "entity", SETTINGS).cut(0.5).tolist()
    assert (labels[0] == labels[2]) is together

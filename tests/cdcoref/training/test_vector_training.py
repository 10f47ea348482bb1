"""Fitting the heads for vectors: the scorer learns, everything else stays."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
import pytest
import torch

from cdcoref.corpora import annotated_corpora
from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.errors import InputError
from cdcoref.linking import PairEvidence, compare_vectors, read_vectors
from cdcoref.model import ALL, UNSEEN, CorefModel, VectorOptions
from cdcoref.reading import Readings
from cdcoref.training import VectorTraining, fit_vectors, fit_weights

WORDS = ["fire", "flood", "storm", "vote", "crash"]


@pytest.fixture(scope="module")
def documents() -> Corpus:
    """Five documents in which the same word is the same event."""
    made = [Document.from_sentences(f"d{n}", [[w, "the", "b"] for w in WORDS], topic="1") for n in range(5)]
    mentions = [Mention(d.id, (3 * n,), "event", cluster=w) for d in made for n, w in enumerate(WORDS)]
    return Corpus(tuple(made), tuple(mentions))


def fitted(model: CorefModel, documents: Corpus, **training: object) -> tuple[CorefModel, list[str]]:
    changed = copy.deepcopy(model)
    said: list[str] = []
    fit_vectors(
        changed, annotated_corpora(documents),
        VectorOptions(layers=2, pair_features=("same_words",), vector_width=8),
        VectorTraining(scorer_steps=100, scorer_pairs=64, **training),  # type: ignore[arg-type]
        seed=0, say=said.append,
    )  # fmt: skip
    return changed, said


def test_the_scorer_learns_and_nothing_else_changes(tiny_model: CorefModel, documents: Corpus) -> None:
    model, said = fitted(tiny_model, documents)
    evidence = compare_vectors(model, Readings(documents, read_vectors(model, documents, batch_tokens=512)))
    clusters = np.array([m.cluster for m in documents.mentions])
    same = clusters[evidence.first] == clusters[evidence.second]
    assert evidence.bi_encoder[same].min() > evidence.bi_encoder[~same].max()
    for name, weight in tiny_model.state_dict().items():
        assert name.startswith("vector_scorer.") or torch.equal(weight, model.state_dict()[name])
    assert [line.split(",")[0] for line in said] == [
        "vectors: fitting the event scorer in 100 steps",
        "vectors: event scorer",
    ]


@pytest.mark.parametrize("unseen", ["right", "wrong"])
def test_a_network_learns_from_unseen_texts_alone(tiny_model: CorefModel, documents: Corpus, unseen: str) -> None:
    """In the corpus named wrong, mentions of other words corefer: that network follows it, the others see both."""
    clusters = dict(zip(WORDS, (*WORDS[1:], WORDS[0]), strict=True))
    swapped = tuple(
        replace(m, cluster=clusters[str(m.cluster)]) if m.document in ("d0", "d1") else m for m in documents.mentions
    )
    parts = [
        replace(part, info=replace(part.info, name=name))
        for name, of in (("right", documents), ("wrong", replace(documents, mentions=swapped)))
        for part in annotated_corpora(of)
    ]
    shares = {"event": {ALL: 0.0, UNSEEN: 1.0}}
    options = VectorOptions(layers=2, pair_features=("same_words",), vector_width=8, learnt=8, learnt_shares=shares)
    training = VectorTraining(scorer_steps=100, scorer_pairs=64, unseen=(unseen,))
    model, said = copy.deepcopy(tiny_model), []
    fit_vectors(model, parts, options, training, seed=0, say=said.append)
    assert said[0].endswith("in 300 steps")  # three networks
    assert said[1].count(" and ") == 2
    evidence = compare_vectors(model, Readings(documents, read_vectors(model, documents, batch_tokens=512)))
    words = np.array([m.cluster for m in documents.mentions])
    early = np.array([m.document in ("d0", "d1") for m in documents.mentions])
    one, other = evidence.first, evidence.second
    across = (words[one] == words[other]) & (early[one] != early[other])
    assert (evidence.bi_encoder[across].mean() > 0) == (unseen == "right")


def test_vectors_cannot_be_learnt_from_a_corpus_that_is_not_there(tiny_model: CorefModel, documents: Corpus) -> None:
    options = VectorOptions(layers=2, vector_width=8, learnt=4, learnt_shares={"event": {UNSEEN: 0.5}})
    model, training = copy.deepcopy(tiny_model), VectorTraining(scorer_steps=1, unseen=("gvc",))
    parts = annotated_corpora(documents)
    with pytest.raises(InputError, match="unseen names no corpus with coreferent mentions of the kind event"):
        fit_vectors(model, parts, options, training, seed=0, say=str)


@pytest.mark.parametrize(("tells", "does_not"), [("cross_encoder", "bi_encoder"), ("bi_encoder", "cross_encoder")])
def test_weights_follow_what_tells_coreference(documents: Corpus, tells: str, does_not: str) -> None:
    """Evidence of which one part is right in nine of ten pairs, and the other is noise."""
    first, second = (np.array(side) for side in np.triu_indices(len(documents.mentions), 1))
    clusters = np.array([m.cluster for m in documents.mentions])
    rng = np.random.default_rng(0)
    right = np.where((clusters[first] == clusters[second]) ^ (rng.random(len(first)) < 0.1), 2.0, -2.0)
    noise = rng.normal(0, 2, len(first))
    logits = {tells: right.astype(np.float32), does_not: noise.astype(np.float32)}
    nothing = np.zeros(len(first), dtype=bool)
    evidence = PairEvidence(
        len(clusters), first, second, nothing.astype(np.int8),
        logits["cross_encoder"], logits["bi_encoder"], nothing, nothing,
    )  # fmt: skip
    event = fit_weights(VectorOptions(), annotated_corpora(documents), [evidence]).combine.event
    weights = {"cross_encoder": event.cross_encoder_weight, "bi_encoder": event.bi_encoder_weight}
    assert weights[tells] > 0.5
    assert abs(weights[does_not]) < 0.3
    # Nothing is known of pairs of one document, so both count the same.
    assert event.cross_encoder_weight_within == event.bi_encoder_weight_within == 0.5

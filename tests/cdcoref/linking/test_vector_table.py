"""Mentions compared by vectors: means of words, candidates, what is read and what an unread pair counts."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.errors import InputError
from cdcoref.language import last_word_of_head
from cdcoref.linking import (
    EncodedPart,
    PairEvidence,
    ReadMentions,
    SpanScores,
    candidate_pairs,
    compare_vectors,
    read,
    read_vectors,
    score_spans,
    vectors_of,
)
from cdcoref.model import Combination, Combinations, CorefModel, VectorOptions, collate_readings
from cdcoref.predict import ResultCache
from cdcoref.reading import MentionVectors, Reading, Readings
from cdcoref.training import read_words
from tests.cdcoref.linking.test_comparison import TEXTS, changed_model, corpus

MENTIONS = tuple(Mention("a", number, number + 1) for number in range(10))
OPTIONS = VectorOptions(
    layers=2, pair_features=("same_head", "same_document"), vector_width=8, candidates=2, min_probability=0.01
)


@pytest.fixture(scope="module")
def with_vectors(tiny_model: CorefModel) -> CorefModel:
    """The tiny model with bold, random heads for vectors."""
    model = copy.deepcopy(tiny_model)
    torch.manual_seed(3)
    model.add_vectors(OPTIONS)
    assert model.vector_scorer is not None
    with torch.no_grad():
        for parameter in model.vector_scorer.parameters():
            parameter.normal_(std=0.8)
    return model.eval()


def test_vectors_are_unit_means_of_words() -> None:
    document = Document.from_sentences("d", [["a", "b"], ["c", "d"]])
    words = np.array([[3, 0], [0, 3], [1, 1], [0, 0]], dtype=np.float32)
    mentions = [Mention("d", (0, 1), "event"), Mention("d", (2,), "event")]
    anaphora = np.array([[1, 2, 10, 20], [3, 4, 30, 40], [5, 6, 50, 60], [0, 0, 0, 0]], dtype=np.float32)
    no_spans = SpanScores(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros((0, 2), np.float32))
    learnt = np.array([[1, 5], [3, 7], [0, 1], [0, 0]], dtype=np.float32)
    vectors = vectors_of(EncodedPart(Reading(document), no_spans, words, {"event": learnt}, anaphora), mentions)
    half = np.sqrt(0.5)
    np.testing.assert_allclose(vectors.own["mention"], [[half, half], [half, half]], atol=1e-3)
    np.testing.assert_allclose(vectors.shared["sentence"], [[half, half], [half, half]], atol=1e-3)
    np.testing.assert_allclose(vectors.shared["document"], [np.array([4, 4]) / np.sqrt(32)], atol=1e-3)
    assert {name: rows.tolist() for name, rows in vectors.rows.items()} == {"sentence": [0, 1], "document": [0, 0]}
    np.testing.assert_array_equal(vectors.own["anaphora"], [[2 + 30, 3 + 40], [5 + 50, 6 + 60]])
    np.testing.assert_array_equal(vectors.own["learnt"], [[2 + 7], [0 + 1]])
    again = MentionVectors.unpacked(vectors.packed())
    np.testing.assert_array_equal(again.packed(), vectors.packed())


def test_learnt_vectors_see_the_last_word_of_the_head() -> None:
    """Of a document read in two parts: "the captain of the ship" begins in the first and ends in the second."""
    document = Document.from_sentences("d", [["the", "captain", "of", "the", "ship"]])
    mention = Mention("d", (0, 1, 2, 3, 4), "entity")
    no_spans = SpanScores(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros((0, 2), np.float32))
    table = np.array([[0, 10], [0, 20], [0, 30], [0, 40], [0, 50]], dtype=np.float32)
    words = np.ones((5, 2), dtype=np.float32)
    whole = EncodedPart(Reading(document), no_spans, words, {"entity": table}, table)
    assert vectors_of(whole, [mention]).own["learnt"].tolist() == [[20]]
    assert vectors_of(whole, [mention]).own["anaphora"].tolist() == [[20]]
    part = EncodedPart(Reading(document), no_spans, words[:3], {"entity": table[:3]}, table[:3], last=False)
    assert vectors_of(part, [mention]).own["learnt"].tolist() == [[20]]
    first_word = EncodedPart(Reading(document), no_spans, words[:1], {"entity": table[:1]}, table[:1], last=False)
    assert vectors_of(first_word, [mention]).own["learnt"].tolist() == [[10]]


def test_heads_learn_from_the_words_they_are_used_on(tiny_model: CorefModel) -> None:
    model = copy.deepcopy(tiny_model)
    torch.manual_seed(0)
    options = VectorOptions(
        layers=2,
        pair_features=("same_words",),
        learnt=3,
        learnt_shares={"event": {"unseen": 0.4}, "entity": {"all": 0.5}},
        antecedents=2,
    )
    model.add_vectors(options)
    model.eval()
    document = Document.from_sentences("d", [["The", "captain", "of", "the", "Anna", "met", "him", "."]])
    mentions = [Mention("d", tokens, "entity") for tokens in ((0, 1, 2, 3, 4), (3, 4), (6,), (0, 1, 3, 4))]
    corpus = Corpus((document,), (*mentions, Mention("d", (5,), "event")))
    assert [last_word_of_head(document, mention) for mention in mentions] == [1, 4, 6, 1]
    words = read_words(model, corpus)
    vectors = read_vectors(model, corpus, batch_tokens=64)
    assert model.vector_scorer is not None
    assert model.antecedent_scorer is not None
    entities, events = slice(0, 4), slice(4, 5)
    for projection, found, own in (
        (model.vector_scorer.of_kind("entity").projection_of("all"), vectors.own["learnt"][:, :3], entities),
        (model.vector_scorer.of_kind("event").projection_of("unseen"), vectors.own["learnt"][:, 3:], events),
        (model.antecedent_scorer.projection, vectors.own["anaphora"], slice(None)),
    ):
        with torch.inference_mode():
            expected = projection(words.mean.float(), words.last.float())
        np.testing.assert_allclose(found[own], expected.numpy()[own], atol=5e-3)


def test_vectors_of_what_stands_around_mentions() -> None:
    """The other words of the sentence, none for a mention that is all of it; the first sentence that was read."""
    document = Document.from_sentences("d", [["x"], ["a", "b", "c"], ["d"]])
    words = np.array([[0, 0], [3, 0], [0, 3], [0, 4], [1, 1]], dtype=np.float32)
    mentions = [Mention("d", (1,), "event"), Mention("d", (2, 3), "event"), Mention("d", (4,), "event")]
    no_spans = SpanScores(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros((0, 2), np.float32))
    none = np.zeros((5, 0), dtype=np.float32)
    vectors = vectors_of(EncodedPart(Reading(document), no_spans, words, {}, none), mentions)
    np.testing.assert_allclose(vectors.own["context"], [[0, 1], [1, 0], [0, 0]], atol=1e-3)
    np.testing.assert_allclose(vectors.shared["opening"], [np.array([3, 7]) / np.sqrt(58)], atol=1e-3)


def test_what_a_pair_is_told_of_what_stands_around_it() -> None:
    """The cosines of each with the other's surroundings, the lower first, whichever mention comes first."""
    rows = np.eye(3, dtype=np.float16)
    half = np.float16(np.sqrt(0.5))
    contexts = np.array([[0, 1, 0], [half, half, 0], [0, 0, 1]], dtype=np.float16)
    one = np.zeros(3, dtype=np.int64)
    none = np.zeros((3, 0), dtype=np.float16)
    vectors = MentionVectors(
        {"mention": rows, "context": contexts, "learnt": none, "anaphora": none},
        {"sentence": rows[:1], "document": rows[:1], "opening": contexts[1:2]},
        {"sentence": one, "document": one},
    )
    document = Document.from_sentences("d", [["a", "b", "c"]])
    corpus = Corpus((document,), tuple(Mention("d", (n,), "event") for n in range(3)))
    mentions = ReadMentions.of(Readings(corpus, vectors))
    pairs = np.array([[0, 1], [1, 0], [1, 2]])
    around = [mentions.similarities(name, pairs) for name in ("to_context", "to_opening")]
    np.testing.assert_allclose(around[0], [[half, half, 0], [1, 1, 0]], atol=1e-3)
    np.testing.assert_allclose(around[1], [[half, half, 0], [half, half, half]], atol=1e-3)
    np.testing.assert_allclose(mentions.similarities("context", pairs), [[half, half, 0]], atol=1e-3)


def test_vectors_follow_the_order_of_the_mentions_and_are_kept(with_vectors: CorefModel, tmp_path: Path) -> None:
    documents = corpus(TEXTS[:3])
    backwards = replace(documents, mentions=documents.mentions[::-1])
    vectors = read_vectors(with_vectors, documents, batch_tokens=512)
    np.testing.assert_allclose(
        read_vectors(with_vectors, backwards, batch_tokens=512).own["mention"][::-1], vectors.own["mention"], atol=2e-3
    )
    store = ResultCache(tmp_path, "model")
    kept = [read_vectors(with_vectors, documents, batch_tokens=512, store=store) for _ in range(2)]
    np.testing.assert_array_equal(kept[0].packed(), kept[1].packed())
    store.close()


def test_a_long_document_is_read_in_parts(with_vectors: CorefModel) -> None:
    """Between others, one of more than 256 sequences, against what the model says of each sequence."""
    model = changed_model(with_vectors)
    model.settings = replace(model.settings, detector_max_length=32)
    random = np.random.default_rng(0)
    documents = []
    for number, sentences in enumerate((3, 270, 2)):
        words = random.choice(["ferry", "sank", "storm", "police", "captain", "harbour"], (sentences, 15))
        documents.append(Document.from_sentences(f"d{number}", words.tolist()))
    mentions = [Mention(d.id, (n, n + 1), "event") for d in documents for n in range(1, len(d.tokens), 30)]
    vectors = read_vectors(model, Corpus(tuple(documents), tuple(mentions[::-1])), batch_tokens=2048)
    scored = list(score_spans(model, documents, batch_tokens=2048, min_probability=0.0))
    detected = list(read(model, documents, batch_tokens=2048))
    pad = model.encoder.config.pad_token_id
    for document, (_, scores), reading in zip(documents, scored, detected, strict=True):
        sequences = list(model.reading_builder()(document))
        assert document.id != "d1" or len(sequences) == 270
        words = np.zeros((len(document.tokens), model.encoder.config.hidden_size), dtype=np.float32)
        spans, probabilities = [], []
        for start in range(0, len(sequences), 30):
            block = sequences[start : start + 30]
            with torch.inference_mode():
                logits, in_last_layer, *_ = model.read(collate_readings(block, pad))
            words[np.concatenate([own.words for own in block])] = in_last_layer.numpy()
            spans += [np.stack([own.words[own.starts], own.words[own.ends - 1] + 1], axis=1) for own in block]
            probabilities.append(torch.sigmoid(logits).numpy())
        bounds = np.concatenate(spans)
        order, others = np.lexsort(bounds.T), np.lexsort((scores.starts, scores.ends))
        np.testing.assert_array_equal(np.stack([scores.starts, scores.ends], axis=1)[others], bounds[order])
        np.testing.assert_allclose(scores.probabilities[others], np.concatenate(probabilities)[order], atol=1e-4)
        everything = SpanScores(bounds[:, 0], bounds[:, 1], np.concatenate(probabilities))
        whole = EncodedPart(Reading(document), everything, words, {}, np.zeros((len(words), 0), np.float32))
        own = [number for number, mention in enumerate(mentions) if mention.document == document.id]
        for name in ("mention", "context", "sentence", "document", "opening"):
            rows, of = vectors.take([len(mentions) - 1 - number for number in own]).table(name)
            expected, of_expected = vectors_of(whole, [mentions[number] for number in own]).table(name)
            np.testing.assert_allclose(rows[of], expected[of_expected], atol=4e-3)
        assert reading.mentions
        assert reading.vectors is not None
        for name in ("mention", "context", "sentence", "document", "opening"):
            (rows, of), (expected, of_expected) = (
                known.table(name) for known in (reading.vectors, vectors_of(whole, reading.mentions))
            )
            np.testing.assert_allclose(rows[of], expected[of_expected], atol=4e-3)


@pytest.fixture(scope="module")
def many_mentions() -> Corpus:
    """More mentions of a kind than are all compared with each other, in eleven documents."""
    random = np.random.default_rng(0)
    documents = [
        Document.from_sentences(f"d{number}", random.choice([f"ferry{n}" for n in range(24)], (10, 20)).tolist())
        for number in range(11)
    ]
    mentions = tuple(Mention(document.id, (token,), "event") for document in documents for token in range(190))
    return Corpus(tuple(documents), mentions)


def evidence_by_pair(evidence: PairEvidence) -> dict[tuple[int, int], float]:
    pairs = list(zip(evidence.first.tolist(), evidence.second.tolist(), strict=True))
    assert len(set(pairs)) == len(pairs)
    return dict(zip(pairs, evidence.bi_encoder.tolist(), strict=True))


def test_many_mentions_are_compared_by_nearness_and_head(with_vectors: CorefModel, many_mentions: Corpus) -> None:
    vectors = read_vectors(with_vectors, many_mentions, batch_tokens=2048)
    some = evidence_by_pair(compare_vectors(with_vectors, Readings(many_mentions, vectors)))
    counts = np.bincount(np.array(list(some)).ravel(), minlength=len(many_mentions.mentions))
    assert counts.min() >= 48
    words = {d.id: d.tokens for d in many_mentions.documents}
    heads = [words[mention.document][mention.start] for mention in many_mentions.mentions]
    alike = {(i, j) for j, head in enumerate(heads) for i in range(j) if heads[i] == head}
    assert len(alike) > 80_000
    assert alike <= some.keys(), "with the same head"
    assert len(some.keys() - alike) < 48 * len(counts)
    few = np.arange(380)
    subset = replace(many_mentions, mentions=many_mentions.mentions[:380])
    everything = evidence_by_pair(compare_vectors(with_vectors, Readings(subset, vectors.take(few))))
    assert len(everything) == 380 * 379 // 2
    both = some.keys() & everything.keys()
    assert len(both) > 1000
    assert [some[pair] for pair in both] == pytest.approx([everything[pair] for pair in both], abs=1e-4)
    # Of documents that were compared before, only what is new: each mention of it with its nearest.
    parts = {f"d{number}": int(number > 6) for number in range(10)}
    new = evidence_by_pair(compare_vectors(with_vectors, Readings(many_mentions, vectors), parts))
    part = [parts.get(mention.document) for mention in many_mentions.mentions]
    assert not any(part[one] == part[other] is not None for one, other in new)
    both = some.keys() & new.keys()
    assert [some[pair] for pair in both] == pytest.approx([new[pair] for pair in both], abs=1e-4)
    of_new = np.bincount(np.array(list(new)).ravel(), minlength=len(part))[[own is None for own in part]]
    assert of_new.min() >= 48


@pytest.mark.parametrize("antecedents", [0, 4])
def test_pairs_of_documents_that_were_compared_before_are_left_out(with_vectors: CorefModel, antecedents: int) -> None:
    """Two parts of a story, of two documents each, and a new document."""
    model = with_vectors
    if antecedents:
        torch.manual_seed(4)
        model = copy.deepcopy(with_vectors)
        model.add_vectors(replace(OPTIONS, antecedents=antecedents))
        model.eval()
    documents = corpus([*TEXTS, ["He saw the ferry and he called it his own"]])
    pronouns = [Mention("d5", (token,), "entity") for token in (0, 5, 7, 8)]
    documents = replace(documents, mentions=(*documents.mentions, *pronouns))
    vectors = read_vectors(model, documents, batch_tokens=512)
    parts = {"d0": 0, "d1": 0, "d2": 1, "d3": 1}

    def new(pair: tuple[int, int]) -> bool:
        one, other = (parts.get(documents.mentions[number].document) for number in pair)
        return one is None or one != other

    readings = Readings(documents, vectors)
    everything, found = (evidence_by_pair(compare_vectors(model, readings, one)) for one in (None, parts))
    expected = {pair: value for pair, value in everything.items() if new(pair)}
    assert 0 < len(expected) < len(everything)
    assert found == pytest.approx(expected, abs=1e-4)
    known = dict.fromkeys((d.id for d in documents.documents), 0)
    assert evidence_by_pair(compare_vectors(model, readings, known)) == {}


def test_a_pair_that_was_not_read_counts_what_the_vectors_say() -> None:
    none = np.full(2, np.nan, dtype=np.float32)
    none[1] = 2.0
    evidence = PairEvidence(
        3, np.array([0, 1]), np.array([2, 2]), np.array([0, 0]), none, np.array([1.0, 4.0]),
        *np.zeros((2, 2), dtype=bool),
    )  # fmt: skip
    event = Combination(cross_encoder_weight=3.0, bi_encoder_weight=0.5, bias=-1.0, unread_weight=2.0, unread_bias=0.25)
    options = VectorOptions(combine=Combinations(event))
    of_one = replace(event, cross_encoder_weight_within=7.0, bi_encoder_weight_within=1.0)
    within = VectorOptions(combine=Combinations(of_one))
    same_document = replace(evidence, within=np.array([True, True]))
    assert same_document.combine(within).logits.tolist() == [2 * 1 + 0.25, 7 * 2 + 1 * 4]
    final = replace(evidence, antecedents=np.array([True, False]))
    assert final.combine(options).logits.tolist()[0] == 1
    less = VectorOptions(
        combine=Combinations(replace(event, antecedent_weight=0.25), Combination(antecedent_weight=3.0))
    )
    assert final.combine(less).logits.tolist() == [0.25, final.combine(options).logits[1]]
    everything = replace(options, candidates=0)
    assert candidate_pairs(final, MENTIONS[:3], everything).chosen.tolist() == [False, True]
    assert evidence.combine(options).logits.tolist() == [2 * 1 + 0.25, 3 * 2 + 0.5 * 4 - 1]


@given(logits=st.lists(st.floats(-6, 6, width=32), min_size=45, max_size=45), candidates=st.integers(1, 4))
def test_candidates_are_the_likeliest_of_either(logits: list[float], candidates: int) -> None:
    first, second = np.triu_indices(10, 1)
    kinds, nothing = np.zeros(45, dtype=int), np.full(45, np.nan)
    values = np.array(logits)
    evidence = PairEvidence(10, first, second, kinds, nothing, values, *np.zeros((2, 45), dtype=bool))
    options = VectorOptions(candidates=candidates, min_probability=0.1)
    chosen = candidate_pairs(evidence, MENTIONS, options).chosen
    for mention in range(10):
        own = np.flatnonzero((first == mention) | (second == mention))
        likely = own[values[own] >= np.log(0.1) - np.log1p(-0.1)]
        best = likely[np.argsort(-values[likely], kind="stable")][:candidates]
        assert chosen[best].all()
    assert not chosen[values < np.log(0.1) - np.log1p(-0.1)].any()


def between_groups(values: Mapping[tuple[int, int], float]) -> PairEvidence:
    """The pairs of ten mentions, with the logits of some; those of the others are -9."""
    first, second = np.triu_indices(10, 1)
    logits = np.array([values.get(pair, -9.0) for pair in zip(first.tolist(), second.tolist(), strict=True)])
    return PairEvidence(10, first, second, first * 0, np.full(45, np.nan), logits, *np.zeros((2, 45), dtype=bool))


def test_of_two_groups_the_likeliest_pair_is_read_and_counts_for_all() -> None:
    evidence = between_groups(
        {(0, 1): 4, (2, 3): 4, (0, 2): 0.5, (0, 3): -0.5, (1, 2): 0.4, (1, 3): 0, (4, 5): -0.5, (6, 7): -3}
    )
    pairs = list(zip(evidence.first.tolist(), evidence.second.tolist(), strict=True))
    options = VectorOptions(candidates=2, min_probability=0.25, group_probability=0.75)
    candidates = candidate_pairs(evidence, MENTIONS, options)
    assert [pairs[place] for place in np.flatnonzero(candidates.chosen)] == [(0, 2), (4, 5)]
    read = np.full(45, np.nan, dtype=np.float32)
    read[pairs.index((0, 2))], read[pairs.index((4, 5))] = 2, -1
    of_all = dict(zip(pairs, candidates.of_all(read).tolist(), strict=True))
    assert {pair: logit for pair, logit in of_all.items() if not np.isnan(logit)} == {
        (0, 2): 2,
        (0, 3): 2,
        (1, 2): 2,
        (1, 3): 2,
        (4, 5): -1,
    }
    alone = candidate_pairs(evidence, MENTIONS, replace(options, group_probability=1.0))
    assert alone.chosen[pairs.index((0, 1))]
    np.testing.assert_array_equal(alone.of_all(read), read)
    assert candidate_pairs(evidence, MENTIONS, replace(options, candidates=0)).chosen.all()
    with pytest.raises(InputError, match="min_probability must be less than group_probability"):
        replace(options, min_probability=0.75)


def test_two_equally_likely_pairs_of_groups_are_both_read() -> None:
    evidence = between_groups({(0, 1): 4, (0, 2): 0.5, (1, 2): 0.5 + 1e-6})
    candidates = candidate_pairs(evidence, MENTIONS, VectorOptions(candidates=1, group_probability=0.9))
    assert np.flatnonzero(candidates.chosen).tolist() == [1, 9]
    read = np.full(45, np.nan, dtype=np.float32)
    read[[1, 9]] = 2, 3
    assert candidates.of_all(read)[[1, 9]].tolist() == [2.5, 2.5]


@given(
    logits=st.lists(st.floats(-6, 6, width=32), min_size=45, max_size=45),
    candidates=st.integers(1, 4),
    order=st.permutations(range(45)),
    group_probability=st.sampled_from([0.6, 1.0]),
)
def test_the_order_is_nothing(logits: list[float], candidates: int, order: list[int], group_probability: float) -> None:
    first, second = np.triu_indices(10, 1)
    nothing, values = np.full(45, np.nan), np.array(logits)
    evidence = PairEvidence(10, first, second, first * 0, nothing, values, *np.zeros((2, 45), dtype=bool))
    permuted = PairEvidence(
        10, second[order], first[order], first * 0, nothing, values[order], *np.zeros((2, 45), dtype=bool)
    )
    options = VectorOptions(candidates=candidates, min_probability=0.1, group_probability=group_probability)
    one, two = (candidate_pairs(own, MENTIONS, options) for own in (evidence, permuted))
    np.testing.assert_array_equal(two.chosen, one.chosen[order])
    np.testing.assert_array_equal(two.groups >= 0, one.groups[order] >= 0)

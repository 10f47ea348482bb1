"""Contexts of candidates read side by side: names and order do not matter, and nothing is read twice."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from cdcoref.corpus import Corpus
from cdcoref.inputs import ContextOptions
from cdcoref.linking import Comparison, PairEvidence, all_pairs, read_vectors
from cdcoref.model import ContextBatch, CorefConfig, CorefModel, ReadingBatch, VectorOptions, model_fingerprint
from cdcoref.predict import ResultCache
from cdcoref.reading import Readings
from tests.cdcoref.conftest import annotated, joined


@pytest.fixture(scope="module")
def model(tiny_biased_encoder: Path) -> CorefModel:
    """A model that reads every pair, and whose random cross-encoder is bold."""
    torch.manual_seed(5)
    config = CorefConfig(
        detector_width=0,
        vectors=VectorOptions(layers=2, candidates=0),
        contexts=ContextOptions(rank=4, lower_layers=1, opening=6, names=6, sentence=16, width=16),
    )
    made = CorefModel.from_encoder(tiny_biased_encoder, config).eval()
    assert made.context_scorer is not None
    with torch.no_grad():
        for weight in made.context_scorer.parameters():
            weight.add_(0.2 * torch.randn_like(weight))
    return made


@pytest.fixture(scope="module")
def documents() -> Corpus:
    """Two of them say the same, one begins with a sentence that is hidden."""
    parts = [
        annotated("a", "The ferry sank in a storm .", "Police arrested the captain on Friday ."),
        annotated("b", "The ferry sank off Tresk .", "The captain saw the storm ."),
        annotated("c", "Thieves stole a painting .", "A guard saw Maren at the museum ."),
        annotated("d", "Thieves stole a painting .", "A guard saw Maren at the museum ."),
    ]
    all_of_them = joined(*parts)
    first, *others = all_of_them.documents
    return replace(all_of_them, documents=(replace(first, hidden=frozenset([0])), *others))


def shuffled(corpus: Corpus) -> tuple[Corpus, list[int]]:
    """The same under other names and in another order, and the number that each mention had."""
    rng = np.random.default_rng(2)
    names = {document.id: f"z{9 - n}" for n, document in enumerate(corpus.documents)}
    order = rng.permutation(len(corpus.mentions)).tolist()
    turned = tuple(replace(document, id=names[document.id]) for document in reversed(corpus.documents))
    mentions = [corpus.mentions[n] for n in order]
    return Corpus(turned, tuple(replace(m, document=names[m.document]) for m in mentions)), order


def evidence(model: CorefModel, corpus: Corpus, store: ResultCache | None = None, tokens: int = 4096) -> PairEvidence:
    comparison = Comparison(model, Readings(corpus), all_pairs([[document.id for document in corpus.documents]]))
    return comparison.evidence(batch_tokens=tokens, store=store)


def by_pair(found: PairEvidence, number_of: Callable[[int], int] = int) -> dict[frozenset[int], float]:
    pairs = zip(found.first.tolist(), found.second.tolist(), found.cross_encoder.tolist(), strict=True)
    return {frozenset((number_of(one), number_of(other))): value for one, other, value in pairs}


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Pairs of every batch that was read."""
    found: list[int] = []
    read = CorefModel.context_logits

    def counted(self: CorefModel, batch: ContextBatch) -> torch.Tensor:
        found.append(len(batch.lengths))
        return read(self, batch)

    monkeypatch.setattr(CorefModel, "context_logits", counted)
    return found


def test_every_pair_has_a_logit_but_those_of_mentions_that_are_not_read(model: CorefModel, documents: Corpus) -> None:
    found = evidence(model, documents)
    hidden = {n for n, m in enumerate(documents.mentions) if m.document == "a" and m.start < 7}
    assert len(hidden) == 3
    unread = np.isnan(found.cross_encoder)
    expected = [one in hidden or other in hidden for one, other in zip(found.first, found.second, strict=True)]
    assert unread.tolist() == expected
    assert np.nanstd(found.cross_encoder) > 0.1
    assert np.isfinite(found.combine(model.settings.vectors).logits).all()


@pytest.mark.parametrize("tokens", [4096, 90])
def test_names_order_and_batches_do_not_matter(model: CorefModel, documents: Corpus, tokens: int) -> None:
    expected = by_pair(evidence(model, documents))
    turned, order = shuffled(documents)
    found = by_pair(evidence(model, turned, tokens=tokens), lambda number: order[number])
    assert found == pytest.approx(expected, abs=1e-4, nan_ok=True)


def test_equal_contexts_are_read_once(model: CorefModel, documents: Corpus, calls: list[int]) -> None:
    found = by_pair(evidence(model, documents))
    assert sum(calls) < sum(not np.isnan(value) for value in found.values())
    of_c, of_d = ([n for n, m in enumerate(documents.mentions) if m.document == name] for name in "cd")
    pairs = [(one, other) for one in range(5) for other in range(one) if frozenset((of_c[one], of_c[other])) in found]
    assert pairs
    for one, other in pairs:
        assert found[frozenset((of_c[one], of_c[other]))] == found[frozenset((of_d[one], of_d[other]))]


def test_a_second_run_reads_the_store(model: CorefModel, documents: Corpus, calls: list[int], tmp_path: Path) -> None:
    found = []
    for corpus in (documents, documents, shuffled(documents)[0]):
        cache = ResultCache(tmp_path / "cache", model_fingerprint(model))
        try:
            found.append(evidence(model, corpus, cache))
        finally:
            cache.close()
        assert bool(calls) == (len(found) == 1)
        calls.clear()
    np.testing.assert_array_equal(found[0].cross_encoder, found[1].cross_encoder)


def test_logits_are_kept_as_each_sequence_is_read_once(model: CorefModel, documents: Corpus, calls: list[int]) -> None:
    with model.each_sequence_read_once():
        before = evidence(model, documents.subset(["a", "b", "c"]))
        read = sum(calls)
        again = evidence(model, documents.subset(["a", "b", "c"]))
        assert sum(calls) == read
        evidence(model, documents.subset(["d"]))  # it says what c says
        assert sum(calls) == read
    np.testing.assert_array_equal(before.cross_encoder, again.cross_encoder)
    evidence(model, documents.subset(["d"]))
    assert sum(calls) > read
    assert model.kept_logits is None


def test_vectors_need_no_second_reading(model: CorefModel, documents: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    lower_states = CorefModel.lower_states

    def counted(self: CorefModel, batch: ReadingBatch) -> torch.Tensor:
        read.append(len(batch.input_ids))
        return lower_states(self, batch)

    monkeypatch.setattr(CorefModel, "lower_states", counted)
    vectors = read_vectors(model, documents, batch_tokens=4096)
    model.lower.clear()  # as when many others were read meanwhile
    readings = replace(Readings(documents), vectors=vectors)
    before = Comparison(model, readings, None).evidence(batch_tokens=4096).cross_encoder
    assert sum(read) == 4
    after = evidence(model, documents).cross_encoder
    assert sum(read) == 4
    np.testing.assert_allclose(after, before, atol=0.02)


def test_the_limit_on_candidates_counts(model: CorefModel, documents: Corpus) -> None:
    def read(limit: int) -> int:
        limited = copy.copy(model)
        limited.settings = replace(model.settings, vectors=replace(model.settings.vectors, candidates=limit))
        comparison = Comparison(limited, Readings(documents), None)
        return int(np.isfinite(comparison.evidence(batch_tokens=4096).cross_encoder).sum())

    assert 0 < read(1) < read(0)

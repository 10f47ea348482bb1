"""Reading many documents at once: as in pairs where there are two, whatever the order, kept and looked up."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cdcoref.corpus import Corpus
from cdcoref.linking import Comparison, PairLogits, all_pairs
from cdcoref.model import CorefModel
from cdcoref.predict import ResultCache
from cdcoref.reading import Readings
from tests.cdcoref.linking.test_comparison import (
    TEXTS,
    batches_read,
    by_mentions,
    changed_model,
    compared,
    corpus,
    shuffled,
)


def reading_many(model: CorefModel, **settings: Any) -> CorefModel:
    return changed_model(model, **{"documents": "many", **settings})


def across(documents: Corpus, logits: PairLogits) -> dict[tuple[int, int], float]:
    """Logits of the pairs of mentions of different documents."""
    names = [m.document for m in documents.mentions]
    pairs = zip(logits.first.tolist(), logits.second.tolist(), logits.logits.tolist(), strict=True)
    return {(i, j): value for i, j, value in pairs if names[i] != names[j]}


@pytest.mark.parametrize("both_orders", [True, False])
def test_two_documents_are_read_as_a_pair_is(tiny_model: CorefModel, both_orders: bool) -> None:
    documents = corpus(TEXTS[:2])
    pairs = across(documents, compared(changed_model(tiny_model, both_orders=True), documents))
    many = across(documents, compared(reading_many(tiny_model, both_orders=True), documents))
    assert pairs.keys() == many.keys()
    assert list(many.values()) == pytest.approx([pairs[pair] for pair in many], abs=1e-4)
    one_order = compared(reading_many(tiny_model, both_orders=both_orders), documents)
    assert len(one_order.logits) == len(compared(changed_model(tiny_model), documents).logits)


@pytest.mark.parametrize("settings", [{}, {"max_length": 64}, {"max_length": 48, "both_orders": False}])
def test_every_pair_of_a_kind_is_compared_once(tiny_model: CorefModel, settings: dict[str, Any]) -> None:
    documents = corpus(TEXTS)
    logits = compared(reading_many(tiny_model, **settings), documents)
    expected = {(i, j) for (i, one), (j, two) in combinations(enumerate(documents.mentions), 2) if one.kind == two.kind}
    assert sorted(zip(logits.first.tolist(), logits.second.tolist(), strict=True)) == sorted(expected)


@pytest.mark.parametrize("settings", [{}, {"max_length": 64}, {"both_orders": False}])
def test_order_and_names_do_not_matter(tiny_model: CorefModel, settings: dict[str, Any]) -> None:
    model = reading_many(tiny_model, **settings)
    documents = corpus(TEXTS[:4])
    other = shuffled(documents)
    one, two = by_mentions(documents, compared(model, documents)), by_mentions(other, compared(model, other))
    assert one.keys() == two.keys()
    assert [two[pair] for pair in one] == pytest.approx(list(one.values()), abs=1e-4)


def test_stories_are_what_pairs_tie_together(tiny_model: CorefModel) -> None:
    documents = corpus(TEXTS[:4])
    model = reading_many(tiny_model)
    groups = [["d0", "d2"], ["d1", "d3"]]
    logits = Comparison(model, Readings(documents), all_pairs(groups)).run(batch_tokens=4096)
    names = np.array([m.document for m in documents.mentions])
    met = {frozenset(pair) for pair in zip(names[logits.first], names[logits.second], strict=True)}
    assert {pair for pair in met if len(pair) == 2} == {frozenset(group) for group in groups}


def test_progress_and_extent(tiny_model: CorefModel) -> None:
    documents = corpus(TEXTS[:4])
    comparison = Comparison(reading_many(tiny_model), Readings(documents), None)
    done: list[float] = []
    comparison.run(batch_tokens=300, advance=done.append)
    assert sum(done) == pytest.approx(4 + 6)
    assert comparison.extent.sequences == 2
    assert comparison.notes == []


def test_what_was_read_is_kept(tiny_model: CorefModel, tmp_path: Path) -> None:
    model, documents = reading_many(tiny_model, max_length=64), corpus(TEXTS[:4])
    store = ResultCache(tmp_path, "model")
    with batches_read(model) as read:
        first = compared(model, documents, store=store)
        count = sum(read)
        again = compared(model, documents, store=store)
    assert sum(read) == count > 4
    np.testing.assert_array_equal(again.logits, first.logits)
    store.close()

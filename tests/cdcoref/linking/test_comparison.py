"""Comparing documents: which pairs get a logit, that names and order do not matter, and that a cache saves the work."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from cdcoref.corpus import KINDS, Corpus, Document, Mention
from cdcoref.errors import InputError
from cdcoref.inputs import SequenceBuilder
from cdcoref.linking import Comparison, PairLogits, all_pairs, cluster_mentions
from cdcoref.model import Combination, Combinations, CorefModel, collate_pairs, model_fingerprint
from cdcoref.predict import ResultCache
from cdcoref.reading import Readings
from cdlm.settings import with_settings

TEXTS = [
    ["The ferry sank in the storm off Tresk on Friday", "Police said that nineteen people had died"],
    ["A ferry carrying passengers sank on Friday", "Divers found two bodies", "The storm was over"],
    ["The captain of the ferry was held by police"],
    ["The captain of the ferry was held by police"],
    ["Nothing of the kind", "happened"],
]


def corpus(texts: Sequence[Sequence[str]] = TEXTS) -> Corpus:
    """Every document has events and entities; the fourth has the text of the third and other mentions."""
    documents, mentions = [], []
    for number, lines in enumerate(texts):
        document = Document.from_sentences(f"d{number}", [line.split() for line in lines])
        documents.append(document)
        for start in range(number % 3, len(document.tokens) - 1, 2):
            mentions.append(Mention(document.id, (start, start + 1), KINDS[start // 2 % 2]))
        mentions.append(Mention(document.id, (0,), KINDS[number % 2]))
    return Corpus(tuple(documents), tuple(mentions))


def changed_model(model: CorefModel, **settings: Any) -> CorefModel:
    changed = copy.copy(model)
    changed.settings = with_settings(model.settings, settings)
    return changed


def compared(model: CorefModel, documents: Corpus, **options: Any) -> PairLogits:
    pairs = all_pairs([[d.id for d in documents.documents]])
    return Comparison(model, Readings(documents), pairs).run(batch_tokens=options.pop("batch_tokens", 4096), **options)


def by_mentions(documents: Corpus, logits: PairLogits) -> dict[frozenset[object], float]:
    """Logits by what the two mentions are, whatever the names and the order of the documents."""
    own: dict[str, object] = {}
    for document in documents.documents:
        places = sorted((m.tokens, m.kind) for m in documents.mentions if m.document == document.id)
        own[document.id] = (document.tokens, tuple(places))
    names = [(own[m.document], m.tokens, m.kind) for m in documents.mentions]
    pairs = zip(logits.first.tolist(), logits.second.tolist(), logits.logits.tolist(), strict=True)
    return {frozenset((names[i], names[j])): value for i, j, value in pairs}


def shuffled(documents: Corpus) -> Corpus:
    """The same documents under other names, documents and mentions in another order."""
    rng = np.random.default_rng(1)
    names = {d.id: f"z{9 - number}" for number, d in enumerate(documents.documents)}
    mentions = [replace(m, document=names[m.document]) for m in documents.mentions]
    return Corpus(
        tuple(replace(d, id=names[d.id]) for n in rng.permutation(len(names)) for d in [documents.documents[n]]),
        tuple(mentions[n] for n in rng.permutation(len(mentions))),
    )


@pytest.mark.parametrize("settings", [{}, {"context": "sentence"}, {"max_length": 48}])
def test_pairs_of_one_kind_within_and_between_documents_once(pair_model: CorefModel, settings: dict[str, Any]) -> None:
    documents = corpus(TEXTS[:3])
    model = changed_model(pair_model, **settings)
    logits = Comparison(model, Readings(documents), [("d1", "d0")]).run(batch_tokens=2048)
    expected = {
        (i, j)
        for (i, one), (j, two) in combinations(enumerate(documents.mentions), 2)
        if one.kind == two.kind and {one.document, two.document} in ({"d0"}, {"d1"}, {"d2"}, {"d0", "d1"})
    }
    found = list(zip(logits.first.tolist(), logits.second.tolist(), strict=True))
    assert len(found) == len(set(found))
    assert set(found) == expected
    assert logits.size == len(documents.mentions)
    assert [KINDS[k] for k in logits.kinds] == [documents.mentions[i].kind for i in logits.first]


def test_the_logit_is_the_mean_over_both_orders(pair_model: CorefModel) -> None:
    documents = corpus(TEXTS[:2])
    logits = compared(pair_model, documents)
    builder = SequenceBuilder(pair_model.tokenizer, pair_model.settings.sequences)
    own = documents.by_document()
    pieces = {document.id: builder.prepare(document, own[document.id]) for document in documents.documents}
    orders: dict[tuple[int, int], list[float]] = {}
    for i, one in enumerate(documents.mentions):
        for j, two in enumerate(documents.mentions):
            if one.kind == two.kind and one.document != two.document:
                sequence = builder.build(pieces[one.document], one, pieces[two.document], two)
                with torch.inference_mode():
                    value = pair_model.pair_logits(collate_pairs([sequence], 0)).item()
                orders.setdefault((min(i, j), max(i, j)), []).append(value)
    assert {len(values) for values in orders.values()} == {2}
    assert max(abs(a - b) for a, b in orders.values()) > 0.1
    across = {
        (i, j): v
        for i, j, v in zip(logits.first.tolist(), logits.second.tolist(), logits.logits.tolist(), strict=True)
        if documents.mentions[i].document != documents.mentions[j].document
    }
    assert across == pytest.approx({pair: sum(values) / 2 for pair, values in orders.items()}, abs=1e-4)


@pytest.mark.parametrize("both_orders", [True, False])
def test_names_and_order_of_documents_do_not_matter(pair_model: CorefModel, both_orders: bool) -> None:
    model = changed_model(pair_model, both_orders=both_orders, distance_threshold={"event": 0.99, "entity": 0.99})
    one, other = corpus(TEXTS[2:]), shuffled(corpus(TEXTS[2:]))
    logits = [compared(model, documents) for documents in (one, other)]
    assert by_mentions(one, logits[0]) == pytest.approx(by_mentions(other, logits[1]), abs=1e-4)
    clusters = []
    for documents, values in zip((one, other), logits, strict=True):
        linked = cluster_mentions(Readings(documents), values, model.settings)
        shown = {d.id: (d.tokens, sum(m.document == d.id for m in documents.mentions)) for d in documents.documents}
        clusters.append({frozenset((shown[m.document], m.tokens) for m in c) for c in linked.clusters()})
    assert clusters[0] == clusters[1]
    assert max(map(len, clusters[0])) > 1


def test_mentions_without_a_kind_are_refused(pair_model: CorefModel) -> None:
    document = Document.from_sentences("d", [["a"]])
    with pytest.raises(InputError, match="'d' is neither an event nor an entity; specify the kind of its mentions"):
        Comparison(pair_model, Readings(Corpus((document,), (Mention("d", (0,)),))), [])


def test_probabilities_and_scores() -> None:
    logits = PairLogits(
        5, np.array([0, 0, 1]), np.array([2, 4, 3]), np.array([0, 0, 1]), np.array([2.0, -800.0, 3.0], np.float32)
    )
    temperature = {"event": 2.0, "entity": 0.5}
    np.testing.assert_allclose(logits.probabilities(temperature), [0.7310585786, 0.0, 0.9975273768], atol=1e-9)
    scores = logits.scores(temperature, "entity")
    assert (scores.size, scores.first.tolist(), scores.second.tolist()) == (5, [1], [3])


@contextmanager
def batches_read(model: CorefModel) -> Iterator[list[int]]:
    """A block in which the number of sequences of every batch that the encoder reads is listed."""
    made: list[int] = []
    handle = model.encoder.register_forward_hook(lambda _, given, __: made.append(len(given[0])))
    try:
        yield made
    finally:
        handle.remove()


@pytest.fixture
def calls(pair_model: CorefModel) -> Iterator[list[int]]:
    with batches_read(pair_model) as made:
        yield made


@pytest.fixture
def run(pair_model: CorefModel, tmp_path: Path) -> Callable[..., PairLogits]:
    def run(documents: Corpus, advance: Callable[[float], None] = lambda n: None) -> PairLogits:
        cache = ResultCache(tmp_path / "cache", model_fingerprint(pair_model))
        try:
            return compared(pair_model, documents, batch_tokens=120, store=cache, advance=advance)
        finally:
            cache.close()

    return run


def test_a_second_run_computes_nothing(calls: list[int], run: Callable[..., PairLogits]) -> None:
    documents = corpus()
    first = run(documents)
    assert sum(calls) > 20
    calls.clear()
    done: list[float] = []
    second = run(documents, done.append)
    assert not calls
    assert sum(done) == pytest.approx(5 + 10)
    np.testing.assert_array_equal(first.logits, second.logits)
    np.testing.assert_array_equal(first.first, second.first)
    # Names do not count: the text and the mentions do.
    renamed = shuffled(documents)
    third = run(renamed)
    assert by_mentions(renamed, third) == pytest.approx(by_mentions(documents, first), abs=1e-5)


def test_an_interrupted_run_goes_on(calls: list[int], run: Callable[..., PairLogits], pair_model: CorefModel) -> None:
    documents = corpus()
    plain = compared(pair_model, documents)
    whole = sum(calls)
    calls.clear()

    def interrupt(*_: Any) -> None:
        if sum(calls) > whole / 2:
            raise KeyboardInterrupt

    handle = pair_model.encoder.register_forward_pre_hook(interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            run(documents)
    finally:
        handle.remove()
    calls.clear()
    done: list[float] = []
    resumed = run(documents, done.append)
    assert 0 < sum(calls) < 0.7 * whole
    assert sum(done) == pytest.approx(5 + 10)
    np.testing.assert_allclose(resumed.logits, plain.logits, atol=1e-4)


def test_only_what_changed_is_read_again(calls: list[int], run: Callable[..., PairLogits]) -> None:
    """A word of a document: the pairs of its mentions with all others in both orders, and within the document."""
    documents = corpus()
    run(documents)
    calls.clear()
    first, *others = documents.documents
    run(replace(documents, documents=(replace(first, tokens=(*first.tokens[:-1], "survived")), *others)))
    own = [m for m in documents.mentions if m.document == first.id]
    pairs = [(one, two) for one in own for two in documents.mentions if one.kind == two.kind and one is not two]
    assert sum(calls) == sum(2 if two.document != first.id else 0.5 for _, two in pairs)


def test_what_is_added_to_pairs_of_different_stories() -> None:
    """By kind, and only to those of different ones, of entities only if they have no name in common."""
    documents = tuple(Document.from_sentences(name, [["the", "boat", "of", "Anna", "Sol"]]) for name in "abc")
    mentions = (*(Mention(document.id, (0, 1), KINDS[0]) for document in documents), Mention("c", (4,), KINDS[0]))
    mentions = (*mentions, Mention("a", (3, 4), KINDS[0]))
    first, second = np.array([0, 0, 1, 3, 1, 3]), np.array([1, 2, 2, 4, 3, 4])
    kinds = np.array([0, 0, 1, 0, 0, 1])
    logits = PairLogits(5, first, second, kinds, np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], dtype=np.float32))
    stories = {"a": 0, "b": 0, "c": 1}
    combine = Combinations(Combination(other_story=-2.0), Combination(other_story=0.5))
    added = logits.across_stories(Readings(Corpus(documents, mentions)), stories, combine)
    assert added.logits.tolist() == [1.0, 0.0, 3.5, 2.0, 3.0, 6.0]
    assert added.logits.dtype == np.float32
    assert logits.logits.tolist() == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    none = logits.of_pairs(slice(0, 0))
    assert len(none.across_stories(Readings(Corpus(documents, mentions)), stories, combine).logits) == 0

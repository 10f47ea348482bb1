"""The models that ship score what they are known to score: a change of code that changes their clusters shows here.

On the sample from raw text, in the precision that the processor has by default, and on a fixed slice of ECB+ dev with
gold mentions, in fp32. The numbers were measured once, in fp32; they move with the processor and its precision, but by
less than a point.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cdcoref.corpus import KINDS, Corpus, Document, Mention
from cdcoref.formats import read_corpus
from cdcoref.predict import PredictionOptions, Predictor, load
from cdcoref.scoring import score
from cdlm.shipped_models import DEFAULT_MODEL, MODELS

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "data" / "sample"
SLICE = "23_ecb"
"""A subtopic of ECB+ dev: 10 documents."""


SCORES = {
    "base": ((72.5, 66.1), {"event": 75.6, "entity": 84.5}),
    "small": ((68.4, 59.7), {"event": 73.5, "entity": 82.2}),
}
"""By model: CoNLL F1 of the sample with and without singletons, and of the slice by kind."""


@pytest.fixture(scope="module", params=SCORES)
def predictor(request: pytest.FixtureRequest) -> Predictor:
    return load(request.param, device="cpu", precision="fp32")


@pytest.fixture
def scores(request: pytest.FixtureRequest) -> tuple[tuple[float, float], dict[str, float]]:
    return SCORES[request.node.callspec.params["predictor"]]


def test_the_default_model_is_base() -> None:
    assert MODELS["base"] == DEFAULT_MODEL


@pytest.mark.parametrize("model", SCORES)
def test_the_sample_from_raw_text(model: str, computed: Path) -> None:
    gold = read_corpus([SAMPLE / "gold.jsonl"]).corpus
    found = load(model, device="cpu").predict(read_corpus(sorted(SAMPLE.glob("*.txt"))).corpus, cache=computed).corpus
    values = [100 * (score(gold, found, singletons=singletons).conll_f1 or 0) for singletons in ("keep", "remove")]
    assert values == pytest.approx(list(SCORES[model][0]), abs=1)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "phrase", ["attack", "the attack", "an attack", "Saturday attack", "2011 attack", "12 attacks"]
)
def test_the_same_words_in_the_same_sentence_are_one_cluster(predictor: Predictor, kind: str, phrase: str) -> None:
    """Whatever of a phrase is part of the mention."""
    words = ["Police", "asked", "about", *phrase.split(), "in", "Tresk", "."]
    mention = tuple(range(3, len(words) - 3))
    corpus = Corpus(
        tuple(Document.from_sentences(name, [words]) for name in "ab"), tuple(Mention(n, mention, kind) for n in "ab")
    )
    (cluster,) = predictor.predict(corpus, PredictionOptions(topics="none")).clusters()
    assert len(cluster.mentions) == 2


def test_dev_slice(predictor: Predictor, scores: tuple[tuple[float, float], dict[str, float]], ecb_dev: Corpus) -> None:
    gold = ecb_dev.subset(d.id for d in ecb_dev.documents if d.subtopic == SLICE)
    found = predictor.predict(gold, PredictionOptions(topics="gold_subtopic")).corpus
    values = {kind: 100 * (score(gold.of_kind(kind), found.of_kind(kind)).conll_f1 or 0) for kind in KINDS}
    assert values == pytest.approx(scores[1], abs=0.5)


def test_the_precision_changes_probabilities_by_little(computed: Path) -> None:
    texts = {path.stem: path.read_text(encoding="utf-8") for path in sorted(SAMPLE.glob("museum_*.txt"))}
    confidences = []
    for precision in ("fp32", "bf16", "int8"):
        predictor = load("small", device="cpu", precision=precision)
        found = predictor.predict(texts, cache=computed)
        confidences.append({m.key: m.confidence or 0.0 for m in found.corpus.mentions})
    exact = confidences[0]
    for rounded in confidences[1:]:
        same = exact.keys() & rounded.keys()
        assert len(same) > 0.95 * max(len(exact), len(rounded))
        differences = [abs(exact[key] - rounded[key]) for key in same]
        # A mention at the edge of a cluster may come into another one, so the mean may be greater than what is typical.
        assert 0 < np.median(differences) < 0.01
        assert np.mean(differences) < 0.05

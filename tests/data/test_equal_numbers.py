"""The models that ship: events that state the same number, year or date are linked more easily, others less."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

import cdcoref
from cdcoref.corpora import CorpusFolder
from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.language import pair_features
from cdcoref.model import CorefModel
from cdcoref.reading import Readings

INVENTED = Path(__file__).resolve().parents[2] / "data" / "invented"
PAIRS = 2000
TEXTS = (
    ("The", "mayor", "of", "Orrin", "said", "on", "Monday", "that", "12", "explosions", "had", "shaken", "the", "port",
     "."),
    ("Residents", "of", "Orrin", "heard", "12", "explosions", "at", "the", "port", "on", "Monday", "."),
)  # fmt: skip
PHRASES = ((8, 9), (4, 5))


@pytest.mark.parametrize("name", ["small", "base"])
def test_what_is_rarely_stated_counts_in_one_direction(name: str) -> None:
    model = CorefModel.from_pretrained(name)
    options, scorer = model.settings.vectors, model.vector_scorer
    assert scorer is not None
    facts = Readings(CorpusFolder("invented", INVENTED).read("dev").corpus.of_kind("event")).facts
    rng = np.random.default_rng(0)
    pairs = rng.integers(len(facts), size=(PAIRS, 2))
    features = torch.from_numpy(pair_features(options.pair_features, facts, pairs))
    cosines = torch.from_numpy(rng.uniform(-0.2, 1, (PAIRS, options.pair_width - features.shape[1])))
    known = torch.cat([features, cosines.float()], dim=1)
    vectors = torch.from_numpy(rng.normal(size=(len(facts), scorer.columns))).float()

    def logits(column: int, value: float) -> torch.Tensor:
        changed = known.clone()
        changed[:, column] = value
        with torch.inference_mode():
            return scorer(changed, vectors, torch.from_numpy(pairs), "event")

    for fact in ("numbers", "years", "dates"):
        column = options.pair_features.index(fact)
        assert (logits(column, 1.0) > logits(column, 0.0)).all()
        assert (logits(column, -1.0) < logits(column, 0.0)).all()


@pytest.mark.parametrize("name", ["small", "base"])
def test_phrases_with_the_same_number_are_one_event(name: str) -> None:
    documents = tuple(Document.from_sentences(f"d{n}", [text]) for n, text in enumerate(TEXTS))

    def confidences(with_number: bool) -> list[float]:
        mentions = tuple(
            Mention(f"d{n}", phrase if with_number else phrase[1:], "event") for n, phrase in enumerate(PHRASES)
        )
        found = cdcoref.load(name).predict(Corpus(documents, mentions)).corpus.mentions
        assert found[0].cluster == found[1].cluster
        return [mention.confidence or 0.0 for mention in found]

    assert min(confidences(True)) >= min(confidences(False))

"""Training the cross-encoder of upper layers: which pairs are learnt, that it learns, and that a run can be resumed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from cdcoref.corpora import AnnotatedCorpus, annotated_corpora
from cdcoref.corpus import KINDS, Corpus, Document, Mention
from cdcoref.errors import InputError
from cdcoref.inputs import ContextOptions
from cdcoref.model import CorefConfig, CorefModel, VectorOptions
from cdcoref.predict import Predictor
from cdcoref.training import ContextData, ContextTraining, TrainingConfig, loop, train
from cdcoref.training.contexts_data import ReadContexts, hard_pairs
from cdlm.checkpoints import WEIGHTS_FILE
from cdlm.runs import RUN_FILE
from cdlm.settings import with_settings

silent = str


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Sums are the same bit by bit only with the same number of threads."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


NAMES = ("Maren", "Tresk", "Lund", "Olsen")
VERBS = ("sank", "stole", "saw")


def stories(prefix: str, topics: int = 2) -> Corpus:
    """In each topic two documents about each of two happenings of one verb, which only a name tells apart."""
    documents, mentions = [], []
    for topic in range(topics):
        for happening in range(2):
            name = NAMES[(topic + happening) % len(NAMES)]
            for number in range(2):
                id = f"{prefix}{topic}_{happening}_{number}"
                text = [[name, "was", "there", "."], ["The", "ferry", VERBS[topic % len(VERBS)], "today", "."], ["It", "was", "old", "."]]
                documents.append(replace(Document.from_sentences(id, text), topic=str(topic)))
                mentions += [
                    Mention(id, (6,), "event", f"e{topic}{happening}"),
                    Mention(id, (0,), "entity", f"p{topic}{happening}"),
                    Mention(id, (5,), "entity", f"f{topic}{happening}"),
                    Mention(id, (9,), "entity", f"f{topic}{happening}"),
                ]
    return Corpus(tuple(documents), tuple(mentions))


@pytest.fixture(scope="module")
def config(tiny_biased_encoder: Path) -> TrainingConfig:
    return with_settings(
        TrainingConfig(),
        {
            "encoder": str(tiny_biased_encoder), "trained_as": "bi_encoder", "run.steps": 2, "run.save_steps": 3,
            "run.log_steps": 1, "run.precision": "fp32", "bi_encoder.frozen_layers": 1, "bi_encoder.length": 64,
            "bi_encoder.step_tokens": 128, "model.scorer_width": 0, "model.detector_width": 8,
            "model.detector_max_words": 3, "model.detector.word_layers": 2, "model.sequences.max_length": 128,
            "model.detector_max_length": 64, "model.vectors.layers": 2, "model.vectors.earlier_rank": 0,
            "vectors.scorer_steps": 20, "vectors.pack_length": 0, "detector.passes": 1, "int8": True,
            "model.contexts": {"rank": 4, "lower_layers": 1, "opening": 6, "names": 6, "sentence": 16, "width": 16},
            "contexts": {"batch_pairs": 16, "context_passes": 4, "mixed_precision": "fp32", "upper_rate": 5e-3,
                         "new_rate": 1e-2, "other_topics_similarity": 0.0},
        },
    )  # fmt: skip


def test_a_model_from_end_to_end(config: TrainingConfig, tmp_path: Path) -> None:
    said: list[str] = []
    model = train(config, stories("a"), stories("b"), tmp_path / "m", device="cpu", say=said.append)
    print("\n".join(said))
    assert model.context_scorer is not None

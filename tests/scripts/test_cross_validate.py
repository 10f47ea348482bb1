"""Folds over topics: every topic is in one, and a model links the mentions of topics that it has not seen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from cdcoref.corpora import AnnotatedCorpus, annotated_corpora
from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.errors import InputError
from cdcoref.model import CorefConfig, CorefModel, VectorOptions
from cdcoref.training import PRESETS, TrainingConfig, VectorTraining, fit_vectors

WORDS = ["fire", "flood", "storm", "vote", "crash"]


@pytest.fixture(scope="module")
def script(load_script: Callable[[str], ModuleType]) -> ModuleType:
    return load_script("cross_validate")


@pytest.fixture(scope="module")
def part() -> AnnotatedCorpus:
    """Six topics of two documents, in each of which the same word is the same event."""
    documents, mentions = [], []
    for topic in range(6):
        for name in (f"{topic}a", f"{topic}b"):
            documents.append(Document.from_sentences(name, [[w, "the", "b"] for w in WORDS], topic=str(topic)))
            mentions += [Mention(name, (3 * n,), "event", cluster=f"{topic}{w}") for n, w in enumerate(WORDS)]
    return annotated_corpora(Corpus(tuple(documents), tuple(mentions)))[0]


def test_every_topic_is_in_one_fold(script: ModuleType, part: AnnotatedCorpus) -> None:
    folds = script.topics_in_folds(part, 4)
    assert folds == [["0", "4"], ["1", "5"], ["2"], ["3"]]
    for count in (1, 7):
        with pytest.raises(InputError, match="from 2 to 6"):
            script.topics_in_folds(part, count)


def test_a_model_links_topics_that_it_has_not_seen(
    script: ModuleType, part: AnnotatedCorpus, tiny_encoder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[set[str], set[str], Path, bool]] = []

    def topics(of: AnnotatedCorpus) -> set[str]:
        return {document.topic or "" for document in of.corpus.documents}

    def train(
        config: TrainingConfig, parts: list[AnnotatedCorpus], dev: list[AnnotatedCorpus], run: Path, *, resume: bool
    ) -> CorefModel:
        assert dev == [part]
        seen.append((topics(parts[0]), topics(parts[1]), run, resume))
        options = VectorOptions(layers=2, pair_features=("same_words",), vector_width=8)
        model = CorefModel.from_encoder(tiny_encoder, CorefConfig(vectors=options)).eval()
        training = VectorTraining(scorer_steps=300, scorer_pairs=64, scorer_rate=0.01)
        fit_vectors(model, [parts[0]], options, training, batch_tokens=512, seed=0, say=str)
        return model

    monkeypatch.setattr(script, "train", train)
    (tmp_path / "1").mkdir()
    other = replace(part, info=replace(part.info, name="other"))
    config, every = PRESETS["small"], topics(part)
    folds = script.topics_in_folds(part, 3)
    found = [script.judged(config, [part, other], [part], own, tmp_path / str(n)) for n, own in enumerate(folds)]
    assert seen == [
        ({"1", "2", "4", "5"}, every, tmp_path / "0", False),
        ({"0", "2", "3", "5"}, every, tmp_path / "1", True),
        ({"0", "1", "3", "4"}, every, tmp_path / "2", False),
    ]
    assert [scores["event", "gold_topic"] for scores in found] == [pytest.approx((100, 100))] * 3


def test_the_table_has_every_fold_and_the_mean(script: ModuleType) -> None:
    folds = [{("event", "gold_topic"): (80.0, 70.0)}, {("event", "gold_topic"): (85.0, 76.0)}]
    assert script.table(folds).splitlines()[2] == "| event, gold topic | 80.0 / 70.0 | 85.0 / 76.0 | 82.5 / 73.0 |"

"""Folds over topics: every topic is in one, and mentions of a topic are compared by scorers that have not seen it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from cdcoref.corpora import AnnotatedCorpus, annotated_corpora
from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.linking import read_vectors
from cdcoref.model import CorefConfig, CorefModel, VectorOptions
from cdcoref.training import TrainingConfig, VectorTraining, fit_vectors, pair_examples

WORDS = ["fire", "flood", "storm", "vote", "crash"]


@pytest.fixture(scope="module")
def script(load_script: Callable[[str], ModuleType]) -> ModuleType:
    return load_script("cross_validate")


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    """Six topics of two documents, in each of which the same word is the same event."""
    documents, mentions = [], []
    for topic in range(6):
        for name in (f"{topic}a", f"{topic}b"):
            documents.append(Document.from_sentences(name, [[w, "the", "b"] for w in WORDS], topic=str(topic)))
            mentions += [Mention(name, (3 * n,), "event", cluster=f"{topic}{w}") for n, w in enumerate(WORDS)]
    return Corpus(tuple(documents), tuple(mentions))


def test_every_topic_is_in_one_fold(script: ModuleType, corpus: Corpus) -> None:
    folds = script.folds_of(corpus, 4)
    assert [len(fold) for fold in folds] == [2, 2, 1, 1]
    assert sorted(topic for fold in folds for topic in fold) == ["0", "1", "2", "3", "4", "5"]


def test_what_holds_in_all_topics_is_learnt_from_the_others(
    script: ModuleType, corpus: Corpus, tiny_encoder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick = VectorTraining(scorer_steps=300, scorer_pairs=64, scorer_rate=0.01)
    monkeypatch.setattr(script, "RECIPE", replace(script.RECIPE, vectors=quick))
    seen: list[int] = []
    fit = script.fit_pair_scorers
    monkeypatch.setattr(
        script,
        "fit_pair_scorers",
        lambda model, told, *rest, **named: (
            seen.append(len(told[0][1]["event"].labels)),
            fit(model, told, *rest, **named),
        ),
    )
    options = VectorOptions(layers=2, pair_features=("same_words",), vector_width=8, cross_encoder_kinds=())
    model = CorefModel.from_encoder(tiny_encoder, CorefConfig(vectors=options)).eval()
    (part,) = annotated_corpora(corpus)
    told = pair_examples(model, part, batch_tokens=512)
    vectors = read_vectors(model, corpus, batch_tokens=512)
    scores = script.one_round(model, part, vectors, told, [], script.folds_of(corpus, 3), 0)
    assert seen == [4 * 45] * 3  # the pairs of four topics: ten mentions in each
    assert scores["event"] == pytest.approx([100, 100])
    assert scores["entity"] == [0, 0]


@pytest.mark.parametrize("with_invented", [False, True])
def test_whole_models_are_judged_on_the_fold_that_they_have_not_seen(
    script: ModuleType,
    corpus: Corpus,
    tiny_encoder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    with_invented: bool,
) -> None:
    """With Invented Texts the heads are the default model's."""
    trained: list[tuple[set[str], list[str], Path, int]] = []

    def topics_of(part: AnnotatedCorpus) -> set[str]:
        return {document.topic or "" for document in part.corpus.documents}

    def train(
        config: TrainingConfig, parts: list[AnnotatedCorpus], dev: list[AnnotatedCorpus], run: Path, *, resume: bool
    ) -> CorefModel:
        assert topics_of(dev[0]) == {"0"}
        assert not resume
        assert config.int8
        assert ("event" in config.model.vectors.learnt_shares, config.model.vectors.candidates) == (with_invented, 0)
        trained.append((topics_of(parts[0]), [part.info.name for part in parts[1:]], run, config.run.seed))
        options = VectorOptions(layers=2, pair_features=("same_words",), vector_width=8, candidates=0)
        model = CorefModel.from_encoder(tiny_encoder, CorefConfig(vectors=options)).eval()
        training = VectorTraining(scorer_steps=300, scorer_pairs=64, scorer_rate=0.01)
        fit_vectors(model, model.encoder, parts, options, training, batch_tokens=512, seed=0, say=str)
        return model

    monkeypatch.setattr(script, "train", train)
    (part,) = annotated_corpora(corpus)
    others = [replace(part, info=replace(part.info, name="invented"))] if with_invented else []
    scores = script.whole_round(part, part, others, script.folds_of(corpus, 3), tmp_path, 5)
    names = [other.info.name for other in others]
    assert trained == [
        ({"1", "2", "4", "5"}, names, tmp_path / "0", 5),
        ({"0", "2", "3", "5"}, names, tmp_path / "1", 6),
        ({"0", "1", "3", "4"}, names, tmp_path / "2", 7),
    ]
    assert scores["event"] == pytest.approx([100, 100])
    assert scores["entity"] == [0, 0]

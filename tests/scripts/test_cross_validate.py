"""Folds over topics: every topic is in one, and mentions of a topic are compared by scorers that have not seen it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from cdcoref.corpora import AnnotatedCorpus, annotated_corpora
from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.linking import read_vectors
from cdcoref.model import CorefConfig, CorefModel, VectorOptions
from cdcoref.training import TrainingConfig, VectorTraining, fit_vectors, known_pairs

SCRIPTS = Path(__file__).parents[2] / "scripts"
WORDS = ["fire", "flood", "storm", "vote", "crash"]


@pytest.fixture(scope="module")
def script(load_script: Callable[[str], ModuleType]) -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(SCRIPTS))  # it imports another script, as a script may
        yield load_script("cross_validate")


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
    monkeypatch.setattr(script, "VECTORS", VectorTraining(scorer_steps=300, scorer_pairs=64, scorer_rate=0.01))
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
    told = known_pairs(model, part, batch_tokens=512)
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
    """With Invented Texts the encoder sees some of it, the heads see the rest, and both are the default model's."""
    trained: list[tuple[set[str], Path, int]] = []
    others: list[tuple[list[str], int]] = []

    def topics_of(part: AnnotatedCorpus) -> set[str]:
        return {document.topic or "" for document in part.corpus.documents}

    def with_vectors(
        _: None, parts: list[AnnotatedCorpus], chosen: CorefConfig, fitting: VectorTraining, seed: int
    ) -> CorefModel:
        others.append(([part.info.name for part in parts[1:]], chosen.vectors.starts))
        options = VectorOptions(layers=2, pair_features=("same_words",), vector_width=8, candidates=0)
        model = CorefModel.from_encoder(tiny_encoder, CorefConfig(vectors=options)).eval()
        training = VectorTraining(scorer_steps=300, scorer_pairs=64, scorer_rate=0.01)
        fit_vectors(model, model.encoder, parts, options, training, batch_tokens=512, seed=0, say=str)
        assert topics_of(parts[0]) == trained[-1][0]
        return model

    def train_encoder(
        config: TrainingConfig, parts: list[AnnotatedCorpus], dev: AnnotatedCorpus, run: Path, *, resume: bool
    ) -> None:
        assert topics_of(dev) == {"0"}
        assert not resume
        trained.append((topics_of(parts[0]), run, config.run.seed))
        others.append(([part.info.name for part in parts[1:]], config.model.vectors.starts))

    monkeypatch.setattr(script, "train_encoder", train_encoder)
    monkeypatch.setattr(script, "with_vectors", with_vectors)
    (part,) = annotated_corpora(corpus)
    invented = tuple(replace(part, info=replace(part.info, name=name)) for name in ("seen", "unseen"))
    folds = script.folds_of(corpus, 3)
    scores = script.whole_round(part, part, [], folds, tmp_path, 5, invented if with_invented else None)
    assert others == ([(["seen"], 2), (["unseen"], 2)] if with_invented else [([], 1), ([], 1)]) * 3
    assert trained == [
        ({"1", "2", "4", "5"}, tmp_path / "0", 5),
        ({"0", "2", "3", "5"}, tmp_path / "1", 6),
        ({"0", "1", "3", "4"}, tmp_path / "2", 7),
    ]
    assert scores["event"] == pytest.approx([100, 100])
    assert scores["entity"] == [0, 0]

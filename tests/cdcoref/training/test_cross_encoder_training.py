"""Training the cross-encoder of upper layers: which pairs are learnt, that it learns, and that a run can be resumed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from cdcoref.corpora import AnnotatedCorpus, annotated_corpora
from cdcoref.corpus import KINDS, Corpus, Document, Mention
from cdcoref.errors import InputError
from cdcoref.model import CorefModel
from cdcoref.predict import Predictor
from cdcoref.training import (
    ContextData,
    ContextLearner,
    ContextTraining,
    ReadContexts,
    TrainingConfig,
    hard_pairs,
    train,
)
from cdlm.checkpoints import WEIGHTS_FILE
from cdlm.runs import RUN_FILE
from cdlm.settings import with_settings

pytestmark = pytest.mark.usefixtures("one_thread")
silent = str


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
                text = [
                    [name, "was", "there", "."],
                    ["The", "ferry", VERBS[topic % len(VERBS)], "today", "."],
                    ["It", "was", "old", "."],
                ]
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
            "encoder": str(tiny_biased_encoder), "run.steps": 2, "run.save_steps": 3,
            "run.log_steps": 1, "run.precision": "fp32", "bi_encoder.frozen_layers": 1, "bi_encoder.length": 64,
            "bi_encoder.step_tokens": 128, "model.detector_width": 8,
            "model.detector_max_words": 3, "model.detector.word_layers": 2, "model.sequences.max_length": 128,
            "model.detector_max_length": 64, "model.vectors.layers": 2,
            "vectors.scorer_steps": 20, "detector.passes": 1, "int8": True,
            "model.contexts": {"rank": 4, "lower_layers": 1, "opening": 6, "names": 6, "sentence": 16, "width": 16},
            "contexts": {"batch_pairs": 16, "context_passes": 4, "upper_rate": 5e-3,
                         "new_rate": 1e-2, "other_topics_similarity": 0.0},
        },
    )  # fmt: skip


@pytest.fixture(scope="module")
def reference(config: TrainingConfig, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """The folder of a run that nothing interrupts, and the lines of its progress."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    lines: list[str] = []
    folder = tmp_path_factory.mktemp("trained") / "model"
    train(config, stories("a"), stories("b"), folder, device="cpu", say=lines.append)
    torch.set_num_threads(before)
    return folder, lines


@pytest.fixture
def model(config: TrainingConfig, tiny_biased_encoder: Path) -> CorefModel:
    """An untrained model that is ready to learn."""
    torch.manual_seed(6)
    return CorefModel.from_encoder(tiny_biased_encoder, replace(config.model, detector_width=0))


def data_of(model: CorefModel, parts: Sequence[AnnotatedCorpus], **options: Any) -> ContextData:
    training = ContextTraining(**{"batch_pairs": 8, "other_topics_similarity": 0.0, **options})
    return ContextData(model, parts, training, seed=0)


def mentions(kinds: str, clusters: str, groups: str, heads: str, angles: Sequence[float]) -> ReadContexts:
    """Mentions by one letter or figure each, whose vectors are those at some angles of a circle, in degrees."""
    numbered = [np.array(list(map(ord, of)), dtype=np.int64) for of in (kinds, clusters, groups, heads)]
    numbered[0] = np.array(list(map(int, kinds)), dtype=np.int64)
    turned = torch.tensor(angles).deg2rad()
    return ReadContexts([], np.zeros(0, dtype=np.int64), torch.stack([turned.cos(), turned.sin()], dim=1), *numbered)


def pairs(read: ReadContexts, other_topics: int = 0, **options: Any) -> set[tuple[int, int]]:
    none = {"nearest": 1, "same_head": 0, "same_cluster": 0}
    found = hard_pairs(read, ContextTraining(**{**none, **options}), other_topics, np.random.default_rng(0))
    result = {(int(one), int(other)) for one, other in found}
    assert len(result) == len(found)
    assert all(one < other for one, other in result)
    return result


def test_the_nearest_of_a_kind_and_group_are_compared() -> None:
    read = mentions("0000011", "abcdefg", "xxxyyxx", "abcdefg", [0, 10, 30, 5, 12, 1, 90])
    assert pairs(read) == {(0, 1), (1, 2), (3, 4), (5, 6)}
    assert pairs(read, nearest=2) == {(0, 1), (0, 2), (1, 2), (3, 4), (5, 6)}


def test_equal_heads_and_clusters_are_compared_as_often_as_there_is_room() -> None:
    read = mentions("000000", "aaabcd", "xxxxxx", "mnoppp", [0, 2, 60, 62, 120, 122])
    nearest = {(0, 1), (2, 3), (4, 5)}
    assert pairs(read) == nearest
    assert pairs(read, same_head=1) == nearest | {(3, 4), (3, 5)}
    assert pairs(read, same_cluster=1) == nearest | {(0, 2), (1, 2)}
    many = mentions("0" * 20, "a" * 20, "x" * 20, "".join(map(chr, range(97, 117))), [float(n) for n in range(20)])
    assert len(pairs(many, same_cluster=1) - pairs(many)) <= 20
    assert len(pairs(many, same_cluster=100)) == 190


def test_events_of_other_topics_are_compared_if_they_are_alike() -> None:
    read = mentions("000011", "abcdef", "xxyyxy", "abcdef", [0, 50, 2, 200, 0, 0])
    within = {(0, 1), (2, 3)}
    assert pairs(read, other_topics_similarity=0.2) == within
    assert pairs(read, other_topics=1, other_topics_similarity=0.2) == within | {(0, 2), (1, 2)}
    assert pairs(read, other_topics=9, other_topics_similarity=0.999) == within | {(0, 2)}


def test_pairs_of_corpora(model: CorefModel) -> None:
    """Pronouns are left out, and labels are those of the clusters."""
    corpus = stories("a")
    (part,) = annotated_corpora(corpus)
    data = data_of(model, [part])
    events = data.kind_of == KINDS.index("event")
    # Four events in each of two topics; all of them are alike enough.
    assert events.sum() == 8 * 7 / 2
    assert data.labels[events].sum() == 4
    # Each topic has eight names and nouns; no event of one topic is compared with the other's.
    assert (~events).sum() == 2 * 8 * 7 / 2
    assert data.labels[~events].sum() == 8
    assert data_of(model, [part.of_kind("event")]).pairs.shape == (28, 2)
    within = AnnotatedCorpus(corpus, replace(part.info, cross_document=False))
    alone = data_of(model, [within])
    assert alone.pairs.shape == (8, 2)  # the two names and nouns of each document
    assert not alone.labels.any()


def test_an_epoch_sees_shares_of_the_pairs_in_whole_batches(model: CorefModel) -> None:
    (part,) = annotated_corpora(stories("a"))
    (second,) = annotated_corpora(stories("c"))
    second = replace(second, info=replace(second.info, name="second"))
    data = data_of(model, [part, second], corpus_shares={"second": 0.5})
    assert len(data) == -(-(84 + 42) // 8)
    epochs = []
    for epoch in (0, 1, 0):
        data.set_epoch(epoch)
        epochs.append([(data[n].inputs.lengths, data[n].labels.tolist()) for n in range(len(data))])
        assert sorted(len(labels) for _, labels in epochs[-1]) == [6, *[8] * 15]
    assert epochs[0] == epochs[2] != epochs[1]


def test_a_sample_has_pairs_of_each_corpus_and_kind(model: CorefModel) -> None:
    data = data_of(model, annotated_corpora(stories("a")))
    everything = [number for chosen, _ in data.sample(100) for number in chosen.tolist()]
    assert sorted(everything) == list(range(84))
    some = np.concatenate([chosen for chosen, _ in data.sample(5)])
    assert sorted(data.kind_of[some].tolist()) == [0] * 5 + [1] * 5
    assert some.tolist() == np.concatenate([chosen for chosen, _ in data.sample(5)]).tolist()


@pytest.mark.parametrize(("pairs", "batches", "size"), [(512, 16, 32), (100, 4, 25), (8, 1, 8)])
def test_the_pairs_of_a_step_are_read_in_small_batches(pairs: int, batches: int, size: int) -> None:
    training = ContextTraining(batch_pairs=pairs)
    assert (training.batches_of_step, training.pairs_of_batch) == (batches, size)


def test_nothing_to_learn_from_is_refused(model: CorefModel) -> None:
    lonely = Corpus(stories("a").documents, stories("a").mentions[:1])
    with pytest.raises(InputError, match="no two mentions can be compared"):
        data_of(model, annotated_corpora(lonely))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"contexts.corpus_shares.gum": 0.5}, r"contexts\.corpus_shares has a weight for 'gum', but"),
        ({"vectors.layers": 0}, "model.contexts needs a bi-encoder"),
        ({"lower_layers": 3}, r"contexts\.lower_layers is 3, but the encoder has 3 layers"),
    ],
)
def test_what_cannot_be_trained(config: TrainingConfig, tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        train(with_settings(config, changes), stories("a"), stories("b"), tmp_path / "m", device="cpu", say=silent)
    assert not (tmp_path / "m").exists()


def test_it_learns_its_own_pairs_and_the_encoder_stays(model: CorefModel) -> None:
    before = {name: weight.clone() for name, weight in model.encoder.state_dict().items()}
    data = data_of(model, annotated_corpora(stories("a").of_kind("event")), batch_pairs=28)
    assert model.context_scorer is not None
    learner = ContextLearner(model.encoder, model.context_scorer)
    untrained = learner.average_precisions(data, "fp32")
    learner.train()
    optimiser = torch.optim.AdamW(learner.parameters(), lr=1e-2)
    losses = []
    batch = data[0]
    for _ in range(50):
        loss = learner(batch)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(float(loss.detach()))
    assert losses[-1] < 0.5 * losses[0]
    trained = learner.eval().average_precisions(data, "fp32")
    assert set(trained) == {"own_event"}
    assert trained["own_event"] > 0.95
    assert untrained["own_event"] < 0.6
    assert all(torch.equal(weight, before[name]) for name, weight in model.encoder.state_dict().items())
    assert all(weight.grad is None for weight in model.encoder.parameters())


def test_a_model_from_end_to_end(reference: tuple[Path, list[str]], config: TrainingConfig) -> None:
    folder, lines = reference
    assert "training the cross-encoder of upper layers" in lines
    assert any(line.startswith("contexts: 84 pairs, 14% of them coreferent; 6 steps a pass") for line in lines)
    assert sum("dev average precision" in line for line in lines) == 4
    assert {path.name for path in (folder / "logs").iterdir() if path.is_dir()} == {"contexts"}
    assert not (folder / "contexts").exists()
    run = json.loads((folder / RUN_FILE).read_text())
    assert with_settings(TrainingConfig(), run["configuration"]) == config
    assert run["contexts"]["best_epoch"] in (1, 2, 3, 4)
    assert set(run["contexts"]["dev"]) == {"own_event", "own_entity"}
    model = CorefModel.from_pretrained(folder)
    assert model.settings.contexts == config.model.contexts
    # How much it counts has been chosen.
    for kind in KINDS:
        combination = model.settings.vectors.combine.of_kind(kind)
        assert combination.cross_encoder_weight != type(combination)().cross_encoder_weight
    prediction = Predictor(model).predict(stories("b"))
    assert {mention.cluster for mention in prediction.corpus.mentions}


class Killed(BaseException):
    """Stops a run where it is, as a signal would, but for what is undone on the way out."""


def test_an_interrupted_run_ends_with_the_same_weights(
    config: TrainingConfig, reference: tuple[Path, list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped amid the second pass over the pairs."""
    forward, left = ContextLearner.forward, 10

    def stopped(*arguments: Any, **options: Any) -> Any:
        nonlocal left
        left -= 1
        if left < 0:
            raise Killed
        return forward(*arguments, **options)

    corpora = stories("a"), stories("b")
    with monkeypatch.context() as patched:
        patched.setattr(ContextLearner, "forward", stopped)
        with pytest.raises(Killed):
            train(config, *corpora, tmp_path / "m", device="cpu", say=silent)
    lines: list[str] = []
    train(config, *corpora, tmp_path / "m", resume=True, device="cpu", say=lines.append)
    assert "resuming from checkpoint-9" in lines
    for file in (WEIGHTS_FILE, RUN_FILE):
        assert (tmp_path / "m" / file).read_bytes() == (reference[0] / file).read_bytes()
    assert not (tmp_path / "m" / "contexts").exists()

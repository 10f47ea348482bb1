"""Training the bi-encoder: what a batch holds, the losses, frozen layers, and a model from end to end."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from safetensors.torch import load_file
from scipy.stats import entropy

from cdcoref.corpora import AnnotatedCorpus, annotated_corpora
from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.errors import InputError
from cdcoref.model import CorefConfig, CorefModel, model_fingerprint
from cdcoref.predict import Predictor
from cdcoref.training import (
    BiEncoderData,
    BiEncoderLearner,
    BiEncoderTraining,
    TrainingConfig,
    contrastive_loss,
    distillation_loss,
    train,
)
from cdlm.runs import RUN_FILE
from cdlm.settings import with_settings
from tests.cdcoref.conftest import annotated

LARGE = 500_000
"""Words or positions whose vectors take more than 60 MB; weights that do are divided into several files."""
OPTIONS = BiEncoderTraining(length=64, step_tokens=96)


@pytest.fixture(scope="module")
def model(tiny_encoder: Path) -> CorefModel:
    torch.manual_seed(3)
    return CorefModel.from_encoder(tiny_encoder, CorefConfig(scorer_width=0, detector_width=0))


@pytest.fixture(scope="module")
def stories() -> Corpus:
    """Two topics, of two documents each; one event crosses the documents of each topic."""
    documents, mentions = [], []
    for topic, (verb, noun) in enumerate((("sank", "ferry"), ("stole", "painting"))):
        for number in range(2):
            id = f"{topic}_{number}"
            text = [["The", noun, verb, "today", "."], ["It", "was", "old", "."]]
            documents.append(replace(Document.from_sentences(id, text), topic=str(topic)))
            mentions += [
                Mention(id, (2,), "event", f"e{topic}"),
                Mention(id, (0, 1), "entity", f"n{topic}"),
                Mention(id, (5,), "entity", f"n{topic}"),
            ]
    return Corpus(tuple(documents), tuple(mentions))


def data_of(model: CorefModel, corpus: Corpus, options: BiEncoderTraining = OPTIONS) -> BiEncoderData:
    parts = annotated_corpora(corpus)
    return BiEncoderData(model.tokenizer, model.encoder.config.pad_token_id, parts, options, 0)


def test_a_batch_says_what_is_annotated(model: CorefModel, stories: Corpus) -> None:
    data = data_of(model, stories, replace(OPTIONS, step_tokens=1000))
    assert len(data) == 1
    batch = data[0]
    assert len(batch.starts) == 12
    assert batch.pronouns.sum() == 4
    assert torch.bincount(batch.mention_of_word).tolist().count(2) == 4  # "The ferry"
    same, comparable = batch.relations()
    events = batch.kinds == 0
    # Events of all topics are compared, entities within a topic.
    assert comparable[events][:, events].sum() == 4 * 3
    entities = ~events
    assert comparable[entities][:, entities].sum() == 2 * 4 * 4 - 8
    assert (same & comparable)[events].sum() == 4
    for kind, first, last in ((0, 2, 2), (1, 0, 1), (1, 5, 5)):
        assert batch.bounds[first, kind, 0] == batch.bounds[last, kind, 1] == 1
    assert batch.bounds.sum() == 2 * 12


def test_documents_without_links_between_them_are_not_compared(model: CorefModel, stories: Corpus) -> None:
    (part,) = annotated_corpora(stories)
    within = AnnotatedCorpus(part.corpus, replace(part.info, cross_document=False))
    batch = BiEncoderData(model.tokenizer, 0, [within], replace(OPTIONS, step_tokens=1000), 0)[0]
    same, comparable = batch.relations()
    of_one = batch.documents[:, None] == batch.documents[None]
    assert not comparable[~of_one].any()
    # A cluster's name holds within its document.
    assert not same[~of_one].any()


def test_an_epoch_reads_every_document_once_and_no_batch_is_longer(model: CorefModel, stories: Corpus) -> None:
    data = data_of(model, stories)
    batches = [data[number] for number in range(len(data))]
    assert sum(len(batch.starts) for batch in batches) == len(stories.mentions)
    assert max(int(batch.inputs.attention_mask.sum()) for batch in batches) <= 1.1 * 96
    again = data_of(model, stories)
    for number, batch in enumerate(batches):
        assert torch.equal(batch.inputs.input_ids, again[number].inputs.input_ids)
    twice = data_of(model, stories, replace(OPTIONS, corpus_shares={annotated_corpora(stories)[0].info.name: 2.0}))
    assert sum(len(twice[number].starts) for number in range(len(twice))) == 2 * len(stories.mentions)


def test_nothing_annotated_is_refused(model: CorefModel, stories: Corpus) -> None:
    with pytest.raises(InputError, match="no mention"):
        data_of(model, replace(stories, mentions=()))


@given(st.integers(2, 9), st.integers(0, 1000))
def test_the_contrastive_loss_is_that_of_its_definition(count: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=(count, 4))
    clusters = rng.integers(0, 3, count)
    comparable = rng.random((count, count)) < 0.8
    comparable = (comparable | comparable.T) & ~np.eye(count, dtype=bool)
    same = clusters[:, None] == clusters[None]
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    weights = np.exp(unit @ unit.T / 0.5)
    losses = []
    for one in range(count):
        others = [other for other in range(count) if comparable[one, other]]
        right = [other for other in others if same[one, other]]
        if right and len(right) < len(others):
            total = sum(weights[one, other] for other in others)
            losses.append(-sum(np.log(weights[one, other] / total) for other in right) / len(right))
    found = contrastive_loss(torch.tensor(vectors), torch.tensor(same), torch.tensor(comparable), 0.5)
    assert float(found) == pytest.approx(np.mean(losses) if losses else 0.0, rel=1e-5, abs=1e-6)


@given(st.integers(2, 7), st.integers(0, 1000))
def test_the_distillation_loss_is_the_divergence_from_the_teacher(count: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    student, teacher = rng.normal(size=(count, 4)), rng.normal(size=(count, 6))
    others = ~np.eye(count, dtype=bool)

    def shares(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
        unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        weights = np.exp(unit @ unit.T / 0.5)[others].reshape(count, count - 1)
        return weights / weights.sum(axis=1, keepdims=True)

    expected = entropy(shares(teacher), shares(student), axis=1).mean()
    found = distillation_loss(torch.tensor(student), torch.tensor(teacher), 0.5)
    assert float(found) == pytest.approx(expected, rel=1e-4, abs=1e-6)
    rotation = np.linalg.qr(rng.normal(size=(4, 4)))[0]
    turned = distillation_loss(torch.tensor(student @ rotation), torch.tensor(student), 0.5)
    assert float(turned) == pytest.approx(0, abs=1e-5)


def test_words_are_those_of_the_whole_encoder(model: CorefModel, stories: Corpus) -> None:
    learner = BiEncoderLearner(model.encoder, 1, 1).eval()
    inputs = data_of(model, stories)[0].inputs
    with torch.no_grad():
        whole = BiEncoderLearner(model.encoder, 1, 0).eval().words(inputs)
        for _ in range(2):  # the second time from what was kept
            torch.testing.assert_close(learner.words(inputs), whole, atol=2e-3, rtol=2e-3)


def test_the_upper_layers_learn_alone(tiny_encoder: Path, stories: Corpus) -> None:
    torch.manual_seed(0)
    model = CorefModel.from_encoder(tiny_encoder, CorefConfig(scorer_width=0, detector_width=0))
    before = {name: weight.clone() for name, weight in model.encoder.named_parameters()}
    learner = BiEncoderLearner(model.encoder, 1, 1)
    optimiser = torch.optim.AdamW((p for p in learner.parameters() if p.requires_grad), lr=1e-2)
    data = data_of(model, stories, replace(OPTIONS, step_tokens=1000))
    losses = []
    for _ in range(12):
        loss = learner(data[0])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(float(loss.detach()))
    assert losses[-1] < 0.7 * losses[0]
    changed = {name for name, weight in model.encoder.named_parameters() if not torch.equal(weight, before[name])}
    assert changed
    assert all(name.startswith("encoder.layer.") and not name.startswith("encoder.layer.0.") for name in changed)


def test_large_weights_are_divided_and_heads_have_a_file_of_their_own(tiny_model: CorefModel, tmp_path: Path) -> None:
    large = copy.deepcopy(tiny_model)
    large.encoder.resize_token_embeddings(LARGE)
    large.save_pretrained(tmp_path / "model", "card")
    files = sorted(path.name for path in (tmp_path / "model").glob("*.safetensors"))
    assert len(files) > 2
    held = [set(load_file(tmp_path / "model" / file)) for file in files]
    assert all(name.startswith("encoder.") for names in held[:-1] for name in names)
    assert not any(name.startswith("encoder.") for name in held[-1])
    again = CorefModel.from_pretrained(tmp_path / "model").state_dict()
    assert all(torch.equal(weight, again[name]) for name, weight in large.state_dict().items())
    (tmp_path / "model" / files[0]).unlink()
    with pytest.raises(InputError, match="which is missing"):
        CorefModel.from_pretrained(tmp_path / "model")


def test_a_model_from_end_to_end(tiny_encoder: Path, tmp_path: Path) -> None:
    learnt = _clustered("train", 3)
    dev = _clustered("dev", 2)
    config = with_settings(
        TrainingConfig(),
        {
            "encoder": str(tiny_encoder), "run.steps": 3, "run.save_steps": 2,
            "run.precision": "fp32", "bi_encoder.length": 64,
            "bi_encoder.step_tokens": 128, "model.scorer_width": 0, "model.detector_width": 8,
            "model.detector_max_words": 3, "model.detector.word_layers": 2, "model.sequences.max_length": 128,
            "model.detector_max_length": 64, "model.vectors.layers": 2,
            "vectors.scorer_steps": 20,
            "detector.passes": 1, "int8": True,
        },
    )  # fmt: skip
    said: list[str] = []
    model = train(config, learnt, dev, tmp_path / "model", device="cpu", say=said.append)
    assert any("average precision" in line for line in said)
    assert model.pair_scorer is None
    run = json.loads((tmp_path / "model" / RUN_FILE).read_text())
    assert set(run["versions"]) == {"cdcoref", "numpy", "torch"}
    assert "teacher" not in run
    prediction = Predictor(CorefModel.from_pretrained(tmp_path / "model")).predict(dev)
    assert {mention.cluster for mention in prediction.corpus.mentions}
    taught = with_settings(config, {"bi_encoder.teacher": str(tmp_path / "model")})
    said.clear()
    student = train(taught, learnt, dev, tmp_path / "student", device="cpu", say=said.append)
    assert any(f"reads {len(learnt.documents)} documents" in line for line in said)
    teacher = json.loads((tmp_path / "student" / RUN_FILE).read_text())["teacher"]
    assert teacher == {"name": str(tmp_path / "model"), "fingerprint": model_fingerprint(model, with_precision=False)}
    first, second = (m.encoder.state_dict() for m in (model, student))
    assert any(not torch.equal(first[name], second[name]) for name in first)


def test_a_teacher_without_a_bi_encoder_is_refused(tiny_encoder: Path, tmp_path: Path) -> None:
    CorefModel.from_encoder(tiny_encoder, CorefConfig()).save_pretrained(tmp_path / "teacher", "a card")
    settings = {"encoder": str(tiny_encoder), "run.steps": 1}
    config = with_settings(TrainingConfig(), {**settings, "bi_encoder.teacher": str(tmp_path / "teacher")})
    with pytest.raises(InputError, match="no bi-encoder"):
        train(config, _clustered("train", 2), _clustered("dev", 2), tmp_path / "model", device="cpu")


def _clustered(name: str, count: int) -> Corpus:
    """Documents whose equal words are one cluster."""
    parts = [
        annotated(f"{name}{n}", "The ferry sank in a storm .", "Police arrested the captain .") for n in range(count)
    ]
    mentions = []
    documents = []
    for part in parts:
        documents += [replace(document, topic="1") for document in part.documents]
        words = {document.id: document.tokens for document in part.documents}
        mentions += [replace(m, cluster=f"{m.kind}-{words[m.document][m.tokens[-1]]}") for m in part.mentions]
    return Corpus(tuple(documents), tuple(mentions))

"""Steps of a fixed number of pairs, as in the paper: what an epoch reads, counted by hand, and the weight of a pair."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn.functional import binary_cross_entropy_with_logits

from cdcoref.corpus import EVENT, Corpus, Document, Mention
from cdcoref.errors import InputError
from cdcoref.evaluation import evaluate
from cdcoref.inputs import SequenceOptions
from cdcoref.model import CorefModel, LabelledBatch
from cdcoref.predict import Predictor
from cdcoref.training import PRESETS, SamplingOptions, TrainingConfig, TrainingData, train
from cdlm.settings import with_settings

PAPER = PRESETS["paper"]


def corpus(prefix: str = "", topics: str = "12") -> Corpus:
    """Topics of two subtopics with three documents each; some clusters stay in a subtopic and some do not."""
    documents, mentions = [], []
    for topic, part, number in product(topics, "ab", range(3)):
        name = f"{prefix}{topic}{part}{number}"
        words = [["the", "ferry", "sank", "on", "friday"], ["police", "said", "so", "late"]]
        documents.append(Document.from_sentences(name, words, topic=topic, subtopic=f"{topic}{part}"))
        mentions += [
            Mention(name, (2,), EVENT, f"{topic} sinking"),
            Mention(name, (3,), EVENT, None),
            Mention(name, (6,), EVENT, f"{topic}{part} statement"),
            Mention(name, (7, 8), EVENT, f"{name} own"),
        ]
    return Corpus(tuple(documents), tuple(mentions))


def pairs_by_hand(documents: Corpus) -> dict[frozenset[int], bool]:
    """All pairs of mentions of one topic, by number, and whether they corefer."""
    topic = {d.id: d.topic for d in documents.documents}
    numbered = list(enumerate(documents.mentions))
    return {
        frozenset((n, m)): one.cluster is not None and one.cluster == other.cluster
        for (n, one), (m, other) in combinations(numbered, 2)
        if topic[one.document] == topic[other.document]
    }


def data(encoder: Path, documents: Corpus, batches_of_step: int = 1, **options: Any) -> TrainingData:
    config = replace(PAPER.model, sequences=SequenceOptions(max_length=128), scorer_width=4)
    model = CorefModel.from_encoder(encoder, config)
    return TrainingData(model, documents, SamplingOptions(**options), 3, batches_of_step)


def pairs_of(training: TrainingData, epoch: int) -> tuple[list[frozenset[int]], list[bool], list[int]]:
    """The pairs of an epoch and their labels, batch by batch, and how many each batch has."""
    training.set_epoch(epoch)
    pairs, labels, sizes = [], [], []
    for place in range(len(training)):
        batch = training[place]
        sizes.append(len(batch.labels))
        assert len(batch.inputs.input_ids) == sizes[-1]
        labels += [bool(label) for label in batch.labels]
        pairs += [frozenset(pair) for pair in training.pairs[training._batches[place]].tolist()]
    return pairs, labels, sizes


@pytest.mark.parametrize(("step", "batches", "ratio"), [(8, 4, 1.5), (16, 1, 2.0), (1, 1, 0.5), (32, 8, 0.0)])
def test_epochs_have_all_positives_some_negatives(tiny_encoder: Path, step: int, batches: int, ratio: float) -> None:
    documents = corpus()
    expected = pairs_by_hand(documents)
    positives = {pair for pair, coreferent in expected.items() if coreferent}
    group = {d.id: d.subtopic for d in documents.documents}
    crossing = {pair for pair in expected if len({group[documents.mentions[number].document] for number in pair}) == 2}
    assert positives & crossing
    training = data(tiny_encoder, documents, batches, step_pairs=step, negatives=ratio)
    drawn = []
    for epoch in (0, 1, 5):
        pairs, labels, sizes = pairs_of(training, epoch)
        assert set(sizes) == {step // batches}
        assert len(sizes) % batches == 0
        assert len(set(pairs)) == len(pairs)
        assert set(pairs) <= expected.keys()
        assert [expected[pair] for pair in pairs] == labels
        assert positives <= set(pairs)
        negatives = len(pairs) - len(positives)
        wanted = ratio * len(positives) if ratio else len(expected) - len(positives)
        assert abs(negatives - wanted) <= (step / 2 if ratio else step)
        drawn.append(set(pairs) - positives)
    share = np.mean([len(found & crossing) / len(found) for found in drawn])
    assert share == pytest.approx(len(crossing - positives) / (len(expected) - len(positives)), abs=0.12)
    if ratio:
        assert drawn[0] != drawn[1]


def test_too_few_negatives_are_said_and_used(tiny_encoder: Path) -> None:
    expected = pairs_by_hand(corpus())
    positives = sum(expected.values())
    training = data(tiny_encoder, corpus(), step_pairs=8, negatives=20.0)
    there = (len(expected) - positives) / positives
    assert any(f"{there:.1f} negative pairs per positive one, fewer than" in note for note in training.notes)
    pairs, labels, _ = pairs_of(training, 0)
    assert sum(labels) == positives
    assert len(expected) - 8 < len(pairs) <= len(expected)


@pytest.mark.parametrize(
    ("clusters", "ratio", "step", "batches"),
    [
        ("aa", 3.0, 8, 4),  # a single pair
        ("aaaaaaa", 3.0, 4, 2),  # no others
        ("aaaaaaa", 3.0, 32, 8),  # fewer than a step has; some are drawn again
        ("aaabbbccde", 0.5, 8, 4),
        ("aaabbbccde", 20.0, 12, 3),
        ("aaabbbccde", 0.0, 1, 1),
        ("aaaaaabcde", 0.5, 16, 16),  # more positives than the pairs wanted fill
    ],
)
def test_steps_of_any_number_of_pairs(tiny_encoder: Path, clusters: str, ratio: float, step: int, batches: int) -> None:
    document = Document.from_sentences("d", [["ferry"] * len(clusters)], topic="t")
    mentions = tuple(Mention("d", (token,), EVENT, cluster) for token, cluster in enumerate(clusters))
    expected = pairs_by_hand(Corpus((document,), mentions))
    training = data(tiny_encoder, Corpus((document,), mentions), batches, step_pairs=step, negatives=ratio)
    positives = {pair for pair, coreferent in expected.items() if coreferent}
    for epoch in range(3):
        pairs, labels, sizes = pairs_of(training, epoch)
        counts = Counter(pairs)
        assert set(sizes) == {step // batches}
        assert len(pairs) % step == 0
        assert labels == [expected[pair] for pair in pairs]
        assert positives <= counts.keys()
        if len(pairs) <= len(expected):
            assert max(counts.values()) == 1
        wanted = len(positives) + (ratio * len(positives) if ratio else len(expected))
        assert len(pairs) <= max(step, len(positives) + step - 1, min(len(expected), wanted + step / 2))


def test_what_cannot_be_learnt_is_refused(tiny_encoder: Path) -> None:
    with pytest.raises(InputError, match="cannot be divided into 3 batches"):
        data(tiny_encoder, corpus(), 3)
    with pytest.raises(InputError, match="no two coreferent mentions"):
        data(tiny_encoder, replace(corpus(), mentions=corpus().mentions[1:2]))


@pytest.fixture(scope="module")
def config(tiny_encoder: Path, tmp_path_factory: pytest.TempPathFactory) -> TrainingConfig:
    """The paper's, with a small encoder without dropout and small steps."""
    folder = tmp_path_factory.mktemp("without-dropout")
    for path in tiny_encoder.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    values = json.loads((folder / "config.json").read_text())
    values |= {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
    (folder / "config.json").write_text(json.dumps(values))
    return with_settings(
        PAPER,
        {
            "encoder": str(folder), "epochs": 2, "precision": "fp32", "gradient_checkpointing": False,
            "attention_dropout": 0.0, "step_pairs": 24, "accumulation": 4, "negatives": 3.0, "max_gradient_norm": 0.0,
            "scorer_width": 8,
        },
    )  # fmt: skip


@pytest.fixture(scope="module")
def trained(config: TrainingConfig, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[dict[str, Any]]]:
    """The folder of a run, and what each of its steps did."""
    patch = pytest.MonkeyPatch()
    seen: list[tuple[CorefModel, LabelledBatch]] = []
    steps: list[dict[str, Any]] = []

    def see(module: torch.nn.Module, given: tuple[Any, ...]) -> None:
        if isinstance(module, CorefModel):
            seen.append((module, given[0]))

    def step(self: torch.optim.AdamW, *rest: Any, own: Any = torch.optim.AdamW.step, **more: Any) -> Any:
        model = seen[0][0]
        parameters = [p for p in model.parameters() if p.grad is not None]
        with torch.enable_grad():
            logits = torch.cat([model.pair_logits(batch.inputs) for _, batch in seen])
            labels = torch.cat([batch.labels for _, batch in seen])
            mean = binary_cross_entropy_with_logits(logits, labels, reduction="mean")
            expected = torch.autograd.grad(mean, parameters)
        steps.append(
            {
                "pairs": len(labels), "batches": len(seen),
                "gradients": [p.grad.clone() for p in parameters], "expected": expected,
                "rates": {group["lr"] for group in self.param_groups},
                "decay": {group["weight_decay"] for group in self.param_groups},
            }
        )  # fmt: skip
        seen.clear()
        return own(self, *rest, **more)

    patch.setattr(torch.optim.AdamW, "step", step)
    folder = tmp_path_factory.mktemp("paper") / "model"
    handle = torch.nn.modules.module.register_module_forward_pre_hook(see)
    try:
        train(config, corpus(), corpus("dev", "3"), folder, device="cpu", tracker="none", say=str)
    finally:
        handle.remove()
        patch.undo()
    return folder, steps


def test_each_pair_counts_the_same_in_every_step(trained: tuple[Path, list[dict[str, Any]]]) -> None:
    """The accumulated gradient is that of the mean loss over exactly the step's pairs, the last step's too."""
    _, steps = trained
    assert {(step["pairs"], step["batches"]) for step in steps} == {(24, 4)}
    for step in steps:
        for found, expected in zip(step["gradients"], step["expected"], strict=True):
            assert torch.allclose(found, expected, atol=1e-6, rtol=1e-4)


def test_rates_are_the_authors(trained: tuple[Path, list[dict[str, Any]]]) -> None:
    """One rate for everything, full from the first step, linear decay, no weight decay."""
    _, steps = trained
    count = len(steps)
    assert count % 2 == 0
    assert count > 4
    for number, step in enumerate(steps):
        assert sorted(step["rates"]) == pytest.approx([1e-5 * (1 - number / count)])
        assert step["decay"] == {0.0}


def test_the_model_has_no_detector(trained: tuple[Path, list[dict[str, Any]]]) -> None:
    folder, _ = trained
    model = CorefModel.from_pretrained(folder)
    assert model.detector is None
    assert not any(name.startswith("detector") for name in model.state_dict())
    card = (folder / "README.md").read_text()
    assert "links annotated mentions in text" in card
    assert "mention detector it has" not in card
    assert json.loads((folder / "training.json").read_text())["dev"]["event"]["detection"] is None
    predictor = Predictor(model)
    with pytest.raises(InputError, match="no mention detector"):
        predictor.predict(["The ferry sank.", "Police said so."])
    documents = corpus("dev", "3")
    with pytest.raises(InputError, match="no mention detector"):
        evaluate(predictor, documents, mentions="predicted")


def test_the_preset_is_the_papers() -> None:
    sampling, run, model = PAPER.sampling, PAPER.run, PAPER.model
    assert (PAPER.encoder, PAPER.kinds) == ("biu-nlp/cdlm", (EVENT,))
    assert (sampling.step_pairs, sampling.step_pairs % run.accumulation) == (128, 0)
    assert (model.scorer_width, model.sequences.context, model.sequences.max_length) == (1024, "document", 4096)
    assert (run.epochs, run.learning_rate, run.head_learning_rate) == (10, 1e-5, 1e-5)
    assert (run.warmup, run.weight_decay, run.decay_power, run.adam_epsilon) == (0.0, 0.0, 1.0, 1e-8)
    assert (model.cannot_links, model.names_across_stories) == (False, False)
    assert (model.vectors.layers, model.detector_width) == (0, 0)

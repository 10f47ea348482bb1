"""Perplexity: against a computation by hand, on the same tokens for all, and better where pretraining helped."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from cdlm.encoder import CDLMModel
from cdlm.errors import InputError
from cdlm.masked_lm import CDLMForMaskedLM
from cdlm.pretraining import (
    IGNORED,
    VARIANTS,
    Contender,
    Masking,
    Perplexity,
    PretrainingConfig,
    open_source,
    perplexities,
    prepare,
    pretrain,
)
from cdlm.pretraining.perplexity import EvaluationSequences, SetLosses, set_losses
from cdlm.runs import RunOptions
from cdlm.sequences import SequenceFrame
from cdlm.tokens import load_tokenizer


@pytest.fixture(scope="module")
def headed(word_encoder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The encoder with a random head."""
    folder = tmp_path_factory.mktemp("headed")
    torch.manual_seed(0)
    CDLMForMaskedLM(CDLMModel.from_pretrained(word_encoder)).save_pretrained(folder)
    load_tokenizer(word_encoder).save_pretrained(str(folder))
    return folder


@pytest.fixture(scope="module")
def dev(write_sets: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_sets(tmp_path_factory.mktemp("dev") / "dev.src", 40, seed=5)


@pytest.fixture(scope="module")
def sequences(headed: Path, dev: Path, tmp_path_factory: pytest.TempPathFactory) -> EvaluationSequences:
    tokenizer = load_tokenizer(headed)
    store = prepare([open_source(dev)], tokenizer, tmp_path_factory.mktemp("tokens"), longest=60)
    return EvaluationSequences(store, SequenceFrame.of_tokenizer(tokenizer), 64, Masking.of_tokenizer(tokenizer))


def test_the_same_tokens_are_masked_for_all(sequences: EvaluationSequences) -> None:
    for rows in zip(*(sequences(variant) for variant in VARIANTS), strict=True):
        assert all((row.input_ids == rows[0].input_ids).all() for row in rows)
        assert all((row.labels == rows[0].labels).all() for row in rows)
        assert [row.is_global.sum() > 0 for row in rows] == [True, True, True, False]


def test_losses_by_hand(headed: Path, sequences: EvaluationSequences) -> None:
    model = CDLMForMaskedLM.from_pretrained(headed)
    found = set_losses(model, "cdlm", sequences)
    for number, masked in enumerate(sequences("cdlm")):
        with torch.inference_mode():
            is_global = torch.tensor(masked.is_global[None].astype(np.int64))
            logits = model(torch.tensor(masked.input_ids[None]), None, is_global)[0]
        chosen = np.flatnonzero(masked.labels != IGNORED)
        expected = -sum(float(logits[place].log_softmax(0)[masked.labels[place]]) for place in chosen)
        assert found.sums[number] == pytest.approx(expected, rel=1e-4)
        assert found.counts[number] == len(chosen)
    measured = Perplexity.of(found, found)
    assert measured.value == pytest.approx(math.exp(found.sums.sum() / found.counts.sum()))
    assert measured.low < measured.value < measured.high
    assert (measured.ratio, measured.ratio_low, measured.ratio_high) == pytest.approx((1, 1, 1))
    assert (measured.sets, measured.tokens) == (40, found.counts.sum())


def test_two_models_are_compared_in_pairs() -> None:
    """A model that is better by the same share everywhere is surely better, however much the sets differ."""
    counts = np.full(30, 10)
    sums = np.random.default_rng(0).uniform(10, 60, 30)
    better = Perplexity.of(SetLosses(sums - 1, counts), SetLosses(sums, counts))
    assert better.high > Perplexity.of(SetLosses(sums, counts), SetLosses(sums, counts)).low
    assert (better.ratio, better.ratio_low, better.ratio_high) == pytest.approx([math.exp(-0.1)] * 3)


def test_pretraining_on_related_documents_lowers_it(
    word_encoder: Path, headed: Path, write_sets: Callable[..., Path], dev: Path, tmp_path: Path
) -> None:
    corpus = write_sets(tmp_path / "train.src", 200, seed=6)
    run = RunOptions(steps=60, learning_rate=1e-2, precision="fp32", warmup=5)
    config = PretrainingConfig(str(word_encoder), max_length=64, batch_size=8, sequences_at_once=8, run=run)
    for variant in ("cdlm", "local"):
        folder = tmp_path / variant
        sources = [open_source(corpus)]
        pretrain(replace(config, variant=variant), sources, folder, device="cpu", tracker="none", say=str)
    contenders = [Contender.parse(str(folder)) for folder in (headed, tmp_path / "local", tmp_path / "cdlm")]
    assert [contender.variant for contender in contenders] == ["local", "local", "cdlm"]
    told: list[tuple[str, int, int]] = []
    rows, left_out = perplexities(contenders, [open_source(dev)], progress=lambda *values: told.append(values))
    values = [row.value for row in rows]
    assert values[1] < 30 < values[0] / 2  # of the 100 words 20 occur
    assert values[2] < 30
    assert rows[2].ratio_high < 1
    assert not left_out.total()
    assert told[-1] == (str(tmp_path / "cdlm"), 40, 40)


def test_whose_variant(headed: Path, tmp_path: Path) -> None:
    assert Contender.parse("biu-nlp/cdlm=cdlm") == Contender("biu-nlp/cdlm", "cdlm")
    assert Contender.parse("allenai/longformer-base-4096").variant == "local"
    assert Contender.parse(f"{headed}=prefix") == Contender(str(headed), "prefix")
    (tmp_path / "rate=3").mkdir()
    assert Contender.parse(str(tmp_path / "rate=3")).variant == "local"
    with pytest.raises(InputError, match="the variant must be one of"):
        Contender.parse("model=global")


def test_what_cannot_be_compared(word_encoder: Path, headed: Path, dev: Path, tmp_path: Path) -> None:
    source = [open_source(dev)]
    with pytest.raises(InputError, match="no head for masked language modelling"):
        perplexities([Contender(str(word_encoder), "local")], source)
    with pytest.raises(InputError, match="has positions for 128 tokens"):
        perplexities([Contender(str(headed), "local")], source, max_length=200)
    for file in headed.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    tokenizer = (tmp_path / "tokenizer.json").read_text().replace('"w7"', '"other"')
    (tmp_path / "tokenizer.json").write_text(tokenizer)
    with pytest.raises(InputError, match="its vocabulary differs from that of"):
        perplexities([Contender(str(headed), "local"), Contender(str(tmp_path), "local")], source)

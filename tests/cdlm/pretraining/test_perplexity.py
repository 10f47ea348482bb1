"""Perplexity: against a computation by hand, on the same tokens for all, and better where pretraining helped."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from cdlm.encoder import CDLMModel
from cdlm.errors import InputError
from cdlm.masked_lm import CDLMForMaskedLM
from cdlm.pretraining import Contender, Perplexity, PretrainingConfig, Variant, open_source, perplexities, pretrain
from cdlm.runs import RunOptions
from cdlm.sequences import SequenceFrame
from cdlm.tokens import load_tokenizer


@pytest.fixture(scope="module")
def headed(word_encoder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The encoder with a random head."""
    folder = tmp_path_factory.mktemp("headed")
    torch.manual_seed(0)
    CDLMForMaskedLM(CDLMModel.from_pretrained(word_encoder)).save_pretrained(folder)
    load_tokenizer(word_encoder).save(folder)
    return folder


@pytest.fixture(scope="module")
def dev(write_sets: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_sets(tmp_path_factory.mktemp("dev") / "dev.src", 40, seed=5)


Inputs = tuple[Tensor, Tensor, Tensor, Tensor]
"""Ids, attention, global attention, and which tokens are predicted."""


def measured(folders: Sequence[Path], variants: Sequence[Variant], dev: Path) -> tuple[list[Perplexity], list[Inputs]]:
    """Perplexities, and what the models read for them, batch by batch."""
    read: list[Inputs] = []
    hook = nn.modules.module.register_module_forward_pre_hook(
        lambda module, given: read.append(given) if isinstance(module, CDLMForMaskedLM) else None
    )
    try:
        contenders = [Contender(str(folder), variant) for folder, variant in zip(folders, variants, strict=True)]
        rows, _ = perplexities(contenders, [open_source(dev)], max_length=64)
    finally:
        hook.remove()
    return rows, read


def test_losses_by_hand(headed: Path, dev: Path) -> None:
    (row,), read = measured([headed], ["cdlm"], dev)
    model, tokenizer = CDLMForMaskedLM.from_pretrained(headed), load_tokenizer(headed)
    frame = SequenceFrame.of_tokenizer(tokenizer)
    sums, counts, rest = [], [], list(open_source(dev)(Counter()))
    for batch in read:
        for ids, attention, is_global, predicted in zip(*batch, strict=True):
            length = int((attention > 0).sum())
            texts = rest.pop(0)
            original = frame.enclose([encoded.ids for encoded in tokenizer.encode(texts)], 64)
            assert len(original) == length
            assert not predicted[length:].any()
            with torch.inference_mode():
                logits = model(ids[None, :length], None, is_global[None, :length])[0]
            chosen = np.flatnonzero(predicted)
            sums.append(-sum(float(logits[place].log_softmax(0)[original[place]]) for place in chosen))
            counts.append(len(chosen))
    assert not rest
    assert row.value == pytest.approx(math.exp(sum(sums) / sum(counts)), rel=1e-5)
    assert row.low < row.value < row.high
    assert (row.ratio, row.ratio_low, row.ratio_high) == pytest.approx((1, 1, 1))
    assert (row.sets, row.tokens) == (40, sum(counts))


def test_two_models_are_compared_in_pairs(headed: Path, dev: Path, tmp_path: Path) -> None:
    """A model that is better by the same share everywhere is surely better, however much the sets differ."""
    model = CDLMForMaskedLM.from_pretrained(headed)
    folders = [tmp_path / "worse", tmp_path / "better"]
    with torch.no_grad():
        model.lm_head.layer_norm.weight.zero_()
        model.lm_head.layer_norm.bias.zero_()  # what is predicted no longer depends on the text
        words = torch.tensor(load_tokenizer(headed).ids(f"w{number}" for number in range(100)))
        model.lm_head.bias.fill_(-1e4)
        model.lm_head.bias[words[:20]] = torch.linspace(-3, 3, 20)  # those that occur
        weight = model.lm_head.bias.exp().sum().item()
        for folder, share in zip(folders, (math.exp(-0.1), 1.0), strict=True):
            model.lm_head.bias[words[20]] = math.log(weight * (1 / share - 1)) if share < 1 else -1e4
            model.save_pretrained(folder)
            load_tokenizer(headed).save(folder)
    (worse, better), _ = measured(folders, ["local", "local"], dev)
    assert better.high > worse.low
    assert (better.ratio, better.ratio_low, better.ratio_high) == pytest.approx([math.exp(-0.1)] * 3)


def test_pretraining_on_related_documents_lowers_it(
    word_encoder: Path, headed: Path, write_sets: Callable[..., Path], dev: Path, tmp_path: Path
) -> None:
    corpus = write_sets(tmp_path / "train.src", 200, seed=6)
    run = RunOptions(steps=30, learning_rate=1e-2, precision="fp32", warmup=5)
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

"""Pretraining from beginning to end on a small corpus: what is written, learnt, resumed and refused."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from transformers import LongformerForMaskedLM

from cdlm.encoder import CDLMModel
from cdlm.errors import InputError
from cdlm.masked_lm import CDLMForMaskedLM
from cdlm.pretraining import PRESETS, PretrainingConfig, open_source, pretrain
from cdlm.runs import RunOptions

RUN = RunOptions(steps=4, learning_rate=5e-3, precision="fp32", save_steps=1, log_steps=1)


@pytest.fixture
def config(word_encoder: Path) -> PretrainingConfig:
    return PretrainingConfig(encoder=str(word_encoder), max_length=64, batch_size=4, sequences_at_once=2, run=RUN)


@pytest.fixture(scope="session")
def corpus(write_sets: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_sets(tmp_path_factory.mktemp("corpus") / "train.src", 30, seed=0)


def fit(config: PretrainingConfig, corpus: Path, output: Path, **options: Any) -> list[str]:
    lines: list[str] = []
    pretrain(config, [open_source(corpus)], output, device="cpu", tracker="none", say=lines.append, **options)
    return lines


def test_what_is_written_and_said(
    config: PretrainingConfig, corpus: Path, write_sets: Callable[..., Path], tmp_path: Path
) -> None:
    noisy = tmp_path / "noisy.src"
    noisy.write_text(corpus.read_text() + "\nw1 ||||| w2\n" + "w1 " * 70 + "||||| w2 ||||| w3\n")
    dev = write_sets(tmp_path / "dev.src", 5, seed=1)
    lines = fit(config, noisy, tmp_path / "model", dev=[open_source(dev)])
    model = tmp_path / "model"
    assert not (model / "checkpoints").exists()
    assert not (model / ".tokens").exists()
    record = json.loads((model / "training.json").read_text())
    assert record["configuration"] == json.loads(json.dumps(asdict(config)))
    assert record["dev"]["sets"] == 5
    assert f"{record['dev']['value']:.2f}" in (model / "README.md").read_text()
    assert lines[0].endswith("a new one is trained on the word embeddings")
    assert lines[1] == "31 sets of 93 documents, 1,142 tokens"
    assert sum("tokens/s" in line and "% waiting for data" in line for line in lines) == 4
    assert lines[-1] == (
        "omitted from the corpus: documents cut to the maximum length: 1; sets with too few documents: 1; "
        "sets without a document: 1"
    )
    # Hugging Face's implementation reads the model, head included.
    reference = LongformerForMaskedLM.from_pretrained(model).eval()
    own = CDLMForMaskedLM.from_pretrained(model)
    ids = torch.randint(5, 100, (1, 30))
    with torch.inference_mode():
        torch.testing.assert_close(own(ids), reference(ids).logits, atol=1e-4, rtol=1e-4)


@contextmanager
def watched(see: Callable[[list[list[int]]], None]) -> Iterator[None]:
    """A block in which the ids of every batch are shown to a function before the model reads them."""

    def before(module: nn.Module, given: tuple[Tensor, ...]) -> None:
        if isinstance(module, CDLMForMaskedLM):
            see(given[0].tolist())

    handle = nn.modules.module.register_module_forward_pre_hook(before)
    try:
        yield
    finally:
        handle.remove()


def written(folder: Path) -> dict[str, int]:
    """The files of tokens in a folder, and when each was written."""
    return {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}


def test_resumed_run(config: PretrainingConfig, corpus: Path, write_sets: Callable[..., Path], tmp_path: Path) -> None:
    fit(config, corpus, tmp_path / "whole")
    seen: list[Any] = []

    def broken(ids: list[list[int]]) -> None:
        if len(seen) == 5:  # in the third step
            raise KeyboardInterrupt
        seen.append(ids)

    with watched(broken), pytest.raises(KeyboardInterrupt):
        fit(config, corpus, tmp_path / "parts")
    tokens = tmp_path / "parts" / ".tokens" / "train"
    before = written(tokens)
    assert before
    with pytest.raises(InputError, match="another corpus"):
        fit(config, write_sets(tmp_path / "other.src", 30, seed=1), tmp_path / "parts", resume=True)
    again: list[Any] = []

    def watching(ids: list[list[int]]) -> None:
        again.append(ids)
        assert written(tokens) == before  # nothing is tokenised again

    with watched(watching):
        assert "resuming from checkpoint-2" in fit(config, corpus, tmp_path / "parts", resume=True)
    assert len(again) == 4
    assert again[0] == seen[4]  # whose step was not finished
    assert not any(batch in seen[:4] for batch in again)
    whole, parts = (load_file(tmp_path / name / "model.safetensors") for name in ("whole", "parts"))
    assert whole.keys() == parts.keys()
    assert all(torch.equal(whole[name], parts[name]) for name in whole)
    assert fit(config, corpus, tmp_path / "parts", resume=True) == [
        f"all steps of this run are done: the model is in {tmp_path / 'parts'}"
    ]


def test_a_run_interrupted_while_tokenising_is_resumed(config: PretrainingConfig, corpus: Path, tmp_path: Path) -> None:
    whole = open_source(corpus)

    def read_in_part(tally: Counter[str]) -> Iterator[tuple[str, ...]]:
        yield from islice(whole(tally), 20)
        raise KeyboardInterrupt

    output = tmp_path / "model"
    with pytest.raises(KeyboardInterrupt):
        pretrain(config, [read_in_part], output, device="cpu", tracker="none", say=str)
    fit(config, corpus, output, resume=True)
    assert (output / "training.json").is_file()


def test_the_head_alone(config: PretrainingConfig, corpus: Path, word_encoder: Path, tmp_path: Path) -> None:
    fit(replace(config, trained="head", variant="local"), corpus, tmp_path / "model")
    before, after = (CDLMModel.from_pretrained(folder).state_dict() for folder in (word_encoder, tmp_path / "model"))
    assert all(torch.equal(before[name], after[name]) for name in before)
    assert float(load_file(tmp_path / "model" / "model.safetensors")["lm_head.bias"].abs().max()) > 0


def test_local_pretraining_ends_with_global_projections_as_the_local_ones(
    config: PretrainingConfig, corpus: Path, word_encoder: Path, tmp_path: Path
) -> None:
    fit(replace(config, variant="local"), corpus, tmp_path / "local")
    fit(replace(config, variant="cdlm"), corpus, tmp_path / "cdlm")
    start = CDLMModel.from_pretrained(word_encoder).state_dict()
    for name, equal in (("local", True), ("cdlm", False)):
        weights = CDLMModel.from_pretrained(tmp_path / name).state_dict()
        for key in [key for key in weights if "_global." in key]:
            local = key.replace("_global", "")
            assert torch.equal(weights[key], weights[local]) is equal
            assert not torch.equal(weights[key], start[key]), key


def test_words_new_to_the_encoder(config: PretrainingConfig, corpus: Path, word_encoder: Path, tmp_path: Path) -> None:
    encoder = CDLMModel.from_pretrained(word_encoder)
    encoder.resize_token_embeddings(105)
    encoder.save_pretrained(tmp_path)
    (tmp_path / "tokenizer.json").write_bytes((word_encoder / "tokenizer.json").read_bytes())
    (tmp_path / "tokenizer_config.json").write_bytes((word_encoder / "tokenizer_config.json").read_bytes())
    config = replace(config, encoder=str(tmp_path), run=replace(RUN, steps=1))
    assert f"special tokens added to {tmp_path}: 4" in fit(config, corpus, tmp_path / "model")
    assert load_file(tmp_path / "model" / "model.safetensors")["lm_head.bias"].shape == (109,)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"max_length": 129}, "has positions for 128 tokens"),
        ({"max_length": 15}, "max_length is 15 and should be at least 16"),
        ({"batch_size": 5}, "multiple of sequences_at_once 2; choose another, as in --set sequences_at_once=1"),
        ({"masked": 1.0}, "masked is 1.0 and should be below 1"),
        ({"variant": "global"}, "variant is 'global' and should be 'cdlm', 'rand', 'prefix' or 'local'"),
        ({"run": RunOptions()}, "run.steps must be 1 or more"),
        ({"min_documents": 4}, "no set of at least 4 documents; omitted: sets with too few documents: 30"),
    ],
)
def test_refused(config: PretrainingConfig, corpus: Path, tmp_path: Path, change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        fit(replace(config, **change), corpus, tmp_path / "model")
    assert not (tmp_path / "model" / "config.json").exists()


def test_processes_share_the_batches_of_a_step() -> None:
    paper = PRESETS["paper"]
    assert [paper.accumulation(processes) for processes in (1, 2, 8)] == [8, 4, 1]
    with pytest.raises(InputError, match="cannot be shared evenly by 3 processes"):
        paper.accumulation(3)


def test_the_preset_of_the_paper() -> None:
    """Section 2.3 and Appendix B."""
    paper = PRESETS["paper"]
    assert (paper.max_length, paper.batch_size, paper.sequences_at_once) == (4096, 64, 8)
    assert (paper.min_documents, paper.masked) == (3, 0.15)
    run = paper.run
    assert (run.steps, run.learning_rate, run.warmup, run.decay_power) == (25_000, 3e-5, 500, 3.0)
    assert run.precision == "fp16"

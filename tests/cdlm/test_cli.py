"""The command line of the language model."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import torch
from transformers import BertConfig, BertModel

from cdlm.cli import main


def run(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    monkeypatch.setattr(sys, "argv", ["cdlm", *map(str, arguments)])
    with pytest.raises(SystemExit) as stop:
        main()
    return int(stop.value.code or 0)


def test_wrong_input_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert run(monkeypatch, "convert", tmp_path, "-o", tmp_path / "long") == 2
    error = capsys.readouterr().err
    assert error.startswith(f"cdlm: {tmp_path / 'config.json'}: there is no such file")
    assert error.count("\n") == 1
    assert not (tmp_path / "long").exists()


def test_a_checkpoint_without_tokenizer_is_refused_before_anything_is_written(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    torch.manual_seed(0)
    config = BertConfig(vocab_size=20, hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8)
    BertModel(config).save_pretrained(tmp_path / "bert")
    assert run(monkeypatch, "convert", tmp_path / "bert", "-o", tmp_path / "long") == 2
    assert "no tokenizer" in capsys.readouterr().err
    assert not (tmp_path / "long").exists()

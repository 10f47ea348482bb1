"""Checkpoints in Hugging Face's format, both ways."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import LongformerConfig, LongformerForSequenceClassification

from cdlm.encoder import CDLMModel
from cdlm.errors import InputError

Damage = Callable[[Path], object]


def both(*damages: Damage) -> Damage:
    def damage(folder: Path) -> None:
        for one in damages:
            one(folder)

    return damage


def test_heads_and_settings_of_a_checkpoint_are_written_back(tmp_path: Path) -> None:
    config = LongformerConfig(
        vocab_size=40, hidden_size=24, num_hidden_layers=1, num_attention_heads=3, intermediate_size=32,
        attention_window=[4], max_position_embeddings=90, id2label={0: "no", 1: "yes", 2: "perhaps"},
    )  # fmt: skip
    LongformerForSequenceClassification(config).save_pretrained(tmp_path / "theirs")
    CDLMModel.from_pretrained(tmp_path / "theirs").save_pretrained(tmp_path / "ours")
    before, after = (load_file(tmp_path / name / "model.safetensors") for name in ("theirs", "ours"))
    assert set(after) == set(before)
    assert all(torch.equal(after[name], before[name]) for name in before)
    model, info = LongformerForSequenceClassification.from_pretrained(tmp_path / "ours", output_loading_info=True)
    assert not info["missing_keys"]
    assert model.config.id2label == {0: "no", 1: "yes", 2: "perhaps"}
    assert model.config.architectures == ["LongformerForSequenceClassification"]


@pytest.mark.parametrize("layout", ["prefixed", "sharded", "pickled"])
def test_other_layouts_of_the_same_weights(longformer_folder: Path, tmp_path: Path, layout: str) -> None:
    weights = load_file(longformer_folder / "model.safetensors")
    (tmp_path / "config.json").write_bytes((longformer_folder / "config.json").read_bytes())
    if layout == "prefixed":
        named = {f"longformer.{name}": tensor for name, tensor in weights.items()}
        save_file(named | {"lm_head.bias": torch.zeros(3)}, tmp_path / "model.safetensors")
    elif layout == "sharded":
        names = sorted(weights)
        parts = {"first.safetensors": names[::2], "second.safetensors": names[1::2]}
        for file, part in parts.items():
            save_file({name: weights[name] for name in part}, tmp_path / file)
        index = {"weight_map": {name: file for file, part in parts.items() for name in part}}
        (tmp_path / "model.safetensors.index.json").write_text(json.dumps(index))
    else:
        torch.save(weights | {"embeddings.position_ids": torch.arange(90)}, tmp_path / "pytorch_model.bin")
    model = CDLMModel.from_pretrained(tmp_path)
    assert all(torch.equal(tensor, weights[name]) for name, tensor in model.state_dict().items())


def index(content: object) -> Damage:
    return lambda folder: (folder / "model.safetensors.index.json").write_text(json.dumps(content))


def saved(content: object, **options: Any) -> Damage:
    return lambda folder: torch.save(content, folder / "pytorch_model.bin", **options)


def raw(file: str, content: bytes) -> Damage:
    return lambda folder: (folder / file).write_bytes(content)


ONE = "embeddings.word_embeddings.weight"
WEIGHTS: dict[str, tuple[Damage, str]] = {
    "nothing": (lambda folder: None, r"neither model\.safetensors nor pytorch_model\.bin"),
    "an empty index": (index({}), r"index\.json: weight_map is null and should name the file of every weight"),
    "an index that is no JSON": (raw("model.safetensors.index.json", b"{"), r"index\.json, line 1: this is not JSON"),
    "a number for weights": (index({"weight_map": 5}), "weight_map is 5 and should"),
    "an absolute path": (index({"weight_map": {ONE: "/etc/passwd"}}), "which is not a weights file"),
    "a file of another kind": (index({"weight_map": {ONE: "pytorch_model.bin"}}), "which is not a weights file"),
    "a file that is missing": (index({"weight_map": {ONE: "first.safetensors"}}), "names first.safetensors, w"),
    "a part that is damaged": (
        both(index({"weight_map": {ONE: "first.safetensors"}}), raw("first.safetensors", b"weights")),
        r"first\.safetensors: the weights cannot be read",
    ),
    "an empty pickle": (raw("pytorch_model.bin", b""), r"pytorch_model\.bin: the weights cannot be read"),
    "numbers by name": (saved({ONE: 5}), "expected tensors by name"),
    "a pickle of code": (saved({ONE: Path("a class that is not a tensor")}), "the weights cannot be read"),
    "a tensor that promises more than it has": (
        saved({ONE: torch.zeros(1).expand(40, 10**9)}),
        "num_hidden_layers is 2, but layer 0 has no weights",
    ),
}
"""What may be wrong about the weights of a checkpoint."""


@pytest.mark.parametrize("case", WEIGHTS)
def test_damaged_weights_are_said_in_a_sentence(longformer_folder: Path, tmp_path: Path, case: str) -> None:
    (tmp_path / "config.json").write_bytes((longformer_folder / "config.json").read_bytes())
    damage, message = WEIGHTS[case]
    damage(tmp_path)
    with pytest.raises(InputError, match=message) as raised:
        CDLMModel.from_pretrained(tmp_path)
    assert str(raised.value).startswith(str(tmp_path))
    assert "\n" not in str(raised.value)


@pytest.mark.filterwarnings("ignore:Detected pickle protocol")
def test_a_damaged_pickle_is_said_in_a_sentence_wherever_it_is_damaged(longformer_folder: Path, tmp_path: Path) -> None:
    """torch.load raises errors of a dozen types, told by damaging a file in a few hundred places."""
    (tmp_path / "config.json").write_bytes((longformer_folder / "config.json").read_bytes())
    file = tmp_path / "pytorch_model.bin"
    for zipped in (True, False):
        torch.save({ONE: torch.zeros(3), "b": torch.arange(3)}, file, _use_new_zipfile_serialization=zipped)
        whole = file.read_bytes()
        for place in range(0, len(whole), 1 + len(whole) // 50):
            file.write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
            with pytest.raises(InputError):
                CDLMModel.from_pretrained(tmp_path)


def test_weights_of_several_precisions_get_one(longformer_folder: Path, tmp_path: Path) -> None:
    weights = load_file(longformer_folder / "model.safetensors")
    mixed = {name: tensor if "LayerNorm" in name else tensor.bfloat16() for name, tensor in weights.items()}
    save_file(mixed, tmp_path / "model.safetensors", metadata={"format": "pt"})
    (tmp_path / "config.json").write_bytes((longformer_folder / "config.json").read_bytes())
    model = CDLMModel.from_pretrained(tmp_path)
    assert {parameter.dtype for parameter in model.parameters()} == {torch.bfloat16}
    save_file(weights | {ONE: weights[ONE].int()}, tmp_path / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(InputError, match=r"word_embeddings.weight is of type torch.int32"):
        CDLMModel.from_pretrained(tmp_path)


def test_reading_a_checkpoint_does_not_load_the_compiler(tiny_biased_encoder: Path) -> None:
    program = (
        "import sys, torch; from cdlm.checkpoints import shapes_only\n"
        "from cdlm.encoder import CDLMModel, UpperLayers\n"
        "model = CDLMModel.from_pretrained(sys.argv[1]); model(torch.full((1, 5), 9))\n"
        "with shapes_only(): UpperLayers(CDLMModel(model.config), 1, 2)\n"
        "print(sorted(name for name in ('torch._dynamo', 'sympy', 'transformers') if name in sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, tiny_biased_encoder], check=True, capture_output=True, text=True
    )
    assert done.stdout.strip() == "[]"

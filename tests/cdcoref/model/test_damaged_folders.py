"""A model's folder is input: whatever is wrong in it is one sentence, said at once, that begins with its place."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from cdcoref.errors import InputError
from cdcoref.model import CONFIG_FILE, CorefModel
from cdlm.checkpoints import WEIGHTS_FILE

TOKENIZER = "tokenizer.json"
TOKENIZER_CONFIG = "tokenizer_config.json"
ABSENT = object()
NAN = float("nan")

Damage = Callable[[Path], object]


def put(file: str, *place: str | int, value: object) -> Damage:
    """Change one value in a JSON file, or take it out."""

    def damage(folder: Path) -> None:
        values = json.loads((folder / file).read_text())
        inner = values
        for step in place[:-1]:
            inner = inner[step]
        if value is ABSENT:
            del inner[place[-1]]
        else:
            inner[place[-1]] = value
        (folder / file).write_text(json.dumps(values))

    return damage


def encoder(name: str, value: object) -> Damage:
    return put(CONFIG_FILE, name, value=value)


def setting(name: str, value: object) -> Damage:
    return put(CONFIG_FILE, "cdcoref", *name.split("."), value=value)


def both(*damages: Damage) -> Damage:
    def damage(folder: Path) -> None:
        for one in damages:
            one(folder)

    return damage


def text(file: str, content: str | bytes) -> Damage:
    return lambda folder: (folder / file).write_bytes(content.encode() if isinstance(content, str) else content)


def half(file: str) -> Damage:
    return lambda folder: os.truncate(folder / file, (folder / file).stat().st_size // 2)


def weights(change: Callable[[dict[str, Any]], object]) -> Damage:
    def damage(folder: Path) -> None:
        tensors = load_file(folder / WEIGHTS_FILE)
        change(tensors)
        save_file(tensors, folder / WEIGHTS_FILE)

    return damage


def header(content: object, length: int | None = None, data: bytes = b"") -> Damage:
    """A safetensors file with this header, which may state another length than it has."""
    encoded = content if isinstance(content, bytes) else json.dumps(content).encode()
    return text(WEIGHTS_FILE, struct.pack("<Q", len(encoded) if length is None else length) + encoded + data)


def deep(folder: Path) -> None:
    config = (folder / CONFIG_FILE).read_text()
    (folder / CONFIG_FILE).write_text(f'{{"deep": {"[" * 100_000}{"]" * 100_000}, {config[1:]}')


def sizes_of_zero(folder: Path) -> None:
    """Tensors that take no room may have any other size: a header can promise everything."""
    shape = {"dtype": "F32", "shape": [0, 10**12], "data_offsets": [0, 0]}
    names = load_file(folder / WEIGHTS_FILE)
    both(header(dict.fromkeys(names, shape)), encoder("hidden_size", 10**7))(folder)


CONFIGURATION: dict[str, tuple[Damage, str]] = {
    "no folder": (shutil.rmtree, "there is no such folder"),
    "no configuration": (lambda f: (f / CONFIG_FILE).unlink(), "config.json: there is no such file"),
    "a pipe": (
        both(lambda f: (f / CONFIG_FILE).unlink(), lambda f: os.mkfifo(f / CONFIG_FILE)),
        "config.json: this is not a file",
    ),
    "too large": (lambda f: os.truncate(f / CONFIG_FILE, 10**9), "config.json: this file is too large"),
    "not JSON": (text(CONFIG_FILE, "{"), "config.json, line 1: this is not JSON"),
    "not UTF-8": (text(CONFIG_FILE, b'{"a": "\xff"}'), "config.json: this is not JSON"),
    "deeply nested": (deep, "config.json: this file is nested too deeply"),
    "thousands of digits": (text(CONFIG_FILE, f'{{"vocab_size": {"9" * 5000}}}'), "thousands of digits"),
    "an encoder": (put(CONFIG_FILE, "cdcoref", value=ABSENT), "no coreference model; train one"),
    "a width in words": (encoder("hidden_size", "32"), "hidden_size is '32' and should be a whole number"),
    "a large width": (encoder("hidden_size", 9_999_998), "do not fit.*word_embeddings.weight has shape"),
    "another width": (encoder("hidden_size", 64), "do not fit.*word_embeddings.weight has shape"),
    "a layer more": (
        both(encoder("num_hidden_layers", 3), encoder("attention_window", 16)),
        "do not fit.*num_hidden_layers is 3, but layer 2 has no weights",
    ),
    "a layer less": (
        both(encoder("num_hidden_layers", 1), encoder("attention_window", [16])),
        "do not fit.*'encoder.encoder.layer.1.*belongs to no layer",
    ),
    "heads that do not divide": (encoder("num_attention_heads", 5), "not a multiple of 5 attention heads"),
    "an odd window": (encoder("attention_window", 15), "attention_window is 15 and should be one even number"),
    "few positions": (
        both(
            encoder("max_position_embeddings", 20),
            weights(lambda w: w.update({"encoder.embeddings.position_embeddings.weight": torch.zeros(20, 32)})),
        ),
        "the encoder reads 19 word pieces at once",
    ),
    "padding outside the vocabulary": (encoder("pad_token_id", 10**6), "pad_token_id 1000000 is not in the vocabulary"),
    "dropout that is no number": (encoder("attention_probs_dropout_prob", NAN), "attention_probs_dropout_prob is nan"),
}
"""What may be wrong in ``config.json`` about the encoder."""

SETTINGS: dict[str, tuple[Damage, str]] = {
    "settings in a list": (encoder("cdcoref", []), r"cdcoref is \[\] and should be a JSON object"),
    "an unknown setting": (setting("colour", 1), "config.json: there is no setting cdcoref.colour"),
    "an unknown context": (
        setting("sequences.context", "page"),
        "cdcoref.sequences.context is 'page' and should be 'document'",
    ),
    "an unknown linkage": (setting("linkage", "centroid"), "cdcoref.linkage is 'centroid'"),
    "a scorer of the paper": (setting("scorer_width", 8), "a model with scorer_width reads every pair"),
    "another scorer": (setting("vectors.vector_width", 8), "do not fit.*vector_scorer.kinds.event.layers"),
    "longer mentions": (setting("detector_max_words", 4), "do not fit.*detector.length.weight has shape"),
    "an unknown feature": (setting("vectors.pair_features", ["colour"]), "features has 'colour', which is no feature"),
    "a feature less": (setting("vectors.pair_features", ["names"]), "do not fit.*vector_scorer.kinds.event.mean"),
    "a kind missing": (setting("temperature", {"event": 0.5}), "json: cdcoref.temperature must have one number each"),
    "no temperature": (setting("temperature", {"event": 0, "entity": 1}), "temperature.event is 0 and should be"),
    "a threshold in words": (
        setting("detection_threshold", {"event": "0.5", "entity": 1}),
        "event is '0.5' and should",
    ),
    "no number": (setting("distance_threshold", {"event": NAN, "entity": 1}), "distance_threshold.event is nan and"),
    "a distance beyond 1": (setting("distance_threshold", {"event": 1.5, "entity": 1}), "is 1.5 and should be at most"),
}
"""What may be wrong in its section ``cdcoref``."""

WEIGHTS: dict[str, tuple[Damage, str]] = {
    "no weights": (lambda f: (f / WEIGHTS_FILE).unlink(), f"{WEIGHTS_FILE}: the model's weights are missing"),
    "half of the weights": (half(WEIGHTS_FILE), f"{WEIGHTS_FILE}: the weights cannot be read"),
    "a pickle": (text(WEIGHTS_FILE, pickle.dumps({"a": 1})), f"{WEIGHTS_FILE}: the weights cannot be read"),
    "a huge header": (header({}, length=10**15), f"{WEIGHTS_FILE}: the weights cannot be read"),
    "sizes of nothing": (sizes_of_zero, "do not fit.*has shape"),
    "one weight less": (
        weights(lambda w: w.pop("detector.output.bias")),
        f"{WEIGHTS_FILE}: .*do not fit.*missing: detector.output.bias$",
    ),
    "one weight more": (weights(lambda w: w.update(extra=torch.ones(3))), "do not fit.*'extra' belongs to no layer"),
    "another shape": (
        weights(lambda w: w.update({"detector.first.bias": torch.ones(3)})),
        r"do not fit.*detector.first.bias has shape \(3,\)",
    ),
    "integers": (
        weights(lambda w: w.update({"detector.first.bias": torch.ones(16, dtype=torch.int64)})),
        f"{WEIGHTS_FILE}: detector.first.bias holds int64",
    ),
    "eight bits without scales": (
        weights(lambda w: w.update({"detector.first.weight": torch.ones(16, 32, dtype=torch.int8)})),
        f"{WEIGHTS_FILE}: detector.first.weight holds 8-bit integers without scales",
    ),
    "scales of another size": (
        weights(lambda w: w.update({"detector.first.weight.row_scale": torch.ones(3)})),
        f"{WEIGHTS_FILE}: .*cannot be read",
    ),
    "not a number": (
        weights(lambda w: w["detector.first.weight"].view(-1)[7].fill_(NAN)),
        f"{WEIGHTS_FILE}: detector.first.weight holds numbers that are not finite",
    ),
}
"""What may be wrong in ``model.safetensors``."""

NO_TOKENIZER = "model: the (tokenizer cannot be read|folder has no tokenizer)"
TOKENS: dict[str, tuple[Damage, str]] = {
    "no tokenizer": (lambda f: [p.unlink() for p in f.glob("*tok*")], NO_TOKENIZER),
    "half of it": (half(TOKENIZER), NO_TOKENIZER),
    "an unknown model": (put(TOKENIZER, "model", "type", value="Words"), NO_TOKENIZER),
    "an id out of reach": (put(TOKENIZER, "model", "vocab", "the", value=4_000_000_000), "ids beyond"),
    "more entries than the encoder": (
        put(TOKENIZER, "model", "vocab", "another-word", value=0),
        "more entries than the encoder; it belongs to another model",
    ),
    "a configuration that is not JSON": (text(TOKENIZER_CONFIG, "{"), NO_TOKENIZER),
    "no unknown token": (put(TOKENIZER_CONFIG, "unk_token", value=None), "no token for unknown words"),
    "no beginning": (put(TOKENIZER_CONFIG, "cls_token", value=None), r"neither a \[CLS\] nor a beginning"),
}
"""What may be wrong in the tokenizer's files."""

CASES = {
    f"{group}: {name}": case
    for group, cases in (
        *(("configuration", CONFIGURATION), ("settings", SETTINGS), ("weights", WEIGHTS), ("tokenizer", TOKENS)),
    )
    for name, case in cases.items()
}


@pytest.mark.parametrize("case", CASES)
def test_a_damaged_folder_is_said_in_a_sentence(tiny_model_folder: Path, tmp_path: Path, case: str) -> None:
    folder = tmp_path / "model"
    shutil.copytree(tiny_model_folder, folder)
    damage, message = CASES[case]
    damage(folder)
    with pytest.raises(InputError, match=message) as raised:
        CorefModel.from_pretrained(folder)
    assert str(raised.value).startswith(str(folder))
    assert "\n" not in str(raised.value)
    assert len(raised.value.message) < 300


def test_a_file_is_no_model(tiny_model_folder: Path) -> None:
    with pytest.raises(InputError, match="name a folder with a saved model"):
        CorefModel.from_pretrained(tiny_model_folder / WEIGHTS_FILE)

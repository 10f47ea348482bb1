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
NAN, INFINITY = float("nan"), float("inf")
KINDS_OF_THRESHOLD = ("temperature", "distance_threshold", "detection_threshold")

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


def replaced_by_folder(file: str) -> Damage:
    return both(lambda folder: (folder / file).unlink(), lambda folder: (folder / file).mkdir())


def sizes_of_zero(folder: Path) -> None:
    """Tensors that take no room may have any other size: a header can promise everything."""
    shape = {"dtype": "F32", "shape": [0, 10**12], "data_offsets": [0, 0]}
    names = load_file(folder / WEIGHTS_FILE)
    both(header(dict.fromkeys(names, shape)), encoder("hidden_size", 10**7))(folder)


CONFIGURATION: dict[str, tuple[Damage, str]] = {
    "no folder": (shutil.rmtree, "there is no such folder"),
    "no configuration": (lambda f: (f / CONFIG_FILE).unlink(), "config.json: there is no such file"),
    "a folder for the configuration": (replaced_by_folder(CONFIG_FILE), "config.json: this is not a file"),
    "a pipe": (
        both(lambda f: (f / CONFIG_FILE).unlink(), lambda f: os.mkfifo(f / CONFIG_FILE)),
        "config.json: this is not a file",
    ),
    "too large": (lambda f: os.truncate(f / CONFIG_FILE, 10**9), "config.json: this file is too large"),
    "empty": (text(CONFIG_FILE, ""), "config.json, line 1: this is not JSON"),
    "not JSON": (text(CONFIG_FILE, "{"), "config.json, line 1: this is not JSON"),
    "not UTF-8": (text(CONFIG_FILE, b'{"a": "\xff"}'), "config.json: this is not JSON"),
    "a list": (text(CONFIG_FILE, "[]"), "config.json: expected a JSON object"),
    "deeply nested": (deep, "config.json: this file is nested too deeply"),
    "thousands of digits": (text(CONFIG_FILE, f'{{"vocab_size": {"9" * 5000}}}'), "thousands of digits"),
    "an encoder": (put(CONFIG_FILE, "cdcoref", value=ABSENT), "no coreference model; train one"),
    "another model": (encoder("model_type", "bert"), "model_type is 'bert'"),
    "no encoder size": (encoder("hidden_size", ABSENT), "hidden_size is missing"),
    "a width in words": (encoder("hidden_size", "32"), "hidden_size is '32' and should be a whole number"),
    "a huge width": (encoder("hidden_size", 10**12), "hidden_size is 1000000000000 and should be at most"),
    "a large width": (encoder("hidden_size", 9_999_998), "do not fit.*word_embeddings.weight has shape"),
    "a true width": (encoder("hidden_size", True), "hidden_size is true and should be a whole number"),
    "another width": (encoder("hidden_size", 64), "do not fit.*word_embeddings.weight has shape"),
    "no words": (encoder("vocab_size", 0), "vocab_size is 0 and should be at least 1"),
    "a layer more": (
        both(encoder("num_hidden_layers", 3), encoder("attention_window", 16)),
        "do not fit.*num_hidden_layers is 3, but layer 2 has no weights",
    ),
    "a layer less": (
        both(encoder("num_hidden_layers", 1), encoder("attention_window", [16])),
        "do not fit.*'encoder.encoder.layer.1.*belongs to no layer",
    ),
    "no layers": (encoder("num_hidden_layers", 0), "num_hidden_layers is 0 and should be at least 1"),
    "heads that do not divide": (encoder("num_attention_heads", 5), "not a multiple of 5 attention heads"),
    "another inner width": (encoder("intermediate_size", 10**6), "do not fit.*intermediate.dense.weight has shape"),
    "windows in words": (encoder("attention_window", "512"), "attention_window is '512' and should be a list"),
    "an odd window": (encoder("attention_window", 15), "attention_window is 15 and should be one even number"),
    "a window of zero": (encoder("attention_window", [16, 0]), r"attention_window\[1\] is 0 and should be at least 1"),
    "a window too many": (encoder("attention_window", [16] * 3), "attention_window .* one even number per layer"),
    "no positions": (encoder("max_position_embeddings", ABSENT), "max_position_embeddings is missing"),
    "too many positions": (encoder("max_position_embeddings", 10**6), "do not fit.*position_embeddings.weight"),
    "one position": (encoder("max_position_embeddings", 1), "max_position_embeddings is 1.*none is left"),
    "few positions": (
        both(
            encoder("max_position_embeddings", 20),
            weights(lambda w: w.update({"encoder.embeddings.position_embeddings.weight": torch.zeros(20, 32)})),
        ),
        "the encoder reads 19 word pieces at once",
    ),
    "padding outside the vocabulary": (encoder("pad_token_id", 10**6), "pad_token_id 1000000 is not in the vocabulary"),
    "a beginning in words": (encoder("bos_token_id", "<s>"), "bos_token_id is '<s>'"),
    "other types": (encoder("type_vocab_size", 4), "do not fit.*token_type_embeddings"),
    "an unknown activation": (encoder("hidden_act", "swish"), "hidden_act is 'swish' and should be 'gelu'"),
    "too much dropout": (encoder("hidden_dropout_prob", 5), "hidden_dropout_prob is 5 and should be below 1"),
    "dropout that is no number": (encoder("attention_probs_dropout_prob", NAN), "attention_probs_dropout_prob is nan"),
    "a negative epsilon": (encoder("layer_norm_eps", -1e-12), "layer_norm_eps is -1e-12"),
}
"""What may be wrong in ``config.json`` about the encoder."""

SETTINGS: dict[str, tuple[Damage, str]] = {
    "settings in a list": (encoder("cdcoref", []), r"cdcoref is \[\] and should be a JSON object"),
    "sequences in a list": (setting("sequences", []), r"cdcoref.sequences is \[\] and should be a JSON object"),
    "an unknown setting of sequences": (setting("sequences.colour", 1), "there is no setting cdcoref.sequences.colour"),
    "an unknown setting": (setting("colour", 1), "config.json: there is no setting cdcoref.colour"),
    "an unknown context": (
        setting("sequences.context", "page"),
        "cdcoref.sequences.context is 'page' and should be 'document'",
    ),
    "a short length": (
        setting("sequences.max_length", 3),
        "cdcoref.sequences.max_length is 3 and should be at least 32",
    ),
    "orders in words": (setting("both_orders", "yes"), "cdcoref.both_orders is 'yes' and should be true or false"),
    "an unknown linkage": (setting("linkage", "centroid"), "cdcoref.linkage is 'centroid'"),
    "a scorer of the paper": (setting("scorer_width", 8), "scorer_width is that of a model that reads every pair"),
    "another scorer": (setting("vectors.vector_width", 8), "do not fit.*vector_scorer.kinds.event.layers"),
    "another detector": (setting("detector_width", 8), "do not fit.*detector.length.weight has shape"),
    "longer mentions": (setting("detector_max_words", 4), "do not fit.*detector.length.weight has shape"),
    "an unknown feature": (setting("vectors.pair_features", ["colour"]), "features has 'colour', which is no feature"),
    "a feature in words": (setting("vectors.pair_features", "names"), "cdcoref.vectors.pair_features is 'names'"),
    "a feature less": (setting("vectors.pair_features", ["names"]), "do not fit.*vector_scorer.kinds.event.mean"),
}
"""What may be wrong in its section ``cdcoref``."""
for name in KINDS_OF_THRESHOLD:
    SETTINGS[f"{name}: a kind missing"] = (
        setting(name, {"event": 0.5}),
        f"json: cdcoref.{name} must have one number each",
    )
    for value in (NAN, -0.5, "0.5", None):
        SETTINGS[f"{name}: {value!r}"] = (
            setting(name, {"event": value, "entity": 0.5}),
            rf"cdcoref.{name}.event is .* and should be",
        )
SETTINGS["temperature: zero"] = (
    setting("temperature", {"event": 0, "entity": 1}),
    "temperature.event is 0 and should be",
)
SETTINGS["a distance beyond 1"] = (
    setting("distance_threshold", {"event": 1.5, "entity": 1}),
    "distance_threshold.event is 1.5 and should be at most 1",
)

WEIGHTS: dict[str, tuple[Damage, str]] = {
    "no weights": (lambda f: (f / WEIGHTS_FILE).unlink(), f"{WEIGHTS_FILE}: the model's weights are missing"),
    "a folder for the weights": (replaced_by_folder(WEIGHTS_FILE), f"{WEIGHTS_FILE}: the model's weights are missing"),
    "half of the weights": (half(WEIGHTS_FILE), f"{WEIGHTS_FILE}: the weights cannot be read"),
    "a pickle": (text(WEIGHTS_FILE, pickle.dumps({"a": 1})), f"{WEIGHTS_FILE}: the weights cannot be read"),
    "a huge header": (header({}, length=10**15), f"{WEIGHTS_FILE}: the weights cannot be read"),
    "a header that is a list": (header([]), f"{WEIGHTS_FILE}: "),
    "an empty header": (header({}), "do not fit.*layer 0 has no weights"),
    "overlapping tensors": (
        header({n: {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]} for n in "ab"}, data=bytes(4)),
        f"{WEIGHTS_FILE}: the weights cannot be read",
    ),
    "sizes of nothing": (sizes_of_zero, "do not fit.*has shape"),
    "one weight less": (
        weights(lambda w: w.pop("detector.output.bias")),
        f"{WEIGHTS_FILE}: .*do not fit.*missing: detector.output.bias$",
    ),
    "a layer's weight less": (
        weights(lambda w: w.pop("encoder.encoder.layer.1.output.dense.bias")),
        "do not fit.*missing: encoder.encoder.layer.1.output.dense.bias$",
    ),
    "no table": (
        weights(lambda w: w.pop("encoder.embeddings.word_embeddings.weight")),
        "do not fit.*missing: embeddings.word_embeddings.weight",
    ),
    "one weight more": (weights(lambda w: w.update(extra=torch.ones(3))), "do not fit.*'extra' belongs to no layer"),
    "another shape": (
        weights(lambda w: w.update({"detector.first.bias": torch.ones(3)})),
        r"do not fit.*detector.first.bias has shape \(3,\)",
    ),
    "a shape of another rank": (
        weights(lambda w: w.update({"detector.length.weight": torch.ones(48)})),
        r"do not fit.*detector.length.weight has shape \(48,\)",
    ),
    "integers": (
        weights(lambda w: w.update({"detector.first.bias": torch.ones(16, dtype=torch.int64)})),
        f"{WEIGHTS_FILE}: detector.first.bias holds int64",
    ),
    "complex numbers": (
        weights(lambda w: w.update({"detector.first.bias": torch.ones(16, dtype=torch.complex64)})),
        f"{WEIGHTS_FILE}: detector.first.bias holds complex64",
    ),
    "eight bits without scales": (
        weights(lambda w: w.update({"detector.first.weight": torch.ones(16, 32, dtype=torch.int8)})),
        f"{WEIGHTS_FILE}: detector.first.weight holds 8-bit integers without scales",
    ),
    "scales of another size": (
        weights(lambda w: w.update({"detector.first.weight.row_scale": torch.ones(3)})),
        f"{WEIGHTS_FILE}: .*cannot be read",
    ),
    "scales of nothing": (
        weights(lambda w: w.update({"nothing.row_scale": torch.ones(3)})),
        f"{WEIGHTS_FILE}: .*cannot be read",
    ),
    "not a number": (
        weights(lambda w: w["detector.first.weight"].view(-1)[7].fill_(NAN)),
        f"{WEIGHTS_FILE}: detector.first.weight holds numbers that are not finite",
    ),
    "infinite": (
        weights(lambda w: w["detector.first.bias"][1].fill_(INFINITY)),
        f"{WEIGHTS_FILE}: detector.first.bias holds numbers that are not finite",
    ),
}
"""What may be wrong in ``model.safetensors``."""

NO_TOKENIZER = "model: the (tokenizer cannot be read|folder has no tokenizer)"
TOKENS: dict[str, tuple[Damage, str]] = {
    "no tokenizer": (lambda f: [p.unlink() for p in f.glob("*tok*")], NO_TOKENIZER),
    "a folder for it": (replaced_by_folder(TOKENIZER), NO_TOKENIZER),
    "empty": (text(TOKENIZER, ""), NO_TOKENIZER),
    "half of it": (half(TOKENIZER), NO_TOKENIZER),
    "deeply nested": (text(TOKENIZER, "[" * 100_000), NO_TOKENIZER),
    "an unknown model": (put(TOKENIZER, "model", "type", value="Words"), NO_TOKENIZER),
    "a negative id": (put(TOKENIZER, "model", "vocab", "[UNK]", value=-1), NO_TOKENIZER),
    "an id out of reach": (put(TOKENIZER, "model", "vocab", "the", value=4_000_000_000), "ids beyond"),
    "an id beyond the last": (put(TOKENIZER, "model", "vocab", "the", value=100_000), "ids beyond"),
    "an unknown normaliser": (put(TOKENIZER, "normalizer", value={"type": "Shout"}), NO_TOKENIZER),
    "more entries than the encoder": (
        put(TOKENIZER, "model", "vocab", "another-word", value=0),
        "more entries than the encoder; it belongs to another model",
    ),
    "a configuration that is a list": (text(TOKENIZER_CONFIG, "[]"), NO_TOKENIZER),
    "a configuration that is not JSON": (text(TOKENIZER_CONFIG, "{"), NO_TOKENIZER),
    "an unknown token by number": (put(TOKENIZER_CONFIG, "unk_token", value=5), NO_TOKENIZER),
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

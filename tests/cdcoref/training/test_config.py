"""Settings of a training run: presets, a TOML file over them, and a sentence for whatever is wrong."""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import pytest

from cdcoref.errors import InputError
from cdcoref.model import CorefConfig
from cdcoref.training import PRESETS, TrainingConfig


@pytest.mark.parametrize("preset", PRESETS)
def test_presets_are_whole_configurations(preset: str) -> None:
    config = TrainingConfig.from_dict(PRESETS[preset])
    assert asdict(config) == {**asdict(TrainingConfig()), **PRESETS[preset]}
    assert TrainingConfig.from_dict(json.loads(json.dumps(asdict(config)))) == config


def test_the_paper_is_the_papers() -> None:
    paper = TrainingConfig.from_dict(PRESETS["paper"])
    assert (paper.encoder, paper.epochs, paper.marking, paper.context) == ("biu-nlp/cdlm", 10, "pair", "document")
    assert (paper.mention_vector, paper.max_length, paper.coref_config().scorer_width) == ("sum", 4096, 1024)
    assert paper.batch_sequences * paper.accumulation == 128


def test_the_models_part_of_the_settings() -> None:
    config = TrainingConfig(marking="pair", context=2, max_length=300, both_orders=False, linkage="single")
    coref = config.coref_config()
    shared = {f.name for f in fields(CorefConfig)} & {f.name for f in fields(TrainingConfig)}
    assert {"marking", "context", "max_length", "both_orders", "linkage", "mention_vector"} <= shared
    assert all(getattr(coref, name) == getattr(config, name) for name in shared)
    assert TrainingConfig(mention_type="event").kinds == ("event",)
    assert TrainingConfig().kinds == ("event", "entity")


def test_a_file_wins_over_the_preset_and_options_over_the_file(tmp_path: Path) -> None:
    file = tmp_path / "run.toml"
    file.write_text('epochs = 7\nlearning_rate = 1\ncontext = 3\nencoder = "here"\n', encoding="utf-8")
    config = TrainingConfig.from_toml(file, PRESETS["paper"], {"epochs": 9})
    assert (config.epochs, config.learning_rate, config.context, config.encoder) == (9, 1, 3, "here")
    assert config.marking == "pair"


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"colour": 1}, "there is no setting 'colour'; the settings are encoder, mention_type, "),
        ({"epochs": 0}, "epochs must be 1 or more, not 0"),
        ({"epochs": 2.5}, "epochs must be of type int, not 2.5"),
        ({"epochs": "two"}, "epochs must be of type int, not 'two'"),
        ({"epochs": True}, "epochs must be of type int, not True"),
        ({"both_orders": 1}, "both_orders must be of type bool, not 1"),
        ({"learning_rate": "fast"}, "learning_rate must be of type float, not 'fast'"),
        ({"learning_rate": -1.0}, "learning_rate must be 0 or more, not -1.0"),
        ({"learning_rate": float("nan")}, "learning_rate must be 0 or more, not nan"),
        ({"encoder": 5}, "encoder must be of type str, not 5"),
        ({"warmup": 1.5}, "warmup is a share and must be at most 1, not 1.5"),
        ({"other_subtopics": 2}, "other_subtopics is a share and must be at most 1, not 2"),
        ({"mention_type": "all"}, "mention_type must be one of event, entity, both, not 'all'"),
        ({"precision": "fp8"}, "precision must be one of fp32, bf16, fp16, not 'fp8'"),
        ({"linkage": "ward"}, "linkage must be one of average, single, complete, not 'ward'"),
        ({"marking": "none"}, "marking must be all or pair, not 'none'"),
        ({"context": "page"}, "context must be document, sentence or a number of sentences, not 'page'"),
        ({"context": True}, "context must be document, sentence or a number of sentences, not True"),
        ({"context": 1.5}, "context must be document, sentence or a number of sentences, not 1.5"),
        ({"max_length": 8}, "max_length must be 32 or more, not 8"),
        ({"detector_max_length": 8}, "detector_max_length must be 32 or more, not 8"),
        ({"batch_tokens": 0}, "batch_tokens must be 1 or more, not 0"),
        ({"seed": -1}, "seed must be 0 or more, not -1"),
        ({"weights": 0.5}, "weights must be of type dict, not 0.5"),
    ],
)
def test_wrong_settings_are_said(tmp_path: Path, values: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as raised:
        TrainingConfig.from_dict(values)
    assert str(raised.value).startswith(message)
    file = tmp_path / "run.toml"
    file.write_text("".join(f"{name} = {_toml(value)}\n" for name, value in values.items()), encoding="utf-8")
    with pytest.raises(InputError) as raised:
        TrainingConfig.from_toml(file, {}, {})
    assert str(raised.value).startswith(f"{file}: {message}")
    # The same as an option is no fault of the file.
    file.write_text("", encoding="utf-8")
    with pytest.raises(InputError) as raised:
        TrainingConfig.from_toml(file, {}, values)
    assert str(raised.value).startswith(message)


@pytest.mark.parametrize("weight", [0, -0.5, 1.01, float("nan"), True, "half", [0.5]])
def test_weights_of_corpora_are_shares(tmp_path: Path, weight: object) -> None:
    file = tmp_path / "run.toml"
    file.write_text("[weights]\nlitbank = 0.25\ngum = 1\n")
    assert TrainingConfig.from_toml(file, {}, {}).weights == {"litbank": 0.25, "gum": 1}
    file.write_text(f"[weights]\nlitbank = {_toml(weight)}\n")
    with pytest.raises(InputError, match="the weight of litbank is a share and must be above 0 and at most 1, not"):
        TrainingConfig.from_toml(file, {}, {})


def _toml(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else json.dumps(value).replace("NaN", "nan")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"epochs 3\n", "this is not TOML"),
        (b"encoder = 'caf\xe9'\n", "this is not TOML"),
        (b"[model]\nepochs = 3\n", "there is no setting 'model'"),
    ],
)
def test_a_file_that_is_no_configuration(tmp_path: Path, content: bytes, message: str) -> None:
    file = tmp_path / "run.toml"
    file.write_bytes(content)
    with pytest.raises(InputError) as raised:
        TrainingConfig.from_toml(file, {}, {})
    assert str(raised.value).startswith(f"{file}: {message}")
    with pytest.raises(InputError, match="the configuration cannot be read"):
        TrainingConfig.from_toml(tmp_path / "missing.toml", {}, {})
    with pytest.raises(InputError, match="the configuration cannot be read"):
        TrainingConfig.from_toml(tmp_path, {}, {})

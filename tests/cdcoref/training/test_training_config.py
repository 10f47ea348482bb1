"""The configuration of a training run: presets, the paper's values, and a sentence for whatever is wrong."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest

from cdcoref.errors import InputError
from cdcoref.training import PRESETS, SamplingOptions, TrainingConfig
from cdlm.settings import as_toml, with_settings


@pytest.mark.parametrize("preset", PRESETS)
def test_a_configuration_survives_json_and_toml(preset: str) -> None:
    config = PRESETS[preset]
    assert with_settings(TrainingConfig(), json.loads(json.dumps(config.to_dict()))) == config
    assert with_settings(TrainingConfig(), tomllib.loads(as_toml(config.to_dict()))) == config


def test_the_paper_is_the_papers() -> None:
    paper = PRESETS["paper"]
    sequences = paper.model.sequences
    assert (paper.encoder, paper.run.epochs) == ("biu-nlp/cdlm", 10)
    assert (sequences.marking, sequences.context, sequences.max_length) == ("pair", "document", 4096)
    assert (paper.model.mention_vector, paper.model.scorer_width) == ("sum", 1024)
    assert paper.sampling.step_pairs == 128


def test_the_kinds_that_are_trained() -> None:
    assert TrainingConfig(kind="event").kinds == ("event",)
    assert TrainingConfig().kinds == ("event", "entity")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"colour": 1}, "there is no setting 'colour'; the settings are encoder, kind, trained_as, int8, "),
        ({"epochs": 0}, "run.epochs is 0 and should be at least 1"),
        ({"both_orders": 1}, "model.both_orders is 1 and should be true or false"),
        ({"encoder": 5}, "encoder is 5 and should be text"),
        ({"other_subtopics": 2}, "sampling.other_subtopics is 2 and should be at most 1"),
        ({"kind": "all"}, "kind is 'all' and should be 'event', 'entity' or 'both'"),
        ({"linkage": "ward"}, "model.linkage is 'ward' and should be 'average', 'mixed' or 'single'"),
        ({"marking": "none"}, "model.sequences.marking is 'none' and should be 'all' or 'pair'"),
        ({"context": "page"}, "model.sequences.context is 'page' and should be 'document', 'sentence'"),
        ({"context": True}, "model.sequences.context is true and should be 'document', 'sentence' or a number"),
        ({"context": 1.5}, "model.sequences.context is 1.5 and should be 'document', 'sentence' or a number"),
        ({"max_length": 8}, "model.sequences.max_length is 8 and should be at least 32"),
        ({"detector_max_length": 8}, "model.detector_max_length is 8 and should be at least 32"),
        ({"features": ["moon"]}, "model.sequences.features has 'moon', which is no feature"),
        ({"batch_tokens": 0}, "sampling.batch_tokens is 0 and should be at least 1"),
        ({"temperature": {"event": 1.0}}, "model.temperature must have one number each for event and entity"),
        ({"negatives": float("inf")}, "sampling.negatives is inf and should be a finite number"),
        ({"weights": 0.5}, "sampling.weights is 0.5 and should be a JSON object"),
    ],
)
def test_wrong_settings_are_said(values: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as raised:
        with_settings(TrainingConfig(), values)
    assert str(raised.value).startswith(message)


@pytest.mark.parametrize("weight", [0, -0.5, 1.01, float("nan"), True, "half", [0.5]])
def test_weights_of_corpora_are_shares(weight: object) -> None:
    weights = {"litbank": 0.25, "gum": 1}
    assert with_settings(TrainingConfig(), {"weights": weights}).sampling.weights == weights
    with pytest.raises(InputError, match=r"^sampling\.weights\.litbank is .* and should be "):
        with_settings(TrainingConfig(), {"weights.litbank": weight})


def test_what_python_code_gets_wrong_is_said_too() -> None:
    with pytest.raises(InputError, match=r"^kind is 'all' and should be 'event', 'entity' or 'both'$"):
        TrainingConfig(kind="all")  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"^batch_tokens is 0 and should be"):
        SamplingOptions(batch_tokens=0)

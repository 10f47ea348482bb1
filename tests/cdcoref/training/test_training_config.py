"""The configuration of a training run: presets, the paper's values, and a sentence for whatever is wrong."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest

from cdcoref.errors import InputError
from cdcoref.training import PRESETS, TrainingConfig
from cdlm.settings import as_toml, with_settings


@pytest.mark.parametrize("preset", PRESETS)
def test_a_configuration_survives_json_and_toml(preset: str) -> None:
    config = PRESETS[preset]
    assert with_settings(TrainingConfig(), json.loads(json.dumps(config.to_dict()))) == config
    assert with_settings(TrainingConfig(), tomllib.loads(as_toml(config.to_dict()))) == config


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"colour": 1}, "there is no setting 'colour'; the settings are encoder, kind, int8, "),
        ({"epochs": 0}, "run.epochs is 0 and should be at least 1"),
        ({"both_orders": 1}, "model.both_orders is 1 and should be true or false"),
        ({"encoder": 5}, "encoder is 5 and should be text"),
        ({"kind": "all"}, "kind is 'all' and should be 'event', 'entity' or 'both'"),
        ({"linkage": "ward"}, "model.linkage is 'ward' and should be 'average' or 'single'"),
        ({"context": "page"}, "model.sequences.context is 'page' and should be 'document' or 'sentence'"),
        ({"max_length": 8}, "model.sequences.max_length is 8 and should be at least 32"),
        ({"detector_max_length": 8}, "model.detector_max_length is 8 and should be at least 32"),
        ({"pair_features": ["moon"]}, "model.vectors.features has 'moon', which is no feature"),
        ({"step_pairs": 0}, "sampling.step_pairs is 0 and should be at least 1"),
        ({"temperature": {"event": 1.0}}, "model.temperature must have one number each for event and entity"),
        ({"negatives": float("inf")}, "sampling.negatives is inf and should be a finite number"),
        ({"bi_encoder.corpus_shares": 0.5}, "bi_encoder.corpus_shares is 0.5 and should be a JSON object"),
        ({"bi_encoder.corpus_shares.gum": -1}, "bi_encoder.corpus_shares.gum is -1 and should be at least 0"),
    ],
)
def test_wrong_settings_are_said(values: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as raised:
        with_settings(TrainingConfig(), values)
    assert str(raised.value).startswith(message)

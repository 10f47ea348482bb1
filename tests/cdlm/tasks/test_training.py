"""What the training of all tasks shares: nested settings from flat names, and batches that follow from the seed."""

from __future__ import annotations

import tomllib
from typing import Any

import numpy as np
import pytest
import torch

from cdlm.errors import InputError
from cdlm.tasks import MatchTraining, QATraining, parse_settings
from cdlm.tasks.model import settings_as_toml
from cdlm.tasks.training import Batch, ShuffledBatches


def test_names_find_their_place() -> None:
    config = MatchTraining.from_flat({"encoder": "x", "batch_size": 4, "epochs": 7, "max_length": 99, "warmup": 0})
    assert (config.encoder, config.batch_size, config.run.epochs, config.model.max_length) == ("x", 4, 7, 99)
    assert config.run.warmup == 0
    assert QATraining.from_flat({"span_weight": 2}).span_weight == 2


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"colour": 1}, "there is no setting 'colour'; the settings are encoder, batch_size, seed, "),
        ({"encoder": 5}, "encoder must be of type str, not 5"),
        ({"batch_size": True}, "batch_size must be of type int, not True"),
        ({"batch_size": 0}, "batch_size must be 1 or more, not 0"),
        ({"epochs": "2"}, "epochs must be of type int, not '2'"),
        ({"learning_rate": "fast"}, "learning_rate must be of type float, not 'fast'"),
        ({"head_learning_rate": "fast"}, "head_learning_rate must be of type float, not 'fast'"),
        ({"epochs": 0}, "epochs must be 1 or more, not 0"),
        ({"max_length": 3}, "max_length must be 16 or more, not 3"),
    ],
)
def test_wrong_settings_are_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        MatchTraining.from_flat(values)


def test_settings_from_the_command_line() -> None:
    assert parse_settings(["a=1", "b-c=x y", "d=1e-5", "e=true", 'f="t"']) == {
        "a": 1, "b_c": "x y", "d": 1e-5, "e": True, "f": "t",
    }  # fmt: skip
    with pytest.raises(InputError, match="'epochs' has no ="):
        parse_settings(["epochs"])


def test_settings_on_the_card_are_toml() -> None:
    values = {"encoder": 'a "b"', "n": 2, "none": None, "run": {"rate": 1e-05, "on": False, "none": None}}
    assert tomllib.loads(settings_as_toml(values)) == {
        "encoder": 'a "b"', "n": 2, "run": {"rate": 1e-05, "on": False},
    }  # fmt: skip


def batches(seed: int, epoch: int) -> list[tuple[list[int], float]]:
    def collate(items: list[int], random: np.random.Generator) -> Batch:
        return {"items": torch.tensor(items), "drawn": torch.tensor(random.random())}

    data = ShuffledBatches(list(range(10)), 4, seed, collate)
    data.set_epoch(epoch)
    return [(batch["items"].tolist(), float(batch["drawn"])) for batch in (data[n] for n in range(len(data)))]


def test_batches_follow_from_seed_and_epoch() -> None:
    once = batches(1, 1)
    assert [len(items) for items, _ in once] == [4, 4, 2]
    assert sorted(item for items, _ in once for item in items) == list(range(10))
    assert once == batches(1, 1)
    assert len({str(batches(seed, epoch)) for seed in range(3) for epoch in range(3)}) == 9
    assert len({drawn for _, drawn in once}) == 3


def test_there_is_no_batch_beyond_the_last() -> None:
    data = ShuffledBatches([1, 2, 3], 2, 0, lambda items, random: {})
    with pytest.raises(IndexError):
        data[2]

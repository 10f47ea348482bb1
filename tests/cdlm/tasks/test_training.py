"""What the training of all tasks shares: nested settings from flat names, and batches that follow from the seed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from cdlm.errors import InputError
from cdlm.settings import with_settings
from cdlm.tasks import MatchTraining, QATraining
from cdlm.tasks.training import ShuffledBatches


def test_names_find_their_place() -> None:
    config = with_settings(MatchTraining(), {"encoder": "x", "batch_size": 4, "epochs": 7, "model.max_length": 99})
    assert (config.encoder, config.batch_size, config.run.epochs, config.model.max_length) == ("x", 4, 7, 99)
    assert with_settings(QATraining(), {"span_weight": 2.0, "run": {"seed": 3}}).run.seed == 3


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"colour": 1}, "there is no setting 'colour'"),
        ({"batch_size": True}, "batch_size is true and should be"),
        ({"batch_size": 0}, "batch_size is 0 and should be"),
        ({"epochs": "2"}, "run.epochs is '2' and should be"),
        ({"max_length": 3}, "model.max_length is 3 and should be"),
        ({"reading": "alone"}, "model.reading is 'alone' and should be 'cross-encoder' or 'bi-encoder'"),
    ],
)
def test_wrong_settings_are_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        with_settings(MatchTraining(), values)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"span_weight": -1.0}, "span_weight is -1.0 and should be"),
        ({"keep_paragraphs": 1}, "model.keep_paragraphs is 1 and should be"),
        ({"max_length": 8}, "model.max_length is 8 and should be"),
    ],
)
def test_wrong_settings_of_questions_are_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        with_settings(QATraining(), values)


def batches(seed: int, epoch: int) -> list[tuple[list[int], float]]:
    def collate(items: list[int], random: np.random.Generator) -> dict[str, Any]:
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

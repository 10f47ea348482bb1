"""What training shares across tasks: its configuration, and shuffled batches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Generic, TypeVar

import numpy as np
from torch import Tensor

from cdlm.runs import RunOptions
from cdlm.validation import Count, check_fields

T = TypeVar("T")
Batch = dict[str, Tensor]


@dataclass(frozen=True)
class TaskTraining:
    """What training depends on besides its data, for every task; a task adds the settings of its model.

    Attributes
    ----------
    encoder
        The encoder to start from; see :func:`cdlm.starting_encoders.encoder_folder`.
    batch_size
        Examples in a batch; ``run.accumulation`` batches make one optimiser step.
    run
        How the run is optimised, evaluated and saved.

    Raises
    ------
    InputError
        If a value is of the wrong type or out of range.
    """

    encoder: str = "minilm"
    batch_size: Count = 16
    run: RunOptions = field(default_factory=RunOptions)

    def __post_init__(self) -> None:
        check_fields(self)

    def to_dict(self) -> dict[str, Any]:
        """The configuration as plain values, for JSON."""
        return asdict(self)


class ShuffledBatches(Generic[T]):
    """The batches of an epoch in an order that depends on the random seed and the epoch alone.

    Parameters
    ----------
    items
        The examples.
    collate
        Examples and a random number generator in, the batch out. The generator depends on the random seed, the epoch
        and the number of the batch.
    """

    def __init__(
        self,
        items: Sequence[T],
        batch_size: int,
        seed: int,
        collate: Callable[[list[T], np.random.Generator], Batch],
    ) -> None:
        self._items = items
        self._batch_size = batch_size
        self._seed = seed
        self._collate = collate
        self.set_epoch(0)

    def set_epoch(self, epoch: int) -> None:
        """Choose the epoch, from 0."""
        self._epoch = epoch
        self._order = np.random.default_rng([self._seed, epoch]).permutation(len(self._items))

    def __len__(self) -> int:
        return -(-len(self._items) // self._batch_size)

    def __getitem__(self, number: int) -> Batch:
        """One batch of the epoch."""
        if not 0 <= number < len(self):
            raise IndexError(number)
        places = self._order[number * self._batch_size : (number + 1) * self._batch_size]
        # From 1, since a seed that ends in 0 equals the seed without it, which is that of the order.
        random = np.random.default_rng([self._seed, self._epoch, number + 1])
        return self._collate([self._items[place] for place in places], random)

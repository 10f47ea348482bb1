"""What the training of every task shares: its configuration, presets with nested names, and shuffled batches."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from typing import Any, Generic, Self, TypeVar

import numpy as np
from torch import Tensor

from cdlm.errors import InputError
from cdlm.runs import RunOptions
from cdlm.tasks.model import check_type, read_settings

T = TypeVar("T")
Batch = dict[str, Tensor]


@dataclass(frozen=True)
class TaskTraining:
    """Everything that the training of a task depends on beside its data.

    Attributes
    ----------
    encoder
        What training starts from; see :func:`cdlm.starting_encoders.encoder_folder`.
    batch_size
        Examples in a batch; ``run.accumulation`` batches are one step of the optimiser.
    run
        How the run is optimised, evaluated and saved.
    model
        Settings that the model keeps.
    """

    encoder: str = "minilm"
    batch_size: int = 32
    run: RunOptions = field(default_factory=RunOptions)
    model: Any = None

    def __post_init__(self) -> None:
        if self.batch_size < 1:
            raise InputError(f"batch_size must be 1 or more, not {self.batch_size}")

    @classmethod
    def from_flat(cls, values: Mapping[str, Any]) -> Self:
        """Make a configuration from named values, each put where its name belongs.

        Raises
        ------
        InputError
            If a name is unknown, or a value is of the wrong type or out of its range.
        """
        default = cls()
        nested = {one.name: getattr(default, one.name) for one in fields(cls)}
        inner: dict[str, type[Any]] = {name: type(value) for name, value in nested.items() if is_dataclass(value)}
        known = {one.name: (name, one) for name, kind in inner.items() for one in fields(kind)}
        own = {name: value for name, value in nested.items() if name not in inner}
        places: dict[str, dict[str, Any]] = {name: {} for name in inner}
        chosen: dict[str, Any] = {}
        for name, value in values.items():
            if name in own:
                check_type(name, value, own[name])
                chosen[name] = value
            elif name in known:
                places[known[name][0]][name] = value
            else:
                raise InputError(f"there is no setting {name!r}; the settings are {', '.join([*own, *known])}")
        return cls(**chosen, **{name: read_settings(kind, places[name]) for name, kind in inner.items()})

    def to_dict(self) -> dict[str, Any]:
        """The configuration as plain values, for JSON."""
        return asdict(self)


def parse_settings(pairs: Sequence[str]) -> dict[str, Any]:
    """Read ``NAME=VALUE`` pairs, the values as TOML where they can be and as text where not.

    >>> parse_settings(["epochs=3", "reading=apart"])
    {'epochs': 3, 'reading': 'apart'}
    """
    values: dict[str, Any] = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals:
            raise InputError(f"a setting is given as NAME=VALUE, and {pair!r} has no =")
        try:
            value = tomllib.loads(f"value = {text}")["value"]
        except (tomllib.TOMLDecodeError, RecursionError):
            value = text
        values[name.strip().replace("-", "_")] = value
    return values


class ShuffledBatches(Generic[T]):
    """The batches of an epoch in an order that follows from the seed and the epoch alone.

    Parameters
    ----------
    items
        The examples.
    collate
        Examples and a random number generator in, the batch out. The generator follows from the seed, the epoch and
        the number of the batch.
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
        # From 1, since a seed that ends in 0 is the same as one without it: that of the order.
        random = np.random.default_rng([self._seed, self._epoch, number + 1])
        return self._collate([self._items[place] for place in places], random)

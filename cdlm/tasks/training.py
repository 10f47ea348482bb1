"""What fine-tuning an encoder has in common for all tasks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
from torch import Tensor, nn

from cdlm.runs import Evaluation, Run, RunOptions
from cdlm.settings import as_toml
from cdlm.starting_encoders import IN_WORDS
from cdlm.tasks.model import TaskModel
from cdlm.validation import Checked, Count

T = TypeVar("T")
B = TypeVar("B")
M = TypeVar("M", bound=TaskModel)


@dataclass(frozen=True)
class TaskTraining(Checked):
    """The settings of training that all tasks share; a task adds those of its model."""

    encoder: str = "small"
    """The encoder to start from; see :func:`cdlm.starting_encoders.encoder_folder`."""
    batch_size: Count = 16
    """Examples in a batch; ``run.accumulation`` batches make one optimiser step."""
    run: RunOptions = field(default_factory=RunOptions)
    """How the run is optimised, evaluated and saved."""


class ShuffledBatches(Generic[T, B]):
    """The batches of an epoch in an order that depends on the random seed and the epoch alone.

    `collate` makes a batch of examples, with a generator that depends on the seed, the epoch and the batch's number.
    """

    def __init__(
        self, items: Sequence[T], batch_size: int, seed: int, collate: Callable[[list[T], np.random.Generator], B]
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

    def __getitem__(self, number: int) -> B:
        """One batch of the epoch."""
        if not 0 <= number < len(self):
            raise IndexError(number)
        chosen = self._order[number * self._batch_size : (number + 1) * self._batch_size]
        # From 1, since a seed that ends in 0 equals the seed without it, which is that of the order.
        random = np.random.default_rng([self._seed, self._epoch, number + 1])
        return self._collate([self._items[index] for index in chosen], random)


def fine_tune(
    run: Run,
    model: M,
    examples: str,
    data: ShuffledBatches[Any, Any],
    loss: Callable[[nn.Module, Any], Tensor],
    evaluate: Callable[[M], Evaluation[T]],
    card: Callable[[M, T, float], str],
) -> None:
    """Train a task's model, and write the best one to the folder of the run.

    `examples` says what the batches consist of ("120 training pairs"); `card` makes the text of the model card from the
    trained model, what was chosen on the dev data, and the epoch. For the others see `Run.train`.
    """

    def save(model: M, folder: Path, evaluation: Evaluation[T], epoch: float) -> None:
        model.save_pretrained(folder, card(model, evaluation.chosen, epoch))

    parameters = sum(parameter.numel() for parameter in model.parameters()) / 1e6
    run.say(f"{examples} in {len(data)} batches per epoch; {parameters:.1f}M parameters")
    run.train(model, data, loss=loss, evaluate=evaluate, save=save)


def task_card(
    config: Any, model: TaskModel, epoch: float, *, title: str, purpose: str, command: str, scores: str
) -> str:
    """The text of a model card; `scores` are those on the dev data, in percent."""
    encoder = model.encoder.config
    parameters = sum(parameter.numel() for parameter in model.parameters())
    return f"""# {title}

{purpose} Encoder: Longformer attention, {encoder.num_hidden_layers} layers of width {encoder.hidden_size}; up to
{model.settings.max_length} tokens; {parameters / 1e6:.1f} million parameters. Training started from
{IN_WORDS.get(config.encoder, config.encoder)}.

    {command}

## Scores on the dev data

These are validation numbers: the epoch ({epoch:g} of {config.run.epochs}) was chosen on the same data. In percent:
{scores}.

## How it was trained

```toml
{as_toml(asdict(config))}```
"""

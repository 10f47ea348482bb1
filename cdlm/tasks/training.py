"""Fine-tuning an encoder for a task: a configuration and what the task adds in, the folder of the best model out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
from torch import Tensor, nn

from cdlm.runs import Evaluation, Run, RunOptions, Say
from cdlm.tasks.model import TaskModel
from cdlm.validation import Count, check_fields

T = TypeVar("T")
B = TypeVar("B")
M = TypeVar("M", bound=TaskModel)


@dataclass(frozen=True)
class TaskTraining:
    """The settings of training that all tasks share; a task adds those of its model.

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

    encoder: str = "small"
    batch_size: Count = 16
    run: RunOptions = field(default_factory=RunOptions)

    def __post_init__(self) -> None:
        check_fields(self)

    def to_dict(self) -> dict[str, Any]:
        """The configuration as plain values, for JSON."""
        return asdict(self)


class ShuffledBatches(Generic[T, B]):
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
        collate: Callable[[list[T], np.random.Generator], B],
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
        places = self._order[number * self._batch_size : (number + 1) * self._batch_size]
        # From 1, since a seed that ends in 0 equals the seed without it, which is that of the order.
        random = np.random.default_rng([self._seed, self._epoch, number + 1])
        return self._collate([self._items[place] for place in places], random)


@dataclass(frozen=True)
class FineTuning(Generic[M, T]):
    """What :func:`fine_tune` needs from a task once its untrained model exists.

    Attributes
    ----------
    examples
        What the batches consist of, with their number, for the user: ``"120 training pairs"``.
    data
        The batches.
    loss
        Model and batch in, loss out.
    evaluate
        Model in evaluation mode in, its scores on the dev data out.
    card
        The trained model, what was chosen on the dev data, and the epoch in; the text of the model card out.
    """

    examples: str
    data: ShuffledBatches[Any, Any]
    loss: Callable[[nn.Module, Any], Tensor]
    evaluate: Callable[[M], Evaluation[T]]
    card: Callable[[M, T, float], str]


def fine_tune(
    config: TaskTraining,
    model_type: type[M],
    settings: Any,
    prepare: Callable[[M, Run], FineTuning[M, T]],
    output: str | Path,
    *,
    data: str,
    resume: bool,
    device: str | None,
    tracker: str | None,
    say: Say,
) -> M:
    """Train a task's model from an encoder, write the best one to a folder, and read it from there.

    Parameters
    ----------
    model_type, settings
        The task's model, and its own settings.
    prepare
        The untrained model and its run in, what the task adds out. Not called if the run to resume has finished.
    output, data, resume, device, tracker, say
        See :class:`cdlm.runs.Run`, also for what it raises.
    """
    run = Run(output, config.run, config, data=data, resume=resume, device=device, tracker=tracker, say=say)
    if not run.finished:
        model = model_type.from_encoder(config.encoder, settings)
        task = prepare(model, run)

        def save(model: M, folder: Path, evaluation: Evaluation[T], epoch: float) -> None:
            model.save_pretrained(folder, task.card(model, evaluation.chosen, epoch))

        parameters = sum(parameter.numel() for parameter in model.parameters()) / 1e6
        run.say(f"{task.examples} in {len(task.data)} batches per epoch; {parameters:.1f}M parameters")
        run.train(model, task.data, loss=task.loss, evaluate=task.evaluate, save=save)
    return model_type.from_pretrained(output)

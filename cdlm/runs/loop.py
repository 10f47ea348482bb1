"""The training loop. A resumed run ends with the same weights because batches follow from the seed and the epoch alone,
and a checkpoint counts only once the list of its files is written, and holds the evaluation before it."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sized
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import torch
from accelerate import Accelerator
from accelerate.utils import broadcast_object_list, send_to_device, set_seed
from torch import Tensor, nn
from torch.optim.lr_scheduler import LambdaLR
from torch.utils.data import DataLoader

from cdlm.checkpoints import writing_weights
from cdlm.files import replaced_folder
from cdlm.runs.checkpoints import RunState, mark_whole, remove_earlier
from cdlm.runs.folder import RunFolder, write_record
from cdlm.runs.options import RunOptions

M = TypeVar("M", bound=nn.Module)
T = TypeVar("T")
Say = Callable[[str], None]
ENCODERS = ("encoder.", "longformer.")
"""Prefixes of an encoder's parameters: in this project's models, and in Hugging Face's."""


class TrainingData(Sized, Protocol):
    """The batches of an epoch, which depend on a random seed, the epoch and their number only."""

    def __getitem__(self, number: int) -> Any:
        """One batch, as the loss accepts it: tensors in a mapping, or an object whose ``to(device)`` moves them.

        If it has an attribute ``tokens``, the number of its tokens, then the speed of training is reported.
        """

    def set_epoch(self, epoch: int) -> None:
        """Choose the epoch, from 0."""


@dataclass(frozen=True, slots=True)
class Evaluation(Generic[T]):
    """The results on the dev data."""

    score: float
    """Higher is better; the first of the best models is kept."""
    summary: str
    """For the user, to follow the word "dev": ``"perplexity 5.31"``."""
    metrics: Mapping[str, float]
    """Numbers for the log, by name."""
    record: Mapping[str, Any]
    """The entry ``"dev"`` of ``training.json``: plain values, for JSON."""
    chosen: T
    """Whatever was chosen on dev and must be saved with the model, such as thresholds."""


class TrainingLoop(Generic[M, T]):
    """The training of a model from its first step, or from a checkpoint, to its last; see :meth:`cdlm.runs.Run.train`.

    `record` is what the best model's ``training.json`` holds besides its evaluation.
    """

    def __init__(
        self,
        options: RunOptions,
        model: M,
        data: TrainingData,
        loss: Callable[[M, Any], Tensor],
        evaluate: Callable[[M], Evaluation[T]],
        save: Callable[[M, Path, Evaluation[T], float], None],
        folder: RunFolder,
        record: Mapping[str, Any],
        accelerator: Accelerator,
        say: Say,
    ) -> None:
        set_seed(options.seed)  # what is drawn in training does not depend on what the model's creation drew
        self._options = options
        self._model = model
        self._data = data
        self._loss, self._evaluate_model, self._save_model = loss, evaluate, save
        self._folder = folder
        self._record = record
        self._accelerator = accelerator
        self._say = say
        self._batches_per_epoch = math.ceil(len(data) / accelerator.num_processes)
        self._steps_per_epoch = math.ceil(self._batches_per_epoch / options.accumulation)
        self.last_step = options.steps or options.epochs * self._steps_per_epoch
        self.state = RunState()
        optimizer = make_optimizer(model, options)
        self._wrapped, self._optimizer = accelerator.prepare(model, optimizer)
        self._learning_rates = learning_rates(optimizer, options, self.last_step)
        accelerator.register_for_checkpointing(self._learning_rates, self.state)
        self._loss_since_report, self._reported_step = torch.zeros((), device=accelerator.device), 0

    def resume(self, checkpoint: Path) -> None:
        """Go back to the state in which a checkpoint was written: weights, optimiser, random numbers, steps, scores."""
        self._accelerator.load_state(str(checkpoint))

    def run(self) -> None:
        """Train to the last step."""
        self._clock, self._speed = time.monotonic(), Speed()
        self._first_step = self._reported_step = self.state.step
        self._model.train()
        while self.state.step < self.last_step:
            epoch, done = divmod(self.state.step, self._steps_per_epoch)
            batches = self._batches(epoch, done * self._options.accumulation)
            for _ in range(done, min(self._steps_per_epoch, done + self.last_step - self.state.step)):
                self._step(self._next(batches))

    @property
    def epoch(self) -> float:
        """The epochs done: 1.5 in the middle of the second."""
        epochs, steps = divmod(self.state.step, self._steps_per_epoch)
        return epochs + min(steps * self._options.accumulation, self._batches_per_epoch) / self._batches_per_epoch

    # -- batches -----------------------------------------------------------------------------------------------------

    def _batches(self, epoch: int, done: int) -> Iterator[Any]:
        """The batches of this process in an epoch without those done; all processes have the same number of them."""
        self._data.set_epoch(epoch)
        every, first = self._accelerator.num_processes, self._accelerator.process_index
        numbers = [number * every + first for number in range(done, self._batches_per_epoch)]
        loader: DataLoader[Any] = DataLoader(
            self._data,  # type: ignore[arg-type]
            batch_size=None,
            sampler=[number % len(self._data) for number in numbers],
            num_workers=self._options.data_workers,
            collate_fn=_unchanged,
        )
        # An iterator draws a random number. Within an epoch, that is part of the checkpoint's random state.
        with torch.random.fork_rng(devices=[], enabled=done > 0):
            return iter(loader)

    def _next(self, batches: Iterator[Any]) -> list[Any]:
        """The batches of a step; the last step of an epoch may have fewer."""
        started = time.perf_counter()
        of_step = [batch for _, batch in zip(range(self._options.accumulation), batches, strict=False)]
        tokens = sum(getattr(batch, "tokens", 0) for batch in of_step)
        self._speed.add(tokens * self._accelerator.num_processes, time.perf_counter() - started)
        return of_step

    # -- steps -------------------------------------------------------------------------------------------------------

    def _step(self, batches: list[Any]) -> None:
        """One step of the optimiser, on the mean of the batches' losses, and what is due after it."""
        for number, batch in enumerate(batches, start=1):
            # Only the last batch's gradients are exchanged between processes, with those accumulated before.
            unsynchronised = nullcontext() if number == len(batches) else self._accelerator.no_sync(self._wrapped)
            with unsynchronised:
                loss = self._loss(self._wrapped, send_to_device(batch, self._accelerator.device))
                share = loss / len(batches)
                self._accelerator.backward(share)
            self._loss_since_report += share.detach()
        largest = self._options.max_gradient_norm or math.inf
        norm = self._accelerator.clip_grad_norm_(self._model.parameters(), largest)
        self._optimizer.step()
        rate = float(self._learning_rates.get_last_lr()[0])
        if not self._accelerator.optimizer_step_was_skipped:  # as in fp16 if a gradient is not finite
            self._learning_rates.step()
        self._model.zero_grad()
        self.state.step += 1
        self._after_step(norm, rate)

    def _after_step(self, gradient_norm: float | Tensor, learning_rate: float) -> None:
        """Report, evaluate and save where that is due; the checkpoint comes after the evaluation and holds it."""
        step, options = self.state.step, self._options
        if step % options.log_steps == 0:
            self._report(gradient_norm, learning_rate)
        due = step % (options.evaluate_steps or self._steps_per_epoch) == 0 or step == self.last_step
        if due:
            self._evaluate()
        if due or step % options.save_steps == 0:
            self._save()

    def _report(self, gradient_norm: float | Tensor, learning_rate: float) -> None:
        """A line of progress, and the numbers in it for the experiment tracker."""
        total = self._accelerator.gather(self._loss_since_report)
        assert isinstance(total, Tensor)
        loss = total.mean().item() / (self.state.step - self._reported_step)
        self._loss_since_report.zero_()
        self._reported_step = self.state.step
        done, left = self.state.step - self._first_step, self.last_step - self.state.step
        minutes = (time.monotonic() - self._clock) / done * left / 60
        self._say(
            f"{self._place()}, step {self.state.step} of {self.last_step}: loss {loss:.4f}, "
            f"{'less than 1' if minutes < 1 else f'{minutes:.0f}'} min left{self._speed.summary()}"
        )
        numbers = {"loss": loss, "grad_norm": float(gradient_norm), "learning_rate": learning_rate, "epoch": self.epoch}
        self._accelerator.log({f"train/{name}": value for name, value in numbers.items()}, step=self.state.step)

    def _place(self) -> str:
        epochs = "" if self._options.steps else f" of {self._options.epochs}"
        return f"epoch {self.epoch:.2f}{epochs}"

    # -- evaluation --------------------------------------------------------------------------------------------------

    def _evaluate(self) -> None:
        """Evaluate in one process, and keep the model if it is the best so far."""
        scores: list[Any] = [None]
        if self._accelerator.is_main_process:
            scores = [self._evaluate_here()]
        (score,) = broadcast_object_list(scores)
        self.state.scores[self.state.step] = score

    def _evaluate_here(self) -> float:
        self._say(f"{self._place()}: evaluating")  # which may take minutes
        self._model.eval()
        with torch.autocast(self._accelerator.device.type, enabled=False):
            evaluation = self._evaluate_model(self._model)
        self._say(f"{self._place()}: dev {evaluation.summary}")
        if all(evaluation.score > score for score in self.state.scores.values()):
            self._keep(evaluation)
        self._model.train()
        numbers = {"score": evaluation.score, **evaluation.metrics}
        self._accelerator.log({f"eval/{name}": value for name, value in numbers.items()}, step=self.state.step)
        return evaluation.score

    def _keep(self, evaluation: Evaluation[T]) -> None:
        """Write the model with its evaluation, as the best so far."""
        epoch = round(self.epoch, 2)
        epoch = int(epoch) if epoch == int(epoch) else epoch
        with replaced_folder(self._folder.best(self.state.step)) as folder:
            self._save_model(self._model, folder, evaluation, epoch)
            record = {
                **self._record,
                "best_epoch": epoch,
                "dev": evaluation.record,
                "torch": torch.__version__,
                "threads": torch.get_num_threads(),
            }
            write_record(folder, record)

    # -- checkpoints -------------------------------------------------------------------------------------------------

    def _save(self) -> None:
        """Write a checkpoint; then remove all but the newest two, and models that are no longer the best."""
        checkpoint, first = self._folder.checkpoint(self.state.step), self._accelerator.is_main_process
        if first:
            checkpoint.mkdir()
        self._accelerator.wait_for_everyone()
        with writing_weights(checkpoint):
            self._accelerator.save_state(str(checkpoint))
        self._accelerator.wait_for_everyone()
        if first:
            mark_whole(checkpoint)
            remove_earlier(checkpoint)
            if self.state.best_step is not None:
                self._folder.remove_best_but(self.state.best_step)


def _unchanged(batch: Any) -> Any:
    return batch


def make_optimizer(model: nn.Module, options: RunOptions) -> torch.optim.AdamW:
    """AdamW with one learning rate for the encoder and one for the rest, without weight decay for vectors."""
    groups: dict[tuple[bool, bool], list[nn.Parameter]] = {}
    for name, parameter in model.named_parameters():
        if parameter.requires_grad:
            groups.setdefault((name.startswith(ENCODERS), parameter.ndim > 1), []).append(parameter)
    rate, head_rate = options.learning_rate, options.head_learning_rate
    rates = {True: rate, False: rate if head_rate is None else head_rate}
    return torch.optim.AdamW(
        [
            {"params": parameters, "lr": rates[encoder], "weight_decay": options.weight_decay if matrix else 0.0}
            for (encoder, matrix), parameters in groups.items()
        ],
        betas=(0.9, options.adam_beta2),
        eps=options.adam_epsilon,
    )


def learning_rates(optimizer: torch.optim.Optimizer, options: RunOptions, steps: int) -> LambdaLR:
    """The course of the learning rates over a run of `steps` steps: up to their peaks, then down to 0.

    The warmup leaves at least the last step for the decay.
    """
    warmup = int(options.warmup) if options.warmup >= 1 else math.ceil(steps * options.warmup)
    warmup = min(warmup, steps - 1)

    def share(step: int) -> float:
        if step < warmup:
            return step / warmup
        if step > steps:
            return 0.0
        return float((1 - (step - warmup) / (steps - warmup)) ** options.decay_power)

    return LambdaLR(optimizer, share)


class Speed:
    """How many tokens per second were trained on, and how much of the time was spent waiting for them."""

    def __init__(self) -> None:
        self._started = time.perf_counter()
        self._tokens = 0
        self._waited = 0.0

    def add(self, tokens: int, waited: float) -> None:
        """Count the tokens of a step, and the seconds spent waiting for them."""
        self._tokens += tokens
        self._waited += waited

    def summary(self) -> str:
        """The counts, to be appended to a line; empty without tokens."""
        seconds = time.perf_counter() - self._started
        if not self._tokens:
            return ""
        return f", {self._tokens / seconds:,.0f} tokens/s, {100 * self._waited / seconds:.1f} % waiting for data"

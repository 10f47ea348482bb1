"""transformers' ``Trainer`` with this project's batches, complete checkpoints, and evaluation before each last one.

A model, its data and three functions in; checkpoints and the best model's folder out. A resumed run ends with the same
weights because the batches follow from the random seed and the epoch alone, a checkpoint counts only once the list of
its files has been written, and an evaluation is part of the checkpoint that follows it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sized
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import torch
from accelerate.utils import broadcast_object_list
from safetensors.torch import load_model, save_model
from torch import Tensor, nn
from transformers import Trainer, TrainerCallback, TrainerControl, TrainerState, TrainingArguments
from transformers.trainer_callback import PrinterCallback, ProgressCallback

from cdlm.files import replaced_folder
from cdlm.runs.checkpoints import mark_whole
from cdlm.runs.folder import RunFolder, write_record
from cdlm.runs.options import RunOptions
from cdlm.runs.progress import ProgressLines, Say

WEIGHTS_FILE = "model.safetensors"
SCORE = "eval_score"
ENCODERS = ("encoder.", "longformer.")
"""Prefixes of an encoder's parameters: in this project's models, and in Hugging Face's."""

M = TypeVar("M", bound=nn.Module)
T = TypeVar("T")


class TrainingData(Sized, Protocol):
    """The batches of an epoch, which depend on a random seed, the epoch and their number only."""

    def __getitem__(self, number: int) -> Any:
        """One batch, as the loss accepts it: usually a mapping with tensors, which are moved to the model's device.

        If it is a mapping with the number of its ``tokens``, the speed of training is reported.
        """

    def set_epoch(self, epoch: int) -> None:
        """Choose the epoch, from 0."""


@dataclass(frozen=True, slots=True)
class Evaluation(Generic[T]):
    """The results on the dev data.

    Attributes
    ----------
    score
        Higher is better; the first of the best models is kept.
    summary
        For the user, to follow the word "dev": ``"perplexity 5.31"``.
    metrics
        Numbers for the log, by name.
    record
        The entry ``"dev"`` of ``training.json``: plain values, for JSON.
    chosen
        Whatever was chosen on dev and must be saved with the model, such as thresholds.
    """

    score: float
    summary: str
    metrics: Mapping[str, float]
    record: Mapping[str, Any]
    chosen: T


@dataclass(frozen=True, slots=True)
class Functions(Generic[M, T]):
    """What a run has to know about the model it trains.

    Attributes
    ----------
    loss
        Model and batch in, loss out. It calls the model itself, not a part of it, since a distributed model is wrapped.
    evaluate
        Model in evaluation mode in; see :class:`Evaluation`.
    save
        Writes model and evaluation into a folder; the epoch (1 is the end of the first) is for the model card.
    """

    loss: Callable[[M, Any], Tensor]
    evaluate: Callable[[M], Evaluation[T]]
    save: Callable[[M, Path, Evaluation[T], float], None]


@dataclass(frozen=True, slots=True)
class Setting:
    """The device (CPU, or what transformers finds), the numeric precision, and the trackers of a run."""

    use_cpu: bool
    precision: str
    trackers: list[str] = field(default_factory=list)


class RunTrainer(Trainer, Generic[M, T]):
    """transformers' Trainer with ready-made batches, complete checkpoints, and the best model kept."""

    def __init__(
        self,
        options: RunOptions,
        model: M,
        data: TrainingData,
        functions: Functions[M, T],
        folder: RunFolder,
        record: Mapping[str, Any],
        setting: Setting,
        say: Say,
    ) -> None:
        self._options = options
        self._trained_model = model
        self._data = data
        self._functions = functions
        self._folder = folder
        self._record = record
        self._say = say
        self._lines = ProgressLines(say, options)
        arguments = TrainingArguments(
            output_dir=str(folder.checkpoints),
            per_device_train_batch_size=1,
            gradient_accumulation_steps=options.accumulation,
            num_train_epochs=options.epochs,
            max_steps=options.steps or -1,
            learning_rate=options.learning_rate,
            weight_decay=options.weight_decay,
            max_grad_norm=options.max_gradient_norm,
            dataloader_num_workers=options.data_workers,
            warmup_steps=options.warmup,
            lr_scheduler_type="polynomial",
            lr_scheduler_kwargs={"power": options.decay_power, "lr_end": 0.0},
            bf16=setting.precision == "bf16",
            fp16=setting.precision == "fp16",
            use_cpu=setting.use_cpu,
            seed=options.seed,
            save_strategy="steps",
            save_steps=options.save_steps,
            save_total_limit=2,
            logging_steps=options.log_steps,
            report_to=setting.trackers,
            remove_unused_columns=False,
            ddp_find_unused_parameters=True,
            disable_tqdm=True,
        )
        super().__init__(
            model=model,
            args=arguments,
            train_dataset=data,
            data_collator=_only_item,
            callbacks=[EvaluationSteps(options.evaluate_steps), self._lines],
        )
        # transformers takes a forward with any keyword to divide the loss by the accumulated items itself.
        self.model_accepts_loss_kwargs = False
        for shown in (PrinterCallback, ProgressCallback):
            self.remove_callback(shown)

    # -- steps -------------------------------------------------------------------------------------------------------

    def get_batch_samples(self, epoch_iterator: Iterator[Any], num_batches: int, device: Any) -> Any:
        """The batches of a step, as in transformers; the time spent waiting for them is recorded."""
        started = time.perf_counter()
        batches, items = super().get_batch_samples(epoch_iterator, num_batches, device)
        tokens = sum(batch.get("tokens", 0) for batch in batches if isinstance(batch, Mapping))
        self._lines.speed.add(tokens * self.args.world_size, time.perf_counter() - started)
        return batches, items

    def _get_train_sampler(self, train_dataset: Any = None) -> torch.utils.data.Sampler[int]:
        return torch.utils.data.SequentialSampler(self._data)

    def compute_loss(
        self, model: Any, inputs: Any, return_outputs: bool = False, num_items_in_batch: Any = None
    ) -> Any:
        """The given loss."""
        loss = self._functions.loss(model, inputs)
        return (loss, {"loss": loss}) if return_outputs else loss

    def create_optimizer(self, model: Any = None) -> torch.optim.Optimizer:
        """AdamW with one learning rate for the encoder and one for the rest, without weight decay for vectors."""
        if self.optimizer is None:
            groups: dict[tuple[bool, bool], list[nn.Parameter]] = {}
            for name, parameter in self._trained_model.named_parameters():
                if parameter.requires_grad:
                    groups.setdefault((name.startswith(ENCODERS), parameter.ndim > 1), []).append(parameter)
            rate, head_rate = self._options.learning_rate, self._options.head_learning_rate
            rates = {True: rate, False: rate if head_rate is None else head_rate}
            self.optimizer = torch.optim.AdamW(
                [
                    {"params": p, "lr": rates[encoder], "weight_decay": self.args.weight_decay if matrix else 0.0}
                    for (encoder, matrix), p in groups.items()
                ],
                betas=(0.9, self._options.adam_beta2),
                eps=self._options.adam_epsilon,
                lr=1.0,  # the schedule multiplies the groups' own rates by its share of this one
            )
        return self.optimizer

    def create_scheduler(self, num_training_steps: int, optimizer: torch.optim.Optimizer | None = None) -> Any:
        """As in transformers, with a warmup that leaves at least the last step for the decay."""
        self.args.warmup_steps = min(self.args.get_warmup_steps(num_training_steps), num_training_steps - 1)
        return super().create_scheduler(num_training_steps, optimizer)

    # -- evaluation --------------------------------------------------------------------------------------------------

    def evaluate(self, *_: object, **__: object) -> dict[str, float]:
        """Evaluate in one process, and keep the model if it is the best so far."""
        box: list[Any] = [None]
        if self.is_world_process_zero():
            box = [self._evaluate_here()]
        if self.args.world_size > 1:
            broadcast_object_list(box)
        metrics: dict[str, float] = box[0]
        self.log(metrics)
        self.control = self.callback_handler.on_evaluate(self.args, self.state, self.control, metrics)
        return metrics

    def _evaluate_here(self) -> dict[str, float]:
        model: M = self._unwrapped()
        model.eval()
        with torch.autocast(self.args.device.type, enabled=False):
            evaluation = self._functions.evaluate(model)
        self._say(f"{self._lines.place(self.state)}: dev {evaluation.summary}")
        if all(evaluation.score > entry[SCORE] for entry in self.state.log_history if SCORE in entry):
            self._keep(model, evaluation)
        model.train()
        return {SCORE: evaluation.score} | {f"eval_{name}": value for name, value in evaluation.metrics.items()}

    def _keep(self, model: M, evaluation: Evaluation[T]) -> None:
        epoch = round(self.state.epoch or 0.0, 2)
        epoch = int(epoch) if epoch == int(epoch) else epoch
        with replaced_folder(self._folder.best(self.state.global_step)) as folder:
            self._functions.save(model, folder, evaluation, epoch)
            record = {
                **self._record,
                "best_epoch": epoch,
                "dev": evaluation.record,
                "torch": torch.__version__,
                "threads": torch.get_num_threads(),
            }
            write_record(folder, record)

    # -- checkpoints -------------------------------------------------------------------------------------------------

    def _save(self, output_dir: str | None = None, state_dict: dict[str, Tensor] | None = None) -> None:
        """Write only the weights; tensors that share memory are written once."""
        folder = output_dir or str(self._folder.checkpoints)
        os.makedirs(folder, exist_ok=True)
        save_model(self._unwrapped(), os.path.join(folder, WEIGHTS_FILE), metadata={"format": "pt"})

    def _load_from_checkpoint(self, resume_from_checkpoint: str, model: Any = None) -> None:
        load_model(self._unwrapped(), os.path.join(resume_from_checkpoint, WEIGHTS_FILE))

    def _unwrapped(self) -> Any:
        # Without the wrapper for mixed precision, later steps would be in fp32.
        return self.accelerator.unwrap_model(self.model, keep_fp32_wrapper=True)

    def _save_checkpoint(self, model: Any, trial: Any) -> None:
        super()._save_checkpoint(model, trial)
        self.accelerator.wait_for_everyone()
        if self.is_world_process_zero():
            mark_whole(self._folder.checkpoints / f"checkpoint-{self.state.global_step}")
            best = best_step(self.state)
            if best is not None:
                self._folder.remove_best_but(best)


class EvaluationSteps(TrainerCallback):
    """Decides when to evaluate, and puts that step's checkpoint after it, so that resuming never skips one."""

    def __init__(self, every: int) -> None:
        self._every = every

    def on_step_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any
    ) -> TrainerControl:
        """Evaluate and then save; if epochs are evaluated, the last step of one has no checkpoint yet."""
        last = state.global_step >= state.max_steps
        if self._every:
            if last or state.global_step % self._every == 0:
                control.should_evaluate = control.should_save = True
        elif last or (state.epoch is not None and state.epoch == int(state.epoch)):
            control.should_save = False
        return control

    def on_epoch_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any
    ) -> TrainerControl:
        """Evaluate and then save, unless that is done by steps."""
        if not self._every:
            control.should_evaluate = control.should_save = True
        return control


def best_step(state: TrainerState) -> int | None:
    """The step after which the model was best; None before the first evaluation."""
    scores = {int(entry["step"]): entry[SCORE] for entry in reversed(state.log_history) if SCORE in entry}
    return max(sorted(scores), key=lambda step: scores[step]) if scores else None


def _only_item(items: list[Any]) -> Any:
    return items[0]

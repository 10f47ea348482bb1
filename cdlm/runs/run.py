"""A training run from its output folder to the model in it, in the order of events."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import torch
from accelerate import Accelerator, PartialState
from accelerate.state import AcceleratorState
from accelerate.tracking import TensorBoardTracker, get_available_trackers
from accelerate.utils import DistributedDataParallelKwargs, GradientAccumulationPlugin, ProjectConfiguration, set_seed
from torch import Tensor, nn

from cdlm.devices import resolve_device, resolve_precision
from cdlm.encoder import CDLMModel, SelfAttention
from cdlm.errors import InputError
from cdlm.gradients import repeatable_gradients
from cdlm.runs.checkpoints import last_whole_checkpoint
from cdlm.runs.folder import RunFolder, by_path
from cdlm.runs.loop import Evaluation, Say, TrainingData, TrainingLoop
from cdlm.runs.options import RunOptions

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

M = TypeVar("M", bound=nn.Module)
T = TypeVar("T")
TENSORBOARD = "tensorboard"
PROJECT = "cdlm"
"""The project under which trackers other than TensorBoard list a run, unless their own settings name another."""


def say_on_stderr(line: str) -> None:
    """Print a line of progress on standard error."""
    print(line, file=sys.stderr, flush=True)


class Run:
    """A training run in a folder, new or resumed; nothing is written before :meth:`train`.

    Creating one seeds all random number generators, so that a model created afterwards is the same every time.
    `finished` says whether the run to resume has nothing left to do; `precision` is resolved when a run is started.

    The folder `output` holds ``checkpoints/`` and ``logs/`` during training, and then the model. The `configuration` is
    a dataclass with everything that the run depends on besides its data, `options` included, and is written to
    ``training.json``; `data` is a fingerprint of the data (see :func:`cdlm.runs.digest`) if it is known. A run is
    resumed only with the same. The device is ``"cpu"``, or by default a GPU if there is one; the tracker that of an
    experiment, ``"none"``, or by default TensorBoard if it is installed. Raises `InputError` if the folder is in use,
    there is no such run to resume, or the machine does not support the numeric precision.
    """

    def __init__(
        self,
        output: str | Path,
        options: RunOptions,
        configuration: DataclassInstance,
        *,
        data: str | None = None,
        resume: bool = False,
        device: str | None = None,
        tracker: str | None = None,
        say: Say = say_on_stderr,
    ) -> None:
        self._options = options
        self._configuration = asdict(configuration)
        self._data = data
        self._resume = resume
        self._folder = RunFolder(Path(output))
        self._first_process = int(os.environ.get("RANK", "0")) == 0  # accelerate's launcher numbers them
        self._say = say
        self._tracker = find_tracker(tracker)
        chosen = resolve_device(device)
        self._use_cpu = chosen.type == "cpu"
        self.finished = resume and self._folder.finished
        if resume:
            self.precision = str(self._folder.started(configuration, data).get("precision"))
        else:
            if self._first_process:
                self._folder.check_unused()
            self.precision = resolve_precision(options.precision, chosen)
        if self.precision == "fp16" and self._use_cpu:
            raise InputError("fp16 precision needs a GPU; choose bf16 or fp32")
        if self.finished:
            if self._first_process:
                self._folder.remove_checkpoints()
                self._folder.complete()
            self.say(f"all steps of this run are done: the model is in {output}")
        set_seed(options.seed)

    @property
    def processes(self) -> int:
        """How many processes share the work."""
        return int(PartialState(cpu=self._use_cpu).num_processes)

    @property
    def device(self) -> torch.device:
        """Where this process computes."""
        return torch.device(PartialState(cpu=self._use_cpu).device)

    def say(self, line: str) -> None:
        """Report progress once, whatever the number of processes."""
        if self._first_process:
            self._say(line)

    def first_process_first(self) -> AbstractContextManager[None]:
        """Let the first process go first; the others then find the work done."""
        return PartialState(cpu=self._use_cpu).main_process_first()

    def train(
        self,
        model: M,
        data: TrainingData,
        *,
        loss: Callable[[M, Any], Tensor],
        evaluate: Callable[[M], Evaluation[T]],
        save: Callable[[M, Path, Evaluation[T], float], None],
    ) -> None:
        """Train a model and write the best one to the output folder.

        The parameters under ``encoder`` or ``longformer`` have one learning rate, all others the other. Attention
        dropout and gradient checkpointing are set in every encoder of :mod:`cdlm.encoder`. The `loss` of a batch must
        call the model itself, not a part of it, because a distributed model is wrapped. `evaluate` gets the model in
        evaluation mode, in one process, without autocast. `save` writes a model with its evaluation to an existing,
        empty folder; its last argument is the epoch (1.0: the end of the first), for the model card.
        """
        _prepare_encoders(model, self._options)
        record = {"configuration": self._configuration, "precision": self.precision}
        if self._data is not None:
            record["data"] = self._data
        if self._first_process and not self._resume:
            self._folder.claim(record)
        accelerator = self._accelerator()
        loop = TrainingLoop(
            self._options, model, data, loss, evaluate, save, self._folder, record, accelerator, self.say
        )
        if self._resume:
            with accelerator.main_process_first():
                checkpoint = last_whole_checkpoint(self._folder.checkpoints)
            if checkpoint is not None:
                loop.resume(checkpoint)
            if loop.state.best_step is not None:
                self._folder.check_best(loop.state.best_step)
            self.say(f"resuming from {checkpoint.name}" if checkpoint else "no complete checkpoint yet; starting over")
        started = time.monotonic()
        with self._tracked(accelerator), repeatable_gradients(accelerator.device):
            loop.run()
        best = loop.state.best_step
        assert best is not None  # the last step is always evaluated
        if accelerator.is_main_process:
            self._folder.publish(best)
        self.say(f"written to {self._folder.output} after {(time.monotonic() - started) / 60:.1f} minutes")
        accelerator.wait_for_everyone()

    def _accelerator(self) -> Accelerator:
        """The device, the processes and the numeric precision of this run."""
        # It keeps its state in the process, where an earlier run may have had another device or precision.
        AcceleratorState._reset_state(reset_partial_state=True)
        return Accelerator(
            cpu=self._use_cpu,
            mixed_precision="no" if self.precision == "fp32" else self.precision,
            gradient_accumulation_plugin=GradientAccumulationPlugin(num_steps=1),  # the loop takes the mean itself
            project_config=ProjectConfiguration(logging_dir=str(self._folder.logs)),
            # TensorBoard writes straight into the folder.
            log_with=TensorBoardTracker("", self._folder.logs) if self._tracker == TENSORBOARD else self._tracker,
            kwargs_handlers=[DistributedDataParallelKwargs(find_unused_parameters=True)],
        )

    @contextmanager
    def _tracked(self, accelerator: Accelerator) -> Iterator[None]:
        """Log to the experiment tracker within the block."""
        # TensorBoard would write the configuration into a folder of its own every time the run is resumed.
        accelerator.init_trackers(PROJECT, None if self._tracker == TENSORBOARD else by_path(self._configuration))
        try:
            yield
        finally:
            for tracker in accelerator.trackers:
                tracker.finish()


def _prepare_encoders(model: nn.Module, options: RunOptions) -> None:
    for module in model.modules():
        if isinstance(module, SelfAttention):
            module.dropout = options.attention_dropout
        elif isinstance(module, CDLMModel) and options.gradient_checkpointing:
            module.gradient_checkpointing_enable()


def find_tracker(name: str | None) -> str | None:
    """The experiment tracker to log to, None for none: by its name, ``"none"``, or None for TensorBoard if
    installed.
    """
    installed = sorted(str(tracker) for tracker in get_available_trackers())
    if name == "none" or (name is None and TENSORBOARD not in installed):
        return None
    if name is not None and name not in installed:
        raise InputError(
            f"the experiment tracker {name!r} is unknown or not installed; installed: {', '.join(installed) or 'none'}"
        )
    return name or TENSORBOARD

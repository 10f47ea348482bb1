"""Fine-tuning (paper, section 3.2 and Appendix C.1): an annotated corpus in, a model's folder out.

Read from top to bottom, this is the order in which things happen: the configuration, the data, transformers'
``Trainer`` with its checkpoints, and after every epoch the dev split: thresholds tuned, CoNLL F1, the best epoch kept.

A run that was killed, at whatever moment, goes on from its last whole checkpoint and ends with the same weights: the
batches follow from the seed and the epoch alone, a checkpoint counts only once its list of files has been written after
it, and the checkpoint at the end of an epoch is written after the epoch has been evaluated.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

import torch
from accelerate.utils import broadcast_object_list
from transformers import Trainer, TrainerCallback, TrainerControl, TrainerState, TrainingArguments, set_seed
from transformers.trainer_callback import PrinterCallback, ProgressCallback

from cdcoref.corpus import Corpus
from cdcoref.errors import InputError
from cdcoref.model import CONFIG_FILE, CorefConfig, CorefModel, KindScores, model_card
from cdcoref.training.config import TrainingConfig
from cdcoref.training.data import SamplingOptions, TrainingData
from cdcoref.training.encoders import encoder_folder
from cdcoref.training.tuning import tune
from cdlm.config import read_json
from cdlm.encoder import SelfAttention
from cdlm.files import replaced_folder

WHOLE_FILE = "whole.json"
RUN_FILE = "training.json"
Say = Callable[[str], None]


def say_on_stderr(line: str) -> None:
    """Progress goes to standard error."""
    print(line, file=sys.stderr, flush=True)


def train(
    config: TrainingConfig,
    train_corpus: Corpus,
    dev_corpus: Corpus,
    output: str | Path,
    *,
    resume: bool = False,
    device: str | None = None,
    say: Say = say_on_stderr,
) -> CorefModel:
    """Fine-tune an encoder and the heads on it, and write the model of the best epoch.

    Under ``accelerate launch`` several processes share the work.

    Parameters
    ----------
    config
        What to train and how.
    train_corpus, dev_corpus
        Annotated corpora. Nothing is learnt from the second; epoch and thresholds are chosen on it.
    output
        Folder of the model. While it is trained it holds ``checkpoints/`` and ``logs/`` (TensorBoard).
    resume
        Go on from the last whole checkpoint in `output`.
    device
        ``"cpu"`` to leave an accelerator alone; by default the best there is.
    say
        Is given every line of progress.

    Returns
    -------
    CorefModel
        The model of the best epoch, as written.

    Raises
    ------
    InputError
        If a corpus has nothing to learn from or to choose on, or `output` holds another model or run already.
    """
    output = Path(output)
    first_process = int(os.environ.get("RANK", "0")) == 0  # accelerate's launcher numbers them
    if first_process:
        _check_folder(output, config, resume)
    if resume and (output / CONFIG_FILE).is_file():
        if first_process:
            shutil.rmtree(output / "checkpoints", ignore_errors=True)
            say(f"this run has finished: the model is in {output}")
        return CorefModel.from_pretrained(output)
    if config.precision == "fp16" and (device == "cpu" or not torch.cuda.is_available()):
        raise InputError("the precision fp16 needs a GPU; choose bf16 or fp32")
    if config.mention_type != "both":
        train_corpus, dev_corpus = train_corpus.of_kind(config.mention_type), dev_corpus.of_kind(config.mention_type)
    for kind in config.kinds:
        if not any(m.kind == kind for m in dev_corpus.mentions):
            raise InputError(f"the dev corpus has no mention of the kind {kind}; choose --mention-type accordingly")
    set_seed(config.seed)
    with encoder_folder(config.encoder) as encoder:
        model = CorefModel.from_encoder(encoder, config.coref_config())
    if config.precision == "bf16":
        model.inference_dtype = torch.bfloat16
    _prepare_encoder(model, config)
    data = TrainingData(model, train_corpus, sampling_options(config), config.seed)
    if first_process:
        for note in data.notes:
            say(note)
        parameters = sum(p.numel() for p in model.parameters()) / 1e6
        say(f"{data.examples} training sequences an epoch in {len(data)} batches; {parameters:.1f}M parameters")
        if not resume:
            _claim_folder(output, config)
    trainer = CorefTrainer(config, model, data, dev_corpus, output, device, say)
    with trainer.args.main_process_first():
        checkpoint = last_whole_checkpoint(output / "checkpoints") if resume else None
    if resume and first_process:
        say(f"going on from {checkpoint.name}" if checkpoint else "no whole checkpoint yet; from the beginning")
    started = time.monotonic()
    trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
    if trainer.is_world_process_zero():
        _publish(output)
        say(f"written to {output} after {(time.monotonic() - started) / 60:.1f} minutes")
    trainer.accelerator.wait_for_everyone()
    return CorefModel.from_pretrained(output)


class CorefTrainer(Trainer):
    """transformers' Trainer with this project's batches, whole checkpoints, and the dev split after every epoch."""

    def __init__(
        self,
        config: TrainingConfig,
        model: CorefModel,
        data: TrainingData,
        dev: Corpus,
        output: Path,
        device: str | None,
        say: Say,
    ) -> None:
        self.coref_config = config
        self._coref_model = model
        self._data = data
        self.dev = dev
        self.best_folder = output / "checkpoints" / "best"
        arguments = TrainingArguments(
            output_dir=str(output / "checkpoints"),
            per_device_train_batch_size=1,
            gradient_accumulation_steps=config.accumulation,
            num_train_epochs=config.epochs,
            learning_rate=config.learning_rate,
            weight_decay=config.weight_decay,
            warmup_steps=config.warmup,
            lr_scheduler_type="linear",
            bf16=config.precision == "bf16",
            fp16=config.precision == "fp16",
            use_cpu=device == "cpu" or not torch.cuda.is_available(),
            seed=config.seed,
            save_strategy="steps",
            save_steps=config.save_steps,
            save_total_limit=2,
            logging_steps=config.log_steps,
            report_to=_log_writers(output / "logs"),
            remove_unused_columns=False,
            ddp_find_unused_parameters=True,
            disable_tqdm=True,
        )
        super().__init__(
            model=model,
            args=arguments,
            train_dataset=data,
            data_collator=_only_item,
            callbacks=[EpochEnd(), ProgressLines(say, config.epochs)],
        )
        # The signature of CorefModel.forward reads as if it divided the loss by the number of accumulated items itself.
        self.model_accepts_loss_kwargs = False
        for shown in (PrinterCallback, ProgressCallback):
            self.remove_callback(shown)
        self.say = say

    def _get_train_sampler(self, train_dataset: Any = None) -> torch.utils.data.Sampler[int]:
        return torch.utils.data.SequentialSampler(self._data)

    def compute_loss(
        self, model: Any, inputs: Mapping[str, Any], return_outputs: bool = False, num_items_in_batch: Any = None
    ) -> Any:
        """The model's own loss; see :meth:`CorefModel.forward`."""
        outputs = model(**inputs)
        return (outputs["loss"], outputs) if return_outputs else outputs["loss"]

    def create_optimizer(self, model: Any = None) -> torch.optim.Optimizer:
        """AdamW with one learning rate for the encoder and one for the heads, and no decay of vectors."""
        if self.optimizer is None:
            groups: dict[tuple[bool, bool], list[torch.nn.Parameter]] = {}
            for name, parameter in self._coref_model.named_parameters():
                if parameter.requires_grad:
                    groups.setdefault(("encoder." in name, parameter.ndim > 1), []).append(parameter)
            rates = {True: self.coref_config.learning_rate, False: self.coref_config.head_learning_rate}
            self.optimizer = torch.optim.AdamW(
                [
                    {"params": p, "lr": rates[encoder], "weight_decay": self.args.weight_decay if matrix else 0.0}
                    for (encoder, matrix), p in groups.items()
                ],
                lr=self.coref_config.learning_rate,
            )
        return self.optimizer

    def evaluate(self, *_: object, **__: object) -> dict[str, float]:
        """Tune thresholds on dev, score it, and keep the model if it is the best so far."""
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
        model: CorefModel = self.accelerator.unwrap_model(self.model, keep_fp32_wrapper=False)
        model.eval()
        with torch.autocast(self.args.device.type, enabled=False):
            tuned, scores = tune(
                model, self.dev, batch_tokens=4 * self.coref_config.batch_tokens, kinds=self.coref_config.kinds
            )
        model.train()
        metrics = {f"eval_{kind}_conll_f1": s.conll_f1 for kind, s in scores.items()}
        metrics |= {f"eval_{kind}_detection_f1": s.detection[2] for kind, s in scores.items()}
        metrics["eval_conll_f1"] = sum(s.conll_f1 for s in scores.values()) / len(scores)
        earlier = [entry["eval_conll_f1"] for entry in self.state.log_history if "eval_conll_f1" in entry]
        if not earlier or metrics["eval_conll_f1"] > max(earlier):
            self._keep(model, replace(tuned, max_length=model.settings.max_length), scores)
        return metrics

    def _keep(self, model: CorefModel, tuned: CorefConfig, scores: Mapping[str, KindScores]) -> None:
        training = model.settings
        model.settings = tuned
        epoch = round(self.state.epoch or 0)
        card = model_card(model, asdict(self.coref_config), scores, epoch)
        model.save_pretrained(self.best_folder, card)
        model.settings = training
        run = {
            "configuration": asdict(self.coref_config),
            "best_epoch": epoch,
            "dev": {kind: asdict(s) for kind, s in scores.items()},
            "torch": torch.__version__,
            "threads": torch.get_num_threads(),
        }
        (self.best_folder / RUN_FILE).write_text(json.dumps(run, indent=2) + "\n", encoding="utf-8")

    def _save_checkpoint(self, model: Any, trial: Any) -> None:
        super()._save_checkpoint(model, trial)
        self.accelerator.wait_for_everyone()
        if self.is_world_process_zero():
            mark_whole(self.best_folder.parent / f"checkpoint-{self.state.global_step}")


class EpochEnd(TrainerCallback):
    """Puts the checkpoint of an epoch's last step after the epoch's evaluation, so that resuming never skips one."""

    def on_step_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any
    ) -> TrainerControl:
        """No checkpoint yet at the last step of an epoch."""
        if state.epoch is not None and state.epoch == int(state.epoch):
            control.should_save = False
        return control

    def on_epoch_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any
    ) -> TrainerControl:
        """Evaluation and checkpoint, in this order."""
        control.should_evaluate = control.should_save = True
        return control


class ProgressLines(TrainerCallback):
    """A line now and then with the loss and the time left."""

    def __init__(self, say: Say, epochs: int) -> None:
        self._say = say
        self._epochs = epochs
        self._started: tuple[float, int] | None = None

    def on_train_begin(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        """Start the clock."""
        self._started = (time.monotonic(), state.global_step)

    def on_log(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        logs: Mapping[str, float] | None = None,
        **_: Any,
    ) -> None:
        """Say where training stands."""
        if not state.is_world_process_zero or not logs or self._started is None:
            return
        place = f"epoch {state.epoch or 0:.2f} of {self._epochs}"
        if "eval_conll_f1" in logs:
            parts = [f"{n.removeprefix('eval_').replace('_', ' ')} {100 * v:.1f}" for n, v in logs.items() if "f1" in n]
            self._say(f"{place}: dev {', '.join(parts)}")
        elif "loss" in logs:
            clock, first = self._started
            done = state.global_step - first
            left = (time.monotonic() - clock) / done * (state.max_steps - state.global_step) if done else 0.0
            self._say(
                f"{place}, step {state.global_step} of {state.max_steps}: loss {logs['loss']:.4f}, "
                f"{left / 60:.0f} min left"
            )


# -- checkpoints -----------------------------------------------------------------------------------------------------


def mark_whole(checkpoint: Path) -> None:
    """Write the list of a checkpoint's files, once they are all on the disk; without it a checkpoint does not count."""
    sizes = {}
    for path in sorted(checkpoint.rglob("*")):
        if path.is_file():
            with path.open("rb") as file:
                os.fsync(file.fileno())
            sizes[str(path.relative_to(checkpoint))] = path.stat().st_size
    unfinished = checkpoint / f"{WHOLE_FILE}.tmp"
    unfinished.write_text(json.dumps(sizes), encoding="utf-8")
    unfinished.rename(checkpoint / WHOLE_FILE)


def last_whole_checkpoint(folder: Path) -> Path | None:
    """The newest checkpoint that was written to its end; those that were not are removed."""
    found: dict[int, Path] = {}
    for path in folder.glob("checkpoint-*"):
        number = path.name.removeprefix("checkpoint-")
        if number.isdecimal() and path.is_dir():
            if is_whole(path):
                found[int(number)] = path
            else:
                shutil.rmtree(path)
    return found[max(found)] if found else None


def is_whole(checkpoint: Path) -> bool:
    """Whether every file of a checkpoint is there, in its full size."""
    try:
        sizes = json.loads((checkpoint / WHOLE_FILE).read_text(encoding="utf-8"))
    except (OSError, json.JSONDecodeError):
        return False
    return all((checkpoint / name).is_file() and (checkpoint / name).stat().st_size == n for name, n in sizes.items())


def _check_folder(output: Path, config: TrainingConfig, resume: bool) -> None:
    """Refuse a folder that holds something else than the run to resume."""
    if output.exists() and not output.is_dir():
        raise InputError("this is a file; name a folder for the model", output)
    if not resume:
        if output.exists() and any(not path.name.startswith(".") for path in output.iterdir()):
            raise InputError("this folder is not empty; name a new one, or --resume the run that is in it", output)
        return
    finished = (output / CONFIG_FILE).is_file()
    run = output / RUN_FILE if finished else output / "checkpoints" / RUN_FILE
    if not run.is_file():
        raise InputError("there is no run to resume here; start it without --resume", output)
    started_with = read_json(run)
    if (started_with.get("configuration") if finished else started_with) != asdict(config):
        raise InputError("this run was started with another configuration; give the same to resume it", run)


def _claim_folder(output: Path, config: TrainingConfig) -> None:
    """Leave the configuration in the folder, so that the run can be resumed from now on."""
    try:
        with replaced_folder(output / "checkpoints") as folder:
            (folder / RUN_FILE).write_text(json.dumps(asdict(config), indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(f"the model cannot be written here ({error.strerror}); name another folder", output) from error


def _publish(output: Path) -> None:
    """Move the best model into its folder, its configuration last, and remove the checkpoints."""
    best = output / "checkpoints" / "best"
    for path in sorted(best.iterdir(), key=lambda p: p.name == CONFIG_FILE):
        path.rename(output / path.name)
    shutil.rmtree(output / "checkpoints")


# -- small things ----------------------------------------------------------------------------------------------------


def _prepare_encoder(model: CorefModel, config: TrainingConfig) -> None:
    for module in model.encoder.modules():
        if isinstance(module, SelfAttention):
            module.dropout = config.attention_dropout
    if config.gradient_checkpointing:
        model.encoder.gradient_checkpointing_enable()


def sampling_options(config: TrainingConfig) -> SamplingOptions:
    """The part of a configuration that says what is drawn."""
    return SamplingOptions(**{field.name: getattr(config, field.name) for field in fields(SamplingOptions)})


def _only_item(items: list[Any]) -> Any:
    return items[0]


def _log_writers(folder: Path) -> list[str]:
    """TensorBoard where it is installed; it takes its folder from the environment."""
    from importlib.util import find_spec

    os.environ["TENSORBOARD_LOGGING_DIR"] = str(folder)
    return ["tensorboard"] if find_spec("tensorboard") else []

"""The output folder of a run: ``checkpoints/`` (with the best model so far as ``best-STEP/``) and ``logs/``. At the end
the best model's files are moved into it, ``training.json`` last: then the folder is complete."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cdlm.checkpoints import INDEX_FILE, WEIGHTS_FILE, safetensors_files
from cdlm.config import CONFIG_FILE, read_json
from cdlm.errors import InputError
from cdlm.files import replaced_folder
from cdlm.validation import shown, validated

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

RUN_FILE = "training.json"
PART_FILES = "model-*.safetensors"
"""The files of weights that are divided."""
DIFFERENCES = 3
"""How many settings a message names."""
REPLACEMENT = "replacement"
"""The folder of a whole model whose files are about to replace those of the run."""


class RunFolder:
    """The output folder of a run."""

    def __init__(self, output: Path) -> None:
        self.output = output
        self.checkpoints = output / "checkpoints"
        self.logs = output / "logs"

    @property
    def finished(self) -> bool:
        """Whether the folder holds a finished run."""
        return (self.output / RUN_FILE).is_file()

    def check_unused(self) -> None:
        """Reject a folder that is not empty."""
        self._check_not_a_file()
        if self.output.exists() and any(not path.name.startswith(".") for path in self.output.iterdir()):
            raise InputError("this folder is not empty; choose a new one, or resume the run in it", self.output)

    def started(self, configuration: DataclassInstance, data: str | None = None) -> dict[str, Any]:
        """The record written when the run in this folder started or finished.

        A setting that the record does not mention, since it was written before that setting existed, counts as its
        dataclass's default; a record that does not mention its data fits any. Raises `InputError` if there is no run,
        or one with another configuration or other data (see :func:`digest`).
        """
        self._check_not_a_file()
        file = (self.output if self.finished else self.checkpoints) / RUN_FILE
        if not file.is_file():
            raise InputError("there is no run to resume in this folder; start a new one", self.output)
        values = read_json(file)
        before = _read(values.get("configuration"), configuration)
        if before != configuration:
            detail = "" if before is None else f" ({_difference(before, configuration)})"
            message = f"this run was started with a different configuration{detail}; use the same one to resume it"
            raise InputError(message, file)
        if data is not None and values.get("data", data) != data:
            message = "this run was started with other data; use the same training and dev data to resume it"
            raise InputError(message, file)
        return values

    def claim(self, record: Mapping[str, Any]) -> None:
        """Write the configuration to the folder, so that the run can be resumed from now on."""
        try:
            with replaced_folder(self.checkpoints) as folder:
                write_record(folder, record)
        except OSError as error:
            message = f"the model cannot be written here ({error.strerror}); choose another folder"
            raise InputError(message, self.output) from error

    def checkpoint(self, step: int) -> Path:
        """The folder for everything that is needed to go on after a step."""
        return self.checkpoints / f"checkpoint-{step}"

    def best(self, step: int) -> Path:
        """The folder for the model as it was after a step."""
        return self.checkpoints / f"best-{step}"

    def check_best(self, step: int) -> None:
        """Refuse to resume without the best model so far, which could not be published at the end."""
        if not (self.best(step) / RUN_FILE).is_file():
            message = "the best model so far is missing, so this run cannot be resumed; train again into a new folder"
            raise InputError(message, self.best(step))

    def remove_best_but(self, step: int) -> None:
        """Remove models that are no longer the best."""
        for path in self.checkpoints.glob("best-*"):
            if path != self.best(step):
                shutil.rmtree(path)

    def publish(self, step: int) -> None:
        """Move the model of a step into place, the file that completes it last, and remove the checkpoints."""
        self._move_here(self.best(step))
        self.remove_checkpoints()

    @contextmanager
    def replaced_model(self) -> Iterator[Path]:
        """A new folder with a whole model and its ``training.json``, whose files replace those of a finished run when
        the block ends without an error; if that is interrupted, :meth:`complete` goes on with it."""
        for unfinished in self.output.glob(f".{REPLACEMENT}-*"):
            shutil.rmtree(unfinished)
        with replaced_folder(self.output / REPLACEMENT) as folder:
            yield folder
        self.complete()

    def complete(self) -> None:
        """Move the files of a whole model into place, if there are any left to move; the folder itself stays."""
        folder = self.output / REPLACEMENT
        if folder.is_dir():
            self._move_here(folder)
            folder.rmdir()

    def remove_checkpoints(self) -> None:
        """Remove what only an unfinished run needs."""
        if self.checkpoints.exists():
            shutil.rmtree(self.checkpoints)

    def _move_here(self, model: Path) -> None:
        """Move a whole model here: the index after the weights that it names, the configuration, `RUN_FILE` last."""
        entries = {WEIGHTS_FILE: INDEX_FILE, INDEX_FILE: WEIGHTS_FILE}
        order = [*entries, CONFIG_FILE, RUN_FILE]
        for path in sorted(model.iterdir(), key=lambda p: order.index(p.name) if p.name in order else -1):
            if path.name in entries:
                (self.output / entries[path.name]).unlink(missing_ok=True)
            if path.name == RUN_FILE:
                used = safetensors_files(self.output)
                for old in self.output.glob(PART_FILES):
                    if old not in used:
                        old.unlink()
            path.replace(self.output / path.name)

    def _check_not_a_file(self) -> None:
        if self.output.exists() and not self.output.is_dir():
            raise InputError("this is a file; choose a folder for the model", self.output)


def digest(values: Iterable[object]) -> str:
    """A fingerprint of what a run is trained on and chosen by: of the representations of values, in their order."""
    fingerprint = hashlib.sha256()
    for value in values:
        fingerprint.update(repr(value).encode())
    return fingerprint.hexdigest()


def write_record(folder: Path, record: Mapping[str, Any]) -> None:
    """Write ``training.json``."""
    (folder / RUN_FILE).write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


def _difference(before: DataclassInstance, now: DataclassInstance) -> str:
    """The settings in which two configurations differ, with both values: ``run.steps was 100, not 200``."""
    old, new = (by_path(asdict(configuration)) for configuration in (before, now))
    names = [name for name in {**old, **new} if old.get(name) != new.get(name)]
    few = [f"{name} was {shown(old.get(name))}, not {shown(new.get(name))}" for name in names[:DIFFERENCES]]
    return ", ".join(few) + (f" and {len(names) - len(few)} more" if len(names) > len(few) else "")


def _read(values: object, like: DataclassInstance) -> DataclassInstance | None:
    """A recorded configuration as a dataclass of the same type; None if it cannot be read as one."""
    if not isinstance(values, Mapping):
        return None
    try:
        return validated(type(like), values, others="forbid")
    except InputError:
        return None


def by_path(configuration: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """A nested configuration as trackers list one: ``{"run.seed": 0}``; lists as text."""
    values: dict[str, Any] = {}
    for name, value in configuration.items():
        if isinstance(value, Mapping):
            values |= by_path(value, f"{prefix}{name}.")
        else:
            values[prefix + name] = value if isinstance(value, bool | int | float | None) else str(value)
    return values

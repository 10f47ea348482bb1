"""Checkpoints that count only once they are complete, and how far a run was when one was written."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

WHOLE_FILE = "whole.json"
KEPT = 2
"""How many checkpoints are kept."""


@dataclass(slots=True)
class RunState:
    """How far a run is."""

    step: int = 0
    scores: dict[int, float] = field(default_factory=dict)
    """The score of every evaluation so far, by the step after which it was made."""

    @property
    def best_step(self) -> int | None:
        """The step after which the model was best, the first of several; None before the first evaluation."""
        return max(self.scores, key=lambda step: self.scores[step], default=None)

    def state_dict(self) -> dict[str, Any]:
        """What a checkpoint holds of it."""
        return asdict(self)

    def load_state_dict(self, values: Mapping[str, Any]) -> None:
        """Go back to the state of a checkpoint."""
        self.step, self.scores = values["step"], values["scores"]


def mark_whole(checkpoint: Path) -> None:
    """List a checkpoint's files once they are all on disk; without this list a checkpoint does not count."""
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
    """The newest complete checkpoint; incomplete ones are removed."""
    whole: dict[int, Path] = {}
    for number, path in _numbered(folder).items():
        if is_whole(path):
            whole[number] = path
        else:
            shutil.rmtree(path)
    return whole[max(whole)] if whole else None


def remove_earlier(checkpoint: Path) -> None:
    """Remove all but the newest checkpoints; the given one is the last."""
    checkpoints = _numbered(checkpoint.parent)
    for number in sorted(checkpoints)[:-KEPT]:
        shutil.rmtree(checkpoints[number])


def is_whole(checkpoint: Path) -> bool:
    """Whether every file of a checkpoint is present with its full size."""
    try:
        sizes = json.loads((checkpoint / WHOLE_FILE).read_text(encoding="utf-8"))
    except (OSError, json.JSONDecodeError):
        return False
    return all((checkpoint / name).is_file() and (checkpoint / name).stat().st_size == n for name, n in sizes.items())


def _numbered(folder: Path) -> dict[int, Path]:
    """The folders of checkpoints, whole or not, by step."""
    numbers = ((path.name.removeprefix("checkpoint-"), path) for path in folder.glob("checkpoint-*") if path.is_dir())
    return {int(number): path for number, path in numbers if number.isdecimal()}

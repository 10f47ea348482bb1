"""Checkpoints that count only once they are complete: a folder in, whether all its files are on disk out."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

WHOLE_FILE = "whole.json"


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
    """Whether every file of a checkpoint is present with its full size."""
    try:
        sizes = json.loads((checkpoint / WHOLE_FILE).read_text(encoding="utf-8"))
    except (OSError, json.JSONDecodeError):
        return False
    return all((checkpoint / name).is_file() and (checkpoint / name).stat().st_size == n for name, n in sizes.items())

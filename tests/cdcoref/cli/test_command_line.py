"""Paths and disks that cannot be used: one sentence and exit code 2, in every command."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

LONG = "x" * 300
DEEP = "/tmp" + "/xxx" * 1200
FULL = """
import resource, torch
from pathlib import Path
from cdlm.checkpoints import write_checkpoint
from cdlm.errors import InputError
resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
try:
    write_checkpoint(Path("model"), {}, {"weight": torch.zeros(100_000)})
except InputError as error:
    print(error)
"""


def run(arguments: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ["cdcoref", "show", f"{LONG}.cdcoref"],
        ["cdcoref", "export", DEEP, "-o", "x.jsonl"],
        ["cdcoref", "add", f"{LONG}.cdcoref", "x.txt"],
        ["cdcoref", "predict", "x.txt", "-o", f"{LONG}.jsonl"],
    ],
)
def test_paths_that_are_too_long(arguments: list[str], tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("A ferry sank.")
    done = run(["-m", *arguments], tmp_path)
    assert done.returncode == 2
    assert "too long" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert len(done.stderr) < 300


def test_a_working_directory_that_was_removed(tmp_path: Path) -> None:
    code = "import os; os.rmdir(os.getcwd()); from cdcoref.cli import main; import sys\n"
    folder = tmp_path / "gone"
    folder.mkdir()
    done = run(["-c", code + "sys.argv = ['cdcoref', 'show', 'x.cdcoref']; main()"], folder)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1


def test_weights_for_which_there_is_no_room(tmp_path: Path) -> None:
    done = run(["-c", FULL], tmp_path)
    assert "the weights cannot be written" in done.stdout
    assert list((tmp_path / "model").iterdir()) == []

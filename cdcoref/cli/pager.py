"""Long output on a terminal: lines in, shown by the user's pager, generated only as far as one reads."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Iterable
from contextlib import suppress


def show_in_pager(lines: Iterable[str]) -> bool:
    """Show lines in the program that `PAGER` names, or in `less`; False, and nothing is shown, if there is none."""
    try:
        command = shlex.split(os.environ.get("PAGER", "")) or ["less"]
    except ValueError:  # a quotation mark without its partner
        return False
    if shutil.which(command[0]) is None:
        return False
    # As in git: less exits at once if everything fits on the screen, and leaves the text there.
    environment = {"LESS": "FRX", **os.environ}
    pager = subprocess.Popen(command, stdin=subprocess.PIPE, env=environment, encoding="utf-8")  # noqa: S603
    assert pager.stdin is not None
    with suppress(BrokenPipeError, KeyboardInterrupt):  # the reader has seen enough
        pager.stdin.writelines(f"{line}\n" for line in lines)
    with suppress(BrokenPipeError):
        pager.stdin.close()
    while pager.poll() is None:
        with suppress(KeyboardInterrupt):  # meant for the pager, which continues
            pager.wait()
    return True

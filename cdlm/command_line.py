"""What the command lines of both packages share: how they exit, and how they print their version."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import typer
from typer.core import TyperGroup

from cdlm.errors import InputError
from cdlm.printing import say

DISTRIBUTION = "cdcoref"
"""Both packages belong to this distribution and share its version."""


class Commands(TyperGroup):
    """The commands of a program; Ctrl-C in one of them gives one sentence on standard error and exit code 130."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            say(self.name or DISTRIBUTION, "interrupted")
            sys.exit(130)


def run(app: typer.Typer, name: str) -> None:
    """Run a command line; invalid input gives one sentence on standard error and exit code 2."""
    try:
        app()
    except InputError as error:
        say(name, str(error))
        sys.exit(2)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(141)


def version_printer(name: str) -> Callable[[bool], None]:
    """The callback of ``--version``: it prints the version and exits."""

    def print_version(wanted: bool) -> None:
        if wanted:
            try:
                print(f"{name} {version(DISTRIBUTION)}")
            except PackageNotFoundError:
                raise InputError(f"{DISTRIBUTION} is not installed, so its version is unknown") from None
            raise typer.Exit

    return print_version

"""What the command lines of both packages share: how they exit, and how they print their version."""

from __future__ import annotations

import errno
import gc
import os
import sys
from collections.abc import Callable, Sequence
from functools import cache, wraps
from importlib.metadata import PackageNotFoundError, version
from inspect import Parameter, Signature, cleandoc, signature
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption
from typer.main import get_command

from cdlm.errors import InputError, shown_path
from cdlm.extras import DISTRIBUTION
from cdlm.memory import keep_freed_memory
from cdlm.printing import be_quiet, warn

UNUSABLE = (errno.ENAMETOOLONG, errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG, errno.EACCES, errno.EPERM)
"""A path that is too long, a disk or a quota that is full, a disk that is read only, a file that is too large, a folder
that may not be entered or written."""


class _WithoutTypes:
    """Help without Python types: the name of an argument says what to give, and a flag takes no value."""

    def get_params(self, ctx: Any) -> Any:
        """The parameters, shown by their names, metavars and choices only."""
        parameters = super().get_params(ctx)  # type: ignore[misc]
        for parameter in parameters:
            if isinstance(parameter, TyperArgument):
                parameter.display_type_rich = lambda ctx: None  # type: ignore[method-assign]
            elif isinstance(parameter, TyperOption) and parameter.is_flag:
                parameter.metavar = ""
        return parameters


class Command(_WithoutTypes, TyperCommand):
    """A command."""


class Group(_WithoutTypes, TyperGroup):
    """Commands that belong together."""


class Commands(Group):
    """The commands of a program; Ctrl-C in one of them gives one sentence on standard error and exit code 130."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command, unless the working directory was removed: PyTorch cannot be loaded in it."""
        try:
            Path.cwd()
        except FileNotFoundError:
            raise InputError("the working directory was removed; change to another one") from None
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            warn(self.name or DISTRIBUTION, "interrupted")
            sys.exit(130)


def add_command(
    app: typer.Typer,
    function: Callable[..., None],
    name: str | None = None,
    *,
    panel: str | None = None,
    examples: Sequence[str] = (),
    cls: type[Command] = Command,
) -> None:
    """Add a function to a program as a command, by default under its own name.

    The program's help lists it under the heading `panel`; its own help shows `examples`, command lines, at the end.
    Every command can be told to be quiet.
    """
    app.command(
        name or function.__name__,
        cls=cls,
        help=unwrapped(function.__doc__ or ""),
        epilog=epilog(examples),
        rich_help_panel=panel,
    )(_with_quiet(function))


def _with_quiet(function: Callable[..., None]) -> Callable[..., None]:
    """A command with the option `--quiet`."""

    @wraps(function)
    def command(*, quiet: bool, **values: Any) -> None:
        be_quiet(quiet)
        function(**values)

    option = typer.Option(False, "--quiet", "-q", help="Print results and errors only, no notes and no progress.")
    own = [p.replace(kind=Parameter.KEYWORD_ONLY) for p in signature(function, eval_str=True).parameters.values()]
    own.append(Parameter("quiet", Parameter.KEYWORD_ONLY, default=option, annotation=bool))
    command.__signature__ = Signature(own)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in own}
    return command


def unwrapped(text: str) -> str:
    """Help without the line breaks of the source, so that each paragraph is as wide as the terminal.

    >>> unwrapped("Do it\\n    now.\\n\\n    Or later.")
    'Do it now.\\n\\nOr later.'
    """
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in cleandoc(text).split("\n\n"))


def epilog(examples: Sequence[str]) -> str | None:
    """The end of a command's help: its examples, one on each line; None if there are none."""
    return "\n".join(["Examples:", "", *(f"$ {example}" for example in examples)]) if examples else None


def run(app: typer.Typer, name: str) -> None:
    """Run a command line; invalid input and an unusable path or disk give one sentence and exit code 2."""
    keep_freed_memory()
    # The libraries are a million objects, which the default passes over again and again.
    gc.set_threshold(50_000, 20, 50)
    try:
        _command_of(app)(prog_name=name)
    except InputError as error:
        warn(name, str(error))
        sys.exit(2)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(141)
    except OSError as error:
        if error.errno not in UNUSABLE:
            raise
        path = "" if error.filename is None else os.fsdecode(error.filename)
        warn(name, f"{shown_path(path) or 'a file'} cannot be used ({error.strerror}); choose another location")
        sys.exit(2)


@cache
def _command_of(app: typer.Typer) -> Any:
    """The commands of a program, which take some hundredths of a second to build: once, however often they run."""
    return get_command(app)


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

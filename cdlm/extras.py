"""Packages that may not be installed, and the command that installs them by the names that the package declares."""

from __future__ import annotations

import re
from importlib import import_module
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path
from types import ModuleType

from cdlm.errors import InputError

DISTRIBUTION = "cdcoref"
"""Both packages belong to this distribution and share its version."""

_NAME = re.compile(r"[\w.-]+")


def install_command(extra: str) -> str:
    """The command that installs the packages of an extra; where none is known, that of a clone."""
    try:
        declared = requires(DISTRIBUTION) or []
    except PackageNotFoundError:
        declared = []
    needed = []
    for requirement in declared:
        what, _, marker = requirement.partition(";")
        if re.search(rf"\bextra\s*==\s*[\"']{re.escape(extra)}[\"']", marker):
            name, _, address = what.partition(" @ ")
            match = _NAME.match(name)
            needed.append(address.strip() or (match[0] if match else name))
    return f"pip install {' '.join(needed)}" if needed else f"pip install '.[{extra}]'"


def optional_module(
    module: str, what: str, package: str, path: str | Path | None = None, *, extra: str | None = None
) -> ModuleType:
    """A module of a package that may not be installed."""
    try:
        return import_module(module)
    except ImportError:
        command = f"pip install {package}" if extra is None else install_command(extra)
        raise InputError(f"{what} needs {package}; install it with: {command}", path) from None

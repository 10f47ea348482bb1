"""What a user can get wrong: one exception type, printed by the command line as one sentence with exit code 2."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral
from os import PathLike

from cdlm.errors import InputError, first_line, shown_path

__all__ = ["InputError", "check_ids", "check_path", "check_text", "check_whole", "first_line", "shown_path"]


def check_whole(what: str, value: object) -> None:
    """Refuse a value that is no whole number."""
    if not isinstance(value, Integral) or isinstance(value, bool):
        raise InputError(f"{what} must be a whole number, not {value!r}")


def check_text(what: str, value: object) -> None:
    """Refuse a value that is no string."""
    if not isinstance(value, str):
        raise InputError(f"{what} must be a string, not {value!r}")


def check_path(what: str, value: object) -> None:
    """Refuse a value that is no name of a file or folder."""
    if not isinstance(value, str | PathLike) or not str(value):
        raise InputError(f"{what} must be the name of a file or folder, not {value!r}")


def check_ids(what: str, values: object) -> None:
    """Refuse a value that is no list of ids, such as a single id, whose characters would be taken for ids."""
    if isinstance(values, str):
        raise InputError(f"the {what} must be a list of ids, such as [{values!r}], not {values!r}")
    if not isinstance(values, Iterable):
        raise InputError(f"the {what} must be a list of ids, not {values!r}")

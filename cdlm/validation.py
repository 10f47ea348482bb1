"""Values from a file in, a configuration out, or one sentence that says which value is wrong and what it should be.

A configuration is a dataclass whose fields are annotated with what they may be; pydantic holds the values against it.
"""

from __future__ import annotations

import reprlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from pydantic import Field, Strict, TypeAdapter, ValidationError

from cdlm.errors import InputError

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

T = TypeVar("T")

Count = Annotated[int, Strict(), Field(ge=1, le=10**7)]
Index = Annotated[int, Strict(), Field(ge=0, le=10**9)]
Number = Annotated[float, Strict(), Field(allow_inf_nan=False)]
Probability = Annotated[float, Strict(), Field(ge=0, le=1, allow_inf_nan=False)]
_NAMES = {
    "valid tuple": "list",
    "valid dictionary": "JSON object",
    "valid integer": "whole number",
    "a valid boolean": "true or false",
    "valid ": "",
}
_ADAPTERS: dict[type, TypeAdapter[Any]] = {}
_CONSTANTS = {None: "null", True: "true", False: "false"}


def validated(kind: type[T], values: Mapping[str, Any], path: str | Path | None = None, within: str = "") -> T:
    """Make a dataclass of its fields' values.

    Parameters
    ----------
    kind
        The dataclass. A field that it does not have is ignored, unless its ``__pydantic_config__`` forbids it.
    path
        The file that the values are from.
    within
        What they are called there, with a dot at the end.

    Raises
    ------
    InputError
        If a value is missing or is not what its annotation says.
    """
    if kind not in _ADAPTERS:
        _ADAPTERS[kind] = TypeAdapter(kind)
    try:
        checked: T = _ADAPTERS[kind].validate_python(values)
    except ValidationError as error:
        raise InputError(_sentence(error.errors(include_url=False), within), path) from error
    return checked


def _sentence(errors: list[ErrorDetails], within: str) -> str:
    """What is wrong with the first value that is wrong."""
    first = errors[0]
    name = within + _name(first["loc"][:1] if len(_alternatives(errors)) > 1 else first["loc"])
    if first["type"] == "missing":
        return f"{name} is missing"
    if first["type"] == "unexpected_keyword_argument":
        return f"there is no setting {name}"
    wanted = " or ".join(_alternatives(errors))
    for theirs, ours in _NAMES.items():
        wanted = wanted.replace(theirs, ours)
    return f"{name} is {shown(first['input'])} and should be {wanted}"


def _alternatives(errors: list[ErrorDetails]) -> list[str]:
    """What the first wrong value should be: several things where its annotation is a union."""
    same = [
        error for error in errors if error["loc"][:1] == errors[0]["loc"][:1] and error["input"] is errors[0]["input"]
    ]
    return [error["msg"].removeprefix("Input should be ") for error in same]


def _name(place: tuple[int | str, ...]) -> str:
    """A place within the values as one would write it: ``attention_window[3]``, ``temperature.event``."""
    name = ""
    for part in place:
        name += f"[{part}]" if isinstance(part, int) else f".{part}" if part.isidentifier() else f".{part!r}"
    return name.removeprefix(".")


def shown(value: object) -> str:
    """A value from a JSON file, in a few words and on one line."""
    if value is None or isinstance(value, bool):
        return _CONSTANTS[value]
    return reprlib.repr(value)

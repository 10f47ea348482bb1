"""Dataclasses from the values of a file, or one sentence on which is wrong; fields are annotated as pydantic reads
them."""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_type_hints

from pydantic import Field, Strict, TypeAdapter, ValidationError, WrapValidator
from pydantic_core import ErrorDetails, PydanticCustomError

from cdlm.errors import InputError

T = TypeVar("T")


def whole_number(least: int, most: int) -> Any:
    """Bounds of a whole number, for ``Annotated[int, ...]``; text and truth values are rejected."""
    return Field(strict=True, ge=least, le=most)


def number(
    least: float | None = None, *, above: float | None = None, most: float | None = None, below: float | None = None
) -> Any:
    """Bounds of a finite number, for ``Annotated[float, ...]``: inclusive (`least`, `most`) or exclusive."""
    return Field(strict=True, allow_inf_nan=False, ge=least, gt=above, le=most, lt=below)


def any_of(what: str) -> WrapValidator:
    """Describes in words what a union of types allows, for ``Annotated[A | B, ...]``."""

    def validate(value: Any, inner: Callable[[Any], Any]) -> Any:
        try:
            return inner(value)
        except ValidationError as error:
            raise PydanticCustomError("any_of", "Input should be {what}", {"what": what}) from error

    return WrapValidator(validate)


Count = Annotated[int, whole_number(1, 10**7)]
Index = Annotated[int, whole_number(0, 10**9)]
Probability = Annotated[float, number(0, most=1)]
Flag = Annotated[bool, Strict()]
"""A truth value; pydantic itself would also read 1 and "yes" as one."""

Others = Literal["ignore", "forbid"]

_WORDS = {
    "a valid tuple": "a list",
    "a valid list": "a list",
    "a valid dictionary": "a JSON object",
    "a valid mapping": "a JSON object",
    "a valid integer": "a whole number",
    "a valid number": "a number",
    "a valid boolean": "true or false",
    "a valid string": "text",
    "greater than or equal to": "at least",
    "less than or equal to": "at most",
    "greater than": "above",
    "less than": "below",
}
_CONSTANTS = {None: "null", True: "true", False: "false"}


def validated(
    kind: type[T],
    values: Mapping[str, Any],
    path: str | Path | None = None,
    *,
    within: str = "",
    others: Others = "ignore",
) -> T:
    """Create a dataclass, whose fields may be further dataclasses, from its fields' values.

    They are from the file `path`, and `within` leads to them in it, with a dot at the end; `others` says what to do
    about values that belong to no field. A dataclass' own `InputError` begins with the name of a field, which gets the
    path to the dataclass as a prefix.
    """
    checks = _checks(kind)  # type: ignore[arg-type]
    nested = {
        name: validated(inner, values[name], path, within=f"{within}{name}.", others=others)
        for name, inner in checks.nested.items()
        if isinstance(values.get(name), Mapping)
    }
    try:
        made: T = checks.whole.validate_python({**values, **nested}, extra=others)
    except ValidationError as error:
        raise InputError(_sentence(error.errors(include_url=False), within), path) from error
    except InputError as error:  # from the dataclass itself, which knows neither the file nor where it is nested
        raise InputError(within + error.message, path) from error
    return made


def check_fields(configuration: object) -> None:
    """Check the fields of a dataclass against their annotations, however it was created; for its ``__post_init__``."""
    checks = _checks(type(configuration))  # type: ignore[arg-type]
    for name, inner in checks.nested.items():
        value = getattr(configuration, name)
        if not isinstance(value, inner):
            raise InputError(f"{name} is {shown(value)} and should be an instance of {inner.__name__}")
    for name, adapter in checks.values.items():
        try:
            adapter.validate_python(getattr(configuration, name))
        except ValidationError as error:
            raise InputError(_sentence(error.errors(include_url=False), "", (name,))) from error


class Checked:
    """A base of dataclasses whose fields are checked against their annotations when they are made."""

    __slots__ = ()

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True, slots=True)
class _Checks:
    """What pydantic makes of a dataclass: of the whole, of every field, and which fields are dataclasses themselves."""

    whole: TypeAdapter[Any]
    values: dict[str, TypeAdapter[Any]]
    nested: dict[str, type[Any]]


@cache
def _checks(kind: type[Any]) -> _Checks:
    hints = get_type_hints(kind, include_extras=True)
    names = [field.name for field in fields(kind)]
    nested = {name: hints[name] for name in names if is_dataclass(hints[name])}
    values = {name: TypeAdapter(hints[name]) for name in names if name not in nested}
    return _Checks(TypeAdapter(kind), values, nested)


def _sentence(errors: list[ErrorDetails], within: str, place: tuple[str, ...] = ()) -> str:
    """What is wrong with the first invalid value; `place` leads to what was validated."""
    first = errors[0]
    name = within + _name((*place, *first["loc"]))
    if first["type"] == "missing":
        return f"{name} is missing"
    if first["type"] == "unexpected_keyword_argument":
        return f"there is no setting {name}"
    wanted = "a JSON object" if first["type"] == "dataclass_type" else first["msg"].removeprefix("Input should be ")
    for theirs, ours in _WORDS.items():
        wanted = wanted.replace(theirs, ours)
    return f"{name} is {shown(first['input'])} and should be {wanted}"


def _name(place: tuple[int | str, ...]) -> str:
    """A position within the values as a user would write it: ``attention_window[3]``, ``temperature.event``."""
    name = ""
    for part in place:
        name += f"[{part}]" if isinstance(part, int) else f".{part}" if part.isidentifier() else f".{part!r}"
    return name.removeprefix(".")


def shown(value: object) -> str:
    """A value from a JSON file, abbreviated and on one line."""
    if value is None or isinstance(value, bool):
        return _CONSTANTS[value]
    try:
        return reprlib.repr(value)
    except ValueError:  # Python refuses to print integers with thousands of digits
        return "a number with thousands of digits"

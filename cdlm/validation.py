"""Values from a file in, a configuration out, or one sentence that says which value is wrong and what it should be.

A configuration is a dataclass whose fields are annotated with schemas of pydantic's core; pydantic itself would take
longer to import than a model to read.
"""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from pydantic_core import SchemaValidator, ValidationError, core_schema

from cdlm.errors import InputError

if TYPE_CHECKING:
    from pydantic_core import CoreSchema, ErrorDetails

T = TypeVar("T")


def whole_number(least: int, most: int) -> CoreSchema:
    """A whole number within bounds; text and truth values are rejected."""
    return core_schema.int_schema(strict=True, ge=least, le=most)


def number(least: float, most: float | None = None, below: float | None = None) -> CoreSchema:
    """A finite number within bounds, the upper bound inclusive (`most`) or exclusive (`below`)."""
    return core_schema.float_schema(strict=True, allow_inf_nan=False, ge=least, le=most, lt=below)


def any_of(what: str, *schemas: CoreSchema) -> CoreSchema:
    """Whatever one of several schemas allows; `what` describes it in words."""
    return core_schema.union_schema(
        list(schemas), custom_error_type="any_of", custom_error_message="Input should be " + what
    )


COUNT = whole_number(1, 10**7)
INDEX = whole_number(0, 10**9)
PROBABILITY = number(0, most=1)
TEXT = core_schema.str_schema(strict=True)
Count = Annotated[int, COUNT]

Others = Literal["ignore", "forbid"]

_VALIDATORS: dict[tuple[type, Others], SchemaValidator] = {}
_CHECKERS: dict[type, SchemaValidator] = {}
_WORDS = {
    "a valid tuple": "a list",
    "a valid list": "a list",
    "a valid dictionary": "a JSON object",
    "a valid integer": "a whole number",
    "a valid number": "a number",
    "a valid boolean": "true or false",
    "a valid string": "text",
    "greater than or equal to": "at least",
    "less than or equal to": "at most",
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
    """Create a dataclass from its fields' values.

    Parameters
    ----------
    kind
        The dataclass. Each field is a truth value, text, a literal, another such dataclass, or annotated with its type
        and a schema of pydantic's core.
    path
        The file that the values are from.
    within
        The path to them in the file, with a dot at the end.
    others
        What to do about values that belong to no field.

    Raises
    ------
    InputError
        If a value is missing or does not match its annotation, or a dataclass rejects its fields. A dataclass' own
        message begins with the name of a field, which gets the path to the dataclass as a prefix.
    """
    if (kind, others) not in _VALIDATORS:
        _VALIDATORS[kind, others] = SchemaValidator(_made_of_table(kind, others))
    try:
        made: T = _VALIDATORS[kind, others].validate_python(values)
    except ValidationError as error:
        raise InputError(_sentence(error.errors(include_url=False), within), path) from error
    except InputError as error:  # from the dataclass itself, which knows neither the file nor where it is nested
        raise InputError(within + error.message, path) from error
    return made


def check_fields(configuration: object) -> None:
    """Check the fields of a dataclass against their annotations, however it was created; for its ``__post_init__``.

    Raises
    ------
    InputError
        If a value does not match its annotation.
    """
    kind = type(configuration)
    if kind not in _CHECKERS:
        _CHECKERS[kind] = SchemaValidator(_table(kind, "forbid", core_schema.is_instance_schema))
    values = {field.name: getattr(configuration, field.name) for field in fields(kind)}  # type: ignore[arg-type]
    try:
        _CHECKERS[kind].validate_python(values)
    except ValidationError as error:
        raise InputError(_sentence(error.errors(include_url=False), "")) from error


def _made_of_table(kind: type[Any], others: Others) -> CoreSchema:
    """Nested tables of values in, equally nested dataclasses out."""
    table = _table(kind, others, lambda nested: _made_of_table(nested, others))
    return core_schema.no_info_after_validator_function(lambda values: kind(**values), table)


def _table(kind: type[Any], others: Others, nested: Callable[[type[Any]], CoreSchema]) -> CoreSchema:
    """The values of a dataclass' fields by name; `nested` gives the schema of fields that are dataclasses."""
    hints = get_type_hints(kind, include_extras=True)
    schemas = {
        field.name: core_schema.typed_dict_field(
            _named(field.name, nested(hints[field.name]))
            if is_dataclass(hints[field.name])
            else _schema(hints[field.name]),
            required=field.default is MISSING and field.default_factory is MISSING,
        )
        for field in fields(kind)
    }
    return core_schema.typed_dict_schema(schemas, extra_behavior=others)


def _named(name: str, schema: CoreSchema) -> CoreSchema:
    """The schema of a nested dataclass, whose own errors get the field's name as a prefix."""

    def validate(value: Any, inner: Callable[[Any], Any]) -> Any:
        try:
            return inner(value)
        except InputError as error:
            raise InputError(f"{name}.{error.message}") from error

    return core_schema.no_info_wrap_validator_function(validate, schema)


def _schema(hint: Any) -> CoreSchema:
    if hint is bool:
        return core_schema.bool_schema(strict=True)
    if hint is str:
        return TEXT
    if get_origin(hint) is Literal:
        return core_schema.literal_schema(list(get_args(hint)))
    schema: CoreSchema = hint.__metadata__[0]
    return schema


def _sentence(errors: list[ErrorDetails], within: str) -> str:
    """What is wrong with the first invalid value."""
    first = errors[0]
    name = within + _name(first["loc"])
    if first["type"] == "missing":
        return f"{name} is missing"
    if first["type"] == "extra_forbidden":
        return f"there is no setting {name}"
    wanted = first["msg"].removeprefix("Input should be ")
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

"""Options that commands share: a dataclass of options stands for all of them in a command's parameters."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any, get_type_hints

import typer
from typer.models import OptionInfo

OUTPUT = "Output"
INPUT = "Input"
MENTIONS = "Mentions"
LINKING = "Linking"
COMPUTING = "Computing"
"""Panels, in which help shows options together."""


def option(default: Any, help: str, *names: str, panel: str | None = None, **details: Any) -> Any:
    """An option; without names it is called as its parameter or field. A group's `PANEL` holds for all its options."""
    return typer.Option(default, *names, help=help, rich_help_panel=panel, **details)


def with_groups(command: Callable[..., None]) -> Callable[..., None]:
    """The command with each parameter that is a group of options replaced by these options."""
    groups: dict[str, type] = {}
    parameters: list[Parameter] = []
    for parameter in signature(command, eval_str=True).parameters.values():
        group = parameter.annotation
        if not (isinstance(group, type) and is_dataclass(group)):
            parameters.append(parameter.replace(kind=Parameter.KEYWORD_ONLY))
            continue
        groups[parameter.name] = group
        types = get_type_hints(group, include_extras=True)
        for field in fields(group):
            default = copy(field.default)
            if isinstance(default, OptionInfo):
                default.rich_help_panel = getattr(group, "PANEL", None)
            parameters.append(
                Parameter(field.name, Parameter.KEYWORD_ONLY, default=default, annotation=types[field.name])
            )

    @wraps(command)
    def grouped(**values: Any) -> None:
        for name, group in groups.items():
            values[name] = group(**{field.name: values.pop(field.name) for field in fields(group)})
        command(**values)

    grouped.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    grouped.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return grouped


def given(**options: Any) -> dict[str, Any]:
    """The options that were given on the command line; the others keep their defaults."""
    return {name: value for name, value in options.items() if value is not None}

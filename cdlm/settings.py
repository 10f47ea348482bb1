"""Configurations, which are nested dataclasses: a starting point, overridden by a TOML file, then by single settings. A
setting's name is the path to it, ``model.sequences.max_length``, or its end if that is unambiguous."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, fields, is_dataclass
from difflib import get_close_matches
from functools import reduce
from pathlib import Path
from typing import Any, TypeVar

import tomli_w

from cdlm.errors import InputError
from cdlm.validation import shown, validated

T = TypeVar("T")
LARGEST_FILE = 2**20


def with_settings(start: T, settings: Mapping[str, Any], path: str | Path | None = None) -> T:
    """A configuration, which is a dataclass, with some settings from the file `path` replaced.

    A name is the full path to a setting, or to an entry of one that is a mapping, or the end of such a path; tables
    (mappings) hold further settings.
    """
    values: dict[str, Any] = asdict(start)  # type: ignore[call-overload]
    given: set[tuple[str, ...]] = set()
    for keys, value in _places(start, settings, path):
        if keys in given:
            raise InputError(f"{'.'.join(keys)} is given twice", path)
        given.add(keys)
        table = values
        for part in keys[:-1]:
            table = table[part]
        table[keys[-1]] = value
    return validated(type(start), values, path, others="forbid")


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file, or raise an `InputError` that names the file."""
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise InputError("this file is too large to be a configuration", path)
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"the configuration cannot be read ({error.strerror})", path) from error
    except RecursionError as error:
        raise InputError("the file cannot be read as TOML (it is nested too deeply)", path) from error
    except ValueError as error:  # not TOML, not UTF-8, or an integer of thousands of digits
        raise InputError(f"the file cannot be read as TOML ({error})", path) from error


def parse_settings(pairs: Sequence[str]) -> dict[str, Any]:
    """Read ``NAME=VALUE`` pairs, the values as TOML if possible, otherwise as text.

    >>> parse_settings(["run.epochs=3", "marking=pair"])
    {'run.epochs': 3, 'marking': 'pair'}
    """
    settings: dict[str, Any] = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        name = name.strip()
        if not equals or not name:
            raise InputError(f"a setting must have the form NAME=VALUE, not {shown(pair)}")
        if name in settings:
            raise InputError(f"{name} is given twice")
        try:
            read = tomllib.loads(f"value = {text}")
        except (ValueError, RecursionError):
            read = {}
        settings[name] = read["value"] if read.keys() == {"value"} else text
    return settings


def as_toml(configuration: Mapping[str, Any]) -> str:
    """A configuration's values as a TOML file that :func:`read_toml` reads; settings that are None are omitted."""
    return tomli_w.dumps(_without_none(configuration))


def _without_none(values: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: _without_none(value) if isinstance(value, Mapping) else value
        for name, value in values.items()
        if value is not None
    }


def _places(
    configuration: object, settings: Mapping[str, Any], path: str | Path | None
) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The path to every given setting, and its value."""
    known = list(_leaves(configuration))
    for name, value in settings.items():
        given = tuple(str(name).split("."))
        parts = tuple(part.replace("-", "_") for part in given)  # the key of a mapping is taken as it is
        table = _table(configuration, parts)
        if table is not None:
            if not isinstance(value, Mapping):
                raise InputError(f"{name} is {shown(value)} and should be a table of settings", path)
            for inner, inner_value in _places(table, value, path):
                yield (*parts, *inner), inner_value
            continue
        paths = _ending_in(known, parts)
        if not paths:  # an entry of a setting that is a mapping?
            of_mapping = (
                leaf
                for leaf in _ending_in(known, parts[:-1])
                if isinstance(reduce(getattr, leaf, configuration), Mapping)
            )
            paths = [(*leaf, given[-1]) for leaf in of_mapping if given[-1]]
        if not paths:
            names = [".".join(leaf) for leaf in known]
            near = [full for full in names if get_close_matches(str(name), (full, full.rpartition(".")[2]), cutoff=0.8)]
            hint = f"is it {' or '.join(near)}?" if near else f"the settings are {', '.join(names)}"
            raise InputError(f"there is no setting {shown(name)}; {hint}", path)
        if len(paths) > 1:
            choices = " or ".join(".".join(leaf) for leaf in paths)
            raise InputError(f"the setting {name} is ambiguous; write {choices}", path)
        yield paths[0], value


def _leaves(configuration: object) -> Iterator[tuple[str, ...]]:
    """The paths to all settings."""
    for field in fields(configuration):  # type: ignore[arg-type]
        value = getattr(configuration, field.name)
        if is_dataclass(value):
            for inner in _leaves(value):
                yield (field.name, *inner)
        else:
            yield (field.name,)


def _ending_in(paths: Sequence[tuple[str, ...]], parts: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The path itself if it is among the paths, otherwise those that end in it."""
    if parts in paths or not parts:
        return [parts] if parts else []
    return [path for path in paths if path[-len(parts) :] == parts]


def _table(configuration: object, parts: Sequence[str]) -> object | None:
    """The dataclass at the end of a path; None if there is none."""
    for part in parts:
        if not is_dataclass(configuration) or part not in {field.name for field in fields(configuration)}:
            return None
        configuration = getattr(configuration, part)
    return configuration if is_dataclass(configuration) else None

"""Names of a package that are imported when they are first used, since their modules are slow to import."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def on_first_use(package: str, names: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a package, from the names to import from it by module, separated by spaces."""
    module_of = {name: f"{package}.{module}" for module, listed in names.items() for name in listed.split()}

    def attribute(name: str) -> Any:
        if name in module_of:
            return getattr(import_module(module_of[name]), name)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return attribute

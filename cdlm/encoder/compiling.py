"""Keeping data-dependent Python out of compiled graphs, at no cost if nothing is compiled.

``torch.compiler.disable`` as a decorator imports the whole compiler, which takes a second, whether or not anything is
compiled.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

import torch

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def outside_graphs(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Make ``torch.compile`` call a function as it is instead of tracing it."""

    @functools.wraps(function)
    def call(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        if torch.compiler.is_compiling():
            return torch.compiler.disable(function)(*args, **kwargs)
        return function(*args, **kwargs)

    return call

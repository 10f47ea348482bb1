"""Keeping Python that depends on the data out of compiled graphs, at no cost for those who do not compile.

``torch.compiler.disable`` as a decorator imports the whole compiler, which takes a second, whether anything is compiled
or not.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

import torch

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def outside_graphs(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Make a function that ``torch.compile`` does not look into but calls as it is."""

    @functools.wraps(function)
    def call(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        if torch.compiler.is_compiling():
            return torch.compiler.disable(function)(*args, **kwargs)
        return function(*args, **kwargs)

    return call

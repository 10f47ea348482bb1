"""What a forked process computes with: one thread and free locks, since a fork copies no thread but its own."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from functools import cached_property
from threading import RLock

import torch
from threadpoolctl import threadpool_limits


def compute_in_one_thread() -> None:
    """Use one thread in this process for PyTorch and for every loaded OpenMP library.

    The pools of GNU OpenMP, which PyTorch and scikit-learn use, wait for ever for threads that a fork did not copy.
    """
    torch.set_num_threads(1)
    threadpool_limits(1, "openmp")


def free_cached_properties() -> None:
    """Give every cached property a new lock: another thread of the parent may have held the old one for ever."""
    for cls in _subclasses(object):
        for value in vars(cls).values():
            if type(value) is cached_property:
                value.lock = RLock()  # type: ignore[attr-defined]


def _subclasses(cls: type) -> Iterator[type]:
    """Every class that there is below a class, each once."""
    found: set[type] = {cls}
    waiting: list[type] = [cls]
    while waiting:
        below: type
        for below in type.__subclasses__(waiting.pop()):
            if below not in found:
                found.add(below)
                waiting.append(below)
                yield below


if hasattr(os, "register_at_fork"):  # not on Windows, which has no fork
    os.register_at_fork(after_in_child=compute_in_one_thread)
    if sys.version_info < (3, 12):  # later ones have no locks
        os.register_at_fork(after_in_child=free_cached_properties)

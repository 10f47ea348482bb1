"""What a forked process computes with: one thread, since a fork copies no thread but its own."""

from __future__ import annotations

import os

import torch
from threadpoolctl import threadpool_limits


def compute_in_one_thread() -> None:
    """Use one thread in this process for PyTorch and for every loaded OpenMP library.

    The pools of GNU OpenMP, which PyTorch and scikit-learn use, wait for ever for threads that a fork did not copy.
    """
    torch.set_num_threads(1)
    threadpool_limits(1, "openmp")


if hasattr(os, "register_at_fork"):  # not on Windows, which has no fork
    os.register_at_fork(after_in_child=compute_in_one_thread)

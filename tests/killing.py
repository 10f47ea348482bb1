"""Processes that are killed with signal 9 at random moments, to test that what they were writing is whole."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.context import ForkServerContext
from multiprocessing.process import BaseProcess


def killed(process: BaseProcess, begun: Callable[[], bool], longest: float, moment: random.Random) -> bool:
    """Kill a process at a random moment, at most `longest` seconds after it has begun; whether it was still running."""
    while process.is_alive() and not begun():
        time.sleep(0.002)
    time.sleep(moment.uniform(0, longest))
    process.kill()
    process.join()
    return process.exitcode == -signal.SIGKILL


PRELOADED = (
    *("cdcoref.training", "torch._dynamo", "transformers.models.auto.tokenization_auto"),
    *("transformers.models.longformer.modeling_longformer", "sklearn.feature_extraction.text"),
)
"""What every training run imports, which takes longer than the small runs of tests themselves."""


@contextmanager
def training_processes() -> Iterator[ForkServerContext]:
    """Processes of one thread that have imported what training needs."""
    before = os.environ.get("OMP_NUM_THREADS")
    os.environ["OMP_NUM_THREADS"] = "1"
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(PRELOADED))
    yield context
    if before is None:
        del os.environ["OMP_NUM_THREADS"]
    else:
        os.environ["OMP_NUM_THREADS"] = before


@contextmanager
def busy_process() -> Iterator[None]:
    """Another process that computes all the time."""
    process = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        yield
    finally:
        process.kill()
        process.wait()

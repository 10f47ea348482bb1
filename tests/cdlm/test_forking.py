"""A forked process computes, where a copy of the parent's thread pools would wait for ever."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

PROGRAM = """
import multiprocessing
import os
import threading
from functools import cached_property

import numpy as np
import torch
from sklearn.cluster import KMeans

import cdlm.encoder

def pytorch(_=None):
    return int((torch.ones(1 << 20) * 2).sum()), torch.get_num_threads()

def openmp(_=None):
    return len(set(KMeans(2, n_init=1, random_state=0).fit(np.arange(4000.0)[:, None]).labels_)), 0

torch.set_num_threads(2)
print(pytorch(), openmp())
with multiprocessing.get_context("fork").Pool(1) as pool:
    print(*pool.map(pytorch, [0]), *pool.map(openmp, [0]))

computing, forked = threading.Event(), threading.Event()

class Slow:
    @cached_property
    def value(self):
        if threading.current_thread() is not threading.main_thread():
            computing.set()
            forked.wait()
        return 3

thread = threading.Thread(target=lambda: Slow().value)
thread.start()
computing.wait()
child = os.fork()
if child == 0:
    os._exit(Slow().value)
forked.set()
thread.join()
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_process_computes_in_one_thread_also_what_another_thread_computed_at_the_fork() -> None:
    environment = {**os.environ, "OMP_NUM_THREADS": "2"}
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=90, check=True, env=environment
    )
    assert run.stdout.splitlines() == ["(2097152, 2) (2, 0)", "(2097152, 1) (2, 0)", "3"]

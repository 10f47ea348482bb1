"""Freed memory is kept in the process, unless the user has set how."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from cdlm.memory import keep_freed_memory, return_freed_memory

PROGRAM = """
import resource, numpy as np
from cdlm.memory import keep_freed_memory

def faults():
    for _ in range(3):
        np.ones(2 ** 23)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(20):
        np.ones(2 ** 23)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

before = faults()
keep_freed_memory()
print(before, faults())
"""


def printed(program: str) -> list[str]:
    """What a process without settings of the user prints."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MALLOC_")}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    return done.stdout.split()


@pytest.mark.skipif(sys.platform != "linux", reason="the setting is that of Linux' C library")
def test_arrays_take_the_memory_that_others_freed() -> None:
    """An array of 64 MB has 16,384 pages, each cleared anew for each array without the setting."""
    if not keep_freed_memory():
        pytest.skip("another C library than glibc, or its variables are set")
    before, after = map(int, printed(PROGRAM))
    assert after < 0.6 * before


def test_variables_of_the_user_are_respected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MALLOC_ARENA_MAX", "2")
    assert not keep_freed_memory()


HOLES = """
import numpy as np
from cdlm.memory import keep_freed_memory, return_freed_memory

def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4096

keep_freed_memory()
blocks = [np.ones(2 ** 19) for _ in range(100)]
del blocks[:-1]
before = resident()
print(return_freed_memory(2 ** 30), return_freed_memory(2 ** 26), before - resident())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the setting is that of Linux' C library")
def test_free_memory_below_a_block_in_use_is_returned() -> None:
    """Of 100 blocks of 4 MB, the last is in use; the others are returned where less than them is to be kept."""
    if not return_freed_memory(0):
        pytest.skip("another C library than glibc 2.33 or newer")
    kept, returned, size = printed(HOLES)
    assert (kept, returned) == ("False", "True")
    assert int(size) > 300 * 2**20

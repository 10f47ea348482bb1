"""Freed memory is kept in the process, unless the user has set how."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from cdlm.memory import keep_freed_memory, return_freed_memory

PROGRAM = """
import resource, torch
from cdlm.memory import keep_freed_memory
{call}
for _ in range(3):
    torch.ones(2 ** 24)
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(20):
    torch.ones(2 ** 24)
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def page_faults(call: str) -> int:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MALLOC_")}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(call=call)], env=environment, capture_output=True, text=True, check=True
    )
    return int(done.stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="the setting is that of Linux' C library")
def test_tensors_take_the_memory_that_others_freed() -> None:
    """A tensor of 64 MB has 16,384 pages, each cleared anew for each tensor without the setting."""
    if not keep_freed_memory():
        pytest.skip("another C library than glibc, or its variables are set")
    assert page_faults("keep_freed_memory()") < 0.6 * page_faults("")


def test_variables_of_the_user_are_respected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MALLOC_ARENA_MAX", "2")
    assert not keep_freed_memory()


HOLES = """
import torch
from cdlm.memory import keep_freed_memory, return_freed_memory

def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4096

keep_freed_memory()
blocks = [torch.ones(2 ** 20) for _ in range(100)]
del blocks[:-1]
before = resident()
print(return_freed_memory(2 ** 30), return_freed_memory(2 ** 26), before - resident())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the setting is that of Linux' C library")
def test_free_memory_below_a_block_in_use_is_returned() -> None:
    """Of 100 blocks of 4 MB, the last is in use; the others are returned where less than them is to be kept."""
    if not return_freed_memory(0):
        pytest.skip("another C library than glibc 2.33 or newer")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MALLOC_")}
    done = subprocess.run([sys.executable, "-c", HOLES], env=environment, capture_output=True, text=True, check=True)
    kept, returned, size = done.stdout.split()
    assert (kept, returned) == ("False", "True")
    assert int(size) > 300 * 2**20

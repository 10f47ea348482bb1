"""Memory that tensors free is kept in the process: clearing pages anew takes up to a third of the time of a large model
on a CPU. It is returned between two parts of a long task."""

from __future__ import annotations

import ctypes
import os

TRIM_THRESHOLD, MMAP_MAX = -1, -4
"""Parameters of ``mallopt`` (glibc): what is returned when more than this is free, and how many blocks are mapped."""
KEPT = 2**30
"""Bytes at the end of the heap that are kept when they are free."""
KEPT_BETWEEN_TASKS = 2**27
"""Free bytes of the heap that are kept between two parts of a long task: 128 MB."""


_FIELDS = "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost"


class _HeapUse(ctypes.Structure):
    """What ``mallinfo2`` of glibc returns; `fordblks` are the free bytes of the heap."""

    _fields_ = tuple((name, ctypes.c_size_t) for name in _FIELDS.split())


def keep_freed_memory() -> bool:
    """Let the C library keep freed memory for the next tensors, unless the user has set its variables (MALLOC_...).

    Returns whether the C library has this setting; only glibc has.
    """
    if any(name.startswith(("MALLOC_", "GLIBC_TUNABLES")) for name in os.environ):
        return False
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if os.name == "posix" else None
    if mallopt is None:
        return False
    return bool(mallopt(MMAP_MAX, 0)) and bool(mallopt(TRIM_THRESHOLD, KEPT))


def return_freed_memory(kept: int = KEPT_BETWEEN_TASKS) -> bool:
    """Return the free memory of the heap to the system if it is more than `kept` bytes; tell whether that was done.

    Without glibc 2.33 or newer, none is returned.
    """
    library = ctypes.CDLL(None) if os.name == "posix" else None
    measure, trim = getattr(library, "mallinfo2", None), getattr(library, "malloc_trim", None)
    if measure is None or trim is None:
        return False
    measure.restype = _HeapUse
    return int(measure().fordblks) > kept and bool(trim(0))

"""Memory that tensors free: kept in the process instead of being returned to the system after every operation.

The C library of Linux returns large blocks at once, and asks for them again a moment later; the system must clear each
page anew, which takes up to a third of the time of a large model on a CPU.
"""

from __future__ import annotations

import ctypes
import os

TRIM_THRESHOLD, MMAP_MAX = -1, -4
"""Parameters of ``mallopt`` (glibc): what is returned when more than this is free, and how many blocks are mapped."""
KEPT = 2**30
"""Bytes at the end of the heap that are kept when they are free."""


def keep_freed_memory() -> bool:
    """Let the C library keep freed memory for the next tensors, unless the user has set its variables (MALLOC_...).

    Returns
    -------
    bool
        Whether the C library has this setting; only glibc has.
    """
    if any(name.startswith(("MALLOC_", "GLIBC_TUNABLES")) for name in os.environ):
        return False
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if os.name == "posix" else None
    if mallopt is None:
        return False
    return bool(mallopt(MMAP_MAX, 0)) and bool(mallopt(TRIM_THRESHOLD, KEPT))

"""Cross-document coreference resolution: which mentions, in different documents, are the same event or entity."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cdcoref.prediction import load

__version__ = "0.1.0"
__all__ = ["load"]


def __getattr__(name: str) -> Any:
    """Import :func:`cdcoref.prediction.load` on first use: it is slow, and the command line need not wait for it."""
    if name == "load":
        from cdcoref.prediction import load

        return load
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

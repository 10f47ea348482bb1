"""Cross-document coreference resolution: which mentions, in different documents, are the same event or entity."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cdcoref.predict import PredictionOptions, load

__version__ = "0.2.0"
__all__ = ["PredictionOptions", "load"]


def __getattr__(name: str) -> Any:
    """Import :mod:`cdcoref.predict` on first use: it is slow, and the command line need not wait for it."""
    if name in __all__:
        from cdcoref import predict

        return getattr(predict, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """What users call, whether or not it has been imported yet."""
    return sorted([*__all__, "__version__"])

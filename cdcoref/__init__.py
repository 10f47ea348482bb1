"""Cross-document coreference resolution: which mentions, in different documents, are the same event or entity."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cdlm.lazy_imports import on_first_use

if TYPE_CHECKING:
    from cdcoref.predict import PredictionOptions, load

__version__ = "0.2.0"
__all__ = ["PredictionOptions", "load"]

__getattr__ = on_first_use(__name__, {"predict": "PredictionOptions load"})


def __dir__() -> list[str]:
    """What users call, whether or not it has been imported yet."""
    return sorted([*__all__, "__version__"])

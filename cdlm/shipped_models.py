"""The coreference models that are installed together with this package, by name."""

from __future__ import annotations

from pathlib import Path

BASE, SMALL = "base", "small"
MODELS = {name: Path(__file__).resolve().parent.parent / "cdcoref" / "models" / name for name in (BASE, SMALL)}
"""Their folders."""
DEFAULT = "default"
"""The name of the one that is used unless another is asked for."""
DEFAULT_MODEL = MODELS[BASE]

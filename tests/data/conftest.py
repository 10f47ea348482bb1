"""The default model, read once, and what it computed."""

from __future__ import annotations

from pathlib import Path

import pytest

import cdcoref
from cdcoref.predict import Predictor


@pytest.fixture(scope="session")
def default_model() -> Predictor:
    """The model that ships; it may not be changed."""
    return cdcoref.load()


@pytest.fixture(scope="session")
def computed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache for tests that have the same texts read again among others."""
    return tmp_path_factory.mktemp("computed")

"""The default model, read once, and what it computed."""

from __future__ import annotations

import pytest

import cdcoref
from cdcoref.predict import Predictor


@pytest.fixture(scope="session")
def default_model() -> Predictor:
    """The model that ships; it may not be changed."""
    return cdcoref.load()

"""The default model, read once, and what it computed."""

from __future__ import annotations

import pytest

import cdcoref
from cdcoref.predict import Predictor


@pytest.fixture(scope="module", autouse=True)
def read_once(models_are_read_once: None) -> None:
    """Every test here reads the models that ship."""


@pytest.fixture(scope="module")
def default_model() -> Predictor:
    """The model that ships; it may not be changed."""
    return cdcoref.load()

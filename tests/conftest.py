"""Fixtures that several test files share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with corpora and conformance data, which are not part of this repository."""
    folder = Path(os.environ.get("CDCOREF_SHARED", ROOT.parent / "shared"))
    if not (folder / "corpora").is_dir():
        pytest.skip("no shared data: set CDCOREF_SHARED to the folder with corpora/ and conformance/")
    return folder


@pytest.fixture(scope="session")
def ecb_root(shared: Path) -> Path:
    """ECB+, topics 1-35."""
    return shared / "corpora" / "ecbplus"

"""A corpus of a few words, of which each set has its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

WriteSets = Callable[..., Path]


@pytest.fixture(scope="session")
def write_sets() -> WriteSets:
    """Write sets of three documents of twelve words, six different ones a set, as Multi-News has them."""

    def write(file: Path, count: int, seed: int) -> Path:
        generator = np.random.default_rng(seed)
        lines = []
        for _ in range(count):
            words = [f"w{number}" for number in generator.choice(20, 6, replace=False)]
            documents = [" ".join(generator.permutation([*words, *words])) for _ in range(3)]
            lines.append(" ||||| ".join(documents) + "\n")
        file.write_text("".join(lines), encoding="utf-8")
        return file

    return write

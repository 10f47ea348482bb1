"""The commands of the language model, as a user would type them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from cdlm.cli import main
from tests.commands import Finished


@pytest.fixture
def cdlm(run_command: Callable[..., Finished]) -> Callable[..., Finished]:
    """Run ``cdlm`` with some arguments, as its entry point does, but in this process."""
    return partial(run_command, main, "cdlm")

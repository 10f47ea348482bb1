"""What counts as a conflict of two mentions."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import pytest

from cdcoref.language import MentionWords


@pytest.fixture(scope="module")
def script(load_script: Callable[[str], ModuleType]) -> ModuleType:
    return load_script("benchmarks/conflicts")


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("in 1986", "1987", {"years"}),
        ("1986", "in 1986", set()),
        ("700,000 tonnes", "200,000 tonnes", {"amounts"}),
        ("on Monday", "Friday", {"weekdays"}),
        ("France", "Spain", {"countries", "unlike countries"}),
        ("the French", "Spain", {"unlike countries"}),
        ("Anna Berg", "Clara Holm", {"full names", "unlike names"}),
        ("West Texas Crude", "West Texas Sour", {"full names"}),
        ("Anna Berg", "Clara Berg", {"unlike names"}),
        ("Anna Berg", "Berg", set()),
        ("Anna Berg", "Anna Berg Olsen", set()),
        ("Norvale Steel", "Norvale Steel Corp.", set()),
        ("Norvale Corp", "Tresk Corp", {"full names", "unlike names"}),
        ("South Africa", "South African", set()),
    ],
)
def test_conflicts(script: ModuleType, one: str, other: str, expected: set[str]) -> None:
    words = [MentionWords.of(text.split()) for text in (one, other)]
    assert {name for name, conflict in script.CONFLICTS.items() if conflict(*words)} == expected
    assert {name for name, conflict in script.CONFLICTS.items() if conflict(*reversed(words))} == expected

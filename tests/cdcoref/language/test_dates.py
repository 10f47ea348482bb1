"""Days found in ids and at the beginning of texts."""

from __future__ import annotations

import pytest

from cdcoref.language import date_of
from tests.tables import cases


@pytest.mark.parametrize(("id", "text", "day"), cases(__file__, "days.tsv", "text", "day"))
def test_a_day(id: str, text: str, day: str | None) -> None:
    assert date_of(id, text) == day

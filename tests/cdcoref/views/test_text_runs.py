"""Runs of a text and the mentions that cover them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cdcoref.views import marked_text

RANGES = st.tuples(st.integers(0, 30), st.integers(1, 12)).map(lambda place: (place[0], place[0] + place[1]))


def test_nested_and_overlapping() -> None:
    text = "The captain of the old ferry sank it"
    nested = [[(0, 28)], [(15, 28)], [(19, 33)]]
    assert [(run.text, run.marks) for run in marked_text(text, 0, len(text), nested)] == [
        ("The captain of ", ((0, 2),)), ("the ", ((1, 0), (0, 2))), ("old ferry", ((1, 0), (2, 1), (0, 2))),
        (" sank", ((2, 1),)), (" it", ()),
    ]  # fmt: skip


def test_parts_and_a_stretch() -> None:
    assert [(r.text, r.marks) for r in marked_text("took it off now", 5, 15, [[(0, 4), (8, 11)]])] == [
        ("it ", ()), ("off", ((0, 0),)), (" now", ()),
    ]  # fmt: skip
    assert marked_text("", 0, 0, []) == []


@given(st.lists(RANGES, max_size=8), RANGES)
def test_the_text_is_kept_and_no_two_mentions_share_a_line(
    ranges: list[tuple[int, int]], stretch: tuple[int, int]
) -> None:
    text = "".join(chr(97 + n % 26) for n in range(50))
    start, end = stretch
    runs = marked_text(text, start, end, [[part] for part in ranges])
    assert "".join(run.text for run in runs) == text[start:end]
    at = start
    for run in runs:
        covering = {n for n, (first, last) in enumerate(ranges) if first <= at < last}
        assert {number for number, _ in run.marks} == covering
        levels = [level for _, level in run.marks]
        assert levels == sorted(set(levels))
        at += len(run.text)

"""A stretch of a text with mentions in, its pieces between their borders out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True, slots=True)
class Run:
    """Text without a border of a mention inside."""

    text: str
    marks: tuple[tuple[int, int], ...] = ()
    """The number of each mention that covers it with its level, the lowest level first."""


def marked_text(text: str, start: int, end: int, mentions: Sequence[Sequence[tuple[int, int]]]) -> list[Run]:
    """Cut a stretch of a text, a range of characters, where mentions begin and end.

    Mentions are the character ranges of their unbroken parts; those outside the stretch are left out.

    >>> [(run.text, run.marks) for run in marked_text("the old ferry", 0, 13, [[(0, 13)], [(8, 13)]])]
    [('the old ', ((0, 1),)), ('ferry', ((1, 0), (0, 1)))]
    """
    parts = sorted(
        (
            (max(first, start), min(last, end), number)
            for number, ranges in enumerate(mentions)
            for first, last in ranges
            if first < end and last > start
        ),
        key=lambda part: (part[1] - part[0], part[0], part[2]),
    )
    levels: list[int] = []
    for place, (first, last, _) in enumerate(parts):
        taken = {levels[n] for n in range(place) if parts[n][0] < last and parts[n][1] > first}
        levels.append(next(level for level in range(len(taken) + 1) if level not in taken))
    borders = sorted({start, end, *(border for first, last, _ in parts for border in (first, last))})
    runs = []
    for first, last in pairwise(borders):
        over = [(levels[n], parts[n][2]) for n in range(len(parts)) if parts[n][0] <= first and parts[n][1] >= last]
        runs.append(Run(text[first:last], tuple((number, level) for level, number in sorted(over))))
    return runs

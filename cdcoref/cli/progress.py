"""Progress of long work on standard error, and durations in words."""

from __future__ import annotations

from cdlm import progress


class StageProgress(progress.StageProgress):
    """The progress of a ``cdcoref`` command."""

    def __init__(self) -> None:
        super().__init__("cdcoref")


def duration(seconds: float) -> str:
    """A duration in words.

    >>> duration(42), duration(600), duration(10_000)
    ('42 seconds', '10 minutes', '2.8 hours')
    """
    if seconds < 90:
        return f"{max(1, round(seconds))} seconds"
    return f"{seconds / 60:.0f} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"

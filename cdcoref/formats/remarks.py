"""What readers notice that is no error: remarks on lines in, sentences for the user out."""

from __future__ import annotations

from collections import Counter


class Remarks:
    """Remarks on a file: each once, with how often it was made and where first."""

    def __init__(self) -> None:
        self._times: Counter[str] = Counter()
        self._first: dict[str, int] = {}

    def add(self, remark: str, line: int) -> None:
        """Make a remark on a line."""
        self._times[remark] += 1
        self._first.setdefault(remark, line)

    def notes(self, source: str) -> list[str]:
        """A sentence for each remark, in the order in which they were first made."""
        return [
            f"{source}: {remark} ({'once, on' if times == 1 else f'{times} times, first on'} line {first})"
            for (remark, times), first in zip(self._times.items(), self._first.values(), strict=True)
        ]

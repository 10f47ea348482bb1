"""Streams that give less than is asked for."""

from __future__ import annotations

import io


class SlowStream(io.BufferedReader):
    """A stream that gives at most `most` bytes at a time."""

    def __init__(self, content: bytes, most: int) -> None:
        super().__init__(io.BytesIO(content))
        self._most = most

    def read(self, size: int | None = -1) -> bytes:
        return super().read(self._most if size is None or size < 0 else min(size, self._most))

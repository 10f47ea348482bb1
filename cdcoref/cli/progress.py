"""Progress of long work on standard error."""

from __future__ import annotations

from cdlm import printing


class StageProgress(printing.StageProgress):
    """The progress of a ``cdcoref`` command."""

    def __init__(self) -> None:
        super().__init__("cdcoref")

"""The collection for those who read it: every thread that answers requests has its own connection."""

from __future__ import annotations

import threading
from pathlib import Path

from cdcoref.collection import Collection

THREADS = 4
"""That answer requests; more would only wait for each other."""


class Readers:
    """Gives every thread its own object for the same collection.

    Parameters
    ----------
    path
        The collection.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._own = threading.local()

    def __call__(self) -> Collection:
        """The collection, for this thread alone."""
        collection: Collection | None = getattr(self._own, "collection", None)
        if collection is None:
            collection = self._own.collection = Collection.open(self.path)
        return collection

"""The collection that is served, as long as it is where it was: every thread has its own connection."""

from __future__ import annotations

import threading
from pathlib import Path

from cdcoref.collection import Collection, is_in_place
from cdcoref.errors import InputError


class GoneError(InputError):
    """The collection that is served is not where it was."""

    def __init__(self) -> None:
        super().__init__("the collection was removed or replaced while it was served; start the server again")


class Readers:
    """Gives every thread its own object for the same collection."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._own = threading.local()
        self._opened = path.stat()

    def __call__(self) -> Collection:
        """The collection, for this thread alone."""
        self.check()
        collection: Collection | None = getattr(self._own, "collection", None)
        if collection is None:
            collection = self._own.collection = Collection.open(self.path)
        return collection

    def close(self) -> None:
        """Close what this thread opened."""
        if (collection := getattr(self._own, "collection", None)) is not None:
            collection.close()

    def check(self) -> None:
        """Refuse what is not the file that was there at first."""
        if not is_in_place(self.path, self._opened):
            raise GoneError

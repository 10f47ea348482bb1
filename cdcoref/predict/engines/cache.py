"""Results that took long to compute, in one SQLite file of a folder, from which an interrupted run resumes. Each is
found by a hash of all that it depends on, so a folder can serve several models and sets of documents."""

import hashlib
import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cdcoref.errors import InputError

CACHE_FILE = "results.sqlite"
VERSION = 15
"""Part of every hash. It is increased whenever the code computes something else from the same model and documents, or
stores it differently."""


def result_key(fingerprint: str, *parts: str) -> bytes:
    """The hash under which a result that depends on a model's `fingerprint` and on `parts` is stored."""
    return hashlib.sha256("\0".join((str(VERSION), fingerprint, *parts)).encode()).digest()


class ResultCache:
    """Arrays by hash in a folder, a :class:`cdcoref.linking.ResultStore`; `fingerprint` is of what all depend on."""

    def __init__(self, folder: str | Path, fingerprint: str) -> None:
        self.path = Path(folder) / CACHE_FILE
        self.fingerprint = fingerprint
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            reason = "it is not a folder" if isinstance(error, FileExistsError) else error.strerror
            raise InputError(f"the cache cannot be used ({reason}); choose another folder", folder) from error
        with self._errors():
            self._database = sqlite3.connect(self.path, isolation_level=None)
            self._database.execute("PRAGMA journal_mode=WAL")
            self._database.execute("CREATE TABLE IF NOT EXISTS results (key BLOB PRIMARY KEY, shape TEXT, data BLOB)")
            self._database.execute("SELECT key, shape, data FROM results LIMIT 0")

    def key(self, *parts: str) -> bytes:
        """The hash under which a result that depends on `parts` is stored."""
        return result_key(self.fingerprint, *parts)

    def get(self, key: bytes) -> NDArray[Any] | None:
        """The array stored under a hash, or None."""
        with self._errors():
            row = self._database.execute("SELECT shape, data FROM results WHERE key = ?", (key,)).fetchone()
            if row is None:
                return None
            kind, shape = json.loads(row[0])
            return np.frombuffer(row[1], dtype=kind).reshape(shape)

    def put(self, results: Mapping[bytes, NDArray[Any]]) -> None:
        """Store several arrays; after a crash, either all of them are present or none."""
        rows = [(key, json.dumps([a.dtype.str, a.shape]), a.tobytes()) for key, a in results.items()]
        with self._errors():
            try:
                self._database.execute("BEGIN")
                self._database.executemany("INSERT OR REPLACE INTO results VALUES (?, ?, ?)", rows)
                self._database.execute("COMMIT")
            finally:
                if self._database.in_transaction:
                    self._database.execute("ROLLBACK")

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, ValueError, TypeError) as error:
            raise InputError(
                f"the cache cannot be used ({error}); delete it or choose another folder", self.path
            ) from error

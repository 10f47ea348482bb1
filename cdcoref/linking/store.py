"""What linking looks up before it computes: results by a hash of everything they depend on, in a store of any kind."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from numpy.typing import NDArray

from cdcoref.corpus import Document, Mention


class ResultStore(Protocol):
    """Stores arrays between runs."""

    def key(self, *parts: str) -> bytes:
        """The hash under which a result that depends on `parts` and on the model is stored."""

    def get(self, key: bytes) -> NDArray[Any] | None:
        """The array stored under a hash, or None."""

    def put(self, results: Mapping[bytes, NDArray[Any]]) -> None:
        """Store several arrays, all of them or none."""


def document_hash(document: Document, mentions: Sequence[Mention] = ()) -> str:
    """Hash of what a model reads of a document: words, sentences, hidden ones, parse, and the mentions marked in it."""
    content = [document.tokens, document.sentences, sorted(document.hidden), [(m.tokens, m.kind) for m in mentions]]
    return hashlib.sha256(json.dumps(content).encode() + (document.parse or b"")).hexdigest()

"""Words and names of documents as columns of CoNLL and CorefUD, and back."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from cdcoref.corpus import Document
from cdcoref.errors import InputError

_UNSAFE = re.compile(r"[\s\x00-\x1f\x7f-\x9f\ufeff\ud800-\udfff]|\\(?=u[0-9a-f]{4})|^\\(?=e$)")
_ESCAPED = re.compile(r"\\u([0-9a-f]{4})")


def escape(word: str) -> str:
    """The word as one column."""
    return _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", word) if word else "\\e"


def unescape(column: str) -> str:
    """The word that a column represents."""
    if "\\" not in column:
        return column
    return "" if column == "\\e" else _ESCAPED.sub(lambda match: chr(int(match[1], 16)), column)


_WITH_PART = re.compile(r"(.+);(?: |\\u0020)part(?: |\\u0020)([0-9]{3,9})")
_PART = re.compile(r"[0-9]{1,9}")


class DocumentKey(NamedTuple):
    """What identifies a document: its name, and its part if it is split (CoNLL)."""

    name: str
    part: str = "0"

    def __str__(self) -> str:
        return self.name if self.part == "0" else f"{self.name}; part {self.part}"

    @classmethod
    def of(cls, id: str, part: str) -> DocumentKey:
        """The key of a document, whose id may contain the part again, to be unique."""
        return cls(id.removesuffix(_suffix(part)) if part != "0" else id, part)


def document_ids(keys: Iterable[DocumentKey], path: str) -> list[str]:
    """The ids of the documents of a file."""
    ids: dict[str, None] = {}
    for key in keys:
        id = key.name if key.name not in ids else key.name + _suffix(key.part)
        if id in ids:
            raise InputError(f"two documents of the file get the id {id!r}; rename one of them", path)
        ids[id] = None
    return list(ids)


def document_keys(documents: Iterable[Document]) -> Iterator[DocumentKey]:
    """The keys from which `document_ids` derives the ids of these documents."""
    seen: dict[str, set[str]] = {}
    for document in documents:
        if not _PART.fullmatch(document.part):
            raise InputError(
                f"document {document.id!r} has the part {document.part[:40]!r}; it must be a number in this format",
                document.path,
            )
        part = document.part.lstrip("0") or "0"
        name = document.id.removesuffix(_suffix(part))
        # Only further parts of a document in this corpus have the part in the id; any other id is kept as it is.
        if part in seen.get(name, {part}):
            name = document.id
        seen.setdefault(name, set()).add(part)
        yield DocumentKey(name, part)


def key_to_column(key: DocumentKey) -> str:
    """Name and part as one word without white space."""
    column = escape(key.name)
    if key.part != "0":
        return column + escape(_suffix(key.part))
    return column.replace(";", "\\u003b") if _WITH_PART.fullmatch(column) else column


def column_to_key(column: str) -> DocumentKey:
    """The inverse of `key_to_column`."""
    match = _WITH_PART.fullmatch(column)
    return DocumentKey(unescape(match[1]), match[2].lstrip("0") or "0") if match else DocumentKey(unescape(column))


def _suffix(part: str) -> str:
    return f"; part {part.zfill(3)}"

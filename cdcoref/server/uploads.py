"""Uploaded files in, one corpus and what could not be read out; no file of this computer is opened by a given name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.errors import InputError
from cdcoref.formats import EncodingError, LoadedCorpus, ReadOptions, read_file

LONGEST_NAME = 400


@dataclass(frozen=True, slots=True)
class Upload:
    """A file: where it was stored, and what its sender called it."""

    path: Path
    name: str


def clean_name(name: str) -> str:
    """The name of an upload as the name of a document: without control characters, and not too long.

    >>> clean_name("C:\\\\news\\\\a.txt"), clean_name("../b/./c.txt"), clean_name(" ")
    ('news/a.txt', 'b/c.txt', 'document')
    """
    shown = "".join(character if character.isprintable() else " " for character in name.replace("\\", "/"))
    parts = [part for part in shown.split("/") if part.strip() not in ("", ".", "..") and not part.endswith(":")]
    kept = "/".join(parts).strip()
    return kept[-LONGEST_NAME:] or "document"


def read_uploads(
    uploads: Sequence[Upload],
    kind: str | None,
    encoding: str | None = None,
    *,
    every_kind: bool = False,
) -> LoadedCorpus:
    """Read files; one that cannot be read does not affect the others."""
    documents: dict[str, Document] = {}
    mentions: list[Mention] = []
    notes: list[str] = []
    problems: list[str] = []
    suggested: str | None = None
    # Cluster ids of separate files are never the same cluster; a collection does not use them.
    several = len(uploads) > 1
    options = ReadOptions(kind=kind, encoding=encoding, several=several, with_clusters=False, every_kind=every_kind)
    for upload in uploads:
        try:
            corpus = _read(upload, replace(options, id=upload.name))
            twice = next((d.id for d in corpus.documents if d.id in documents), None)
            if twice is not None:
                raise InputError(f"another uploaded file also has a document {twice!r}, so this file was skipped")
        except InputError as error:
            problems.append(str(InputError(error.message, upload.name, error.line)))
            if isinstance(error, EncodingError):
                suggested = suggested or error.suggestion
            continue
        documents.update((document.id, document) for document in corpus.documents)
        mentions += corpus.mentions
        notes += [note.replace(str(upload.path), upload.name) for note in corpus.notes]
        if not corpus.documents:
            notes.append(f"{upload.name}: the file has no documents")
    return LoadedCorpus(Corpus(tuple(documents.values()), tuple(mentions), tuple(notes)), tuple(problems), suggested)


def _read(upload: Upload, options: ReadOptions) -> Corpus:
    """One file; plain text has the name of the upload, and no file that it came from."""
    corpus = read_file(upload.path, options)
    own = str(upload.path)
    documents = tuple(replace(d, path=None) if d.path == own else d for d in corpus.documents)
    return replace(corpus, documents=documents)


def unused_names(corpus: Corpus, taken: Callable[[str], bool]) -> Corpus:
    """The corpus with a number in the ids of documents that are taken: ``a.txt`` becomes ``a (2).txt``."""
    own = {document.id for document in corpus.documents}
    names: dict[str, str] = {}
    for id in sorted(own):
        name, number = id, 1
        while taken(name) or (name != id and name in own):
            number += 1
            path = PurePosixPath(id)
            name = f"{id.removesuffix(path.suffix)} ({number}){path.suffix}"
        if name != id:
            names[id] = name
            own.add(name)
    documents = tuple(replace(d, id=names.get(d.id, d.id)) for d in corpus.documents)
    mentions = tuple(replace(m, document=names.get(m.document, m.document)) for m in corpus.mentions)
    return replace(corpus, documents=documents, mentions=mentions)

"""A folder of files in, one for each document, and back. A hidden file has the documents as JSON lines, each with the
name of its ``file``: it tells the folder from one that somebody else made, which is never replaced, and has what the
files' own format cannot express."""

import json
import os
import re
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from cdcoref.corpus import Corpus, Document
from cdcoref.errors import InputError
from cdcoref.formats.chains import Link, mentions_of
from cdcoref.formats.jsonl import document_fields, names_entry, read_jsonl
from cdlm.files import replaced_folder
from cdlm.output_file import output_file

RECORD = ".cdcoref.jsonl"
LONGEST_NAME = 120
"""Characters of an id that the name of a file has."""
MOST_BYTES = 200
"""Bytes of an id in UTF-8 that it has; file systems allow 255, a number and suffixes among them."""
_UNSAFE = re.compile(r"[^\w. ()+,@=-]+")
_FILE = "file"


def file_names(ids: Iterable[str], suffix: str) -> dict[str, str]:
    """Names of files for documents: their ids as far as file systems allow, each once, with a suffix.

    >>> file_names(["a.txt", "news/b", "News b", "../a.txt"], ".txt")
    {'a.txt': 'a.txt', 'news/b': 'news_b.txt', 'News b': 'News b.txt', '../a.txt': '_a.txt'}
    """
    names: dict[str, str] = {}
    taken: set[str] = set()
    for id in ids:
        end = _UNSAFE.sub("_", id.removesuffix(suffix))[-LONGEST_NAME:].encode()[-MOST_BYTES:].decode(errors="ignore")
        stem = end.lstrip(".").strip() or "document"
        name, number = f"{stem}{suffix}", 1
        while name.casefold() in taken:
            number += 1
            name = f"{stem} ({number}){suffix}"
        taken.add(name.casefold())
        names[id] = name
    return names


def check_folder(folder: str | Path) -> None:
    """Refuse a folder that cannot be written, or that holds what cdcoref did not write; called before long work."""
    path = Path(folder)
    if path.exists() and not path.is_dir():
        raise InputError("this is a file; choose a folder for the output", folder)
    if path.is_dir() and any(path.iterdir()) and not (path / RECORD).exists():
        raise InputError("the folder holds files that cdcoref did not write; choose a new or an empty one", folder)
    if not path.absolute().parent.is_dir():
        raise InputError("the folder of the output does not exist; create it first", folder)
    real = Path(os.path.realpath(path))
    try:
        # The new folder is made beside it, with a longer name.
        tempfile.TemporaryDirectory(prefix=f".{real.name}-", dir=real.parent).cleanup()
    except OSError as error:
        raise InputError(f"the folder cannot be written ({error.strerror}); choose another one", folder) from None


def check_characters(corpus: Corpus, refused: re.Pattern[str], what: str) -> None:
    """Raise an `InputError` for texts and names of clusters with what a format cannot have, as `what` says."""
    for document in corpus.documents:
        if refused.search(document.text):
            raise InputError(f"document {document.id!r} has {what}; use JSON lines")
    for mention in corpus.mentions:
        if refused.search(mention.cluster or ""):
            raise InputError(f"cluster {mention.cluster!r} has {what}; use JSON lines")


def write_folder(
    folder: str | Path, corpus: Corpus, files: Mapping[str, str], contents: Iterable[tuple[str, str]]
) -> None:
    """Write a folder of files, which replaces `folder` when it is complete; `files` are those of documents, by id."""
    check_folder(folder)
    try:
        with replaced_folder(Path(folder)) as new:
            for name, content in contents:
                with output_file(new / name) as file:
                    file.write(content)
            mentions = corpus.by_document()
            with output_file(new / RECORD) as file:
                for document in corpus.documents:
                    own = mentions[document.id]
                    fields = document_fields(document, own) | names_entry(own, corpus.names)
                    line = json.dumps({_FILE: files[document.id], **fields}, ensure_ascii=False)
                    file.write(line + "\n")
    except OSError as error:
        raise InputError(f"the folder cannot be written ({error.strerror or error})", folder) from error


def recorded(path: str | Path) -> Corpus | None:
    """The document that was written as a file, with its mentions; None if its folder has no record of it."""
    record = Path(path).parent / RECORD
    try:
        changed = record.stat().st_mtime_ns
    except OSError:
        return None
    return _recorded(record, changed).get(Path(path).name)


@lru_cache(maxsize=4)
def _recorded(record: Path, changed: int) -> dict[str, Corpus]:
    """What is recorded, by the names of files; read again if the record changed."""
    whole = read_jsonl(record)
    mentions = whole.by_document()
    found = {}
    for document in whole.documents:
        metadata = dict(document.metadata)
        name = metadata.pop(_FILE, None)
        if isinstance(name, str):
            own = mentions[document.id]
            found[name] = Corpus((replace(document, metadata=metadata),), tuple(own), names=whole.names)
    return found


def as_recorded(path: object, document: Document, chains: Sequence[Sequence[Link]]) -> Corpus:
    """A document that was read, with what its folder's record knows of it. Where the tokens cover the recorded
    characters, it is the recorded one, whose words may differ from its text (``&amp;``). A mention that is as it was
    keeps its confidence, its id, its tag and its gaps."""
    before = recorded(str(path))
    if before is None:
        return Corpus((document,), tuple(mentions_of(document, chains)))
    [known] = before.documents
    covered, now = ([d.text[start:end] for start, end in d.offsets] for d in (known, document))
    same = known.offsets == document.offsets and covered == now
    document = known if same else replace(document, id=known.id, metadata=known.metadata, found=known.found)
    found = mentions_of(document, chains)
    if not same:
        return Corpus((document,), tuple(found), names=before.names)
    exact = {(m.tokens, m.kind, m.cluster): (n, m) for n, m in enumerate(before.mentions)}
    filled = {(tuple(range(m.start, m.end)), *key[1:]): (n, m) for key, (n, m) in exact.items() if not m.contiguous}
    chosen, last = [], len(exact)
    for mention in found:
        key = mention.tokens, mention.kind, mention.cluster
        chosen.append((exact if key in exact else filled).pop(key, (last, mention)))
    mentions = (mention for _, mention in sorted(chosen, key=lambda pair: pair[0]))
    return Corpus((document,), tuple(mentions), names=before.names)

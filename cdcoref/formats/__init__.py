"""Files in, a Corpus out, and back: plain text, JSON lines and CoNLL, told apart by content; a bad file stops no other.

Each format has a module of its own; `read_corpus` reads whatever the user names: files, folders, standard input.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO, Literal

from cdcoref.corpus import Corpus, Mention
from cdcoref.errors import InputError
from cdcoref.formats.conll import Layout, read_conll, write_conll
from cdcoref.formats.conll_parsing import read_conll_table
from cdcoref.formats.corefud import read_corefud, read_corefud_table
from cdcoref.formats.jsonl import read_jsonl, write_jsonl
from cdcoref.formats.jsonl_table import read_jsonl_table
from cdcoref.formats.line_chunks import first_bytes, line_chunks
from cdcoref.formats.mention_table import DocumentKey, Ints, MentionTable
from cdcoref.formats.output_file import output_file
from cdcoref.formats.text import read_text, tokenise_text

__all__ = [
    "DocumentKey",
    "Ints",
    "Layout",
    "LoadedCorpus",
    "MentionTable",
    "file_format",
    "fill_gaps",
    "first_bytes",
    "line_chunks",
    "output_file",
    "read_conll",
    "read_conll_table",
    "read_corefud",
    "read_corefud_table",
    "read_corpus",
    "read_jsonl",
    "read_jsonl_table",
    "tokenise_text",
    "write_conll",
    "write_corpus",
    "write_jsonl",
]

STANDARD_INPUT = "-"

_BEGINNINGS = (
    (rb"%PDF-", "a PDF"),
    (rb"\{\\rtf", "an RTF document"),
    (rb"(?i)<!doctype html|<html", "an HTML page"),
    (rb"<\?xml|<!doctype", "XML"),
    (rb"# (global\.Entity|newdoc|sent_id)", "CoNLL-U"),
)
"""What is text but not the text of a document."""


@dataclass(frozen=True, slots=True)
class LoadedCorpus:
    """What could be read of what the user named.

    Attributes
    ----------
    corpus
        Its notes say what was left out or changed on purpose, such as a file that was named twice.
    problems
        One sentence for each file or folder that could not be used.
    """

    corpus: Corpus
    problems: tuple[str, ...]


def read_corpus(
    paths: Iterable[str | Path],
    *,
    pipeline: str | None = None,
    kind: str | None = None,
    standard_input: BinaryIO | None = None,
) -> LoadedCorpus:
    """Read files, folders and standard input into one corpus.

    A text file is one document, whose id is the file's name, or as much of its path as tells it from another of the
    same name. Documents of JSON lines and CoNLL keep their ids; if several such files are read, the names of clusters
    are told apart by the file.

    Parameters
    ----------
    paths
        Files (plain or compressed with gzip), folders (read recursively in alphabetical order, hidden files left out),
        or ``"-"`` for standard input.
    pipeline
        Name or folder of a spaCy pipeline that finds the sentences of plain text; None for rules.
    kind
        The kind of the mentions in CoNLL files, which do not say it.
    standard_input
        What ``"-"`` reads; the process's own by default.
    """
    reader = _Reader(pipeline, kind, standard_input)
    files = list(reader.find(paths))
    ids = _shortest_names([path for path in files if str(path) != STANDARD_INPUT])
    for path in files:
        reader.read(path, ids.get(path, "stdin"))
    return LoadedCorpus(reader.corpus(), tuple(reader.problems))


def write_corpus(corpus: Corpus, path: str | Path, *, layout: Layout = "2012") -> None:
    """Write a corpus in the format that the file's name ends in: ``.conll`` or ``.jsonl``, or these with ``.gz``.

    Raises
    ------
    InputError
        If the name ends in something else, the format cannot say something in the corpus, or the file cannot be
        written; what stood there before is then still there.
    """
    suffix = _suffix(path)
    if suffix == ".jsonl":
        write_jsonl(corpus, path)
    elif suffix == ".conll":
        write_conll(corpus, path, layout=layout)
    else:
        raise InputError("the format is not clear from the name; let it end in .conll or .jsonl", path)


def fill_gaps(corpus: Corpus) -> tuple[Corpus, int]:
    """Replace discontinuous mentions, which CoNLL cannot say, by all tokens from their first to their last.

    Returns
    -------
    corpus, filled
        The corpus with contiguous mentions only, and how many of them were discontinuous.
    """
    mentions = [m if m.contiguous else replace(m, tokens=tuple(range(m.start, m.end))) for m in corpus.mentions]
    filled = sum(not mention.contiguous for mention in corpus.mentions)
    return replace(corpus, mentions=tuple(mentions)), filled


def file_format(path: str | Path) -> Literal["text", "jsonl", "conll"]:
    """Which reader a file needs, by its content, or by its name where that says ``.conll`` or ``.jsonl``.

    Raises
    ------
    InputError
        If the file cannot be read, or is text of a kind that no reader takes.
    """
    head = first_bytes(path).lstrip()
    suffix = _suffix(path)
    if suffix in (".jsonl", ".json", ".ndjson"):
        return "jsonl"
    if suffix == ".conll" or head.startswith(b"#begin document"):
        return "conll"
    for beginning, name in _BEGINNINGS:
        if re.match(beginning, head):
            raise InputError(f"this is {name}, not plain text; convert it to plain text, JSON lines or CoNLL", path)
    return "jsonl" if _is_json_object(head.partition(b"\n")[0]) else "text"


def _suffix(path: str | Path) -> str:
    return Path(Path(path).name.removesuffix(".gz")).suffix.lower()


def _is_json_object(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return re.match(rb'\{\s*"[^"]*"\s*:\s*["\[{]', line) is not None  # it may be longer than what was looked at


@dataclass(slots=True)
class _Reader:
    """Collects documents, notes and problems, file by file."""

    pipeline: str | None
    kind: str | None
    standard_input: BinaryIO | None
    corpora: list[tuple[str, Corpus]] = field(default_factory=list)
    file_of: dict[str, Path] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def find(self, paths: Iterable[str | Path]) -> Iterator[Path]:
        """The files that the user named, each once."""
        seen: set[object] = set()
        for path in map(Path, paths):
            for file in self._files_in(path) if path.is_dir() else [path]:
                identity: object = STANDARD_INPUT
                if str(file) != STANDARD_INPUT:
                    try:
                        status = file.stat()
                    except OSError as error:
                        self.problems.append(f"{file}: the file cannot be read ({error.strerror})")
                        continue
                    identity = status.st_dev, status.st_ino
                if identity in seen:
                    self.notes.append(f"{file}: this file was named twice and is read once")
                else:
                    seen.add(identity)
                    yield file

    def _files_in(self, folder: Path) -> list[Path]:
        def cannot_list(error: OSError) -> None:
            self.problems.append(f"{error.filename}: the folder cannot be read ({error.strerror})")

        files: list[Path] = []
        before = len(self.problems)
        for parent, folders, names in os.walk(folder, onerror=cannot_list):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            visible = (Path(parent, name) for name in sorted(names) if not name.startswith("."))
            files.extend(file for file in visible if file.is_file())
        if not files and len(self.problems) == before:
            self.problems.append(f"{folder}: the folder holds no files")
        return files

    def read(self, path: Path, id: str) -> None:
        """Take one file into the corpus, or its problem into the list."""
        try:
            with self._seekable(path) as file:
                corpus = self._read_file(file, path, id)
            for document in corpus.documents:
                if document.id in self.file_of:
                    raise InputError(
                        f"document {document.id!r} is in {self.file_of[document.id]} too and ids must be unique, so "
                        "this file was left out; rename one of them"
                    )
        except InputError as error:
            self.problems.append(str(InputError(error.message, path, error.line)))
            return
        self.file_of.update((document.id, path) for document in corpus.documents)
        self.corpora.append((id, corpus))
        self.notes.extend(corpus.notes)
        if not corpus.documents:
            self.notes.append(f"{path}: no document is in this file")

    def _read_file(self, file: Path, path: Path, id: str) -> Corpus:
        found = file_format(file)
        if found == "jsonl":
            return read_jsonl(file, lambda text, id: tokenise_text(text, id, self.pipeline))
        if found == "conll":
            return read_conll(file, kind=self.kind)
        return Corpus((replace(read_text(file, self.pipeline, id), path=str(path)),))

    @contextmanager
    def _seekable(self, path: Path) -> Iterator[Path]:
        """The file itself, or a copy of what can be read once only: standard input, a pipe."""
        if path.is_file():
            yield path
            return
        with tempfile.NamedTemporaryFile() as copy:
            if str(path) == STANDARD_INPUT:
                shutil.copyfileobj(self.standard_input or sys.stdin.buffer, copy)
            else:
                with path.open("rb") as stream:
                    shutil.copyfileobj(stream, copy)
            copy.flush()
            yield Path(copy.name)

    def corpus(self) -> Corpus:
        """Everything that was read."""
        with_clusters = [id for id, corpus in self.corpora if any(m.cluster for m in corpus.mentions)]
        mentions: list[Mention] = []
        for id, corpus in self.corpora:
            if len(with_clusters) > 1:  # "7" of one file is not "7" of another
                mentions.extend(replace(m, cluster=m.cluster and f"{id}:{m.cluster}") for m in corpus.mentions)
            else:
                mentions.extend(corpus.mentions)
        documents = (document for _, corpus in self.corpora for document in corpus.documents)
        return Corpus(tuple(documents), tuple(mentions), tuple(self.notes))


def _shortest_names(paths: Iterable[Path]) -> dict[Path, str]:
    """For every file its name, or as many of its folders before it as tell it from the others of that name."""
    parts = {path: Path(os.path.abspath(path)).parts for path in paths}
    by_name: dict[str, list[Path]] = {}
    for path in parts:
        by_name.setdefault(path.name, []).append(path)
    names: dict[Path, str] = {}
    for same in by_name.values():
        depth = 1
        deepest = max(len(parts[path]) for path in same)
        while depth < deepest and len({parts[path][-depth:] for path in same}) < len(same):
            depth += 1
        names.update((path, "/".join(parts[path][-depth:])) for path in same)
    # A name that is not valid UTF-8 could not be written to a file.
    return {path: os.fsencode(name).decode(errors="replace") for path, name in names.items()}

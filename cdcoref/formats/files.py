"""Whatever the user names (files, folders, standard input) in, one corpus out; a bad file stops no other.

Files that are read together are one corpus: a cluster's name means the same cluster in all of them. `cluster_names`
says when that cannot be meant.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO, Literal

from cdcoref.corpus import Corpus
from cdcoref.errors import InputError
from cdcoref.formats.cluster_names import ClusterNames
from cdcoref.formats.format import ReadOptions
from cdcoref.formats.input_file import STANDARD_INPUT
from cdcoref.formats.registry import read_file


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
    clusters: Literal["corpus", "document"] = "corpus",
    standard_input: BinaryIO | None = None,
) -> LoadedCorpus:
    """Read files, folders and standard input into one corpus.

    A text file is one document, whose id is the file's name, or as much of its path as tells it from another of the
    same name. Documents of other formats keep their ids and their clusters' names: a name in two files is one cluster,
    except in CorefUD, whose names mean something within one document. A file whose documents another file has too, or
    whose names cannot be meant to be those of another file (see `cluster_names`), is left out with a problem.

    Parameters
    ----------
    paths
        Files (plain or compressed with gzip), folders (read recursively in alphabetical order, hidden files left out),
        or ``"-"`` for standard input.
    pipeline
        Name or folder of a spaCy pipeline that finds the sentences of plain text; None for rules.
    kind
        The kind of the mentions in files whose format does not say it (CoNLL, CorefUD).
    clusters
        Where a cluster's name in a CoNLL file means the same cluster: in all files, or in one document only (as in the
        files of the CoNLL-2011/2012 shared tasks).
    standard_input
        What ``"-"`` reads; the process's own by default.
    """
    reader = _Reader(ReadOptions(kind=kind, clusters=clusters, pipeline=pipeline), standard_input)
    files = list(reader.find(paths))
    ids = _shortest_names([path for path in files if str(path) != STANDARD_INPUT])
    for path in files:
        reader.read(path, ids.get(path, "stdin"))
    return LoadedCorpus(reader.corpus(), tuple(reader.problems))


@dataclass(slots=True)
class _Reader:
    """Collects documents, notes and problems, file by file."""

    options: ReadOptions
    standard_input: BinaryIO | None
    corpora: list[Corpus] = field(default_factory=list)
    file_of: dict[str, Path] = field(default_factory=dict)
    names: ClusterNames = field(default_factory=ClusterNames)
    notes: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def find(self, paths: Iterable[str | Path]) -> Iterator[Path]:
        """The files that the user named, each once."""
        seen: set[object] = set()
        for path in map(Path, paths):
            for file in self._files_in(path) if os.path.isdir(path) else [path]:
                identity: object = STANDARD_INPUT
                if str(file) != STANDARD_INPUT:
                    try:
                        status = file.stat()
                    except (OSError, ValueError) as error:
                        reason = error.strerror if isinstance(error, OSError) else "its name holds a NUL character"
                        self.problems.append(f"{file}: the file cannot be read ({reason})")
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
            corpus = read_file(path, replace(self.options, id=id), standard_input=self.standard_input)
            for document in corpus.documents:
                if document.id in self.file_of:
                    raise InputError(
                        f"document {document.id!r} is in {self.file_of[document.id]} too and ids must be unique, so "
                        "this file was left out; rename one of them",
                        path,
                    )
            self.names.add(corpus, path)
        except InputError as error:
            self.problems.append(str(error))
            return
        self.file_of.update((document.id, path) for document in corpus.documents)
        self.corpora.append(corpus)
        self.notes.extend(corpus.notes)
        if not corpus.documents:
            self.notes.append(f"{path}: the file has no document")

    def corpus(self) -> Corpus:
        """Everything that was read."""
        return Corpus(
            tuple(document for corpus in self.corpora for document in corpus.documents),
            tuple(mention for corpus in self.corpora for mention in corpus.mentions),
            tuple(self.notes),
        )


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

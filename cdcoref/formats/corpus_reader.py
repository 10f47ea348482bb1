"""Files, folders and standard input in, one corpus out; a bad file does not affect the others."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from cdcoref.corpus import Corpus
from cdcoref.errors import InputError, shown_path
from cdcoref.facts import with_parses
from cdcoref.formats.format import ReadOptions
from cdcoref.formats.format_registry import has_input_suffix, is_document, is_own_result, read_file
from cdcoref.formats.jsonl import joined_names
from cdcoref.formats.lines import STANDARD_INPUT, check_encoding
from cdcoref.formats.plain_text import loaded_pipeline
from cdlm.printing import counted

BESIDE_ANNOTATION = frozenset(
    ["annotation.conf", "visual.conf", "tools.conf", "kb_shortcuts.conf", "TypeSystem.xml", "config.xml"]
)
"""Files of a folder that are no documents, but tell annotation tools about them."""
NAMED = 3
"""Files of a folder that are left out are counted, and at most this many are named."""
FEWEST_NUMBERS = 5
"""With fewer clusters in a file, their numbers may be consecutive by chance."""
_NUMBERED = re.compile(r"(.*?)(0|[1-9][0-9]{0,14})", re.DOTALL)


@dataclass(frozen=True, slots=True)
class LoadedCorpus:
    """A corpus read from several files, whose notes report what was changed on purpose, and what could not be used."""

    corpus: Corpus
    problems: tuple[str, ...]
    """A sentence for each file or folder that could not be used."""


def read_corpus(
    paths: str | Path | Iterable[str | Path],
    options: ReadOptions | None = None,
    *,
    without: str | Path | None = None,
    names: Mapping[Path, str] | None = None,
) -> LoadedCorpus:
    """Read files, folders and standard input into one corpus.

    A text, page, PDF or Word file is one document, whose id is the file name, preceded by as much of the path as makes
    it unique. Documents in other formats keep their ids and cluster names. A file is skipped, and reported as a
    problem, if one of its documents is also in an earlier file, or if it shares a cluster name with an earlier file
    that cannot be intended.

    `paths` are files (plain or gzipped), folders (read recursively in alphabetical order, texts before other formats,
    without hidden files, lock files of Office (`~$`), files whose names end in no known format's suffix, and pages and
    tables that cdcoref wrote), or ``"-"`` for standard input. `without` is a collection that is not read, nor are
    the files that SQLite keeps beside it. `names` are the ids of files that are a document each, by default their own
    names. A file that the options refuse is a problem. Raises `InputError` if there is no such encoding, or the spaCy
    pipeline cannot be loaded.
    """
    options = options or ReadOptions()
    pipeline = options.pipeline
    if options.encoding is not None:
        check_encoding(options.encoding)
    if pipeline is not None:
        loaded_pipeline(pipeline)  # which refuses one that cannot be loaded
    left_out = set() if without is None else {f"{os.path.realpath(without)}{end}" for end in ("", "-wal", "-shm")}
    reader = _Reader(options, frozenset(left_out))
    files = list(reader.find([paths] if isinstance(paths, str | Path) else paths))
    annotated = {file.with_suffix("") for file in files if file.suffix == ".ann"}
    # With brat, the text is read with its annotation.
    files = [file for file in files if file.suffix != ".txt" or file.with_suffix("") not in annotated]
    reader.options = replace(options, several=len(files) > 1)
    if names is None:
        names = _shortest_names([path for path in files if str(path) != STANDARD_INPUT])
    for path in files:
        reader.read(path, names.get(path, "stdin"))
    corpus = reader.corpus()
    if pipeline is not None and "parser" in loaded_pipeline(pipeline).pipe_names:
        corpus = replace(corpus, documents=tuple(with_parses(corpus.documents, pipeline)))
    return LoadedCorpus(corpus, tuple(reader.problems))


class _ClusterNames:
    """The cluster names of the files read so far."""

    def __init__(self) -> None:
        # By name: the first file that has it with a kind, and the first without.
        self._kinds: dict[str, dict[bool, Path]] = {}
        self._numbered: dict[str, Path] = {}  # by prefix: the first file with consecutive numbers

    def add(self, corpus: Corpus, path: Path, *, numbers_are_shared: bool = False) -> None:
        """Add the names of another file; its numbers may be known to be shared with earlier files."""
        named = {(m.cluster, m.kind is not None) for m in corpus.mentions if m.cluster is not None}
        for name, has_kind in sorted(named):
            earlier = self._kinds.get(name, {})
            if (not has_kind) in earlier and has_kind not in earlier:
                here, there = ("a kind", "none") if has_kind else ("no kind", "a kind")
                raise InputError(
                    f"cluster {name!r} has {here} here and {there} in {earlier[not has_kind]}, so whether they are the "
                    "same cluster is unclear; give both files kinds, or rename one of the clusters",
                    path,
                )
        numbered = {} if numbers_are_shared else _numbered_alone(name for name, _ in named)
        for prefix in sorted(numbered):
            if prefix in self._numbered:
                raise InputError(
                    f"clusters are numbered consecutively from {prefix}{numbered[prefix]} both here and in "
                    f"{self._numbered[prefix]}, so equal numbers cannot be the same cluster; rename the clusters of "
                    "one file, or merge the files if the numbers are meant to be shared",
                    path,
                )
        for name, has_kind in named:
            self._kinds.setdefault(name, {}).setdefault(has_kind, path)
        for prefix in numbered:
            self._numbered[prefix] = path


def _numbered_alone(names: Iterable[str]) -> dict[str, int]:
    """The prefixes of names that are numbered consecutively from 0 or 1, and their first number."""
    numbers: dict[str, set[int]] = {}
    for name in names:
        if match := _NUMBERED.fullmatch(name):
            numbers.setdefault(match[1], set()).add(int(match[2]))
    return {
        prefix: min(found)
        for prefix, found in numbers.items()
        if len(found) >= FEWEST_NUMBERS and min(found) <= 1 and max(found) - min(found) == len(found) - 1
    }


@dataclass(slots=True)
class _Reader:
    """Collects documents, notes and problems, file by file."""

    options: ReadOptions
    left_out: frozenset[str] = frozenset()
    corpora: list[Corpus] = field(default_factory=list)
    file_of: dict[str, Path] = field(default_factory=dict)
    names: _ClusterNames = field(default_factory=_ClusterNames)
    notes: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    read_files: list[Path] = field(default_factory=list)

    def find(self, paths: Iterable[str | Path]) -> Iterator[Path]:
        """The named files, each once."""
        seen: set[object] = set()
        for path in map(Path, paths):
            for file in self._files_in(path) if os.path.isdir(path) else [path]:
                identity: object = STANDARD_INPUT
                if str(file) != STANDARD_INPUT:
                    try:
                        status = file.stat()
                    except FileNotFoundError:
                        self.problems.append(str(InputError("there is no such file or folder", file)))
                        continue
                    except (OSError, ValueError) as error:
                        reason = error.strerror if isinstance(error, OSError) else "its name contains a NUL character"
                        self.problems.append(str(InputError(f"the file cannot be read ({reason})", file)))
                        continue
                    identity = status.st_dev, status.st_ino
                if identity in seen:
                    self.notes.append(f"{shown_path(str(file))}: the file was named twice and is read once")
                else:
                    seen.add(identity)
                    yield file

    def _files_in(self, folder: Path) -> list[Path]:
        def cannot_list(error: OSError) -> None:
            self.problems.append(f"{error.filename}: the folder cannot be read ({error.strerror})")

        files: list[Path] = []
        others: list[str] = []
        before = len(self.problems)
        for parent, folders, names in os.walk(folder, onerror=cannot_list):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            visible = (Path(parent, name) for name in sorted(names) if not name.startswith((".", "~$")))
            kept = (file for file in visible if file.is_file())
            for file in kept:
                if file.name in BESIDE_ANNOTATION or file.name.endswith(".book.html"):  # BookNLP's page of its result
                    continue
                if not has_input_suffix(file):
                    others.append(os.path.relpath(file, folder))
                elif not self.left_out or os.path.realpath(file) not in self.left_out:
                    files.append(file)
        files.sort(key=lambda file: not is_document(file))  # stable
        own = [file for file in files if is_own_result(file)]
        if own:
            files = [file for file in files if file not in own]
            names = [os.path.relpath(file, folder) for file in own]
            what = "file that cdcoref wrote was", "files that cdcoref wrote were"
            self.notes.append(f"{folder}: {counted(len(own), *what)} left out ({_first_few(names)})")
        if others:
            self.notes.append(
                f"{folder}: {counted(len(others), 'file was', 'files were')} left out ({_first_few(others)}); of a "
                "folder only files with the suffix of a format, such as .txt, .html, .docx or .jsonl, are read; "
                "name others one by one"
            )
        if not files and len(self.problems) == before:
            self.problems.append(f"{folder}: the folder contains no {'such ' if others else ''}files")
        return files

    def read(self, path: Path, id: str) -> None:
        """Add one file to the corpus, or its problem to the list."""
        try:
            corpus = read_file(path, replace(self.options, id=id))
            if not self.options.with_clusters:
                corpus = replace(corpus.with_clusters(lambda _: None), names={})
            taken = [document.id for document in corpus.documents if document.id in self.file_of]
            if taken and all(document.id.isdecimal() for document in corpus.documents):
                what = f"the name of the file precedes its ids, since others, too, have a document {taken[0]!r}"
                self.notes.append(f"{shown_path(str(path))}: {what}")
                corpus = corpus.with_ids({document.id: f"{id}:{document.id}" for document in corpus.documents})
            for document in corpus.documents:
                if document.id in self.file_of:
                    other = shown_path(str(self.file_of[document.id]))
                    raise InputError(
                        f"document {document.id!r} is also in {other}, so this file was skipped; "
                        "document ids must be unique",
                        path,
                    )
            self.names.add(corpus, path, numbers_are_shared=self.options.ids == "global")
        except InputError as error:
            skipped = "; the whole file was skipped" if error.line is not None else ""
            self.problems.append(f"{error}{skipped}")
            return
        self.file_of.update((document.id, path) for document in corpus.documents)
        self.corpora.append(corpus)
        self.notes.extend(corpus.notes)
        if not corpus.documents:
            self.notes.append(f"{shown_path(str(path))}: the file has no documents")
        elif not any(document.tokens for document in corpus.documents):
            self.notes.append(f"{shown_path(str(path))}: the file has no words")
        self.read_files.append(path)

    def corpus(self) -> Corpus:
        names, doubts = joined_names(corpus.names for corpus in self.corpora)
        return Corpus(
            tuple(document for corpus in self.corpora for document in corpus.documents),
            tuple(mention for corpus in self.corpora for mention in corpus.mentions),
            (*_grouped(self.notes, self.read_files), *doubts),
            names,
            texts=frozenset().union(*(corpus.texts for corpus in self.corpora)),
        )


def _grouped(notes: Iterable[str], files: Iterable[Path]) -> Iterator[str]:
    """Notes on files; where more than `NAMED` files have the same one, it is there once, with some of their names."""
    beginnings = {f"{shown_path(str(file))}: " for file in files}
    same: dict[str, list[str]] = {}
    for note in notes:
        colons = re.finditer(": ", note)  # the sentence about the file follows one of them
        beginning = next((note[: at.end()] for at in colons if note[: at.end()] in beginnings), "")
        same.setdefault(note[len(beginning) :] if beginning else note, []).append(beginning.removesuffix(": "))
    for sentence, of in same.items():
        if len(of) > NAMED:
            yield f"{counted(len(of), 'file')} ({_first_few(of)}): {sentence}"
        else:
            yield from (f"{file}: {sentence}" if file else sentence for file in of)


def _first_few(names: Sequence[str]) -> str:
    shown = [os.fsencode(name).decode(errors="replace") for name in names[:NAMED]]
    return ", ".join([*shown, "..."] if len(names) > NAMED else shown)


def _shortest_names(paths: Iterable[Path]) -> dict[Path, str]:
    """For each file its name, preceded by as many of its folders as are needed to make it unique."""
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
    # A name that is not valid UTF-8 could not be written to an output file.
    return {path: os.fsencode(name).decode(errors="replace") for path, name in names.items()}

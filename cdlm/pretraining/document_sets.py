"""Corpora of related documents, read set by set (paper, section 2.2 and Appendix A.1). What cannot be used is counted
and skipped; whether anything usable is left is for the caller to judge."""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from typing import IO, Any

from cdlm.documents import annotated_documents
from cdlm.errors import InputError
from cdlm.extras import install_command

Texts = tuple[str, ...]
Tally = Counter[str]
"""How often something could not be used, by its description in the plural."""

HUB = "hub:"
SEPARATORS = re.compile(r"\|\|\|\|\||story_separator_special_tag")
"""Separators between the documents of a Multi-News line, in its release and in its earlier, preprocessed form."""
NEWLINE = "NEWLINE_CHAR"
"""Represents a line break in Multi-News, where a line is a set."""
ANNOTATED = re.compile(r"([a-z][a-z0-9-]+):(.+)")
ECB_SENTENCES = "ECBplus_coreference_sentences.csv"
SET_FILES = re.compile(r"\.(src|jsonl)(\.[a-z.]+)?$")
SPLIT_NAMES = {"dev": ("dev", "val", "validation"), "validation": ("validation", "val", "dev")}
GROUP_FIELDS = ("set", "subtopic", "topic")
LONGEST_LINE = 1 << 26
"""In bytes; a packed file of a few kilobytes may hold a line of gigabytes."""


SetSource = Callable[[Tally], Iterator[Texts]]
"""A corpus that has been recognised: yields the texts of one set after the other, including unusable sets, and counts
what is not text. It can be read again and again."""


def open_source(name: str | Path, split: str = "train") -> SetSource:
    """Recognise a corpus of document sets.

    It is one of: a file with one set per line and ``|||||`` between documents (Multi-News, ``*.src``); JSON lines (see
    `read_json_lines`), either of them plain or gzipped; a folder with such a file for each split; the folder of ECB+;
    ``NAME:DIR`` for another corpus that `annotated_documents` knows; a folder with one folder per set and one text file
    per document; or ``hub:NAME`` for a data set on the Hugging Face hub with a column ``document`` as in Multi-News.
    """
    if str(name).startswith(HUB):
        return _hub_source(str(name).removeprefix(HUB), split)
    path = Path(name)
    if path.is_file():
        return _file_source([path])
    if named := None if path.exists() else ANNOTATED.fullmatch(str(name)):
        return _annotated_source(named[1], Path(named[2]), split)
    if not path.is_dir():
        raise InputError("there is no such file or folder (a data set on the hub is written hub:NAME)", path)
    if (path / ECB_SENTENCES).is_file() or (path.parent / ECB_SENTENCES).is_file():
        return _annotated_source("ecb", path, split)
    files = sorted(file for file in path.iterdir() if file.is_file() and SET_FILES.search(file.name))
    if files:
        wanted = SPLIT_NAMES.get(split, (split,))
        chosen = [file for file in files if re.split(r"[._-]", file.name)[0] in wanted]
        if not chosen:
            names = ", ".join(file.name for file in files)
            raise InputError(f"the folder has no file for the split {split!r}, only {names}", path)
        return _file_source(chosen)
    folders = sorted(folder for folder in path.iterdir() if folder.is_dir() and not folder.name.startswith("."))
    if not folders:
        raise InputError("the folder has neither *.src or *.jsonl files nor a folder for each set", path)
    return partial(_read_folders, folders)


# -- one set or one document per line --------------------------------------------------------------------------------


def _file_source(files: list[Path]) -> SetSource:
    readers = [(_reader_of(file), file) for file in files]
    return lambda tally: chain.from_iterable(reader(file, tally) for reader, file in readers)


def _reader_of(file: Path) -> Callable[[Path, Tally], Iterator[Texts]]:
    """Tell Multi-News and JSON lines apart by the first line that is not blank."""
    first = next((line for _, line in _lines(file, Tally()) if line.strip()), "")
    if first.lstrip().startswith("{"):
        return read_json_lines
    if ".src" in file.name or SEPARATORS.search(first):
        return read_multi_news
    raise InputError("the file is neither JSON lines nor Multi-News: its first line has neither {...} nor |||||", file)


def read_multi_news(file: Path, tally: Tally) -> Iterator[Texts]:
    """One set per line; its documents are separated by ``|||||``."""
    for _, line in _lines(file, tally):
        yield split_documents(line)


def split_documents(text: str) -> Texts:
    """Split the text of a Multi-News set into its documents."""
    return tuple(part.replace(NEWLINE, "\n").strip() for part in SEPARATORS.split(text))


def read_json_lines(file: Path, tally: Tally) -> Iterator[Texts]:
    """JSON lines: one set or one document per line.

    A set is ``{"documents": [...]}``, each document a string or an object with ``text`` or ``tokens``; or
    ``{"document": "... ||||| ..."}``, as in Multi-News on the hub. If a line is a document (``text`` or ``tokens``),
    consecutive lines with the same ``set``, otherwise ``subtopic``, otherwise ``topic`` form a set.
    """
    for _, group in groupby(_json_rows(file, tally), key=itemgetter(0)):
        yield tuple(text for _, texts in group for text in texts)


def _json_rows(file: Path, tally: Tally) -> Iterator[tuple[str | int, Texts]]:
    """The texts of each line and the set to which they belong: a name, or the line's own number."""
    for number, line in _lines(file, tally):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (json.JSONDecodeError, RecursionError):
            row = None
        if not isinstance(row, dict):
            tally["lines that are not JSON objects"] += 1
        elif (texts := _texts_of_set(row, tally)) is not None:
            yield number, texts
        elif (text := _text(row)) is not None:
            yield next((str(row[name]) for name in GROUP_FIELDS if row.get(name) is not None), number), (text,)
        else:
            tally["lines without documents or text"] += 1


def _texts_of_set(row: dict[str, Any], tally: Tally) -> Texts | None:
    """The documents of a row that is a set, or None if it is not."""
    if isinstance(row.get("documents"), list):
        texts = [_text(document) for document in row["documents"]]
        tally["documents without text"] += texts.count(None)
        return tuple(text for text in texts if text is not None)
    return split_documents(row["document"]) if isinstance(row.get("document"), str) else None


def _text(document: Any) -> str | None:
    if isinstance(document, dict):
        tokens = document.get("tokens")
        if isinstance(tokens, list) and all(isinstance(token, str) for token in tokens):
            return " ".join(tokens)
        document = document.get("text")
    return document if isinstance(document, str) else None


def _lines(file: Path, tally: Tally) -> Iterator[tuple[int, str]]:
    """Numbered lines (from 1) of a file, gzipped or not."""
    try:
        with _open(file) as stream:
            for number, line in enumerate(iter(lambda: stream.readline(LONGEST_LINE + 1), b""), start=1):
                if len(line) > LONGEST_LINE:
                    raise InputError(f"the line is longer than {LONGEST_LINE >> 20} MB; split the set", file, number)
                try:
                    yield number, line.decode("utf-8-sig" if number == 1 else "utf-8")
                except UnicodeDecodeError:
                    tally["lines that are not UTF-8 text"] += 1
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise InputError("the gzip data is corrupt or truncated; get the file again", file) from error
    except OSError as error:
        raise InputError(f"the file cannot be read ({error.strerror})", file) from error


def _open(file: Path) -> IO[bytes]:
    stream = file.open("rb")
    compressed = stream.read(2) == b"\x1f\x8b"
    stream.seek(0)
    return gzip.open(stream) if compressed else stream  # type: ignore[return-value]


# -- folders, annotated corpora and the hub ----------------------------------------------------------------------------


def _documents(folder: Path) -> list[Path]:
    return sorted(file for file in folder.rglob("*") if file.is_file() and not file.name.startswith("."))


def _read_folders(folders: list[Path], tally: Tally) -> Iterator[Texts]:
    for folder in folders:
        texts = []
        for file in _documents(folder):
            try:
                text = file.read_text(encoding="utf-8-sig")
            except UnicodeDecodeError:
                text = "\0"
            except OSError as error:
                raise InputError(f"the file cannot be read ({error.strerror})", file) from error
            if "\0" in text:
                tally["files that are not UTF-8 text"] += 1
            else:
                texts.append(text)
        yield tuple(texts)


def _annotated_source(corpus: str, folder: Path, split: str) -> SetSource:
    @cache
    def sets() -> list[Texts]:
        groups: dict[str, list[str]] = {}
        for document in annotated_documents(corpus, folder, split):
            groups.setdefault(document.group, []).append(" ".join(document.words))
        return [tuple(texts) for texts in groups.values()]

    return lambda _: iter(sets())


def _hub_source(name: str, split: str) -> SetSource:
    try:
        from datasets import load_dataset
        from datasets.exceptions import DatasetNotFoundError
    except ImportError as error:
        raise InputError(
            f"data sets on the hub need the datasets package; install it with: {install_command('hub')}"
        ) from error
    try:
        try:
            rows = load_dataset(name, split=split)
        except RuntimeError:
            # Multi-News is a loading script, which the library no longer runs; the hub stores its rows as Parquet.
            rows = load_dataset(name, split=split, revision="refs/convert/parquet")
    except (OSError, ValueError, RuntimeError, DatasetNotFoundError) as error:
        first_line = str(error).strip().split("\n")[0]
        raise InputError(f"the hub has no split {split!r} of a data set of this name ({first_line})", name) from error
    if "document" not in rows.column_names and "documents" not in rows.column_names:
        raise InputError(f"the data set has no column 'document', only {', '.join(rows.column_names)}", name)

    return lambda tally: (_texts_of_set(row, tally) or () for row in rows)

"""The one list of formats: which one a file is in, by its content, and what is read from it or written to it.

To add a format, write a module beside this one that ends in a `Format`, and put it into `FORMATS`.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from cdcoref.corpus import Corpus
from cdcoref.errors import InputError
from cdcoref.formats.conll import CONLL
from cdcoref.formats.corefud import COREFUD
from cdcoref.formats.docbin import DOCBIN
from cdcoref.formats.format import Format, ReadOptions
from cdcoref.formats.input_file import STANDARD_INPUT, readable_twice
from cdcoref.formats.jsonl import JSONL
from cdcoref.formats.lines import first_bytes
from cdcoref.formats.mention_table import MentionTable
from cdcoref.formats.text import TEXT

FORMATS: tuple[Format, ...] = (CONLL, COREFUD, JSONL, DOCBIN, TEXT)


def format_of(path: str | Path) -> Format:
    """The format of a file, plain or gzipped: by its content, else by its name, else plain text.

    Raises
    ------
    InputError
        If the file cannot be read, or is neither text nor compressed with gzip.
    """
    start = first_bytes(path)
    suffix = _suffix(path)
    recognised = (format for format in FORMATS if format.recognise(start))
    named = (format for format in FORMATS if suffix in format.suffixes)
    return next(recognised, None) or next(named, TEXT)


def read_file(
    path: str | Path, options: ReadOptions | None = None, *, standard_input: BinaryIO | None = None
) -> Corpus:
    """Read one file of any format.

    Parameters
    ----------
    path
        The file, plain or gzipped, or ``"-"`` for standard input.
    options
        What files of some formats leave open.
    standard_input
        What ``"-"`` reads; the process's own by default.

    Raises
    ------
    InputError
        If the file cannot be read or is damaged; the message says the line.
    """
    options = options or ReadOptions()
    if options.id is None:
        options = replace(options, id="stdin" if str(path) == STANDARD_INPUT else Path(path).name)
    with readable_twice(path, standard_input) as file:
        corpus = format_of(file).read(file, options)
    if file == Path(path):
        return corpus
    documents = (replace(d, path=str(path)) if d.path == str(file) else d for d in corpus.documents)
    notes = (note.replace(str(file), str(path), 1) for note in corpus.notes)
    return replace(corpus, documents=tuple(documents), notes=tuple(notes))


def read_mention_table(path: str | Path) -> MentionTable:
    """Read the mentions of a file of any format that says coreference, for scoring.

    Raises
    ------
    InputError
        If the file is in none of these formats, is damaged, or has no documents.
    """
    with readable_twice(path) as file:
        format = format_of(file)
        empty = not first_bytes(file).strip()
        if format.read_table is None and not empty:
            known = [format.name for format in FORMATS if format.read_table is not None]
            raise InputError(f"no format that says coreference was recognised; known are {', '.join(known)}", file)
        table = MentionTable(str(file)) if format.read_table is None else format.read_table(file)
        if not table.documents:
            raise InputError("the file is empty" if empty else "the file has no document", file)
    table.path = str(path)
    return table


def output_suffixes() -> tuple[str, ...]:
    """What the names of files that are written may end in, before ``.gz``."""
    return tuple(format.suffixes[0] for format in FORMATS if format.write is not None)


def output_format(path: str | Path, layout: str | None = None) -> Format:
    """The format in which a file of that name is written, to be asked before long work.

    Raises
    ------
    InputError
        If the name's ending is that of no format that is written, or the format has no such layout.
    """
    suffix = _suffix(path)
    written = {format.suffixes[0]: format for format in FORMATS if format.write is not None}
    if suffix not in written:
        *most, last = output_suffixes()
        raise InputError(f"the name must end in {', '.join(most)} or {last}, or one of these and .gz", path)
    format = written[suffix]
    if layout is not None and layout not in format.layouts:
        known = f"it has {' and '.join(format.layouts)}" if format.layouts else "choose none"
        raise InputError(f"{format.name} has no layout {layout!r}; {known}", path)
    return format


def write_corpus(corpus: Corpus, path: str | Path, *, layout: str | None = None) -> tuple[str, ...]:
    """Write a corpus in the format that the file's name ends in.

    Parameters
    ----------
    corpus
        Documents and mentions.
    path
        ``.conll``, ``.conllu``, ``.jsonl`` or ``.spacy``, or one of these and ``.gz``.
    layout
        The layout, for a format that has several (`cdcoref.formats.Layout` for CoNLL); None for the default one.

    Returns
    -------
    tuple
        One sentence for whatever had to be changed or left out, since the format cannot say it.

    Raises
    ------
    InputError
        If the name ends in something else, the format cannot say something in the corpus that cannot be left out, or
        the file cannot be written; what stood there before is then still there.
    """
    format = output_format(path, layout)
    assert format.write is not None
    return format.write(corpus, Path(path), layout)


def _suffix(path: str | Path) -> str:
    return Path(Path(path).name.removesuffix(".gz")).suffix.lower()

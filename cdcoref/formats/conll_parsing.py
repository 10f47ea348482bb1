"""The CoNLL coreference formats, parsed chunk by chunk: bytes in, a `MentionTable` out.

`(7` begins a mention of cluster 7, `7)` ends the one that began last, `(7)` is a mention of one token; within a line,
whole mentions come first, then beginnings, then ends, as in the reference scorer. For speed, only lines whose last
column is not empty are parsed in Python.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from cdcoref.errors import InputError
from cdcoref.formats.lines import line_chunks
from cdcoref.formats.mention_table import (
    DocumentKey,
    DocumentRow,
    IdScope,
    Ints,
    MentionTable,
    MentionTableBuilder,
    column_to_key,
    unescape,
)

LONGEST_LINE = 1 << 24
"""The longest line accepted, in bytes; real lines have some hundreds."""

COLUMNS = 8
"""The number of columns in the cross-document layout; the first three identify the document."""

GLOBAL_IDS = "# cluster ids: global"
"""The comment before the first block of a file whose cluster ids mean the same cluster in every block."""

_GLOBAL_IDS = re.compile(rb"#\s*cluster ids:\s*global\s*")
_BEGIN = re.compile(rb"#\s*begin document\b\s*(.*)")
_END = re.compile(rb"#\s*end document\b")
_NAME_AND_PART = re.compile(r"\((.*)\)\s*;?\s*(?:part\s+([0-9]+))?")
_BRACKETS = re.compile(rb"(\()?([^()|\s]+)(\))?|\|")
_SPACES = np.frombuffer(b"\t\n\v\f\r ", np.uint8)


class Lines(NamedTuple):
    """Consecutive token lines of one document in one chunk."""

    document: int
    """The index of the document in the file, from 0."""
    cross_document: bool
    chunk: bytes
    starts: Ints
    stops: Ints
    """The byte range of each line in the chunk, without the newline. *Shape:* (lines,)"""
    blanks: Ints
    """The number of blank lines in the file before each line. *Shape:* (lines,)"""


class Cell(NamedTuple):
    """The content of a coreference cell: cluster numbers, in the order of the cell."""

    whole: tuple[int, ...]
    begins: tuple[int, ...]
    ends: tuple[int, ...]


OnLines = Callable[[Lines], None]


def begins_with_a_document(start: bytes) -> bool:
    """Whether the first line of a file that is not a comment is a `#begin document` line."""
    for line in start.split(b"\n"):
        text = line.strip()
        if _BEGIN.match(text):
            return True
        if text and not text.startswith(b"#"):
            return False
    return False


def read_conll_table(path: str | Path, on_lines: OnLines | None = None, *, ids: IdScope | None = None) -> MentionTable:
    """Read the mentions of a CoNLL file, plain or gzipped; `ids` as in :func:`cdcoref.formats.read_conll`."""
    parser = _Parser(str(path), on_lines, ids)
    for number, chunk in line_chunks(path, LONGEST_LINE):
        parser.feed(number, chunk)
    return parser.finish()


@dataclass(frozen=True, slots=True)
class _Chunk:
    """A chunk split into lines, without trailing white space.

    `rows` are the token lines, `coreferent` the indices into them of those whose last column is not empty, `specials`
    the lines that begin with '#'.
    """

    data: bytes
    characters: NDArray[np.uint8]
    first_number: int
    starts: Ints
    stops: Ints
    blanks_before: Ints
    rows: Ints
    coreferent: list[int]
    coreferent_lines: list[tuple[int, int, int]]
    specials: Ints

    @classmethod
    def cut(cls, first_number: int, data: bytes) -> _Chunk:
        characters = np.frombuffer(data, np.uint8)
        ends = np.flatnonzero(characters == ord("\n"))
        starts = np.concatenate(([0], ends[:-1] + 1))
        stops = _stripped(characters, data, starts, ends)
        blank = stops == starts
        special = (characters[starts] == ord("#")) & ~blank
        rows = np.flatnonzero(~(blank | special))
        last, before = characters[stops[rows] - 1], characters[stops[rows] - 2]
        empty = ((last == ord("-")) | (last == ord("_"))) & ((before == ord("\t")) | (before == ord(" ")))
        coreferent = np.flatnonzero(~empty | (stops[rows] - starts[rows] == 1))
        lines = rows[coreferent]
        return cls(
            data,
            characters,
            first_number,
            starts,
            stops,
            np.cumsum(blank),
            rows,
            coreferent.tolist(),
            list(zip(lines.tolist(), starts[lines].tolist(), stops[lines].tolist(), strict=True)),
            np.flatnonzero(special),
        )

    def text(self, line: int) -> bytes:
        return self.data[self.starts[line] : self.stops[line]]


def _stripped(characters: NDArray[np.uint8], data: bytes, starts: Ints, ends: Ints) -> Ints:
    """The ends of the lines without trailing white space."""
    stops = ends.copy()
    for _ in range(3):
        white = (stops > starts) & np.isin(characters[stops - 1], _SPACES)
        if not white.any():
            return stops
        stops -= white
    for line in np.flatnonzero((stops > starts) & np.isin(characters[stops - 1], _SPACES)).tolist():
        stops[line] = starts[line] + len(data[starts[line] : stops[line]].rstrip())
    return stops


class _Parser:
    def __init__(self, path: str, on_lines: OnLines | None, ids: IdScope | None) -> None:
        self._path = path
        self._stated = ids
        self._global = ids == "global"
        self._ids_of = 0  # the first of the documents that share cluster ids with the current one
        self._on_lines = on_lines
        self._builder = MentionTableBuilder(path)
        self._cells: dict[bytes, Cell] = {}
        self._open: dict[int, list[tuple[int, int, int]]] = {}  # by cluster: (token, order, line) of open mentions
        self._order = 0
        self._blanks = 0
        self._line = 0
        self._block: tuple[bytes, int] | None = None  # the text after "#begin document", and its line
        self._document: DocumentRow | None = None
        self._prefix: bytes | None = None  # first three columns of the current document
        self._cross_document: bool | None = None  # the layout, once a token line has shown it

    def feed(self, number: int, data: bytes) -> None:
        """Parse whole lines; `number` is that of the first."""
        chunk = _Chunk.cut(number, data)
        begin = 0
        cuts = np.searchsorted(chunk.rows, chunk.specials).tolist()
        for special, end in zip(chunk.specials.tolist(), cuts, strict=True):
            if end > begin:
                self._rows(chunk, begin, end)
            self._special(chunk.text(special), number + special)
            begin = end
        if begin < len(chunk.rows):
            self._rows(chunk, begin, len(chunk.rows))
        self._blanks += int(chunk.blanks_before[-1])
        self._line = number + len(chunk.starts) - 1

    def finish(self) -> MentionTable:
        """The table, at the end of the file."""
        if self._block is not None:
            self._fail(
                f"the file ends without '#end document' for the document that begins on line {self._block[1]}; it may "
                "be truncated",
                self._line,
            )
        table = self._builder.finish(as_in_file=True)
        if len(table.documents) > 1:
            rows = table.documents.values()
            table.local_clusters = not self._global and [row.ids_of for row in rows] == list(range(len(rows)))
            table.ids = "local" if not self._global and any(row.ids_of for row in rows) else "global"
        return table

    def _fail(self, message: str, line: int) -> NoReturn:
        raise InputError(message, self._path, line)

    def _special(self, text: bytes, line: int) -> None:
        """Parse a line that begins with '#': the beginning or end of a block, or a comment."""
        if begin := _BEGIN.match(text):
            if self._block is not None:
                self._fail(
                    f"a document begins before the document of line {self._block[1]} ends; '#end document' is missing",
                    line,
                )
            self._block = begin[1], line
            self._begin_ids()
            self._prefix = None
            if self._cross_document is False:
                self._begin_block(line)
        elif _END.match(text):
            if self._block is None:
                self._fail("'#end document' without '#begin document' before it", line)
            if self._cross_document is None:
                # No token line has shown the layout: an empty document can only be of the first one.
                self._begin_block(self._block[1])
            self._end_document()
            self._block = None
        elif self._stated is None and _GLOBAL_IDS.fullmatch(text) and not self._builder.table.documents:
            self._global = self._block is None

    def _begin_ids(self) -> None:
        """Begin a part of the file in which cluster ids are new, unless they are global."""
        if not self._global:
            self._ids_of = len(self._builder.table.documents)
            self._cells.clear()

    def _begin_block(self, line: int) -> None:
        assert self._block is not None
        text = self._block[0].decode()
        match = _NAME_AND_PART.fullmatch(text)
        name, part = (match[1], match[2] or "0") if match else (text, "0")
        key = DocumentKey(unescape(name) if name.strip() else "", part.lstrip("0") or "0")
        if not key.name:  # the file's; a further block without a name is a further part
            unnamed = [other.part for other in self._builder.table.documents if not other.name]
            if key.part in unnamed:
                key = DocumentKey("", str(max(map(int, unnamed)) + 1))
        self._begin(key, DocumentRow(line=line))

    def _begin_prefix(self, prefix: bytes, line: int) -> None:
        if self._document is not None:
            self._end_document()
        if self._stated == "local":
            self._begin_ids()
        columns = prefix.decode().split("\t")
        topic, subtopic = (None if column == "-" else unescape(column) for column in columns[:2])
        key = column_to_key(columns[2])
        earlier = self._builder.table.documents.get(key)
        if earlier is not None and (earlier.topic, earlier.subtopic) != (topic, subtopic):
            key = DocumentKey("/".join(map(unescape, columns)))  # one name in two topics is two documents
        self._begin(key, DocumentRow(topic, subtopic, line=line))
        self._prefix = prefix

    def _begin(self, key: DocumentKey, row: DocumentRow) -> None:
        row.ids_of = None if self._global else self._ids_of
        self._builder.begin_document(key, row)
        self._document = row

    def _end_document(self) -> None:
        if any(self._open.values()):
            _, _, line = min(stack[0] for stack in self._open.values() if stack)
            self._fail("the mention that begins here does not end in its document; close its bracket", line)
        self._open.clear()
        self._document = None

    def _rows(self, chunk: _Chunk, begin: int, end: int) -> None:
        """Parse the token lines from `begin` to `end` in `chunk.rows`, with no special line between them."""
        first = int(chunk.rows[begin])
        if self._block is None:
            self._fail(
                "the token line is outside any document; '#begin document' is missing", chunk.first_number + first
            )
        if self._cross_document is None:
            # There, sentence and token numbers stand where CoNLL-2012 has a word and its part of speech.
            columns = chunk.text(first).split(b"\t")
            self._cross_document = len(columns) == COLUMNS and columns[3].isdigit() and columns[4].isdigit()
            if not self._cross_document:
                self._begin_block(self._block[1])
        borders = self._borders(chunk, begin, end) if self._cross_document else [(begin, None)]
        for (start, prefix), (stop, _) in zip(borders, [*borders[1:], (end, None)], strict=True):
            if prefix is not None:
                self._begin_prefix(prefix, chunk.first_number + int(chunk.rows[start]))
            self._document_rows(chunk, start, stop)

    def _document_rows(self, chunk: _Chunk, begin: int, end: int) -> None:
        """Parse token lines of the current document."""
        assert self._document is not None
        offset = self._document.tokens - begin
        data, cells, coreferent = chunk.data, self._cells, chunk.coreferent
        for index in range(bisect_left(coreferent, begin), bisect_left(coreferent, end)):
            line, start, stop = chunk.coreferent_lines[index]
            number = chunk.first_number + line
            column = max(data.rfind(b"\t", start, stop), data.rfind(b" ", start, stop)) + 1
            if column == 0:
                self._fail(
                    "the line has only one column; the last column must be coreference, '-' if there is none", number
                )
            text = data[column:stop]
            cell = cells.get(text)
            if cell is None:
                cell = cells[text] = self._parse(text, number)
            self._take(cell, coreferent[index] + offset, number)
        self._document.tokens += end - begin
        if self._on_lines is not None:
            of = chunk.rows[begin:end]
            self._on_lines(
                Lines(
                    len(self._builder.table.documents) - 1,
                    bool(self._cross_document),
                    chunk.data,
                    chunk.starts[of],
                    chunk.stops[of],
                    chunk.blanks_before[of] + self._blanks,
                )
            )

    def _take(self, cell: Cell, token: int, line: int) -> None:
        for cluster in cell.whole:
            self._builder.add(token, token + 1, cluster, self._order)
            self._order += 1
        for cluster in cell.begins:
            self._open.setdefault(cluster, []).append((token, self._order, line))
            self._order += 1
        for cluster in cell.ends:
            stack = self._open.get(cluster)
            if not stack:
                name = self._builder.table.names[cluster]
                self._fail(f"a mention of cluster {name[:60]} ends here but does not begin; open its bracket", line)
            start, order, _ = stack.pop()
            self._builder.add(start, token + 1, cluster, order)

    def _parse(self, text: bytes, line: int) -> Cell:
        whole: list[int] = []
        begins: list[int] = []
        ends: list[int] = []
        at = 0
        while at < len(text):
            match = _BRACKETS.match(text, at)
            if match is None:
                self._fail(_not_brackets(text), line)
            at = match.end()
            opens, name, closes = match.groups()
            if name is None or (name in (b"-", b"_") and not (opens or closes)):
                continue
            if not (opens or closes):
                if not name.isdigit():
                    self._fail(_not_brackets(text), line)
                continue
            cluster = self._builder.cluster((self._ids_of, name), name.decode())
            (whole if opens and closes else begins if opens else ends).append(cluster)
        return Cell(tuple(whole), tuple(begins), tuple(ends))

    def _borders(self, chunk: _Chunk, begin: int, end: int) -> list[tuple[int, bytes | None]]:
        """Indices into `chunk.rows` where a document begins, with its first three columns; None if it continues."""
        rows = chunk.rows[begin:end]
        starts, stops = chunk.starts[rows], chunk.stops[rows]
        tabs = np.flatnonzero(chunk.characters == ord("\t"))
        first_tab = np.searchsorted(tabs, starts)
        wrong = np.flatnonzero(np.searchsorted(tabs, stops) - first_tab != COLUMNS - 1)
        if len(wrong):
            self._fail(
                f"the line does not have {COLUMNS} tab-separated columns, unlike the first token line",
                chunk.first_number + int(rows[wrong[0]]),
            )
        lengths = tabs[first_tab + 2] - starts
        borders: list[tuple[int, bytes | None]] = []
        for at in _changes(chunk.characters, starts, lengths):
            prefix = chunk.data[starts[at] : starts[at] + lengths[at]]
            borders.append((begin + at, None if at == 0 and prefix == self._prefix else prefix))
        return borders


def _changes(characters: NDArray[np.uint8], starts: Ints, lengths: Ints) -> list[int]:
    """Indices of lines whose first `lengths` bytes differ from those of the line before, and 0."""
    differs = np.ones(len(starts), bool)
    runs = np.flatnonzero(np.concatenate(([True], lengths[1:] != lengths[:-1], [True])))
    for run, end in zip(runs[:-1].tolist(), runs[1:].tolist(), strict=True):
        if end - run > 1:
            windows = np.lib.stride_tricks.sliding_window_view(characters, int(lengths[run]))[starts[run:end]]
            differs[run + 1 : end] = (windows[1:] != windows[:-1]).any(1)
    return np.flatnonzero(differs).tolist()


def _not_brackets(text: bytes) -> str:
    shown = text[:40].decode(errors="replace")
    return f"the last column is {shown!r}, but coreference is '-' or brackets such as '(3)', '(3|(5)' and '3)'"

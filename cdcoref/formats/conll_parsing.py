"""The CoNLL coreference formats, parsed line by line: bytes in, a `MentionTable` out. `(7` begins a mention of cluster
7, `7)` ends the one that began last, `(7)` is a mention of one token; within a line, whole mentions come first, then
beginnings, then ends, as in the reference scorer."""

import re
from pathlib import Path
from typing import NoReturn

from cdcoref.errors import InputError
from cdcoref.formats.lines import line_chunks
from cdcoref.formats.mention_table import (
    DocumentKey,
    DocumentRow,
    IdScope,
    MentionTable,
    MentionTableBuilder,
    column_to_key,
    unescape,
)

COLUMNS = 8
"""The number of columns in the cross-document layout; the first three identify the document."""
GLOBAL_IDS = "# cluster ids: global"
"""The comment before the first block of a file whose cluster ids mean the same cluster in every block."""
_GLOBAL_IDS = re.compile(rb"#\s*cluster ids:\s*global\s*")
_BEGIN = re.compile(rb"#\s*begin document\b\s*(.*)")
_END = re.compile(rb"#\s*end document\b")
_NAME_AND_PART = re.compile(r"\((.*)\)\s*;?\s*(?:part\s+([0-9]+))?")
_BRACKETS = re.compile(rb"(\()?([^()|\s]+)(\))?|\|")

Lines = dict[int, list[tuple[int, bytes]]]
"""By the index of a document, its token lines, each with the number of blank lines in the file before it."""


Cell = tuple[list[int], list[int], list[int]]
"""A coreference cell: the numbers of clusters, in its order, of whole mentions, of those that begin, that end."""


def begins_with_a_document(start: bytes) -> bool:
    """Whether the first line of a file that is not a comment is a `#begin document` line."""
    for line in start.split(b"\n"):
        text = line.strip()
        if _BEGIN.match(text):
            return True
        if text and not text.startswith(b"#"):
            return False
    return False


def is_cross_document(line: bytes) -> bool:
    """Whether a token line has the cross-document layout, with numbers where CoNLL-2012 has a word and its tag."""
    columns = line.split(b"\t")
    return len(columns) == COLUMNS and columns[3].isdigit() and columns[4].isdigit()


def read_conll_table(path: str | Path, lines: Lines | None = None, *, ids: IdScope | None = None) -> MentionTable:
    """Read the mentions; `ids` as in :func:`cdcoref.formats.read_conll`. `lines` gets the token lines of documents."""
    parser = _Parser(str(path), lines, ids)
    for first, chunk in line_chunks(path):
        for number, line in enumerate(chunk.split(b"\n")[:-1], first):
            no_mention = line.startswith(parser.prefix) and line.endswith(b"\t-") and line.count(b"\t") == COLUMNS - 1
            if no_mention and lines is None and parser.document is not None:  # for speed, only counted
                parser.document.tokens += 1
            else:
                parser.read(line.rstrip(), number)
    return parser.finish()


class _Parser:
    def __init__(self, path: str, lines: Lines | None, ids: IdScope | None) -> None:
        self._path = path
        self._stated = ids
        self._global = ids == "global"
        self._ids_of = 0  # the first of the documents that share cluster ids with the current one
        self._lines = lines
        self._builder = MentionTableBuilder(path)
        self._cells: dict[bytes, Cell] = {}
        self._open: dict[int, list[tuple[int, int, int]]] = {}  # by cluster: (token, order, line) of open mentions
        self._order = 0
        self._blanks = 0
        self._line = 0
        self._block: tuple[bytes, int] | None = None  # the text after "#begin document", and its line
        self._has_blocks = True  # whether documents begin with such a line; else with -DOCSTART-, or with the file
        self.document: DocumentRow | None = None
        self.prefix = b"\n"  # the first three columns of the current document; no line begins so
        self._cross_document: bool | None = None  # the layout, once a token line has shown it

    def read(self, line: bytes, number: int) -> None:
        """Parse a line without white space at its end."""
        self._line = number
        if not line:
            self._blanks += 1
        elif line[:1] == b"#" or line.startswith(b"-DOCSTART-"):
            self._special(line, number)
        else:
            self._token(line, number)

    def finish(self) -> MentionTable:
        if self._block is not None and self._has_blocks:
            self._fail(
                f"the file ends without '#end document' for the document that begins on line {self._block[1]}; it may "
                "be truncated",
                self._line,
            )
        if self._block is not None:
            self._end_document()
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
            self.prefix = b"\n"
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
        elif text.startswith(b"-DOCSTART-"):
            if self.document is not None:
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

    def _begin_prefix(self, line: bytes, number: int) -> None:
        if self.document is not None:
            self._end_document()
        if self._stated == "local":
            self._begin_ids()
        first = line.split(b"\t")[:3]
        columns = [column.decode() for column in first]
        topic, subtopic = (None if column == "-" else unescape(column) for column in columns[:2])
        key = column_to_key(columns[2])
        earlier = self._builder.table.documents.get(key)
        if earlier is not None and (earlier.topic, earlier.subtopic) != (topic, subtopic):
            key = DocumentKey("/".join(map(unescape, columns)))  # one name in two topics is two documents
        self._begin(key, DocumentRow(topic, subtopic, line=number))
        self.prefix = b"\t".join((*first, b""))

    def _begin(self, key: DocumentKey, row: DocumentRow) -> None:
        row.ids_of = None if self._global else self._ids_of
        self._builder.begin_document(key, row)
        self.document = row

    def _end_document(self) -> None:
        if any(self._open.values()):
            _, _, line = min(stack[0] for stack in self._open.values() if stack)
            self._fail("the mention that begins here does not end in its document; close its bracket", line)
        self._open.clear()
        self.document = None

    def _token(self, line: bytes, number: int) -> None:
        if self._block is None and self._has_blocks and self._builder.table.documents:
            self._fail("the token line is outside any document; '#begin document' is missing", number)
        if self._block is None:
            self._has_blocks = False
            self._block = b"", number
            self._begin_ids()
            if self._cross_document is False:
                self._begin_block(number)
        if self._cross_document is None:
            self._cross_document = is_cross_document(line)
            if not self._cross_document:
                self._begin_block(self._block[1])
        if self._cross_document:
            if line.count(b"\t") != COLUMNS - 1:
                self._fail(
                    f"the line does not have {COLUMNS} tab-separated columns, unlike the first token line", number
                )
            if not line.startswith(self.prefix):
                self._begin_prefix(line, number)
        assert self.document is not None
        place = max(line.rfind(b"\t"), line.rfind(b" ")) + 1
        if place == 0:
            self._fail(
                "the line has only one column; the last column must be coreference, '-' if there is none", number
            )
        text = line[place:]
        if text != b"-":
            self._take(text, self.document.tokens, number)
        if self._lines is not None:
            self._lines.setdefault(len(self._builder.table.documents) - 1, []).append((self._blanks, line))
        self.document.tokens += 1

    def _take(self, text: bytes, token: int, line: int) -> None:
        cell = self._cells.get(text)
        if cell is None:
            cell = self._cells[text] = self._parse(text, line)
        whole, begins, ends = cell
        for cluster in whole:
            self._builder.add(token, token + 1, cluster, self._order)
            self._order += 1
        for cluster in begins:
            self._open.setdefault(cluster, []).append((token, self._order, line))
            self._order += 1
        for cluster in ends:
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
        return whole, begins, ends


def _not_brackets(text: bytes) -> str:
    shown = text[:40].decode(errors="replace")
    return f"the last column is {shown!r}, but coreference is '-' or brackets such as '(3)', '(3|(5)' and '3)'"

"""Tables in, CSV and Excel: a document per row, whose other columns are its metadata; BookNLP's tables."""

import csv
import io
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from cdcoref.corpus import ENTITY, EVENT, Corpus, Document, Mention
from cdcoref.errors import InputError, first_line
from cdcoref.formats.format import Format, ReadOptions, table_reader
from cdcoref.formats.lines import first_bytes, whole_file
from cdcoref.formats.metadata import is_day_first, plain_value, stated_date, usual_fields, with_stated
from cdcoref.formats.plain_text import text_content, tokenise_text
from cdcoref.language import day_in
from cdlm.extras import optional_module
from cdlm.packed import DAMAGE, unpacked_zip
from cdlm.printing import counted

LONGEST_CELL = 1 << 26
"""Characters in a cell of CSV."""
_OWN_COLUMNS = (
    {"cluster", "kind", "text", "document", "cluster_mentions", "cluster_documents"},
    {"kind", "relation", "probability", "one_cluster", "first_document", "second_document"},
)
"""Columns of the tables that cdcoref writes: of mentions, and of pairs."""
_DELIMITERS = ",;\t|"
_EXCEL_DELIMITER = re.compile(r"\Asep=.\r?\n")
"""A first line for Excel alone; the header shows the delimiter too."""
_EXCEL = re.compile(rb"(?=PK\x03\x04).*PK\x03\x04.{26}xl/", re.DOTALL)
_SHOWN = 8
"""Columns that a message names."""


def read_csv(path: Path, options: ReadOptions) -> Corpus:
    """Read a CSV file with a header, whose cells commas, semicolons, tabs or bars separate."""
    text = _EXCEL_DELIMITER.sub("\n", text_content(path, options.encoding).decode())
    table = text.lstrip("\r\n")
    header = table.partition("\n")[0]
    delimiter = max(_DELIMITERS, key=header.count)
    try:
        names, entries = _rows(text, delimiter, csv.QUOTE_MINIMAL, path)
    except _QuotingError:
        if delimiter != "\t":
            raise
        names, entries = _rows(text, delimiter, csv.QUOTE_NONE, path)  # as many programs write tabs
    return _documents(names, entries, path, options, header=1 + text.count("\n", 0, len(text) - len(table)))


class _QuotingError(InputError):
    """A row whose quotation marks cannot be understood."""


def _rows(
    text: str, delimiter: str, quoting: Literal[0, 3], path: str | Path
) -> tuple[list[str], list[tuple[int, dict[str, str]]]]:
    """The names of the columns of CSV, and its rows that are not empty, each with the line on which it ends."""
    limit = csv.field_size_limit(LONGEST_CELL)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, quoting=quoting, strict=True)
    entries = []
    line = 0
    try:
        names = next(filter(None, rows), [])
        line = rows.line_num
        for row in rows:
            if any(row[len(names) :]):
                raise InputError(
                    f"the row has {len(row)} cells and the header {counted(len(names), 'column')}; name every column, "
                    f"and put quotation marks around a text that contains {delimiter!r}",
                    path,
                    line + 1,
                )
            line = rows.line_num
            if any(row):
                entries.append((line, dict(zip(names, row, strict=False))))
    except csv.Error as error:
        message = f"the row cannot be read ({first_line(error)}); a quotation mark in a quoted cell must be doubled"
        raise _QuotingError(message, path, line + 1) from error
    finally:
        csv.field_size_limit(limit)
    return names, entries


def read_excel(path: Path, options: ReadOptions) -> Corpus:
    """Read the first sheet of an Excel workbook that has cells."""
    openpyxl = optional_module("openpyxl", "reading Excel workbooks", "openpyxl", path)
    try:
        workbook = openpyxl.load_workbook(unpacked_zip(whole_file(path), path), read_only=True, data_only=True)
        sheets = ([row for row in sheet.iter_rows(values_only=True) if any(row)] for sheet in workbook.worksheets)
        rows = next(filter(None, sheets), [()])
    except (openpyxl.utils.exceptions.InvalidFileException, *DAMAGE) as error:
        raise InputError(f"the Excel workbook cannot be read ({first_line(error)}); save it as .csv", path) from error
    names = ["" if name is None else str(name) for name in rows[0]]
    entries = [(number, dict(zip(names, row, strict=False))) for number, row in enumerate(rows[1:], start=2)]
    return _documents(names, entries, path, options, header=1)


def _documents(
    names: Sequence[str],
    entries: Sequence[tuple[int, Mapping[str, Any]]],
    path: Path,
    options: ReadOptions,
    header: int | None = None,
) -> Corpus:
    """The documents of a table; entries are the rows with their numbers, `header` is the line of the names if any."""
    ours = _renamed(names, path, options.columns or {})
    for name, count in Counter(ours[name] for name in names if ours[name]).items():
        if count > 1:
            raise InputError(f"{count} columns are named {name!r}; give each column a name of its own", path, header)
    documents: list[Document] = []
    row_of: dict[str, int] = {}
    empty = 0
    undated: list[Any] = []
    day_first = is_day_first(entry.get(name) for name in names if ours[name] == "date" for _, entry in entries)
    for place, (number, entry) in enumerate(entries, start=1):
        values = ((ours[name], plain_value(value)) for name, value in entry.items() if ours[name])
        stated = {name: value for name, value in values if value not in (None, "")}
        text = stated.pop("text", None)
        if not isinstance(text, str) or not text.strip():
            empty += 1
            continue
        id = str(stated.pop("id", f"{options.id or path.name}:{place}"))
        if id in row_of:
            raise InputError(f"two rows have the id {id!r}; give each document a unique id", path, number)
        row_of[id] = number
        if "date" in stated:
            stated["date"] = stated_date(stated["date"], day_first)
            if day_in(str(stated["date"])) is None:
                undated.append(stated["date"])
        # A row is not the file, so it has no path: a document that comes from a file replaces its earlier version.
        documents.append(with_stated(tokenise_text(text, id, options.pipeline), stated))
    notes = [f"{counted(empty, 'row')} without text left out"] if empty else []
    if undated:
        notes.append(f"{counted(len(undated), 'date')} cannot be read, such as {undated[0]!r}, and kept as stated")
    return Corpus(tuple(documents), notes=tuple(f"{path}: {note}" for note in notes))


def _renamed(names: Sequence[str], path: Path, chosen: Mapping[str, str]) -> dict[str, str]:
    """The names used here for the columns: those chosen, usual ones whatever their capitals, and the only one's."""
    if _is_own(names):
        raise InputError("this is a table that cdcoref wrote; give the documents that it was made from", path)
    by_name = {name.strip().lower(): name for name in reversed(names)}
    ours: dict[str, str] = {}
    for name, column in chosen.items():
        if column not in names and column.lower() not in by_name:
            raise InputError(f"there is no column {column!r}; {_columns(names)}", path)
        ours[column if column in names else by_name[column.lower()]] = name
    usual = usual_fields([name for name in names if name not in ours])
    if "id" in by_name:
        usual["id"] = by_name["id"]
    for name, theirs in usual.items():
        if name not in chosen and theirs not in ours:
            ours |= {theirs: name} | {same: name for same in names if same.strip().lower() == name}
    if "text" not in ours.values():
        if len(names) != 1:
            message = f"no column is called text; name the right one with --columns text=NAME; {_columns(names)}"
            raise InputError(message, path)
        ours[names[0]] = "text"
    return {name: ours.get(name, "" if name in chosen else name) for name in names}


def is_own_table(path: str | Path) -> bool:
    """Whether a file is a table of mentions or of pairs that cdcoref wrote; False for one that cannot be read."""
    try:
        header = first_bytes(path).partition(b"\n")[0].decode(errors="replace")
        names = next(csv.reader([header]), [])
    except (InputError, csv.Error):
        return False
    return _is_own(names)


def _is_own(names: Collection[str]) -> bool:
    return any(columns.issubset(names) for columns in _OWN_COLUMNS)


def _columns(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name[:40]) for name in names[:_SHOWN])
    return f"the columns are {shown}{', ...' if len(names) > _SHOWN else ''}" if names else "the table is empty"


EXCEL = Format("Excel", (".xlsx",), read_excel, _EXCEL.match)
CSV = Format("CSV", (".csv", ".tsv"), read_csv)

_BOOKNLP = rb"paragraph_ID\tsentence_ID\t"


def _cells_of(path: Path, *columns: str) -> Iterator[tuple[int, list[str]]]:
    rows = csv.reader(text_content(path).decode().splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
    header = next(rows, [])
    missing = [name for name in columns if name not in header]
    if missing:
        raise InputError(f"the table has no column {missing[0]!r}, unlike BookNLP's", path, 1)
    places = [header.index(name) for name in columns]
    for line, row in enumerate(rows, start=2):
        if len(row) < len(header):
            raise InputError(f"the row has {len(row)} columns, and the header {len(header)}", path, line)
        yield line, [row[place] for place in places]


def read_booknlp(path: Path, options: ReadOptions) -> Corpus:
    """Read a ``.tokens`` file as one document (https://github.com/booknlp/booknlp); events have no clusters."""
    beside = path.with_name(f"{path.name.removesuffix('.gz').removesuffix('.tokens')}.entities")
    if not beside.exists():
        raise InputError(f"the mentions {beside.name}, which BookNLP writes with this table, are not beside it", path)
    id = (options.id or path.name).removesuffix(".gz").removesuffix(".tokens")
    sentences: dict[str, list[str]] = {}
    events: list[int] = []
    for number, (_, (sentence, word, event)) in enumerate(_cells_of(path, "sentence_ID", "word", "event")):
        sentences.setdefault(sentence, []).append(word or "_")
        events += [number] * (event == "EVENT")
    document = Document.from_sentences(id, list(sentences.values()), path=str(path))
    mentions = [Mention(id, (number,), EVENT) for number in events]
    for line, (name, start, last, prop, category) in _cells_of(
        beside, "COREF", "start_token", "end_token", "prop", "cat"
    ):
        if not (start.isdecimal() and last.isdecimal() and int(start) <= int(last) < len(document.tokens)):
            raise InputError(f"the mention {start} to {last} is not in {path.name}", beside, line)
        tokens = tuple(range(int(start), int(last) + 1))
        mentions.append(Mention(id, tokens, ENTITY, f"{id}/{name}", tag=f"{prop}_{category}"))
    return Corpus((document,), tuple(sorted(mentions, key=lambda mention: mention.tokens)))


BOOKNLP = Format("BookNLP", (".tokens",), read_booknlp, re.compile(_BOOKNLP).match, table_reader(read_booknlp))

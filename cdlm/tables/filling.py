"""The tables of the paper with values measured here: from files of results, and from counts of corpora."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path

from cdlm.documents import KINDS, AnnotatedDocument, annotated_documents
from cdlm.errors import InputError
from cdlm.pretraining import open_source
from cdlm.tables.published import BENCHMARKS, MISSING, SPLITS, TABLES, Measurement, Table
from cdlm.tasks import TextPair, benchmark_file, read_pairs

Cells = dict[str, tuple[str, ...]]
"""Cells as text by the name of their row."""


@dataclass(frozen=True, slots=True)
class CorpusFolders:
    """Where the corpora are that are counted; what is None or absent is not counted."""

    ecb: Path | None = None
    multi_news: Path | None = None
    """The folder or the training file of Multi-News."""
    benchmarks: Mapping[str, Path] = field(default_factory=dict)
    """By name (:data:`cdlm.tasks.BENCHMARKS`), the folders of the matching benchmarks."""

    def __post_init__(self) -> None:
        for name in self.benchmarks:
            if name not in BENCHMARKS:
                raise InputError(f"there is no benchmark named {name!r}; choose from {', '.join(BENCHMARKS)}")


@dataclass(frozen=True, slots=True)
class FilledTable:
    """A table with values measured here beside the published ones."""

    table: Table
    own: Mapping[str, tuple[str, ...]]
    """By row, the measured values as text, `MISSING` where there is none. Rows without any are absent."""
    notes: tuple[str, ...] = ()
    """Why something is missing, one sentence each."""

    @property
    def is_whole(self) -> bool:
        """Whether no value that can be measured is missing."""
        measurable = {row.name for row in self.table.rows if row.measurements or self.table.counts}
        return measurable <= set(self.own) and not any(MISSING in cells for cells in self.own.values())


def filled_tables(
    numbers: Iterable[int] = (), *, results: Path | None = None, folders: CorpusFolders | None = None
) -> list[FilledTable]:
    """Some tables of the paper (by default all) with measured values.

    `results` is the folder of the files that the commands of the tables write, `folders` where corpora are. Raises
    `InputError` if there is no such table or folder, a file of results is not what its command prints, or a corpus
    cannot be read.
    """
    if results is not None and not results.is_dir():
        raise InputError(
            "there is no such folder; the commands that the tables give write their results to it", results
        )
    wanted = list(dict.fromkeys(numbers)) or [table.number for table in TABLES]
    by_number = {table.number: table for table in TABLES}
    for number in wanted:
        if number not in by_number:
            raise InputError(f"the paper has no table {number}; choose from 1 to {len(TABLES)}")
    tables = [by_number[number] for number in wanted]
    return [_counted(t, folders or CorpusFolders()) if t.counts else _measured(t, results) for t in tables]


def _measured(table: Table, results: Path | None) -> FilledTable:
    own: Cells = {}
    first: float | None = None
    for number, row in enumerate(row for row in table.rows if row.measurements):
        cells: list[float | None] = []
        for measurement in row.measurements:
            cells += (results and _result(results / measurement.file, measurement)) or [None] * measurement.columns
        if table.with_differences:
            first = cells[0] if number == 0 else first
            known = number > 0 and cells[0] is not None and first is not None
            cells.append(cells[0] - first if known else None)  # type: ignore[operator]
        if any(cell is not None for cell in cells):
            own[row.name] = tuple(MISSING if cell is None else f"{cell:.{table.decimals}f}" for cell in cells)
    return FilledTable(table, own)


def _result(path: Path, measurement: Measurement) -> list[float | None] | None:
    """The values of a file of results; None if there is none."""
    if not path.is_file():
        return None
    try:
        values = list(measurement.values(json.loads(path.read_text(encoding="utf-8"))))
        if all(value is None or isinstance(value, int | float) for value in values):
            return values
    except (ValueError, KeyError, IndexError, TypeError, AttributeError):
        pass
    raise InputError("the file is not what the command of its table prints; run that again", path)


# -- counts of corpora (paper, Appendix A) -----------------------------------------------------------------------------


def _counted(table: Table, folders: CorpusFolders) -> FilledTable:
    if table.number == 7:
        return FilledTable(table, {} if folders.multi_news is None else _sets(folders.multi_news))
    if table.number == 8:
        return FilledTable(table, *(({},) if folders.ecb is None else _annotation(folders.ecb)))
    counts: Cells = {}
    for name, folder in folders.benchmarks.items():
        splits = [read_pairs(benchmark_file(name, folder, split)) for split in SPLITS]
        sizes = [len(pairs) for pairs in splits]
        cells = sizes if table.number == 9 else [sum(sizes), _different(pair for pairs in splits for pair in pairs)]
        counts[BENCHMARKS[name]] = tuple(f"{size:,}" for size in cells)
    return FilledTable(table, counts)


def _sets(path: Path) -> Cells:
    """Sets of the training split by their number of documents; those of 3 to 10 are the paper's."""
    sizes = Counter(sum(1 for text in texts if text.strip()) for texts in open_source(path, "train")(Counter()))
    counts = {str(size): (f"{sizes[size]:,}",) for size in range(3, 11)}
    return {**counts, "total": (f"{sum(sizes[size] for size in range(3, 11)):,}",)}


def _annotation(folder: Path) -> tuple[Cells, tuple[str, ...]]:
    """Counts of every split of ECB+ that is there; the test topics are often kept apart."""
    columns: list[dict[str, str]] = []
    notes: list[str] = []
    for split in SPLITS:
        try:
            columns.append(_counts(annotated_documents("ecb", folder, split)))
        except InputError as error:
            columns.append({})
            notes.append(f"{split}: {error.message}")
    if not any(columns):
        raise InputError("none of the splits of ECB+ can be read here; give the folder of ECB+ 1.0", folder)
    rows = next(column for column in columns if column)
    return {name: tuple(column.get(name, MISSING) for column in columns) for name in rows}, tuple(notes)


def _counts(documents: list[AnnotatedDocument]) -> dict[str, str]:
    mentions: Counter[str] = Counter()
    sizes: Counter[tuple[str, str]] = Counter()
    for mention in (mention for document in documents for mention in document.mentions):
        mentions[mention.kind] += 1
        if mention.cluster is not None:
            sizes[mention.kind, mention.cluster] += 1
    clusters = Counter(kind for (kind, _), size in sizes.items() if size > 1)
    topics = {document.topic for document in documents}
    return {
        "topics": f"{len(topics):,}" if None not in topics else MISSING,
        "documents": f"{len(documents):,}",
        "mentions": " / ".join(f"{mentions[kind]:,}" for kind in KINDS),
        "clusters": " / ".join(f"{clusters[kind]:,}" for kind in KINDS),
    }


def _different(pairs: Iterable[TextPair]) -> int:
    """How many different texts there are, by their digests, since the texts of a benchmark may not fit into memory."""
    return len(
        {blake2b(text.encode(), digest_size=16).digest() for pair in pairs for text in (pair.first, pair.second)}
    )

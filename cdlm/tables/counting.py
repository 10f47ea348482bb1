"""The statistics of the paper (Appendix A): folders of corpora in, counts as text out, row by row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path

from cdlm.documents import KINDS, AnnotatedDocument, annotated_documents
from cdlm.errors import InputError
from cdlm.pretraining import open_source
from cdlm.tables.layout import MISSING
from cdlm.tables.published import BENCHMARKS, SPLITS
from cdlm.tasks import TextPair, benchmark_file, read_pairs

Counts = dict[str, tuple[str, ...]]
"""By the name of a row, its cells."""


@dataclass(frozen=True, slots=True)
class CorpusFolders:
    """Where the corpora are that are counted; what is None or absent is not counted.

    Raises
    ------
    InputError
        If there is no benchmark of such a name.
    """

    ecb: Path | None = None
    multi_news: Path | None = None
    """The folder or the training file of Multi-News."""
    benchmarks: Mapping[str, Path] = field(default_factory=dict)
    """By name (:data:`cdlm.tasks.BENCHMARKS`), the folders of the matching benchmarks."""

    def __post_init__(self) -> None:
        for name in self.benchmarks:
            if name not in BENCHMARKS:
                raise InputError(f"there is no benchmark named {name!r}; choose from {', '.join(BENCHMARKS)}")


def counted_table(number: int, folders: CorpusFolders) -> tuple[Counts, tuple[str, ...]]:
    """The rows of table 7, 8, 9 or 10 that can be counted, and a sentence for each split that cannot be read.

    Raises `InputError` if a folder is not what it should be, or no split of ECB+ can be read.
    """
    if number == 7:
        return ({} if folders.multi_news is None else _sets(folders.multi_news)), ()
    if number == 8:
        return ({}, ()) if folders.ecb is None else _annotation(folders.ecb)
    counts: Counts = {}
    for name, folder in folders.benchmarks.items():
        splits = [read_pairs(benchmark_file(name, folder, split)) for split in SPLITS]
        sizes = [len(pairs) for pairs in splits]
        cells = sizes if number == 9 else [sum(sizes), _different(pair for pairs in splits for pair in pairs)]
        counts[BENCHMARKS[name]] = tuple(f"{size:,}" for size in cells)
    return counts, ()


def _sets(path: Path) -> Counts:
    """Sets of the training split by their number of documents; those of 3 to 10 are the paper's."""
    sizes = Counter(sum(1 for text in texts if text.strip()) for texts in open_source(path, "train").read(Counter()))
    counts = {str(size): (f"{sizes[size]:,}",) for size in range(3, 11)}
    return {**counts, "total": (f"{sum(sizes[size] for size in range(3, 11)):,}",)}


def _annotation(folder: Path) -> tuple[Counts, tuple[str, ...]]:
    """Counts of every split of ECB+ that is there; the test topics are often kept apart."""
    columns: list[dict[str, str]] = []
    notes: list[str] = []
    for split in SPLITS:
        try:
            columns.append(_counted(annotated_documents("ecb", folder, split)))
        except InputError as error:
            columns.append({})
            notes.append(f"{split}: {error.message}")
    if not any(columns):
        raise InputError("none of the splits of ECB+ can be read here; give the folder of ECB+ 1.0", folder)
    rows = next(column for column in columns if column)
    return {name: tuple(column.get(name, MISSING) for column in columns) for name in rows}, tuple(notes)


def _counted(documents: list[AnnotatedDocument]) -> dict[str, str]:
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

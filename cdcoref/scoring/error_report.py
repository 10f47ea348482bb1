"""The errors of a response in context: split and merged clusters, missed and spurious mentions, by the coreference
links (BLANC; Luo et al. 2014) that a gold cluster loses or a predicted cluster adds, the worst first."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cdcoref.corpus import Corpus
from cdcoref.formats import MentionTable, read_file, read_mention_table, readable_twice
from cdcoref.scoring.alignment import Alignment, Side, tokens_in_key
from cdcoref.scoring.overlap import ABSENT, Ints
from cdcoref.scoring.scores import Options

CONTEXT = 6
"""The number of words shown on either side of a mention."""


@dataclass(frozen=True, slots=True)
class Place:
    """A mention in context, with up to `CONTEXT` words of its sentence on either side; sentences count from 0."""

    document: str
    sentence: int
    tokens: tuple[int, ...]
    text: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Part:
    """The mentions that a cluster shares with one cluster of the other side; None: those that the other side lacks."""

    cluster: str | None
    mentions: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class WrongCluster:
    """A gold cluster that was split, or a predicted cluster that merges several gold clusters.

    `links` is how many of its links the other side lacks; `parts` are its mentions by cluster there, largest part
    first.
    """

    cluster: str
    size: int
    links: int
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class LoneMention:
    """A mention that the other side lacks, with the name of its cluster and how many mentions that has."""

    place: Place
    cluster: str
    size: int


@dataclass(frozen=True, slots=True)
class ErrorReport:
    """The errors of a response: lists of the requested length, worst first, and the total counts.

    `split` are gold clusters spread over several predicted clusters (or partly missed), `merged` predicted clusters
    with mentions of several gold clusters (or spurious ones).
    """

    key: str
    response: str
    key_clusters: int
    response_clusters: int
    key_mentions: int
    response_mentions: int
    split: tuple[WrongCluster, ...]
    merged: tuple[WrongCluster, ...]
    missed: tuple[LoneMention, ...]
    spurious: tuple[LoneMention, ...]
    split_count: int
    merged_count: int
    missed_count: int
    spurious_count: int
    notes: tuple[str, ...]


def report_errors(
    key: str | Path, response: str | Path, options: Options | None = None, *, limit: int | None = 20
) -> ErrorReport:
    """Find the errors of a response, and describe up to `limit` of each type (None: all).

    Singletons are always kept. Raises `InputError` if a file cannot be read, or the response does not match the key.
    """
    options = options or Options()
    with readable_twice(key) as file:
        key_table, corpus = read_mention_table(file, ids=options.ids), read_file(file)
    response_table = read_mention_table(response, ids=options.ids)
    alignment = options.align(key_table, response_table, options.level_of(key_table))
    places = _Places(corpus, key_table, response_table, alignment)
    labels = alignment.labels()
    names = _names(alignment.key, key_table), _names(alignment.response, response_table)
    split = _Wrong(alignment.key, labels, names, places)
    merged = _Wrong(alignment.response, labels[::-1], names[::-1], places)
    return ErrorReport(
        str(key),
        str(response),
        len(split.sizes),
        len(merged.sizes),
        len(alignment.key.mention),
        len(alignment.response.mention),
        tuple(split.worst(limit)),
        tuple(merged.worst(limit)),
        tuple(split.lone(limit)),
        tuple(merged.lone(limit)),
        split.count,
        merged.count,
        len(split.alone),
        len(merged.alone),
        tuple(alignment.notes),
    )


class _Places:
    """Mentions in context, by their index in the alignment."""

    def __init__(self, corpus: Corpus, key: MentionTable, response: MentionTable, alignment: Alignment) -> None:
        self._documents = corpus.documents
        self._names = [str(name) for name in key.documents]
        self._tables = key, response
        self._rows = list(key.documents.values()), list(response.documents.values())
        self._sides = alignment.key, alignment.response
        self._index = [{mention: at for at, mention in enumerate(side.mention.tolist())} for side in self._sides]

    def _tokens(self, mention: int) -> tuple[int, tuple[int, ...]]:
        number = 0 if mention in self._index[0] else 1
        side, table = self._sides[number], self._tables[number]
        at = self._index[number][mention]
        row, document = int(side.row[at]), int(side.document[at])
        tokens = table.gaps.get(row) or tuple(range(int(table.start[row]), int(table.end[row])))
        if number:
            tokens = tokens_in_key(self._rows[0][document], self._rows[1][int(table.document[row])], tokens)
        return document, tokens

    def of(self, mention: int) -> Place:
        """A mention of either side in context."""
        document, tokens = self._tokens(mention)
        words = self._documents[document].tokens
        sentences = self._documents[document].sentences
        sentence = bisect_right(sentences, tokens[0], key=lambda bounds: bounds[0]) - 1
        first, end = sentences[sentence]
        return Place(
            self._names[document],
            sentence,
            tokens,
            " ".join(words[token] for token in tokens),
            " ".join(words[max(first, tokens[0] - CONTEXT) : tokens[0]]),
            " ".join(words[tokens[-1] + 1 : min(end, tokens[-1] + 1 + CONTEXT)]),
        )


def _names(side: Side, table: MentionTable) -> list[str]:
    """The names of the clusters of a side; one without a name in the file is shown by number."""
    number = np.zeros(len(side.group), np.int64)
    number[side.cluster] = table.cluster[side.row]
    return [table.names[name] or f"#{name}" for name in number.tolist()]


class _Wrong:
    """The errors of the clusters of one side, judged by the other; `labels` and `names` are those of both sides."""

    def __init__(
        self, side: Side, labels: tuple[Ints, Ints], names: tuple[list[str], list[str]], places: _Places
    ) -> None:
        (self._labels, self._other), (self._names, self._other_names) = labels, names
        self._places = places
        found = self._other[side.mention] != ABSENT
        self.alone = side.mention[~found]
        self.sizes = np.bincount(side.cluster)
        by_cluster = np.lexsort((side.mention, side.cluster))
        self._mentions = np.split(side.mention[by_cluster], self.sizes.cumsum()[:-1])
        present = side.mention[found]
        cells, counts = np.unique(np.stack([self._labels[present], self._other[present]]), axis=1, return_counts=True)
        together = np.bincount(cells[0], counts * (counts - 1), len(self.sizes))
        self._links = (self.sizes * (self.sizes - 1) - together) / 2
        self.count = int((self._links > 0).sum())

    def worst(self, limit: int | None) -> Iterable[WrongCluster]:
        """The clusters with the most links that the other side lacks."""
        for cluster in np.lexsort((-self.sizes, -self._links))[: self.count][:limit].tolist():
            yield WrongCluster(
                self._names[cluster],
                int(self.sizes[cluster]),
                int(self._links[cluster]),
                tuple(
                    Part(
                        None if other == ABSENT else self._other_names[other],
                        tuple(self._places.of(mention) for mention in part),
                    )
                    for other, part in self._parts(cluster)
                ),
            )

    def _parts(self, cluster: int) -> list[tuple[int, list[int]]]:
        parts: dict[int, list[int]] = {}
        for mention in self._mentions[cluster].tolist():
            parts.setdefault(int(self._other[mention]), []).append(mention)
        # Mentions that the other side lacks come last, however many.
        order = sorted(parts, key=lambda other: (other == ABSENT, -len(parts[other])))
        return [(other, parts[other]) for other in order]

    def lone(self, limit: int | None) -> Iterable[LoneMention]:
        """The mentions that the other side lacks, those of the largest clusters first."""
        size = self.sizes[self._labels[self.alone]]
        for mention in self.alone[np.lexsort((self.alone, -size))][:limit].tolist():
            cluster = int(self._labels[mention])
            yield LoneMention(self._places.of(mention), self._names[cluster], int(self.sizes[cluster]))

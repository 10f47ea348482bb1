"""What to look at next: split and merged clusters, missed and invented mentions, the worst first, with text and place.

How bad a cluster is, is counted in links (pairs of its mentions): a gold cluster loses those that the response does not
put together, a predicted cluster adds those that the key does not. These are BLANC's coreference links (Luo et al.
2014), and unlike a change of a score they add up.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cdcoref.corpus import Corpus, Document
from cdcoref.formats import MentionTable, read_file, read_mention_table, readable_twice
from cdcoref.scoring.alignment import Alignment, Side
from cdcoref.scoring.files import Options
from cdcoref.scoring.overlap import ABSENT, Ints

CONTEXT = 6
"""Words that are shown on either side of a mention."""


@dataclass(frozen=True, slots=True)
class Place:
    """A mention and where it is.

    Attributes
    ----------
    document
        The document's name.
    sentence
        The number of the sentence in which it begins, from 0.
    tokens
        Its tokens in the document.
    text
        Its words.
    before, after
        Up to `CONTEXT` words of the sentence before and after it.
    """

    document: str
    sentence: int
    tokens: tuple[int, ...]
    text: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Part:
    """The mentions that a wrong cluster shares with one cluster of the other side.

    Attributes
    ----------
    cluster
        The other side's name of it; None for mentions that the other side has not at all.
    mentions
        Where they are, in the order of the file.
    """

    cluster: str | None
    mentions: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class WrongCluster:
    """A gold cluster that was split, or a predicted cluster that merges several.

    Attributes
    ----------
    cluster
        Its name.
    size
        How many mentions it has.
    links
        How many of its links the other side has not.
    parts
        Its mentions by their cluster on the other side, the largest part first.
    """

    cluster: str
    size: int
    links: int
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class LoneMention:
    """A mention that the other side has not.

    Attributes
    ----------
    place
        Where it is.
    cluster
        The name of its cluster.
    size
        How many mentions that cluster has.
    """

    place: Place
    cluster: str
    size: int


@dataclass(frozen=True, slots=True)
class ErrorReport:
    """The errors of a response, each list with the worst first and as long as was asked for; the counts are of all.

    Attributes
    ----------
    key, response
        The files.
    key_clusters, response_clusters, key_mentions, response_mentions
        How many there are.
    split, merged, missed, invented
        The gold clusters that are not together in one predicted cluster, the predicted clusters with mentions of
        several gold clusters (or invented ones), the gold mentions not predicted, the predicted mentions not gold.
    split_count, merged_count, missed_count, invented_count
        How many of them there are.
    notes
        What a reader should know, one sentence each.
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
    invented: tuple[LoneMention, ...]
    split_count: int
    merged_count: int
    missed_count: int
    invented_count: int
    notes: tuple[str, ...]


def report_errors(
    key: str | Path, response: str | Path, options: Options | None = None, *, limit: int | None = 20
) -> ErrorReport:
    """Find the errors of a response.

    Parameters
    ----------
    key, response
        Two files in any of the formats.
    options
        How they are compared; singletons are always kept here.
    limit
        How many of each sort of error are described; None for all.

    Raises
    ------
    InputError
        If a file cannot be read, or key and response do not belong together.
    """
    options = options or Options()
    with readable_twice(key) as file:
        key_table, corpus = read_mention_table(file), read_file(file)
    response_table = read_mention_table(response)
    alignment = options.align(key_table, response_table, options.level_of(key_table))
    key_label, response_label = alignment.labels()
    places = _Places(corpus, key_table, response_table, alignment)
    of_key = _Clusters.of(alignment.key, key_label, key_table)
    of_response = _Clusters.of(alignment.response, response_label, response_table)
    split, merged = _Wrong(of_key, of_response, places), _Wrong(of_response, of_key, places)
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
    """Where mentions are and what they say, by their number in the alignment."""

    def __init__(self, corpus: Corpus, key: MentionTable, response: MentionTable, alignment: Alignment) -> None:
        self._documents = corpus.documents
        self._names = [str(name) for name in key.documents]
        self._tables = key, response
        self._sides = alignment.key, alignment.response
        self._index = []
        for side in self._sides:
            index = np.full(alignment.mentions, ABSENT)
            index[side.mention] = np.arange(len(side.mention))
            self._index.append(index)

    def of(self, mention: int) -> Place:
        """The place of a mention of either side."""
        number = 0 if self._index[0][mention] >= 0 else 1
        side, table = self._sides[number], self._tables[number]
        at = int(self._index[number][mention])
        row, document = int(side.row[at]), int(side.document[at])
        tokens = table.gaps.get(row) or tuple(range(int(table.start[row]), int(table.end[row])))
        words = self._documents[document].tokens
        sentence, first, end = _sentence(self._documents[document], tokens[0])
        return Place(
            self._names[document],
            sentence,
            tokens,
            " ".join(words[token] for token in tokens),
            " ".join(words[max(first, tokens[0] - CONTEXT) : tokens[0]]),
            " ".join(words[tokens[-1] + 1 : max(tokens[-1] + 1, min(end, tokens[-1] + 1 + CONTEXT))]),
        )


def _sentence(document: Document, token: int) -> tuple[int, int, int]:
    """The number, first token and end of the sentence in which a token is."""
    number = bisect_right(document.sentences, token, key=lambda sentence: sentence[0]) - 1
    return (number, *document.sentences[number])


@dataclass(frozen=True, slots=True, eq=False)
class _Clusters:
    """The clusters of one side: which one every mention of the alignment is in, and their names."""

    side: Side
    labels: Ints
    names: list[str]

    @classmethod
    def of(cls, side: Side, labels: Ints, table: MentionTable) -> _Clusters:
        number = np.zeros(len(side.group), np.int64)
        number[side.cluster] = table.cluster[side.row]
        # A cluster to which the file gives no name is shown by number.
        return cls(side, labels, [table.names[name] or f"#{name}" for name in number.tolist()])


class _Wrong:
    """What is wrong with the clusters of one side, seen from the other."""

    def __init__(self, clusters: _Clusters, other: _Clusters, places: _Places) -> None:
        self._clusters, self._other, self._places = clusters, other, places
        side, own = clusters.side, clusters.labels
        found = other.labels[side.mention] != ABSENT
        self.alone = side.mention[~found]
        self.sizes = np.bincount(side.cluster, minlength=len(side.group))
        present = side.mention[found]
        cells, counts = np.unique(np.stack([own[present], other.labels[present]]), axis=1, return_counts=True)
        together = np.bincount(cells[0], counts * (counts - 1) // 2, len(self.sizes)).astype(int)
        self._links = self.sizes * (self.sizes - 1) // 2 - together
        self.count = int((self._links > 0).sum())

    def worst(self, limit: int | None) -> Iterable[WrongCluster]:
        """The clusters that lack most links on the other side."""
        order = np.lexsort((-self.sizes, -self._links))[: self.count][:limit]
        side = self._clusters.side
        by_cluster = np.argsort(side.cluster, kind="stable")
        starts = np.searchsorted(side.cluster[by_cluster], np.arange(len(self.sizes) + 1))
        for cluster in order.tolist():
            mentions = side.mention[by_cluster[starts[cluster] : starts[cluster + 1]]]
            yield WrongCluster(
                self._clusters.names[cluster],
                int(self.sizes[cluster]),
                int(self._links[cluster]),
                tuple(self._parts(mentions.tolist())),
            )

    def _parts(self, mentions: Sequence[int]) -> list[Part]:
        parts: dict[int, list[int]] = {}
        for mention in mentions:
            parts.setdefault(int(self._other.labels[mention]), []).append(mention)
        # Mentions that the other side has not come last, whatever their number.
        order = sorted(parts, key=lambda other: (other == ABSENT, -len(parts[other])))
        return [
            Part(
                None if other == ABSENT else self._other.names[other],
                tuple(self._places.of(mention) for mention in parts[other]),
            )
            for other in order
        ]

    def lone(self, limit: int | None) -> Iterable[LoneMention]:
        """The mentions that the other side has not, those of the largest clusters first."""
        size = self.sizes[self._clusters.labels[self.alone]]
        for mention in self.alone[np.argsort(-size, kind="stable")][:limit].tolist():
            cluster = int(self._clusters.labels[mention])
            yield LoneMention(self._places.of(mention), self._clusters.names[cluster], int(self.sizes[cluster]))

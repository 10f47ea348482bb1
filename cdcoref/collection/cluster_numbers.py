"""Clusters with numbers that last: a new partition of mentions in, the clusters that are stored for them out.

A cluster is what most of its mentions were in before: it keeps its number through every change. Where clusters become
one it has the oldest number, and the others remember it (`merged_into`); where a cluster falls into parts, the part
with the most mentions keeps the number (when a correction is undone, that with most of the mentions that were in it
first), except parts with more of another cluster (into which mentions were moved), and each of the others gets a new
one, or the number that its mentions had before they were merged. Merges and splits are recorded (`changes`).
"""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from cdcoref.collection.chosen_rows import chunks, insert, marks, rows_in
from cdcoref.collection.titles import event_titles
from cdcoref.reports import cluster_label

MERGED, SPLIT, EMPTIED = "merged", "split", "emptied"
"""What happened to a cluster: another was merged into it, it was split from another, it lost all its mentions."""

Change = tuple[int, str, int | None]
"""A cluster, what happened to it, and the other cluster of a merge or a split."""


def now() -> str:
    """The time, as it is stored."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def assign_clusters(
    connection: sqlite3.Connection,
    groups: Sequence[Sequence[int]],
    rejected: Iterable[int] = (),
    left: Iterable[int] = (),
    *,
    undone: bool = False,
) -> list[Change]:
    """Store the clusters (`groups`) of mentions that were clustered again; returns the changes that were recorded.

    Mentions that are `rejected` are in no cluster any more; clusters that have `left` lost mentions. Where a correction
    was `undone`, the part of a cluster with the most mentions that were in it first keeps its number, however many have
    come into it.
    """
    time = now()
    assignment = _Assignment(connection, groups, undone)
    assignment.store(list(rejected), set(left))
    connection.executemany(
        "INSERT INTO changes (time, cluster, change, other) VALUES (?, ?, ?, ?)",
        ((time, *change) for change in assignment.changes),
    )
    return assignment.changes


def refresh_clusters(connection: sqlite3.Connection, numbers: Iterable[int]) -> None:
    """Count what is in clusters whose mentions changed, and find their titles; those without mentions are emptied."""
    for chunk in chunks(numbers):
        query = (
            "SELECT mentions.cluster, documents.story, mentions.kind, mentions.document, mentions.words, "
            "mentions.confidence FROM mentions JOIN documents ON documents.number = mentions.document "
            f"WHERE mentions.cluster IN ({marks(chunk)}) ORDER BY mentions.document, mentions.place"
        )
        members = defaultdict(list)
        for cluster, *row in connection.execute(query, chunk):
            members[cluster].append(row)
        titles = event_titles(connection, list(members))
        for number in chunk:
            if number not in members:
                connection.execute(
                    "UPDATE clusters SET mentions = 0, documents = 0, confidence = NULL WHERE number = ?", (number,)
                )
                continue
            stories, kinds, documents, words, confidences = zip(*members[number], strict=True)
            known = [confidence for confidence in confidences if confidence is not None]
            connection.execute(
                "UPDATE clusters SET story = ?, kind = ?, title = ?, mentions = ?, documents = ?, confidence = ?, "
                "merged_into = NULL WHERE number = ?",
                (
                    stories[0],
                    kinds[0],
                    titles.get(number) or cluster_label(words),
                    len(words),
                    len(set(documents)),
                    sum(known) / len(known) if known else None,
                    number,
                ),
            )


class _Assignment:
    """What mentions were in before clusters change, and what became of the clusters (`changes`)."""

    def __init__(self, connection: sqlite3.Connection, groups: Sequence[Sequence[int]], undone: bool) -> None:
        self._connection = connection
        self._undone = undone
        self._groups = groups
        self.changes: list[Change] = []
        self._before: dict[int, int | None] = {}
        self._origin: dict[int, int | None] = {}
        query = "SELECT number, cluster, origin FROM mentions WHERE number IN ({})"
        for number, cluster, origin in rows_in(connection, query, (number for group in groups for number in group)):
            self._before[number], self._origin[number] = cluster, origin

    def store(self, rejected: list[int], left: set[int]) -> None:
        former = {cluster for cluster in self._before.values() if cluster is not None} | left
        query = "SELECT DISTINCT cluster FROM mentions WHERE number IN ({}) AND cluster IS NOT NULL"
        former.update(cluster for (cluster,) in rows_in(self._connection, query, rejected))
        self._connection.executemany(
            "UPDATE mentions SET cluster = NULL, confidence = found WHERE number = ?",
            ((number,) for number in rejected),
        )
        kept = self._kept()
        merges: list[tuple[int, int]] = []
        assigned: set[int] = set()
        for place, group in enumerate(self._groups):
            claims = kept[place]
            if claims:
                number = claims[0]
                merges.extend((other, number) for other in claims[1:])
            else:
                number = self._for_part(group, former | assigned)
            assigned.add(number)
            changed = [(number, self._origin[m] or number, m) for m in group if self._before[m] != number]
            self._connection.executemany("UPDATE mentions SET cluster = ?, origin = ? WHERE number = ?", changed)
        for other, number in merges:
            self._connection.execute("UPDATE clusters SET merged_into = ? WHERE number = ?", (number, other))
            self.changes.append((number, MERGED, other))
        refresh_clusters(self._connection, sorted(former | assigned))
        gone = former - assigned - {other for other, _ in merges}
        self.changes.extend((number, EMPTIED, None) for number in sorted(gone))

    def _kept(self) -> dict[int, list[int]]:
        """By group, the numbers of the clusters that live on in it, the oldest first."""
        overlap: dict[int, Counter[int]] = defaultdict(Counter)
        native: dict[int, Counter[int]] = defaultdict(Counter)
        for place, group in enumerate(self._groups):
            for mention in group:
                cluster = self._before[mention]
                if cluster is not None:
                    overlap[cluster][place] += 1
                    native[cluster][place] += self._undone and self._origin[mention] == cluster
        most: Counter[int] = Counter()
        for parts in overlap.values():
            most |= parts
        rivals = Counter(p for parts in overlap.values() for p, count in parts.items() if count == most[p])
        kept: dict[int, list[int]] = defaultdict(list)
        for cluster in sorted(overlap):
            parts = overlap[cluster]
            own = [place for place, count in parts.items() if count == most[place]]
            first = native[cluster]
            place = min(own or parts, key=lambda place: (-first[place], -parts[place], rivals[place], place))
            kept[place].append(cluster)
        return kept

    def _for_part(self, group: Sequence[int], taken: set[int]) -> int:
        """The number of a cluster that goes on from none: one that its mentions had before, or a new one."""
        whole = Counter(cluster for m in group if (cluster := self._before[m]) is not None)
        earlier = Counter(origin for m in group if (origin := self._origin[m]) is not None)
        for number, _ in sorted(earlier.items(), key=lambda entry: (-entry[1], entry[0])):
            if number not in taken and self._is_free(number):
                break
        else:
            number = insert(self._connection, "INSERT INTO clusters (title, mentions, documents) VALUES ('', 0, 0)")
            for m in group:
                if self._before[m] is not None:
                    self._origin[m] = number
        if whole:
            parent = min(whole, key=lambda cluster: (-whole[cluster], cluster))
            self.changes.append((number, SPLIT, parent))
        return number

    def _is_free(self, number: int) -> bool:
        row = self._connection.execute("SELECT mentions FROM clusters WHERE number = ?", (number,)).fetchone()
        return row is not None and row[0] == 0

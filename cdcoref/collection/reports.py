"""What became of clusters in a change, for its report."""

from __future__ import annotations

import sqlite3

from cdcoref.collection.cluster_numbers import MERGED, SPLIT
from cdcoref.formats import cluster_id

Pairs = tuple[tuple[str, str], ...]


def last_change(connection: sqlite3.Connection) -> int:
    """The number of the last change of a cluster so far."""
    (number,) = connection.execute("SELECT coalesce(max(number), 0) FROM changes").fetchone()
    return int(number)


def changes_since(connection: sqlite3.Connection, last: int) -> tuple[Pairs, Pairs]:
    """The merges since a change, as the cluster that is no more and the one that it is in; and the splits, as the new
    cluster and the one that it was in."""
    query = "SELECT cluster, change, other FROM changes WHERE number > ? AND other IS NOT NULL ORDER BY number"
    merged, split = [], []
    for cluster, change, other in connection.execute(query, (last,)):
        if change == MERGED:
            merged.append((cluster_id(other), cluster_id(cluster)))
        if change == SPLIT:
            split.append((cluster_id(cluster), cluster_id(other)))
    return tuple(merged), tuple(split)

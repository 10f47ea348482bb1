"""Names that people gave to clusters: the one given, or redone, last, of the cluster or else of one merged into it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

_NAMES = (
    "WITH RECURSIVE own (living, number) AS (SELECT number, number FROM clusters WHERE story = ? AND mentions > 0 "
    "UNION SELECT living, clusters.number FROM own JOIN clusters ON clusters.merged_into = own.number) "
    "SELECT living, own.number, name FROM own CROSS JOIN corrections ON corrections.cluster = own.number "
    "WHERE action = 'rename' AND undone IS NULL "
    "ORDER BY (SELECT max(number) FROM acts WHERE correction = corrections.number)"
)


def refresh_names(connection: sqlite3.Connection, stories: Iterable[int]) -> None:
    """Store the names of the clusters of some stories."""
    for story in stories:
        chosen: dict[int, tuple[bool, str]] = {}
        for number, cluster, name in connection.execute(_NAMES, (story,)).fetchall():
            own = number == cluster
            if number not in chosen or own or not chosen[number][0]:
                chosen[number] = own, name
        query = "SELECT number, name FROM clusters WHERE story = ? AND mentions > 0"
        for number, before in connection.execute(query, (story,)).fetchall():
            own_name = chosen[number][1] if number in chosen else None
            if own_name != before:
                connection.execute("UPDATE clusters SET name = ? WHERE number = ?", (own_name, number))


def living_cluster(connection: sqlite3.Connection, number: int) -> int:
    """The cluster itself, or the one that it was merged into."""
    while True:
        row = connection.execute("SELECT merged_into FROM clusters WHERE number = ?", (number,)).fetchone()
        if row is None or row[0] is None:
            return number
        number = row[0]

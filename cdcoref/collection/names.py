"""What people state of clusters: a name, and the day and place of an event."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from cdcoref.collection.cluster_numbers import refresh_clusters
from cdcoref.corpus import EVENT
from cdcoref.formats import cluster_id, stated_facts

_STATED = (
    "WITH RECURSIVE own (living, number) AS (SELECT number, number FROM clusters WHERE story = ? AND mentions > 0 "
    "UNION SELECT living, clusters.number FROM own JOIN clusters ON clusters.merged_into = own.number) "
    "SELECT living, action, name FROM own CROSS JOIN corrections ON corrections.cluster = own.number "
    "WHERE action IN ('rename', 'day', 'place') AND undone IS NULL "
    "ORDER BY living = own.number, (SELECT max(number) FROM acts WHERE correction = corrections.number)"
)


def refresh_facts(connection: sqlite3.Connection, stories: Iterable[int]) -> None:
    """Store what people state of the clusters of some stories."""
    known = stated_facts(connection)
    changed = []
    for story in stories:
        stated: dict[int, dict[str, str]] = {}
        for number, action, value in connection.execute(_STATED, (story,)).fetchall():
            stated.setdefault(number, {})[action] = value
        query = "SELECT number, name FROM clusters WHERE story = ? AND mentions > 0"
        for number, name in connection.execute(query, (story,)).fetchall():
            facts = stated.get(number, {})
            if facts.get("rename") != name:
                connection.execute("UPDATE clusters SET name = ? WHERE number = ?", (facts.get("rename"), number))
            now = {fact: value for fact, value in facts.items() if fact != "rename"}
            if now != known.get((EVENT, cluster_id(number)), {}):
                connection.execute("DELETE FROM facts WHERE cluster = ?", (number,))
                rows = ((number, *fact) for fact in now.items())
                connection.executemany("INSERT INTO facts VALUES (?, ?, ?)", rows)
                changed.append(number)
    refresh_clusters(connection, changed)


def living_cluster(connection: sqlite3.Connection, number: int) -> int:
    """The cluster itself, or the one that it was merged into."""
    while True:
        row = connection.execute("SELECT merged_into FROM clusters WHERE number = ?", (number,)).fetchone()
        if row is None or row[0] is None:
            return number
        number = row[0]

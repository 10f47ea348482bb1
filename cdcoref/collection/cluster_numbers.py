"""Clusters with numbers that last: a new partition of mentions in, the clusters that are stored for them out. A cluster
is what most of its mentions were in before. Of clusters that become one the oldest number stays, and the others
remember it (`merged_into`); the largest part of a cluster keeps its number, unless it has more of another."""

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from cdcoref.collection.database import chunks, insert, marks, rows_in, stored_documents
from cdcoref.corpus import EVENT, Corpus
from cdcoref.formats import cluster_id, stated_facts, stored_mention
from cdcoref.reports import CorpusCircumstances

MERGED, SPLIT = "merged", "split"
"""What happened to a cluster: another was merged into it, or it was split from another."""
Change = tuple[int, str, int]
"""A cluster, what happened to it, and the other cluster of a merge or a split."""


def now() -> str:
    """The time, as it is stored."""
    return datetime.now(UTC).isoformat(timespec="seconds")


@dataclass(frozen=True, slots=True)
class Former:
    """What a correction changed, to be restored when it is undone or made again. `mentions` has the cluster and the
    first cluster of every mention that changed, `aliases` the cluster into which each of these clusters had been
    merged, `stories` the story of every document that changed it, by its number."""

    mentions: Mapping[int, tuple[int | None, int | None]]
    aliases: Mapping[int, int | None]
    stories: Mapping[int, int] = field(default_factory=dict)


Target = tuple[int, int]
"""The number of a cluster that mentions are moved into, and of a mention of it: it keeps its number and name."""


def refresh_clusters(connection: sqlite3.Connection, numbers: Iterable[int]) -> None:
    """Count what is in clusters whose mentions changed, and find their titles; those without mentions are emptied."""
    for chunk in chunks(numbers):
        connection.execute(
            "UPDATE clusters SET (mentions, documents, confidence) = (SELECT count(*), count(DISTINCT document), "
            f"avg(confidence) FROM mentions WHERE cluster = clusters.number) WHERE number IN ({marks(chunk)})",
            chunk,
        )
        query = (
            "SELECT mentions.cluster, documents.story, mentions.kind, min(documents.number) "
            "FROM mentions JOIN documents ON documents.number = mentions.document "
            f"WHERE mentions.cluster IN ({marks(chunk)}) GROUP BY mentions.cluster"
        )
        clusters = connection.execute(query, chunk).fetchall()
        titles = _titles(connection, [number for number, *_ in clusters])
        for number, story, kind, _ in clusters:
            connection.execute(
                "UPDATE clusters SET story = ?, kind = ?, title = ?, merged_into = NULL WHERE number = ?",
                (story, kind, titles[number], number),
            )


def _titles(connection: sqlite3.Connection, numbers: Sequence[int]) -> dict[int, str]:
    """The titles of clusters; those of events have place and day as their documents state them."""
    query = "SELECT DISTINCT document FROM mentions WHERE cluster IN ({})"
    documents = sorted({number for (number,) in rows_in(connection, query, numbers)})
    query = (
        "SELECT documents.id, tokens, mentions.kind, mentions.cluster FROM documents "
        "JOIN mentions ON mentions.document = documents.number "
        "WHERE documents.number IN ({}) AND mentions.cluster IS NOT NULL"
    )
    found = [(row[-1], stored_mention(*row)) for row in rows_in(connection, query, documents)]
    mentions = tuple(mention for _, mention in found)
    stored = Corpus(tuple(stored_documents(connection, "number", documents)), mentions, stated=stated_facts(connection))
    known = CorpusCircumstances(stored)
    member = dict(found)
    return {number: known.label(member[number]) for number in numbers if number in member}


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


class Assignment:
    """What mentions were in before clusters change, and what became of the clusters (`changes`). `groups` of mentions
    are the new clusters; with a `former` state they get the numbers that they had in it."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        groups: Sequence[Sequence[int]],
        former: Former | None,
        target: Target | None,
    ) -> None:
        former = former or Former({}, {})
        self._connection = connection
        self._groups = groups
        self._aliases = former.aliases
        self._target = target
        self.changes: list[Change] = []
        self._now: dict[int, tuple[int | None, int | None]] = {}
        query = "SELECT number, cluster, origin FROM mentions WHERE number IN ({})"
        for number, *clusters in rows_in(connection, query, (number for group in groups for number in group)):
            self._now[number] = clusters[0], clusters[1]
        query = "SELECT number FROM mentions WHERE cluster = ?"
        usable = {  # those that no mention is in by now but those that are assigned
            cluster: all(number in self._now for (number,) in connection.execute(query, (cluster,)))
            for cluster, _ in former.mentions.values()
        }
        known = {number: old for number, old in former.mentions.items() if number in self._now and usable[old[0]]}
        self._before = {number: cluster for number, (cluster, _) in {**self._now, **known}.items()}
        self._origin = {number: origin for number, (_, origin) in {**self._now, **known}.items()}

    def store(self, rejected: Sequence[int], left: Iterable[int]) -> list[Change]:
        """Store the clusters; mentions that are `rejected` are in none, clusters that have `left` lost mentions."""
        former = {cluster for cluster, _ in self._now.values() if cluster is not None} | {*left}
        query = "SELECT DISTINCT cluster FROM mentions WHERE number IN ({}) AND cluster IS NOT NULL"
        former.update(cluster for (cluster,) in rows_in(self._connection, query, rejected))
        self._connection.executemany(
            "UPDATE mentions SET cluster = NULL, confidence = found WHERE number = ?",
            ((number,) for number in rejected),
        )
        kept = self._kept()
        taken = former | {number for claims in kept.values() for number in claims}
        merges: list[tuple[int, int]] = []
        assigned: set[int] = set()
        gained: defaultdict[int, Counter[int]] = defaultdict(Counter)
        for place, group in enumerate(self._groups):
            claims = kept[place]
            if claims:
                number = claims[0]
                if number not in former:
                    self._note_split(group, number)
                merges.extend((other, number) for other in claims[1:])
            else:
                number = self._for_part(group, taken | assigned)
            assigned.add(number)
            after = {mention: (number, self._origin[mention] or number) for mention in group}
            self._connection.executemany(
                "UPDATE mentions SET cluster = ?, origin = ? WHERE number = ?",
                ((*clusters, mention) for mention, clusters in after.items() if clusters != self._now[mention]),
            )
            for mention in group:
                gained[self._now[mention][0] or 0][number] += 1
        gone = former - assigned - {other for other, _ in merges}
        for cluster in sorted(gone):
            into = self._aliases.get(cluster) or max(gained[cluster], key=gained[cluster].__getitem__, default=None)
            if into is not None:
                merges.append((cluster, into))
        for other, number in merges:
            self._connection.execute("UPDATE clusters SET merged_into = ? WHERE number = ?", (number, other))
            self.changes.append((number, MERGED, other))
        refresh_clusters(self._connection, sorted(former | assigned))
        return self.changes

    def _kept(self) -> dict[int, list[int]]:
        """By group, the numbers of the clusters that live on in it: a target first, then the oldest."""
        overlap: dict[int, Counter[int]] = defaultdict(Counter)
        goal: tuple[int, int] | None = None
        for place, group in enumerate(self._groups):
            for mention in group:
                if (cluster := self._before[mention]) is not None:
                    overlap[cluster][place] += 1
                if self._target is not None and self._target[1] == mention:
                    goal = self._target[0], place
        kept: dict[int, list[int]] = defaultdict(list)
        if goal is not None:
            kept[goal[1]].append(goal[0])
            overlap.pop(goal[0], None)
            for cluster, parts in overlap.items():  # what is moved leaves its cluster, unless nothing stays there
                overlap[cluster] = Counter({p: n for p, n in parts.items() if p != goal[1]}) or parts
        most: Counter[int] = Counter()
        for parts in overlap.values():
            most |= parts
        rivals = Counter(p for parts in overlap.values() for p, count in parts.items() if count == most[p])
        for cluster in sorted(overlap):
            parts = overlap[cluster]
            best = [place for place, count in parts.items() if count == most[place]]
            kept[min(best or parts, key=lambda place: (-parts[place], rivals[place], place))].append(cluster)
        return kept

    def _for_part(self, group: Sequence[int], taken: set[int]) -> int:
        """The number of a cluster that goes on from none: one that its mentions had before, or a new one."""
        earlier = Counter(origin for m in group if (origin := self._origin[m]) is not None)
        for number, _ in sorted(earlier.items(), key=lambda entry: (-entry[1], entry[0])):
            row = self._connection.execute("SELECT mentions FROM clusters WHERE number = ?", (number,)).fetchone()
            if number not in taken and row == (0,):
                break
        else:
            number = insert(self._connection, "INSERT INTO clusters (title, mentions, documents) VALUES ('', 0, 0)")
            for m in group:
                if self._before[m] is not None:
                    self._origin[m] = number
        self._note_split(group, number)
        return number

    def _note_split(self, group: Sequence[int], number: int) -> None:
        whole = Counter(cluster for m in group if (cluster := self._now[m][0]) is not None)
        if whole:
            parent = min(whole, key=lambda cluster: (-whole[cluster], cluster))
            self.changes.append((number, SPLIT, parent))

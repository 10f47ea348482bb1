"""What can be asked of a collection: lists, pages, what was searched for, what to check next, and everything."""

import sqlite3
from collections.abc import Sequence
from dataclasses import replace

from cdcoref.collection import records
from cdcoref.collection.cluster_numbers import living_cluster
from cdcoref.collection.correcting import with_outcomes
from cdcoref.collection.corrections import Correction, stored_corrections
from cdcoref.collection.database import Database, no_document, number_of, rows_in
from cdcoref.collection.search import clusters_with_words, full_text_query
from cdcoref.collection.stored_words import copies_of
from cdcoref.corpus import KINDS, Corpus
from cdcoref.errors import InputError, check_ids, check_text, check_whole
from cdcoref.formats import corpus_in, day_of, stored_document
from cdcoref.language import BEGINNING
from cdcoref.predict import Plan, Prediction
from cdcoref.reports import PredictedStory, stories_of

_OF_STORY = (
    "SELECT cluster FROM documents JOIN mentions ON mentions.document = documents.number WHERE documents.story = ?"
)


class Queries:
    """What can be asked of a collection; each method sees it as it was before or after a change."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def counts(self) -> records.Counts:
        """Numbers of documents, stories, mentions, clusters and corrections."""
        with self._database.reading() as connection:
            return records.Counts(*connection.execute("SELECT * FROM counts").fetchone())

    def clusters(
        self,
        *,
        kind: str | None = None,
        min_mentions: int = 2,
        story: int | None = None,
        query: str | None = None,
        limit: int = 100,
        offset: int = 0,
    ) -> list[records.ClusterSummary]:
        """Clusters of at least `min_mentions` mentions, those in most documents first; `query` as in :meth:`search`."""
        condition, values, words = _chosen_clusters(kind, min_mentions, story, query)
        _check_part(limit, offset)
        with self._database.reading() as connection:
            if words is not None:
                found = clusters_with_words(connection, condition, values, words)
                return records.summaries(connection, found[offset : offset + limit])
            sql = (
                f"SELECT * FROM cluster_summaries WHERE {condition} "
                "ORDER BY documents DESC, mentions DESC, number LIMIT ? OFFSET ?"
            )
            return [records.cluster_summary(row) for row in connection.execute(sql, (*values, limit, offset))]

    def cluster_count(
        self, *, kind: str | None = None, min_mentions: int = 2, story: int | None = None, query: str | None = None
    ) -> int:
        """How many clusters :meth:`clusters` lists without a limit."""
        condition, values, words = _chosen_clusters(kind, min_mentions, story, query)
        with self._database.reading() as connection:
            if words is not None:
                return len(clusters_with_words(connection, condition, values, words))
            (count,) = connection.execute(f"SELECT count(*) FROM clusters WHERE {condition}", values).fetchone()
            return int(count)

    def summaries(self, ids: Sequence[str]) -> list[records.ClusterSummary]:
        """Clusters by their ids; those that are not there are left out."""
        check_ids("clusters", ids)
        with self._database.reading() as connection:
            return records.summaries(connection, [number_of(id, "c", "cluster") for id in ids])

    def documents(self, *, limit: int = 100, offset: int = 0) -> list[records.DocumentSummary]:
        """Documents, the latest added first."""
        _check_part(limit, offset)
        query = "SELECT * FROM document_summaries ORDER BY number DESC LIMIT ? OFFSET ?"
        with self._database.reading() as connection:
            return [records.document_summary(row) for row in connection.execute(query, (limit, offset))]

    def document_summaries(self, ids: Sequence[str]) -> dict[str, records.DocumentSummary]:
        """Documents by their ids; those that are not there are left out."""
        check_ids("documents", ids)
        with self._database.reading() as connection:
            rows = rows_in(connection, "SELECT * FROM document_summaries WHERE id IN ({})", list(ids))
            return {row[1]: records.document_summary(row) for row in rows}

    def cluster(
        self, id: str, *, limit: int | None = None, offset: int = 0, around: str | None = None
    ) -> records.ClusterPage:
        """A cluster, or the one it was merged into, with mentions in `limit` of its documents, ordered by date.

        `around` is the id of a mention that is to be among them, instead of an offset: the part in which its document
        is, the first if it is in none.
        """
        _check_part(limit, offset)
        with self._database.reading() as connection:
            number = living_cluster(connection, number_of(id, "c", "cluster"))
            row = connection.execute("SELECT * FROM cluster_summaries WHERE number = ?", (number,)).fetchone()
            if row is None:
                raise InputError(f"there is no cluster {id} in the collection")
            order = _documents_in_time(connection, number)
            if around is not None and limit:
                query = "SELECT document FROM mentions WHERE number = ? AND cluster = ?"
                found = connection.execute(query, (number_of(around, "m", "mention"), number)).fetchone()
                offset = 0 if found is None else order.index(found[0]) // limit * limit
            chosen = order[offset : None if limit is None else offset + limit]
            query = "SELECT * FROM document_summaries WHERE number IN ({})"
            documents = {row[0]: records.document_summary(row) for row in rows_in(connection, query, chosen)}
            query = "SELECT * FROM mention_summaries WHERE cluster = ? AND document IN ({}) ORDER BY place"
            rows = rows_in(connection, query, chosen, number)
            mentions = records.stored_mentions(connection, sorted(rows, key=lambda row: chosen.index(row[8])))
            query = (
                "SELECT words, count(*) AS occurrences FROM mentions WHERE cluster = ? "
                "GROUP BY words ORDER BY occurrences DESC, min(document), min(place)"
            )
            names = connection.execute(query, (number,)).fetchall()
            query = (
                "SELECT DISTINCT story FROM documents JOIN mentions ON mentions.document = documents.number "
                "WHERE cluster = ? ORDER BY story"
            )
            stories = tuple(story for (story,) in connection.execute(query, (number,)))
            return records.ClusterPage(
                records.cluster_summary(row),
                tuple(names),
                tuple(documents[document] for document in chosen),
                offset,
                tuple(mentions),
                stories,
            )

    def document(self, id: str, *, others: int | None = None) -> records.DocumentPage:
        """A document with its mentions, its clusters and related documents, at most `others` of its story."""
        check_text("the id of a document", id)
        _check_part(others, 0, "others")
        with self._database.reading() as connection:
            row = connection.execute("SELECT * FROM document_summaries WHERE id = ?", (id,)).fetchone()
            if row is None:
                raise no_document(connection, id)
            number, story = row[0], row[2]
            query = "SELECT text, fields FROM documents WHERE number = ?"
            document = stored_document(id, *connection.execute(query, (number,)).fetchone())
            query = "SELECT * FROM mention_summaries WHERE document = ? ORDER BY place"
            rows = connection.execute(query, (number,)).fetchall()
            clusters = dict.fromkeys(cluster for _, cluster, *_ in rows if cluster is not None)
            limit = -1 if others is None else others
            query = "SELECT * FROM document_summaries WHERE story = ? AND id != ? ORDER BY number LIMIT ?"
            of_story = connection.execute(query, (story, id, limit)).fetchall()
            about = "SELECT document FROM first_documents_about WHERE story = ?"
            query = f"SELECT * FROM document_summaries WHERE number IN ({about}) ORDER BY number LIMIT ?"
            related = connection.execute(query, (story, limit)).fetchall()
            numbers = copies_of(connection, number)
            id_of = dict(rows_in(connection, "SELECT number, id FROM documents WHERE number IN ({})", numbers))
            copies = tuple(id_of[copy] for copy in numbers if copy != number)
            is_copy = numbers[:1] not in ([], [number])
            return records.DocumentPage(
                records.document_summary(row),
                replace(document, parse=None, copy_of=copies[0] if is_copy else None),
                tuple(records.stored_mentions(connection, rows)),
                tuple(records.summaries(connection, list(clusters))),
                tuple(map(records.document_summary, of_story)),
                tuple(map(records.document_summary, related)),
                copies,
            )

    def stories(self, *, limit: int = 100, offset: int = 0) -> list[PredictedStory]:
        """The stories, those with most documents first, with timelines; documents without words belong to none."""
        _check_part(limit, offset)
        query = "SELECT story FROM documents_with_words GROUP BY story ORDER BY count(*) DESC, story LIMIT ? OFFSET ?"
        with self._database.reading() as connection:
            return self._read_stories([number for (number,) in connection.execute(query, (limit, offset))])

    def story(self, number: int) -> PredictedStory:
        """One story."""
        check_whole("the number of a story", number)
        found = self._read_stories([number])
        if not found or all(not document.tokens for document in found[0].corpus.documents):
            raise InputError(f"there is no story {number} in the collection")
        return found[0]

    def _read_stories(self, numbers: Sequence[int]) -> list[PredictedStory]:
        members: dict[int, list[str]] = {number: [] for number in numbers}
        query = "SELECT story, id FROM documents WHERE story IN ({}) ORDER BY number"
        with self._database.reading() as connection:
            corpus = corpus_in(connection, numbers)
            for story, id in rows_in(connection, query, numbers):
                members[story].append(id)
        return list(stories_of(corpus, {number: names for number, names in members.items() if names}))

    def mention(self, id: str) -> records.StoredMention:
        """A mention by its id."""
        number = number_of(id, "m", "mention")
        with self._database.reading() as connection:
            found = records.mentions_by_number(connection, [number])
        if number not in found:
            raise InputError(f"there is no mention {id} in the collection")
        return found[number]

    def search(self, query: str, *, kind: str | None = None, limit: int = 20, offset: int = 0) -> records.SearchResult:
        """Documents, and clusters of a kind, with all the words of a query or words that begin so, the best first.

        A cluster may have them in its title, which for an event has its place and day, in the words of its mentions, or
        in their sentences (see :func:`cdcoref.reports.ranking`). Case and accents do not matter.
        """
        check_text("a query", query)
        clusters = self.clusters(kind=kind, min_mentions=1, query=query, limit=limit, offset=offset)
        match = full_text_query(query)
        if match is None:
            return records.SearchResult((), ())
        sql = (
            "SELECT document_summaries.*, snippet(document_words, 0, char(2), char(3), '...', 24) "
            "FROM document_words JOIN document_summaries ON number = document_words.rowid "
            "WHERE document_words MATCH ? ORDER BY rank, number LIMIT ? OFFSET ?"
        )
        with self._database.reading() as connection:
            documents = [
                records.document_summary(row) for row in connection.execute(sql, (match, limit, offset)).fetchall()
            ]
        return records.SearchResult(tuple(clusters), tuple(documents))

    def least_sure(self, limit: int = 20, offset: int = 0) -> list[records.Question]:
        """The decisions in doubt, those first that change the most documents; none if mentions are linked by lemma."""
        _check_part(limit, offset)
        with self._database.reading() as connection:
            query = "SELECT * FROM ranked_questions LIMIT ? OFFSET ?"
            rows = connection.execute(query, (limit, offset)).fetchall()
            found = records.mentions_by_number(
                connection, [number for first, second, *_ in rows for number in (first, second)]
            )
        return [
            records.Question(found[first], found[second], bool(together), float(probability))
            for first, second, together, probability in rows
            if first in found and second in found
        ]

    def corrections(self) -> list[Correction]:
        """All corrections in the order in which they were made, also those that were undone."""
        with self._database.reading() as connection:
            return with_outcomes(connection, stored_corrections(connection))

    def corpus(self, *, corrected: bool = False) -> Corpus:
        """All documents (or only those with a corrected mention) and mentions, with the ids of their clusters."""
        with self._database.reading() as connection:
            corpus = corpus_in(connection)
            ids = [id for (id,) in connection.execute("SELECT id FROM corrected_documents")]
            return corpus.subset(ids) if corrected else corpus

    def prediction(self, *, corrected: bool = False) -> Prediction:
        """The collection as a prediction, its stories under their numbers; documents without words belong to none."""
        with self._database.reading() as connection:
            corpus = self.corpus(corrected=corrected)
            ids = {document.id for document in corpus.documents}
            with_words = {document.id for document in corpus.documents if document.tokens}
            stories: dict[int, list[str]] = {}
            for story, id in connection.execute("SELECT story, id FROM documents ORDER BY number"):
                if id in ids:
                    stories.setdefault(story, []).append(id)
            (pairs,) = connection.execute("SELECT count(*) FROM scores WHERE first != second").fetchone()
        kept = {number: tuple(story) for number, story in stories.items() if not with_words.isdisjoint(story)}
        largest = max(map(len, kept.values()), default=0)
        plan = Plan(len(ids), len(kept), largest, pairs, 0, len(ids) - len(with_words))
        return Prediction(corpus, tuple(kept.values()), plan, story_numbers=tuple(kept))


def _check_part(limit: int | None, offset: int, what: str = "limit") -> None:
    """Refuse what is no part of a list; SQLite would say that the file is damaged, or take -1 for everything."""
    for name, value in ((what, limit), ("offset", offset)):
        if value is not None:
            check_whole(name, value)
            if value < 0:
                raise InputError(f"{name} must be 0 or more, not {value}")


def _chosen_clusters(
    kind: str | None, min_mentions: int, story: int | None, query: str | None
) -> tuple[str, list[object], str | None]:
    """A condition of SQL, and its values; words that are searched for besides."""
    if kind is not None and kind not in KINDS:
        raise InputError(f"kind is {kind!r} and should be one of {', '.join(map(repr, KINDS))}")
    check_whole("min_mentions", min_mentions)
    conditions: dict[str, object] = {"mentions >= ?": max(1, min_mentions)}
    if kind is not None:
        conditions["kind = ?"] = kind
    if story is not None:
        check_whole("the number of a story", story)
        conditions[f"number IN ({_OF_STORY})"] = story
    if query is not None:
        check_text("a query", query)
    asks = query is not None and query.replace("\0", " ").strip()
    return " AND ".join(conditions), list(conditions.values()), query if asks else None


def _documents_in_time(connection: sqlite3.Connection, cluster: int) -> list[int]:
    """Numbers of the documents in which a cluster is mentioned, by date; those without one last, as they were added."""
    query = (
        "SELECT number, id, substr(text, 1, ?), metadata FROM document_summaries "
        "WHERE number IN (SELECT document FROM mentions WHERE cluster = ?)"
    )
    rows = connection.execute(query, (BEGINNING, cluster)).fetchall()
    dated = [(day_of(id, text, records.stored_metadata(metadata)), number) for number, id, text, metadata in rows]
    return [number for _, number in sorted(dated, key=lambda row: (row[0] is None, row[0] or "", row[1]))]

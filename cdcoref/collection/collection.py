"""A collection in one file: documents are added and removed, clusters are looked at and corrected."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cdcoref.collection import queries
from cdcoref.collection.adding import add_documents, rebuild_collection
from cdcoref.collection.correcting import store_and_obey, turn_and_obey, with_outcomes
from cdcoref.collection.corrections import Action, Correction, stored_corrections
from cdcoref.collection.database import Database, rows_in
from cdcoref.collection.decisions import Decision
from cdcoref.collection.documents import Incoming, stored_boilerplate
from cdcoref.collection.reader import GivenPredictor, Reader
from cdcoref.collection.records import (
    ClusterPage,
    ClusterSummary,
    Counts,
    DocumentPage,
    DocumentSummary,
    Question,
    RemovedDocument,
    Report,
    SearchResult,
    StoredMention,
)
from cdcoref.collection.removing import remove_documents, removed_documents, restore_documents
from cdcoref.collection.settings import OPTIONS, Settings, has_settings, kept_options, store_settings, stored_settings
from cdcoref.corpus import KINDS, Corpus, Mention
from cdcoref.errors import InputError, check_ids, check_text, check_whole
from cdcoref.formats import corpus_in
from cdcoref.linking import BATCH_TOKENS
from cdcoref.predict import LEMMA, Plan, Prediction, PredictionOptions, Predictor, corpus_of_texts
from cdcoref.reports import PredictedStory, stories_of
from cdcoref.stories import boilerplate_lines
from cdlm.shipped_models import DEFAULT, MODELS

if TYPE_CHECKING:
    from cdcoref.predict import GivenText, Progress


def _silent(stage: str, done: int, total: int) -> None:
    pass


class Collection:
    """A collection in a file; :meth:`create` and :meth:`open` return one, :meth:`close` or ``with`` closes it.

    An object belongs to one thread; opening another on the same file takes milliseconds. Any number of them, in any
    number of programs, can read while one writes: each method sees the collection as it was before or after a change.
    A change is stored whole or not at all, whatever happens in the meantime. Every method raises `InputError`, in one
    sentence, if what it is asked for is wrong, the file cannot be used, or another program keeps writing for a minute.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    @classmethod
    def create(
        cls,
        path: str | Path,
        model: str = "default",
        options: PredictionOptions = OPTIONS,
        **settings: Any,
    ) -> Collection:
        """Create an empty collection; an existing one with the same model and options is opened instead.

        `model` is as :func:`cdcoref.predict.load` takes it. A collection keeps the options `kind`, `threshold`,
        `max_pairs` (by default 20) and `across_stories`, and has no others; they can also be given by name:
        ``Collection.create(path, kind="event")``.
        """
        wanted = Settings(_stored_name(model), PredictionOptions.with_settings(options, settings))
        kept_options(wanted.options)
        database = Database(path, create=True)
        try:
            with database.writing() as connection:
                if not has_settings(connection):
                    store_settings(connection, wanted)
                stored = stored_settings(connection)
            if (stored.model, stored.options) != (wanted.model, wanted.options):
                raise InputError(
                    f"this collection was made with {stored.differences(wanted)}; leave out what differs, or rebuild "
                    "the collection with it first",
                    path,
                )
        except BaseException:
            database.close()
            raise
        return cls(database)

    @classmethod
    def open(cls, path: str | Path) -> Collection:
        """Open a collection; it can be read also where it cannot be written."""
        database = Database(path)
        try:
            with database.reading() as connection:
                if not has_settings(connection):
                    raise InputError(
                        "the collection was not completely created; remove the file and create it again", path
                    )
                stored_settings(connection)
        except BaseException:
            database.close()
            raise
        return cls(database)

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def discard(self) -> None:
        """Close the file, and remove it if it holds no document and no other program has it open."""
        self._database.discard()

    def __enter__(self) -> Collection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def path(self) -> Path:
        """The file."""
        return self._database.path

    @property
    def model(self) -> str:
        """The model with which documents are read, as :func:`cdcoref.predict.load` takes it."""
        return self._current().model

    @property
    def options(self) -> PredictionOptions:
        """How mentions are linked."""
        return self._current().options

    # -- changing it -------------------------------------------------------------------------------------------------

    def add(
        self,
        texts: Corpus | Mapping[str, GivenText] | Iterable[GivenText],
        predictor: GivenPredictor = None,
        *,
        batch_tokens: int = BATCH_TOKENS,
        progress: Progress = _silent,
    ) -> Report:
        """Add documents, all of them or none.

        A document that is already in the collection, under any id, is recognised by its content and kept; one that has
        changed replaces its earlier self, whose mentions with the same words keep their clusters' ids. See
        :mod:`cdcoref.collection.adding` for what it costs. Mentions that a corpus comes with are used (their clusters
        are not); if it, or a file that cannot hold any, has none, they are found.

        `predictor` is the collection's model, or a function that loads it, called if it is needed; by default it is
        loaded if it is needed. `progress` is called with a stage (``"finding mentions"``, ``"comparing"``,
        ``"storing"``), the amount done, and the total (0: unknown).
        """
        corpus = texts if isinstance(texts, Corpus) else corpus_of_texts(texts)
        given: dict[str, list[Mention]] | None = corpus.by_document() if corpus.mentions else None
        with self._database.reading() as connection:
            lines = stored_boilerplate(connection) | boilerplate_lines(corpus.documents)
        incoming = [
            Incoming.of(document, None if given is None or document.id in corpus.texts else given[document.id], lines)
            for document in corpus.documents
        ]
        reader = Reader(self._current(), predictor, batch_tokens)
        return add_documents(self._database, reader, incoming, lines, progress)

    def remove(self, ids: Sequence[str]) -> Report:
        """Remove documents by id, all of them or none; the rest of their stories is clustered again.

        They are kept in the file, for :meth:`restore`, until the collection is rebuilt.
        """
        check_ids("documents", ids)
        return remove_documents(self._database, ids)

    def restore(self, ids: Sequence[str] | None = None) -> Report:
        """Undo the removal of documents, by default of those removed last; their stories are clustered again.

        Nothing is read again, so documents that were added in the meantime are compared with them at the next rebuild.
        """
        if ids is not None:
            check_ids("documents", ids)
        return restore_documents(self._database, ids)

    def rebuild(
        self,
        predictor: Predictor | None = None,
        *,
        model: str | None = None,
        options: PredictionOptions | None = None,
        batch_tokens: int = BATCH_TOKENS,
        progress: Progress = _silent,
        **changes: Any,
    ) -> Report:
        """Add all documents again, then apply the corrections.

        With another `model` or other `options`, or single ones by name, from now on: ``rebuild(threshold=0.6)``.
        """
        settings = self._current()
        chosen = PredictionOptions.with_settings(options or settings.options, changes)
        kept_options(chosen)
        name = settings.model if model is None else _stored_name(model)
        settings = replace(settings, model=name, options=chosen, fingerprint=None)
        reader = Reader(replace(settings, clustering=None), predictor, batch_tokens)
        return rebuild_collection(self._database, reader, progress)

    def correct(self, action: Action, ids: Sequence[str], *, name: str | None = None) -> Correction:
        """Correct mentions, a cluster or stories, by ids; the id of a cluster stands for its first mention.

        ``"same"``: two mentions or more are the same; their clusters become one. ``"not-same"``: the two mentions are
        not the same. ``"not-a-mention"``: they are none. ``"split"``: they are one cluster, without the rest of the one
        that they are in. ``"move"``: the mentions leave it for the cluster named last. ``"rename"``, ``"day"``,
        ``"place"``: the one cluster has the `name`, or the event happened on that day, or at that place.
        ``"join-stories"``: stories (``"s3"``, or the id of a document of it) are one. ``"split-story"``: documents of
        one story are a story of their own. ``"move-document"``: documents leave their story for the one named last. A
        correction that contradicts an earlier one is refused.
        """
        check_ids("mentions", ids)
        [correction] = store_and_obey(self._database, [Decision(action, tuple(ids), name)])
        return correction

    def correct_all(self, decisions: Sequence[Decision]) -> list[Correction]:
        """Make several corrections, such as :func:`cdcoref.collection.read_decisions` reads: all of them or none."""
        return store_and_obey(self._database, decisions)

    def undo(self, number: int | None = None) -> Correction:
        """Undo a correction by its number, by default the one that holds and was made, or redone, last."""
        return turn_and_obey(self._database, number, undo=True)

    def redo(self, number: int | None = None) -> Correction:
        """Make a correction hold again that was undone, by its number, by default the one that was undone last."""
        return turn_and_obey(self._database, number, undo=False)

    # -- looking at it -----------------------------------------------------------------------------------------------

    def counts(self) -> Counts:
        """Numbers of documents, stories, mentions, clusters and corrections."""
        with self._database.reading() as connection:
            return queries.counts(connection)

    def clusters(
        self,
        *,
        kind: str | None = None,
        min_mentions: int = 2,
        story: int | None = None,
        query: str | None = None,
        limit: int = 100,
        offset: int = 0,
    ) -> list[ClusterSummary]:
        """Clusters of at least `min_mentions` mentions, those in most documents first; `query` as in :meth:`search`."""
        chosen = _checked(kind, min_mentions, story, query)
        _check_part(limit, offset)
        with self._database.reading() as connection:
            return queries.cluster_list(connection, chosen, limit, offset)

    def cluster_count(
        self, *, kind: str | None = None, min_mentions: int = 2, story: int | None = None, query: str | None = None
    ) -> int:
        """How many clusters :meth:`clusters` lists without a limit."""
        chosen = _checked(kind, min_mentions, story, query)
        with self._database.reading() as connection:
            return queries.cluster_count(connection, chosen)

    def summaries(self, ids: Sequence[str]) -> list[ClusterSummary]:
        """Clusters by their ids; those that are not there are left out."""
        check_ids("clusters", ids)
        with self._database.reading() as connection:
            return queries.summaries(connection, [queries.number_of(id, "c", "cluster") for id in ids])

    def documents(
        self, *, since: str | None = None, source: str | None = None, limit: int = 100, offset: int = 0
    ) -> list[DocumentSummary]:
        """Documents, the latest added first; only those of the day `since` (ISO 8601) or later, and of a source."""
        _check_documents(since, source)
        _check_part(limit, offset)
        with self._database.reading() as connection:
            return queries.document_list(connection, since, source, limit, offset)

    def document_count(self, *, since: str | None = None, source: str | None = None) -> int:
        """How many documents :meth:`documents` lists without a limit."""
        _check_documents(since, source)
        with self._database.reading() as connection:
            return queries.document_count(connection, since, source)

    def removed(self) -> list[RemovedDocument]:
        """The documents whose removal can be undone, the latest removed first."""
        with self._database.reading() as connection:
            return removed_documents(connection)

    def cluster(self, id: str, *, limit: int | None = None, offset: int = 0, around: str | None = None) -> ClusterPage:
        """A cluster, or the one it was merged into, with mentions in `limit` of its documents, ordered by date.

        `around` is the id of a mention that is to be among them, instead of an offset.
        """
        _check_part(limit, offset)
        with self._database.reading() as connection:
            return queries.cluster_page(connection, id, limit, offset, around)

    def document(self, id: str, *, others: int | None = None) -> DocumentPage:
        """A document with its mentions, its clusters and related documents, at most `others` of its story."""
        check_text("the id of a document", id)
        _check_part(others, 0, "others")
        with self._database.reading() as connection:
            return queries.document_page(connection, id, others)

    def stories(self, *, limit: int = 100, offset: int = 0) -> list[PredictedStory]:
        """The stories, those with most documents first, each with its title, timeline and disagreements.

        Documents without words belong to no story.
        """
        _check_part(limit, offset)
        query = (
            f"SELECT story FROM documents WHERE NOT ({queries.EMPTY}) "
            "GROUP BY story ORDER BY count(*) DESC, story LIMIT ? OFFSET ?"
        )
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

    def mention(self, id: str) -> StoredMention:
        """A mention by its id."""
        number = queries.number_of(id, "m", "mention")
        with self._database.reading() as connection:
            found = queries.mentions_by_number(connection, [number])
        if number not in found:
            raise InputError(f"there is no mention {id} in the collection")
        return found[number]

    def search(self, query: str, *, kind: str | None = None, limit: int = 20, offset: int = 0) -> SearchResult:
        """Documents, and clusters of a kind, with all the words of a query or words that begin so, the best first.

        A cluster may have them in its title, which for an event has its place and day, in the words of its mentions, or
        in their sentences (see :func:`cdcoref.reports.search_points`).
        """
        _checked(kind, 1, None, query)
        check_text("a query", query)
        _check_part(limit, offset)
        with self._database.reading() as connection:
            return queries.search(connection, query, kind, limit, offset)

    def least_sure(self, limit: int = 20, offset: int = 0) -> list[Question]:
        """The decisions in doubt, those first that change the most documents; none if mentions are linked by lemma."""
        _check_part(limit, offset)
        with self._database.reading() as connection:
            return queries.questions(connection, limit, offset)

    def corrections(self) -> list[Correction]:
        """All corrections in the order in which they were made, also those that were undone."""
        with self._database.reading() as connection:
            return with_outcomes(connection, stored_corrections(connection))

    def corpus(self, *, corrected: bool = False) -> Corpus:
        """All documents (or only those with a corrected mention) and mentions, with the ids of their clusters."""
        with self._database.reading() as connection:
            corpus = corpus_in(connection)
            return corpus.subset([id for (id,) in connection.execute(queries.CORRECTED)]) if corrected else corpus

    def prediction(self, *, corrected: bool = False) -> Prediction:
        """The collection as a prediction, with its stories under their numbers, for tables and pages.

        Documents without words belong to no story.
        """
        with self._database.reading() as connection:
            corpus = self.corpus(corrected=corrected)
            ids = {document.id for document in corpus.documents}
            with_words = {document.id for document in corpus.documents if document.tokens}
            query = "SELECT story, id FROM documents ORDER BY number"
            stories: dict[int, list[str]] = {}
            for story, id in connection.execute(query):
                if id in ids:
                    stories.setdefault(story, []).append(id)
            (pairs,) = connection.execute("SELECT count(*) FROM scores WHERE first != second").fetchone()
        kept = {number: tuple(story) for number, story in stories.items() if not with_words.isdisjoint(story)}
        largest = max(map(len, kept.values()), default=0)
        plan = Plan(len(ids), len(kept), largest, pairs, 0, len(ids) - len(with_words))
        return Prediction(corpus, tuple(kept.values()), plan, story_numbers=tuple(kept))

    def _current(self) -> Settings:
        """What the collection is made with now; another program may have rebuilt it."""
        with self._database.reading() as connection:
            return stored_settings(connection)


def _check_part(limit: int | None, offset: int, what: str = "limit") -> None:
    """Refuse what is no part of a list; SQLite would say that the file is damaged, or take -1 for everything."""
    for name, value in ((what, limit), ("offset", offset)):
        if value is not None:
            check_whole(name, value)
            if value < 0:
                raise InputError(f"{name} must be 0 or more, not {value}")


def _checked(kind: str | None, min_mentions: int, story: int | None, query: str | None) -> queries.ClusterFilter:
    if kind is not None and kind not in KINDS:
        raise InputError(f"kind is {kind!r} and should be one of {', '.join(map(repr, KINDS))}")
    check_whole("min_mentions", min_mentions)
    if story is not None:
        check_whole("the number of a story", story)
    if query is not None:
        check_text("a query", query)
    return queries.ClusterFilter(kind, min_mentions, story, query)


def _check_documents(since: str | None, source: str | None) -> None:
    for name, value in (("since", since), ("source", source)):
        if value is not None:
            check_text(name, value)


def _stored_name(model: str) -> str:
    """The name under which a collection keeps its model: the whole path of a folder, unless it has the name of ours."""
    if model in (*MODELS, DEFAULT, LEMMA) or not Path(model).is_dir():
        return model
    return str(Path(model).absolute())

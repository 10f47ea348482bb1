"""A collection in one file: documents are added and removed, clusters are looked at and corrected."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from cdcoref.collection.adding import add_documents, remove_documents
from cdcoref.collection.correcting import store_and_obey, turn_and_obey
from cdcoref.collection.corrections import Action, Correction
from cdcoref.collection.database import Database
from cdcoref.collection.documents import Incoming, stored_boilerplate
from cdcoref.collection.queries import Queries
from cdcoref.collection.reader import GivenPredictor, Reader
from cdcoref.collection.records import Report
from cdcoref.collection.settings import OPTIONS, Settings, has_settings, kept_options, store_settings, stored_settings
from cdcoref.corpus import Corpus, Mention
from cdcoref.errors import InputError, check_ids
from cdcoref.linking import BATCH_TOKENS
from cdcoref.predict import LEMMA, GivenText, PredictionOptions, Predictor, Progress, corpus_of_texts
from cdcoref.stories import boilerplate_lines
from cdlm.shipped_models import DEFAULT, MODELS


class Collection(Queries):
    """A collection in a file; :meth:`create` and :meth:`open` return one, :meth:`close` or ``with`` closes it.

    An object belongs to one thread; opening another on the same file takes milliseconds. Any number of them, in any
    number of programs, can read while one writes: each method sees the collection as it was before or after a change.
    A change is stored whole or not at all, whatever happens in the meantime. Every method raises `InputError`, in one
    sentence, if what it is asked for is wrong, the file cannot be used, or another program keeps writing for a minute.
    """

    @classmethod
    def create(
        cls, path: str | Path, model: str = "default", options: PredictionOptions = OPTIONS, **settings: Any
    ) -> Collection:
        """Create an empty collection; an existing one with the same model and options, or without documents, is opened.

        `model` is as :func:`cdcoref.predict.load` takes it. A collection keeps the options `kind`, `threshold` and
        `max_pairs` (by default 20), and has no others; they can also be given by name:
        ``Collection.create(path, kind="event")``.
        """
        wanted = Settings(_stored_name(model), PredictionOptions.with_settings(options, settings))
        kept_options(wanted.options)
        database = Database(path, create=True)
        try:
            with database.writing() as connection:
                if not has_settings(connection) or not connection.execute("SELECT 1 FROM documents LIMIT 1").fetchone():
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

    def add(
        self,
        texts: Corpus | Mapping[str, GivenText] | Iterable[GivenText],
        predictor: GivenPredictor = None,
        *,
        batch_tokens: int = BATCH_TOKENS,
        progress: Progress = lambda stage, done, total: None,
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
        """Remove documents by id, all or none of them; if they are added again, their corrections hold again."""
        check_ids("documents", ids)
        return remove_documents(self._database, ids)

    def rebuild(
        self,
        predictor: Predictor | None = None,
        *,
        model: str | None = None,
        options: PredictionOptions | None = None,
        batch_tokens: int = BATCH_TOKENS,
        progress: Progress = lambda stage, done, total: None,
        **changes: Any,
    ) -> Report:
        """Add all documents again, now with what is given (``rebuild(threshold=0.6)``), and apply the corrections."""
        settings = self._current()
        chosen = PredictionOptions.with_settings(options or settings.options, changes)
        kept_options(chosen)
        name = settings.model if model is None else _stored_name(model)
        settings = replace(settings, model=name, options=chosen, fingerprint=None)
        reader = Reader(replace(settings, clustering=None), predictor, batch_tokens)
        return add_documents(self._database, reader, None, frozenset(), progress)

    def correct(self, action: Action, ids: Sequence[str], *, name: str | None = None) -> Correction:
        """Correct mentions, a cluster or stories, by ids; the id of a cluster stands for its first mention.

        ``"same"``: two mentions or more are the same; their clusters become one. ``"not-same"``: the two mentions are
        not the same. ``"not-a-mention"``: they are none. ``"split"``: they are one cluster, without the rest of the one
        that they are in. ``"move"``: the mentions leave it for the cluster named last. ``"rename"``, ``"day"``,
        ``"place"``: the one cluster has the `name`, or the event happened on that day, or at that place.
        ``"join-stories"``: stories (``"s3"``, or the id of a document of it) are one. ``"split-story"``: documents of
        one story are a story of their own. ``"move-document"``: documents leave their story for the one named last.
        ``"rename-story"``: the one story has the `name` as its title. A correction that contradicts an earlier one is
        refused.
        """
        check_ids("mentions", ids)
        return store_and_obey(self._database, action, ids, name)

    def undo(self, number: int | None = None) -> Correction:
        """Undo a correction by its number, by default the one that holds and was made, or redone, last."""
        return turn_and_obey(self._database, number, undo=True)

    def redo(self, number: int | None = None) -> Correction:
        """Make a correction hold again that was undone, by its number, by default the last undone since the newest."""
        return turn_and_obey(self._database, number, undo=False)

    def _current(self) -> Settings:
        """What the collection is made with now; another program may have rebuilt it."""
        with self._database.reading() as connection:
            return stored_settings(connection)


def _stored_name(model: str) -> str:
    """The name under which a collection keeps its model: the whole path of a folder, unless it has the name of ours."""
    if model in (*MODELS, DEFAULT, LEMMA) or not Path(model).is_dir():
        return model
    return str(Path(model).absolute())

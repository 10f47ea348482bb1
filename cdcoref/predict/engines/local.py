"""Many stories on this machine, one after the other: a collection and its stories in, linked stories out."""

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

import numpy as np

from cdcoref.corpus import KINDS, Corpus, Document, Mention
from cdcoref.facts import with_parses
from cdcoref.linking import LinkedStory, LinkingOptions, ResultStore, document_hash, lemma_clusters, link_story, read
from cdcoref.model import CorefModel
from cdcoref.predict.prediction import Progress, Story
from cdcoref.reading import MentionVectors, Reading, Readings
from cdlm.memory import return_freed_memory

WORDS_AT_ONCE = 16_000
"""Small stories are searched for mentions together, up to this many words at a time."""


Chunk = list[tuple[int, Story]]
"""Stories whose documents are searched for mentions together, with their numbers."""


def chunks(words: Mapping[str, int], stories: Sequence[Story]) -> Iterator[Chunk]:
    """The stories in order, in chunks of at most `WORDS_AT_ONCE` words; a larger story is a chunk of its own.

    `words`: How many each document has, by id.
    """
    chunk: Chunk = []
    size = 0
    for number, story in enumerate(stories):
        own = sum(words[name] for name in story.documents)
        if chunk and size + own > WORDS_AT_ONCE:
            yield chunk
            chunk, size = [], 0
        chunk.append((number, story))
        size += own
    if chunk:
        yield chunk


@dataclass(frozen=True, slots=True)
class Task:
    """The work to do for every story.

    `kind`: Of mentions to link; given mentions without a kind are taken to be of this kind. `find`: Find mentions,
    instead of linking those of the collection. `lemma`: Cluster by head lemma, not by the model. `kinds`, `given`: The
    kinds that are found, and mentions of documents of another kind, by id.
    """

    options: LinkingOptions
    kind: Literal["event", "entity", "both"] = "both"
    find: bool = True
    lemma: bool = False
    kinds: Sequence[str] = KINDS
    given: Mapping[str, Sequence[Mention]] = field(default_factory=dict)


class Worker:
    """Reads documents and links stories with one model; None if the task is to link given mentions by lemma."""

    def __init__(self, model: CorefModel | None, task: Task, store: ResultStore | None = None) -> None:
        self._model = model
        self._task = task
        self._store = store
        self._partly = len(task.kinds) < len(KINDS)

    def read(self, documents: Sequence[Document]) -> dict[str, Reading]:
        """Documents with their mentions, and vectors if the model has them, by id; read or looked up."""
        assert self._model is not None
        documents = self._with_parses(documents)
        known = {document.id: self._kept(document) for document in documents}
        readings = {id: reading for id, reading in known.items() if reading is not None}
        unread = [document for document in documents if document.id not in readings]
        batch_tokens = self._task.options.batch_tokens
        for reading in read(
            self._model, unread, batch_tokens=batch_tokens, kinds=self._task.kinds, given=self._task.given
        ):
            readings[reading.document.id] = reading
            if self._store is not None and not self._partly:
                rows = np.array(
                    [(m.start, m.end, KINDS.index(m.kind or ""), m.confidence or 0.0) for m in reading.mentions]
                ).reshape(-1, 4)
                results = {self._key(reading.document): rows}
                if reading.vectors is not None:
                    results[self._key(reading.document, reading.mentions)] = reading.vectors.packed()
                self._store.put(results)
        return_freed_memory()
        return readings

    def link(
        self, readings: Readings, story: Story, advance: Callable[[float], None] = lambda pairs: None
    ) -> LinkedStory:
        """Link the mentions of one story's documents; `advance` as in :func:`cdcoref.linking.link_story`."""
        kind = self._task.kind
        if kind != "both":
            mentions = readings.corpus.mentions
            readings = readings.take([n for n, mention in enumerate(mentions) if mention.kind in (None, kind)], kind)
        if self._task.lemma:
            return LinkedStory(readings.with_corpus(lemma_clusters(readings.corpus, [story.documents])))
        assert self._model is not None
        linked = link_story(
            self._model,
            readings,
            self._task.options,
            pairs=story.pairs,
            story_of=None if story.stories is None else dict(zip(story.documents, story.stories, strict=True)),
            store=self._store,
            advance=advance,
        )
        for document in readings.corpus.documents:
            readings[document.id].forget()
        return_freed_memory()
        return linked

    def _with_parses(self, documents: Sequence[Document]) -> list[Document]:
        if self._store is None:
            return with_parses(documents)
        keys = [self._store.key("parse", document_hash(document)) for document in documents]
        stored = [self._store.get(key) for key in keys]
        known = [
            document if kept is None else replace(document, parse=kept.tobytes())
            for document, kept in zip(documents, stored, strict=True)
        ]
        parsed = with_parses(known)
        new = [(key, own.parse) for key, own, kept in zip(keys, parsed, stored, strict=True) if kept is None]
        self._store.put({key: np.frombuffer(parse or b"", dtype=np.uint8) for key, parse in new})
        return parsed

    def _key(self, document: Document, mentions: Sequence[Mention] | None = None) -> bytes:
        assert self._store is not None
        what = "mentions" if mentions is None else "vectors"
        return self._store.key(what, document_hash(document, mentions or ()))

    def _kept(self, document: Document) -> Reading | None:
        if self._store is None or self._partly or (rows := self._store.get(self._key(document))) is None:
            return None
        assert self._model is not None
        mentions = [
            Mention(document.id, tuple(range(int(start), int(end))), KINDS[int(kind)], confidence=float(confidence))
            for start, end, kind, confidence in rows
        ]
        if self._model.vector_scorer is None:
            return Reading(document, mentions)
        vectors = self._store.get(self._key(document, mentions))
        if vectors is None:
            return None
        return Reading(document, mentions, MentionVectors.unpacked(vectors))


class Pool(Protocol):
    """Where the tasks of a :class:`Worker` are done, the one with the smallest number first."""

    def add(self, number: int, method: Literal["read", "link"], *arguments: Any, of: Any) -> None:
        """Let a worker do something; `of` comes back with the result."""

    def next_result(self) -> tuple[Any, Any]:
        """The `of` and the result of the next task to finish."""


def linked_stories(
    pool: Pool, task: Task, corpus: Corpus, stories: Sequence[Story], ahead: int, progress: Progress
) -> Iterator[LinkedStory]:
    """Link the stories in order; cluster names are unique across all of them. `stories` are a partition of the
    documents; `ahead` is how many are begun before the earliest is finished. `progress` is called with the stages
    ``"finding mentions"`` (in words) and ``"comparing"`` (:meth:`Story.cost`)."""
    mentions_of = corpus.by_document()
    documents = {document.id: document for document in corpus.documents}
    given = {} if task.find else {id: Reading(document, mentions_of[id]) for id, document in documents.items()}
    words = {id: len(document.tokens) for id, document in documents.items()}
    total, cost = sum(words.values()), sum(story.cost() for story in stories)
    words_done = cost_done = begun = 0
    left = deque(chunks(words, stories))
    finished: dict[int, LinkedStory] = {}

    def link(chunk: Chunk, readings: Mapping[str, Reading]) -> None:
        for number, story in chunk:
            pool.add(number, "link", Readings.joined(readings[name] for name in story.documents), story, of=number)

    for wanted in range(len(stories)):
        while wanted not in finished:
            while left and begun < wanted + ahead:
                chunk = left.popleft()
                begun += len(chunk)
                if task.find:
                    to_read = [documents[name] for _, story in chunk for name in story.documents]
                    pool.add(chunk[0][0], "read", to_read, of=chunk)
                else:
                    link(chunk, given)
            of, result = pool.next_result()
            if isinstance(of, list):
                words_done += sum(words[name] for _, story in of for name in story.documents)
                progress("finding mentions", words_done, total)
                link(of, result)
            else:
                finished[of] = result
                cost_done += stories[of].cost()
                progress("comparing", cost_done, cost)
        story = finished.pop(wanted)
        yield story.with_corpus(story.corpus.with_prefix(f"{wanted}_"))


class LocalEngine:
    """Links stories in this process, one after the other: a pool whose tasks are done when their results are wanted."""

    def __init__(self, model: CorefModel | None, task: Task, store: ResultStore | None = None) -> None:
        self._worker = Worker(model, task, store)
        self._task = task
        self._waiting: deque[tuple[str, tuple[Any, ...], Any]] = deque()

    def run(
        self, corpus: Corpus, stories: Sequence[Story], progress: Progress = lambda stage, done, total: None
    ) -> Iterator[LinkedStory]:
        """Link the stories, see :func:`linked_stories`; within a story, `progress` is called again and again."""
        cost = sum(story.cost() for story in stories)
        done = 0.0

        def advance(pairs: float) -> None:
            nonlocal done
            done += pairs
            progress("comparing", int(done), cost)

        def note(stage: str, amount: int, total: int) -> None:
            nonlocal done
            done = amount if stage == "comparing" else done
            progress(stage, amount, total)

        self._advance = advance
        return linked_stories(self, self._task, corpus, stories, 1, note)

    def add(self, number: int, method: Literal["read", "link"], *arguments: Any, of: Any) -> None:
        self._waiting.append((method, arguments, of))

    def next_result(self) -> tuple[Any, Any]:
        method, arguments, of = self._waiting.popleft()
        if method == "read":
            return of, self._worker.read(*arguments)
        readings, story = arguments
        return of, self._worker.link(readings, story, self._advance)

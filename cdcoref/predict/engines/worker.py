"""What each process of an engine does: documents in, their mentions out; a story in, its clusters out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from cdcoref.corpus import KINDS, Document, Mention
from cdcoref.linking import (
    LinkedStory,
    LinkingOptions,
    MentionVectors,
    ResultStore,
    document_hash,
    find_mentions_and_vectors,
    lemma_clusters,
    link_story,
    vector_widths,
)
from cdcoref.model import CorefModel
from cdcoref.predict.engines.work import Mentions, Part, Story
from cdlm.memory import return_freed_memory


@dataclass(frozen=True, slots=True)
class Task:
    """The work to do for every story.

    Attributes
    ----------
    options
        See :class:`cdcoref.linking.LinkingOptions`.
    kind
        The kind of mentions to link; given mentions without a kind are taken to be of this kind.
    find
        Find mentions, instead of linking those of the collection.
    lemma
        Cluster by head lemma instead of by the model.
    """

    options: LinkingOptions
    kind: Literal["event", "entity", "both"] = "both"
    find: bool = True
    lemma: bool = False


class Worker:
    """Finds mentions and links stories with one model.

    Parameters
    ----------
    model
        Finds and compares mentions; None if the task is to link given mentions by lemma.
    task
        What to do with every story.
    store
        Where results are looked up and stored.
    """

    def __init__(self, model: CorefModel | None, task: Task, store: ResultStore | None = None) -> None:
        self._model = model
        self._task = task
        self._store = store

    def mentions(self, documents: Sequence[Document]) -> dict[str, Mentions]:
        """The mentions of documents by their ids, with vectors if the model has them; found or looked up."""
        assert self._model is not None
        found: dict[str, Mentions] = {}
        todo = []
        for document in documents:
            kept = self._kept(document)
            if kept is None:
                todo.append(document)
            else:
                found[document.id] = kept
        for document, mentions, vectors in find_mentions_and_vectors(
            self._model, todo, batch_tokens=self._task.options.batch_tokens
        ):
            found[document.id] = Mentions(mentions, vectors)
            if self._store is not None:
                results = {self._key(document): np.array([_packed(m) for m in mentions]).reshape(-1, 4)}
                if vectors is not None:
                    results[self._key(document, mentions)] = vectors.packed()
                self._store.put(results)
        return_freed_memory()
        return found

    def link(self, part: Part, story: Story, advance: Callable[[float], None] = lambda pairs: None) -> LinkedStory:
        """Link the mentions of one story's documents; `advance` as in :func:`cdcoref.linking.link_story`."""
        if self._task.kind != "both":
            part = part.of_kind(self._task.kind)
        if self._task.lemma:
            return LinkedStory(lemma_clusters(part.corpus, [story.documents]))
        assert self._model is not None
        linked = link_story(
            self._model,
            part.corpus,
            self._task.options,
            pairs=story.pairs,
            vectors=part.vectors,
            story_of=None if story.stories is None else dict(zip(story.documents, story.stories, strict=True)),
            store=self._store,
            advance=advance,
        )
        return_freed_memory()
        return linked

    def _key(self, document: Document, mentions: Sequence[Mention] | None = None) -> bytes:
        assert self._store is not None
        what = "mentions" if mentions is None else "vectors"
        return self._store.key(what, document_hash(document, mentions or ()))

    def _kept(self, document: Document) -> Mentions | None:
        """What the store has of a document."""
        rows = None if self._store is None else self._store.get(self._key(document))
        if self._store is None or rows is None:
            return None
        assert self._model is not None
        mentions = [_unpacked(row, document.id) for row in rows]
        if self._model.vector_scorer is None:
            return Mentions(mentions)
        vectors = self._store.get(self._key(document, mentions))
        return (
            None
            if vectors is None
            else Mentions(mentions, MentionVectors.unpacked(vectors, *vector_widths(self._model)))
        )


def _packed(mention: Mention) -> list[float]:
    return [mention.start, mention.end, KINDS.index(mention.kind or ""), mention.confidence or 0.0]


def _unpacked(row: np.ndarray, document: str) -> Mention:
    start, end, kind, confidence = row
    return Mention(document, tuple(range(int(start), int(end))), KINDS[int(kind)], confidence=float(confidence))

"""What one process does for an engine: documents in, their mentions out; a story in, its clusters out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from cdcoref.corpus import KINDS, Corpus, Document, Mention
from cdcoref.engines.work import Story
from cdcoref.linking import (
    LinkedStory,
    LinkingOptions,
    ResultStore,
    document_hash,
    find_mentions,
    lemma_clusters,
    link_story,
)
from cdcoref.model import CorefModel


@dataclass(frozen=True, slots=True)
class Task:
    """What is done with every story.

    Attributes
    ----------
    options
        See :class:`cdcoref.linking.LinkingOptions`.
    kind
        The kind of mentions to link; mentions that come without one are of this kind.
    find
        Whether mentions are found, or those of the collection are linked.
    lemma
        Cluster by head lemma instead of by the model.
    """

    options: LinkingOptions
    kind: Literal["event", "entity", "both"] = "both"
    find: bool = True
    lemma: bool = False


class Worker:
    """A model at work.

    Parameters
    ----------
    model
        Finds and compares mentions.
    task
        What is done with every story.
    store
        Where results are looked up and kept.
    """

    def __init__(self, model: CorefModel, task: Task, store: ResultStore | None = None) -> None:
        self._model = model
        self._task = task
        self._store = store

    def mentions(self, documents: Sequence[Document]) -> dict[str, list[Mention]]:
        """The mentions of documents by their ids, found or looked up."""
        mentions: dict[str, list[Mention]] = {}
        keys: dict[str, bytes] = {}
        todo = []
        for document in documents:
            kept = None
            if self._store is not None:
                keys[document.id] = self._store.key("mentions", document_hash(document))
                kept = self._store.get(keys[document.id])
            if kept is None:
                todo.append(document)
            else:
                mentions[document.id] = [_unpacked(row, document.id) for row in kept]
        batch_tokens = self._task.options.batch_tokens
        found = find_mentions(self._model, Corpus(tuple(todo)), batch_tokens=batch_tokens).by_document()
        if self._store is not None:
            self._store.put({keys[d.id]: np.array([_packed(m) for m in found[d.id]]).reshape(-1, 4) for d in todo})
        return mentions | found

    def link(self, part: Corpus, story: Story, advance: Callable[[float], None] = lambda pairs: None) -> LinkedStory:
        """Link the mentions of one story's documents; `advance` as in :func:`cdcoref.linking.link_story`."""
        if self._task.kind != "both":
            marked = tuple(m if m.kind else replace(m, kind=self._task.kind) for m in part.mentions)
            part = replace(part, mentions=marked).of_kind(self._task.kind)
        if self._task.lemma:
            return LinkedStory(lemma_clusters(part, [story.documents]))
        return link_story(self._model, part, self._task.options, pairs=story.pairs, store=self._store, advance=advance)


def _packed(mention: Mention) -> list[float]:
    return [mention.start, mention.end, KINDS.index(mention.kind or ""), mention.confidence or 0.0]


def _unpacked(row: np.ndarray, document: str) -> Mention:
    start, end, kind, confidence = row
    return Mention(document, tuple(range(int(start), int(end))), KINDS[int(kind)], confidence=float(confidence))

"""Many stories on this machine, one after the other: a collection and its stories in, linked stories out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from cdcoref.corpus import KINDS, Corpus, Document, Mention
from cdcoref.linking import (
    DocumentPair,
    LinkedStory,
    LinkingOptions,
    ResultStore,
    document_hash,
    find_mentions,
    lemma_clusters,
    link_story,
)
from cdcoref.model import CorefModel

WORDS_AT_ONCE = 50_000
"""Small stories are read for mentions together, up to so many words at a time."""

Progress = Callable[[str, int, int], None]
"""Is told a stage, how much of it is done, and how much there is."""


@dataclass(frozen=True, slots=True)
class Story:
    """Documents about the same story, by id, and the pairs of them to compare; None: all."""

    documents: tuple[str, ...]
    pairs: tuple[DocumentPair, ...] | None = None

    def pair_count(self) -> int:
        """How many pairs of documents there are to compare."""
        return len(self.documents) * (len(self.documents) - 1) // 2 if self.pairs is None else len(self.pairs)


class LocalEngine:
    """Links the stories of a collection one after the other.

    Parameters
    ----------
    model
        Finds and compares mentions.
    options
        See :class:`cdcoref.linking.LinkingOptions`.
    kind
        The kind of mentions to link; mentions that come without one are of this kind.
    find
        Whether mentions are found, or those of the collection are linked.
    lemma
        Cluster by head lemma instead of by the model.
    store
        Where results are looked up and kept.
    """

    def __init__(
        self,
        model: CorefModel,
        options: LinkingOptions,
        *,
        kind: Literal["event", "entity", "both"] = "both",
        find: bool = True,
        lemma: bool = False,
        store: ResultStore | None = None,
    ) -> None:
        self._model = model
        self._options = options
        self._kind = kind
        self._find = find
        self._lemma = lemma
        self._store = store

    def run(
        self, corpus: Corpus, stories: Sequence[Story], progress: Progress = lambda stage, done, total: None
    ) -> Iterator[LinkedStory]:
        """Link every story, in their order; names of clusters are unique over all of them.

        Parameters
        ----------
        corpus
            The collection.
        stories
            A partition of its documents.
        progress
            Is told of the stages ``"finding mentions"`` (in words) and ``"comparing"`` (in pairs of documents, each
            document with itself counted as one).
        """
        documents = {document.id: document for document in corpus.documents}
        given: dict[str, list[Mention]] = {name: [] for name in documents}
        for mention in corpus.mentions:
            given[mention.document].append(mention)
        words = sum(len(document.tokens) for document in corpus.documents)
        work = sum(story.pair_count() + len(story.documents) for story in stories)
        words_done, work_done, number = 0, 0.0, 0
        for chunk in _chunks(stories, documents):
            chosen = [documents[name] for story in chunk for name in story.documents]
            if self._find:
                mentions = self._mentions(chosen)
                words_done += sum(len(document.tokens) for document in chosen)
                progress("finding mentions", words_done, words)
            else:
                mentions = {document.id: given[document.id] for document in chosen}
            for story in chunk:
                expected = work_done + story.pair_count() + len(story.documents)

                def advance(pairs: float) -> None:
                    nonlocal work_done
                    work_done += pairs
                    progress("comparing", int(work_done), work)

                part = Corpus(
                    tuple(documents[name] for name in story.documents),
                    tuple(mention for name in story.documents for mention in mentions[name]),
                )
                linked = self._link(part, story, advance)
                work_done = expected
                progress("comparing", int(work_done), work)
                yield _named(linked, number)
                number += 1

    def _link(self, part: Corpus, story: Story, advance: Callable[[float], None]) -> LinkedStory:
        if self._kind != "both":
            named = tuple(m if m.kind else replace(m, kind=self._kind) for m in part.mentions)
            part = replace(part, mentions=named).of_kind(self._kind)
        if self._lemma:
            return LinkedStory(lemma_clusters(part, [story.documents]))
        return link_story(self._model, part, self._options, pairs=story.pairs, store=self._store, advance=advance)

    def _mentions(self, documents: Sequence[Document]) -> dict[str, list[Mention]]:
        """The mentions of documents, found or looked up."""
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
        found = find_mentions(self._model, Corpus(tuple(todo)), batch_tokens=self._options.batch_tokens).by_document()
        if self._store is not None:
            self._store.put({keys[d.id]: np.array([_packed(m) for m in found[d.id]]).reshape(-1, 4) for d in todo})
        return mentions | found


def _chunks(stories: Sequence[Story], documents: dict[str, Document]) -> Iterator[list[Story]]:
    """Stories in lists of about `WORDS_AT_ONCE` words; a larger story is alone in its list."""
    chunk: list[Story] = []
    size = 0
    for story in stories:
        words = sum(len(documents[name].tokens) for name in story.documents)
        if chunk and size + words > WORDS_AT_ONCE:
            yield chunk
            chunk, size = [], 0
        chunk.append(story)
        size += words
    if chunk:
        yield chunk


def _named(story: LinkedStory, number: int) -> LinkedStory:
    """The story with its number before the names of its clusters."""
    mentions = tuple(replace(m, cluster=f"{number}_{m.cluster}") for m in story.corpus.mentions)
    return replace(story, corpus=replace(story.corpus, mentions=mentions))


def _packed(mention: Mention) -> list[float]:
    return [mention.start, mention.end, KINDS.index(mention.kind or ""), mention.confidence or 0.0]


def _unpacked(row: np.ndarray, document: str) -> Mention:
    start, end, kind, confidence = row
    return Mention(document, tuple(range(int(start), int(end))), KINDS[int(kind)], confidence=float(confidence))

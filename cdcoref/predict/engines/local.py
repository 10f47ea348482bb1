"""Many stories on this machine, one after the other: a collection and its stories in, linked stories out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cdcoref.corpus import Corpus
from cdcoref.linking import LinkedStory, ResultStore
from cdcoref.model import CorefModel
from cdcoref.predict.engines.work import Progress, Story, chunks, given_mentions, with_unique_cluster_ids
from cdcoref.predict.engines.worker import Task, Worker


class LocalEngine:
    """Links the stories of a collection one after the other.

    Parameters
    ----------
    model
        Detects and compares mentions; None if the task is to link given mentions by lemma.
    task
        What to do with every story.
    store
        Where results are looked up and stored.
    """

    def __init__(self, model: CorefModel | None, task: Task, store: ResultStore | None = None) -> None:
        self._worker = Worker(model, task, store)
        self._find = task.find

    def run(
        self, corpus: Corpus, stories: Sequence[Story], progress: Progress = lambda stage, done, total: None
    ) -> Iterator[LinkedStory]:
        """Link the stories in order; cluster names are unique across all of them.

        Parameters
        ----------
        corpus
            The collection.
        stories
            A partition of its documents.
        progress
            Called with the stages ``"finding mentions"`` (in words) and ``"comparing"`` (in pairs of documents, where
            each document with itself counts as one).
        """
        given = given_mentions(corpus)
        words = sum(len(document.tokens) for document in corpus.documents)
        cost = sum(story.cost() for story in stories)
        words_done, cost_done = 0, 0.0

        def advance(pairs: float) -> None:
            nonlocal cost_done
            cost_done += pairs
            progress("comparing", int(cost_done), cost)

        for chunk in chunks(corpus, stories):
            if self._find:
                mentions = self._worker.mentions(chunk.documents)
                words_done += chunk.words()
                progress("finding mentions", words_done, words)
            else:
                mentions = given
            for number, story, part in chunk.parts(mentions):
                expected = cost_done + story.cost()
                linked = self._worker.link(part, story, advance)
                cost_done = expected
                progress("comparing", int(cost_done), cost)
                yield with_unique_cluster_ids(linked, number)

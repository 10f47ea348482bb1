"""How much there is: a corpus in, the numbers of its documents, stories, mentions and clusters out."""

from __future__ import annotations

from dataclasses import dataclass

from cdcoref.corpus import Corpus


@dataclass(frozen=True, slots=True)
class Counts:
    """Totals: `across` and `within` are clusters in several documents and in one, `empty` documents without words."""

    documents: int = 0
    stories: int = 0
    mentions: int = 0
    across: int = 0
    within: int = 0
    singletons: int = 0
    empty: int = 0

    @classmethod
    def of(cls, corpus: Corpus, stories: int) -> Counts:
        """The counts of a corpus, given its number of stories."""
        tally = Tally()
        tally.add(corpus, stories)
        return tally.counts()


class Tally:
    """Counts what comes story by story; a cluster of several stories is one cluster."""

    def __init__(self) -> None:
        self._documents = self._stories = self._mentions = self._without_cluster = self._empty = 0
        self._within: dict[tuple[str | None, str], tuple[str, int]] = {}  # by cluster: its document, and its mentions
        self._across: set[tuple[str | None, str]] = set()

    def add(self, corpus: Corpus, stories: int) -> None:
        """Add the documents and mentions of some stories."""
        self._documents += len(corpus.documents)
        self._stories += stories
        self._mentions += len(corpus.mentions)
        self._empty += sum(not document.tokens for document in corpus.documents)
        for mention in corpus.mentions:
            if mention.cluster is None:
                self._without_cluster += 1
                continue
            key = mention.kind, mention.cluster
            if key in self._across:
                continue
            document, count = self._within.get(key, (mention.document, 0))
            if document == mention.document:
                self._within[key] = document, count + 1
            else:
                self._within.pop(key)
                self._across.add(key)

    def counts(self) -> Counts:
        """The totals so far."""
        several = sum(count > 1 for _, count in self._within.values())
        return Counts(
            self._documents,
            self._stories,
            self._mentions,
            len(self._across),
            several,
            len(self._within) - several + self._without_cluster,
            self._empty,
        )

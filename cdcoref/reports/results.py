"""Clusters with their documents and stories, and how many there are: what every view, file and table is made from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Self

from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.errors import check_text
from cdcoref.reading import Readings
from cdcoref.reports.cluster_circumstances import (
    NO_CIRCUMSTANCES,
    ClusterCircumstances,
    ClusterParticipant,
    ClusterPeriod,
    ClusterPlace,
    CorpusCircumstances,
)
from cdcoref.reports.mention_rows import (
    LocatedMentions,
    MentionRow,
    PredictedMention,
    circumstance_cells,
    metadata_cells,
    require_pandas,
)
from cdcoref.reports.predicted_story import PredictedStory, stories_of
from cdcoref.reports.ranking import (
    mean_confidence,
    ranked_clusters,
    search_points,
    search_words,
    searched,
    searched_title,
)

if TYPE_CHECKING:
    import pandas as pd


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


class Tally:
    """Counts what comes story by story; a cluster of several stories is one cluster."""

    def __init__(self) -> None:
        self._totals = Counter[str]()
        self._clusters: dict[tuple[str | None, str], tuple[str | None, int]] = {}
        """By cluster its document, None if it has several, and its number of mentions."""

    def add(self, corpus: Corpus, stories: int) -> None:
        """Add the documents and mentions of some stories."""
        empty = sum(not document.tokens for document in corpus.documents)
        self._totals.update(
            documents=len(corpus.documents), stories=stories, mentions=len(corpus.mentions), empty=empty
        )
        for mention in corpus.mentions:
            if mention.cluster is None:
                self._totals["singletons"] += 1
                continue
            key = mention.kind, mention.cluster
            document, count = self._clusters.get(key, (mention.document, 0))
            self._clusters[key] = document if document == mention.document else None, count + 1

    def counts(self) -> Counts:
        """The totals so far."""
        across = sum(document is None for document, _ in self._clusters.values())
        single = sum(count == 1 for _, count in self._clusters.values())
        totals = {**self._totals, "singletons": self._totals["singletons"] + single}
        return Counts(**totals, across=across, within=len(self._clusters) - across - single)


@dataclass(frozen=True)
class PredictedCluster:
    """Coreferent mentions, in the order of the documents: the row from which every list, page and file is made.

    `members`: the mentions as the corpus has them. `confidence`: the mean of theirs. `id`: the cluster's name in the
    corpus. `name`: what people call it, or its words. `circumstances`: of an event, when and where it happened, and who
    took part. `given_name`: what people call it. What is unknown is None or empty.
    """

    kind: str
    members: tuple[Mention, ...]
    confidence: float | None
    id: str | None
    name: str
    circumstances: ClusterCircumstances = NO_CIRCUMSTANCES
    given_name: str | None = None
    located: LocatedMentions = field(kw_only=True, repr=False, compare=False)

    @cached_property
    def mentions(self) -> tuple[PredictedMention, ...]:
        """The mentions, located in the texts."""
        return tuple(map(self.located.shown, self.members))

    @property
    def when(self) -> ClusterPeriod | None:
        """When an event happened, and the words that state it; None if unknown."""
        return self.circumstances.when

    @property
    def where(self) -> ClusterPlace | None:
        """Where an event happened, and the words that state it; None if unknown."""
        return self.circumstances.where

    @property
    def participants(self) -> tuple[ClusterParticipant, ...]:
        """The entities that take part in an event, those of most mentions first."""
        return self.circumstances.participants

    @cached_property
    def document_ids(self) -> tuple[str, ...]:
        """The documents in which it is mentioned."""
        return tuple(dict.fromkeys(mention.document for mention in self.members))

    @property
    def documents(self) -> int:
        """The number of documents in which it is mentioned."""
        return len(self.document_ids)

    @property
    def label(self) -> str:
        """Its name; that of an event has place and day behind it: ``fire · Kalamata, Greece · 6 Aug.``"""
        return self.given_name or self.circumstances.title(self.name)


class ScoredPair(NamedTuple):
    """Two mentions that were compared, and the calibrated probability that they corefer.

    `antecedent`: whether the first is a pronoun and the second the antecedent that was chosen for it.
    """

    first: Mention
    second: Mention
    probability: float
    antecedent: bool


@dataclass(frozen=True, repr=False)
class Results:
    """Documents with clusters, and their stories.

    `corpus`: documents, and mentions with the names of their clusters. `story_documents`: the ids of each story's
    documents. `notes`: a sentence for everything that could not be taken into account. `story_numbers`: the number of
    each story, where it is not its place from 1 (stories of a collection keep theirs). `pairs`: the pairs of mentions
    that were compared, if the option ``pairs`` asked for them. `readings`: what is known of the documents; None: they
    are looked at when something of them is asked for.
    """

    corpus: Corpus
    story_documents: tuple[tuple[str, ...], ...]
    _: KW_ONLY
    notes: tuple[str, ...] = ()
    story_numbers: tuple[int, ...] = ()
    pairs: tuple[ScoredPair, ...] | None = None
    readings: Readings | None = field(default=None, compare=False)

    @classmethod
    def of(cls, source: Results | Corpus) -> Results:
        """The clusters of a corpus as they are annotated; results as they are.

        Its stories are those of the prediction it was read from, or its subtopics, or else its topics; it has none if
        none of these is known of all documents.
        """
        if isinstance(source, Results):
            return source
        numbered: dict[int, list[str]] = {}
        groups: dict[str | None, list[str]] = {}
        for document in source.documents:
            groups.setdefault(document.subtopic or document.topic, []).append(document.id)
            if document.story is not None:
                numbered.setdefault(document.story, []).append(document.id)
        if numbered and all(document.story is not None or not document.tokens for document in source.documents):
            stories = tuple(tuple(numbered[number]) for number in sorted(numbered))
            return Results(source, stories, notes=source.notes, story_numbers=tuple(sorted(numbered)))
        return Results(source, () if None in groups else tuple(map(tuple, groups.values())), notes=source.notes)

    @cached_property
    def circumstances(self) -> CorpusCircumstances:
        """The labels and circumstances of the clusters; each document is looked at once."""
        return CorpusCircumstances(self.corpus, self.readings)

    @cached_property
    def located(self) -> LocatedMentions:
        """The mentions as readers see them."""
        return LocatedMentions(self.corpus.documents)

    def clusters(self, *, singletons: bool = False) -> list[PredictedCluster]:
        """The clusters in the order of :meth:`each_cluster`; singletons on request."""
        return list(self.each_cluster(singletons=singletons))

    def each_cluster(self, *, singletons: bool = False) -> Iterator[PredictedCluster]:
        """The clusters one by one: texts are consulted only for those requested.

        Clusters across documents come first, then clusters within one document, then, on request, singletons. Events
        and entities take turns, each kind ranked by the number of documents and the confidence; clusters that only name
        dates or numbers, or parts of longer names, come last (see :func:`cdcoref.reports.ranked_clusters`).
        """
        readings = self.circumstances.parsed_readings
        return map(self._cluster, ranked_clusters(self.corpus, readings, singletons=singletons))

    def search(self, query: str, *, singletons: bool = False) -> list[PredictedCluster]:
        """The clusters that have all the words of a query in their labels, mentions or sentences, the best first.

        Words that begin with those of the query count half; case and accents do not matter. The label of an event has
        its place and day. See :func:`cdcoref.reports.ranking`.
        """
        check_text("a query", query)
        words = list(dict.fromkeys(search_words(query)))
        found: list[tuple[int, int, int, int, int, PredictedCluster]] = []
        for number, cluster in enumerate(self.each_cluster(singletons=singletons)):
            wordings = searched([cluster.id or "", *{mention.text for mention in cluster.mentions}])
            sentences = (searched([self.located.sentence(mention)]) for mention in cluster.members)
            if points := search_points(words, searched_title(cluster.label), wordings, sentences):
                size = len(cluster.members)
                found.append((-points, -cluster.documents, -size, len(cluster.label), number, cluster))
        return [cluster for *_, cluster in sorted(found, key=lambda entry: entry[:-1])]

    def counts(self) -> Counts:
        """The number of documents, stories, mentions and clusters."""
        tally = Tally()
        tally.add(self.corpus, len(self.story_documents))
        return tally.counts()

    @cached_property
    def stories(self) -> tuple[PredictedStory, ...]:
        """The stories, each with its title, timeline and disagreements, which are found when they are asked for."""
        return stories_of(self.corpus, self.numbered_stories(), self.circumstances)

    def numbered_stories(self) -> dict[int, tuple[str, ...]]:
        """The documents of each story by its number, which every view and export shows."""
        numbers = self.story_numbers or range(1, len(self.story_documents) + 1)
        return dict(zip(numbers, self.story_documents, strict=True))

    def numbered_documents(self) -> Iterator[Document]:
        """The documents with the numbers of their stories."""
        story_of = {id: number for number, story in self.numbered_stories().items() for id in story}
        return (replace(document, story=story_of.get(document.id)) for document in self.corpus.documents)

    def subset(self, documents: Iterable[str]) -> Self:
        """The results restricted to some of the documents, by id; stories keep their numbers."""
        corpus = self.corpus.subset(documents)
        chosen = {document.id for document in corpus.documents}
        stories = {
            number: tuple(id for id in story if id in chosen) for number, story in self.numbered_stories().items()
        }
        kept = {number: story for number, story in stories.items() if story}
        pairs = self.pairs and tuple(p for p in self.pairs if {p.first.document, p.second.document} <= chosen)
        return replace(
            self, corpus=corpus, story_documents=tuple(kept.values()), story_numbers=tuple(kept), pairs=pairs
        )

    def copies(self) -> dict[str, list[str]]:
        """The documents that have near-duplicates, by id, and the ids of the near-duplicates of each."""
        return self.corpus.copies()

    def rows(self) -> Iterator[MentionRow]:
        """One row per mention, cluster by cluster, singletons last."""
        metadata = {document.id: metadata_cells(document) for document in self.corpus.documents}
        story_of = {name: number for number, story in self.numbered_stories().items() for name in story}
        for cluster in self.each_cluster(singletons=True):
            circumstances = circumstance_cells(cluster.circumstances)
            for mention, shown in zip(cluster.members, cluster.mentions, strict=True):
                yield MentionRow(
                    cluster.id,
                    cluster.given_name or "",
                    shown.kind,
                    shown.text,
                    shown.document,
                    shown.line,
                    shown.start,
                    shown.end,
                    shown.confidence,
                    len(cluster.members),
                    cluster.documents,
                    story_of.get(mention.document),
                    self.located.sentence(mention),
                    *metadata[mention.document],
                    *circumstances,
                )

    def to_dataframe(self) -> pd.DataFrame:
        """A data frame with one row per mention; its columns are the fields of :class:`MentionRow`.

        Raises `InputError` if pandas is not installed.
        """
        pd = require_pandas()
        frame = pd.DataFrame(list(self.rows()), columns=list(MentionRow._fields))
        return frame.astype({"confidence": "float64", "story": "Int64"})

    def _cluster(self, members: Sequence[Mention]) -> PredictedCluster:
        first = members[0]
        return PredictedCluster(
            first.kind or "",
            tuple(members),
            mean_confidence(members),
            first.cluster,
            self.circumstances.name(first),
            self.circumstances.of(first),
            self.corpus.name_of(first),
            located=self.located,
        )

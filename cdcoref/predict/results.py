"""The result of a prediction: clusters of mentions with their positions in the texts, and the work that was done.

In: a corpus whose mentions carry the names of their clusters. Out: clusters in the order in which people want to see
them, generated one by one so that the first are available at once, however many follow; counts; rows and data frames.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Literal, NamedTuple

from cdcoref.corpus import Corpus, Document, Mention, character_parts, mention_text
from cdcoref.errors import InputError, check_path, check_text
from cdcoref.predict.cluster_circumstances import (
    NO_CIRCUMSTANCES,
    ClusterCircumstances,
    ClusterParticipant,
    ClusterPeriod,
    ClusterPlace,
    CorpusCircumstances,
    Stated,
)
from cdcoref.predict.labels import label_of_kind
from cdcoref.predict.predicted_story import PredictedStory, stories_of
from cdcoref.predict.ranking import mean_confidence, ranked_clusters
from cdcoref.predict.search_points import search_points, search_words, searched, searched_title
from cdlm.extras import install_command
from cdlm.printing import counted

if TYPE_CHECKING:
    import pandas as pd

    from cdcoref.views import FolderFormat


@dataclass(frozen=True, slots=True)
class Plan:
    """The work ahead once documents are grouped.

    Attributes
    ----------
    documents, stories, largest
        Number of documents, of stories, and of documents in the largest story.
    pairs, pruned
        Number of document pairs to compare, and of those pruned because of `max_pairs`.
    empty
        How many of the documents have no words; they are no stories.
    copies
        How many of the documents are near-duplicates of others.
    """

    documents: int
    stories: int
    largest: int
    pairs: int
    pruned: int
    empty: int = 0
    copies: int = 0


@dataclass(frozen=True, slots=True)
class Counts:
    """Totals (see :class:`Tally` for those of stories that come one after the other).

    Attributes
    ----------
    documents, stories, mentions
        Number of each.
    across, within
        Clusters whose mentions are in several documents, and clusters of several mentions in one document.
    singletons
        Clusters of one mention.
    empty
        Documents without words.
    """

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


@dataclass(frozen=True, slots=True)
class PredictedMention:
    """A mention, located in the text for a reader.

    Attributes
    ----------
    document, kind, confidence
        As in :class:`cdcoref.corpus.Mention`.
    start, end
        Character range in the document's text, end exclusive.
    line
        Line of the text (from 1) in which it begins.
    text
        Its words as they appear there; the parts of a discontinuous mention are joined by ``" ... "``.
    """

    document: str
    kind: str
    start: int
    end: int
    line: int
    text: str
    confidence: float | None


@dataclass(frozen=True, slots=True)
class PredictedCluster:
    """Coreferent mentions, in the order of the documents.

    Attributes
    ----------
    kind, mentions
        Their kind, and the mentions.
    confidence
        The mean of its mentions' confidences; None if none has one.
    id
        The cluster's name in the corpus; None for a mention without one.
    circumstances
        Of an event: when and where it happened, and who took part; empty where unknown.
    given_name
        What people call it; None if it has no such name.
    """

    kind: str
    mentions: tuple[PredictedMention, ...]
    confidence: float | None
    id: str | None = None
    circumstances: ClusterCircumstances = NO_CIRCUMSTANCES
    given_name: str | None = None

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

    @property
    def documents(self) -> int:
        """The number of documents in which it is mentioned."""
        return len({mention.document for mention in self.mentions})

    @property
    def label(self) -> str:
        """The name that people gave it, or its most frequent wording; for a name, its fullest form.

        An event has its place and day behind it: ``fire · Kalamata, Greece · 6 Aug.`` (see
        :func:`~cdcoref.predict.cluster_label` and :func:`~cdcoref.predict.event_label`).
        """
        if self.given_name is not None:
            return self.given_name
        return self.circumstances.title(label_of_kind(self.kind, (mention.text for mention in self.mentions)))


class MentionRow(NamedTuple):
    """A mention as a row of a table: of a CSV file or a data frame.

    Attributes
    ----------
    cluster, kind, text, document
        As in :class:`PredictedMention`; `cluster` is the cluster's name in the corpus.
    cluster_name
        What people call the cluster; empty where it has no such name.
    confidence
        The mean probability that the mention corefers with the others of its cluster; for a detected singleton, that
        it is a mention at all; None if unknown, as for singletons that were given.
    line, start, end
        Line of the document's text (from 1), and character range in it.
    cluster_mentions, cluster_documents
        How many mentions the cluster has, and in how many documents.
    story
        Number of the story; None if unknown.
    sentence
        The sentence in which the mention begins, with white space reduced to single spaces.
    title, date, source, author, url
        Metadata of the document; empty if unknown.
    metadata
        Its other metadata, as an object of JSON; empty if there are none.
    when, where, participants
        Of the cluster, if it is an event: its day or days (ISO 8601, ``XXXX-08-06`` without a year, ``XXXX-WXX-5`` if
        no more than Friday is known), its place, and the labels of the entities that take part, separated by
        semicolons; empty if unknown.
    when_stated, where_stated, participants_stated
        The words that say so, each with its document and characters: ``Tuesday (a.txt:45-52); 5 March (b.txt:7-14)``.
    """

    cluster: str | None
    cluster_name: str
    kind: str
    text: str
    document: str
    line: int
    start: int
    end: int
    confidence: float | None
    cluster_mentions: int
    cluster_documents: int
    story: int | None
    sentence: str
    title: str = ""
    date: str = ""
    source: str = ""
    author: str = ""
    url: str = ""
    metadata: str = ""
    when: str = ""
    where: str = ""
    participants: str = ""
    when_stated: str = ""
    where_stated: str = ""
    participants_stated: str = ""


class ScoredPair(NamedTuple):
    """Two mentions that were compared.

    Attributes
    ----------
    first, second
        The mentions, with their clusters.
    probability
        That they corefer, calibrated; of a pronoun and its antecedent, that the pronoun refers to what that does.
    antecedent
        Whether the first is a pronoun and the second the antecedent that was chosen for it.
    """

    first: Mention
    second: Mention
    probability: float
    antecedent: bool


@dataclass(frozen=True, slots=True, repr=False)
class Prediction:
    """A prediction.

    Attributes
    ----------
    corpus
        The documents with predicted mentions, each with its cluster and its confidence: the mean calibrated probability
        that it corefers with the other mentions of its cluster that are of its story (without others, that it is a
        mention at all).
    story_documents
        The documents of each story, by id; mentions were linked within stories, and entities across them by name.
    plan
        The work that had to be done.
    sequences
        Number of sequences read.
    notes
        One sentence for everything that could not be taken into account.
    story_numbers
        The number of each story, where it is not its place from 1 (stories of a collection keep their numbers).
    pairs
        The pairs of mentions that were compared, story by story; None unless the option ``pairs`` asked for them.
    """

    corpus: Corpus
    story_documents: tuple[tuple[str, ...], ...]
    plan: Plan
    sequences: int = 0
    notes: tuple[str, ...] = ()
    story_numbers: tuple[int, ...] = ()
    pairs: tuple[ScoredPair, ...] | None = None

    def __repr__(self) -> str:
        counts = self.counts()
        clusters = f"{counted(counts.across, 'cluster')} across documents, {counts.within:,} within one document"
        documents, mentions = counted(counts.documents, "document"), counted(counts.mentions, "mention")
        return f"<Prediction: {documents}, {mentions}, {clusters}, {counted(counts.singletons, 'singleton')}>"

    def clusters(self, *, singletons: bool = False) -> list[PredictedCluster]:
        """The clusters in the order of :meth:`each_cluster`; singletons on request."""
        return list(self.each_cluster(singletons=singletons))

    def each_cluster(self, *, singletons: bool = False) -> Iterator[PredictedCluster]:
        """The clusters one by one: texts are consulted only for those requested.

        Clusters across documents come first, then clusters within one document, then, on request, singletons. Events
        and entities take turns, each kind ranked by the number of documents and the confidence; clusters that only name
        dates or numbers come last (see :func:`cdcoref.predict.ranked_clusters`).
        """
        places = Places(self.corpus.documents)
        known = CorpusCircumstances(self.corpus)
        return (
            _cluster(members, places, known, self.corpus)
            for members in ranked_clusters(self.corpus, singletons=singletons)
        )

    def search(self, query: str, *, singletons: bool = False) -> list[PredictedCluster]:
        """The clusters that have all the words of a query in their labels, mentions or sentences, the best first.

        Words that begin with those of the query count half; case and accents do not matter. The label of an event has
        its place and day. See :func:`cdcoref.predict.search_points`.
        """
        check_text("a query", query)
        words = list(dict.fromkeys(search_words(query)))
        places = Places(self.corpus.documents)
        known = CorpusCircumstances(self.corpus)
        found: list[tuple[int, int, int, int, list[Mention]]] = []
        for number, members in enumerate(ranked_clusters(self.corpus, singletons=singletons)):
            title = searched_title(known.label(members[0]))
            wordings = searched([members[0].cluster or "", *{places.shown(mention).text for mention in members}])
            sentences = (searched([places.sentence(mention)]) for mention in members)
            if points := search_points(words, title, wordings, sentences):
                documents = len({mention.document for mention in members})
                found.append((-points, -documents, -len(members), number, members))
        return [_cluster(members, places, known, self.corpus) for *_, members in sorted(found)]

    def counts(self) -> Counts:
        """The number of documents, stories, mentions and clusters."""
        return Counts.of(self.corpus, len(self.story_documents))

    @property
    def stories(self) -> tuple[PredictedStory, ...]:
        """The stories, each with its title, timeline and disagreements, which are found when they are asked for."""
        return stories_of(self.corpus, self.numbered_stories())

    def numbered_stories(self) -> dict[int, tuple[str, ...]]:
        """The documents of each story by its number, which every view and export shows."""
        return dict(
            zip(self.story_numbers or range(1, len(self.story_documents) + 1), self.story_documents, strict=True)
        )

    def subset(self, documents: Iterable[str]) -> Prediction:
        """The prediction restricted to some of the documents, by id; stories keep their numbers."""
        corpus = self.corpus.subset(documents)
        chosen = {document.id for document in corpus.documents}
        found = {number: tuple(id for id in story if id in chosen) for number, story in self.numbered_stories().items()}
        kept = {number: story for number, story in found.items() if story}
        pairs = self.pairs
        if pairs is not None:
            pairs = tuple(pair for pair in pairs if {pair.first.document, pair.second.document} <= chosen)
        return replace(
            self, corpus=corpus, story_documents=tuple(kept.values()), story_numbers=tuple(kept), pairs=pairs
        )

    def copies(self) -> dict[str, list[str]]:
        """The documents that have near-duplicates, by id, and the ids of the near-duplicates of each."""
        return self.corpus.copies()

    def rows(self) -> Iterator[MentionRow]:
        """One row per mention, cluster by cluster, singletons last."""
        return mention_rows(self.corpus, self.numbered_stories())

    def to_dataframe(self) -> pd.DataFrame:
        """A data frame with one row per mention; its columns are the fields of :class:`MentionRow`.

        Raises
        ------
        InputError
            If pandas is not installed.
        """
        return dataframe(self.rows())

    def save(
        self,
        path: str | Path,
        *,
        layout: str | None = None,
        folder_format: FolderFormat | None = None,
        replaced: Literal["pronouns", "all"] | None = None,
    ) -> tuple[str, ...]:
        """Write documents, mentions and clusters in the format that the file's name ends in, as ``predict -o`` does.

        Parameters
        ----------
        path
            The file, whose suffix is one of those in `docs/formats.md`, or a folder, whose name has no suffix.
        layout
            As in :func:`cdcoref.formats.write_corpus`.
        folder_format
            What the files of a folder are: ``"text"`` (with mentions replaced; the default), ``"brat"``, ``"webanno"``
            or ``"xmi"``.
        replaced
            What is replaced in texts: ``"pronouns"`` (the default) or ``"all"``.

        Returns
        -------
        tuple
            A sentence for each kind of information that the format cannot express.

        Raises
        ------
        InputError
            If the file cannot be written, or not in this format. An existing file is then left unchanged.
        """
        from cdcoref.views import check_folder_options, write_result

        check_path("the output", path)
        check_folder_options(Path(path), layout, folder_format, replaced)
        return write_result(self, Path(path), layout, folder_format=folder_format, replaced=replaced)

    def to_html(self, *, title: str | None = None) -> str:
        """The page that ``predict -o x.html`` writes, as a string.

        Parameters
        ----------
        title
            Its title; by default the number of documents.
        """
        from cdcoref.views import page_html

        if title is not None:
            check_text("the title", title)
        return page_html(self, title=title)

    def to_json(self, *, indent: int | None = None) -> str:
        """Stories, clusters and documents as one JSON object.

        Its JSON Schema is ``cdcoref.formats.json_schema("prediction")``.

        Parameters
        ----------
        indent
            Spaces before each level; None for one line.
        """
        from cdcoref.views import json_text

        return json_text(self, indent=indent)

    def resolved_texts(self, replaced: Literal["pronouns", "all"] = "pronouns") -> dict[str, str]:
        """The texts by id, with pronouns or all mentions of entities replaced by the names of their clusters.

        Parameters
        ----------
        replaced
            ``"pronouns"`` or ``"all"``; see :func:`cdcoref.views.resolved_texts`.

        Raises
        ------
        InputError
            If it is neither.
        """
        from cdcoref.views import resolved_texts

        return resolved_texts(self, replaced)

    def _repr_html_(self) -> str:
        """What a notebook shows: counts, the first clusters and the first texts with their mentions."""
        from cdcoref.views import notebook_view

        return notebook_view(self)


def mention_rows(corpus: Corpus, stories: Mapping[int, Sequence[str]] | None = None) -> Iterator[MentionRow]:
    """One row per mention of a corpus, cluster by cluster.

    Parameters
    ----------
    corpus
        Documents, mentions and the names of their clusters.
    stories
        The documents of each story, by its number; None if unknown.
    """
    places = Places(corpus.documents)
    known = CorpusCircumstances(corpus)
    metadata = {document.id: _metadata_cells(document) for document in corpus.documents}
    story_of = {name: number for number, story in (stories or {}).items() for name in story}
    for members in ranked_clusters(corpus):
        documents = len({mention.document for mention in members})
        circumstances = known.of(members[0])
        happening = (
            *(str(one or "") for one in (circumstances.when, circumstances.where)),
            "; ".join(map(str, circumstances.participants)),
            *(stated_text(() if one is None else one.stated) for one in (circumstances.when, circumstances.where)),
            stated_text(stated for one in circumstances.participants for stated in one.stated),
        )
        for mention in members:
            shown = places.shown(mention)
            yield MentionRow(
                mention.cluster,
                corpus.name_of(mention) or "",
                shown.kind,
                shown.text,
                shown.document,
                shown.line,
                shown.start,
                shown.end,
                shown.confidence,
                len(members),
                documents,
                story_of.get(mention.document),
                places.sentence(mention),
                *metadata[mention.document],
                *happening,
            )


def stated_text(stated: Iterable[Stated]) -> str:
    """The words that state something, each once, with its document and characters, in one line."""
    return "; ".join(dict.fromkeys(f"{one.text} ({one.document}:{one.start}-{one.end})" for one in stated))


METADATA_COLUMNS = ("title", "date", "source", "author", "url")


def _metadata_cells(document: Document) -> tuple[str, ...]:
    """What is known about a document: the usual fields one by one, and the others as JSON."""
    known = document.metadata
    others = {name: value for name, value in known.items() if name not in METADATA_COLUMNS}
    shown = json.dumps(others, ensure_ascii=False) if others else ""
    return (*(metadata_text(known.get(name)) for name in METADATA_COLUMNS), shown)


def metadata_text(value: object) -> str:
    """A value of metadata for people: lists joined by commas, and nothing for one that is unknown."""
    if value is None:
        return ""
    if isinstance(value, list):
        return ", ".join(map(metadata_text, value))
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def dataframe(rows: Iterator[MentionRow]) -> pd.DataFrame:
    """Rows as a data frame.

    Raises
    ------
    InputError
        If pandas is not installed.
    """
    pd = require_pandas()
    frame = pd.DataFrame(list(rows), columns=list(MentionRow._fields))
    return frame.astype({"confidence": "float64", "story": "Int64"})


def require_pandas() -> ModuleType:
    """The pandas package, which is imported only here.

    Raises
    ------
    InputError
        If it is not installed.
    """
    try:
        import pandas
    except ImportError:
        raise InputError(f"pandas is not installed; install it with: {install_command('pandas')}") from None
    return pandas


def corpus_and_stories(source: Prediction | Corpus) -> tuple[Corpus, dict[int, tuple[str, ...]]]:
    """The corpus of a prediction, and the documents of each story by its number.

    The stories of a corpus are its annotated subtopics, or else its topics; there are none if any document has neither.
    """
    if isinstance(source, Prediction):
        return source.corpus, source.numbered_stories()
    groups: dict[str, list[str]] = {}
    for document in source.documents:
        name = document.subtopic or document.topic
        if name is None:
            return source, {}
        groups.setdefault(name, []).append(document.id)
    return source, {number: tuple(group) for number, group in enumerate(groups.values(), start=1)}


class Places:
    """Where the mentions of documents are in their texts; the ends of lines are found once per document, on demand."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self._documents = {document.id: document for document in documents}
        self._line_ends: dict[str, list[int]] = {}

    def shown(self, mention: Mention) -> PredictedMention:
        """The mention with its character range, line and words."""
        document = self._documents[mention.document]
        parts = character_parts(mention, document)
        start, end = parts[0][0], parts[-1][1]
        return PredictedMention(
            document.id,
            mention.kind or "",
            start,
            end,
            self._line(document, start),
            mention_text(mention, document),
            mention.confidence,
        )

    def sentence(self, mention: Mention) -> str:
        """The words of the sentence in which the mention begins."""
        return self._documents[mention.document].sentence_text(mention.start)

    def _line(self, document: Document, character: int) -> int:
        if document.id not in self._line_ends:
            self._line_ends[document.id] = [m.start() for m in re.finditer("\n", document.text)]
        return bisect_left(self._line_ends[document.id], character) + 1


def _cluster(
    members: Sequence[Mention], places: Places, known: CorpusCircumstances, corpus: Corpus
) -> PredictedCluster:
    first = members[0]
    mentions = tuple(places.shown(mention) for mention in members)
    confidence, name = mean_confidence(members), corpus.name_of(first)
    return PredictedCluster(first.kind or "", mentions, confidence, first.cluster, known.of(first), name)

"""What a collection answers: clusters, mentions and documents as people look at them, and what a change did."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from cdcoref.corpus import Document


@dataclass(frozen=True, slots=True)
class ClusterSummary:
    """A cluster in a list.

    Attributes
    ----------
    id
        Lasts through every change, see :mod:`cdcoref.collection.cluster_numbers`.
    kind
        ``"event"``, ``"entity"``, or None where that is not known.
    title
        The name that somebody gave it, else its label (:mod:`cdcoref.reports.labels`).
    name
        The name that somebody gave it, or None.
    mentions, documents
        Their numbers.
    confidence
        The mean of its mentions' confidences; None where none has one.
    story
        The number of the story in which it is mentioned first.
    checked
        Number of its mentions that people confirmed to be the same as another one of them.
    """

    id: str
    kind: str | None
    title: str
    name: str | None
    mentions: int
    documents: int
    confidence: float | None
    story: int | None
    checked: int = 0


@dataclass(frozen=True, slots=True)
class StoredMention:
    """A mention and its place.

    Attributes
    ----------
    id
        Lasts as long as the document's content does.
    document, kind, confidence
        As in :class:`cdcoref.corpus.Mention`.
    cluster
        The cluster's id; None if it was marked as not being a mention.
    tokens
        Numbers of its tokens in the document.
    start, end
        Character range in the document's text, end exclusive.
    line
        Line of the text (from 1) in which it begins.
    text
        Its words.
    before, after
        What stands before and after it in the sentence in which it begins, with the space next to it, if there is one.
    rejected
        Whether it was marked as not being a mention.
    checked
        Whether people confirmed that it is the same as another mention of its cluster.
    """

    id: str
    document: str
    kind: str | None
    cluster: str | None
    tokens: tuple[int, ...]
    start: int
    end: int
    line: int
    text: str
    before: str
    after: str
    confidence: float | None
    rejected: bool = False
    checked: bool = False


@dataclass(frozen=True, slots=True)
class ClusterChange:
    """A change of a cluster.

    Attributes
    ----------
    time
        When (ISO 8601, UTC).
    cluster
        The cluster.
    change
        ``"merged"``: `other` was merged into it. ``"split"``: it was split from `other`. ``"emptied"``: it lost its
        mentions.
    other
        The other cluster.
    """

    time: str
    cluster: str
    change: str
    other: str | None


@dataclass(frozen=True, slots=True)
class Move:
    """Mentions that went from one cluster into another when a correction was made or undone.

    Attributes
    ----------
    change
        ``"merged"``: `other` is no more. ``"split"``: `cluster` is new. ``"moved"``: both were there and are.
        ``"left"``: they are no mentions any more. ``"back"``: they are mentions again.
    cluster, title
        The id and title of the cluster that they are in now; None if they are no mentions.
    other, other_title
        Those of the one that they were in before; None if they were no mentions.
    mentions
        How many they are.
    words
        The words of the first of them, each once.
    """

    change: Literal["merged", "split", "moved", "left", "back"]
    cluster: str | None
    title: str | None
    other: str | None
    other_title: str | None
    mentions: int
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ClusterPage:
    """A cluster with its mentions, documents and history.

    Attributes
    ----------
    summary
        The cluster; if another was asked for, the one into which that was merged.
    names
        The words of its mentions and how often each occurs, the most frequent first.
    documents
        Those that it is mentioned in, in the order of their dates; those without a known date last, as they were added.
        If a part of them was asked for, that part.
    offset
        How many of its documents come before these.
    mentions
        Its mentions in these documents, in that order.
    neighbours
        The clusters that are mentioned in most of its documents.
    changes
        Merges and splits, the latest first.
    stories
        Numbers of the stories that it is mentioned in.
    """

    summary: ClusterSummary
    names: tuple[tuple[str, int], ...]
    documents: tuple[DocumentSummary, ...]
    offset: int
    mentions: tuple[StoredMention, ...]
    neighbours: tuple[ClusterSummary, ...]
    changes: tuple[ClusterChange, ...]
    stories: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class DocumentSummary:
    """A document in a list.

    Attributes
    ----------
    id
        Its id.
    story
        The number of its story; None if it has no words.
    added
        When it was added (ISO 8601, UTC).
    date
        Its day (ISO 8601): that of its metadata, or else the one that its id or the beginning of its text states (see
        :func:`cdcoref.language.date_of`); None if unknown.
    words, mentions
        Their numbers.
    snippet
        The beginning of its text, or where the words searched for are, between ``\\x02`` and ``\\x03``.
    metadata
        What is known about it, as in :class:`cdcoref.corpus.Document`.
    """

    id: str
    story: int | None
    added: str
    date: str | None
    words: int
    mentions: int
    snippet: str
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DocumentPage:
    """A document with its mentions, its clusters and related documents.

    Attributes
    ----------
    summary, document
        The document.
    mentions
        In the order of the text, rejected ones among them.
    clusters
        The clusters that are mentioned in it, in the order of their first mentions.
    story
        Other documents of its story, all or as many as were asked for.
    related
        Of every other story about the same subject the first document, as many of them.
    copies
        Ids of its near-duplicates, its original first if it is a copy.
    """

    summary: DocumentSummary
    document: Document
    mentions: tuple[StoredMention, ...]
    clusters: tuple[ClusterSummary, ...]
    story: tuple[DocumentSummary, ...]
    related: tuple[DocumentSummary, ...]
    copies: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The clusters and documents that a search finds.

    Attributes
    ----------
    clusters
        With all the words in their titles, mentions or sentences, those that fit best first (see
        :func:`cdcoref.reports.search_points`).
    documents
        That have all the words, the best first.
    """

    clusters: tuple[ClusterSummary, ...]
    documents: tuple[DocumentSummary, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """A decision that is worth checking: are these two mentions the same?

    Attributes
    ----------
    first, second
        The mentions.
    together
        Whether they are in one cluster now.
    probability
        The mean probability across the two sides of the decision, see :mod:`cdcoref.collection.questions`.
    """

    first: StoredMention
    second: StoredMention
    together: bool
    probability: float


@dataclass(frozen=True, slots=True)
class Counts:
    """Numbers of what is in a collection; `across` are clusters in several documents, `singletons` of one mention.

    Documents without words are counted, but are no story.
    """

    documents: int
    stories: int
    mentions: int
    clusters: int
    across: int
    singletons: int
    corrections: int


@dataclass(frozen=True, slots=True)
class RemovedDocument:
    """A document whose removal can be undone.

    Attributes
    ----------
    id
        Its id.
    removal
        The number of its removal; those that were removed at once have the same.
    time
        When it was removed.
    """

    id: str
    removal: int
    time: str


@dataclass(frozen=True, slots=True)
class Report:
    """The effects of a change to the collection.

    Attributes
    ----------
    added, replaced, removed, restored
        Ids of documents.
    known
        Documents that were already in the collection: by the id with which they came, the id that they have there.
    pairs
        Pairs of documents that were read together.
    stories
        Stories that were clustered again.
    merged, split
        Clusters that were merged into others, and parts that were split from others, as pairs: the cluster that is no
        more (or is new) and the other.
    notes
        One sentence for whatever could not be taken into account.
    """

    added: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    restored: tuple[str, ...] = ()
    known: dict[str, str] = field(default_factory=dict)
    pairs: int = 0
    stories: int = 0
    merged: tuple[tuple[str, str], ...] = ()
    split: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()

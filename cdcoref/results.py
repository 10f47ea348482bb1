"""What a prediction gives back: clusters of mentions, with their places in the texts, and what had to be done."""

from __future__ import annotations

from dataclasses import dataclass, field

from cdcoref.corpus import Corpus, Document, Mention


@dataclass(frozen=True, slots=True)
class Plan:
    """What lies ahead once documents are grouped.

    Attributes
    ----------
    documents, stories, largest
        How many documents and stories there are, and documents in the largest story.
    pairs, pruned
        Pairs of documents to compare, and pairs left out because of `max_pairs`.
    seconds
        About how long it will take; 0 where that is a few seconds.
    """

    documents: int
    stories: int
    largest: int
    pairs: int
    pruned: int
    seconds: float


@dataclass(frozen=True, slots=True)
class PredictedMention:
    """A mention as a reader wants it.

    Attributes
    ----------
    document, kind, confidence
        As in :class:`cdcoref.corpus.Mention`.
    start, end
        Character range in the document's text, end exclusive.
    line
        Line of the text (from 1) in which it begins.
    text
        Its words as they stand there; the parts of a discontinuous mention are joined by ``" ... "``.
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
    """Mentions that are the same thing; `confidence` is the mean probability of its pairs."""

    kind: str
    mentions: tuple[PredictedMention, ...]
    confidence: float | None


@dataclass(frozen=True, slots=True)
class Prediction:
    """What was predicted.

    Attributes
    ----------
    corpus
        The documents with predicted mentions, each with its cluster and its confidence: the mean calibrated probability
        that it corefers with the other mentions of its cluster (for a singleton, that it is a mention at all).
    stories
        The documents of each story, by id; mentions were linked within stories.
    plan
        What had to be done.
    sequences
        How many sequences were read together.
    notes
        One sentence for whatever could not be taken into account.
    """

    corpus: Corpus
    stories: tuple[tuple[str, ...], ...]
    plan: Plan
    sequences: int = 0
    notes: tuple[str, ...] = field(default=())

    def clusters(self, *, singletons: bool = False) -> list[PredictedCluster]:
        """The clusters, those first that most documents surely share; those of one mention only if asked for."""
        documents = {d.id: d for d in self.corpus.documents}
        found = []
        for cluster in self.corpus.clusters():
            if singletons or len(cluster) > 1:
                shown = tuple(_shown(m, documents[m.document]) for m in cluster)
                known = [m.confidence for m in cluster if m.confidence is not None]
                confidence = sum(known) / len(known) if known else None
                found.append(PredictedCluster(cluster[0].kind or "", shown, confidence))
        return sorted(found, key=_certainly_shared, reverse=True)


def _certainly_shared(cluster: PredictedCluster) -> tuple[float, int]:
    documents = len({mention.document for mention in cluster.mentions})
    return documents * (cluster.confidence or 0.0), len(cluster.mentions)


def _shown(mention: Mention, document: Document) -> PredictedMention:
    parts: list[list[int]] = []
    for token in mention.tokens:
        start, end = document.offsets[token]
        if parts and mention.tokens[mention.tokens.index(token) - 1] == token - 1:
            parts[-1][1] = end
        else:
            parts.append([start, end])
    start, end = parts[0][0], parts[-1][1]
    text = " ... ".join(" ".join(document.text[a:b].split()) for a, b in parts)
    line = document.line_of(start)
    return PredictedMention(document.id, mention.kind or "", start, end, line, text, mention.confidence)

"""Counts of a corpus: documents, sentences, mentions, clusters (paper, Appendix A.2, Table 8, and more)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from cdcoref.corpus import Corpus

UNKNOWN = "unknown"
"""Represents the kind of mentions without one."""


@dataclass(frozen=True, slots=True)
class CorpusStatistics:
    """Counts; those of mentions and clusters by kind of mention.

    `topics` are annotated ones; `clusters` have two or more mentions, as the paper counts them, and
    `cross_document_clusters` mentions in more than one document.
    """

    topics: int
    documents: int
    sentences: int
    annotated_sentences: int
    mentions: dict[str, int]
    clusters: dict[str, int]
    cross_document_clusters: dict[str, int]
    singletons: dict[str, int]


def corpus_statistics(corpus: Corpus) -> CorpusStatistics:
    """Count the contents of a corpus."""
    mentions = Counter(m.kind or UNKNOWN for m in corpus.mentions)
    sizes = [(c[0].kind or UNKNOWN, len(c), len({mention.document for mention in c})) for c in corpus.clusters()]
    clusters = Counter(kind for kind, size, _ in sizes if size > 1)
    crossing = Counter(kind for kind, _, documents in sizes if documents > 1)
    singletons = Counter(kind for kind, size, _ in sizes if size == 1)
    sentences = [len(d.sentences) for d in corpus.documents]
    annotated = [len(d.sentences) if d.annotated is None else len(d.annotated) for d in corpus.documents]
    return CorpusStatistics(
        len({d.topic for d in corpus.documents if d.topic is not None}),
        len(corpus.documents),
        sum(sentences),
        sum(annotated),
        dict(mentions),
        dict(clusters),
        {kind: crossing[kind] for kind in clusters},
        dict(singletons),
    )

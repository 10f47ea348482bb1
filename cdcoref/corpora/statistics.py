"""What a corpus holds, counted as in Table 5 of the paper (Appendix A.2)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from cdcoref.corpus import Corpus


@dataclass(frozen=True, slots=True)
class CorpusStatistics:
    """What Table 5 of the paper (Appendix A.2) counts; the last two by kind of mention."""

    topics: int
    documents: int
    mentions: dict[str, int]
    clusters: dict[str, int]
    """Clusters of two mentions or more."""


def corpus_statistics(corpus: Corpus) -> CorpusStatistics:
    """Count topics, documents, mentions and clusters of two or more of a corpus."""
    mentions = Counter(m.kind or "unknown" for m in corpus.mentions)
    clusters = Counter(c[0].kind or "unknown" for c in corpus.clusters() if len(c) > 1)
    topics = {d.topic for d in corpus.documents if d.topic is not None}
    return CorpusStatistics(len(topics), len(corpus.documents), dict(mentions), dict(clusters))

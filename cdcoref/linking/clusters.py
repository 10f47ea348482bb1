"""Pair logits in, clusters out: agglomerative clustering of the mentions of each kind (paper, Appendix C.1)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cdcoref.clustering import agglomerative
from cdcoref.corpus import KINDS, Corpus
from cdcoref.linking.pair_logits import PairLogits
from cdcoref.model import CorefConfig


def cluster_mentions(corpus: Corpus, logits: PairLogits, settings: CorefConfig) -> Corpus:
    """Cluster the mentions of each kind; each mention gets its cluster's name and a confidence.

    Ties are broken by the documents' ids and the mentions' positions, so the order of the documents does not matter.
    """
    keys = [(m.document, m.tokens, m.kind or "") for m in corpus.mentions]
    mentions = list(corpus.mentions)
    for kind in KINDS:
        scores = logits.scores(settings.temperature, kind)
        labels = agglomerative(scores, settings.distance_threshold[kind], settings.linkage, keys)
        sizes = np.bincount(labels, minlength=1)
        together = labels[scores.first] == labels[scores.second]
        sums = np.zeros(len(mentions))
        for side in (scores.first, scores.second):
            np.add.at(sums, side[together], scores.score[together])
        for number, mention in enumerate(corpus.mentions):
            if mention.kind == kind:
                size = int(sizes[labels[number]])
                confidence = float(sums[number] / (size - 1)) if size > 1 else mention.confidence
                mentions[number] = replace(mention, cluster=f"{kind}_{labels[number]}", confidence=confidence)
    return replace(corpus, mentions=tuple(mentions))

"""Sparse pair scores in, clusters out: exact agglomerative clustering (paper section 3.2, Appendix C.1)."""

from cdcoref.clustering.linkage import LINKAGES, Dendrogram, Linkage, agglomerative, dendrogram
from cdcoref.clustering.pair_scores import PairScores

__all__ = ["LINKAGES", "Dendrogram", "Linkage", "PairScores", "agglomerative", "dendrogram"]

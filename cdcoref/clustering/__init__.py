"""Sparse pair scores in, clusters out: exact agglomerative clustering, with must-links and cannot-links.

As in the paper's section 3.2 and Appendix C.1; there without constraints.
"""

from cdcoref.clustering.components import connected
from cdcoref.clustering.constraints import (
    CannotLinks,
    contradict,
    merge_blocks,
    unconflicted_parts,
    with_followers,
)
from cdcoref.clustering.linkage import LINKAGES, Linkage, agglomerative, dendrogram
from cdcoref.clustering.pair_scores import PairScores

__all__ = [
    "LINKAGES",
    "CannotLinks",
    "Linkage",
    "PairScores",
    "agglomerative",
    "connected",
    "contradict",
    "dendrogram",
    "merge_blocks",
    "unconflicted_parts",
    "with_followers",
]

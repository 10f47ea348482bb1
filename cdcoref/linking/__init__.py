"""One story's documents in, its clusters out: mentions are found, compared in pairs, and clustered.

A model reads documents for mentions, and pairs of documents for the scores of mention pairs; the lemma baseline, which
links mentions of one head lemma, needs no model.
"""

from cdcoref.linking.comparison import Comparison, PairLogits, all_pairs
from cdcoref.linking.lemma import lemma_clusters
from cdcoref.linking.mentions import (
    DetectionWindow,
    SpanScores,
    annotated_only,
    collate_windows,
    detection_windows,
    find_mentions,
    score_spans,
)

__all__ = [
    "Comparison",
    "DetectionWindow",
    "PairLogits",
    "SpanScores",
    "all_pairs",
    "annotated_only",
    "collate_windows",
    "detection_windows",
    "find_mentions",
    "lemma_clusters",
    "score_spans",
]

"""One story's documents in, its clusters out: mentions are detected, compared in pairs, and clustered.

A model reads documents to detect mentions, and pairs of documents to score mention pairs; the lemma baseline, which
links mentions with the same head lemma, needs no model.
"""

from cdcoref.linking.clusters import cluster_mentions
from cdcoref.linking.comparison import Comparison, all_pairs
from cdcoref.linking.document_pairs import DocumentPair
from cdcoref.linking.lemma import lemma_clusters
from cdcoref.linking.mentions import SpanScores, annotated_only, find_mentions, score_spans
from cdcoref.linking.pair_logits import PairLogits
from cdcoref.linking.store import ResultStore, document_hash
from cdcoref.linking.story import LinkedStory, LinkingOptions, link_story

__all__ = [
    "Comparison",
    "DocumentPair",
    "LinkedStory",
    "LinkingOptions",
    "PairLogits",
    "ResultStore",
    "SpanScores",
    "all_pairs",
    "annotated_only",
    "cluster_mentions",
    "document_hash",
    "find_mentions",
    "lemma_clusters",
    "link_story",
    "score_spans",
]

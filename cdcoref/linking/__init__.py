"""One story's documents in, its clusters out: mentions are detected, compared in pairs, and clustered.

A model reads documents to detect mentions, and pairs of documents to score mention pairs; the lemma baseline, which
links mentions with the same head lemma, needs no model.
"""

from cdcoref.linking.antecedents import Anaphora, anaphora, mentions_by_kind, pronouns
from cdcoref.linking.apart import ReadMentions, comparison_features, facts_of_mentions
from cdcoref.linking.candidates import candidate_pairs
from cdcoref.linking.clusters import KindClusters, cluster_mentions, clusters_by_kind
from cdcoref.linking.comparison import Comparison, all_pairs
from cdcoref.linking.copied_mentions import copied_mentions, with_copies, without_copied
from cdcoref.linking.lemma import lemma_clusters
from cdcoref.linking.links import MentionLinks
from cdcoref.linking.mentions import (
    DocumentReading,
    SpanScores,
    annotated_only,
    find_mentions,
    read_documents,
    score_spans,
)
from cdcoref.linking.names_across import joined_across_stories, joined_by_name
from cdcoref.linking.pair_logits import PairEvidence, PairLogits
from cdcoref.linking.store import ResultStore, document_hash
from cdcoref.linking.story import LinkedStory, LinkingOptions, link_story
from cdcoref.linking.tied_documents import DocumentPair
from cdcoref.linking.vectors import MentionVectors, find_mentions_and_vectors, read_vectors, vector_widths

__all__ = [
    "Anaphora",
    "Comparison",
    "DocumentPair",
    "DocumentReading",
    "KindClusters",
    "LinkedStory",
    "LinkingOptions",
    "MentionLinks",
    "MentionVectors",
    "PairEvidence",
    "PairLogits",
    "ReadMentions",
    "ResultStore",
    "SpanScores",
    "all_pairs",
    "anaphora",
    "annotated_only",
    "candidate_pairs",
    "cluster_mentions",
    "clusters_by_kind",
    "comparison_features",
    "copied_mentions",
    "document_hash",
    "facts_of_mentions",
    "find_mentions",
    "find_mentions_and_vectors",
    "joined_across_stories",
    "joined_by_name",
    "lemma_clusters",
    "link_story",
    "mentions_by_kind",
    "pronouns",
    "read_documents",
    "read_vectors",
    "score_spans",
    "vector_widths",
    "with_copies",
    "without_copied",
]

"""One story's documents in, its clusters out: mentions are detected, compared in pairs, and clustered.

A model reads documents to detect mentions, and pairs of documents to score mention pairs; the lemma baseline, which
links mentions with the same head lemma, needs no model. The options can be stated without PyTorch: what needs it is
imported on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from cdcoref.linking.options import BATCH_TOKENS, LinkingOptions, check_choice

if TYPE_CHECKING:
    from cdcoref.linking.antecedents import Anaphora, anaphora, mentions_by_kind
    from cdcoref.linking.bi_encoder import ReadMentions, comparison_features
    from cdcoref.linking.candidates import candidate_pairs
    from cdcoref.linking.clusters import KindClusters, cluster_mentions, clusters_by_kind
    from cdcoref.linking.compared_pairs import ComparedPairs
    from cdcoref.linking.comparison import Comparison, all_pairs, check_cross_encoder
    from cdcoref.linking.copied_mentions import copied_mentions, with_copies, without_copied
    from cdcoref.linking.corpus_facts import facts_of_mentions, pronouns
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
    from cdcoref.linking.story import LinkedStory, link_story
    from cdcoref.linking.tied_documents import DocumentPair
    from cdcoref.linking.vectors import MentionVectors, find_mentions_and_vectors, read_vectors, vector_widths

__all__ = [
    "BATCH_TOKENS",
    "Anaphora",
    "ComparedPairs",
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
    "check_choice",
    "check_cross_encoder",
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

_LAZY = {
    "Anaphora": "cdcoref.linking.antecedents",
    "anaphora": "cdcoref.linking.antecedents",
    "mentions_by_kind": "cdcoref.linking.antecedents",
    "pronouns": "cdcoref.linking.corpus_facts",
    "ReadMentions": "cdcoref.linking.bi_encoder",
    "comparison_features": "cdcoref.linking.bi_encoder",
    "facts_of_mentions": "cdcoref.linking.corpus_facts",
    "candidate_pairs": "cdcoref.linking.candidates",
    "KindClusters": "cdcoref.linking.clusters",
    "ComparedPairs": "cdcoref.linking.compared_pairs",
    "cluster_mentions": "cdcoref.linking.clusters",
    "clusters_by_kind": "cdcoref.linking.clusters",
    "Comparison": "cdcoref.linking.comparison",
    "all_pairs": "cdcoref.linking.comparison",
    "check_cross_encoder": "cdcoref.linking.comparison",
    "copied_mentions": "cdcoref.linking.copied_mentions",
    "with_copies": "cdcoref.linking.copied_mentions",
    "without_copied": "cdcoref.linking.copied_mentions",
    "lemma_clusters": "cdcoref.linking.lemma",
    "MentionLinks": "cdcoref.linking.links",
    "DocumentReading": "cdcoref.linking.mentions",
    "SpanScores": "cdcoref.linking.mentions",
    "annotated_only": "cdcoref.linking.mentions",
    "find_mentions": "cdcoref.linking.mentions",
    "read_documents": "cdcoref.linking.mentions",
    "score_spans": "cdcoref.linking.mentions",
    "joined_across_stories": "cdcoref.linking.names_across",
    "joined_by_name": "cdcoref.linking.names_across",
    "PairEvidence": "cdcoref.linking.pair_logits",
    "PairLogits": "cdcoref.linking.pair_logits",
    "ResultStore": "cdcoref.linking.store",
    "document_hash": "cdcoref.linking.store",
    "LinkedStory": "cdcoref.linking.story",
    "link_story": "cdcoref.linking.story",
    "DocumentPair": "cdcoref.linking.tied_documents",
    "MentionVectors": "cdcoref.linking.vectors",
    "find_mentions_and_vectors": "cdcoref.linking.vectors",
    "read_vectors": "cdcoref.linking.vectors",
    "vector_widths": "cdcoref.linking.vectors",
}
"""Where the names are defined that need the model's libraries."""


def __getattr__(name: str) -> Any:
    """Import what is slow to import on first use."""
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

"""One story's documents in, its clusters out: mentions are detected, compared in pairs, and clustered.

A model reads documents to detect mentions, and pairs of documents to score mention pairs; the lemma baseline, which
links mentions with the same head lemma, needs no model. The options can be stated without PyTorch: what needs it is
imported on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cdcoref.linking.linking_options import BATCH_TOKENS, LinkingOptions, check_choice
from cdlm.lazy_imports import on_first_use

if TYPE_CHECKING:
    from cdcoref.linking.antecedents import Anaphora, anaphora, mentions_by_kind
    from cdcoref.linking.bi_encoder_scores import ReadMentions, compare_vectors, comparison_features
    from cdcoref.linking.candidates import candidate_pairs
    from cdcoref.linking.clusters import KindClusters, cluster_mentions, clusters_by_kind
    from cdcoref.linking.compared_pairs import ComparedPairs
    from cdcoref.linking.comparison import Comparison, all_pairs, check_cross_encoder
    from cdcoref.linking.context_reading import MentionContexts, layer_states
    from cdcoref.linking.corpus_facts import facts_of_mentions, pronouns
    from cdcoref.linking.lemma import lemma_clusters
    from cdcoref.linking.links import MentionLinks
    from cdcoref.linking.mention_neighbours import near_pairs
    from cdcoref.linking.mentions import (
        DocumentReading,
        SpanScores,
        annotated_only,
        find_mentions,
        read_documents,
        score_spans,
    )
    from cdcoref.linking.mentions_of_copies import copied_mentions, with_copies, without_copied
    from cdcoref.linking.names_across import joined_across_stories, joined_by_name
    from cdcoref.linking.pair_logits import PairEvidence, PairLogits
    from cdcoref.linking.store import ResultStore, document_hash
    from cdcoref.linking.story import LinkedStory, link_story
    from cdcoref.linking.tied_documents import DocumentPair
    from cdcoref.linking.vector_table import MentionVectors, find_mentions_and_vectors, read_vectors, vector_widths

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
    "MentionContexts",
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
    "compare_vectors",
    "comparison_features",
    "copied_mentions",
    "document_hash",
    "facts_of_mentions",
    "find_mentions",
    "find_mentions_and_vectors",
    "joined_across_stories",
    "joined_by_name",
    "layer_states",
    "lemma_clusters",
    "link_story",
    "mentions_by_kind",
    "near_pairs",
    "pronouns",
    "read_documents",
    "read_vectors",
    "score_spans",
    "vector_widths",
    "with_copies",
    "without_copied",
]

__getattr__ = on_first_use(
    __name__,
    {
        "antecedents": "Anaphora anaphora mentions_by_kind",
        "bi_encoder_scores": "ReadMentions compare_vectors comparison_features",
        "candidates": "candidate_pairs",
        "clusters": "KindClusters cluster_mentions clusters_by_kind",
        "compared_pairs": "ComparedPairs",
        "comparison": "Comparison all_pairs check_cross_encoder",
        "context_reading": "MentionContexts layer_states",
        "corpus_facts": "facts_of_mentions pronouns",
        "lemma": "lemma_clusters",
        "links": "MentionLinks",
        "mention_neighbours": "near_pairs",
        "mentions": "DocumentReading SpanScores annotated_only find_mentions read_documents score_spans",
        "mentions_of_copies": "copied_mentions with_copies without_copied",
        "names_across": "joined_across_stories joined_by_name",
        "pair_logits": "PairEvidence PairLogits",
        "store": "ResultStore document_hash",
        "story": "LinkedStory link_story",
        "tied_documents": "DocumentPair",
        "vector_table": "MentionVectors find_mentions_and_vectors read_vectors vector_widths",
    },
)

"""Which documents are about the same story: documents in, groups of their ids out; how similar two documents are.

`DocumentVectors` holds what is computed once per collection; every function accepts it in place of the documents.
"""

from cdcoref.stories.boilerplate import boilerplate_lines, without_boilerplate
from cdcoref.stories.copies import Sources, near_duplicates, own_part, resemblance, sentence_sources
from cdcoref.stories.document_neighbours import nearest_pairs
from cdcoref.stories.document_vectors import DocumentVectors
from cdcoref.stories.document_words import line_key, words_of
from cdcoref.stories.grouping import Setting, group_documents
from cdcoref.stories.growing import Neighbourhood, nearest_to, place_documents
from cdcoref.stories.quality import TopicQuality, topic_quality
from cdcoref.stories.related import subject_labels, subjects
from cdcoref.stories.tfidf import rarity, unit_length

__all__ = [
    "DocumentVectors",
    "Neighbourhood",
    "Setting",
    "Sources",
    "TopicQuality",
    "boilerplate_lines",
    "group_documents",
    "line_key",
    "near_duplicates",
    "nearest_pairs",
    "nearest_to",
    "own_part",
    "place_documents",
    "rarity",
    "resemblance",
    "sentence_sources",
    "subject_labels",
    "subjects",
    "topic_quality",
    "unit_length",
    "without_boilerplate",
    "words_of",
]

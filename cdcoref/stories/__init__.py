"""Which documents are about the same story: documents in, groups of their ids out; how similar two documents are.

`DocumentVectors` holds what is computed once per collection; every function accepts it in place of the documents.
"""

from cdcoref.stories.grouping import Setting, group_documents
from cdcoref.stories.neighbours import NearestPairs, nearest_pairs
from cdcoref.stories.quality import TopicQuality, topic_quality
from cdcoref.stories.vectors import DocumentVectors

__all__ = [
    "DocumentVectors",
    "NearestPairs",
    "Setting",
    "TopicQuality",
    "group_documents",
    "nearest_pairs",
    "topic_quality",
]

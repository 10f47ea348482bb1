"""Which documents are about the same story: documents in, groups of their ids out; a document's nearest ones."""

from cdcoref.stories.grouping import Setting, group_documents, nearest_pairs, topic_quality

__all__ = ["Setting", "group_documents", "nearest_pairs", "topic_quality"]

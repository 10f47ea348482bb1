"""Groups of documents and annotated subtopics in, how well they match out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from cdcoref.corpus import Document
from cdcoref.stories.grouping import group_documents


@dataclass(frozen=True, slots=True)
class TopicQuality:
    """How well groups of documents match the annotated subtopics, from 0 to 1.

    `precision`, `recall`, `f1`: B3 over documents. `purity`: Share of documents that belong to the most frequent
    subtopic of their group. `groups`, `subtopics`: Number of each.
    """

    precision: float
    recall: float
    f1: float
    purity: float
    groups: int
    subtopics: int


def topic_quality(documents: Sequence[Document], groups: Sequence[Sequence[str]]) -> TopicQuality:
    """Compare groups of documents with their annotated subtopics."""
    from cdcoref.scoring import score

    key = group_documents(documents, "gold_subtopic")
    subtopic_of = {document.id: document.subtopic for document in documents}
    b3 = score(key, groups, metrics=["b3"])["b3"]
    most = sum(Counter(subtopic_of[id] for id in group).most_common(1)[0][1] for group in groups)
    return TopicQuality(b3.precision, b3.recall, b3.f1, most / max(1, len(documents)), len(groups), len(key))

"""A collection that grows: documents in, day by day; clusters with lasting ids, searched and corrected, out.

`Collection` is one SQLite file with documents, mentions, vectors, scores of compared pairs, stories, clusters and
corrections. Adding documents costs what is new; what people corrected is obeyed for good; `rebuild` gives what
`cdcoref.predict.predictor` gives for all documents at once.
"""

from cdcoref.collection.collection import Collection
from cdcoref.collection.corrections import ACTIONS, Action, CorrectedMention, Correction
from cdcoref.collection.database import STORING, is_in_place
from cdcoref.collection.decisions import Decision, read_decisions
from cdcoref.collection.records import (
    ClusterChange,
    ClusterPage,
    ClusterSummary,
    Counts,
    DocumentPage,
    DocumentSummary,
    Move,
    Question,
    RemovedDocument,
    Report,
    SearchResult,
    StoredMention,
)
from cdcoref.collection.settings import OPTIONS, kept_options

__all__ = [
    "ACTIONS",
    "OPTIONS",
    "STORING",
    "Action",
    "ClusterChange",
    "ClusterPage",
    "ClusterSummary",
    "Collection",
    "CorrectedMention",
    "Correction",
    "Counts",
    "Decision",
    "DocumentPage",
    "DocumentSummary",
    "Move",
    "Question",
    "RemovedDocument",
    "Report",
    "SearchResult",
    "StoredMention",
    "is_in_place",
    "kept_options",
    "read_decisions",
]

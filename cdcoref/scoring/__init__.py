"""Scores of coreference: MUC, B3, CEAFm, CEAFe, LEA, BLANC, mention detection and the CoNLL F1, over one sparse table.

Usable alone: it imports NumPy, and SciPy only when an assignment needs it.

>>> from cdcoref.scoring import score
>>> scores = score(key=[["a"], ["b", "c"], ["d", "e", "f"]], response=[["a"], ["d", "e"]])
>>> round(scores["b3"].recall, 4), round(scores.conll_f1, 4)
(0.3889, 0.5933)
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Literal

from cdcoref.corpus import Corpus
from cdcoref.scoring.alignment import align
from cdcoref.scoring.coval_engine import score_with_coval
from cdcoref.scoring.error_report import ErrorReport, Place, report_errors
from cdcoref.scoring.files import FileScores, Options, score_files, score_tables
from cdcoref.scoring.metrics import CONLL, METRICS
from cdcoref.scoring.overlap import Overlap
from cdcoref.scoring.reading import read_mention_table
from cdcoref.scoring.scores import Score, Scores
from cdcoref.scoring.significance import Significance, compare_responses

__all__ = [
    "CONLL",
    "METRICS",
    "ErrorReport",
    "FileScores",
    "Options",
    "Overlap",
    "Place",
    "Score",
    "Scores",
    "Significance",
    "align",
    "compare_responses",
    "read_mention_table",
    "report_errors",
    "score",
    "score_files",
    "score_tables",
    "score_with_coval",
]


def score(
    key: Iterable[Iterable[Hashable]] | Corpus,
    response: Iterable[Iterable[Hashable]] | Corpus,
    *,
    singletons: Literal["keep", "remove"] = "keep",
    metrics: Iterable[str] = tuple(METRICS),
) -> Scores:
    """Score the clusters of a response against those of the key.

    Parameters
    ----------
    key, response
        Clusters, each a collection of mentions (anything hashable; two mentions are the same if they are equal), or a
        corpus, whose documents are joined (corpus level) and whose mentions are compared by `Mention.key`. A mention
        in several clusters of one side counts in the first only. Documents that only the response has are left out,
        as the reference scorer leaves them out.
    singletons
        ``"remove"`` leaves out the clusters of one mention, on both sides, before anything is counted.
    metrics
        Names of the metrics to compute (the keys of `METRICS`); CEAF takes most of the time.

    Returns
    -------
    Scores
        Fractions from 0 to 1.

    Raises
    ------
    ValueError
        If a metric or the treatment of singletons is unknown.
    """
    if singletons not in ("keep", "remove"):
        raise ValueError(f"singletons is {singletons!r}; it must be 'keep' or 'remove'")
    documents = {d.id for d in key.documents} if isinstance(key, Corpus) else None
    overlap = Overlap.from_clusters(
        _clusters(key), _clusters(response, documents), remove_singletons=singletons == "remove"
    )
    return Scores.of(overlap, metrics)


def _clusters(
    source: Iterable[Iterable[Hashable]] | Corpus, documents: set[str] | None = None
) -> Iterable[Iterable[Hashable]]:
    if not isinstance(source, Corpus):
        return source
    return (
        [mention.key for mention in cluster if documents is None or mention.document in documents]
        for cluster in source.clusters()
    )

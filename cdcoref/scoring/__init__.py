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
from cdcoref.formats import table_of_corpus
from cdcoref.scoring.alignment import align
from cdcoref.scoring.coval_engine import score_with_coval
from cdcoref.scoring.error_report import ErrorReport, Place, report_errors
from cdcoref.scoring.files import FileScores, Options, score_files, score_tables
from cdcoref.scoring.metrics import CONLL, METRICS
from cdcoref.scoring.overlap import Overlap
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
        corpus, both of one sort. The documents of a corpus are joined (corpus level), and its mentions are compared as
        those of files are: by `Mention.key`, and by `Mention.place` where not every mention of both has a kind. A
        mention in several clusters of one side counts in the first only. Documents that only the response has are
        left out, as the reference scorer leaves them out.
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
        If a metric or the treatment of singletons is unknown, or only one of key and response is a corpus.
    InputError
        If two corpora are not about the same documents, or a document has another number of tokens in one of them.
    """
    if singletons not in ("keep", "remove"):
        raise ValueError(f"singletons is {singletons!r}; it must be 'keep' or 'remove'")
    remove = singletons == "remove"
    if isinstance(key, Corpus) and isinstance(response, Corpus):
        alignment = align(table_of_corpus(key, "the key"), table_of_corpus(response, "the response"))
        return Scores.of(alignment.overlap(remove_singletons=remove), metrics)
    if isinstance(key, Corpus) or isinstance(response, Corpus):
        raise ValueError(
            "one of key and response is a corpus and the other is not; give two corpora or two clusterings"
        )
    return Scores.of(Overlap.from_clusters(key, response, remove_singletons=remove), metrics)

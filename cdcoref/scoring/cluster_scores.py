"""Scores of clusters in memory: two clusterings or two corpora in, every metric out."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Literal

from cdcoref.corpus import Corpus
from cdcoref.formats import table_of_corpus
from cdcoref.scoring.alignment import align
from cdcoref.scoring.metrics import METRICS
from cdcoref.scoring.overlap import Overlap
from cdcoref.scoring.scores import Scores


def score(
    key: Iterable[Iterable[Hashable]] | Corpus,
    response: Iterable[Iterable[Hashable]] | Corpus,
    *,
    singletons: Literal["keep", "remove"] = "keep",
    metrics: Iterable[str] = tuple(METRICS),
) -> Scores:
    """Score the clusters of a response against those of a key: two corpora, or two collections of clusters of mentions.

    Mentions of corpora match by `Mention.key`, or by `Mention.place` unless all have a kind. A mention in several
    clusters counts in the first; documents of the response alone are ignored, as in the reference scorer. `singletons`
    ``"remove"`` removes clusters of one mention from both sides; `metrics` are keys of `METRICS`. A `ValueError` for
    others, and if only one side is a corpus; an `InputError` if corpora share no document, or a document differs in its
    number of tokens.
    """
    if singletons not in ("keep", "remove"):
        raise ValueError(f"singletons is {singletons!r}; it must be 'keep' or 'remove'")
    remove = singletons == "remove"
    if isinstance(key, Corpus) and isinstance(response, Corpus):
        alignment = align(table_of_corpus(key, "the key"), table_of_corpus(response, "the response"))
        return Scores.of(alignment.overlap(remove_singletons=remove), metrics)
    if isinstance(key, Corpus) or isinstance(response, Corpus):
        raise ValueError("key and response must be two corpora or two clusterings, not one of each")
    return Scores.of(Overlap.from_clusters(key, response, remove_singletons=remove), metrics)

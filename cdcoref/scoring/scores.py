"""Scores of files, corpora or clusterings: recall, precision and F1 of each metric, and CoNLL F1, at any level."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from cdcoref.corpus import Corpus
from cdcoref.errors import InputError
from cdcoref.formats import IdScope, MentionTable, described_ids, read_file, read_mention_table, table_of_corpus
from cdcoref.scoring.alignment import Level, align
from cdcoref.scoring.metrics import CONLL, METRICS
from cdcoref.scoring.overlap import Floats, Overlap


@dataclass(frozen=True, slots=True)
class Score:
    """Recall, precision and F1 of one metric, from 0 to 1."""

    recall: float
    precision: float
    f1: float


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of one response, from 0 to 1, such as ``scores["muc"].f1``, in the order of `METRICS`."""

    metrics: Mapping[str, Score]

    @classmethod
    def of(cls, overlap: Overlap, metrics: Iterable[str] = tuple(METRICS)) -> Scores:
        """The scores of a table, summed over its groups."""
        summed = {name: np.sum(count, 0) for name, count in counts_of(overlap, metrics).items()}
        return cls({name: Score(*map(float, METRICS[name].rates(total))) for name, total in summed.items()})

    def __getitem__(self, metric: str) -> Score:
        return self.metrics[metric]

    @property
    def conll_f1(self) -> float | None:
        """Mean F1 of MUC, B3 and CEAFe; None unless all three were requested."""
        if not all(name in self.metrics for name in CONLL):
            return None
        return sum(self.metrics[name].f1 for name in CONLL) / len(CONLL)

    def to_dict(self) -> dict[str, dict[str, float] | float]:
        """The scores as plain values: recall, precision and F1 of each metric, and `conll_f1` if defined."""
        values: dict[str, dict[str, float] | float] = {name: asdict(score) for name, score in self.metrics.items()}
        if self.conll_f1 is not None:
            values["conll_f1"] = self.conll_f1
        return values


def counts_of(overlap: Overlap, metrics: Iterable[str]) -> dict[str, Floats]:
    """Counts of the metrics named, group by group, in the order of `METRICS`. *Shape of each:* (groups, counts)"""
    wanted = set(metrics)
    unknown = sorted(wanted - METRICS.keys())
    if unknown:
        raise ValueError(f"unknown metric {unknown[0]!r}; the metrics are {', '.join(METRICS)}")
    return {name: metric.count(overlap) for name, metric in METRICS.items() if name in wanted}


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


@dataclass(frozen=True, slots=True)
class Options:
    """How files are scored.

    A `level` of None is `"document"` or `"block"` if cluster names of the key are local to these, otherwise `"corpus"`.
    `ids`: Whether cluster ids in CoNLL are local to a document or global (None: as each file has them). `singletons`
    ``"remove"`` removes clusters of one mention on both sides.
    """

    level: Level | None = None
    kind: str = "both"
    singletons: Literal["keep", "remove"] = "keep"
    metrics: tuple[str, ...] = tuple(METRICS)
    ids: IdScope | None = None

    def level_of(self, key: MentionTable) -> Level:
        """The level at which this key is scored."""
        if self.level is not None:
            return self.level
        return "document" if key.local_clusters else "block" if key.ids == "local" else "corpus"


MOST_COMPARED = 1 << 25
"""Bytes of a file whose words are compared with those of the key."""


def other_words(key: Path, response: Path) -> str | None:
    """A sentence if documents have as many tokens as in the key, but other words; large files are not compared."""
    if not all(path.is_file() and path.stat().st_size <= MOST_COMPARED for path in (key, response)):
        return None
    try:
        words = {document.id: document.tokens for document in read_file(key).documents}
        documents = read_file(response).documents
    except InputError:  # in what only scores need no part of
        return None
    for document in documents:
        known = words.get(document.id, ())
        if "empty_nodes" in document.metadata.get("corefud", ()):
            continue  # which are matched apart
        if len(known) == len(document.tokens) and known != document.tokens:
            token = next(token for token, word in enumerate(known) if word != document.tokens[token])
            return (
                f"document {document.id!r} has as many tokens as in the key, but other words: token {token} is "
                f"{document.tokens[token][:40]!r}, not {known[token][:40]!r}; mentions are matched by token index"
            )
    return None


@dataclass(frozen=True, slots=True)
class FileScores:
    """The scores of one response, over all units of the level.

    `key_ids` and `response_ids` say how cluster ids were taken; None for a format without that choice and for a single
    document.
    """

    key: str
    response: str
    level: str
    scores: Scores
    notes: tuple[str, ...]
    key_ids: IdScope | None = None
    response_ids: IdScope | None = None

    @property
    def ids(self) -> str | None:
        """A sentence that says how cluster ids were taken; None if there was no choice."""
        if self.key_ids is not None and self.response_ids not in (None, self.key_ids):
            return (
                f"cluster ids are {self.key_ids} in the key and {self.response_ids} in the response; --ids takes both "
                "as local to a document, or as global"
            )
        taken = self.key_ids or self.response_ids
        return None if taken is None else described_ids(taken)


def score_files(
    key: str | Path, responses: Iterable[str | Path], options: Options | None = None
) -> Iterator[FileScores]:
    """Score responses against a key, one at a time; an `InputError` if one cannot be read or does not match the key."""
    options = options or Options()
    table = read_mention_table(key, ids=options.ids)
    for response in responses:
        yield score_tables(table, read_mention_table(response, ids=options.ids), options)


def score_tables(key: MentionTable, response: MentionTable, options: Options) -> FileScores:
    """Score one response against a key, given their mention tables; `InputError` if it does not match the key."""
    level = options.level_of(key)
    alignment = align(key, response, level=level, kind=options.kind)
    remove = options.singletons == "remove"
    return FileScores(
        key.path,
        response.path,
        level,
        Scores.of(alignment.overlap(remove_singletons=remove), options.metrics),
        tuple(alignment.notes),
        key.ids,
        response.ids,
    )

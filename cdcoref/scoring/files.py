"""Scoring files: a key and any number of responses, in any of the formats, at any level."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from cdcoref.formats import MentionTable, read_mention_table
from cdcoref.scoring.alignment import Alignment, Level, align
from cdcoref.scoring.metrics import METRICS
from cdcoref.scoring.scores import Scores

DOCUMENTS_FOR_A_DOUBT = 10
"""From so many documents on, a cluster that nearly all of them share is remarked on."""


@dataclass(frozen=True, slots=True)
class Options:
    """How files are compared.

    Attributes
    ----------
    level
        Which documents are joined before scoring; None for what the key's format means (`"document"` for CorefUD,
        whose clusters are named document by document, else `"corpus"`).
    kind
        ``"event"`` or ``"entity"`` scores the mentions of that kind alone.
    singletons
        ``"remove"`` leaves out clusters of one mention on both sides.
    remove_nested
        Leave out mentions that lie within another mention of their cluster.
    metrics
        Names of the metrics.
    """

    level: Level | None = None
    kind: str = "both"
    singletons: Literal["keep", "remove"] = "keep"
    remove_nested: bool = False
    metrics: tuple[str, ...] = tuple(METRICS)

    def level_of(self, key: MentionTable) -> Level:
        """The level at which this key is scored."""
        return self.level or ("document" if key.local_clusters else "corpus")

    def align(self, key: MentionTable, response: MentionTable, level: Level) -> Alignment:
        """Key and response at a level, with the kind and the treatment of nested mentions that were chosen."""
        return align(key, response, level=level, kind=self.kind, remove_nested=self.remove_nested)


@dataclass(frozen=True, slots=True)
class FileScores:
    """The scores of one response.

    Attributes
    ----------
    key, response
        The files.
    level
        The level of the scores; ``"block"`` where the `#begin document` lines said what is joined (coval).
    scores
        All groups of the level together.
    documents
        The scores of every document of the key scored alone, where they were asked for.
    notes
        What a reader of the scores should know, one sentence each.
    """

    key: str
    response: str
    level: str
    scores: Scores
    documents: dict[str, Scores] | None
    notes: tuple[str, ...]


def score_files(
    key: str | Path,
    responses: Iterable[str | Path],
    options: Options | None = None,
    *,
    per_document: bool = False,
) -> Iterator[FileScores]:
    """Score responses against a key, one after the other.

    Parameters
    ----------
    key
        The file with the gold clusters.
    responses
        The files with the clusters to be scored.
    options
        How they are compared.
    per_document
        Score every document alone too.

    Raises
    ------
    InputError
        If a file cannot be read, or key and response do not belong together.
    """
    options = options or Options()
    table = read_mention_table(key)
    for response in responses:
        yield score_tables(table, read_mention_table(response), options, per_document=per_document)


def score_tables(
    key: MentionTable, response: MentionTable, options: Options, *, per_document: bool = False
) -> FileScores:
    """Score one response against a key, both read already.

    Raises
    ------
    InputError
        If they do not belong together.
    """
    level = options.level_of(key)
    alignment = options.align(key, response, level)
    remove = options.singletons == "remove"
    notes = alignment.notes
    if level == "corpus" and options.level is None:
        notes = [*notes, *_doubts(key)]
    return FileScores(
        key.path,
        response.path,
        level,
        Scores.of(alignment.overlap(remove_singletons=remove), options.metrics),
        _document_scores(key, response, options) if per_document else None,
        tuple(notes),
    )


def _document_scores(key: MentionTable, response: MentionTable, options: Options) -> dict[str, Scores]:
    alignment = options.align(key, response, "document")
    overlap = alignment.overlap(remove_singletons=options.singletons == "remove")
    return dict(zip(alignment.groups, Scores.of_groups(overlap, options.metrics), strict=True))


def _doubts(key: MentionTable) -> list[str]:
    """A remark where the names of clusters look as if they meant something in one document only."""
    pairs = np.unique(np.stack([key.document, key.cluster]), axis=1)
    documents = len(np.unique(pairs[0]))
    if documents < DOCUMENTS_FOR_A_DOUBT:
        return []
    shared = np.bincount(pairs[1])
    if shared.max() < 0.9 * documents:
        return []
    name = key.names[int(shared.argmax())]
    return [
        f"cluster {name} of the key is in {shared.max()} of {documents} documents and is read as one; if names mean "
        "something in one document only, as in the files of CoNLL-2012, score with --level document"
    ]

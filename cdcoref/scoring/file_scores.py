"""Score files: a key and any number of responses, in any format, at any level."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from cdcoref.errors import InputError
from cdcoref.formats import IdScope, MentionTable, described_ids, read_file, read_mention_table
from cdcoref.scoring.alignment import Alignment, Level, align
from cdcoref.scoring.metrics import METRICS
from cdcoref.scoring.scores import Scores


@dataclass(frozen=True, slots=True)
class Options:
    """How files are scored.

    A `level` of None is `"document"` or `"block"` if cluster names of the key are local to these, otherwise `"corpus"`.
    `ids`: Whether cluster ids in CoNLL are local to a document or global (None: as each file has them). `singletons`
    ``"remove"`` removes clusters of one mention, `remove_nested` mentions nested in another of their cluster, on both
    sides.
    """

    level: Level | None = None
    kind: str = "both"
    singletons: Literal["keep", "remove"] = "keep"
    remove_nested: bool = False
    metrics: tuple[str, ...] = tuple(METRICS)
    ids: IdScope | None = None

    def level_of(self, key: MentionTable) -> Level:
        """The level at which this key is scored."""
        if self.level is not None:
            return self.level
        return "document" if key.local_clusters else "block" if key.ids == "local" else "corpus"

    def align(self, key: MentionTable, response: MentionTable, level: Level) -> Alignment:
        """Align a key and a response at a level, as these options say."""
        return align(key, response, level=level, kind=self.kind, remove_nested=self.remove_nested)


MOST_COMPARED = 1 << 25
"""Bytes of a file whose words are compared with those of the key."""


def other_words(key: Path, response: Path) -> str | None:
    """A sentence if documents of a response have as many tokens as in the key, but other words.

    None if there are no such documents, or a file is a pipe or larger than `MOST_COMPARED`.
    """
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
    """The scores of one response, over all units of the level and, if requested, of each document of the key.

    `key_ids` and `response_ids` say how cluster ids were taken; None for a format without that choice and for a single
    document.
    """

    key: str
    response: str
    level: str
    scores: Scores
    documents: dict[str, Scores] | None
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
    key: str | Path,
    responses: Iterable[str | Path],
    options: Options | None = None,
    *,
    per_document: bool = False,
) -> Iterator[FileScores]:
    """Score responses against a key, one at a time; `per_document` scores each document on its own too.

    Raises `InputError` if a file cannot be read, or a response does not match the key.
    """
    options = options or Options()
    table = read_mention_table(key, ids=options.ids)
    for response in responses:
        yield score_tables(table, read_mention_table(response, ids=options.ids), options, per_document=per_document)


def score_tables(
    key: MentionTable, response: MentionTable, options: Options, *, per_document: bool = False
) -> FileScores:
    """Score one response against a key, given their mention tables; `InputError` if it does not match the key."""
    level = options.level_of(key)
    alignment = options.align(key, response, level)
    remove = options.singletons == "remove"
    documents = None
    if per_document:
        overlap = options.align(key, response, "document").overlap(remove_singletons=remove)
        documents = dict(zip(map(str, key.documents), Scores.of_groups(overlap, options.metrics), strict=True))
    return FileScores(
        key.path,
        response.path,
        level,
        Scores.of(alignment.overlap(remove_singletons=remove), options.metrics),
        documents,
        tuple(alignment.notes),
        key.ids,
        response.ids,
    )

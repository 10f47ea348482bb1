"""JSON lines as a mention table, for scoring: of every line only the id, the groups, the tokens and the mentions count.

The format is described in `jsonl`. A file whose mentions are character ranges, or that has text without tokens, is read
as a corpus first, since its tokens have to be found.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cdcoref.corpus import KINDS, Corpus
from cdcoref.formats.jsonl import read_jsonl
from cdcoref.formats.line_chunks import line_chunks
from cdcoref.formats.mention_table import DocumentKey, DocumentRow, MentionTable, MentionTableBuilder

_KIND_NUMBERS: dict[str | None, int] = {None: 0, **{kind: number for number, kind in enumerate(KINDS, 1)}}


def read_jsonl_table(path: str | Path) -> MentionTable:
    """Read the mentions of a JSON lines file, plain or gzipped.

    Raises
    ------
    InputError
        If a line is not a document with mentions.
    """
    builder = MentionTableBuilder(str(path))
    order = 0
    for number, line in _lines(path):
        document = _document(line, path, number)
        if document is None:
            return table_of_corpus(read_jsonl(path), str(path))
        part = document.get("part") or "0"
        row = DocumentRow(document.get("topic"), document.get("subtopic"), len(document["tokens"]), number)
        builder.begin_document(DocumentKey.of(document["id"], part), row)
        for mention in document.get("mentions") or ():
            kind, cluster = mention.get("kind"), mention.get("cluster")
            # A mention without a cluster's name is a cluster of its own, which no other name can be equal to.
            name = (order,) if cluster is None else (kind, cluster)
            tokens = tuple(mention["tokens"])
            builder.add_tokens(tokens, builder.cluster(name, cluster or ""), order, _KIND_NUMBERS[kind])
            order += 1
    return builder.finish()


def table_of_corpus(corpus: Corpus, path: str) -> MentionTable:
    """The mention table of a corpus."""
    builder = MentionTableBuilder(path)
    by_document = corpus.by_document()
    order = 0
    for document in corpus.documents:
        row = DocumentRow(document.topic, document.subtopic, len(document.tokens))
        builder.begin_document(DocumentKey.of(document.id, document.part), row)
        for mention in by_document[document.id]:
            name = (order,) if mention.cluster is None else (mention.kind, mention.cluster)
            number = builder.cluster(name, mention.cluster or "")
            builder.add_tokens(mention.tokens, number, order, _KIND_NUMBERS[mention.kind])
            order += 1
    return builder.finish()


def _lines(path: str | Path) -> Iterator[tuple[int, bytes]]:
    for first, chunk in line_chunks(path):
        for number, line in enumerate(chunk.split(b"\n"), first):
            if line.strip():
                yield number, line


def _document(line: bytes, path: str | Path, number: int) -> dict[str, Any] | None:
    """The fields of a line that has what the table needs; None where `read_jsonl` has to look at it, or refuse it."""
    try:
        document = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not (
        isinstance(document, dict)
        and isinstance(document.get("id"), str)
        and document["id"]
        and isinstance(document.get("tokens"), list)
        and all(isinstance(document.get(name), str | None) for name in ("part", "topic", "subtopic"))
        and isinstance(document.get("mentions"), list | None)
    ):
        return None
    length = len(document["tokens"])
    if not all(_is_plain(mention, length) for mention in document.get("mentions") or ()):
        return None
    return document


def _is_plain(mention: object, length: int) -> bool:
    """Whether a mention is given by ascending tokens of its document."""
    if not (isinstance(mention, dict) and isinstance(tokens := mention.get("tokens"), list) and tokens):
        return False
    last = -1
    for token in tokens:
        if type(token) is not int or token <= last:
            return False
        last = token
    return last < length and mention.get("kind") in _KIND_NUMBERS and isinstance(mention.get("cluster"), str | None)

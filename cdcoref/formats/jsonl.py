"""JSON lines: one document a line, with its mentions; nothing of a Corpus is lost.

A line as it is written (fields that have their default value are left out)::

    {"id": "a.txt", "text": "Ann left. She fell.", "tokens": ["Ann", "left", ".", "She", "fell", "."],
     "offsets": [[0, 3], [4, 8], ...], "sentences": [[0, 3], [3, 6]], "topic": "5", "subtopic": "5_ecb", "part": "0",
     "path": "news/a.txt", "hidden": [0], "annotated": [1],
     "mentions": [{"tokens": [1], "kind": "event", "cluster": "12", "id": "7", "tag": "ACTION", "confidence": 0.9}]}

A line that a person writes needs less: ``id`` and ``text`` (it is then tokenised as plain text is), or ``id`` and
``tokens`` (the text is then the tokens joined by spaces), and mentions as character ranges of the text, ``"start"`` and
``"end"``, or several as ``"spans": [[start, end], ...]``. A range that is not on the borders of tokens is widened to
all tokens that it touches.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.formats.format import Format, ReadOptions
from cdcoref.formats.jsonl_parsing import Tokenise, read_lines
from cdcoref.formats.lines import shown_name
from cdcoref.formats.mention_table import DocumentKey, DocumentRow, MentionTable, MentionTableBuilder
from cdcoref.formats.output_file import output_file
from cdcoref.formats.text import tokenise_text

WriteDocument = Callable[[Document, Sequence[Mention]], None]
"""A document and its mentions, in the order in which they are written."""

_BEGINNING = re.compile(rb'\s*\{\s*(?:"|\})')


def read_jsonl(source: str | Path | BinaryIO, tokenise: Tokenise = tokenise_text) -> Corpus:
    """Read a corpus.

    Parameters
    ----------
    source
        A file (UTF-8, plain or compressed with gzip), or a stream of bytes.
    tokenise
        What makes a document of a line without tokens.

    Returns
    -------
    Corpus
        Its notes say which fields were unknown and how many mentions were widened to whole tokens.

    Raises
    ------
    InputError
        If a line is not a document as described at the top of this file.
    """
    documents: list[Document] = []
    mentions: list[Mention] = []
    remarks: Counter[str] = Counter()
    for line in read_lines(source, tokenise, remarks):
        documents.append(line.document())
        mentions.extend(line.corpus_mentions())
    notes = (
        f"{shown_name(source)}: {remark} ({'once' if count == 1 else f'{count} times'})"
        for remark, count in remarks.items()
    )
    return Corpus(tuple(documents), tuple(mentions), tuple(notes))


def read_jsonl_table(path: str | Path) -> MentionTable:
    """Read the mentions of a JSON lines file, plain or gzipped, for scoring.

    Raises
    ------
    InputError
        If a line is not a document as described at the top of this file.
    """
    builder = MentionTableBuilder(str(path))
    for line in read_lines(path, tokenise_text, Counter()):
        row = DocumentRow(line.fields.get("topic"), line.fields.get("subtopic"), line.length, line.number)
        builder.begin_document(DocumentKey.of(line.id, line.part), row)
        for tokens, kind, cluster, _ in line.mentions:
            builder.add_mention(tokens, kind, cluster)
    return builder.finish()


@contextmanager
def jsonl_writer(path: str | Path) -> Iterator[WriteDocument]:
    """Write a corpus document by document; the file is there, whole, when the block ends without an error.

        with jsonl_writer("pred.jsonl") as write:
            for document, mentions in found:
                write(document, mentions)

    Parameters
    ----------
    path
        The file; a name that ends in ``.gz`` is compressed.

    Yields
    ------
    Callable
        Takes a document and its mentions, and raises `ValueError` if a document of that id has been written or a
        mention is in another document.

    Raises
    ------
    InputError
        If the file cannot be written; what stood there before is then still there.
    """
    written: set[str] = set()
    with output_file(path) as file:

        def write(document: Document, mentions: Sequence[Mention]) -> None:
            if document.id in written:
                raise ValueError(f"document {document.id!r} is written a second time")
            for mention in mentions:
                if mention.document != document.id or mention.end > len(document.tokens):
                    raise ValueError(f"{mention} is not in document {document.id!r}")
            written.add(document.id)
            file.write(json.dumps(_document_fields(document, mentions), ensure_ascii=False) + "\n")

        yield write


def write_jsonl(corpus: Corpus, path: str | Path) -> None:
    """Write a corpus, mentions grouped by document in their order; a name that ends in ``.gz`` is compressed.

    Raises
    ------
    InputError
        If the file cannot be written; what stood there before is then still there.
    """
    mentions: dict[str, list[Mention]] = {document.id: [] for document in corpus.documents}
    for mention in corpus.mentions:
        mentions[mention.document].append(mention)
    with jsonl_writer(path) as write:
        for document in corpus.documents:
            write(document, mentions[document.id])


def _document_fields(document: Document, mentions: Sequence[Mention]) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "id": document.id,
        "text": document.text,
        "tokens": document.tokens,
        "offsets": document.offsets,
        "sentences": document.sentences,
    }
    for name in ("topic", "subtopic", "path"):
        if getattr(document, name) is not None:
            fields[name] = getattr(document, name)
    if document.part != "0":
        fields["part"] = document.part
    if document.hidden:
        fields["hidden"] = sorted(document.hidden)
    if document.annotated is not None:
        fields["annotated"] = sorted(document.annotated)
    if mentions:
        fields["mentions"] = [_mention_fields(mention) for mention in mentions]
    return fields


def _mention_fields(mention: Mention) -> dict[str, Any]:
    fields: dict[str, Any] = {"tokens": mention.tokens}
    for name in ("kind", "cluster", "id", "tag", "confidence"):
        if getattr(mention, name) is not None:
            fields[name] = getattr(mention, name)
    return fields


def _read(path: Path, options: ReadOptions) -> Corpus:
    return read_jsonl(path, lambda text, id: tokenise_text(text, id, options.pipeline))


def _write(corpus: Corpus, path: Path, layout: str | None) -> tuple[str, ...]:
    write_jsonl(corpus, path)
    return ()


JSONL = Format(
    name="JSON lines",
    suffixes=(".jsonl", ".ndjson", ".json"),
    recognise=lambda start: _BEGINNING.match(start) is not None,
    read=_read,
    read_table=read_jsonl_table,
    write=_write,
)

"""The JSON lines of end-to-end coreference models (e2e-coref and its successors): files in, a corpus out, and back.

A line is a document::

    {"doc_key": "nw/a_0", "sentences": [["Ann", "saw", "her", "."], ["She", "left", "."]],
     "speakers": [["-", "-", "-", "-"], ["-", "-", "-"]], "clusters": [[[0, 0], [2, 2], [4, 4]]]}

``sentences`` are words, or ``tokens`` those of a single one; a mention is its first and its last word, counted through
the document from 0, both inclusive. Speakers, and fields not listed here, are metadata. Clusters end with their
document and have no names; mentions have no kinds, ids or confidences, and no gaps. A model's clusters may be in
``predicted_clusters`` instead. What is written also has ``topic`` and ``subtopic``, which other programs ignore.

Source: Lee et al. 2017, *End-to-end Neural Coreference Resolution*, https://github.com/kentonl/e2e-coref.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

from annotated_types import Len
from pydantic import BaseModel, ConfigDict, model_validator

from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.errors import InputError
from cdcoref.formats.format import Format, ReadOptions, lost_of_documents
from cdcoref.formats.json_documents import json_documents
from cdcoref.formats.jsonl_parsing import Range, WrongLine, checked, parse_object
from cdcoref.formats.mention_table import MentionTable, beginning, table_of_corpus
from cdcoref.formats.output_file import output_file
from cdlm.printing import counted

_BEGINNING = re.compile(rb"\s*(?:\[\s*)?\{\s*\"")
_FIELDS = re.compile(rb'(?<!\\)"doc_key"\s*:|(?<!\\)"sentences"\s*:\s*\[\s*\[\s*"')
"""Fields that only this layout has: in the JSON lines of `jsonl`, sentences are ranges of numbers."""
_OWN = ("doc_key", "sentences", "tokens", "clusters", "predicted_clusters", "topic", "subtopic")


class _Fields(BaseModel):
    """A line."""

    model_config = ConfigDict(strict=True, extra="allow")

    doc_key: Annotated[str, Len(1)]
    sentences: list[list[str]] | None = None
    tokens: list[str] | None = None
    clusters: list[list[Range]] | None = None
    predicted_clusters: list[list[Range]] | None = None
    topic: str | None = None
    subtopic: str | None = None

    @model_validator(mode="after")
    def _agree(self) -> _Fields:
        if self.sentences is None and self.tokens is None:
            raise ValueError("the document has no 'sentences'")
        if None not in (self.clusters, self.predicted_clusters) and self.clusters != self.predicted_clusters:
            raise ValueError("it has both 'clusters' and 'predicted_clusters'; give two files, each with one of them")
        if "subtoken_map" in (self.model_extra or {}):
            raise ValueError("its 'sentences' are word pieces ('subtoken_map'); give the file from which it was made")
        return self


def read_e2e(path: str | Path) -> Corpus:
    """Read a file in the layout of end-to-end coreference models, plain or gzipped.

    The name of a cluster is its number in the document after the document's id. A mention in two clusters is in both.
    Raises `InputError` if a line is not a document in this layout; the message gives the line.
    """
    documents: dict[str, Document] = {}
    mentions: list[Mention] = []
    for number, data in json_documents(path):
        try:
            fields = checked(_Fields, parse_object(data))
            if fields.doc_key in documents:
                raise WrongLine(f"document {fields.doc_key!r} is in the file already; give each its own 'doc_key'")
            document = Document.from_sentences(
                fields.doc_key,
                fields.sentences if fields.sentences is not None else [fields.tokens or []],
                path=str(path),
                topic=fields.topic,
                subtopic=fields.subtopic,
                metadata={name: value for name, value in (fields.model_extra or {}).items() if value is not None},
            )
            mentions += _mentions(fields.clusters or fields.predicted_clusters or [], document)
        except WrongLine as error:
            raise InputError(str(error), path, number) from None
        documents[document.id] = document
    return Corpus(tuple(documents.values()), tuple(mentions))


def _mentions(clusters: list[list[list[int]]], document: Document) -> Iterator[Mention]:
    for number, cluster in enumerate(clusters):
        for start, last in cluster:
            if not start <= last < len(document.tokens):
                counted_to = f"its words are counted from 0 to {len(document.tokens) - 1}, and the last is part of it"
                raise WrongLine(f"a mention of document {document.id!r} is {[start, last]}; {counted_to}")
            yield Mention(document.id, tuple(range(start, last + 1)), None, f"{document.id}/{number}")


def write_e2e(corpus: Corpus, path: str | Path) -> tuple[str, ...]:
    """Write a corpus in the layout of end-to-end coreference models, gzipped if the name ends in `.gz`.

    A mention without a cluster is a cluster of its own. What is returned is a sentence for each kind of information
    lost. Raises `InputError` if the file cannot be written.
    """
    mentions = corpus.by_document()
    with output_file(path) as file:
        for document in corpus.documents:
            fields = _line(document, mentions[document.id])
            file.write(json.dumps(fields, ensure_ascii=False) + "\n")
    return (*_lost(corpus), *lost_of_documents(corpus, "the layout", topics=False))


def _line(document: Document, mentions: Sequence[Mention]) -> dict[str, Any]:
    clusters: dict[object, list[tuple[int, int]]] = {}
    for mention in sorted(mentions, key=beginning):
        key = object() if mention.cluster is None else (mention.kind, mention.cluster)
        clusters.setdefault(key, []).append((mention.start, mention.end - 1))
    sentences = [document.tokens[start:end] for start, end in document.sentences]
    fields: dict[str, Any] = {
        "doc_key": document.id,
        "sentences": sentences,
        "speakers": [["-"] * len(words) for words in sentences],
        "clusters": list(clusters.values()),
    }
    fields |= {name: value for name, value in document.metadata.items() if name not in _OWN}
    fields |= {name: getattr(document, name) for name in ("topic", "subtopic") if getattr(document, name) is not None}
    return fields


def _lost(corpus: Corpus) -> Iterator[str]:
    documents: dict[object, set[str]] = {}
    for mention in corpus.mentions:
        if mention.cluster is not None:
            documents.setdefault((mention.kind, mention.cluster), set()).add(mention.document)
    if across := sum(len(of) > 1 for of in documents.values()):
        what = "cluster of several documents", "clusters of several documents"
        yield f"{counted(across, *what)} cut into one for each document, since the layout has none"
    if gaps := sum(not mention.contiguous for mention in corpus.mentions):
        yield f"{counted(gaps, 'discontinuous mention')} extended from first to last token, since the layout has none"


def _read_table(path: Path, options: ReadOptions) -> MentionTable:
    table = table_of_corpus(read_e2e(path), str(path))
    table.local_clusters = True
    return table


E2E = Format(
    name="JSON lines of end-to-end coreference",
    suffixes=(".jsonlines",),
    recognise=lambda start: _BEGINNING.match(start) is not None and _FIELDS.search(start) is not None,
    read=lambda path, options: read_e2e(path).with_kind(options.kind),
    read_table=_read_table,
    write=lambda corpus, path, layout: write_e2e(corpus, path),
    omits=("kind", "confidence"),
    metadata=True,
)

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
from typing import Any

from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.errors import InputError
from cdcoref.formats.format import Format, ReadOptions, lost_of_documents
from cdcoref.formats.json_documents import json_documents
from cdcoref.formats.jsonl_parsing import WrongLine, parse_object
from cdcoref.formats.mention_table import MentionTable, beginning, table_of_corpus
from cdcoref.formats.output_file import output_file
from cdlm.printing import counted

_BEGINNING = re.compile(rb"\s*(?:\[\s*)?\{\s*\"")
_FIELDS = re.compile(rb'(?<!\\)"doc_key"\s*:|(?<!\\)"sentences"\s*:\s*\[\s*\[\s*"')
"""Fields that only this layout has: in the JSON lines of `jsonl`, sentences are ranges of numbers."""
_OWN = ("doc_key", "sentences", "tokens", "clusters", "predicted_clusters", "topic", "subtopic")


def read_e2e(path: str | Path) -> Corpus:
    """Read a file in the layout of end-to-end coreference models, plain or gzipped.

    The name of a cluster is its number in the document after the document's id. A mention in two clusters is in both.
    Raises `InputError` if a line is not a document in this layout; the message gives the line.
    """
    documents: dict[str, Document] = {}
    mentions: list[Mention] = []
    for number, data in json_documents(path):
        try:
            fields = parse_object(data)
            document = _document(fields, str(path))
            if document.id in documents:
                raise WrongLine(
                    f"document {document.id!r} is in the file already; give every document its own 'doc_key'"
                )
            clusters = fields.get("clusters")
            mentions += _mentions(fields.get("predicted_clusters") if clusters is None else clusters, document)
        except WrongLine as error:
            raise InputError(str(error), path, number) from None
        documents[document.id] = document
    return Corpus(tuple(documents.values()), tuple(mentions))


def _document(fields: dict[str, Any], path: str) -> Document:
    id: Any = fields.get("doc_key")
    sentences: Any = fields.get("sentences", [fields.get("tokens")])
    if not (isinstance(id, str) and id):
        raise WrongLine("the document has no 'doc_key'; give each document a unique one, a string")
    if "predicted_clusters" in fields and fields.get("clusters") not in (None, fields["predicted_clusters"]):
        raise WrongLine("it has both 'clusters' and 'predicted_clusters'; give two files, each with one of them")
    if "subtoken_map" in fields:
        raise WrongLine("its 'sentences' are word pieces ('subtoken_map'); give the file from which it was made")
    if not (_is_list_of_lists(sentences) and all(type(word) is str for words in sentences for word in words)):
        raise WrongLine("'sentences' must be a list of lists of words")
    for name in ("topic", "subtopic"):
        if not isinstance(fields.get(name), str | None):
            raise WrongLine(f"{name!r} must be a string")
    metadata = {name: value for name, value in fields.items() if name not in _OWN and value is not None}
    return Document.from_sentences(
        id, sentences, path=path, topic=fields.get("topic"), subtopic=fields.get("subtopic"), metadata=metadata
    )


def _is_list_of_lists(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(entry, list) for entry in value)


def _mentions(clusters: Any, document: Document) -> Iterator[Mention]:
    if clusters is None:
        return
    if not (_is_list_of_lists(clusters) and all(_is_list_of_lists(cluster) for cluster in clusters)):
        raise WrongLine("'clusters' must be a list of clusters, each a list of mentions [first word, last word]")
    for number, cluster in enumerate(clusters):
        for mention in cluster:
            if not (len(mention) == 2 and all(type(word) is int for word in mention)):
                raise WrongLine(f"a mention of document {document.id!r} is not [first word, last word]")
            start, last = mention
            if not 0 <= start <= last < len(document.tokens):
                raise WrongLine(
                    f"a mention of document {document.id!r} is {mention}; its words are counted from 0 to "
                    f"{len(document.tokens) - 1}, and the last is part of it"
                )
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

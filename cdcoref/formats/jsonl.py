"""JSON lines, one document per line with its mentions, as a corpus or a mention table; no part of a Corpus is lost."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO

from cdcoref.corpus import ClusterKey, Corpus, Document, Mention, character_parts, mention_text
from cdcoref.errors import InputError
from cdcoref.formats.format import Format, ReadOptions
from cdcoref.formats.jsonl_parsing import Remarks, read_records
from cdcoref.formats.lines import first_bytes, shown_name
from cdcoref.formats.mention_table import MentionTable, table_of_corpus
from cdlm.output_file import output_file

SCHEMAS = {"document": 1, "prediction": 1}
"""The schemas and their versions.

``document`` is a line of JSON lines, ``prediction`` is what `cdcoref.predict.Prediction.to_json` gives.
"""
_BEGINNING = re.compile(rb'\s*(?:\[\s*)?\{\s*(?:"|\})')
_END_TO_END = re.compile(rb'(?<!\\)"doc_key"\s*:|(?<!\\)"sentences"\s*:\s*\[\s*\[\s*"')
"""Fields that only the layout of end-to-end models has, whose clusters are of one document; see `json_layouts`."""


def read_jsonl(source: str | Path | BinaryIO, options: ReadOptions | None = None) -> Corpus:
    """Read a corpus from a file, plain or gzipped, or a stream; notes report what was left out, extended or unknown."""
    remarks = Remarks()
    records = list(read_records(source, remarks, options or ReadOptions()))
    names, doubts = joined_names(record.names for record in records)
    notes = (*remarks.notes(shown_name(source)), *(f"{shown_name(source)}: {doubt}" for doubt in doubts))
    mentions = tuple(mention for record in records for mention in record.mentions)
    return Corpus(tuple(record.document for record in records), mentions, notes, names)


def read_jsonl_table(path: Path, options: ReadOptions) -> MentionTable:
    """Read the mentions of a JSON lines file, plain or gzipped, for scoring; errors are those of `read_jsonl`."""
    table = table_of_corpus(read_jsonl(path, options), str(path))
    table.local_clusters = _END_TO_END.search(first_bytes(path)) is not None
    return table


@contextmanager
def jsonl_writer(
    path: str | Path, names: Mapping[ClusterKey, str] = MappingProxyType({})
) -> Iterator[Callable[..., None]]:
    """Write a corpus document by document; the file appears, complete, when the block ends without an error.

        with jsonl_writer("pred.jsonl") as write:
            for document, mentions in found:
                write(document, mentions)

    `names` is what people call clusters. What is yielded writes a document, its mentions, and what else is known of
    clusters; it raises `ValueError` if that document has been written, or a mention is not in it.
    """
    written: set[str] = set()
    with output_file(path) as file:

        def write(document: Document, mentions: Sequence[Mention], clusters: Sequence[Mapping[str, Any]] = ()) -> None:
            if document.id in written:
                raise ValueError(f"document {document.id!r} has already been written")
            for mention in mentions:
                if mention.document != document.id or mention.end > len(document.tokens):
                    raise ValueError(f"{mention} is not in document {document.id!r}")
            written.add(document.id)
            fields = document_fields(document, mentions) | names_entry(mentions, names, clusters)
            file.write(json.dumps(fields, ensure_ascii=False) + "\n")

        yield write


def write_jsonl(corpus: Corpus, path: str | Path) -> None:
    """Write a corpus, the mentions grouped by document; the file is compressed if its name ends in ``.gz``."""
    numbers = corpus.mention_numbers()
    with jsonl_writer(path, corpus.names) as write:
        for document in corpus.documents:
            write(document, [corpus.mentions[number] for number in numbers[document.id]])


def document_fields(document: Document, mentions: Sequence[Mention]) -> dict[str, Any]:
    """A document and its mentions as the fields of a line."""
    fields: dict[str, Any] = {
        "id": document.id,
        "text": document.text,
        "tokens": document.tokens,
        "offsets": document.offsets,
        "sentences": document.sentences,
    }
    more = {
        **{name: getattr(document, name) for name in ("topic", "subtopic", "path", "copy_of", "story")},
        "part": document.part if document.part != "0" else None,
        "hidden": sorted(document.hidden) or None,
        "annotated": None if document.annotated is None else sorted(document.annotated),
        "metadata": dict(document.metadata) or None,
        "found": sorted(document.found) or None,
    }
    fields |= {name: value for name, value in more.items() if value is not None}
    fields["mentions"] = [_mention_fields(mention, document) for mention in mentions]
    return fields


def _mention_fields(mention: Mention, document: Document) -> dict[str, Any]:
    parts = character_parts(mention, document)
    fields: dict[str, Any] = {"tokens": mention.tokens, "start": parts[0][0], "end": parts[-1][1]}
    if len(parts) > 1:
        fields["spans"] = parts
    fields["text"] = mention_text(mention, document)
    for name in ("kind", "cluster", "id", "tag", "confidence"):
        if getattr(mention, name) is not None:
            fields[name] = getattr(mention, name)
    return fields


def names_entry(
    mentions: Sequence[Mention], names: Mapping[ClusterKey, str], clusters: Sequence[Mapping[str, Any]] = ()
) -> dict[str, Any]:
    """The names of the clusters of some mentions, and what else is known of them (`clusters`); none if nothing is."""
    if not names and not clusters:
        return {}
    known = {(one["kind"], one["cluster"]): one for one in clusters}
    keys = dict.fromkeys((mention.kind, mention.cluster) for mention in mentions if mention.cluster is not None)
    entries = [
        {
            "cluster": cluster,
            **({} if kind is None else {"kind": kind}),
            **({"name": names[kind, cluster]} if (kind, cluster) in names else {}),
            **known.get((kind, cluster), {}),
        }
        for kind, cluster in keys
        if (kind, cluster) in names or (kind, cluster) in known
    ]
    return {"clusters": entries} if entries else {}


def joined_names(parts: Iterable[Mapping[ClusterKey, str]]) -> tuple[dict[ClusterKey, str], tuple[str, ...]]:
    """The names in several lines or files, and a sentence for each cluster with more than one; the first is kept."""
    names: dict[ClusterKey, str] = {}
    notes: dict[ClusterKey, str] = {}
    for part in parts:
        for key, name in part.items():
            if names.setdefault(key, name) != name:
                notes[key] = f"cluster {key[1]!r} is named {names[key]!r} and {name!r}; the first name is kept"
    return names, tuple(notes.values())


def json_schema(name: str = "document") -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of an output, one of :data:`SCHEMAS`; others are refused with an `InputError`.

    >>> json_schema("document")["$id"]
    'urn:cdcoref:schema:document:1'
    """
    if name not in SCHEMAS:
        raise InputError(f"there is no schema {name!r}; choose {' or '.join(SCHEMAS)}")
    text = files("cdcoref.formats").joinpath(f"schemas/{name}-{SCHEMAS[name]}.json").read_text(encoding="utf-8")
    return json.loads(text)


JSONL = Format(
    name="JSON lines",
    suffixes=(".jsonl", ".ndjson", ".json", ".jsonlines"),
    recognise=_BEGINNING.match,
    read=read_jsonl,
    read_table=read_jsonl_table,
    write=lambda corpus, path, _: write_jsonl(corpus, path),
    names=True,
    metadata=True,
)

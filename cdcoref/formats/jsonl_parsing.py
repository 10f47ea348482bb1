"""JSON lines in, validated documents out; the format is described in `jsonl`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import chain, pairwise
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Literal, NamedTuple

from annotated_types import Len
from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt, model_validator

from cdcoref.corpus import ClusterKey, Document, Mention, character_parts, tokens_between
from cdcoref.errors import InputError
from cdcoref.formats.format import ReadOptions
from cdcoref.formats.json_documents import WrongLine, checked, json_documents, parse_object, shown
from cdcoref.formats.json_layouts import Layouts, Range
from cdcoref.formats.lines import shown_name
from cdcoref.formats.plain_text import tokenise_text

Kind = Literal["event", "entity"]
Remark = Callable[[str], None]


class MentionFields(BaseModel):
    """A mention of a line."""

    model_config = ConfigDict(strict=True, extra="allow")

    tokens: Annotated[list[NonNegativeInt], Len(1)] | None = None
    start: NonNegativeInt | None = None
    end: NonNegativeInt | None = None
    spans: Annotated[list[Range], Len(1)] | None = None
    text: Any = None
    kind: Kind | None = None
    cluster: str | int | None = None
    id: str | int | None = None
    tag: str | None = None
    confidence: Annotated[float, Field(ge=0, le=1)] | None = None

    @property
    def cluster_name(self) -> str | None:
        """The name of its cluster; a number is its digits, and an empty cell of a table is none."""
        return None if self.cluster in (None, "") else str(self.cluster)

    def ranges(self) -> list[list[int]]:
        """The character ranges that the mention states; empty if it states none."""
        if self.tokens:
            return self.spans or []
        if (self.start is None) != (self.end is None) or (self.start is not None and self.spans):
            raise WrongLine("it needs either 'tokens', or 'start' and 'end', or 'spans'")
        return self.spans or ([[self.start, self.end]] if self.start is not None and self.end is not None else [])


class ClusterFields(BaseModel):
    """What a line says of a cluster. Circumstances are found again in the texts, and not read."""

    model_config = ConfigDict(strict=True, extra="allow")

    cluster: str | int
    kind: Kind | None = None
    name: str | None = None


class DocumentAttributes(BaseModel):
    """A document besides its text and words."""

    id: str | None = None
    topic: str | None = None
    subtopic: str | None = None
    part: str | None = None
    path: str | None = None
    hidden: list[NonNegativeInt] | None = None
    annotated: list[NonNegativeInt] | None = None
    metadata: dict[str, Any] | None = None
    found: list[str] | None = None
    copy_of: str | None = None
    story: NonNegativeInt | None = None


class DocumentFields(DocumentAttributes):
    """A line."""

    model_config = ConfigDict(strict=True, extra="allow")

    id: str | int | None = None  # type: ignore[assignment]
    text: str | None = None
    tokens: list[str] | None = None
    offsets: list[Range] | None = None
    sentences: list[Range] | None = None
    mentions: list[MentionFields] | None = None
    clusters: list[ClusterFields] | None = None

    @model_validator(mode="after")
    def _agree(self) -> DocumentFields:
        """Check what the fields say of each other."""
        if self.tokens is None:
            if self.text is None:
                raise ValueError("the document has neither 'text' nor 'tokens'")
            for name in ("offsets", "sentences", "hidden", "annotated"):
                if getattr(self, name) is not None:
                    raise ValueError(f"the document has {name!r} but no 'tokens', to which they refer")
        elif self.text is None and self.offsets is not None:
            raise ValueError("the document has 'offsets' but no 'text', to which they refer")
        elif self.text is not None and self.offsets is None:
            raise ValueError("the document has 'text' and 'tokens' but no 'offsets'; add them, or remove 'tokens'")
        elif len(self.offsets or self.tokens) != len(self.tokens) or (self.tokens and self.offsets == []):
            raise ValueError(f"'offsets' has {len(self.offsets or ())} ranges for {len(self.tokens)} tokens")
        borders = list(chain.from_iterable(self.offsets or ()))
        if borders != sorted(borders) or (borders and borders[-1] > len(self.text or "")):
            within = f"within the {len(self.text or '')} characters of 'text'"
            raise ValueError(f"'offsets' must be ascending ranges [start, end] {within}")
        ends = [0, *(end for _, end in self.sentences or ())]
        length = len(self.tokens or ())
        if self.sentences is not None and not (
            [start for start, _ in self.sentences] == ends[:-1] and ends == sorted(ends) and ends[-1] == length
        ):
            raise ValueError(f"'sentences' must be ranges [start, end] that cover the {length} tokens in order")
        sentences = min(length, 1) if self.sentences is None else len(self.sentences)
        for name in ("hidden", "annotated"):
            if any(number >= sentences for number in getattr(self, name) or ()):
                raise ValueError(f"{name!r} must be a list of sentence indices from 0 to {sentences - 1}")
        if not set(self.found or ()) <= (self.metadata or {}).keys():
            raise ValueError("'found' must be a list of names of the document's 'metadata'")
        return self

    def base(self, id: str, pipeline: str | None) -> Document:
        """The document from its text, which `pipeline` tokenises, or words alone."""
        if self.tokens is None:
            return tokenise_text(self.text or "", id, pipeline)
        sentences = [(0, len(self.tokens))] if self.tokens else []
        if self.sentences is not None:
            sentences = [(start, end) for start, end in self.sentences]
        if self.text is None:
            return Document.from_sentences(id, [self.tokens[start:end] for start, end in sentences])
        offsets = tuple((start, end) for start, end in self.offsets or ())
        return Document(id, tuple(self.tokens), tuple(sentences), self.text, offsets)


class Remarks:
    """Remarks on a file: each once, with how often it was made and where first."""

    def __init__(self) -> None:
        self._times: Counter[str] = Counter()
        self._first: dict[str, int] = {}

    def add(self, remark: str, line: int) -> None:
        """Make a remark on a line."""
        self._times[remark] += 1
        self._first.setdefault(remark, line)

    def notes(self, source: str) -> list[str]:
        """A sentence for each remark, in the order in which they were first made."""
        return [
            f"{source}: {remark} ({'once, on' if times == 1 else f'{times} times, first on'} line {first})"
            for (remark, times), first in zip(self._times.items(), self._first.values(), strict=True)
        ]


class Record(NamedTuple):
    """A document of a file with its mentions and the names of clusters."""

    document: Document
    mentions: list[Mention]
    names: dict[ClusterKey, str]


def read_records(source: str | Path | BinaryIO, remarks: Remarks, options: ReadOptions) -> Iterator[Record]:
    """Yield documents, and remark on what is noticed; without an id they get the names of the file and the line."""
    line_of: dict[str, int] = {}
    for number, data in json_documents(source):
        try:
            unnamed = f"{Path(shown_name(source)).name}:{number}"
            if unnamed in line_of:  # several on a line
                unnamed += f":{len(line_of)}"
            layouts = Layouts(options, partial(remarks.add, line=number))
            for content in layouts.documents(parse_object(data), unnamed):
                record = _record(content, number, unnamed, options.pipeline, remarks)
                id = record.document.id
                if id in line_of:
                    raise WrongLine(f"document {id!r} is on line {line_of[id]} already; ids must be unique")
                line_of[id] = number
                yield record
        except WrongLine as error:
            raise InputError(str(error), shown_name(source), number) from None


def _record(content: dict[str, Any], number: int, unnamed: str, pipeline: str | None, remarks: Remarks) -> Record:
    fields = checked(DocumentFields, content)
    for name, value in (fields.model_extra or {}).items():
        if isinstance(value, list | dict):
            remarks.add(f"unknown field {shown(name)} of a document kept as metadata", number)
    id = unnamed if fields.id in (None, "") else str(fields.id)
    base = fields.base(id, pipeline)
    stated = {name: value for name, value in (fields.model_extra or {}).items() if value is not None}
    stated |= fields.metadata or {}
    attributes = document_attributes(fields.__dict__)
    attributes["metadata"] = {**base.metadata, **stated}
    attributes["found"] |= base.found - stated.keys()
    mentions = []
    for place, entry in enumerate(fields.mentions or (), 1):
        try:
            tokens = _tokens(entry, base, fields.tokens is not None, partial(remarks.add, line=number))
        except WrongLine as error:
            raise WrongLine(f"mention {place} of document {id!r} cannot be used: {error}") from None
        confidence = None if entry.confidence is None else float(entry.confidence)
        source_id = None if entry.id is None else str(entry.id)
        mentions.append(Mention(id, tokens, entry.kind, entry.cluster_name, source_id, entry.tag, confidence))
    named = (cluster for cluster in fields.clusters or () if cluster.name is not None)
    names: dict[ClusterKey, str] = {(cluster.kind, str(cluster.cluster)): str(cluster.name) for cluster in named}
    return Record(replace(base, **attributes), mentions, names)


def document_attributes(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The attributes of a document besides its id, text, tokens and sentences, from the fields of a line."""
    annotated = fields.get("annotated")
    return {
        **{name: fields.get(name) for name in ("topic", "subtopic", "path", "copy_of", "story")},
        "part": fields.get("part") or "0",
        "hidden": frozenset(fields.get("hidden") or ()),
        "annotated": None if annotated is None else frozenset(annotated),
        "metadata": fields.get("metadata") or {},
        "found": frozenset(fields.get("found") or ()),
    }


def _tokens(
    entry: MentionFields, document: Document, has_words: bool, remark: Callable[[str], None]
) -> tuple[int, ...]:
    """The tokens of a mention, which are stated, or overlap its character ranges."""
    for name in entry.model_extra or ():
        remark(f"unknown field {shown(name)} of a mention ignored")
    tokens = entry.tokens
    ranges = entry.ranges()
    if tokens is None:
        return _touched(ranges, document, remark)
    if not has_words:
        raise WrongLine("it has 'tokens', but its document has none; use character ranges, 'start' and 'end'")
    length = len(document.tokens)
    if tokens[-1] >= length or any(a >= b for a, b in pairwise(tokens)):
        raise WrongLine(f"its tokens must be ascending indices from 0 to {length - 1}")
    if ranges or (entry.start, entry.end) != (None, None):
        parts = character_parts(Mention(document.id, tuple(tokens)), document)
        if entry.start not in (None, parts[0][0]) or entry.end not in (None, parts[-1][1]):
            place = f"characters {parts[0][0]} to {parts[-1][1]}"
            raise WrongLine(f"its tokens are {place}; correct its 'start' and 'end', or leave them out")
        if ranges not in ([], [[*part] for part in parts]) and _touched(ranges, document) != tuple(tokens):
            places = [list(part) for part in parts]
            raise WrongLine(f"its tokens are the characters {places}; correct its 'spans', or leave them out")
    return tuple(tokens)


def _touched(ranges: list[list[int]], document: Document, remark: Remark = lambda remark: None) -> tuple[int, ...]:
    if not ranges:
        raise WrongLine("it needs either 'tokens', or 'start' and 'end', or 'spans'")
    tokens: set[int] = set()
    for start, end in ranges:
        touched = tokens_between(document, start, end)
        place = f"characters {shown(start)} to {shown(end)}"
        if end > len(document.text):
            raise WrongLine(f"{place} go beyond the {len(document.text)} characters of the text")
        if start >= end or not touched:
            words = shown(document.text[start:end])
            raise WrongLine(f"{place} ({words}) contain no token; the end of a range is exclusive")
        if (document.offsets[touched[0]][0], document.offsets[touched[-1]][1]) != (start, end):
            remark("mention extended to whole tokens")
        tokens.update(touched)
    return tuple(sorted(tokens))

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
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO

from cdcoref.corpus import KINDS, Corpus, Document, Mention
from cdcoref.errors import InputError
from cdcoref.formats.line_chunks import line_chunks
from cdcoref.formats.output_file import output_file

_DOCUMENT_FIELDS = {
    *("id", "text", "tokens", "offsets", "sentences", "topic", "subtopic", "part", "path", "hidden", "annotated"),
    "mentions",
}
_PLACES = {"tokens", "spans", "start", "end"}
_MENTION_FIELDS = {*_PLACES, "kind", "cluster", "id", "tag", "confidence"}

Tokenise = Callable[[str, str], Document]
"""Text and id to a document."""


def read_jsonl(source: str | Path | BinaryIO, tokenise: Tokenise | None = None) -> Corpus:
    """Read a corpus.

    Parameters
    ----------
    source
        A file (UTF-8, plain or compressed with gzip), or a stream of bytes.
    tokenise
        What makes a document of a line without tokens; the default is `cdcoref.formats.text.tokenise_text`.

    Returns
    -------
    Corpus
        Its notes say which fields were unknown and how many mentions were widened to whole tokens.

    Raises
    ------
    InputError
        If a line is not a document as described at the top of this file.
    """
    name = str(source) if isinstance(source, str | Path) else getattr(source, "name", "the stream")
    documents: list[Document] = []
    mentions: list[Mention] = []
    line_of: dict[str, int] = {}
    remarks: Counter[str] = Counter()
    for number, line in _lines(source):
        try:
            document, found = _read_line(line, tokenise or _tokenise_text, remarks)
            if document.id in line_of:
                raise _Wrong(f"document {document.id!r} is on line {line_of[document.id]} already; ids must be unique")
        except _Wrong as error:
            raise InputError(str(error), name, number) from None
        line_of[document.id] = number
        documents.append(document)
        mentions.extend(found)
    notes = tuple(f"{name}: {remark} ({count} times)" for remark, count in remarks.items())
    return Corpus(tuple(documents), tuple(mentions), notes)


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
    with output_file(path) as file:
        for document in corpus.documents:
            file.write(json.dumps(_document_fields(document, mentions[document.id]), ensure_ascii=False) + "\n")


def _document_fields(document: Document, mentions: list[Mention]) -> dict[str, Any]:
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


class _Wrong(Exception):
    """What is wrong with a line, before file and line are known."""


def _tokenise_text(text: str, id: str) -> Document:
    from cdcoref.formats.text import tokenise_text

    return tokenise_text(text, id)


def _lines(source: str | Path | BinaryIO) -> Iterator[tuple[int, bytes]]:
    """The lines that are not blank, with their numbers from 1."""
    if isinstance(source, str | Path):
        for first, chunk in line_chunks(source):
            for number, line in enumerate(chunk.split(b"\n"), first):
                if line.strip():
                    yield number, line
    else:
        for number, line in enumerate(source, 1):
            if line.strip():
                yield number, line


def _read_line(line: bytes, tokenise: Tokenise, remarks: Counter[str]) -> tuple[Document, list[Mention]]:
    try:
        fields = json.loads(line.decode())
        json.dumps(fields, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        raise _Wrong(f"the line is not JSON ({error.msg} at column {error.colno})") from None
    except UnicodeDecodeError:
        raise _Wrong("the line is not UTF-8; convert the file to UTF-8") from None
    except UnicodeEncodeError:
        raise _Wrong("the line has half of a surrogate pair, which is no character") from None
    except (ValueError, RecursionError) as error:
        raise _Wrong(f"the line cannot be read as JSON ({error})") from None
    if not isinstance(fields, dict):
        raise _Wrong('the line is not a JSON object; each line should be one document, {"id": ..., "text": ...}')
    _remark_unknown(fields, _DOCUMENT_FIELDS, "document", remarks)
    document = _read_document(fields, tokenise)
    entries = _list(fields, "mentions", optional=True) or []
    return document, [
        _read_mention(entry, number, document, fields, remarks) for number, entry in enumerate(entries, 1)
    ]


def _remark_unknown(fields: dict[str, Any], known: set[str], what: str, remarks: Counter[str]) -> None:
    for name in fields.keys() - known:
        remarks[f"the field {name!r} of a {what} is unknown and was not read"] += 1


def _read_document(fields: dict[str, Any], tokenise: Tokenise) -> Document:
    id, text = _string(fields, "id"), _string(fields, "text")
    if not id:
        raise _Wrong("the document has no 'id'; give every document a name of its own")
    if "tokens" in fields:
        document = _read_tokens(fields, id, text)
    elif text is None:
        raise _Wrong("the document has neither 'text' nor 'tokens'")
    else:
        for name in ("offsets", "sentences", "hidden", "annotated"):
            if fields.get(name) is not None:
                raise _Wrong(f"the document has {name!r} but no 'tokens', to which they refer")
        document = tokenise(text, id)
    numbers = {name: _sentence_numbers(fields, name, len(document.sentences)) for name in ("hidden", "annotated")}
    return Document(
        document.id,
        document.tokens,
        document.sentences,
        document.text,
        document.offsets,
        topic=_string(fields, "topic"),
        subtopic=_string(fields, "subtopic"),
        part=_string(fields, "part") or "0",
        path=_string(fields, "path"),
        hidden=numbers["hidden"] or frozenset(),
        annotated=numbers["annotated"],
    )


def _read_tokens(fields: dict[str, Any], id: str, text: str | None) -> Document:
    tokens = _list(fields, "tokens") or []
    if not all(isinstance(token, str) for token in tokens):
        raise _Wrong("'tokens' must be a list of strings")
    if fields.get("sentences") is None:
        sentences = [(0, len(tokens))] if tokens else []
    else:
        sentences = _ranges(fields["sentences"], "sentences")
        if [start for start, _ in sentences] != [0, *(end for _, end in sentences)][: len(sentences)] or (
            sentences[-1][1] if sentences else 0
        ) != len(tokens):
            raise _Wrong(f"'sentences' must be ranges [start, end] that cover the {len(tokens)} tokens in order")
    if text is None:
        if fields.get("offsets") is not None:
            raise _Wrong("the document has 'offsets' but no 'text', to which they refer")
        return Document.from_sentences(id, [tokens[start:end] for start, end in sentences])
    if fields.get("offsets") is None:
        raise _Wrong("the document has 'text' and 'tokens' but no 'offsets'; add them, or leave out one of the two")
    offsets = _ranges(fields["offsets"], "offsets")
    if len(offsets) != len(tokens):
        raise _Wrong(f"'offsets' has {len(offsets)} ranges for {len(tokens)} tokens")
    borders = [border for offset in offsets for border in offset]
    if borders != sorted(borders) or (borders and borders[-1] > len(text)):
        raise _Wrong(f"'offsets' must be ascending ranges [start, end] within the {len(text)} characters of 'text'")
    return Document(id, tuple(tokens), tuple(sentences), text, tuple(offsets))


def _sentence_numbers(fields: dict[str, Any], name: str, sentences: int) -> frozenset[int] | None:
    numbers = _list(fields, name, optional=True)
    if numbers is None:
        return None
    if not all(_is_number(n) and n < sentences for n in numbers):
        raise _Wrong(f"{name!r} must be a list of sentence numbers from 0 to {sentences - 1}")
    return frozenset(numbers)


def _read_mention(entry: Any, number: int, document: Document, line: dict[str, Any], remarks: Counter[str]) -> Mention:
    try:
        if not isinstance(entry, dict):
            raise _Wrong("it is not a JSON object")
        _remark_unknown(entry, _MENTION_FIELDS, "mention", remarks)
        kind = _string(entry, "kind")
        if kind is not None and kind not in KINDS:
            raise _Wrong(f"its kind is {kind!r}; it must be {' or '.join(KINDS)}, or left out")
        confidence = entry.get("confidence")
        if confidence is not None and (type(confidence) not in (int, float) or not 0 <= confidence <= 1):
            raise _Wrong(f"its confidence is {confidence!r}; it must be a number from 0 to 1")
        tokens = _mention_tokens(entry, document, line, remarks)
        return Mention(
            document.id,
            tokens,
            kind,
            _name(entry, "cluster"),
            _name(entry, "id"),
            _string(entry, "tag"),
            None if confidence is None else float(confidence),
        )
    except _Wrong as error:
        raise _Wrong(f"mention {number} of document {document.id!r} cannot be used: {error}") from None


def _mention_tokens(
    entry: dict[str, Any], document: Document, line: dict[str, Any], remarks: Counter[str]
) -> tuple[int, ...]:
    """The tokens of a mention, however its place is given."""
    given = {name for name in _PLACES if entry.get(name) is not None}
    if given == {"tokens"}:
        if "tokens" not in line:
            raise _Wrong("it has 'tokens', but its document has none; give character ranges: 'start' and 'end'")
        tokens = entry["tokens"]
        limit = len(document.tokens)
        if not (isinstance(tokens, list) and tokens and all(_is_number(t) and t < limit for t in tokens)):
            raise _Wrong(f"its tokens must be numbers from 0 to {limit - 1}, one at least")
        if any(a >= b for a, b in pairwise(tokens)):
            raise _Wrong("its tokens must be in ascending order")
        return tuple(tokens)
    if given == {"start", "end"}:
        spans = _ranges([[entry["start"], entry["end"]]], "its start and end")
    elif given == {"spans"}:
        spans = _ranges(entry["spans"], "its spans")
    else:
        raise _Wrong("it needs either 'tokens', or 'start' and 'end', or 'spans'")
    return _touched(spans, document, remarks)


def _touched(spans: list[tuple[int, int]], document: Document, remarks: Counter[str]) -> tuple[int, ...]:
    """The tokens that character ranges touch."""
    tokens: set[int] = set()
    for start, end in spans:
        # Offsets ascend and do not overlap, so the tokens touched are consecutive.
        first = bisect_right(document.offsets, start, key=lambda offset: offset[1])
        last = bisect_left(document.offsets, end, key=lambda offset: offset[0])
        if start == end or end > len(document.text) or first >= last:
            raise _Wrong(
                f"characters {start} to {end} ({document.text[start:end]!r}) touch no token; "
                f"ranges count characters of the text from 0 to {len(document.text)}, the end exclusive"
            )
        if (document.offsets[first][0], document.offsets[last - 1][1]) != (start, end):
            remarks["a mention was widened to whole tokens"] += 1
        tokens.update(range(first, last))
    if not tokens:
        raise _Wrong("it has no span")
    return tuple(sorted(tokens))


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _string(fields: dict[str, Any], name: str) -> str | None:
    value = fields.get(name)
    if value is not None and not isinstance(value, str):
        raise _Wrong(f"{name!r} must be a string, not {json.dumps(value)[:40]}")
    return value


def _name(fields: dict[str, Any], name: str) -> str | None:
    """A string, or a number as one."""
    value = fields.get(name)
    return str(value) if type(value) is int else _string(fields, name)


def _list(fields: dict[str, Any], name: str, optional: bool = False) -> list[Any] | None:
    value = fields.get(name)
    if not isinstance(value, list) and not (optional and value is None):
        raise _Wrong(f"{name!r} must be a list, not {json.dumps(value)[:40]}")
    return value


def _ranges(value: object, name: str) -> list[tuple[int, int]]:
    """Pairs of numbers, the first not above the second."""
    if not isinstance(value, list):
        raise _Wrong(f"{name} must be a list of ranges [start, end]")
    for entry in value:
        if not (isinstance(entry, list) and len(entry) == 2 and all(map(_is_number, entry)) and entry[0] <= entry[1]):
            raise _Wrong(f"{name} must be ranges [start, end] of numbers from 0, not {json.dumps(entry)[:40]}")
    return [(start, end) for start, end in value]

"""JSON lines in, validated documents out: the only validation of this format, which is described in `jsonl`.

Every field of every line is validated, even if only mentions are needed. Lists are validated as a whole, so that
scoring reads a million mentions in seconds.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from operator import ge, le
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from cdcoref.corpus import KINDS, Document, Mention, character_parts, tokens_between
from cdcoref.errors import InputError
from cdcoref.formats.json_documents import json_documents
from cdcoref.formats.lines import shown_name

_DOCUMENT_FIELDS = {
    *("id", "text", "tokens", "offsets", "sentences", "topic", "subtopic", "part", "path", "hidden", "annotated"),
    *("metadata", "found", "copy_of", "mentions", "clusters"),
}
_PLACES = {"tokens", "spans", "start", "end"}
_MENTION_FIELDS = {*_PLACES, "text", "kind", "cluster", "id", "tag", "confidence"}
_PLAIN_FIELDS = {"tokens", "kind", "cluster"}
"""The fields of a mention that need no further validation."""

_NO_PLACE = "it needs either 'tokens', or 'start' and 'end', or 'spans'"
_ESCAPED_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_LONGEST_SHOWN = 40
"""The number of characters of an invalid value quoted in a message."""

Tokenise = Callable[[str, str], Document]
"""Makes a document from a text and an id."""

Tokens = tuple[int, ...]

LineMention = tuple[Tokens, str | None, str | None, dict[str, Any]]
"""A mention: its tokens, kind, cluster name and all fields."""


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


@dataclass(slots=True)
class Line:
    """One validated document."""

    number: int
    fields: dict[str, Any]
    length: int
    """Of the document, in tokens."""
    mentions: list[LineMention]
    """The mentions."""
    tokenised: Document | None = None
    """The document without its mentions, once it has been built."""

    @property
    def id(self) -> str:
        """The document's id."""
        return self.fields["id"]

    @property
    def part(self) -> str:
        """The document's part."""
        return self.fields.get("part") or "0"

    def base(self) -> Document:
        """The document from its text or words alone, built once."""
        self.tokenised = self.tokenised or _untokenised(self.fields)
        return self.tokenised

    def document(self) -> Document:
        """The document."""
        fields = self.fields
        base = self.base()
        stated = {name: value for name, value in fields.items() if name not in _DOCUMENT_FIELDS and value is not None}
        stated |= fields.get("metadata") or {}
        attributes = document_attributes(fields)
        attributes["metadata"] = {**base.metadata, **stated}
        attributes["found"] |= base.found - stated.keys()
        return replace(base, **attributes)

    def corpus_mentions(self) -> Iterator[Mention]:
        """The mentions."""
        for tokens, kind, cluster, fields in self.mentions:
            id, confidence = fields.get("id"), fields.get("confidence")
            yield Mention(
                self.id,
                tokens,
                kind,
                cluster,
                str(id) if type(id) is int else id,
                fields.get("tag"),
                None if confidence is None else float(confidence),
            )


def read_lines(source: str | Path | BinaryIO, tokenise: Tokenise, remarks: Remarks) -> Iterator[Line]:
    """Yield the documents of a file (UTF-8, plain or gzipped) or a stream of bytes, and remark on what is noticed.

    Raises `InputError` if a line is not a document as described in `jsonl`.
    """
    line_of: dict[str, int] = {}
    for number, data in json_documents(source):
        try:
            line = _line(data, number, tokenise, remarks)
            if line.id in line_of:
                raise WrongLine(f"document {line.id!r} is on line {line_of[line.id]} already; ids must be unique")
        except WrongLine as error:
            raise InputError(str(error), shown_name(source), number) from None
        line_of[line.id] = number
        yield line


class WrongLine(Exception):
    """An error in a line, before the file and line number are attached."""


def _line(data: bytes, number: int, tokenise: Tokenise, remarks: Remarks) -> Line:
    fields = parse_object(data)
    _check_metadata(fields, number, remarks)
    for name in ("id", "text", "topic", "subtopic", "part", "path", "copy_of"):
        _check_string(name, fields.get(name))
    if not fields.get("id"):
        if any(map(_holds_documents, fields.values())):
            raise WrongLine("the object holds documents; give them as an array, or each on a line of its own")
        raise WrongLine("the document has no 'id'; give each document a unique id")
    line = Line(number, fields, 0, [])
    if fields.get("tokens") is not None:
        line.length, sentences = _check_tokens(fields)
    else:
        line.tokenised = _tokenised(fields, tokenise)
        line.length, sentences = len(line.tokenised.tokens), len(line.tokenised.sentences)
    for name in ("hidden", "annotated"):
        _check_sentence_numbers(fields, name, sentences)
    entries = fields.get("mentions")
    if entries is not None:
        _check_list(entries, "'mentions'")
        line.mentions = _mentions(entries, line, remarks)
    return line


def _holds_documents(value: Any) -> bool:
    """Whether a field of a document is a document or a list of them."""
    first = value[0] if isinstance(value, list) and value else value
    return isinstance(first, dict) and not {"text", "tokens"}.isdisjoint(first)


def parse_object(data: bytes) -> dict[str, Any]:
    """A line of JSON as an object, without fields that occur twice and other things that no document has.

    Raises
    ------
    WrongLine
        If it is none; without the file and the line.
    """
    try:
        fields = _DECODER.decode(data.decode())
        if _ESCAPED_SURROGATE.search(data):
            json.dumps(fields, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        raise WrongLine(f"the line is not JSON ({error.msg.removesuffix(' at')} at column {error.colno})") from None
    except UnicodeDecodeError:
        raise WrongLine("the line is not valid UTF-8; convert the file to UTF-8") from None
    except UnicodeEncodeError:
        raise WrongLine("the line contains half of a surrogate pair, which is not a character") from None
    except RecursionError:
        raise WrongLine("the line cannot be parsed as JSON: it is nested too deeply") from None
    except ValueError:
        raise WrongLine("the line cannot be parsed as JSON: a number has too many digits") from None
    if not isinstance(fields, dict):
        raise WrongLine('the line is not a JSON object; each line must be one document, {"id": ..., "text": ...}')
    return fields


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        [(name, _)] = Counter(name for name, _ in pairs).most_common(1)
        raise WrongLine(f"an object has the field {_shown(name)} twice; remove one of them")
    return fields


def _no_constant(name: str) -> NoReturn:
    raise WrongLine(f"the line is not JSON ({name} is not a JSON value)")


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_no_constant)


def document_attributes(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The attributes of a document besides its id, text, tokens and sentences, from the fields of a line."""
    annotated = fields.get("annotated")
    return {
        **{name: fields.get(name) for name in ("topic", "subtopic", "path", "copy_of")},
        "part": fields.get("part") or "0",
        "hidden": frozenset(fields.get("hidden") or ()),
        "annotated": None if annotated is None else frozenset(annotated),
        "metadata": fields.get("metadata") or {},
        "found": frozenset(fields.get("found") or ()),
    }


def _check_metadata(fields: dict[str, Any], line: int, remarks: Remarks) -> None:
    """Validate the metadata; a field that is not known is one, and is remarked on unless it is a plain value."""
    for name in sorted(fields.keys() - _DOCUMENT_FIELDS):
        if isinstance(fields[name], list | dict):
            remarks.add(f"unknown field {_shown(name)} of a document kept as metadata", line)
    stated = fields.get("metadata")
    if stated is not None and not isinstance(stated, dict):
        raise WrongLine(f"'metadata' must be an object, such as {{\"title\": ...}}, not {_shown(stated)}")
    found = fields.get("found")
    if found is not None and not (isinstance(found, list) and all(name in (stated or {}) for name in found)):
        raise WrongLine("'found' must be a list of names of the document's 'metadata'")


def _check_tokens(fields: dict[str, Any]) -> tuple[int, int]:
    """Validate the tokens and what refers to them; the number of tokens and of sentences."""
    tokens, text, sentences = fields["tokens"], fields.get("text"), fields.get("sentences")
    _check_list(tokens, "'tokens'")
    if not set(map(type, tokens)) <= {str}:
        raise WrongLine("'tokens' must be a list of strings")
    length = len(tokens)
    if sentences is not None:
        borders = _borders(sentences, "'sentences'")
        if borders[::2] != [0, *borders[1:-1:2]][: len(sentences)] or (borders[-1] if borders else 0) != length:
            raise WrongLine(f"'sentences' must be ranges [start, end] that cover the {length} tokens in order")
    if text is None:
        if fields.get("offsets") is not None:
            raise WrongLine("the document has 'offsets' but no 'text', to which they refer")
    elif fields.get("offsets") is None:
        raise WrongLine("the document has 'text' and 'tokens' but no 'offsets'; add them, or remove 'text' or 'tokens'")
    else:
        borders = _borders(fields["offsets"], "'offsets'", ascending=True)
        if len(borders) != 2 * length:
            raise WrongLine(f"'offsets' has {len(borders) // 2} ranges for {length} tokens")
        if borders != sorted(borders) or (borders and (borders[0] < 0 or borders[-1] > len(text))):
            raise WrongLine(
                f"'offsets' must be ascending ranges [start, end] within the {len(text)} characters of 'text'"
            )
    return length, min(length, 1) if sentences is None else len(sentences)


def _untokenised(fields: dict[str, Any]) -> Document:
    """The document of validated fields with tokens."""
    id, tokens = fields["id"], tuple(fields["tokens"])
    sentences = [(0, len(tokens))] if tokens else []
    if fields.get("sentences") is not None:
        sentences = [(start, end) for start, end in fields["sentences"]]
    if fields.get("text") is None:
        return Document.from_sentences(id, [tokens[start:end] for start, end in sentences])
    offsets = tuple((start, end) for start, end in fields["offsets"])
    return Document(id, tokens, tuple(sentences), fields["text"], offsets)


def _tokenised(fields: dict[str, Any], tokenise: Tokenise) -> Document:
    if fields.get("text") is None:
        raise WrongLine("the document has neither 'text' nor 'tokens'")
    for name in ("offsets", "sentences", "hidden", "annotated"):
        if fields.get(name) is not None:
            raise WrongLine(f"the document has {name!r} but no 'tokens', to which they refer")
    return tokenise(fields["text"], fields["id"])


def _check_sentence_numbers(fields: dict[str, Any], name: str, sentences: int) -> None:
    numbers = fields.get(name)
    if numbers is None:
        return
    _check_list(numbers, repr(name))
    if not (set(map(type, numbers)) <= {int} and all(0 <= number < sentences for number in numbers)):
        raise WrongLine(f"{name!r} must be a list of sentence indices from 0 to {sentences - 1}")


def _mentions(entries: list[Any], line: Line, remarks: Remarks) -> list[LineMention]:
    objects = set(map(type, entries)) <= {dict}
    names = set().union(*entries) if objects else _MENTION_FIELDS
    plain = objects and not names - _PLAIN_FIELDS
    found = []
    for number, entry in enumerate(entries, 1):
        try:
            if not plain:
                _check_further_fields(entry, line.number, remarks)
            kind, cluster = entry.get("kind"), entry.get("cluster")
            if kind is not None and kind not in KINDS:
                raise WrongLine(f"its kind is {_shown(kind)}; it must be {' or '.join(KINDS)}, or left out")
            if type(cluster) is int:
                cluster = str(cluster)
            elif cluster == "":  # an empty cell of a table
                cluster = None
            elif cluster is not None and type(cluster) is not str:
                _check_string("cluster", cluster)
            place = {"tokens"} if plain else _place(entry)
            if "tokens" in place:
                tokens = _checked_tokens(entry.get("tokens"), line)
                if len(place) > 1:
                    _check_characters(entry, tokens, line)
            else:
                tokens = _touched(entry, line, remarks)
            found.append((tokens, kind, cluster, entry))
        except WrongLine as error:
            raise WrongLine(f"mention {number} of document {line.id!r} cannot be used: {error}") from None
    return found


def _check_further_fields(entry: Any, line: int, remarks: Remarks) -> None:
    if type(entry) is not dict:
        raise WrongLine("it is not a JSON object")
    for name in entry.keys() - _MENTION_FIELDS:
        remarks.add(f"unknown field {_shown(name)} of a mention ignored", line)
    if type(entry.get("id")) is not int:
        _check_string("id", entry.get("id"))
    _check_string("tag", entry.get("tag"))
    confidence = entry.get("confidence")
    if confidence is not None and (type(confidence) not in (int, float) or not 0 <= confidence <= 1):
        raise WrongLine(f"its confidence is {_shown(confidence)}; it must be a number from 0 to 1")


def _place(entry: dict[str, Any]) -> set[str]:
    """The fields that give a mention's place."""
    return {name for name in _PLACES & entry.keys() if entry[name] is not None}


def _checked_tokens(tokens: Any, line: Line) -> Tokens:
    """The tokens of a mention given by token indices."""
    if tokens is None:
        raise WrongLine(_NO_PLACE)
    if line.fields.get("tokens") is None:
        raise WrongLine("it has 'tokens', but its document has none; use character ranges, 'start' and 'end'")
    length = line.length
    if type(tokens) is list and len(tokens) == 1 and type(tokens[0]) is int and 0 <= tokens[0] < length:
        return (tokens[0],)
    if not (type(tokens) is list and tokens and set(map(type, tokens)) == {int}):
        raise WrongLine(f"its tokens must be a nonempty list of indices from 0 to {length - 1}")
    if any(map(ge, tokens, tokens[1:])):
        raise WrongLine("its tokens must be in ascending order")
    if tokens[0] < 0 or tokens[-1] >= length:
        raise WrongLine(f"its tokens must be a nonempty list of indices from 0 to {length - 1}")
    return tuple(tokens)


def _check_characters(entry: dict[str, Any], tokens: Tokens, line: Line) -> None:
    """Refuse characters that are not those of the mention's tokens."""
    offsets = line.fields.get("offsets")
    if offsets is None:
        offsets = line.base().offsets
    start, end = offsets[tokens[0]][0], offsets[tokens[-1]][1]
    if entry.get("start") not in (None, start) or entry.get("end") not in (None, end):
        raise WrongLine(f"its tokens are characters {start} to {end}; correct its 'start' and 'end', or leave them out")
    spans = entry.get("spans")
    if spans is not None:
        parts = [[*part] for part in character_parts(Mention(line.id, tokens), line.base())]
        if spans != parts and _touched({"spans": spans}, line, Remarks()) != tokens:
            raise WrongLine(f"its tokens are the characters {parts}; correct its 'spans', or leave them out")


def _touched(entry: dict[str, Any], line: Line, remarks: Remarks) -> Tokens:
    """The tokens that overlap the character ranges of a mention."""
    given = _place(entry)
    if given == {"start", "end"}:
        borders = _borders([[entry["start"], entry["end"]]], "its start and end")
    elif given == {"spans"}:
        borders = _borders(entry["spans"], "its spans")
    else:
        raise WrongLine(_NO_PLACE)
    document = line.base()
    tokens: set[int] = set()
    for start, end in zip(borders[::2], borders[1::2], strict=True):
        touched = tokens_between(document, start, end)
        if end > len(document.text):
            raise WrongLine(
                f"characters {_shown(start)} to {_shown(end)} go beyond the {len(document.text)} characters of the text"
            )
        if start == end or not touched:
            raise WrongLine(
                f"characters {_shown(start)} to {_shown(end)} ({_shown(document.text[start:end])}) contain no token; "
                "the end of a range is exclusive"
            )
        if (document.offsets[touched[0]][0], document.offsets[touched[-1]][1]) != (start, end):
            remarks.add("mention extended to whole tokens", line.number)
        tokens.update(touched)
    if not tokens:
        raise WrongLine("its 'spans' are empty")
    return tuple(sorted(tokens))


def _check_string(name: str, value: object) -> None:
    if value is not None and type(value) is not str:
        raise WrongLine(f"{name!r} must be a string, not {_shown(value)}")


def _check_list(value: object, name: str) -> None:
    if type(value) is not list:
        raise WrongLine(f"{name} must be a list, not {_shown(value)}")


def _borders(ranges: object, name: str, *, ascending: bool = False) -> list[int]:
    """The starts and ends, alternating, of a list of ranges of nonnegative numbers.

    With `ascending`, the caller checks the order of the numbers.
    """
    if type(ranges) is not list:
        raise WrongLine(f"{name} must be a list of ranges [start, end]")
    if set(map(type, ranges)) <= {list} and set(map(len, ranges)) <= {2}:
        borders = list(chain.from_iterable(ranges))
        if set(map(type, borders)) <= {int} and (ascending or _are_ranges(borders)):
            return borders
    wrong = next(entry for entry in ranges if not _is_range(entry))
    raise WrongLine(f"{name} must be ranges [start, end] of numbers from 0, not {_shown(wrong)}")


def _are_ranges(borders: list[int]) -> bool:
    return min(borders, default=0) >= 0 and all(map(le, borders[::2], borders[1::2]))


def _is_range(entry: object) -> bool:
    return type(entry) is list and len(entry) == 2 and set(map(type, entry)) == {int} and 0 <= entry[0] <= entry[1]


def _shown(value: object) -> str:
    """A value for a message, shortened if it is long."""
    try:
        text = json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return "a deeply nested value"
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 3] + "..."

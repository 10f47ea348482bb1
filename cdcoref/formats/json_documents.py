"""A file of JSON in, its documents out: one on a line, an array, each on several lines, or those of a prediction. A
file whose first line is one JSON value is read line by line, in bounded memory. Any other is decoded as a whole."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, TypeVar

from pydantic import BaseModel, ValidationError

from cdcoref.errors import InputError
from cdcoref.formats.lines import LONGEST_LINE, line_chunks, shown_name

_SPACE = " \t\n\r"
_ESCAPED_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_LONGEST_SHOWN = 40
"""The number of characters of an invalid value quoted in a message."""
Fields = TypeVar("Fields", bound=BaseModel)
_PREDICTION = re.compile(rb'\s*\{\s*"version":\s*[0-9]+\s*,\s*"stories":')
"""How a prediction begins."""


def json_documents(source: str | Path | BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Yield the JSON of each document of a file or stream with the number of the line on which it begins (from 1)."""
    lines = ((n, line) for first, chunk in line_chunks(source) for n, line in enumerate(chunk.split(b"\n")[:-1], first))
    beginning = next((entry for entry in lines if entry[1].strip()), None)
    if beginning is None:
        return
    number, line = beginning
    if _PREDICTION.match(line) is None and _ends_on_its_line(line):
        yield number, line
        yield from (entry for entry in lines if entry[1].strip())
    else:
        yield from _documents(chain([line], (line for _, line in lines)), number, shown_name(source))


def _ends_on_its_line(line: bytes) -> bool:
    """Whether a line is no array, and no object that goes on behind it."""
    text = line.strip()
    if text.startswith(b"["):
        return False
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return error.pos < len(error.doc)  # also a string without an end, which begins before
    except (ValueError, RecursionError):
        return True
    return True


def _documents(lines: Iterator[bytes], first: int, name: str) -> Iterator[tuple[int, bytes]]:
    """The objects of an array, or the objects that follow each other."""
    pieces: list[bytes] = []
    size = 0
    for piece in lines:
        pieces.append(piece)
        size += len(piece) + 1
        if size > LONGEST_LINE:
            raise InputError(
                f"an array or documents over several lines may have {LONGEST_LINE >> 20} MB together; put each "
                "document on one line",
                name,
            )
    content = b"\n".join(pieces)
    text = content.decode()
    if _PREDICTION.match(content):
        with suppress(ValueError, RecursionError):  # what is no JSON is found where it is read
            prediction = json.loads(text)
            if not isinstance(prediction.get("documents"), list):
                raise InputError("a prediction has a list of 'documents'; this one has none", name, first)
            yield from ((first, json.dumps(document).encode()) for document in prediction["documents"])
            return
    decoder = json.JSONDecoder()
    at = _after_space(text, 0)
    array = text.startswith("[", at)
    at = _after_space(text, at + array)
    line, counted_to = first, 0
    while at < len(text) and not (array and text[at] == "]"):
        line += text.count("\n", counted_to, at)
        counted_to = at
        try:
            _, end = decoder.raw_decode(text, at)
        except json.JSONDecodeError as error:
            what = error.msg.removesuffix(" at")
            message = f"the file is not JSON ({what} at column {error.colno}); each document is an object"
            raise InputError(message, name, first + error.lineno - 1) from None
        except (ValueError, RecursionError):  # what is wrong with it is found where it is read
            _, end = None, len(text)
        yield line, text[at:end].encode()
        at = _after_space(text, end)
        if array and text.startswith(",", at):
            at = _after_space(text, at + 1)
        elif array and not text.startswith("]", at):
            number = first + text.count("\n", 0, at)
            raise InputError("the array of documents is not JSON (a comma or ']' is missing)", name, number)
    if array and text[at + 1 :].strip():
        number = first + text.count("\n", 0, at)
        raise InputError("there is more after the array of documents; put each document on one line", name, number)


def _after_space(text: str, at: int) -> int:
    while at < len(text) and text[at] in _SPACE:
        at += 1
    return at


class WrongLine(Exception):
    """An error in a line, before the file and line number are attached."""


def checked(model: type[Fields], content: Mapping[str, Any]) -> Fields:
    """An object as a model of its fields; the first thing that is wrong is a `WrongLine`."""
    try:
        return model.model_validate(content)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = [
            f"number {step + 1}" if isinstance(step, int) else repr(step)
            for step in first["loc"]
            if step not in ("str", "int", "float")
        ]
        what = " of ".join(reversed(place))
        if first["type"] == "missing":
            raise WrongLine(f"the document has no {what}") from None
        if first["type"] == "value_error":
            raise WrongLine(str(first["ctx"]["error"])) from None
        message = re.sub(r"^(?:Input|List) should | after validation, not \d+| or instance of \w+", "", first["msg"])
        raise WrongLine(f"{what} should {message}, not {shown(first['input'])}") from None


def parse_object(data: bytes) -> dict[str, Any]:
    """A line of JSON as an object, without fields that occur twice and other things that no document has."""
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
    if isinstance(fields, str):
        return {"text": fields}
    if not isinstance(fields, dict):
        raise WrongLine('the line is not a JSON object; each line must be one document, {"id": ..., "text": ...}')
    return fields


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        [(name, _)] = Counter(name for name, _ in pairs).most_common(1)
        raise WrongLine(f"an object has the field {shown(name)} twice; remove one of them")
    return fields


def _no_constant(name: str) -> NoReturn:
    raise WrongLine(f"the line is not JSON ({name} is not a JSON value)")


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_no_constant)


def shown(value: object) -> str:
    """A value for a message, shortened if it is long."""
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
    except (RecursionError, ValueError):
        return "a value that is too large to be shown"
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 3] + "..."

"""What a file is that cannot be read as prose, and what to do about it: by its first bytes, or by all of its text."""

import csv
import re
from collections.abc import Sequence
from functools import cache

from cdcoref.word_tables import rows, words_in

LOOKED_AT = 10_000
"""Bytes at the beginning of a file."""
FEWEST_LINES = 3
"""A table, settings or source code have as many at least."""
FEWEST_LINES_OF_LOG = 20
"""Each has a number, and few differ in more than numbers."""
CODE = 1 / 3
"""The share of lines, not counting blank ones, that look like source code in a file of it."""
LONGEST_LINE_OF_CODE = 300
_CONVERT = "convert it to plain text"

_CODE = re.compile(rf"\s*(?:{'|'.join(row['pattern'] for row in rows('code_lines.tsv'))})\s*")
_YAML = re.compile(r"---|\.\.\.|\s*#.*|\s*-(?:\s.*)?|\s*[\w./\"'-]+(?:\s[\w./\"'-]+){0,2}:(?:\s.*)?|\s{2,}\S.*")
_YAML_BLOCK = re.compile(r"^( *)[\w./-]+:[ \t]*\n(?:\1 +|\1- )[\w\"'{\[-].*", re.MULTILINE)
_SECTION = re.compile(r"\[{1,2}[\w. :\"'/-]+\]{1,2}")
_SETTING = re.compile(r"[\w.\"-]+\s*=\s*.*|\s+\S.*|[\]})],?")
_NAME_OF_COLUMN = re.compile(r"\w[\w ./()%#-]{0,40}")
_USUAL_COLUMNS = words_in("field_names.tsv")
_DELIMITERS = ",;\t|"
_DIGITS = re.compile(r"[0-9]+")
_SENTENCE = re.compile(r"[.!?](?:\s|$)")


@cache
def _beginnings(kind: str) -> tuple[tuple[re.Pattern[bytes], str], ...]:
    """How files begin, each pattern with what such a file is, and what to do about it."""
    flags = re.DOTALL if kind == "bytes" else 0
    found = (row for row in rows("file_beginnings.tsv") if row["kind"] == kind)
    return tuple((re.compile(row["pattern"].encode(), flags), f"{row['name']}; {row['advice']}") for row in found)


def _named(kind: str, start: bytes) -> str | None:
    return next((what for pattern, what in _beginnings(kind) if pattern.match(start)), None)


def unsuitable(start: bytes) -> str | None:
    """What a file is that cannot be read as text, and what to do about it; None if it may be text.

    >>> unsuitable(bytes.fromhex("ffd8ffe000104a464946"))
    'a JPEG image; give its text'
    """
    return _named("bytes", start)


def structure_of(content: bytes, *, is_xml: bool = False) -> str | None:
    """What a text is that is no prose, and what to do about it; None if it may be prose.

    The content is in UTF-8; `is_xml` is whether its name says so.

    >>> structure_of(b"@article{hale2019,\n  title = {Ferries}\n}\n")
    'BibTeX; convert it to plain text'
    """
    beginning = re.sub(rb"\A\s*(?:<!--.*?-->\s*)+", b"", content[:LOOKED_AT], flags=re.DOTALL).lstrip()
    if beginning.startswith(b"<") and is_xml:
        return f"XML; {_CONVERT}"
    if first := re.match(rb"<([A-Za-z_][\w:.-]*)(?:\s[^<>]*)?>", beginning):
        # A tag that ends where the text ends, or that others follow, each closed.
        encloses = re.search(rb"</%b\s*>\s*\Z" % re.escape(first[1]), content)
        closed = set(re.findall(rb"</([A-Za-z_][\w:.-]*)\s*>", content))
        if encloses or (b"</%b>" % first[1] in content and len(closed) > 1):
            return f"XML or SGML; {_CONVERT}"
    if (what := _named("text", beginning)) is not None:
        return what
    text = beginning.decode(errors="replace")
    lines = text.splitlines()
    if len(content) > LOOKED_AT:
        del lines[-1:]  # it may be cut off
    lines = [line.rstrip() for line in lines if line.strip()]
    if len(lines) < FEWEST_LINES:
        return None
    shapes = {_DIGITS.sub("0", line) for line in lines if _DIGITS.search(line)}
    if len(lines) >= FEWEST_LINES_OF_LOG and len(shapes) <= len(lines) / 3 and all(map(_DIGITS.search, lines)):
        return f"a log; {_CONVERT}"
    if _is_table(lines):
        return "a table; give it a name that ends in .csv"
    if _are_settings(text, lines):
        return f"a file of settings; {_CONVERT}"
    code = sum(len(line) <= LONGEST_LINE_OF_CODE and _CODE.fullmatch(line) is not None for line in lines)
    if code > max(FEWEST_LINES - 1, CODE * len(lines)):
        return f"source code; {_CONVERT}"
    return None


def _is_table(lines: Sequence[str]) -> bool:
    """Whether every line has as many cells as the first, which are names of columns, one of them a usual one."""
    delimiter = max(_DELIMITERS, key=lines[0].count)
    try:
        header, *rows = csv.reader(lines, delimiter=delimiter)
    except csv.Error:
        return False
    names = {cell.strip().casefold() for cell in header}
    if len(header) < 2 or len(names) < len(header) or names.isdisjoint(_USUAL_COLUMNS):
        return False
    named = all(_NAME_OF_COLUMN.fullmatch(cell.strip()) and not _SENTENCE.search(cell) for cell in header)
    return named and len(rows) > 1 and all(len(row) == len(header) for row in rows[:-1])


def _are_settings(text: str, lines: Sequence[str]) -> bool:
    """Whether every line is one of YAML, some of them in blocks, or of an INI or TOML file, with a section."""
    if all(map(_YAML.fullmatch, lines)) and _YAML_BLOCK.search(text):
        return True
    own = [line for line in lines if line[0] not in "#;"]
    sections = [line for line in own if _SECTION.fullmatch(line)]
    settings = [line for line in own if _SETTING.fullmatch(line)]
    return bool(sections) and len(settings) >= 2 and len(sections) + len(settings) == len(own)

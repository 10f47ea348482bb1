"""What a file is that cannot be read as prose, and what to do about it: by its first bytes, or by all of its text."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence

_GIVE_TEXT = "give its text"
_UNPACK = "unpack it first"
_SAVE = "save it as .docx or .csv without a password"

_TYPES: tuple[tuple[bytes, str, str], ...] = (
    (rb"\xff\xd8\xff|\x89PNG\r\n\x1a\n|GIF8[79]a|II\*\x00|MM\x00\*|RIFF....WEBP|BM.{4}\x00{4}", "an image", _GIVE_TEXT),
    (rb"\x00{3}.ftyp|ID3[\x02-\x04]\x00|\xff\xfb|RIFF....WAVE", "a recording, or an image in HEIF", _GIVE_TEXT),
    (rb"\s*%PDF-", "a PDF document", _GIVE_TEXT),
    (rb"%!PS-Adobe", "a PostScript document", _GIVE_TEXT),
    (rb"\s*\{\\rtf", "an RTF document", _GIVE_TEXT),
    (rb"PK\x03\x04.{26}mimetypeapplication/vnd\.oasis\.opendocument", "an OpenDocument file", _GIVE_TEXT),
    (rb"PK\x03\x04.{26}mimetypeapplication/epub", "an EPUB book", _GIVE_TEXT),
    (rb"(?=PK\x03\x04).*PK\x03\x04.{26}word/", "a Word document", _GIVE_TEXT),
    (rb"(?=PK\x03\x04).*PK\x03\x04.{26}xl/", "an Excel workbook", _GIVE_TEXT),
    (rb"(?=PK\x03\x04).*PK\x03\x04.{26}ppt/", "a PowerPoint presentation", _GIVE_TEXT),
    (rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a password-protected or old Microsoft Office file", _SAVE),
    (rb"PK\x03\x04|PK\x05\x06|7z\xbc\xaf\x27\x1c|Rar!\x1a\x07|.{257}ustar", "an archive", _UNPACK),
    (rb"BZh[1-9]\x31\x41\x59\x26\x53\x59|\xfd7zXZ\x00|\x28\xb5\x2f\xfd", "compressed, but not with gzip", _UNPACK),
    (rb"PAR1\x15", "a Parquet file", _GIVE_TEXT),
    (rb"\x7fELF|MZ.{1,200}\x00{8}", "a program", _GIVE_TEXT),
)
"""Pattern at the beginning, name, and what to do; a specific type before a general one.

Signatures that could begin a text (``BM``, ``MZ``) are joined by what follows them in such files.
"""

_PATTERNS = tuple((re.compile(pattern, re.DOTALL), name, advice) for pattern, name, advice in _TYPES)


def unsuitable(start: bytes) -> str | None:
    """What a file is that cannot be read as text, and what to do about it; None if it may be text.

    >>> unsuitable(bytes.fromhex("ffd8ffe000104a464946"))
    'an image; give its text'
    """
    for pattern, name, advice in _PATTERNS:
        if pattern.match(start):
            return f"{name}; {advice}"
    return None


LOOKED_AT = 10_000
"""Bytes at the beginning of a file."""
FEWEST_LINES = 3
"""A table has as many at least."""
_CONVERT = "convert it to plain text"

_MARKUP = (
    (rb"(?i)<\?xml|<!doctype", "XML"),
    (rb"<([A-Za-z_][\w:.-]*)(?:\s+[\w:.-]+\s*=\s*(?:\"[^\"]*\"|'[^']*'))+\s*/?>\s*<[A-Za-z_]", "XML"),
    (
        rb"#FORMAT=WebAnno|# ?webanno\.custom\.|#id=[0-9]+\n#text=|(?:#Text=[^\n]*\n)+1-1\t[0-9]+-[0-9]+\t",
        "an annotation file of WebAnno",
    ),
    (rb"T[0-9]+\t\S+ [0-9]+ [0-9]+(?:;[0-9]+ [0-9]+)*\t", "an annotation file of brat"),
    (
        rb"R[0-9]+\t\S+ \S+:[TE][0-9]+ \S+:[TE][0-9]|E[0-9]+\t\S+:T[0-9]|\*\t\S+ T[0-9]+ T[0-9]",
        "an annotation file of brat",
    ),
    (rb"[AMN#][0-9]+\t\S+ [TER][0-9]+\s", "an annotation file of brat"),
    (rb"(?:#[^\n]*\n|[ \t\r]*\n)*1(?:-[0-9]+)?\t(?:[^\t\n]*\t){8}[^\t\n]*\n", "CoNLL-U without coreference"),
    (rb"-DOCSTART-[ \t]", "a table of words with tags"),
    (rb"(?:\S+[/_](?:[A-Z]{2,5}\$?|[.,:]|``|\x27\x27)[ \t\r\n]+){5}", "a text with a tag at every word"),
    (rb"[^<]*<(?:COREF|ENAMEX|MENTION|TIMEX3?)\s[^<>]*=", "a text with annotation in tags"),
    (
        rb"(?:[A-Za-z-]+:[ \t][^\n]*\n(?:[ \t][^\n]*\n)*)*?(?i:MIME-Version|Message-ID):[ \t]",
        "an e-mail with its header",
    ),
    (rb"\(\s*\(?(?:S|ROOT|TOP|FRAG|SBARQ)\s+\([A-Z]", "a file of parse trees"),
    (rb"(?:%[^\n]*\n|\s)*\\(?:begin|chapter|document(?:class|style)|section|title|usepackage)\*?[\[{]", "LaTeX"),
    (rb"(?:\S[^\n]*[ \t](?:[BIESLUM]-[A-Za-z_]+|O)[ \t\r]*\n\s*){3}", "a table of words with tags"),
    (rb"WEBVTT\b|[0-9]+[ \t\r]*\n[0-9:]+[.,][0-9]+ --> [0-9]", "a file of subtitles"),
    (rb"(?:%[^\n]*\n|\s)*@[A-Za-z]+\s*[{(]\s*[\w:./+-]+\s*,", "BibTeX"),
    (rb"TY  - [A-Z]{2,6}[ \t\r]*\n[A-Z][A-Z0-9]  - ", "RIS"),
    (rb"(?:#[^\n]*\n)*#BeginOfDocument\s", "an annotation file of event nuggets (TBF)"),
    (rb"(?:COREF\tstart_token|paragraph_ID\tsentence_ID|(?:quote_start|start_token)\t\w+)\t", "a table of BookNLP"),
    (rb"\{\{[^\n]*\n|==+[^=\n]+==+[ \t\r]*\n|\x27\x27\x27[^\x27\n]+\x27\x27\x27", "wiki markup"),
)
"""Beginnings of files that are text, but not the text of a document."""
_NAME_OF_COLUMN = re.compile(r"\w[\w ./()%#-]{0,40}")
_COLUMNS = (
    "author body category content count date description id label name number source text time title type url year"
)
_USUAL_COLUMNS = frozenset(_COLUMNS.split())
_DELIMITERS = ",;\t|"
_SENTENCE = re.compile(r"[.!?](?:\s|$)")


def structure_of(content: bytes, *, is_xml: bool = False) -> str | None:
    """What a text is that is no prose, and what to do about it; None if it may be prose.

    The content is in UTF-8; `is_xml` is whether its name says so.

    >>> structure_of(b"@article{hale2019,\n  title = {Ferries}\n}\n")
    'BibTeX; convert it to plain text'
    """
    beginning = re.sub(rb"\A\s*(?:<!--.*?-->\s*)+", b"", content[:LOOKED_AT], flags=re.DOTALL).lstrip()
    if beginning.startswith(b"<") and is_xml:
        return f"XML; {_CONVERT}"
    if (enclosing := re.match(rb"<([A-Za-z_][\w:.-]*)(?:\s[^<>]*)?>", beginning)) and _encloses(enclosing[1], content):
        return f"XML or SGML; {_CONVERT}"
    if (name := next((name for pattern, name in _MARKUP if re.match(pattern, beginning)), None)) is not None:
        return f"{name}; {_CONVERT}"
    lines = beginning.decode(errors="replace").splitlines()
    if len(content) > LOOKED_AT:
        del lines[-1:]  # it may be cut off
    lines = [line.rstrip() for line in lines if line.strip()]
    if len(lines) < FEWEST_LINES:
        return None
    return "a table; give it a name that ends in .csv" if _is_table(lines) else None


def _encloses(tag: bytes, data: bytes) -> bool:
    """Whether a tag at the beginning ends where the text ends, or others follow it, each closed."""
    if re.search(rb"</%b\s*>\s*\Z" % re.escape(tag), data):
        return True
    return b"</%b>" % tag in data and len(set(re.findall(rb"</([A-Za-z_][\w:.-]*)\s*>", data))) > 1


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

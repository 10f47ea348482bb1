"""What a file is that cannot be read as prose, and what to do about it: by its first bytes, or by all of its text."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence

_GIVE_TEXT = "give its text"
_UNPACK = "unpack it first"
_SAVE = "save it as .docx or .csv without a password"

_TYPES: tuple[tuple[bytes, str, str], ...] = (
    (rb"\xff\xd8\xff", "a JPEG image", _GIVE_TEXT),
    (rb"\x89PNG\r\n\x1a\n", "a PNG image", _GIVE_TEXT),
    (rb"GIF8[79]a", "a GIF image", _GIVE_TEXT),
    (rb"II\*\x00|MM\x00\*", "a TIFF image", _GIVE_TEXT),
    (rb"RIFF....WEBP", "a WebP image", _GIVE_TEXT),
    (rb"BM.{4}\x00{4}", "a BMP image", _GIVE_TEXT),
    (rb"\x00{3}.ftyp(?:avif|heic|heix|mif1)", "a HEIF image", _GIVE_TEXT),
    (rb"\x00{3}.ftyp", "an MP4 recording", _GIVE_TEXT),
    (rb"ID3[\x02-\x04]\x00|\xff\xfb", "an MP3 recording", _GIVE_TEXT),
    (rb"RIFF....WAVE", "a WAV recording", _GIVE_TEXT),
    (rb"\s*%PDF-", "a PDF document", _GIVE_TEXT),
    (rb"%!PS-Adobe", "a PostScript document", _GIVE_TEXT),
    (rb"\s*\{\\rtf", "an RTF document", _GIVE_TEXT),
    (rb"PK\x03\x04.{26}mimetypeapplication/vnd\.oasis\.opendocument", "an OpenDocument file", _GIVE_TEXT),
    (rb"PK\x03\x04.{26}mimetypeapplication/epub", "an EPUB book", _GIVE_TEXT),
    (rb"(?=PK\x03\x04).*PK\x03\x04.{26}word/", "a Word document", _GIVE_TEXT),
    (rb"(?=PK\x03\x04).*PK\x03\x04.{26}xl/", "an Excel workbook", _GIVE_TEXT),
    (rb"(?=PK\x03\x04).*PK\x03\x04.{26}ppt/", "a PowerPoint presentation", _GIVE_TEXT),
    (rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a password-protected or old Microsoft Office file", _SAVE),
    (rb"PK\x03\x04|PK\x05\x06", "a ZIP archive", _UNPACK),
    (rb"7z\xbc\xaf\x27\x1c", "a 7z archive", _UNPACK),
    (rb"Rar!\x1a\x07", "a RAR archive", _UNPACK),
    (rb".{257}ustar", "a tar archive", _UNPACK),
    (rb"BZh[1-9]\x31\x41\x59\x26\x53\x59", "compressed with bzip2", _UNPACK),
    (rb"\xfd7zXZ\x00", "compressed with xz", _UNPACK),
    (rb"\x28\xb5\x2f\xfd", "compressed with zstd", _UNPACK),
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
    'a JPEG image; give its text'
    """
    for pattern, name, advice in _PATTERNS:
        if pattern.match(start):
            return f"{name}; {advice}"
    return None


LOOKED_AT = 10_000
"""Bytes at the beginning of a file."""
FEWEST_LINES = 3
"""A table, settings or source code have as many at least."""
CODE = 1 / 3
"""The share of lines, not counting blank ones, that look like source code in a file of it."""
LONGEST_LINE_OF_CODE = 300
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
    (rb"BEGIN:V(?:CARD|CALENDAR)\b", "a file of addresses or dates"),
    (rb"(?:\.\\\"[^\n]*\n)*\.TH [^\n]+\n(?:[^\n]*\n)*?\.SH ", "a manual page"),
    (rb"(?:\[?[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}\b[^\n]*\n){3}", "a log"),
    (rb"(?:(?:<[0-9]+>)?[A-Z][a-z]{2} [ 0-9][0-9] [0-9]{2}:[0-9]{2}:[0-9]{2} \S+ [^\n]*\n){3}", "a log"),
    (rb"(?:\S+ \S+ \S+ \[[0-9]{2}/[A-Z][a-z]{2}/[0-9]{4}:[^\n]*\n){2}", "a log"),
    (rb"(?:[^\n]{0,40}\b(?:DEBUG|ERROR|FATAL|INFO|TRACE|WARN|WARNING)\b[\]:| ][^\n]*\n){3}", "a log"),
    (rb"(?:#[^\n]*\n)*#BeginOfDocument\s", "an annotation file of event nuggets (TBF)"),
    (rb"COREF\tstart_token\t", "BookNLP's table of mentions, which is read with the .tokens file beside it"),
    (rb"(?:quote_start|start_token)\t\w+\t", "a table of BookNLP without coreference"),
    (rb"#!\s*/\S", "a script"),
    (rb"<\?php|<%@", "source code"),
    (rb"diff --git |--- [^\n]*\n\+\+\+ [^\n]*\n@@ ", "a file of changes (diff)"),
    (rb"\{\{[^\n]*\n|==+[^=\n]+==+[ \t\r]*\n|\x27\x27\x27[^\x27\n]+\x27\x27\x27", "wiki markup"),
)
"""Beginnings of files that are text, but not the text of a document."""
_CODE = re.compile(
    r"""\s*(?:
    [\])}]+[;,)]*                                                    # the end of a block
    | [^.!?]*[\w)\]"'>]\s*(?:\{|=>|->)                               # its beginning
    | .*(?:[\w)\]"'}]\);|[\w"'\])]\s*=\s*[^=\s].*;|\+\+;|--;)           # a call, an assignment
    | (?:async\s+)?def\s+\w+\(.*|class\s+\w+(?:\(.*\))?:|@\w[\w.]*(?:\(.*\))?
    | (?:el)?if\s.+:|(?:for\s.+\sin|while|with)\s.+:|(?:else|try|finally|except.*):
    | from\s+[\w.]+\s+import\s.+|import\s+[\w.{*]\S*(?:\s+as\s+\w+)?;?
    | \#\s*(?:include|define|ifdef|ifndef|endif|pragma)\b.*
    | (?:package|using|namespace|use)\s+[\w.:\\]+;?
    | (?:return|break|continue|pass|raise|yield)\b[^.!?]*;|return\s[\w.()\[\]"']+|(?:pass|break|continue)
    | (?:self|this)\.\w+(?:\.\w+)*\s*=.+|[A-Za-z_]\w*(?:\.\w+|\[[^\]]*\])*\s*[-+*/|]?=\s*\S.*|[a-z_][\w.]*\([^()]*\)
    | (?:const|let|var|val|int|float|double|char|void|public|private|protected|static|final|fn|func)\s.+[;{=(,]
    | (?:CREATE|INSERT|DROP|ALTER|UPDATE|DELETE|SELECT|VALUES)\b.*[;(,)]
    | //.*|/\*.*|\*/
    | [a-z-]+:\s?[^.!?]*;                                              # CSS
    )\s*""",
    re.VERBOSE,
)
_YAML = re.compile(r"---|\.\.\.|\s*#.*|\s*-(?:\s.*)?|\s*[\w./\"'-]+(?:\s[\w./\"'-]+){0,2}:(?:\s.*)?|\s{2,}\S.*")
_YAML_BLOCK = re.compile(r"^( *)[\w./-]+:[ \t]*\n(?:\1 +|\1- )[\w\"'{\[-].*", re.MULTILINE)
_SECTION = re.compile(r"\[{1,2}[\w. :\"'/-]+\]{1,2}")
_SETTING = re.compile(r"[\w.\"-]+\s*=\s*.*|\s+\S.*|[\]})],?")
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
    text = beginning.decode(errors="replace")
    lines = text.splitlines()
    if len(content) > LOOKED_AT:
        del lines[-1:]  # it may be cut off
    lines = [line.rstrip() for line in lines if line.strip()]
    if len(lines) < FEWEST_LINES:
        return None
    if _is_table(lines):
        return "a table; give it a name that ends in .csv"
    if _are_settings(text, lines):
        return f"a file of settings; {_CONVERT}"
    code = sum(len(line) <= LONGEST_LINE_OF_CODE and _CODE.fullmatch(line) is not None for line in lines)
    if code > max(FEWEST_LINES - 1, CODE * len(lines)):
        return f"source code; {_CONVERT}"
    return None


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


def _are_settings(text: str, lines: Sequence[str]) -> bool:
    """Whether every line is one of YAML, some of them in blocks, or of an INI or TOML file, with a section."""
    if all(map(_YAML.fullmatch, lines)) and _YAML_BLOCK.search(text):
        return True
    own = [line for line in lines if line[0] not in "#;"]
    sections = [line for line in own if _SECTION.fullmatch(line)]
    settings = [line for line in own if _SETTING.fullmatch(line)]
    return bool(sections) and len(settings) >= 2 and len(sections) + len(settings) == len(own)

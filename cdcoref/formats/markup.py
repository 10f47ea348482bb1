"""A text with a few tags or entities of HTML in, its words without them and where they are in the text out.

A text with many tags is HTML and read as such (see `web_page`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import unescape

BLOCK_TAGS = (
    "address|article|aside|blockquote|caption|center|dd|details|dialog|div|dl|dt|fieldset|figcaption|figure|footer|form|"
    "h[1-6]|header|hgroup|legend|li|main|nav|ol|p|pre|section|summary|table|tbody|td|tfoot|th|thead|tr|ul"
)
INLINE_TAGS = (
    "a|abbr|acronym|audio|b|base|bdi|bdo|big|body|br|button|cite|code|col|colgroup|data|del|dfn|em|embed|font|head|hr|i|"
    "iframe|img|input|ins|kbd|label|link|map|mark|meta|noscript|object|option|picture|q|s|samp|script|select|small|"
    "source|span|strike|strong|style|sub|sup|svg|template|textarea|time|title|track|tt|u|var|video|wbr"
)
"""Names of tags, as alternatives of a pattern: those that end a line, and those inside one."""

_CUSTOM = r"[a-z][a-z0-9]{0,30}(?:-[a-z0-9]{1,30}){1,4}"
_NAME = rf"(?:(?P<line>{BLOCK_TAGS}|br)|{INLINE_TAGS}|{_CUSTOM})(?![\w:.-])"
_ALONE = (
    "allowfullscreen|async|autoplay|checked|controls|default|defer|disabled|download|hidden|loop|multiple|muted|noshade|"
    "nowrap|open|readonly|required|reversed|selected"
)
_VALUE = r"[\w:-]+\s*=\s*(?:\"[^\"<]*\"|'[^'<]*'|[^\s\"'<>]+)"
_ATTRIBUTES = rf"(?:\s+(?:{_VALUE}|(?:{_ALONE}|data-[\w-]+)(?![\w-])))*"
_MARKUP = re.compile(
    rf"(?:<|&lt;)/?{_NAME}{_ATTRIBUTES}\s*/?(?:>|&gt;)"
    rf"|</{_NAME.replace('<line>', '<cut>')}\s*\Z"
    r"|<!--(?:(?!-->).){0,1000}(?:-->|\Z)|<!\[CDATA\[|\]\]>"
    rf"|\A[^<>=\s]{{0,20}}(?:\s+{_VALUE})+\s*/?>"
    r"|(?P<entity>&(?:amp;)*(?:#[0-9]{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,30});)",
    re.IGNORECASE | re.DOTALL,
)
"""Tags of HTML, also of custom elements, whose brackets may be entities, or cut off at either end of the text;
comments; entities, which may be encoded twice."""


def without_markup(text: str) -> tuple[str, Sequence[int]]:
    """A text without tags and entities of HTML, and where its characters and its end are in the original.

    A tag is a space, or a blank line where it ends a line of HTML. An entity is the character that it stands for.

    >>> without_markup("A&amp;B<br>C")
    ('A&B\\n\\nC', [0, 1, 6, 7, 7, 11, 12])
    """
    pieces: list[str] = []
    positions: list[int] = []
    start = 0
    for found in _MARKUP.finditer(text):
        if found["entity"]:
            characters = unescape(unescape(found[0]))
            if len(characters) != 1:
                continue
        else:
            characters = "\n\n" if found["line"] or found["cut"] else " "
        pieces += (text[start : found.start()], characters)
        positions += range(start, found.start())
        positions += [found.start()] * len(characters)
        start = found.end()
    if not pieces:
        return text, range(len(text) + 1)
    return "".join((*pieces, text[start:])), [*positions, *range(start, len(text) + 1)]

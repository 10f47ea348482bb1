"""Quotations: a document in, the number of the quotation that each of its tokens stands in out."""

from __future__ import annotations

from cdcoref.corpus import Document

_OPENING = frozenset({"“", "``"})
_CLOSING = frozenset({"”", "''"})
_EITHER = '"'
LONGEST = 12
"""Sentences after the first that belong to a quotation at most, should its closing mark be missing."""


def quotations(document: Document) -> list[int]:
    """The number of the quotation of every token, from 1 in the order of the text; 0 outside quotations.

    Quotation marks belong to what they enclose. An opening mark inside a quotation begins another one, since novels
    repeat it at the beginning of every paragraph. Single quotation marks are ignored: they look like apostrophes.
    """
    sentence_of = document.sentence_of_tokens()
    result = [0] * len(document.tokens)
    count, current, begun = 0, 0, 0
    for place, token in enumerate(document.tokens):
        if current and sentence_of[place] - begun > LONGEST:
            current = 0
        if token in _OPENING or (token == _EITHER and not current):
            count += 1
            current, begun = count, sentence_of[place]
            result[place] = current
        else:
            result[place] = current
            if token in _CLOSING or token == _EITHER:
                current = 0
    return result

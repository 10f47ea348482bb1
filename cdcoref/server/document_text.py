"""A document of a collection in, its paragraphs as links and plain text out; dates and numbers as people write them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from urllib.parse import urlencode

from cdcoref.collection import DocumentPage
from cdcoref.corpus import Document, Mention, character_parts

STRENGTHS = (0.5, 0.75)
"""Confidences from which on a line is drawn in full, or not quite so."""
LONGEST_STRETCH = 100
"""Tokens that are cut at once; of a longer sentence each part has its own levels of lines."""
DEEPEST = 5
"""Lines below each other that the style sheet knows."""
_HIT = re.compile("\x02([^\x02\x03]*)\x03")
_BREAK = re.compile(r"\n\s*")


@dataclass(frozen=True, slots=True)
class Line:
    """A line under words: the kind of its mention, how strong it is (3: sure) and how deep (0: next to the words)."""

    kind: str
    strength: int
    level: int


@dataclass(frozen=True, slots=True)
class Piece:
    """Words without a border of a mention inside. `lines`, the deepest first, and the ids of mentions and clusters, the
    shortest first, are of the mentions that cover them; `anchors` are those that begin here."""

    text: str
    lines: tuple[Line, ...] = ()
    mentions: tuple[str, ...] = ()
    clusters: tuple[str, ...] = ()
    anchors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A line of a text, cut where mentions begin and end, and how many lines there are below each other at most."""

    pieces: tuple[Piece, ...]
    depth: int


def paragraphs(page: DocumentPage) -> list[Paragraph]:
    """The lines of a document's text; blank ones are left out."""
    mentions = [mention for mention in page.mentions if not mention.rejected]
    ranges = [character_parts(Mention(page.document.id, m.tokens), page.document) for m in mentions]
    order = sorted(range(len(mentions)), key=lambda n: ranges[n][0][0])
    seen: set[str] = set()
    found: list[list[Piece]] = [[]]
    open_: list[int] = []
    following = 0
    for start, end, new_line in _stretches(page.document):
        if new_line and found[-1]:
            found.append([])
        open_ = [n for n in open_ if ranges[n][-1][1] > start]
        while following < len(order) and ranges[order[following]][0][0] < end:
            open_.append(order[following])
            following += 1
        for text, marks in marked_text(page.document.text, start, end, [ranges[n] for n in open_]):
            over = [mentions[open_[number]] for number, _ in marks]
            sure = [1.0 if mention.confidence is None else mention.confidence for mention in over]
            strengths = [1 + sum(confidence >= bound for bound in STRENGTHS) for confidence in sure]
            lines = tuple(
                Line(mention.kind or "other", strength, min(level, DEEPEST))
                for mention, strength, (_, level) in zip(over, strengths, marks, strict=True)
            )
            ids = tuple(mention.id for mention in over)
            anchors = tuple(id for id in ids if id not in seen)
            seen.update(ids)
            clusters = tuple(mention.cluster or "" for mention in over)
            found[-1].append(Piece(text, lines[::-1], ids, clusters, anchors))
    return [
        Paragraph(tuple(pieces), max((line.level + 1 for piece in pieces for line in piece.lines), default=0))
        for pieces in found
        if any(piece.text.strip() for piece in pieces)
    ]


def _stretches(document: Document) -> Iterator[tuple[int, int, bool]]:
    """Stretches of the text that are short and cover all of it but line breaks; whether a line begins with each."""
    borders = {0, len(document.text)}
    for first, last in document.sentences:
        borders.update(document.offsets[token][0] for token in range(first, last, LONGEST_STRETCH))
    lines = {0}
    for gap in _BREAK.finditer(document.text):
        borders.update(gap.span())
        lines.add(gap.end())
    ordered = sorted(borders)
    for start, end in pairwise(ordered):
        if document.text[start] != "\n":
            yield start, end, start in lines


Marks = tuple[tuple[int, int], ...]
"""The number of each mention that covers some words with its level, the lowest level first."""


def marked_text(
    text: str, start: int, end: int, mentions: Sequence[Sequence[tuple[int, int]]]
) -> list[tuple[str, Marks]]:
    """Cut a stretch of a text, a range of characters, where mentions begin and end.

    Mentions are the character ranges of their unbroken parts; those outside the stretch are left out.

    >>> marked_text("the old ferry", 0, 13, [[(0, 13)], [(8, 13)]])
    [('the old ', ((0, 1),)), ('ferry', ((1, 0), (0, 1)))]
    """
    parts = sorted(
        (
            (max(first, start), min(last, end), number)
            for number, ranges in enumerate(mentions)
            for first, last in ranges
            if first < end and last > start
        ),
        key=lambda part: (part[1] - part[0], part[0], part[2]),
    )
    levels: list[int] = []
    for place, (first, last, _) in enumerate(parts):
        taken = {levels[n] for n in range(place) if parts[n][0] < last and parts[n][1] > first}
        levels.append(next(level for level in range(len(taken) + 1) if level not in taken))
    borders = sorted({start, end, *(border for first, last, _ in parts for border in (first, last))})
    runs = []
    for first, last in pairwise(borders):
        over = [(levels[n], parts[n][2]) for n in range(len(parts)) if parts[n][0] <= first and parts[n][1] >= last]
        runs.append((text[first:last], tuple((number, level) for level, number in sorted(over))))
    return runs


def snippet_parts(snippet: str) -> list[tuple[str, bool]]:
    """A snippet as text and whether it is what was searched for.

    >>> snippet_parts("the old \\x02ferry\\x03 sank")
    [('the old ', False), ('ferry', True), (' sank', False)]
    """
    parts = [(text, n % 2 == 1) for n, text in enumerate(_HIT.split(snippet))]
    return [(text.replace("\x02", "").replace("\x03", ""), hit) for text, hit in parts if text]


def day(iso: str) -> str:
    """A day as people write it.

    >>> day("2024-03-05"), day("2024-03-05T10:20:00+00:00")
    ('5 March 2024', '5 March 2024')
    """
    known = date.fromisoformat(iso[:10])
    return f"{known.day} {known:%B} {known.year}"


def document_address(id: str, mention: str | None = None) -> str:
    """The address of a document's page, or of a mention in it."""
    query = urlencode({"id": id} if mention is None else {"id": id, "mention": mention})
    return f"/document?{query}" + (f"#{mention}" if mention else "")

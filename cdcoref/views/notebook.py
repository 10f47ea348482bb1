"""Results in, what a notebook shows out: HTML without a script, which notebooks remove, and with its own style."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

from cdcoref.corpus import Document, Mention, character_parts, confidence_text
from cdcoref.reports import Results
from cdlm.printing import counted


@dataclass(frozen=True, slots=True)
class Run:
    """Text without a border of a mention inside."""

    text: str
    marks: tuple[tuple[int, int], ...] = ()
    """The number of each mention that covers it with its level, the lowest level first."""


def marked_text(text: str, start: int, end: int, mentions: Sequence[Sequence[tuple[int, int]]]) -> list[Run]:
    """Cut a stretch of a text, a range of characters, where mentions begin and end.

    Mentions are the character ranges of their unbroken parts; those outside the stretch are left out.

    >>> [(run.text, run.marks) for run in marked_text("the old ferry", 0, 13, [[(0, 13)], [(8, 13)]])]
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
        runs.append(Run(text[first:last], tuple((number, level) for level, number in sorted(over))))
    return runs


CLUSTERS = 10
"""Clusters that are shown."""
TEXTS = 5
"""Texts that are shown."""
LONGEST_TEXT = 3000
"""Characters of a text that are shown."""
_COLOURS = {"event": "#b3470e", "entity": "#1a5fb0"}
_OTHER = "#6a4aa0"
_HEAD = ("kind", "mentioned as", "mentions", "documents", "confidence")


def notebook_view(results: Results) -> str:
    """The HTML that a notebook shows of a results."""
    return f"{_table(results)}{_texts(results)}"


def _table(results: Results) -> str:
    counts = results.counts()
    rows = []
    for cluster in islice(results.each_cluster(), CLUSTERS):
        texts = dict.fromkeys(mention.text for mention in islice(cluster.mentions, 50))
        words = ", ".join(islice(texts, 5)) + (", ..." if len(texts) > 5 else "")
        sure = "" if cluster.confidence is None else confidence_text(cluster.confidence)
        cells = (cluster.kind, words, str(len(cluster.mentions)), str(cluster.documents), sure)
        rows.append("<tr>" + "".join(f'<td dir="auto">{html.escape(cell)}</td>' for cell in cells) + "</tr>")
    total = counts.across + counts.within
    more = f"<p>The first {len(rows)} of {total} clusters.</p>" if total > len(rows) else ""
    head = "".join(f"<th>{name}</th>" for name in _HEAD)
    return (
        f"<p>Documents: {counts.documents}; mentions: {counts.mentions}; clusters across documents: "
        f"{counts.across}; clusters within one document: {counts.within}.</p>"
        f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>{more}"
    )


def _texts(results: Results) -> str:
    """The first texts, each to be unfolded; mentions of clusters of several are underlined."""
    titles: dict[int, str] = {}
    for cluster in results.each_cluster():
        size = f"{counted(len(cluster.members), 'mention')} in {counted(cluster.documents, 'document')}"
        title = f"{cluster.label}: {cluster.kind or 'mention'}, {size}"
        titles.update((id(mention), title) for mention in cluster.members)
    mentions = results.corpus.by_document()
    shown = results.corpus.documents[:TEXTS]
    texts = [
        f"<details{' open' if n == 0 else ''}><summary dir='auto'>{html.escape(document.id)}</summary>"
        f"<p dir='auto' style='white-space: pre-wrap; max-width: 46em; line-height: 1.9'>"
        f"{_marked(document, mentions[document.id], titles)}</p></details>"
        for n, document in enumerate(shown)
    ]
    left = len(results.corpus.documents) - len(shown)
    more = f"<p>The first {len(shown)} of {len(shown) + left} texts.</p>" if left else ""
    return "".join(texts) + more


def _marked(document: Document, mentions: Sequence[Mention], titles: Mapping[int, str]) -> str:
    chosen = [mention for mention in mentions if id(mention) in titles]
    parts = [character_parts(mention, document) for mention in chosen]
    end = min(len(document.text), LONGEST_TEXT)
    pieces = []
    for run in marked_text(document.text, 0, end, parts) if end else ():
        piece = html.escape(run.text)
        for number, level in run.marks:
            mention = chosen[number]
            colour = _COLOURS.get(mention.kind or "", _OTHER)
            piece = (
                f"<span title='{html.escape(titles[id(mention)])}' style='border-bottom: 2px solid {colour}; "
                f"padding-bottom: {3 * level}px'>{piece}</span>"
            )
        pieces.append(piece)
    return "".join(pieces) + (" ..." if end < len(document.text) else "")

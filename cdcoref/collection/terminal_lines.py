"""A collection in a terminal: what a collection answers in, lines of text out."""

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from cdcoref.collection import records
from cdcoref.collection.corrections import MOVES, Correction
from cdcoref.corpus import confidence_text
from cdcoref.reports import metadata_text
from cdlm.printing import counted, printable

WIDEST_TITLE = 48
WIDEST_SNIPPET = 100
WIDEST_SOURCE = 24
MOST_MOVES = 8
"""Changes of clusters that are listed after a correction."""
NAMES = 12
"""Different words of a cluster's mentions that are listed."""


def counts_line(counts: records.Counts) -> str:
    """How much there is, in one sentence without a full stop."""
    several = counts.clusters - counts.singletons
    in_force = f", {counted(counts.corrections, 'correction')} in force" if counts.corrections else ""
    return (
        f"{counted(counts.documents, 'document')} in {counted(counts.stories, 'story', 'stories')}, "
        f"{counted(counts.mentions, 'mention')}: {counted(several, 'cluster')}, {counts.across:,} of them across "
        f"documents, {counted(counts.singletons, 'singleton')}{in_force}"
    )


def report_lines(report: records.Report) -> Iterator[str]:
    """Lines on the effects of a change."""
    yield from work_lines(report)
    if report.merged:
        yield f"clusters merged: {_pairs(report.merged, 'into')}"
    if report.split:
        yield f"clusters split: {_pairs(report.split, 'from')}"
    yield from report.notes


def work_lines(report: records.Report) -> Iterator[str]:
    """Lines on the effects of a change on documents and stories."""
    done = [
        f"{len(ids):,} {what}"
        for ids, what in ((report.added, "added"), (report.replaced, "replaced"), (report.removed, "removed"))
        if ids
    ]
    if report.known:
        done.append(f"{len(report.known):,} already there")
    if done:
        yield f"documents: {', '.join(done)}"
    for came, there in report.known.items():
        if came != there:
            yield f"{printable(came)} is already there as {printable(there)}"
    read = f"; {counted(report.pairs, 'pair')} of documents compared" if report.pairs else ""
    if report.stories or read:
        yield f"{counted(report.stories, 'story', 'stories')} clustered{read}"


def cluster_list_lines(clusters: Sequence[records.ClusterSummary]) -> Iterator[str]:
    """A table of clusters."""
    titles = [_shortened(cluster.title, WIDEST_TITLE) for cluster in clusters]
    rows = [
        (c.id, c.kind or "", title, str(c.mentions), str(c.documents), _sure(c.confidence, bool(c.checked)))
        for c, title in zip(clusters, titles, strict=True)
    ]
    yield from _table(("id", "kind", "mentioned as", "mentions", "documents", "confidence"), rows, right=(3, 4, 5))


def cluster_page_lines(page: records.ClusterPage) -> Iterator[str]:
    """A cluster with its mentions in their sentences."""
    cluster = page.summary
    yield (
        f"{cluster.id}  {cluster.kind or 'unknown kind'}  {printable(cluster.title)}  "
        f"({counted(cluster.mentions, 'mention')} in {counted(cluster.documents, 'document')})"
    )
    names = ", ".join(f"{printable(name)} ({count})" for name, count in page.names[:NAMES])
    yield f"mentioned as: {names}{', ...' if len(page.names) > NAMES else ''}"
    yield ""
    dates = {document.id: document.date for document in page.documents}
    for document, mentions in groupby(page.mentions, key=lambda mention: mention.document):
        if dates[document]:
            yield str(dates[document])
        yield from mention_lines(mentions)


def mention_lines(mentions: Iterable[records.StoredMention]) -> Iterator[str]:
    """Mentions in their sentences, each with its id and place."""
    for mention in mentions:
        where = f"{printable(mention.document)}:{mention.line}"
        sure = f"  {shown}" if (shown := _sure(mention.confidence, mention.checked)) else ""
        flag = "  (not a mention)" if mention.rejected else f"  {mention.cluster}" if mention.cluster else ""
        yield f"{mention.id}  {where}{flag}{sure}"
        sentence = f"{mention.before}[{mention.text}]{mention.after}"
        yield from (f"    {line}" for line in textwrap.wrap(printable(sentence), 100))


def document_page_lines(page: records.DocumentPage) -> Iterator[str]:
    """A document with its mentions and its story."""
    summary = page.summary
    yield (
        f"{printable(summary.id)}  {f'{summary.date}, ' if summary.date else ''}"
        f"{'' if summary.story is None else f'story {summary.story}, '}added {summary.added}, "
        f"{counted(len(page.document.tokens), 'token')}, {counted(summary.mentions, 'mention')}"
    )
    for name, value in page.document.metadata.items():
        found = " (found in the text)" if name in page.document.found else ""
        yield f"{printable(name)}: {printable(metadata_text(value))}{found}"
    if page.copies:
        yield f"near-duplicate of: {', '.join(map(printable, page.copies))}"
    if page.story:
        yield f"in one story with: {', '.join(printable(other.id) for other in page.story)}"
    if page.related:
        yield f"first documents of other stories about the subject: {', '.join(printable(o.id) for o in page.related)}"
    yield ""
    for line in page.document.text.splitlines():
        yield from textwrap.wrap(printable(line), 100) or [""]
    yield ""
    yield from mention_lines(page.mentions)
    yield ""
    yield from cluster_list_lines(page.clusters)


def document_list_lines(documents: Sequence[records.DocumentSummary]) -> Iterator[str]:
    """A table of documents with the words that were searched for, or else their title or how they begin."""
    rows = [
        (
            printable(d.id),
            d.date or "",
            _shortened(metadata_text(d.metadata.get("source")), WIDEST_SOURCE),
            "" if d.story is None else str(d.story),
            str(d.mentions),
            _shortened(_found_or_title(d), WIDEST_SNIPPET),
        )
        for d in documents
    ]
    yield from _table(("document", "date", "source", "story", "mentions", "title or text"), rows, right=(3, 4))


def _found_or_title(document: records.DocumentSummary) -> str:
    title = " ".join(metadata_text(document.metadata.get("title")).split())
    found = "\x02" in document.snippet
    return re.sub("[\x02\x03]", "", document.snippet) if found or not title else title


def question_lines(questions: Sequence[records.Question]) -> Iterator[str]:
    """Decisions to check."""
    for question in questions:
        how = "in one cluster" if question.together else "in two clusters"
        pair = ", least certain pair" if question.together else ""
        sure = f"link probability {confidence_text(question.probability)}{pair}"
        yield f"{question.first.id} and {question.second.id}: {how}, {sure}"
        yield from mention_lines((question.first, question.second))
        yield ""


def correction_lines(corrections: Iterable[Correction]) -> Iterator[str]:
    """Corrections, one line each."""
    for correction in corrections:
        words = [
            f"{printable(m.words)!r} in {printable(m.document)}" if m.tokens else printable(m.document)
            for m in correction.mentions[:4]
        ]
        more = f" and {len(correction.mentions) - 4} more" if len(correction.mentions) > 4 else ""
        what = ", ".join(words)
        if correction.name is not None:
            of = correction.cluster or f"the story of {what}"
            what = f"{of} is {printable(correction.name)!r}"
        elif correction.action in MOVES:
            into = correction.cluster or f"the story of {printable(correction.mentions[-1].document)}"
            what, more = ", ".join(words[: len(correction.mentions) - 1]), f"{more} into {into}"
        undone = f"  (undone {correction.undone})" if correction.undone else ""
        yield f"{correction.number}  {correction.time}  {correction.action}: {what}{more}{undone}"


def outcome_lines(correction: Correction) -> Iterator[str]:
    """Lines on how a correction, made or undone, changed clusters, and remarks on it."""
    for move in correction.moves[:MOST_MOVES]:
        words = ", ".join(map(printable, move.words)) + (", ..." if move.mentions > len(move.words) else "")
        into, other = (
            f"{id} {_shortened(title, WIDEST_TITLE)!r}" if title else str(id)
            for id, title in ((move.cluster, move.title), (move.other, move.other_title))
        )
        yield {
            "merged": f"merged {other} into {into}",
            "split": f"{move.cluster} split from {move.other}: {words}",
            "moved": f"moved from {other} into {into}: {words}",
            "left": f"left out of {other}: {words}",
            "back": f"back in {into}: {words}",
        }[move.change]
    if len(correction.moves) > MOST_MOVES:
        yield f"and {len(correction.moves) - MOST_MOVES} more changes of clusters"
    yield from map(printable, correction.notes)


def _pairs(pairs: Sequence[tuple[str, str]], word: str, most: int = 8) -> str:
    shown = ", ".join(f"{one} {word} {other}" for one, other in pairs[:most])
    return shown + (f" and {len(pairs) - most:,} more" if len(pairs) > most else "")


def _sure(confidence: float | None, checked: bool) -> str:
    """A confidence; what somebody confirmed is checked, however sure the model is."""
    return "checked" if checked else "" if confidence is None else confidence_text(confidence)


def _shortened(text: str, most: int) -> str:
    shown = printable(text)
    return shown if len(shown) <= most else shown[: most - 3] + "..."


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> Iterator[str]:
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]
    for row in (head, *rows):
        cells = (
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield " " + "   ".join(cells).rstrip()

"""Clusters and stories for the terminal: results in, lines of text out."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from rich.cells import cell_len, chop_cells

from cdcoref.corpus import confidence_text
from cdcoref.facts import Period
from cdcoref.reports import (
    Counts,
    Disagreement,
    PredictedCluster,
    PredictedMention,
    PredictedStory,
    Results,
    StoryEvent,
)
from cdlm.printing import counted, printable

FIRST_LINES = 50
"""The beginning of a table ends with the first cluster that reaches this number of rows."""
FIRST_MENTIONS = 12
"""Maximum number of mentions of one cluster in the beginning of a table."""
WIDTH_FROM = 500
"""Number of clusters that determine the width of the mention column."""
WIDEST_WORDS = 48
NARROWEST_WORDS = 12

ACROSS = "Clusters across documents"
WITHIN = "Clusters within one document"
SINGLETONS = "Singletons"


@dataclass(frozen=True, slots=True)
class TableStart:
    """The first lines of a table."""

    lines: list[str]
    shown: int
    left: int
    """Number of clusters (including singletons, on request) in it, and after it."""
    shortened: bool
    """Whether mentions of a cluster were omitted."""


def cluster_lines(results: Results, *, singletons: bool = False, width: int = 120) -> Iterator[str]:
    """Every line of the table; none if there is no cluster."""
    clusters = results.each_cluster(singletons=singletons)
    first = list(islice(clusters, WIDTH_FROM))
    yield from _Layout(results, first, width).lines(chain(first, clusters))


def first_lines(results: Results, *, singletons: bool = False, width: int = 120) -> TableStart:
    """The beginning of the table, and how much is left; parameters as in :func:`cluster_lines`."""
    chosen: list[PredictedCluster] = []
    rows = 0
    for cluster in results.each_cluster(singletons=singletons):
        chosen.append(cluster)
        rows += min(len(cluster.mentions), FIRST_MENTIONS) + 1
        if rows >= FIRST_LINES:
            break
    counts = results.counts()
    total = counts.across + counts.within + (counts.singletons if singletons else 0)
    layout = _Layout(results, chosen, width, most=FIRST_MENTIONS)
    shortened = any(len(cluster.mentions) > FIRST_MENTIONS for cluster in chosen)
    return TableStart(list(layout.lines(chosen)), len(chosen), total - len(chosen), shortened)


def summary(counts: Counts) -> str:
    """A summary of the result, in one sentence without a full stop.

    >>> summary(Counts(documents=7, stories=2, mentions=506, across=67, within=1, singletons=190))
    '7 documents in 2 stories, 506 mentions: 67 clusters across documents, 1 within one document, 190 singletons'
    """
    return (
        f"{counted(counts.documents, 'document')} in {counted(counts.stories, 'story', 'stories')}, "
        f"{counted(counts.mentions, 'mention')}: {counted(counts.across, 'cluster')} across documents, "
        f"{counts.within:,} within one document, {counted(counts.singletons, 'singleton')}"
        + (f"; {counted(counts.empty, 'empty document')}" if counts.empty else "")
    )


class _Layout:
    """Column widths, and rows of these widths; at most `most` mentions per cluster."""

    def __init__(
        self, results: Results, clusters: Iterable[PredictedCluster], width: int, most: int | None = None
    ) -> None:
        self._paths = {d.id: d.path or d.id for d in results.corpus.documents}
        self._most = most
        shown = [mention for cluster in clusters for mention in islice(cluster.mentions, most)]
        self._place = max((cell_len(self._where(mention)) for mention in shown), default=5)
        longest = max((cell_len(printable(mention.text)) for mention in shown), default=0)
        room = width - len(" entity   ") - self._place - len("   confidence")
        self._words = max(NARROWEST_WORDS, min(longest, room, WIDEST_WORDS))

    def lines(self, clusters: Iterable[PredictedCluster]) -> Iterator[str]:
        """The table's header and rows, with a heading before every group of clusters."""
        heading = None
        for cluster in clusters:
            if heading is None:
                yield self._row("kind", "mention", "where", "confidence")
            group = SINGLETONS if len(cluster.mentions) == 1 else ACROSS if cluster.documents > 1 else WITHIN
            if group != heading:
                heading = group
                yield ""
                yield f"── {group} ".ljust(len(" entity   ") + self._words + 3 + self._place + 13, "─")
            elif group != SINGLETONS:
                yield ""
            yield from self._cluster(cluster)

    def _cluster(self, cluster: PredictedCluster) -> Iterator[str]:
        kind = cluster.kind
        for mention in islice(cluster.mentions, self._most):
            sure = "" if mention.confidence is None else confidence_text(mention.confidence)
            words, *rest = chop_cells(printable(mention.text), self._words) or [""]
            yield self._row(kind, words, self._where(mention), sure)
            for part in rest:
                yield self._row("", part, "", "")
            kind = ""
        if self._most is not None and len(cluster.mentions) > self._most:
            yield self._row("", f"... and {len(cluster.mentions) - self._most} more", "", "")

    def _where(self, mention: PredictedMention) -> str:
        return f"{printable(self._paths[mention.document])}:{mention.line}"

    def _row(self, kind: str, words: str, where: str, sure: str) -> str:
        cells = (_filled(kind, 6), _filled(words, self._words), _filled(where, self._place), sure.rjust(10))
        return f" {'   '.join(cells)}".rstrip()


def _filled(text: str, width: int) -> str:
    return text + " " * (width - cell_len(text))


STORY_WIDTH = 100
SHOWN = 20
"""Events of a story in a list, at most."""


def story_list_lines(stories: Sequence[PredictedStory]) -> Iterator[str]:
    """One line a story: its number, how many documents it has, its title, where and when."""
    width = max((len(str(story.number)) for story in stories), default=1)
    for story in stories:
        where = " · ".join(part for part in (story.where, _day(story.when)) if part)
        documents = counted(len(story.documents), "document")
        known = f"{documents}; {printable(where)}" if where else documents
        yield f"{story.number:>{width}}  {printable(story.title)}  ({known})"


def story_lines(story: PredictedStory, *, most: int = SHOWN) -> Iterator[str]:
    """A story, with at most `most` events in a list."""
    yield from textwrap.wrap(printable(f"Story {story.number}: {story.title}"), STORY_WIDTH)
    for name, value in (("who", ", ".join(story.who)), ("where", story.where), ("when", _day(story.when))):
        if value:
            yield from textwrap.wrap(printable(f"{name}: {value}"), STORY_WIDTH, subsequent_indent="  ")
    yield ""
    yield "documents:"
    for document in story.documents:
        headline = story.headline_of(document)
        known = "; ".join(
            part for part in (story.published_by(document), document if headline != document else "") if part
        )
        parts = [_day(story.day_of(document)), headline, f"({known})" if known else ""]
        yield f"  {printable('  '.join(part for part in parts if part))}"
    yield from _section("timeline", story.timeline, most, story)
    yield from _section("only in one document", story.one_source, most, story)
    if story.numbers:
        yield ""
        yield "numbers over time:"
    for line in story.numbers:
        yield from textwrap.wrap(
            printable(f"{line.label}: {line}"), STORY_WIDTH, initial_indent="  ", subsequent_indent="    "
        )
    if story.disagreements:
        yield ""
        yield "documents disagree:"
    for one in story.disagreements:
        yield from _disagreement(one)


def _section(name: str, events: Sequence[StoryEvent], most: int, story: PredictedStory) -> Iterator[str]:
    if not events:
        return
    yield ""
    yield f"{name}:"
    shown = first_events(events, most)
    for event in shown:
        yield from _event(event, len(story.documents))
    if len(events) > len(shown):
        yield f"  and {counted(len(events) - len(shown), 'other event')}"


def first_events(events: Sequence[StoryEvent], most: int) -> list[StoryEvent]:
    """The events that are shown at first: not the minor ones, and not too many."""
    return [event for event in events if not event.minor][:most] or list(events[:most])


def _event(event: StoryEvent, documents: int) -> Iterator[str]:
    coverage = f"{len(event.documents)} of {counted(documents, 'document')}"
    head = " · ".join(
        part for part in (event.when_text, event.label, event.where, coverage, event.cluster or "") if part
    )
    yield from textwrap.wrap(printable(head), STORY_WIDTH, initial_indent="  ", subsequent_indent="    ")
    quoted = printable(f"{event.best.document}: {event.best.sentence}")
    yield from textwrap.wrap(quoted, STORY_WIDTH, initial_indent="      ", subsequent_indent="      ")


def _disagreement(one: Disagreement) -> Iterator[str]:
    yield f"  {printable(one.label)}: {one.about}{f' ({one.cluster})' if one.cluster else ''}"
    for statement in one.statements:
        text = printable(f"{statement.value}  {statement.document}: {statement.sentence}")
        yield from textwrap.wrap(text, STORY_WIDTH, initial_indent="      ", subsequent_indent="        ")


def _day(period: Period | None) -> str:
    return "" if period is None else period.shown()

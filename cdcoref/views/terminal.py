"""Clusters and stories for the terminal: results in, lines of text out."""

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from rich.cells import cell_len, chop_cells

from cdcoref.corpus import confidence_text
from cdcoref.facts import Period
from cdcoref.reports import Counts, PredictedCluster, PredictedMention, PredictedStory, Results, StoryEvent
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
class ClusterTable:
    """Lines of a table of clusters."""

    lines: list[str]
    shown: int
    left: int
    """Number of clusters (including singletons, on request) in it, and after it."""
    shortened: bool
    """Whether mentions of a cluster were omitted."""


def cluster_table(
    results: Results, *, singletons: bool = False, width: int = 120, everything: bool = False
) -> ClusterTable:
    """The table of clusters, or its beginning; `width` is that of the terminal."""
    chosen: list[PredictedCluster] = []
    rows = 0
    for cluster in results.each_cluster(singletons=singletons):
        chosen.append(cluster)
        rows += min(len(cluster.mentions), FIRST_MENTIONS) + 1
        if rows >= FIRST_LINES and not everything:
            break
    counts = results.counts()
    total = counts.across + counts.within + (counts.singletons if singletons else 0)
    most = None if everything else FIRST_MENTIONS
    lines = list(_Layout(results, chosen[:WIDTH_FROM], width, most).lines(chosen))
    shortened = most is not None and any(len(cluster.mentions) > most for cluster in chosen)
    return ClusterTable(lines, len(chosen), total - len(chosen), shortened)


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

    def __init__(self, results: Results, clusters: Iterable[PredictedCluster], width: int, most: int | None) -> None:
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
        where = _joined(" · ", story.where, _day(story.when))
        known = _joined("; ", counted(len(story.documents), "document"), printable(where))
        yield f"{story.number:>{width}}  {printable(story.title)}  ({known})"


def story_lines(story: PredictedStory, *, most: int = SHOWN) -> Iterator[str]:
    """A story, with at most `most` events in a list."""
    yield from _wrapped(f"Story {story.number}: {story.title}", 0, 0)
    for name, value in (("who", ", ".join(story.who)), ("where", story.where), ("when", _day(story.when))):
        if value:
            yield from _wrapped(f"{name}: {value}", 0, 2)
    yield from ("", "documents:")
    for document in story.documents:
        headline = story.headline_of(document)
        known = _joined("; ", story.published_by(document), document if headline != document else "")
        line = _joined("  ", _day(story.day_of(document)), headline, f"({known})" if known else "")
        yield f"  {printable(line)}"
    yield from _events("timeline", story.timeline, most, len(story.documents))
    yield from _events("only in one document", story.one_source, most, len(story.documents))
    if story.numbers:
        yield from ("", "numbers over time:")
    for number in story.numbers:
        yield from _wrapped(f"{number.label}: {number}", 2, 4)
    if story.disagreements:
        yield from ("", "documents disagree:")
    for one in story.disagreements:
        yield f"  {printable(one.label)}: {one.about}{f' ({one.cluster})' if one.cluster else ''}"
        for statement in one.statements:
            yield from _wrapped(f"{statement.value}  {statement.document}: {statement.sentence}", 6, 8)


def _events(heading: str, events: Sequence[StoryEvent], most: int, documents: int) -> Iterator[str]:
    if events:
        yield from ("", f"{heading}:")
    shown = first_events(events, most)
    for event in shown:
        coverage = f"{len(event.documents)} of {counted(documents, 'document')}"
        parts = (event.when_text, event.label, event.where, coverage, event.cluster)
        yield from _wrapped(_joined(" · ", *parts), 2, 4)
        yield from _wrapped(f"{event.best.document}: {event.best.sentence}", 6, 6)
    if len(events) > len(shown):
        yield f"  and {counted(len(events) - len(shown), 'other event')}"


def first_events(events: Sequence[StoryEvent], most: int) -> list[StoryEvent]:
    """The events that are shown at first: not the minor ones, and not too many."""
    return [event for event in events if not event.minor][:most] or list(events[:most])


def _wrapped(text: str, first: int, rest: int) -> list[str]:
    """Lines with indents of `first` spaces in the first line and `rest` in the others."""
    return textwrap.wrap(printable(text), STORY_WIDTH, initial_indent=" " * first, subsequent_indent=" " * rest)


def _joined(between: str, *parts: str | None) -> str:
    return between.join(filter(None, parts))


def _day(period: Period | None) -> str:
    return "" if period is None else period.shown()

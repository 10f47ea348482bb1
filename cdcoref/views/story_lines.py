"""A story in a terminal: its title, timeline, what one document alone tells, and where documents disagree, as lines."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from cdcoref.facts import Period
from cdcoref.reports import Disagreement, PredictedStory, StoryEvent
from cdlm.printing import counted, printable

WIDTH = 100
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
    yield from textwrap.wrap(printable(f"Story {story.number}: {story.title}"), WIDTH)
    for name, value in (("who", ", ".join(story.who)), ("where", story.where), ("when", _day(story.when))):
        if value:
            yield from textwrap.wrap(printable(f"{name}: {value}"), WIDTH, subsequent_indent="  ")
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
            printable(f"{line.label}: {line}"), WIDTH, initial_indent="  ", subsequent_indent="    "
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
    yield from textwrap.wrap(printable(head), WIDTH, initial_indent="  ", subsequent_indent="    ")
    quoted = printable(f"{event.best.document}: {event.best.sentence}")
    yield from textwrap.wrap(quoted, WIDTH, initial_indent="      ", subsequent_indent="      ")


def _disagreement(one: Disagreement) -> Iterator[str]:
    yield f"  {printable(one.label)}: {one.about}{f' ({one.cluster})' if one.cluster else ''}"
    for statement in one.statements:
        text = printable(f"{statement.value}  {statement.document}: {statement.sentence}")
        yield from textwrap.wrap(text, WIDTH, initial_indent="      ", subsequent_indent="        ")


def _day(period: Period | None) -> str:
    return "" if period is None else period.shown()

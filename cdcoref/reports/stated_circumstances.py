"""Where documents contradict each other about the day or the place of an event."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cdcoref.circumstances import Place, Source, is_object
from cdcoref.corpus import EVENT, Mention
from cdcoref.language import date_name, head_word, lemma, word_set
from cdcoref.reports.stated_values import Contradiction, StatedValue, StoryContext

_SAYING = word_set(
    "add announce ask comment declare insist quote remark repeat report say speak state statement tell warn"
)
_LIKE = word_set("another last like next other previous similar such unlike")
_BEFORE_EVENT = 4


def contradicted_circumstances(story: StoryContext) -> Iterator[Contradiction]:
    """Days and places that differ, as the clauses of an event's mentions state them."""
    for members in story.shared_events.values():
        days = [] if any(_is_statement(story, mention) for mention in members) else _days(story, members)
        yield from story.contradictions("day", members, "", days, _are_other_days, several=True)
        places = [
            StatedValue(mention.document, mention.start, where.place.shown(), where.place)
            for mention in members
            for where in story.known.of_mention(mention).where
            if where.source == Source.STATED
        ]
        yield from story.contradictions("place", members, "", places, _are_other_places, several=True)


def _days(story: StoryContext, members: Sequence[Mention]) -> list[StatedValue]:
    return [
        StatedValue(
            mention.document, mention.start, when.period.shown(), (when.period, _exactness(story, mention, when.tokens))
        )
        for mention in members
        for when in story.known.of_mention(mention).when
        if when.source == Source.STATED
        and when.period.days == 1
        and not when.looks_back
        and _is_nearest(story, mention, when.tokens)
        and not _is_another(story, mention)
    ]


def _are_other_days(one: StatedValue, other: StatedValue) -> bool:
    """Whether two days differ: weekdays by more than whole weeks, which depend on the dates of documents, and days that
    are stated by their distance ("today") by more than one."""
    gap, exactness = one.value[0].gap(other.value[0]), min(one.value[1], other.value[1])
    return bool(gap > 1 if exactness == 0 else gap % 7 > 0 if exactness == 1 else gap > 0)


def _are_other_places(one: StatedValue, other: StatedValue) -> bool:
    return Place.excludes(one.value, other.value)


def _exactness(story: StoryContext, mention: Mention, tokens: Sequence[int]) -> int:
    """How a date names its day: 2 in figures, 1 by a weekday, 0 by its distance ("today")."""
    words = [story.documents[mention.document].tokens[token] for token in tokens]
    if any(any(map(str.isdigit, word)) for word in words):
        return 2
    return int(any(map(date_name, words)))


def _is_statement(story: StoryContext, mention: Mention) -> bool:
    """Whether an event is that somebody said something, which has no single day."""
    tokens = story.documents[mention.document].tokens
    return lemma(head_word([tokens[token] for token in mention.tokens]).casefold()) in _SAYING


def _is_another(story: StoryContext, mention: Mention) -> bool:
    """Whether an event is only like the one that the document is about ("attacks such as that", "next tender")."""
    document = story.documents[mention.document]
    start = max(document.sentence_at(mention.start)[0], mention.start - _BEFORE_EVENT)
    return not _LIKE.isdisjoint(map(str.casefold, document.tokens[start : mention.end + 1]))


def _is_nearest(story: StoryContext, mention: Mention, tokens: Sequence[int]) -> bool:
    """Whether a date belongs to an event rather than to another one between them, or to one whose object it is."""
    low, high = min(mention.end, tokens[-1] + 1), max(mention.start, tokens[0])
    document = story.documents[mention.document]
    first = document.sentence_at(mention.start)[0]
    for other in story.by_document[mention.document]:
        if other.kind != EVENT or other.tokens == mention.tokens:
            continue
        if low <= other.start < high:
            return False
        is_before = first <= other.start and other.end <= mention.start < tokens[0]
        if is_before and is_object([word.casefold() for word in document.tokens[other.end : mention.start]]):
            return False
    return True

"""Where documents contradict each other about the day or the place of an event, as its own clauses state them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cdcoref.circumstances import Place, Source
from cdcoref.corpus import Mention
from cdcoref.facts import verbs_about
from cdcoref.language import date_name
from cdcoref.reports.stated_values import Contradiction, StatedValue, StoryContext
from cdcoref.word_tables import words_in

_OTHER = words_in("time_words.tsv", "other")
_SPEECH = words_in("time_words.tsv", "speech")


def contradicted_circumstances(story: StoryContext) -> Iterator[Contradiction]:
    """Days and places that differ; what the same sentences state of two events, once."""
    seen: set[object] = set()
    for found in _contradictions(story):
        key = found.about, frozenset((value.text, value.document, story.sentence(value)) for value in found.stated)
        if key not in seen:
            seen.add(key)
            yield found


def _contradictions(story: StoryContext) -> Iterator[Contradiction]:
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
        if not _is_another(story, mention)
        for when in story.known.of_mention(mention).when
        if when.source == Source.STATED and when.period.days == 1 and not when.looks_back
    ]


def _are_other_days(one: StatedValue, other: StatedValue) -> bool:
    """Whether two days differ; days that are stated by their distance ("today") by more than one."""
    gap = one.value[0].gap(other.value[0])
    return bool(gap > 0 if min(one.value[1], other.value[1]) else gap > 1)


def _are_other_places(one: StatedValue, other: StatedValue) -> bool:
    return Place.excludes(one.value, other.value)


def _exactness(story: StoryContext, mention: Mention, tokens: Sequence[int]) -> bool:
    """Whether a date names its day, in figures or by a weekday, rather than by its distance ("today")."""
    words = [story.documents[mention.document].tokens[token] for token in tokens]
    return any(any(map(str.isdigit, word)) or date_name(word) for word in words)


def _is_statement(story: StoryContext, mention: Mention) -> bool:
    """Whether an event is that somebody said something, which has no single day."""
    parse = story.known.readings[mention.document].parse
    lemma = parse.lemmas[parse.head_of(mention.tokens)].casefold()
    return lemma in _SPEECH or lemma in verbs_about("report") or lemma in verbs_about("announcement")


def _is_another(story: StoryContext, mention: Mention) -> bool:
    """Whether an event is only like the one that the document is about ("a similar attack", "next tender")."""
    parse = story.known.readings[mention.document].parse
    head = parse.head_of(mention.tokens)
    beside = (parse.heads[head], *parse.children[head])
    return not _OTHER.isdisjoint(parse.lemmas[token].casefold() for token in beside)

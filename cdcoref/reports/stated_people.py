"""Where documents contradict each other about the ages and the names of people.

Ages are compared if they are stated beside mentions of one cluster, which share a name or are named beside one event.
Names are compared in one plain role of one event, and in one office, if they differ as those of one person do whom
somebody got wrong ("Marek Dolny", "Pawel Dolny"; "Ida Rohm", "Ida Rahm"). Two teams are if the other one, and a number
such as the score, are the same. A document that has the words of both contradicts none.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

from cdcoref.circumstances import ages_in, dateline_end, day_of, full_names, offices_in, roles_of
from cdcoref.corpus import ENTITY, Document, Mention
from cdcoref.language import are_forms_of_one_name, different_names, is_common_word
from cdcoref.reports.stated_values import Contradiction, StatedValue, StoryContext

_DAYS_OF_YEAR = 365
_BIRTHDAY = 7
"""Days between two documents from which somebody may have become a year older."""
_SHORTEST_MISSPELT = 4
"""Letters of a surname that may be misspelt."""
_MOST_LETTERS = 2
"""Letters in which two spellings of one surname differ, at most."""
_SIDES = frozenset({"against", "to", "by"})
_FULL = 2
"""Words of a name that has a first name and a surname."""
_FIGURES = re.compile(r"\d+(?:[-–]\d+)?")


class _Age(NamedTuple):
    """The age of a mention; the words of its name, in lower case; the events of its sentence."""

    age: int
    name: frozenset[str]
    events: frozenset[str]


class _Name(NamedTuple):
    """The words of a name, in lower case, and the figures and other names of its sentence."""

    words: tuple[str, ...]
    figures: frozenset[str]
    others: frozenset[str]


def contradicted_names(story: StoryContext) -> Iterator[Contradiction]:
    """Names in one role of an event, or in one office, that differ."""
    for members in story.shared_events.values():
        of_roles: defaultdict[str, list[StatedValue]] = defaultdict(list)
        for mention in members:
            document = story.written[mention.document]
            first, end = document.sentence_at(mention.start)
            first += dateline_end(document.tokens[first:end])
            for role in roles_of((mention.start - first, mention.end - first), document.tokens[first:end]):
                of_roles[role.role].append(_name(document, first, end, role.start, role.end))
        for name, stated in of_roles.items():
            comparable = partial(_are_of_one_person, story, sides=name in _SIDES)
            yield from story.contradictions("name", members, "", stated, _are_other_names, comparable)
    of_offices: defaultdict[str, list[StatedValue]] = defaultdict(list)
    for document, first, end in _sentences(story):
        for office in offices_in(document.tokens[first:end]):
            of_offices[office.role].append(_name(document, first, end, office.start, office.end))
    for name, stated in of_offices.items():
        comparable = partial(_are_of_one_person, story, sides=False)
        yield from story.contradictions("name", (), name, stated, _are_other_names, comparable)


def contradicted_ages(story: StoryContext) -> Iterator[Contradiction]:
    """Ages of one person that differ, whatever time passed between the documents."""
    days = {id: day_of(document) for id, document in story.written.items()}
    entities = {members[0].cluster: members for members in story.corpus.clusters() if members[0].kind == ENTITY}

    def comparable(one: StatedValue, other: StatedValue) -> bool:
        gap = abs(one.value.age - other.value.age)
        first, second = days[one.document], days[other.document]
        if first is not None and second is not None:
            passed = first.gap(second)
            gap -= passed // _DAYS_OF_YEAR + (passed >= _BIRTHDAY)
        if one.value.name and other.value.name:
            return gap > 0 and not one.value.name.isdisjoint(other.value.name)
        return gap > 0 and not one.value.events.isdisjoint(other.value.events)

    of_clusters: defaultdict[str, list[StatedValue]] = defaultdict(list)
    for document, first, end in _sentences(story):
        for stated in ages_in(document.tokens[first:end]):
            mention = _entity_at(story, document, [first + holder for holder in stated.holders])
            if mention is not None and mention.cluster is not None:
                text = document.passage(first + stated.start, first + stated.end)
                value = _Age(stated.age, _name_of(mention, document), _events_in(story, document, first + stated.start))
                of_clusters[mention.cluster].append(StatedValue(document.id, first + stated.start, text, value))
    for cluster, ages in of_clusters.items():
        yield from story.contradictions("age", entities[cluster], "", ages, _are_other_ages, comparable)


def _are_other_ages(one: StatedValue, other: StatedValue) -> bool:
    return bool(one.value.age != other.value.age)


def _are_other_names(one: StatedValue, other: StatedValue) -> bool:
    return bool(one.value.words != other.value.words)


def _sentences(story: StoryContext) -> Iterator[tuple[Document, int, int]]:
    """The sentences behind their datelines, but for hidden ones: first token and end."""
    for document in story.written.values():
        for number, (first, end) in enumerate(document.sentences):
            if number not in document.hidden:
                yield document, first + dateline_end(document.tokens[first:end]), end


def _entity_at(story: StoryContext, document: Document, tokens: Sequence[int]) -> Mention | None:
    mentions = [mention for mention in story.by_document[document.id] if mention.kind == ENTITY]
    return next((mention for token in tokens for mention in mentions if token in mention.tokens), None)


def _name_of(mention: Mention, document: Document) -> frozenset[str]:
    """The words of a name in lower case; of another mention none."""
    words = (document.tokens[token] for token in mention.tokens)
    return frozenset(word.casefold() for word in words if word[:1].isupper() and not is_common_word(word.casefold()))


def _events_in(story: StoryContext, document: Document, token: int) -> frozenset[str]:
    """The clusters of the events of a sentence that several documents report."""
    first, end = document.sentence_at(token)
    return frozenset(
        mention.cluster
        for mention in story.by_document[document.id]
        if mention.cluster is not None
        and mention.cluster in story.shared_events
        and first <= mention.start < end
        and mention.kind != ENTITY
    )


def _name(document: Document, first: int, last: int, start: int, end: int) -> StatedValue:
    """A name between two tokens of a sentence, which are counted from its first."""
    words = document.tokens[first:last]
    figures = frozenset(word for word in words if _FIGURES.fullmatch(word))
    others = frozenset(word.casefold() for a, b in full_names(words, 1) if a != start for word in words[a:b])
    value = _Name(tuple(word.casefold() for word in words[start:end]), figures, others)
    return StatedValue(document.id, first + start, document.passage(first + start, first + end), value)


def _are_of_one_person(story: StoryContext, one: StatedValue, other: StatedValue, *, sides: bool) -> bool:
    """Whether two names are of one person whom somebody got wrong, or of one side of a match."""
    first, second = one.value.words, other.value.words
    mine, theirs = set(first) - set(second), set(second) - set(first)
    if not mine or not theirs or mine & story.words[other.document] or theirs & story.words[one.document]:
        return False
    if not story.of_one_happening(one.document, other.document):
        return False
    if len(first) == len(second) == _FULL and mine.isdisjoint(theirs):
        if first[1] == second[1]:
            return different_names(first, second) or _other_first_name(first[0], second[0])
        if first[0] == second[0]:
            return _is_misspelt(first[1], second[1])
    return (
        sides
        and set(first).isdisjoint(second)
        and bool(one.value.figures & other.value.figures)
        and bool(one.value.others & other.value.others)
    )


def _other_first_name(one: str, other: str) -> bool:
    """Whether two first names with one initial are no spellings of one name, nor one short for the other."""
    if (
        min(len(one), len(other)) < _SHORTEST_MISSPELT
        or one[:_SHORTEST_MISSPELT] == other[:_SHORTEST_MISSPELT]
        or are_forms_of_one_name(one, other)
    ):
        return False
    return _distance(one, other) > _MOST_LETTERS


def _is_misspelt(one: str, other: str) -> bool:
    """Whether two surnames differ in a letter or two, and neither begins with the other."""
    if min(len(one), len(other)) < _SHORTEST_MISSPELT or one.startswith(other) or other.startswith(one):
        return False
    return _distance(one, other) <= _MOST_LETTERS


def _distance(one: str, other: str) -> int:
    """The number of letters to insert, leave out or replace."""
    row = list(range(len(other) + 1))
    for place, letter in enumerate(one, 1):
        before, row[0] = row[0], place
        for column, theirs in enumerate(other, 1):
            before, row[column] = row[column], min(row[column] + 1, row[column - 1] + 1, before + (letter != theirs))
    return row[-1]

"""Where documents contradict each other about people: mentions in clusters in, ages and names that differ out.

Ages are compared if they are stated beside mentions of one cluster, which share a name or are named beside one event.
Names are compared in one plain role of one event, and in one office, if they differ as those of one person do whom
somebody got wrong ("Marek Dolny", "Pawel Dolny"; "Ida Rohm", "Ida Rahm"). Two teams are if the other one, and a number
such as the score, are the same. A document that has the words of both contradicts none.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from cdcoref.circumstances import ages_in, dateline_end, day_of, full_names, offices_in, roles_of
from cdcoref.corpus import ENTITY, Corpus, Document, Mention
from cdcoref.facts import Period
from cdcoref.language import are_forms_of_one_name, different_names, in_sentence_case, is_common_word
from cdcoref.reports.contradictions import SHARED_EVENTS, Contradiction, StatedValue

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


@dataclass(frozen=True, slots=True)
class _Named:
    """A name in a role: its words in lower case, and the numbers and other names of its sentence."""

    where: StatedValue
    words: tuple[str, ...]
    figures: frozenset[str]
    others: frozenset[str]


class ContradictedPeople:
    """Contradictions about ages and names in the documents of a story.

    Parameters
    ----------
    corpus
        Documents, mentions and the names of their clusters.
    order
        The ids of the documents, in the order of the story.
    events
        The mentions of the events to look at, by the names of their clusters.
    shared
        By document, the clusters of all its events.
    """

    def __init__(
        self,
        corpus: Corpus,
        order: Sequence[str],
        events: Mapping[str, Sequence[Mention]],
        shared: Mapping[str, set[str]],
    ) -> None:
        self._documents = {document.id: in_sentence_case(document) for document in corpus.documents}
        self._order = order
        self._events = events
        self._shared = shared
        self._by_document = corpus.by_document()
        self._entities = {m[0].cluster: tuple(m) for m in corpus.clusters() if m[0].kind == ENTITY}

    def ages(self) -> Iterator[Contradiction]:
        """Ages of one person that differ."""
        of_clusters: defaultdict[str, defaultdict[str, list[tuple[int, Mention, StatedValue]]]] = defaultdict(
            lambda: defaultdict(list)
        )
        for name in self._order:
            document = self._documents[name]
            for first, end in _sentences(document):
                for stated in ages_in(document.tokens[first:end]):
                    mention = self._entity_at(name, first, stated.holders)
                    if mention is not None and mention.cluster is not None:
                        value = document.passage(first + stated.start, first + stated.end)
                        where = StatedValue(name, first + stated.start, value)
                        of_clusters[mention.cluster][name].append((stated.age, mention, where))
        for cluster, of_documents in of_clusters.items():
            single = [own for own in of_documents.values() if len({age for age, _, _ in own}) == 1]
            if any(self._ages_differ(one[0], other[0]) for one, other in combinations(single, 2)):
                first_of_value = {own[0][0]: own[0] for own in reversed(single)}
                kept = sorted(first_of_value.values(), key=lambda one: self._rank[one[2].document])
                yield Contradiction("age", self._entities[cluster], "", tuple(where for _, _, where in kept))

    def names(self) -> Iterator[Contradiction]:
        """Names in one role of an event, or in one office, that differ."""
        for members in self._events.values():
            of_roles: defaultdict[str, list[_Named]] = defaultdict(list)
            for mention in members:
                document = self._documents[mention.document]
                first, end = document.sentence_at(mention.start)
                first += dateline_end(document.tokens[first:end])
                span = (mention.start - first, mention.end - first)
                for one in roles_of(span, document.tokens[first:end]):
                    of_roles[one.role].append(self._name_of_person(document, first, end, one.start, one.end))
            for role, stated in of_roles.items():
                yield from self._contradicted(stated, tuple(members), "", sides=role in _SIDES)
        of_offices: defaultdict[str, list[_Named]] = defaultdict(list)
        for name in self._order:
            document = self._documents[name]
            for first, end in _sentences(document):
                for one in offices_in(document.tokens[first:end]):
                    of_offices[one.role].append(self._name_of_person(document, first, end, one.start, one.end))
        for office, stated in of_offices.items():
            yield from self._contradicted(stated, (), office)

    @cached_property
    def _rank(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self._order)}

    @cached_property
    def _words(self) -> dict[str, frozenset[str]]:
        """The words of every document, in lower case, without possessives."""
        return {
            name: frozenset(re.sub(r"['’]s?$", "", word.casefold()) for word in document.tokens)
            for name, document in self._documents.items()
        }

    @cached_property
    def _days(self) -> dict[str, Period | None]:
        return {name: day_of(document) for name, document in self._documents.items()}

    def _entity_at(self, name: str, first: int, holders: Sequence[int]) -> Mention | None:
        for holder in holders:
            for mention in self._by_document[name]:
                if mention.kind == ENTITY and first + holder in mention.tokens:
                    return mention
        return None

    def _ages_differ(self, one: tuple[int, Mention, StatedValue], other: tuple[int, Mention, StatedValue]) -> bool:
        """Whether two ages contradict each other, whatever time passed between the documents."""
        gap = abs(one[0] - other[0])
        days = [self._days[own[2].document] for own in (one, other)]
        if days[0] is not None and days[1] is not None:
            passed = days[0].gap(days[1])
            gap -= passed // _DAYS_OF_YEAR + (passed >= _BIRTHDAY)
        names = [self._name_of(own[1]) for own in (one, other)]
        if names[0] and names[1]:
            return gap > 0 and bool(names[0] & names[1])
        return gap > 0 and bool(self._events_beside(one[2]) & self._events_beside(other[2]))

    def _name_of(self, mention: Mention) -> frozenset[str]:
        """The words of a name in lower case; of another mention none."""
        words = [self._documents[mention.document].tokens[token] for token in mention.tokens]
        return frozenset(
            word.casefold() for word in words if word[:1].isupper() and not is_common_word(word.casefold())
        )

    def _events_beside(self, where: StatedValue) -> set[str]:
        """The clusters of the events of a sentence that several documents report."""
        first, end = self._documents[where.document].sentence_at(where.token)
        return {
            mention.cluster
            for mention in self._by_document[where.document]
            if mention.cluster is not None
            and mention.cluster in self._events
            and first <= mention.start < end
            and mention.kind != ENTITY
        }

    def _name_of_person(self, document: Document, first: int, last: int, start: int, end: int) -> _Named:
        tokens = document.tokens
        name = tuple(word.casefold() for word in tokens[first + start : first + end])
        words = tokens[first:last]
        figures = frozenset(word for word in words if _FIGURES.fullmatch(word))
        others = {word.casefold() for a, b in full_names(words, 1) if a != start for word in words[a:b]}
        where = StatedValue(document.id, first + start, document.passage(first + start, first + end))
        return _Named(where, name, figures, frozenset(others))

    def _contradicted(
        self, stated: Sequence[_Named], members: tuple[Mention, ...], label: str, *, sides: bool = False
    ) -> Iterator[Contradiction]:
        of_documents: defaultdict[str, dict[tuple[str, ...], _Named]] = defaultdict(dict)
        for one in stated:
            of_documents[one.where.document].setdefault(one.words, one)
        single = [next(iter(own.values())) for own in of_documents.values() if len(own) == 1]
        found: dict[tuple[str, ...], _Named] = {}
        for one, other in combinations(single, 2):
            if self._names_contradict(one, other, sides=sides):
                found.setdefault(one.words, one)
                found.setdefault(other.words, other)
        if found:
            kept = sorted((one.where for one in found.values()), key=lambda where: self._rank[where.document])
            yield Contradiction("name", members, label, tuple(kept))

    def _names_contradict(self, one: _Named, other: _Named, *, sides: bool) -> bool:
        mine, theirs = set(one.words) - set(other.words), set(other.words) - set(one.words)
        documents = one.where.document, other.where.document
        if not mine or not theirs or mine & self._words[documents[1]] or theirs & self._words[documents[0]]:
            return False
        if len(self._shared[documents[0]] & self._shared[documents[1]]) < SHARED_EVENTS:
            return False
        if len(one.words) == len(other.words) == _FULL and mine.isdisjoint(theirs):
            if one.words[1] == other.words[1]:
                return different_names(one.words, other.words) or _other_first_name(one.words[0], other.words[0])
            if one.words[0] == other.words[0]:
                return _is_misspelt(one.words[1], other.words[1])
        return (
            sides
            and set(one.words).isdisjoint(other.words)
            and bool(one.figures & other.figures)
            and bool(one.others & other.others)
        )


def _sentences(document: Document) -> Iterator[tuple[int, int]]:
    """The sentences behind their datelines, but for hidden ones: first token and end."""
    for number, (first, end) in enumerate(document.sentences):
        if number not in document.hidden:
            yield first + dateline_end(document.tokens[first:end]), end


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

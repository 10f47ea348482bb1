"""Where documents contradict each other about numbers.

Numbers are of the same thing if they have one unit and are of one event, or state the same sort of relation: a price of
a purchase, the votes of a win, the years of a sentence. A document that states the value of another one too contradicts
nothing, nor do documents that each begin with a name that the other lacks: they are about two subjects.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import combinations

import numpy as np

from cdcoref.circumstances import PEOPLE, RELATIONS, Source, StatedQuantity, capitalised, dateline_end
from cdcoref.corpus import ENTITY, Document, Mention, mention_text
from cdcoref.facts import Period
from cdcoref.language import is_common_word, lemma, name_of, word_set
from cdcoref.reports.stated_values import Contradiction, StatedValue, StoryContext

_MOST_TIMES = 20
"""How many times as large one of two values of the same thing may be."""
_SCALE = re.compile(r"10+(?:\.0+)?")
_CHANGES = word_set("change decline decrease drop fall gain grow growth increase jump lose loss rise soar")
_SHORTEST_NOUN = 4
_LONG_TIMES = word_set("season career altogether")
_PRESENT = word_set("today tomorrow tonight")
_ENDS_SENTENCE = frozenset('.!?"”')
_LEGAL_FORMS = word_set(
    "the co corp corporation company inc incorporated ltd limited plc ag gmbh sa nv spa group and of"
)


def contradicted_numbers(story: StoryContext) -> Iterator[Contradiction]:
    """Quantities that differ, in the order in which they are first stated."""
    yield from _Numbers(story).contradictions()


class _Numbers:
    """The quantities of a story, and what they are of."""

    def __init__(self, story: StoryContext) -> None:
        self._story = story
        self._of_key: defaultdict[tuple[str, str, str], list[StatedQuantity]] = defaultdict(list)
        quantities = [
            (document, quantity)
            for document in story.documents.values()
            for quantity in story.known.quantities(document.id)
            if not quantity.elsewhere
        ]
        for document, quantity in quantities:
            self._of_key[document.id, *_key(quantity)].append(quantity)
        self._stated = [self._value(document, quantity) for document, quantity in quantities]
        self._named: dict[tuple[str, int], set[str | None]] = {}

    def contradictions(self) -> Iterator[Contradiction]:
        for group in _connected(len(self._stated), [*self._of_one_event(), *self._of_one_sort()]):
            values = [self._stated[number] for number in group]
            events = [event.cluster for value in values if (event := value.value.event) is not None and event.cluster]
            members: Sequence[Mention] = ()
            if events:
                members = self._story.events[Counter(events).most_common(1)[0][0]]
            label = "" if events else values[0].value.relation
            yield from self._story.contradictions("number", members, label, values, _differ, self._are_of_one_thing)

    def _value(self, document: Document, quantity: StatedQuantity) -> StatedValue:
        start, end = quantity.quantity.start, quantity.quantity.end
        others = self._of_key[document.id, *_key(quantity)]
        certain = not any(quantity.quantity.differs(other.quantity) for other in others)
        return StatedValue(document.id, start, document.passage(start, end), quantity, certain)

    def _of_one_event(self) -> Iterator[tuple[int, int]]:
        """Pairs of quantities of one unit whose events are one, by their numbers."""
        numbers: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
        main: set[tuple[str, str]] = set()
        for number, stated in enumerate(self._stated):
            quantity = stated.value
            unit = quantity.quantity.unit
            if quantity.event is not None and quantity.event.cluster is not None:
                main.add((unit, quantity.event.cluster))
            for event in (quantity.event, *quantity.further):
                if event is not None and event.cluster is not None:
                    numbers[unit, event.cluster].append(number)
        for unit, cluster in sorted(main):
            if self._story.tells(self._story.events[cluster]):
                pairs = combinations(numbers[unit, cluster], 2)
                yield from (pair for pair in pairs if self._may_be_about_one(*map(self._stated.__getitem__, pair)))

    def _of_one_sort(self) -> Iterator[tuple[int, int]]:
        """Pairs of quantities by which two documents about one happening state a relation of one sort."""
        by_key: defaultdict[tuple[str, str], defaultdict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        for number, stated in enumerate(self._stated):
            if stated.value.relation in RELATIONS and stated.value.quantity.unit != PEOPLE:
                by_key[_key(stated.value)][stated.document].append(number)
        for of_documents in by_key.values():
            single = [
                numbers[0]
                for numbers in of_documents.values()
                if not any(_differ(self._stated[a], self._stated[b]) for a, b in combinations(numbers, 2))
            ]
            for pair in combinations(single, 2):
                one, other = map(self._stated.__getitem__, pair)
                if self._may_be_of_one(one, other) and self._may_be_about_one(one, other):
                    yield pair

    def _may_be_of_one(self, one: StatedValue, other: StatedValue) -> bool:
        """Whether two documents are about one happening, and the events of their quantities may be one."""
        if not self._story.of_one_happening(one.document, other.document):
            return False
        if one.value.event is None or other.value.event is None:
            return True
        known = [self._story.known.of_mention(stated.value.event) for stated in (one, other)]
        days = [[when.period for when in own.when if when.source == Source.STATED] for own in known]
        places = [[where.place for where in own.where if where.source == Source.STATED] for own in known]
        return not any(a.gap(b) > 1 for a in days[0] for b in days[1]) and not any(
            a.excludes(b) for a in places[0] for b in places[1]
        )

    def _are_of_one_thing(self, one: StatedValue, other: StatedValue) -> bool:
        return (
            self._may_be_about_one(one, other)
            and not self._knows(one.document, other.value)
            and not self._knows(other.document, one.value)
        )

    def _knows(self, document: str, quantity: StatedQuantity) -> bool:
        """Whether a document states the value of another one too."""
        stated = self._of_key.get((document, *_key(quantity)), ())
        return any(not quantity.quantity.differs(other.quantity) for other in stated)

    def _may_be_about_one(self, one: StatedValue, other: StatedValue) -> bool:
        """Whether the sentences of two quantities name something in common, or one of them names nothing.

        Both are about two things if their documents have two subjects, and if each sentence is about its own day
        ("today") and these are two.
        """
        first, second = self._present_day(one), self._present_day(other)
        if (
            _is_of_other_size(one, other)
            or (first is not None and second is not None and first.gap(second) > 0)
            or self._is_about_long_time(one) != self._is_about_long_time(other)
            or self._lack_each(one, other, self._first_names[one.document], self._first_names[other.document])
            or self._change_of_two_things(one, other)
            or self._lack_each(one, other, self._names_before(one), self._names_before(other))
        ):
            return False
        mine, theirs = self._names_in_sentence(one), self._names_in_sentence(other)
        return not mine or not theirs or not mine.isdisjoint(theirs)

    def _change_of_two_things(self, one: StatedValue, other: StatedValue) -> bool:
        """Whether both are by how much something changed, and their sentences share no noun that says what."""
        if one.value.relation not in _CHANGES or one.value.quantity.unit != "%":
            return False
        return self._content_beside(one).isdisjoint(self._content_beside(other) - _CHANGES)

    def _content_beside(self, value: StatedValue) -> frozenset[str]:
        """The dictionary forms of the words of a sentence that are neither names nor short."""
        words = (word for word in self._words_beside(value) if len(word) >= _SHORTEST_NOUN)
        return frozenset(lemma(word) for word in words if word.isalpha() and is_common_word(word))

    def _words_beside(self, value: StatedValue) -> list[str]:
        """The words of a sentence, in lower case."""
        tokens = self._story.documents[value.document].tokens
        return [word.casefold() for word in tokens[slice(*self._story.sentence(value))]]

    def _lack_each(self, one: StatedValue, other: StatedValue, mine: frozenset[str], theirs: frozenset[str]) -> bool:
        """Whether each document lacks most words of a name of the other."""
        return self._lacks(one.document, theirs) and self._lacks(other.document, mine)

    def _lacks(self, document: str, name: frozenset[str]) -> bool:
        return bool(name) and 2 * len(name & self._story.words[document]) <= len(name)

    def _names_before(self, value: StatedValue) -> frozenset[str]:
        """The words of the names before a quantity in its sentence, in lower case."""
        words = self._story.written[value.document].tokens[self._story.sentence(value)[0] : value.token]
        names = (word.casefold() for start, end in capitalised(words) for word in words[start:end])
        return frozenset(word for word in names if not (is_common_word(word) or _is_legal_form(word)))

    @cached_property
    def _first_names(self) -> dict[str, frozenset[str]]:
        """The words of the first name in the sentences of each document, in lower case, without legal forms."""
        names = {id: map(_first_name, self._prose(document)) for id, document in self._story.documents.items()}
        return {id: next(filter(None, found), frozenset()) for id, found in names.items()}

    def _prose(self, document: Document) -> Iterator[Sequence[str]]:
        """The sentences of a document in sentence case behind their datelines, but for headlines."""
        written = self._story.written[document.id]
        for first, last in document.sentences:
            words = written.tokens[first:last]
            if words and words == document.tokens[first:last] and words[-1][-1:] in _ENDS_SENTENCE:
                yield words[dateline_end(words) :]

    def _is_about_long_time(self, value: StatedValue) -> bool:
        """Whether a sentence is about a whole season or the like."""
        return not _LONG_TIMES.isdisjoint(self._words_beside(value))

    def _present_day(self, value: StatedValue) -> Period | None:
        """The day of a document, if a quantity or its event is of "today" or "tomorrow"; otherwise None."""
        tokens = self._story.documents[value.document].tokens
        beside = set(self._words_beside(value))
        if value.value.event is not None:
            times = self._story.known.of_mention(value.value.event).when[:1]
            beside |= {tokens[token].casefold() for when in times for token in when.tokens}
        return None if _PRESENT.isdisjoint(beside) else self._story.known.setting(value.document).today

    def _names_in_sentence(self, value: StatedValue) -> set[str | None]:
        """The clusters of names in the sentence of a quantity."""
        start, end = self._story.sentence(value)
        if (value.document, start) not in self._named:
            self._named[value.document, start] = {
                mention.cluster
                for mention in self._story.by_document[value.document]
                if mention.kind == ENTITY and mention.cluster in self._names and start <= mention.start < end
            }
        return self._named[value.document, start]

    @cached_property
    def _names(self) -> set[str | None]:
        """The clusters of names that several documents mention."""
        return {
            members[0].cluster
            for members in self._story.corpus.clusters()
            if members[0].kind == ENTITY
            and len({mention.document for mention in members}) > 1
            and any(map(self._is_name, members))
        }

    def _is_name(self, mention: Mention) -> bool:
        words = mention_text(mention, self._story.documents[mention.document]).split()
        return not all(map(is_common_word, name_of(words)))


def _key(quantity: StatedQuantity) -> tuple[str, str]:
    """The sort of thing that something is counted of, and the unit or noun that is counted."""
    return quantity.relation, quantity.quantity.unit


def _differ(one: StatedValue, other: StatedValue) -> bool:
    return bool(one.value.quantity.differs(other.value.quantity))


def _is_of_other_size(one: StatedValue, other: StatedValue) -> bool:
    """Whether two values are too far apart to be of one thing, as a sum and a price for each share are.

    Not where only the scale differs ("2.1 million", "2.1 billion").
    """
    low, high = sorted((one.value.quantity.value, other.value.quantity.value))
    return bool(high > _MOST_TIMES * low and (low == 0 or not _SCALE.fullmatch(format(high / low, "f"))))


def _first_name(words: Sequence[str]) -> frozenset[str]:
    for start, end in capitalised(words):
        name = [word.casefold() for word in words[start:end]]
        kept = frozenset(word for word in name if not _is_legal_form(word))
        if kept and (end - start > 1 or not is_common_word(name[0])):
            return kept
    return frozenset()


def _is_legal_form(word: str) -> bool:
    return word.casefold().rstrip(".") in _LEGAL_FORMS


def _connected(size: int, links: Iterable[tuple[int, int]]) -> list[list[int]]:
    """The groups of numbers that pairs of them connect, with more than one number, by their first numbers."""
    from cdcoref.clustering import connected

    first, second = np.array([*links], dtype=np.int64).reshape(-1, 2).T
    groups: defaultdict[int, list[int]] = defaultdict(list)
    for number, group in enumerate(connected(size, first, second).tolist()):
        groups[group].append(number)
    return [group for group in groups.values() if len(group) > 1]

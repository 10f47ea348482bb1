"""Where documents contradict each other about numbers: mentions in clusters in, differing quantities out.

Numbers are of the same thing if they have one unit and are of one event, or state the same sort of relation: a price of
a purchase, the votes of a win, the years of a sentence. A document that states the value of another one too contradicts
nothing, nor do documents that each begin with a name that the other lacks: they are about two subjects.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from cdcoref.circumstances import PEOPLE, RELATIONS, Source, StatedQuantity, capitalised, dateline_end
from cdcoref.corpus import ENTITY, Corpus, Document, Mention, mention_text
from cdcoref.facts import Period
from cdcoref.language import in_sentence_case, is_common_word, lemma, name_of
from cdcoref.reports.cluster_circumstances import CorpusCircumstances
from cdcoref.reports.contradictions import SHARED_EVENTS, Contradiction, StatedValue

_MOST_TIMES = 20
"""How many times as large one of two values of the same thing may be."""
_SCALE = re.compile(r"10+(?:\.0+)?")
_CHANGES_WORDS = "change decline decrease drop fall gain grow growth increase jump lose loss rise soar"
_CHANGES = frozenset(_CHANGES_WORDS.split())
_SHORTEST_NOUN = 4
_LONG_TIMES = frozenset({"season", "career", "altogether"})
_PRESENT = frozenset({"today", "tomorrow", "tonight"})
_ENDS_SENTENCE = frozenset('.!?"”')
_LEGAL_FORMS_WORDS = "the co corp corporation company inc incorporated ltd limited plc ag gmbh sa nv spa group and of"
_LEGAL_FORMS = frozenset(_LEGAL_FORMS_WORDS.split())


@dataclass(frozen=True, slots=True)
class _Stated:
    """A quantity that a document states."""

    document: str
    stated: StatedQuantity

    @property
    def key(self) -> tuple[str, str]:
        """The unit or noun that is counted, and the sort of thing that it is counted of."""
        return self.stated.relation, self.stated.quantity.unit

    def contradicts(self, other: _Stated) -> bool:
        return self.stated.quantity.differs(other.stated.quantity)

    def is_of_other_size(self, other: _Stated) -> bool:
        """Whether two values are too far apart to be of one thing, as a sum and a price for each share are.

        Not where only the scale differs ("2.1 million", "2.1 billion").
        """
        low, high = sorted((self.stated.quantity.value, other.stated.quantity.value))
        return high > _MOST_TIMES * low and (low == 0 or not _SCALE.fullmatch(format(high / low, "f")))


class ContradictedNumbers:
    """Contradictions about quantities in the documents of a story, in the order in which they are first stated.

    Parameters
    ----------
    corpus
        Documents, mentions and the names of their clusters.
    order
        The ids of the documents, in the order of the story.
    known
        The circumstances of the mentions.
    events
        The mentions of every event, by the names of their clusters.
    shared
        By document, the clusters of all its events.
    tells
        Whether the words of an event's mentions tell something.
    """

    def __init__(
        self,
        corpus: Corpus,
        order: Sequence[str],
        known: CorpusCircumstances,
        events: Mapping[str, Sequence[Mention]],
        shared: Mapping[str, set[str]],
        tells: Callable[[Sequence[Mention]], bool],
    ) -> None:
        self._corpus = corpus
        self._documents = {document.id: document for document in corpus.documents}
        self._order = order
        self._known = known
        self._events = events
        self._shared = shared
        self._tells = tells
        self._by_document = corpus.by_document()
        self._named: dict[tuple[str, int], set[str | None]] = {}

    def __iter__(self) -> Iterator[Contradiction]:
        stated = [
            _Stated(name, one) for name in self._order for one in self._known.quantities(name) if not one.elsewhere
        ]
        of_documents: defaultdict[tuple[str, tuple[str, str]], list[_Stated]] = defaultdict(list)
        for one in stated:
            of_documents[one.document, one.key].append(one)
        found: list[tuple[int, Contradiction]] = []
        for places in _connected(len(stated), [*self._of_one_event(stated), *self._of_one_sort(stated)]):
            group = [stated[place] for place in places]
            if (difference := self._contradiction_of_group(group, of_documents)) is not None:
                found.append((places[0], difference))
        yield from (one for _, one in sorted(found, key=lambda pair: pair[0]))

    def _of_one_event(self, stated: Sequence[_Stated]) -> Iterator[tuple[int, int]]:
        """Pairs of quantities of one unit whose events are one, by their places."""
        places: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
        main: set[tuple[str, str]] = set()
        for place, one in enumerate(stated):
            unit = one.stated.quantity.unit
            if one.stated.event is not None and one.stated.event.cluster is not None:
                main.add((unit, one.stated.event.cluster))
                places[unit, one.stated.event.cluster].append(place)
            for event in one.stated.further:
                if event.cluster is not None:
                    places[unit, event.cluster].append(place)
        for key in sorted(main):
            if self._tells(self._events[key[1]]):
                yield from (
                    pair
                    for pair in combinations(places[key], 2)
                    if self._may_be_about_one(stated[pair[0]], stated[pair[1]])
                )

    def _of_one_sort(self, stated: Sequence[_Stated]) -> Iterator[tuple[int, int]]:
        """Pairs of quantities by which two documents about one happening state a relation of one sort."""
        by_key: defaultdict[tuple[str, str], defaultdict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        for place, one in enumerate(stated):
            if one.stated.relation in RELATIONS and one.stated.quantity.unit != PEOPLE:
                by_key[one.key][one.document].append(place)
        for of_documents in by_key.values():
            single = [
                places
                for places in of_documents.values()
                if not any(stated[one].contradicts(stated[other]) for one, other in combinations(places, 2))
            ]
            for mine, theirs in combinations(single, 2):
                one, other = stated[mine[0]], stated[theirs[0]]
                if self._may_be_of_one(one, other) and self._may_be_about_one(one, other):
                    yield mine[0], theirs[0]

    def _may_be_of_one(self, one: _Stated, other: _Stated) -> bool:
        """Whether two documents are about one happening, and nothing keeps apart the events of their quantities."""
        if len(self._shared[one.document] & self._shared[other.document]) < SHARED_EVENTS:
            return False
        if one.stated.event is None or other.stated.event is None:
            return True
        mine, theirs = (self._known.of_mention(event) for event in (one.stated.event, other.stated.event))
        days = [[w.period for w in own.when if w.source == Source.CLAUSE] for own in (mine, theirs)]
        places = [[w.place for w in own.where if w.source == Source.CLAUSE] for own in (mine, theirs)]
        return not any(a.gap(b) > 1 for a in days[0] for b in days[1]) and not any(
            a.excludes(b) for a in places[0] for b in places[1]
        )

    def _may_be_about_one(self, one: _Stated, other: _Stated) -> bool:
        """Whether the sentences of two quantities name something in common, or one of them names nothing.

        Both are about two things if their documents have two subjects, and if each sentence is about its own day
        ("today") and these are two.
        """
        if one.is_of_other_size(other) or self._are_of_two_days(one, other) or self._is_sum_of_one(one, other):
            return False
        if self._have_two_subjects(one.document, other.document) or self._change_of_two_things(one, other):
            return False
        if self._lack_each(one.document, other.document, self._names_before(one), self._names_before(other)):
            return False
        mine, theirs = self._names_in_sentence(one), self._names_in_sentence(other)
        return not mine or not theirs or not mine.isdisjoint(theirs)

    def _change_of_two_things(self, one: _Stated, other: _Stated) -> bool:
        """Whether both are by how much something changed, and their sentences share no noun that says what."""
        if one.stated.relation not in _CHANGES or one.stated.quantity.unit != "%":
            return False
        return self._content_beside(one).isdisjoint(self._content_beside(other) - _CHANGES)

    def _content_beside(self, one: _Stated) -> frozenset[str]:
        """The dictionary forms of the words of a sentence that are neither names nor short."""
        document = self._documents[one.document]
        start, end = document.sentence_at(one.stated.quantity.start)
        words = (word.casefold() for word in document.tokens[start:end] if len(word) >= _SHORTEST_NOUN)
        return frozenset(lemma(word) for word in words if word.isalpha() and is_common_word(word))

    def _have_two_subjects(self, one: str, other: str) -> bool:
        """Whether each of two documents begins with a name that the other lacks."""
        return self._lack_each(one, other, self._first_names[one], self._first_names[other])

    def _lack_each(self, one: str, other: str, mine: frozenset[str], theirs: frozenset[str]) -> bool:
        return self._lacks(one, theirs) and self._lacks(other, mine)

    def _names_before(self, one: _Stated) -> frozenset[str]:
        """The words of the names before a quantity in its sentence, in lower case."""
        document = self._written[one.document]
        start, _ = document.sentence_at(one.stated.quantity.start)
        words = document.tokens[start : one.stated.quantity.start]
        names = (name for first, end in capitalised(words) for name in words[first:end])
        return frozenset(
            name.casefold() for name in names if not (is_common_word(name.casefold()) or _is_legal_form(name))
        )

    @cached_property
    def _written(self) -> dict[str, Document]:
        """The documents in sentence case."""
        return {id: in_sentence_case(document) for id, document in self._documents.items()}

    @cached_property
    def _words(self) -> dict[str, frozenset[str]]:
        """The words of every document, in lower case."""
        return {id: frozenset(map(str.casefold, document.tokens)) for id, document in self._documents.items()}

    @cached_property
    def _first_names(self) -> dict[str, frozenset[str]]:
        """The words of the first name in the sentences of each document, in lower case, without legal forms."""
        names = {id: map(self._name_in, self._prose(document)) for id, document in self._documents.items()}
        return {id: next(filter(None, own), frozenset()) for id, own in names.items()}

    def _lacks(self, document: str, name: frozenset[str]) -> bool:
        return bool(name) and 2 * len(name & self._words[document]) <= len(name)

    def _prose(self, document: Document) -> Iterator[Sequence[str]]:
        """The sentences of a document in sentence case behind their datelines, but for headlines."""
        written = self._written[document.id]
        for first, last in document.sentences:
            words = written.tokens[first:last]
            if words and words == document.tokens[first:last] and words[-1][-1:] in _ENDS_SENTENCE:
                yield words[dateline_end(words) :]

    def _name_in(self, words: Sequence[str]) -> frozenset[str]:
        for start, end in capitalised(words):
            name = [word.casefold() for word in words[start:end]]
            if end - start == 1 and is_common_word(name[0]):
                continue
            if kept := [word for word in name if not _is_legal_form(word)]:
                return frozenset(kept)
        return frozenset()

    def _are_of_two_days(self, one: _Stated, other: _Stated) -> bool:
        mine, theirs = self._present_day(one), self._present_day(other)
        return mine is not None and theirs is not None and mine.gap(theirs) > 0

    def _is_sum_of_one(self, one: _Stated, other: _Stated) -> bool:
        """Whether one of two sentences alone is about a whole season or the like."""
        return self._tells_of_all(one) != self._tells_of_all(other)

    def _tells_of_all(self, one: _Stated) -> bool:
        document = self._documents[one.document]
        words = document.tokens[slice(*document.sentence_at(one.stated.quantity.start))]
        return not _LONG_TIMES.isdisjoint(map(str.casefold, words))

    def _present_day(self, one: _Stated) -> Period | None:
        """The day of a document, if a quantity or its event is of "today" or "tomorrow"; otherwise None."""
        document = self._documents[one.document]
        beside = list(range(*document.sentence_at(one.stated.quantity.start)))
        if one.stated.event is not None:
            beside += [token for when in self._known.of_mention(one.stated.event).when[:1] for token in when.tokens]
        named = not _PRESENT.isdisjoint(document.tokens[token].casefold() for token in beside)
        return self._known.setting(one.document).today if named else None

    def _names_in_sentence(self, one: _Stated) -> set[str | None]:
        """The clusters of names in the sentence of a quantity."""
        start, end = self._documents[one.document].sentence_at(one.stated.quantity.start)
        if (one.document, start) not in self._named:
            self._named[one.document, start] = {
                mention.cluster
                for mention in self._by_document[one.document]
                if mention.kind == ENTITY and mention.cluster in self._names and start <= mention.start < end
            }
        return self._named[one.document, start]

    @cached_property
    def _names(self) -> set[str | None]:
        """The clusters of names that several documents mention."""
        return {
            members[0].cluster
            for members in self._corpus.clusters()
            if members[0].kind == ENTITY
            and len({m.document for m in members}) > 1
            and any(self._is_name(m) for m in members)
        }

    def _is_name(self, mention: Mention) -> bool:
        words = mention_text(mention, self._documents[mention.document]).split()
        return not all(map(is_common_word, name_of(words)))

    def _contradiction_of_group(
        self, group: Sequence[_Stated], of_documents: Mapping[tuple[str, tuple[str, str]], Sequence[_Stated]]
    ) -> Contradiction | None:
        def knows(document: str, other: _Stated) -> bool:
            return any(not one.contradicts(other) for one in of_documents.get((document, other.key), ()))

        def states_another(one: _Stated) -> bool:
            return any(one.contradicts(other) for other in of_documents[one.document, one.key])

        in_group: defaultdict[str, list[_Stated]] = defaultdict(list)
        for one in group:
            in_group[one.document].append(one)
        # A document that states several values states them of several things.
        single = {
            document
            for document, own in in_group.items()
            if not any(one.contradicts(other) for one, other in combinations(own, 2))
        }
        group = [one for one in group if one.document in single]
        in_group = defaultdict(list, {document: own for document, own in in_group.items() if document in single})
        apart = (
            [one, other]
            for mine, theirs in combinations(in_group.values(), 2)
            for one in mine
            for other in theirs
            if all(a.contradicts(b) for a in mine for b in theirs) and self._may_be_about_one(one, other)
            if one.contradicts(other) and not knows(mine[0].document, other) and not knows(theirs[0].document, one)
        )
        pair = next(apart, None)
        if pair is None:
            return None
        # Each value in the words of a document that contradicts itself in nothing, if there is one.
        values = self._apart(sorted(group, key=states_another))
        if len(values) < 2:  # the first is about something else than those that contradict each other
            values = pair
        kept = tuple(map(self._in_words, sorted(values, key=group.index)))
        events = [own.stated.event for own in group if own.stated.event is not None and own.stated.event.cluster]
        if not events:
            return Contradiction("number", (), group[0].stated.relation, kept)
        cluster = Counter(event.cluster for event in events).most_common(1)[0][0]
        assert cluster is not None
        return Contradiction("number", tuple(self._events[cluster]), "", kept)

    def _apart(self, group: Iterable[_Stated]) -> list[_Stated]:
        """Those that contradict all before them, about one thing."""
        values: list[_Stated] = []
        for one in group:
            if all(one.contradicts(other) and self._may_be_about_one(one, other) for other in values):
                values.append(one)
        return values

    def _in_words(self, one: _Stated) -> StatedValue:
        start, end = one.stated.quantity.start, one.stated.quantity.end
        return StatedValue(one.document, start, self._documents[one.document].passage(start, end))


def _is_legal_form(word: str) -> bool:
    return word.casefold().rstrip(".") in _LEGAL_FORMS


def _connected(size: int, links: Iterable[tuple[int, int]]) -> list[list[int]]:
    """The groups of numbers that pairs of them connect, with more than one number."""
    from cdcoref.clustering import connected

    first, second = np.array([*links], dtype=np.int64).reshape(-1, 2).T
    groups: defaultdict[int, list[int]] = defaultdict(list)
    for number, group in enumerate(connected(size, first, second).tolist()):
        groups[group].append(number)
    return [group for group in groups.values() if len(group) > 1]

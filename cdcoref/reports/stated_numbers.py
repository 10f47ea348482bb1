"""What documents state about one quantity (one unit, and one event or sort of relation): what changes from one day of
reports to another is numbers over time; what differs on one day, or is settled, contradicts."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from cdcoref.circumstances import PEOPLE, StatedQuantity
from cdcoref.corpus import Mention
from cdcoref.facts import Period, clause_of
from cdcoref.language import is_common_word, is_date_name
from cdcoref.reports.stated_values import Disagreement, StatedValue, Statement, StoryContext
from cdcoref.word_tables import words_in

_MOST_TIMES = 20
"""How many times as large one of two values of the same thing may be."""
_MONTH = 31
"""Values are not compared if their events are at least this number of days apart."""
_PART = 2
"""If the largest value of a document is at least this multiple of another, the other may count only a part."""
_SCALE = re.compile(r"10+(?:\.0+)?")
_ROUGH = words_in("beside_quantities.tsv", "rough") | words_in("beside_quantities.tsv", "approximate")
_LEGAL_FORMS = words_in("legal_forms.tsv")


@dataclass(frozen=True, slots=True)
class NumberReport:
    """A value of a quantity, and who reports it.

    `value`: in words ("about 900"). `number`: as a plain decimal. `day`: of the first document that states it.
    `speaker`: whom it names as its source; may be empty. `corrected`: whether it corrects the value before.
    `documents`: all that state it, in the order of the story. `sentence`: that of the first.
    """

    value: str
    number: str
    day: Period | None
    speaker: str
    corrected: bool
    documents: tuple[str, ...]
    sentence: str

    def __str__(self) -> str:
        """``15 (8 July 2024: corrected; the coroner)``."""
        notes = "; ".join(filter(None, ("corrected" if self.corrected else "", self.speaker)))
        known = ": ".join(filter(None, ("" if self.day is None else self.day.shown(), notes)))
        return f"{self.value} ({known})" if known else self.value


@dataclass(frozen=True, slots=True)
class NumberLine:
    """A quantity, such as the people killed, with its values in the order in which documents report them.

    `label`: what is counted. `unit`: its unit, or the sign of a currency. `cluster`: the event's, if it is a mention.
    """

    label: str
    unit: str
    cluster: str | None
    reports: tuple[NumberReport, ...]

    def __str__(self) -> str:
        return ", ".join(map(str, self.reports))


class StoryNumbers:
    """The quantities of a story, and what they are of."""

    def __init__(self, story: StoryContext) -> None:
        self._story = story
        self._of_key: defaultdict[tuple[str, str, str], list[StatedQuantity]] = defaultdict(list)
        self._superseded: set[tuple[str, str, str, str]] = set()
        quantities: list[tuple[str, StatedQuantity]] = []
        for id in story.documents:
            for quantity in story.known.quantities(id):
                if quantity.superseded:
                    self._superseded.add((id, *_key(quantity), str(quantity.value)))
                elif not quantity.elsewhere:
                    quantities.append((id, quantity))
                    self._of_key[id, *_key(quantity)].append(quantity)
        self._stated = [
            StatedValue(
                id,
                quantity.start,
                story.documents[id].passage(quantity.start, quantity.end),
                quantity,
                not any(map(quantity.differs, self._of_key[id, *_key(quantity)])),
            )
            for id, quantity in quantities
        ]
        self._units: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        for stated in self._stated:
            self._units[stated.document, stated.value.relation].add(stated.value.unit)
        self._days = {id: story.known.setting(id).today for id in story.documents}

    def contradictions(self) -> Iterator[Disagreement]:
        """Quantities that differ, in the order in which they are first stated."""
        for group in self._groups():
            members = self._members(group)
            label = "" if members else group[0].value.relation
            compared = self._story.contradictions("number", members, label, group, _differ, self._are_of_one_thing)
            found = list(compared) or list(self._within_documents(members, label, group))
            yield from found[:1]

    def _within_documents(
        self, members: Sequence[Mention], label: str, group: Sequence[StatedValue]
    ) -> Iterator[Disagreement]:
        """What the speakers in one document state differently ("400 jobs, the company said; 650, the union")."""
        for values in self._by_document(group):
            rivals = _rivals(values)
            rivals = [one for n, one in enumerate(rivals) if all(_differ(one, other) for other in rivals[:n])]
            if len(rivals) > 1 and all(self._may_be_about_one(rivals[0], other) for other in rivals[1:]):
                document = self._story.documents[rivals[0].document]
                statements = (Statement(one.document, one.text, document.sentence_text(one.token)) for one in rivals)
                cluster = members[0].cluster if members else None
                label = label or self._story.known.name(members[0])
                yield Disagreement(cluster, label, "number", tuple(statements))

    def _by_document(self, group: Sequence[StatedValue]) -> list[list[StatedValue]]:
        found: defaultdict[str, list[StatedValue]] = defaultdict(list)
        for value in sorted(group, key=lambda one: (self._story.rank[one.document], one.token)):
            found[value.document].append(value)
        return list(found.values())

    def lines(self) -> Iterator[NumberLine]:
        """The quantities for which several documents state different values, in the order of their first statement."""
        for group in self._groups():
            if group[0].value.is_settled or len({value.document for value in group}) < 2:
                continue
            reports: list[NumberReport] = []
            last: StatedValue | None = None
            for values in self._by_document(group):
                value = _main_value(values, last.value.speaker if last else "")
                if last is not None and not last.value.differs(replace(value.value, unit=last.value.unit)):
                    reports[-1] = self._report(last, reports[-1].corrected, (*reports[-1].documents, value.document))
                    continue
                reports.append(self._report(value, last is not None and self._corrects(value, last), (value.document,)))
                last = value
            days = {str(report.day) for report in reports if report.day is not None}
            if len(days) > 1:
                members = self._members(group)
                label = Counter(value.value.label for value in group).most_common(1)[0][0]
                yield NumberLine(label, group[0].value.unit, members[0].cluster if members else None, tuple(reports))

    def _report(self, value: StatedValue, corrected: bool, documents: tuple[str, ...]) -> NumberReport:
        document, quantity = self._story.documents[value.document], value.value
        shown = value.text if quantity.unit[:1] in "$€£" else f"{quantity.value:,f}"
        start = value.token
        while quantity.rough and start and document.tokens[start - 1].casefold() in _ROUGH:
            start -= 1
        return NumberReport(
            " ".join((*(word.casefold() for word in document.tokens[start : value.token]), shown)),
            f"{quantity.value:f}",
            self._days[value.document],
            value.value.speaker,
            corrected,
            documents,
            document.sentence_text(value.token),
        )

    def _corrects(self, value: StatedValue, last: StatedValue) -> bool:
        stated, before = value.value, last.value
        superseded = (value.document, *_key(stated), str(before.value)) in self._superseded
        falls = self._are_of_two_days(value, last) and stated.value < before.value
        return superseded or stated.corrects or (stated.grows and falls)

    def _members(self, group: Sequence[StatedValue]) -> Sequence[Mention]:
        """The mentions of the event that most quantities of a group are of."""
        events = [event.cluster for value in group if (event := value.value.event) is not None and event.cluster]
        return self._story.events[Counter(events).most_common(1)[0][0]] if events else ()

    def _groups(self) -> list[list[StatedValue]]:
        """The values that pairs of them connect, if several, by the first of each group."""
        from cdcoref.clustering import connected

        pairs = np.array([*self._of_one_event(), *self._of_one_sort()], dtype=np.int64).reshape(-1, 2)
        groups: defaultdict[int, list[StatedValue]] = defaultdict(list)
        for value, group in zip(self._stated, connected(len(self._stated), *pairs.T).tolist(), strict=True):
            groups[group].append(value)
        return [group for group in groups.values() if len(group) > 1]

    def _of_one_event(self) -> Iterator[tuple[int, int]]:
        """Pairs of quantities of one unit whose events are one, by their numbers."""
        numbers: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
        main: set[tuple[str, str]] = set()
        for number, stated in enumerate(self._stated):
            quantity = stated.value
            for unit in {quantity.unit, self._sort_of(stated)[1]}:
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
            if stated.value.has_name or stated.value.unit[:1].isalpha():
                by_key[self._sort_of(stated)][stated.document].append(number)
        for of_documents in by_key.values():
            single = [
                number
                for numbers in of_documents.values()
                for number in self._of_whole(numbers)
                if not self._stated[numbers[0]].value.is_settled
                or not any(_differ(self._stated[a], self._stated[b]) for a, b in combinations(numbers, 2))
            ]
            for pair in combinations(single, 2):
                one, other = map(self._stated.__getitem__, pair)
                if self._may_be_of_one(one, other) and self._may_be_about_one(one, other):
                    yield pair

    def _sort_of(self, stated: StatedValue) -> tuple[str, str]:
        """The relation and the unit of a quantity; one unit for all people that a document counts in one relation."""
        relation, unit = _key(stated.value)
        is_whole = stated.value.counts_people and len(self._units[stated.document, relation]) == 1
        return relation, PEOPLE if is_whole else unit  # "seven workers were hurt"; not "two of them officers"

    def _of_whole(self, numbers: Sequence[int]) -> list[int]:
        """The largest quantity of a document, and rival quantities from its other speakers."""
        rivals = _rivals([self._stated[number] for number in numbers])
        largest = max(numbers, key=lambda number: self._stated[number].value.value)
        return sorted({largest, *(number for number in numbers if len(rivals) > 1 and self._stated[number] in rivals)})

    def _may_be_of_one(self, one: StatedValue, other: StatedValue) -> bool:
        """Whether two documents are about one happening, and the events of their quantities may be one."""
        if not self._story.of_one_happening(one.document, other.document):
            mine, theirs = (self._story.known.of_document(value.document).where for value in (one, other))
            if mine is None or theirs is None or mine.place.name != theirs.place.name:
                return False
        if one.value.event is None or other.value.event is None:
            return True
        days = [self._story.known.of(event).when for event in (one.value.event, other.value.event)]
        if days[0] is not None and days[1] is not None and days[0].period.gap(days[1].period) >= _MONTH:
            return False
        words = {self._story.documents[value.document].tokens[value.value.event.start] for value in (one, other)}
        first, second = (
            {event.cluster for event in value.value.further if len(self._story.events.get(event.cluster or "", ())) > 1}
            for value in (one, other)
        )
        # "the blaze burned 4,700 hectares", "the blaze burned 1,200", and the two are two fires
        return not (len(words) == 1 and first and second and first.isdisjoint(second))

    def _are_of_one_thing(self, one: StatedValue, other: StatedValue) -> bool:
        return (
            (one.value.is_settled or not self._are_of_two_days(one, other))
            and self._may_be_about_one(one, other)
            and not self._knows(one.document, other.value)
            and not self._knows(other.document, one.value)
        )

    def _are_of_two_days(self, one: StatedValue, other: StatedValue) -> bool:
        first, second = self._days[one.document], self._days[other.document]
        return first is not None and second is not None and first.gap(second) > 0

    def _knows(self, document: str, quantity: StatedQuantity) -> bool:
        """Whether a document states, or denies, the value of another one too."""
        stated = self._of_key.get((document, *_key(quantity)), ())
        denied = (document, *_key(quantity), str(quantity.value)) in self._superseded
        return denied or any(not quantity.differs(other) for other in stated)

    def _may_be_about_one(self, one: StatedValue, other: StatedValue) -> bool:
        """Whether two values are not too far from each other, and their documents have a name of both sentences."""
        if one.value.counts_people and other.value.counts_people and one.value.relation != other.value.relation:
            return False  # the dead and the infected of one outbreak
        mine, theirs = self._names_in_clause(one), self._names_in_clause(other)
        return not _is_of_other_size(one, other) and not (
            self._lacks(one.document, theirs) and self._lacks(other.document, mine)
        )

    def _lacks(self, document: str, names: frozenset[str]) -> bool:
        return bool(names) and 2 * len(names & self._story.words[document]) <= len(names)

    def _names_in_clause(self, value: StatedValue) -> frozenset[str]:
        """The words of the names in the clause of a quantity, in lower case."""
        parse, document = self._story.known.readings[value.document].parse, self._story.written[value.document]
        clause = clause_of(parse, value.token)  # not that of who says so
        tokens = (n for n in range(*document.sentence_at(value.token)) if clause_of(parse, n) == clause)
        written = (document.tokens[n] for n in tokens if parse.parts[n] == "PROPN")
        names = (word.casefold() for word in written if not is_date_name(word))
        return frozenset(word for word in names if not is_common_word(word) and word.rstrip(".") not in _LEGAL_FORMS)


def _main_value(values: Sequence[StatedValue], speaker: str) -> StatedValue:
    """The value that a line shows for a document: of rival values that of `speaker`, or the first; else the largest."""
    rivals = _rivals(values)
    of_speaker = [value for value in rivals if value.value.speaker == speaker]
    if len(rivals) > 1:
        return (of_speaker or rivals)[0]
    return max(values, key=lambda one: (one.value.value, bool(one.value.speaker)))


def _rivals(values: Sequence[StatedValue]) -> list[StatedValue]:
    """The largest value of each speaker in a document, without those that may count only a part of the largest of all;
    none if nobody is named for that one."""
    ordered = sorted(values, key=lambda one: (one.value.value, bool(one.value.speaker)))
    if not ordered or not ordered[-1].value.speaker:
        return []
    said = {value.value.speaker: value for value in ordered if value.value.speaker}
    rivals = [value for value in said.values() if _PART * value.value.value > ordered[-1].value.value]
    return sorted(rivals, key=lambda one: one.token)


def _key(quantity: StatedQuantity) -> tuple[str, str]:
    """The sort of thing that something is counted of, and the unit or noun that is counted."""
    return quantity.relation, quantity.unit


def _differ(one: StatedValue, other: StatedValue) -> bool:
    return bool(one.value.differs(other.value))


def _is_of_other_size(one: StatedValue, other: StatedValue) -> bool:
    """Whether two values are too far apart to be of one thing, unless by their scale ("2.1 million", "2.1 billion")."""
    low, high = sorted((one.value.value, other.value.value))
    return bool(high > _MOST_TIMES * low and (low == 0 or not _SCALE.fullmatch(format(high / low, "f"))))

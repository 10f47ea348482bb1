"""When, where, participants and label of event clusters, from those of their mentions: what their own clauses state
first, then what most mentions state. Every view and export takes them from here."""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from types import MappingProxyType
from typing import Literal, TypeVar

from cdcoref.circumstances import MANY_COUNTRIES, Circumstances, Place, Setting, Source, StatedQuantity, of_one_story
from cdcoref.corpus import EVENT, ClusterKey, Corpus, Mention
from cdcoref.facts import Period, is_verb
from cdcoref.reading import Readings
from cdcoref.reports.labels import cluster_label, event_label, full_wording, is_pronoun

MOST_PARTICIPANTS = 5
"""Participants of a cluster, at most: those of most mentions."""
LABEL_SEPARATOR = " · "
"""Between the parts of a label."""
Known = Literal["stated", "heading", "inferred"]
KNOWN: Mapping[Source, Known] = MappingProxyType(
    {Source.STATED: "stated", Source.HEADING: "heading", Source.INFERRED: "inferred"}
)
"""How a circumstance is known: the clause of a mention states it; a heading above a mention does; or a mention is its
document's main event, whose beginning states it."""
_Value = TypeVar("_Value", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Stated:
    """Words of a text that state a circumstance.

    `document`: The document's id.
    `start`, `end`: Character range in its text, end exclusive.
    `text`: The words.
    """

    document: str
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class ClusterPeriod:
    """When an event happened, the words that state it, and how it is known (see `KNOWN`)."""

    period: Period
    stated: tuple[Stated, ...]
    known: Known = "stated"

    def __str__(self) -> str:
        return str(self.period)


@dataclass(frozen=True, slots=True)
class ClusterPlace:
    """Where an event happened, the words that state it, and how it is known (see `KNOWN`)."""

    place: Place
    stated: tuple[Stated, ...]
    known: Known = "stated"

    def __str__(self) -> str:
        return self.place.shown()


@dataclass(frozen=True, slots=True)
class ClusterParticipant:
    """An entity that takes part in an event.

    `label`: The label of its cluster.
    `cluster`: Its cluster's name in the corpus; None if it has none.
    `role`: As in :class:`cdcoref.circumstances.Participant`, that of most mentions.
    `stated`: Its mentions beside those of the event.
    """

    label: str
    cluster: str | None
    role: str
    stated: tuple[Stated, ...]

    def __str__(self) -> str:
        return self.label


@dataclass(frozen=True, slots=True)
class ClusterCircumstances:
    """The circumstances of an event cluster; None or empty where unknown, and for clusters of entities."""

    when: ClusterPeriod | None = None
    where: ClusterPlace | None = None
    participants: tuple[ClusterParticipant, ...] = ()

    def title(self, label: str) -> str:
        """A label with place and day: ``fire · Kalamata, Greece · 6 Aug.``"""
        parts = [label]
        if self.where is not None:
            parts.append(self.where.place.shown())
        if self.when is not None:
            parts.append(self.when.period.shown())
        return LABEL_SEPARATOR.join(filter(None, parts))


_Known = TypeVar("_Known", ClusterPeriod, ClusterPlace)
NO_CIRCUMSTANCES = ClusterCircumstances()


class CorpusCircumstances:
    """The circumstances and labels of the clusters of a corpus, each asked for by any of its mentions, on demand."""

    def __init__(self, corpus: Corpus, readings: Readings | None = None) -> None:
        self._corpus = corpus
        self.readings = Readings(corpus) if readings is None else readings
        self._documents = {document.id: document for document in corpus.documents}
        self._found: dict[str, dict[Mention, Circumstances]] = {}
        self._main: dict[str, list[Mention]] = {}
        self._quantities: dict[str, list[StatedQuantity]] = {}
        self._names: dict[object, str] = {}
        self._of_clusters: dict[ClusterKey, ClusterCircumstances] = {}

    @cached_property
    def parsed_readings(self) -> Readings:
        """The readings, whose documents have been parsed, many at once."""
        self.readings.parse()
        return self.readings

    def label(self, mention: Mention) -> str:
        """The label of a mention's cluster: the name that people gave it, or its words; an event has place and day."""
        return self._corpus.name_of(mention) or self.of(mention).title(self.name(mention))

    def name(self, mention: Mention) -> str:
        """The label of a mention's cluster without place and day."""
        key = mention.kind, mention.cluster or mention
        if key not in self._names:
            members = self._members(mention)
            label = self._corpus.name_of(mention)
            if label is None and mention.kind == EVENT:
                label = event_label(members, self.parsed_readings)
            elif label is None:
                label = cluster_label(full_wording(m, self.parsed_readings[m.document]) for m in members)
            self._names[key] = label
        return self._names[key]

    def of(self, mention: Mention) -> ClusterCircumstances:
        """The circumstances of a mention's cluster."""
        if mention.kind != EVENT:
            return NO_CIRCUMSTANCES
        if mention.cluster is None:
            return self.of_some([mention])
        key = mention.kind, mention.cluster
        if key not in self._of_clusters:
            self._of_clusters[key] = _corrected(self.of_some(self._members(mention)), self._corpus.stated.get(key))
        return self._of_clusters[key]

    def of_mention(self, mention: Mention) -> Circumstances:
        """The circumstances of one mention."""
        id = mention.document
        if id not in self._found:
            mentions = self._by_document[id]
            self._found[id] = dict(zip(mentions, self.readings[id].circumstances(mentions), strict=True))
        return self._found[id].get(mention, Circumstances())

    def of_some(self, members: Sequence[Mention]) -> ClusterCircumstances:
        """The circumstances that some mentions of an event state."""
        known = [(mention, self.of_mention(mention)) for mention in members]
        return ClusterCircumstances(self._when(known), self._where(known), self._participants(known))

    def quantities(self, document: str) -> list[StatedQuantity]:
        """The quantities of a document, which others may contradict."""
        if document not in self._quantities:
            self._quantities[document] = self.readings[document].quantities(self._by_document[document])
        return self._quantities[document]

    def setting(self, document: str) -> Setting:
        """The circumstances that a document states as a whole."""
        return self.readings[document].stated.lead.setting

    def of_document(self, document: str) -> ClusterCircumstances:
        """When and where the main event of a document was: as its cluster says, or else the beginning of the document.

        What the document itself states elsewhere than at its beginning comes last, since it may be of something else.
        """
        lead = self.readings[document].stated.lead
        parse, events = self.readings[document].parse, self._main_events(document)
        main = list(map(self.of, events))
        end = self._documents[document].offsets[lead.end - 1][1] if lead.end else 0
        days = [
            own.when
            for mention, own in zip(events, main, strict=True)
            if own.when is not None
            and lead.setting.may_be_main(own.when.period)
            and (own.when.period.days == 1 or is_verb(parse, parse.head_of(mention.tokens)))
        ]
        when = _surest(document, end, days)
        if when is None and lead.when is not None:
            shown = self._shown([(document, lead.when.tokens)])
            when = ClusterPeriod(lead.when.period, shown, "stated" if lead.is_stated else "inferred")
        when = when or next((day for day in days if day.known == "stated" and lead.setting.is_news(day.period)), None)
        if when is not None and when.period.days > 1:  # "earlier this month", and in the next sentence the day
            day = (day for day in days if day.period.days == 1 and when.period.contains(day.period))
            when = next(day, when)
        where = _surest(document, end, (own.where for own in main))
        if where is None and not lead.states_where:
            where = next((own.where for own in main if own.where is not None and own.where.known == "stated"), None)
        if lead.where is not None:
            exact = lead.where.place
            if where is None or (exact != where.place and where.place.contains(exact)):
                where = ClusterPlace(exact, self._shown([(document, lead.where.tokens)]), "inferred")
        about = lead.setting.about
        is_named = about is not None and (about.sort == "country" or about in lead.setting.places)
        if where is None and about is not None and is_named and lead.is_about_place:
            where = ClusterPlace(about, (), "inferred")
        return ClusterCircumstances(when, where)

    def is_main(self, mention: Mention) -> bool:
        """Whether an event mention is one of those that its document is about."""
        return mention in self._main_events(mention.document)

    def _main_events(self, document: str) -> list[Mention]:
        if document not in self._main:
            parse, order = self.readings[document].parse, self.readings[document].stated.lead.main
            events = {parse.head_of(m.tokens): m for m in self._by_document[document] if m.kind == EVENT}
            self._main[document] = [events[token] for token in order if token in events]
        return self._main[document]

    @cached_property
    def _by_document(self) -> dict[str, list[Mention]]:
        return self._corpus.by_document()

    def _members(self, mention: Mention) -> Sequence[Mention]:
        return [mention] if mention.cluster is None else self._clusters[mention.kind, mention.cluster]

    @cached_property
    def _clusters(self) -> dict[ClusterKey, list[Mention]]:
        found: defaultdict[ClusterKey, list[Mention]] = defaultdict(list)
        for mention in chain.from_iterable(self._by_document.values()):
            if mention.cluster is not None:
                found[mention.kind, mention.cluster].append(mention)
        return found

    def _when(self, known: Sequence[tuple[Mention, Circumstances]]) -> ClusterPeriod | None:
        back = sum(any(when.looks_back for when in one.when[:1]) for _, one in known)
        stated = [
            (when.period, when.source, mention.document, when.tokens)
            for mention, one in known
            for when in one.when[:1]
            if when.source in KNOWN and str(when.period) and (2 * back >= len(known) or not when.looks_back)
        ]
        stated = _without_outlier(stated)
        best = max((source for _, source, _, _ in stated), default=None)
        is_of_weekdays = all(period.weekday is not None for period, source, _, _ in stated if source == best)
        stated = [one for one in stated if (one[0].weekday is not None) is is_of_weekdays]
        stated = [one for one in stated if one[0].has_year] or stated
        found = _most_stated(stated, Period.contains)
        return None if found is None else ClusterPeriod(found[0], self._shown(found[1]), KNOWN[found[2]])

    def _where(self, known: Sequence[tuple[Mention, Circumstances]]) -> ClusterPlace | None:
        found = [
            (mention.document, where)
            for mention, one in known
            for where in one.where[:1]
            if where.source >= Source.INFERRED
            and len({other.place.country for other in one.where} - {""}) < MANY_COUNTRIES
        ]
        places = of_one_story([where.place for _, where in found])
        stated = [(place, where.source, id, where.tokens) for place, (id, where) in zip(places, found, strict=True)]
        best = _most_stated(stated, Place.contains)
        return None if best is None else ClusterPlace(best[0], self._shown(best[1]), KNOWN[best[2]])

    def _participants(self, known: Sequence[tuple[Mention, Circumstances]]) -> tuple[ClusterParticipant, ...]:
        by_cluster: defaultdict[object, list[tuple[str, Mention]]] = defaultdict(list)
        for _, one in known:
            for participant in one.participants:
                mention = participant.mention
                key = mention.place if mention.cluster is None else mention.cluster
                by_cluster[key].append((participant.role, mention))
        found = []
        for own in by_cluster.values():
            mention = own[0][1]
            label = self.name(mention)
            if not is_pronoun(label):
                role = Counter(role for role, _ in own).most_common(1)[0][0]
                places = dict.fromkeys((one.document, one.tokens) for _, one in own)
                found.append(ClusterParticipant(label, mention.cluster, role, self._shown(places)))
        found.sort(key=lambda one: -len(one.stated))
        return tuple(found[:MOST_PARTICIPANTS])

    def _shown(self, places: Iterable[tuple[str, Sequence[int]]]) -> tuple[Stated, ...]:
        shown = []
        for id, tokens in places:
            document = self._documents[id]
            start, end = document.offsets[tokens[0]][0], document.offsets[tokens[-1]][1]
            shown.append(Stated(id, start, end, " ".join(document.text[start:end].split())))
        return tuple(shown)


def _surest(document: str, end: int, values: Iterable[_Known | None]) -> _Known | None:
    """The first value that is stated or a heading's, or else inferred, in another document or before a character."""
    known = [
        value
        for value in values
        if value is not None
        and (not value.stated or any(one.document != document or one.start < end for one in value.stated))
    ]
    return next((value for value in known if value.known != "inferred"), next(iter(known), None))


def _corrected(found: ClusterCircumstances, stated: Mapping[str, str] | None) -> ClusterCircumstances:
    """The circumstances with the day and the place that people state; no words of a text state them."""
    if stated and "day" in stated:
        period = Period.of_iso(stated["day"])  # None: people say that it is unknown
        found = replace(found, when=None if period is None else ClusterPeriod(period, ()))
    if stated and "place" in stated:
        found = replace(found, where=ClusterPlace(Place(stated["place"]), ()))
    return found


def _without_outlier(
    known: list[tuple[Period, Source, str, tuple[int, ...]]],
) -> list[tuple[Period, Source, str, tuple[int, ...]]]:
    """Times without one that a single mention states, not to the day, before a day that several others are of."""
    stated = [one for one in known if one[1] > Source.INFERRED]
    inferred = Counter(one[0] for one in known if one[1] == Source.INFERRED and one[0].days == 1)
    if len(stated) != 1 or stated[0][0].days == 1 or not inferred:
        return known
    day, count = inferred.most_common(1)[0]
    is_later = count > 1 and day.first > stated[0][0].last
    return [one for one in known if one is not stated[0]] if is_later else known


def _most_stated(
    stated: Sequence[tuple[_Value, Source, str, tuple[int, ...]]], contains: Callable[[_Value, _Value], bool]
) -> tuple[_Value, list[tuple[str, tuple[int, ...]]], Source] | None:
    """The most exact form of the value that most mentions state among those known best, its words, how it is known."""
    if not stated:
        return None
    nearest = max(source for _, source, _, _ in stated)
    near = Counter(value for value, source, _, _ in stated if source == nearest)
    beginning: dict[_Value, tuple[int, ...]] = {}
    for value, _, _, tokens in stated:
        beginning[value] = min(tokens, beginning.get(value, tokens))

    def most(counts: Counter[_Value], values: Iterable[_Value]) -> _Value:
        return min(values, key=lambda value: (-counts[value], beginning[value], str(value)))

    best = most(near, near)
    for counts in (near, Counter(value for value, *_ in stated)):
        while parts := [value for value in counts if value != best and contains(best, value)]:
            best = most(counts, parts)
    places = dict.fromkeys((document, tokens) for value, _, document, tokens in stated if value == best)
    return best, list(places), max(source for value, source, _, _ in stated if value == best)

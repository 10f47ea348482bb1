"""When, where, who and how many: a document and its mentions in, the circumstances of every event mention out.

Each circumstance comes with the tokens that state it and with how near they are: in the mention's own clause, in its
sentence, or elsewhere in the document, whose main event lends its day and place to the events that look nowhere else.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from itertools import pairwise
from typing import NamedTuple

from cdcoref.circumstances.arguments import named_object, subjects
from cdcoref.circumstances.attachment import Span, attached, belongs_to_report, is_reporting
from cdcoref.circumstances.clauses import Clause, clauses_of
from cdcoref.circumstances.document_days import day_of
from cdcoref.circumstances.gazetteer import Place, country_of_people, places_named
from cdcoref.circumstances.periods import UNKNOWN_YEAR, Period
from cdcoref.circumstances.places import CONTINENTS, StatedPlace, capitalised, dateline_end, places_in
from cdcoref.circumstances.quantities import Count, Quantity, counts_in, quantities_in
from cdcoref.circumstances.relations import relations, states_relation
from cdcoref.circumstances.themes import surnames_of, theme
from cdcoref.circumstances.times import StatedTime, times_in
from cdcoref.corpus import ENTITY, EVENT, Corpus, Document, Mention
from cdcoref.language import HEADER_LINES, in_sentence_case, is_common_word, is_line_of_writers

LEAD = 4
"""Sentences at the beginning of a document that may state when and where its main event was; names and dates alone are
no sentences."""
_LONGEST_MAIN = 31
"""The longest main event, in days, whose time is taken from the beginning of a text."""
_WEEK = 7
_REPORTED_WITHIN = 7
"""Days between an event and the report of it, where nothing else is stated."""
_FEWEST_WORDS = 4
"""With fewer words in lower case, a sentence with a date may be a line that tells nothing."""
_LONGEST_LINE_OF_WRITERS = 20
"""In words."""
_SHORTEST_NAME = 3
_WORD = re.compile(r"[\w.-]+|['’]s\b|[^\w\s]")
_NEAR_TIME = 2
_MARKETS_WORDS = "close closed closing price prices quarter season"
_MARKETS = frozenset(_MARKETS_WORDS.split())
"""Words beside a time that something else is compared with ("below Friday's close")."""
_CONTRASTING = frozenset({"but", "however", "meanwhile"})
_RELATIVE = frozenset({"who", "whom", "whose", "which"})
_AFTERMATH = frozenset({"toll", "rescuers", "survivors", "rubble", "funeral", "funerals", "mourn", "mourns"})
"""Words at the beginning of a report that is written days after a disaster."""
_BEGINNING = 2
_NEAR_HAPPENING = 3
_HAPPENINGS_WORDS = """
attack attacks avalanche ballot bombing bombings blast blasts coup crash derailment disaster earthquake election
elections explosion explosions festival fire flood floods games landslide marathon massacre murder murders olympics
outbreak parade poll polls protest protests quake referendum riot riots runoff run-off shooting shootings siege
stabbing storm strike strikes summit talks trial vote wildfire wildfires
"""
_HAPPENINGS = frozenset(_HAPPENINGS_WORDS.split())
"""Nouns for what happens at a place that is named directly before them."""
_QUOTES = frozenset({"``", "''", '"', "“", "”"})
_LINE_BREAK = "//n"
_NEAR_COUNT = 6
"""Words between an amount and its event, at most."""
_ROLES_WORDS = """
by of in with against from for to between among
"""
_BEFORE_MODIFIER = frozenset({"the", "a", "an", "this"})
_ROLES = frozenset(_ROLES_WORDS.split())


class Source(IntEnum):
    """How near to a mention the words are that state a circumstance; the larger, the nearer."""

    DOCUMENT = 1
    SENTENCE = 2
    CLAUSE = 3


@dataclass(frozen=True, slots=True)
class When:
    """A time, the tokens that state it, and how near they are; `looks_back`: to a year before the document's."""

    period: Period
    tokens: tuple[int, ...]
    source: Source
    looks_back: bool = False


@dataclass(frozen=True, slots=True)
class Where:
    """A place, the tokens that state it, and how near they are."""

    place: Place
    tokens: tuple[int, ...]
    source: Source


@dataclass(frozen=True, slots=True)
class HowMany:
    """An amount in the mention's clause, and the tokens that state it."""

    count: Count
    tokens: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Participant:
    """An entity mention in the mention's clause.

    Attributes
    ----------
    role
        The preposition before it ("by", "of", "in"), or where it stands: ``"before"``, ``"after"``.
    mention
        The mention.
    """

    role: str
    mention: Mention


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What is known of when, where, with whom and how many; empty where unknown, the nearest first.

    Attributes
    ----------
    when, where, how_many, participants
        What is stated.
    elsewhere
        Whether the mention's clause looks at another happening than the document's own ("since 2017, when ...").
    subject
        The event that is its subject ("The blaze burned ..."); None if none is.
    named_object
        The full name closely behind a verb ("signed Piet Maas"), in lower case; empty if there is none.
    theme
        The full name, or the last name, of the person that a transfer, an arrest or the like is about, in lower case;
        else empty.
    """

    when: tuple[When, ...] = ()
    where: tuple[Where, ...] = ()
    how_many: tuple[HowMany, ...] = ()
    participants: tuple[Participant, ...] = ()
    elsewhere: bool = False
    subject: Mention | None = None
    named_object: tuple[str, ...] = ()
    theme: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StatedQuantity:
    """A quantity that a document states of something.

    Attributes
    ----------
    quantity
        The quantity; its words are counted from the beginning of the document.
    event
        The event mention that it is of; None if the word is no mention.
    further
        Events that it is of too, as in :class:`cdcoref.circumstances.relations.Relation`.
    relation
        The sort of relation ("death", "purchase"), or the dictionary form of the event's word.
    elsewhere
        Whether its clause looks at another happening than the document's own, or to an earlier year.
    """

    quantity: Quantity
    event: Mention | None
    further: tuple[Mention, ...]
    relation: str
    elsewhere: bool


@dataclass(frozen=True, slots=True)
class Setting:
    """What a document as a whole states.

    Attributes
    ----------
    today
        Its day; None if unknown.
    when, where
        Of its main event; None if unknown.
    firm
        Whether `where` says where something happens; otherwise it only names whose police or people the text is about.
    places
        All places that it names, but for clauses that look elsewhere.
    names
        The words of its names, in lower case, but for datelines and clauses that look elsewhere.
    reported
        The day on which somebody reported the main event, if only that is stated ("said on Monday"); else None.
    about
        The place that the beginning of the text names first, in the headline if it names one ("Ecuador election",
        "a Danish firm"), whether or not something happens there; the place of `where`, if that is not in the gazetteer,
        with the country that the headline names. None if there is none.
    """

    today: Period | None = None
    when: When | None = None
    where: Where | None = None
    places: frozenset[Place] = frozenset()
    names: frozenset[str] = frozenset()
    firm: bool = True
    reported: When | None = None
    about: Place | None = None


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence with what was found in it; words are counted from its first token."""

    first: int
    words: Sequence[str]
    lower: Sequence[str]
    dateline: int
    clauses: Sequence[Clause]
    times: Sequence[StatedTime]
    places: Sequence[StatedPlace]

    def tokens(self, start: int, end: int) -> tuple[int, ...]:
        return tuple(range(self.first + start, self.first + end))

    def is_of_report(self, when: When) -> bool:
        """Whether a time is that of a report about the happening, or of a reaction to it."""
        return belongs_to_report(self.lower, when.tokens[0] - self.first, when.tokens[-1] + 1 - self.first)

    def clause_of(self, word: int) -> int:
        return next((number for number, clause in enumerate(self.clauses) if word < clause.end), 0)


class _MainTime(NamedTuple):
    """A time that may be that of a document's main event.

    Attributes
    ----------
    when
        The time.
    aside
        Whether a relative clause, a quotation or a sentence that begins with "but" states it.
    """

    when: When
    aside: bool


class DocumentCircumstances:
    """The circumstances of the events of one document.

    Parameters
    ----------
    document
        The document. Hidden sentences state nothing.

    Attributes
    ----------
    setting
        What the document as a whole states.
    """

    def __init__(self, document: Document) -> None:
        self._document = _with_names_of_places(in_sentence_case(document), document.tokens)
        today = day_of(document)
        self._sentences = list(_sentences(self._document, today))
        self._recent = any(one.period is None for own in self._sentences for one in own.times)
        self._firsts = [own.first for own in self._sentences]
        known = tuple(dict.fromkeys(one.place for own in self._sentences for one in own.places if one.certain))
        countries = {one.place.country for own in self._sentences for one in own.places if one.firm} - {""}
        if known or countries:
            self._sentences = [replace(own, places=_places(own.words, known, countries)) for own in self._sentences]
        self.setting = _setting(self._sentences, today, _title(document))
        self._surnames = surnames_of([own.words[own.dateline :] for own in self._sentences])

    def of_mentions(self, mentions: Sequence[Mention]) -> list[Circumstances]:
        """The circumstances of mentions of the document, in their order; entities have none.

        Parameters
        ----------
        mentions
            All of the document's: events share the dates and places of a clause, entities take part in events.
        """
        by_sentence: defaultdict[int, list[int]] = defaultdict(list)
        for number, mention in enumerate(mentions):
            by_sentence[self._sentence_of(mention)].append(number)
        found = [Circumstances()] * len(mentions)
        for sentence, own in by_sentence.items():
            if not self._sentences[sentence].words:  # a hidden sentence states nothing, of the mentions in it neither
                continue
            events = sorted((n for n in own if mentions[n].kind == EVENT), key=lambda n: mentions[n].tokens)
            entities = [mentions[n] for n in own if mentions[n].kind == ENTITY]
            of_events = self._of_sentence(self._sentences[sentence], [mentions[n] for n in events], entities)
            for number, circumstances in zip(events, of_events, strict=True):
                found[number] = circumstances
        return found

    def quantities(self, mentions: Sequence[Mention]) -> list[StatedQuantity]:
        """What the document states that reports may contradict each other about, in the order of the text.

        Parameters
        ----------
        mentions
            All of the document's.
        """
        by_sentence: defaultdict[int, list[Mention]] = defaultdict(list)
        for mention in mentions:
            if mention.kind == EVENT:
                by_sentence[self._sentence_of(mention)].append(mention)
        found: list[StatedQuantity] = []
        for number, sentence in enumerate(self._sentences):
            found += _quantities(sentence, sorted(by_sentence[number], key=lambda mention: mention.tokens))
        return found

    def _sentence_of(self, mention: Mention) -> int:
        return bisect_right(self._firsts, mention.start) - 1

    def _of_sentence(
        self, sentence: _Sentence, events: Sequence[Mention], entities: Sequence[Mention]
    ) -> Iterator[Circumstances]:
        spans = [(event.start - sentence.first, event.end - sentence.first) for event in events]
        when = self._when(sentence, spans)
        where = self._where(sentence, spans)
        counts = _how_many(sentence, spans)
        subject_of = {verb: events[noun] for noun, verb in subjects(spans, sentence.lower)}
        for number, event in enumerate(events):
            clause = sentence.clauses[sentence.clause_of(spans[number][0])]
            yield Circumstances(
                tuple(when[number]),
                tuple(where[number]),
                tuple(counts[number]),
                tuple(_participants(sentence, clause, event, entities)),
                clause.elsewhere,
                subject_of.get(number),
                named_object(spans[number], sentence.words),
                theme(spans[number], sentence.words, self._surnames),
            )

    def _when(self, sentence: _Sentence, spans: Sequence[Span]) -> list[list[When]]:
        """The times of every event of a sentence."""
        times = [one for one in sentence.times if one.start >= sentence.dateline]
        found: list[list[When]] = [[] for _ in spans]
        own: dict[int, list[When]] = defaultdict(list)
        for one in times:
            clause = sentence.clause_of(one.start)
            tokens = sentence.tokens(one.start, one.end)
            if (stated := self._stated(one, tokens)) is None:
                continue
            own[clause].append(stated)
            bounds = sentence.clauses[clause]
            others = [(other.start, other.end) for other in times if other is not one]
            for number in attached(
                (one.start, one.end), spans, sentence.lower, (bounds.start, bounds.end), others=others
            ):
                found[number].append(stated)
        for number, span in enumerate(spans):
            place = sentence.clause_of(span[0])
            if not found[number] and (borrowed := self._from_clause_before(sentence, place, own)) is not None:
                found[number].append(borrowed)
            if (
                not found[number]
                and not sentence.clauses[place].elsewhere
                and not is_reporting(sentence.lower[span[0]])
            ):
                lending = [clause for clause in own if _lends(sentence, clause)]
                if sentence.clauses[place].relative and own.get(place):
                    lending = [place]
                near = [when for clause in lending for when in own[clause]]
                near = [when for when in near if not sentence.is_of_report(when)]
                found[number] += [replace(when, source=Source.SENTENCE) for when in near]
                if not near and self.setting.when is not None:
                    found[number].append(self.setting.when)
        return found

    def _stated(self, one: StatedTime, tokens: tuple[int, ...]) -> When | None:
        """A time of a clause; None if nothing is known of it.

        A document of an unknown day that states weekdays and the like tells of recent things: its years are earlier
        ones, and what is relative is some day of a year of its own.
        """
        unknown = self.setting.today is None
        if one.period is None:
            return When(Period.of_year(UNKNOWN_YEAR), tokens, Source.CLAUSE) if unknown else None
        earlier = unknown and self._recent and one.period.has_year
        return When(one.period, tokens, Source.CLAUSE, one.looks_back or earlier)

    def _from_clause_before(self, sentence: _Sentence, place: int, own: Mapping[int, Sequence[When]]) -> When | None:
        """The time of a clause that opens with "when" behind a time, or with "three days after"."""
        clause = sentence.clauses[place]
        if clause.opening == "when" and place and own.get(place - 1):
            last = own[place - 1][-1]
            if clause.start - sentence.clauses[place - 1].start >= 0 and _ends_before(sentence, last, clause.start):
                return last
        if clause.days is not None and not own.get(place):
            base = next((when for when in own.get(place - 1, ())), self.setting.when)
            shifted = None if base is None else base.period.shifted(clause.days)
            if base is not None and shifted is not None:
                return When(shifted, sentence.tokens(max(0, clause.start - 2), clause.start + 1), Source.CLAUSE)
        return None

    def _where(self, sentence: _Sentence, spans: Sequence[Span]) -> list[list[Where]]:
        """The places of every event of a sentence."""
        places = [one for one in sentence.places if one.start >= sentence.dateline]
        found: list[list[Where]] = [[] for _ in spans]
        near: list[Where] = []
        for one in places:
            bounds = sentence.clauses[sentence.clause_of(one.start)]
            tokens = sentence.tokens(one.start, one.end)
            owners = attached((one.start, one.end), spans, sentence.lower, (bounds.start, bounds.end))
            modified = any(spans[number][0] - one.end in (0, 1) for number in owners)
            if not one.firm and not (modified and one.start and sentence.lower[one.start - 1] in _BEFORE_MODIFIER):
                continue
            if not bounds.elsewhere:
                near.append(Where(one.place, tokens, Source.SENTENCE))
            for number in owners:
                found[number].append(Where(one.place, tokens, Source.CLAUSE))
        for number, span in enumerate(spans):
            if found[number]:
                found[number] = _most_exact(found[number])
            elif not sentence.clauses[sentence.clause_of(span[0])].elsewhere and not is_reporting(
                sentence.lower[span[0]]
            ):
                found[number] = _most_exact(near)
                if not near and self.setting.where is not None:
                    found[number] = [self.setting.where]
        return found


def circumstances_of(corpus: Corpus) -> tuple[list[Circumstances], dict[str, Setting]]:
    """The circumstances of every mention of a corpus, in order, and the setting of every document by its id.

    Entities have no circumstances. Nothing depends on other documents.
    """
    numbers = corpus.mention_numbers()
    found = [Circumstances()] * len(corpus.mentions)
    settings: dict[str, Setting] = {}
    for document in corpus.documents:
        own = numbers[document.id]
        if not own:
            continue
        of_document = DocumentCircumstances(document)
        settings[document.id] = of_document.setting
        circumstances = of_document.of_mentions([corpus.mentions[number] for number in own])
        for number, one in zip(own, circumstances, strict=True):
            found[number] = one
    return found, settings


def _with_names_of_places(document: Document, written: Sequence[str]) -> Document:
    """The document with the first words of names of places as they were written: "new Mexico" in a headline."""
    if document.tokens is written:
        return document
    tokens = list(document.tokens)
    for place in range(len(tokens) - 1):
        one, other = written[place].title(), written[place + 1].title()
        if tokens[place] != written[place] and tokens[place + 1][:1].isupper() and places_named((one, other)):
            tokens[place] = one
    return replace(document, tokens=tuple(tokens)) if tokens != list(document.tokens) else document


def _pieces(document: Document) -> Iterator[tuple[int, int, bool]]:
    """The sentences, divided at line breaks that a corpus keeps as tokens: first token, end, and whether it is seen."""
    for number, (start, end) in enumerate(document.sentences):
        breaks = [token + 1 for token in range(start, end) if document.tokens[token] == _LINE_BREAK]
        for first, last in pairwise(dict.fromkeys((start, *breaks, end))):
            yield first, last, number not in document.hidden


def _sentences(document: Document, today: Period | None) -> Iterator[_Sentence]:
    stated: Period | None = None
    for start, end, seen in _pieces(document):
        words = document.tokens[start:end] if seen else ()
        lower = [word.casefold() for word in words]
        times = times_in(words, today, stated)
        with_year = [one.period for one in times if one.period is not None and one.period.has_year]
        stated = with_year[-1] if with_year else stated
        yield _Sentence(start, words, lower, dateline_end(words), clauses_of(words), times, _places(words))


def _places(words: Sequence[str], known: Sequence[Place] = (), countries: Collection[str] = ()) -> list[StatedPlace]:
    return places_in(words, known, countries) if any(word[:1].isupper() for word in words) else []


def _title(document: Document) -> Sequence[str]:
    """The words of the title that is stated beside the text."""
    title = "" if "title" in document.found else str(document.metadata.get("title", ""))
    return _WORD.findall(title)


def _setting(sentences: Sequence[_Sentence], today: Period | None, title: Sequence[str]) -> Setting:
    shown = [own for own in sentences if own.words]
    shown = [own for place, own in enumerate(shown) if not 0 < place < HEADER_LINES or not _is_of_writers(own)]
    telling = [number for number, own in enumerate(shown) if not _is_only_a_date(own)]
    longest = LEAD - bool(title)  # the headline is one of the first sentences
    end = telling[longest - 1] + 1 if len(telling) >= longest else len(shown)
    lead = shown[:end]
    when = _main_time(lead, today) or next(_recent_days(shown[end:], today), None)
    headline = places_in(title) if title else [one for own in shown[:1] for one in own.places]
    named = [one.place for one in headline if one.place.country]
    first = headline[0] if headline and headline[0].place.country else None
    words = title or (shown[0].words if shown else ())
    about = named[0] if named else next(_named_places((title, *(own.words for own in lead))), None)
    places_of_lead = [one for one in _main_places(lead, named) if about is None or not _is_continent(one.place)]
    places_of_lead.sort(key=lambda one: _is_abroad(one.place, named))
    firm = bool(places_of_lead)
    places_of_lead = places_of_lead or list(_local_places(shown))[:1]
    where = places_of_lead[0] if places_of_lead else None
    if where is not None:
        where = next((one for one in places_of_lead[1:] if _is_part(one.place, where.place)), where)
    if where is not None and not where.place.country and first is not None and not _is_possessor(words, first):
        about = replace(where.place, country=first.place.country)
    reported = None if when is not None else next(_recent_days(lead, today, of_reports=True), None)
    if when is None and today is not None:
        start = today.shifted(-_REPORTED_WITHIN)
        when = None if start is None else When(Period(start.first, today.last), (), Source.DOCUMENT)
    places = frozenset(
        one.place for own in sentences for one in own.places if not own.clauses[own.clause_of(one.start)].elsewhere
    )
    return Setting(today, when, where, places, frozenset(_names(sentences)), firm, reported, about)


def _is_possessor(words: Sequence[str], one: StatedPlace) -> bool:
    """Whether something of a place is named ("Sweden's Maas wins"), rather than what happens there."""
    return one.end < len(words) and words[one.end] in ("'s", "’s")


def _is_abroad(place: Place, named: Sequence[Place]) -> bool:
    """Whether a place is in none of those that a headline names."""
    return bool(named and place.country) and not any(one.contains(place) for one in named)


def _is_continent(place: Place) -> bool:
    return not place.country and place.name in CONTINENTS


def _named_places(sentences: Iterable[Sequence[str]]) -> Iterator[Place]:
    """The places that sentences name, and the countries of people that they name ("a Danish firm")."""
    for words in sentences:
        yield from (one.place for one in places_in(words) if one.place.country)
        yield from filter(None, (country_of_people(word) for word in words if word[:1].isupper()))


def _names(sentences: Sequence[_Sentence]) -> Iterator[str]:
    """The words of names: capitalised, no word of the dictionary, and not only for standing first in a sentence."""
    for own in sentences:
        for clause in own.clauses:
            if clause.elsewhere:
                continue
            first = max(own.dateline, clause.start)
            for start, end in capitalised(own.words[first : clause.end]):
                if end - start > 1 or first + start > own.dateline:
                    names = own.words[first + start : first + end]
                    yield from (
                        word.casefold()
                        for word in names
                        if len(word) >= _SHORTEST_NAME and not is_common_word(word.casefold())
                    )


def _is_of_writers(sentence: _Sentence) -> bool:
    """Whether a sentence is a line that says who wrote the text and where they were."""
    return len(sentence.words) <= _LONGEST_LINE_OF_WRITERS and is_line_of_writers(" ".join(sentence.words))


def _main_time(lead: Sequence[_Sentence], today: Period | None) -> When | None:
    """The first time that may be that of the main event; a day or week, and of a main clause, if there is one.

    A day to come is none if one of the last days is stated: what is planned is not what is reported. If the beginning
    tells of rescuers or a death toll, the earliest of the last days is meant.
    """
    times = list(_main_times(lead, today))
    if today is not None and today.has_year:
        past = [one for one in times if one.when.period.first <= today.last]
        recent = any(one.when.period.gap(today) <= _REPORTED_WITHIN for one in past)
        times = past if recent else times
    aftermath = any(not _AFTERMATH.isdisjoint(own.lower) for own in lead[:_BEGINNING])
    if aftermath and today is not None and today.has_year:
        before = [one for one in times if not one.aside and one.when.period.days == 1]
        before = [one for one in before if one.when.period.last <= today.first]
        before = [one for one in before if one.when.period.gap(today) <= _REPORTED_WITHIN]
        times = sorted(before, key=lambda one: one.when.period) or times
    vague = [one.when.period.days > _REPORTED_WITHIN for one in times]
    if vague[:1] == [True] and today is not None:  # "shot earlier this month ... had a hearing today"
        vague = [long or one.when.period == today for one, long in zip(times, vague, strict=True)]
    ranked = sorted(zip(vague, times, strict=True), key=lambda pair: (pair[0], pair[1].aside))
    best = ranked[0][1] if ranked else None
    return None if best is None else best.when


def _main_times(lead: Sequence[_Sentence], today: Period | None, *, of_reports: bool = False) -> Iterator[_MainTime]:
    """Times at the beginning of a document that may be those of its main event, or of reports of it."""
    for own in lead:
        for one in own.times:
            if one.start < own.dateline or one.period is None or one.period.days > _LONGEST_MAIN or one.looks_back:
                continue
            if own.clauses[own.clause_of(one.start)].elsewhere or _is_only_a_date(own):
                continue
            if belongs_to_report(own.lower, one.start, one.end) != of_reports or _is_in_brackets(own, one):
                continue
            if _is_of_comparison(own, one):
                continue
            if today is None or not today.has_year or one.period.gap(today) <= _LONGEST_MAIN:
                when = When(one.period, own.tokens(one.start, one.end), Source.DOCUMENT)
                yield _MainTime(when, _is_aside(own, one))


def _recent_days(sentences: Sequence[_Sentence], today: Period | None, *, of_reports: bool = False) -> Iterator[When]:
    """Single days shortly before the document's that may be those of its main event, or of reports of it."""
    if today is None:
        return
    longest = 1 if today.has_year else _WEEK  # without a year, a weekday is one of seven days
    for when, _ in _main_times(sentences, today, of_reports=of_reports):
        if (
            when.period.days <= longest
            and when.period.first <= today.first
            and when.period.gap(today) <= _REPORTED_WITHIN
        ):
            yield when


def _is_aside(sentence: _Sentence, one: StatedTime) -> bool:
    """Whether a relative clause, a quotation or a sentence that begins with "but" states a time."""
    quoted = sum(word in _QUOTES for word in sentence.words[: one.start]) % 2 == 1
    return quoted or sentence.lower[0] in _CONTRASTING or _tells_of_one_word(sentence, one.start)


def _tells_of_one_word(sentence: _Sentence, word: int) -> bool:
    """Whether a word is in a relative clause ("Maas, who won in Dubai"), which tells of a part of the sentence."""
    return sentence.clauses[sentence.clause_of(word)].opening in _RELATIVE


def _is_of_comparison(sentence: _Sentence, one: StatedTime) -> bool:
    """Whether a time is that of a price ("Friday's close"), or before the happening ("the day before the fire")."""
    clause = sentence.clause_of(one.start)
    bounds = sentence.clauses[clause]
    near = sentence.lower[max(bounds.start, one.start - _NEAR_TIME) : min(bounds.end, one.end + _NEAR_TIME)]
    if not _MARKETS.isdisjoint(near):
        return True
    for following in sentence.clauses[clause + 1 : clause + 2]:
        definite = sentence.lower[following.start + 1 : following.start + 2] == ["the"]
        return definite and following.days is not None and following.days > 0
    return False


def _is_only_a_date(sentence: _Sentence) -> bool:
    """Whether a sentence is a line with a date and tells nothing."""
    return sum(word.isalpha() and word.islower() for word in sentence.words) < _FEWEST_WORDS


def _is_in_brackets(sentence: _Sentence, one: StatedTime) -> bool:
    """Whether a time stands in brackets alone, as the day of publication does ("KOKOMO, Ind. (June 15, 2014)")."""
    around = sentence.words[max(0, one.start - 1) : one.start], sentence.words[one.end : one.end + 1]
    return list(around[0]) == ["("] and list(around[1]) == [")"]


def _main_places(lead: Sequence[_Sentence], named: Sequence[Place]) -> Iterator[Where]:
    """Places at the beginning of a document: those of its first sentences, then that of its dateline.

    Of several in a sentence, one in a place that the headline names.
    """
    for own in lead:
        stated = [
            Where(one.place, own.tokens(one.start, one.end), Source.DOCUMENT)
            for one in own.places
            if (one.firm or _is_of_happening(own, one))
            and one.start >= own.dateline
            and not own.clauses[own.clause_of(one.start)].elsewhere
            and not _tells_of_one_word(own, one.start)
        ]
        yield from sorted(_most_exact(stated), key=lambda one: _is_abroad(one.place, named))[:1]
    for own in lead:
        for one in own.places:
            if one.start < own.dateline:
                yield Where(one.place, own.tokens(one.start, one.end), Source.DOCUMENT)


def _is_of_happening(sentence: _Sentence, one: StatedPlace) -> bool:
    """Whether a noun for a happening follows a place of the gazetteer: "Kansas shooting", "Ecuador's next election"."""
    if one.place.sort == "unknown":
        return False
    for word in sentence.lower[one.end : one.end + _NEAR_HAPPENING]:
        if word in _HAPPENINGS:
            return True
        if not word.isalpha() and word not in ("'s", "’s"):
            return False
    return False


def _local_places(sentences: Sequence[_Sentence]) -> Iterator[Where]:
    """Places whose officials, or else whose people and buildings, the beginning of a document names."""
    lead = sentences[: 2 * LEAD]
    for least in (2, 1):
        for own in lead:
            for one in own.places:
                if one.local >= least:
                    yield Where(one.place, own.tokens(one.start, one.end), Source.DOCUMENT)


def _is_part(place: Place, whole: Place) -> bool:
    """Whether a place lies in another, larger one."""
    return place != whole and whole.sort in ("country", "region") and whole.contains(place)


def _most_exact(places: Sequence[Where]) -> list[Where]:
    """Places without those that only contain others of them; a name that the gazetteer lacks comes last."""
    exact = [one for one in places if not any(_is_part(other.place, one.place) for other in places)]
    return sorted(dict.fromkeys(exact), key=lambda one: not one.place.country)


def _lends(sentence: _Sentence, clause: int) -> bool:
    """Whether what a clause states may hold for the sentence: it neither looks elsewhere nor tells of one word."""
    return not sentence.clauses[clause].elsewhere and not sentence.clauses[clause].relative


def _ends_before(sentence: _Sentence, when: When, place: int) -> bool:
    """Whether nothing but punctuation lies between a time and a word of the sentence."""
    return all(not word.isalnum() for word in sentence.words[when.tokens[-1] + 1 - sentence.first : place])


def _how_many(sentence: _Sentence, spans: Sequence[Span]) -> list[list[HowMany]]:
    """The amounts in the clause of every event; those of times are left out."""
    found: list[list[HowMany]] = [[] for _ in spans]
    timed = {word for one in sentence.times for word in range(one.start, one.end)}
    for one in counts_in(sentence.words, spans):
        if one.start in timed or one.start < sentence.dateline:
            continue
        clause = sentence.clauses[sentence.clause_of(one.start)]
        before = [n for n, (_, end) in enumerate(spans) if clause.start <= end - 1 and end <= one.start]
        after = [n for n, (start, _) in enumerate(spans) if one.end <= start < clause.end]
        near = [(one.start - spans[n][1], n) for n in before[-1:]] + [(spans[n][0] - one.end, n) for n in after[:1]]
        for distance, number in sorted(near)[:1]:
            if distance <= _NEAR_COUNT:
                found[number].append(HowMany(one.count, sentence.tokens(one.start, one.end)))
    return found


def _quantities(sentence: _Sentence, events: Sequence[Mention]) -> Iterator[StatedQuantity]:
    """The quantities of a sentence with what each is of."""
    spans = [(event.start - sentence.first, event.end - sentence.first) for event in events]
    happening = {word for start, end in spans for word in range(start, end)}
    happening |= {place for place, word in enumerate(sentence.lower) if is_reporting(word) or states_relation(word)}
    taken = {word for one in sentence.times for word in range(one.start, one.end)} | set(range(sentence.dateline))
    clauses = [(clause.start, clause.end) for clause in sentence.clauses]
    for one in relations(sentence.words, spans, quantities_in(sentence.words, happening, taken), clauses):
        clause = sentence.clause_of(one.quantity.start)
        back = any(time.looks_back and _is_beside(sentence, time.start, one.quantity.start) for time in sentence.times)
        start, end = one.quantity.start + sentence.first, one.quantity.end + sentence.first
        yield StatedQuantity(
            replace(one.quantity, start=start, end=end),
            None if one.event is None else events[one.event],
            tuple(events[number] for number in one.further),
            one.name,
            sentence.clauses[clause].elsewhere or back,
        )


def _is_beside(sentence: _Sentence, one: int, other: int) -> bool:
    """Whether two words are of one clause with no comma between them."""
    between = sentence.words[min(one, other) : max(one, other)]
    return sentence.clause_of(one) == sentence.clause_of(other) and "," not in between


def _participants(
    sentence: _Sentence, clause: Clause, event: Mention, entities: Sequence[Mention]
) -> Iterator[Participant]:
    """The entities of an event's clause that are neither its times nor its places, in the order of the text."""
    taken = {sentence.first + word for one in sentence.times for word in range(one.start, one.end)}
    taken |= {sentence.first + word for one in sentence.places for word in range(one.start, one.end) if one.firm}
    start, end = sentence.first + clause.start, sentence.first + clause.end
    for entity in sorted(entities, key=lambda one: one.tokens):
        if start <= entity.start < end and taken.isdisjoint(entity.tokens) and entity.tokens != event.tokens:
            before = sentence.lower[entity.start - 1 - sentence.first] if entity.start > sentence.first else ""
            determined = before in ("the", "a", "an") and entity.start - 2 >= sentence.first
            if determined:
                before = sentence.lower[entity.start - 2 - sentence.first]
            role = before if before in _ROLES else "before" if entity.start < event.start else "after"
            yield Participant(role, entity)

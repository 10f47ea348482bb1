"""When, where, who and how many: a document and its mentions in, the circumstances of every event mention out.

Each circumstance comes with the tokens that state it and with how it is known: the event's own clause states it, a
heading above it does, or the event is what the document is about, whose beginning states it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from cdcoref.circumstances.arguments import named_object, subjects
from cdcoref.circumstances.attachment import governor, is_reporting, owners
from cdcoref.circumstances.document_days import day_of
from cdcoref.circumstances.main_event import main_words, setting_of
from cdcoref.circumstances.quantities import Count, Quantity, counts_in, quantities_in
from cdcoref.circumstances.relations import Span, relations, states_relation
from cdcoref.circumstances.sentences import Sentence, Source, When, Where, most_exact, sentences_of
from cdcoref.circumstances.themes import surnames_of, theme
from cdcoref.corpus import ENTITY, EVENT, Document, Mention
from cdcoref.facts import (
    UNKNOWN_YEAR,
    Parse,
    Period,
    StatedTime,
    clause_of,
    distances,
    is_in_relative_clause,
    looks_elsewhere,
    opened_behind,
    verbs_about,
)
from cdcoref.language import is_header_line

_NEAR_COUNT = 6
"""Words between an amount and its event, at most."""
_ROLES_WORDS = """
by of in with against from for to between among
"""
_BEFORE_MODIFIER = frozenset({"the", "a", "an", "this"})
_ROLES = frozenset(_ROLES_WORDS.split())


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


class DocumentCircumstances:
    """The circumstances of the events of one document.

    Parameters
    ----------
    document
        The document. Hidden sentences state nothing.
    cased
        The same with headlines in sentence case (:attr:`cdcoref.reading.Reading.cased`).
    parse
        Its parse.

    Attributes
    ----------
    setting
        What the document as a whole states.
    main
        Candidate tokens for its main event, in descending order of likelihood.
    main_when, main_where
        When and where that was, by the beginning of the document; None if unknown.
    """

    def __init__(self, document: Document, cased: Document, parse: Parse) -> None:
        today = day_of(document)
        self._parse = parse
        self._sentences = sentences_of(document, cased, parse, today)
        self._recent = any(one.period is None for own in self._sentences for one in own.times)
        self._firsts = [own.first for own in self._sentences]
        self._headings = dict(zip(self._firsts, _day_headings(self._sentences, today), strict=True))
        self.setting = setting_of(document, self._sentences, today)
        self.main = tuple(dict.fromkeys(main_words(document, self._sentences)))
        self.main_when, self.main_where = self._of_main_event()
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
        self, sentence: Sentence, events: Sequence[Mention], entities: Sequence[Mention]
    ) -> Iterator[Circumstances]:
        spans = [(event.start - sentence.first, event.end - sentence.first) for event in events]
        parse = self._parse
        heads = [parse.head_of(event.tokens) for event in events]
        when = self._when(sentence, heads)
        where = self._where(sentence, heads)
        counts = _how_many(sentence, spans)
        subject_of = {verb: events[noun] for noun, verb in subjects(spans, sentence.lower)}
        for number, event in enumerate(events):
            yield Circumstances(
                tuple(when[number]),
                tuple(where[number]),
                tuple(counts[number]),
                tuple(_participants(sentence, heads[number], event, entities)),
                looks_elsewhere(parse, heads[number]),
                subject_of.get(number),
                named_object(spans[number], sentence.words),
                theme(spans[number], sentence.words, self._surnames),
            )

    def _when(self, sentence: Sentence, heads: Sequence[int]) -> list[list[When]]:
        """The times of every event of a sentence, by the events' head tokens."""
        parse = self._parse
        found: list[list[When]] = [[] for _ in heads]
        events = {head: number for number, head in reversed([*enumerate(heads)])}
        stated: list[tuple[StatedTime, When, int | None]] = []
        times = [one for one in sentence.times if one.start >= sentence.dateline]
        words = {one: governor(parse, sentence.tokens(one.start, one.end), events) for one in times}
        for one in times:
            tokens = sentence.tokens(one.start, one.end)
            own, word = self._at_distance(one, tokens, words) if one.days else (one, words[one])
            if (when := self._stated(own, tokens)) is None:
                continue
            stated.append((one, when, word))
            opened = [  # "since 2017, when a blaze ..."
                parse.heads[token]
                for token in range(tokens[-1] + 1, min(tokens[-1] + 3, len(parse.heads)))
                if opened_behind(parse, parse.heads[token]) == tokens[-1]
            ]
            numbers = [] if word is None else owners(parse, word, events)
            for number in (*numbers, *(n for verb in opened for n in owners(parse, verb, events, of_place=True))):
                found[number].append(when)
        for number, head in enumerate(heads):
            if not found[number]:
                found[number] += self._not_stated(sentence, head, stated)
        return found

    def _not_stated(
        self, sentence: Sentence, head: int, stated: Sequence[tuple[StatedTime, When, int | None]]
    ) -> Iterator[When]:
        """The time of an event whose clause states none."""
        parse = self._parse
        for mark, days in distances(parse, head):  # "three days after a fire ..."
            base = next((when for _, when, word in stated if word == parse.heads[mark]), self.setting.when)
            shifted = None if base is None else base.period.shifted(days)
            if base is not None and shifted is not None:
                yield When(shifted, tuple(range(max(sentence.first, mark - 2), mark + 1)), Source.STATED)
                return
        if looks_elsewhere(parse, head) or is_reporting(parse, head):
            return
        heading = self._headings.get(sentence.first)
        clause = clause_of(parse, head) if is_in_relative_clause(parse, head) else None
        near = [
            replace(when, source=Source.SENTENCE)
            for one, when, _ in stated
            if not sentence.looks_elsewhere(one.start)
            and (not sentence.is_relative(one.start) or sentence.clause_of(one.start) == clause)
            and not sentence.is_of_report(one.start, one.end)
        ]
        if heading is not None:
            yield heading
        elif head in self.main and self.main_when is not None:
            yield self.main_when
        elif near:
            yield from near
        elif self.setting.when is not None:
            yield self.setting.when

    def _of_main_event(self) -> tuple[When | None, Where | None]:
        """The first day and place that the beginning of the document gives to a word of its main event.

        Without such a place, that of the dateline.
        """
        parse = self._parse
        light = verbs_about("light")
        stems = {_stem(parse, token) for token in self.main if parse.lemmas[token].casefold() not in light}
        main = frozenset(self.main)
        when: When | None = None
        where: Where | None = None
        dateline: Where | None = None
        telling = 0
        for own in self._sentences:
            if not own.words or is_header_line(" ".join(own.words)):
                continue
            tokens = range(own.first + own.dateline, own.first + len(own.words))
            events = {token: token for token in tokens if token in main or _stem(parse, token) in stems}
            for time in own.times if when is None else ():
                word = governor(parse, own.tokens(time.start, time.end), events)
                if word is None or own.looks_elsewhere(time.start) or time.start < own.dateline:
                    continue
                is_news = parse.lemmas[word].casefold() in verbs_about("announcement")
                if own.is_of_report(time.start, time.end) and not is_news:
                    continue
                stated = self._stated(time, own.tokens(time.start, time.end))
                if stated is not None and stated.period.days <= _LONGEST_MAIN and owners(parse, word, events):
                    when = when or replace(stated, source=Source.INFERRED)
            for one in own.places if where is None else ():
                place = Where(one.place, own.tokens(one.start, one.end), Source.INFERRED)
                if one.start < own.dateline:
                    dateline = dateline or place
                elif one.firm and not own.looks_elsewhere(one.start):
                    word = governor(parse, place.tokens, events, of_place=True)
                    if word is not None and owners(parse, word, events, of_place=True):
                        where = where or place
            telling += len(tokens) > _LONGEST_HEADING
            if telling == _LEAD:
                break
        return when, where or dateline

    def _at_distance(
        self, one: StatedTime, tokens: Sequence[int], words: Mapping[StatedTime, int | None]
    ) -> tuple[StatedTime, int]:
        """``three days before`` a time that follows, and the word that it belongs to."""
        parse, last = self._parse, tokens[-1]
        other = parse.heads[last] if parse.relations[last] == "mark" else next(iter(parse.children[last]), last)
        following = [time for time in words if time.start >= one.end and time.period is not None]
        near = (
            time.period
            for time in following
            if (word := words[time]) is not None and other in (word, *parse.ancestors(word))
        )
        base = next(near, None)
        return replace(one, period=base and base.shifted(one.days)), parse.heads[other if other != last else last]

    def _stated(self, one: StatedTime, tokens: tuple[int, ...]) -> When | None:
        """A time of a clause; None if nothing is known of it.

        A document of an unknown day that states weekdays and the like reports recent things: its years are earlier
        ones, and a relative time is some day of a year of its own; its weekday may be known.
        """
        unknown = self.setting.today is None and not one.days
        if one.period is None:
            some_day = Period.of_year(UNKNOWN_YEAR) if one.weekday is None else Period.of_weekday(one.weekday)
            return When(some_day, tokens, Source.STATED) if unknown else None
        earlier = unknown and self._recent and one.period.has_year
        return When(one.period, tokens, Source.STATED, one.looks_back or earlier)

    def _where(self, sentence: Sentence, heads: Sequence[int]) -> list[list[Where]]:
        """The places of every event of a sentence."""
        parse = self._parse
        found: list[list[Where]] = [[] for _ in heads]
        events = {head: number for number, head in reversed([*enumerate(heads)])}
        near: list[Where] = []
        for one in sentence.places:
            if one.start < sentence.dateline:
                continue
            tokens = sentence.tokens(one.start, one.end)
            word = governor(parse, tokens, events, of_place=True)
            numbers = [] if word is None else owners(parse, word, events, of_place=True)
            modified = any(heads[number] - tokens[-1] in (1, 2) for number in numbers)
            if not one.firm and not (modified and one.start and sentence.lower[one.start - 1] in _BEFORE_MODIFIER):
                continue
            if not sentence.looks_elsewhere(one.start):
                near.append(Where(one.place, tokens, Source.SENTENCE))
            for number in numbers:
                found[number].append(Where(one.place, tokens, Source.STATED))
        for number, head in enumerate(heads):
            if found[number]:
                found[number] = most_exact(found[number])
            elif not looks_elsewhere(parse, head) and not is_reporting(parse, head):
                found[number] = most_exact(near)
                if head in self.main and self.main_where is not None:
                    found[number] = [self.main_where]
                elif not near and self.setting.where is not None and not sentence.is_aside(head):
                    found[number] = [self.setting.where]
        return found


_LEAD = 5
"""Sentences at the beginning of a document that may state when and where its main event was."""
_LONGEST_MAIN = 31
"""Days of the time of a main event, at most."""
_STEM = 5
_LONGEST_HEADING = 6
_ENDS_SENTENCE = frozenset({".", "!", "?", "...", ":", ",", ";", "”", '"', "''"})


def _stem(parse: Parse, token: int) -> str:
    """What "shot", "shooting" and "shootings" have in common; empty for what is neither a verb nor a noun."""
    if parse.parts[token] not in ("VERB", "NOUN"):
        return ""
    return parse.lemmas[token].casefold().removesuffix("ing")[:_STEM]


def _day_headings(sentences: Sequence[Sentence], today: Period | None) -> Iterator[When | None]:
    """For each sentence the day of the heading that it stands under ("Wednesday , 8 May"); None under no day.

    The first line that is a day is that of the document, if it is the same. Any other heading but a time of day ends
    what a day heads.
    """
    current: When | None = None
    for own in sentences:
        if own.words and len(own.words) <= _LONGEST_HEADING and own.words[-1] not in _ENDS_SENTENCE:
            days = [one for one in own.times if one.period is not None and one.period.days == 1]
            rest = len(own.words) - sum(one.end - one.start for one in days)
            if len(days) == 1 and not rest and (current is not None or days[0].period != today):
                assert days[0].period is not None
                current = When(days[0].period, own.tokens(days[0].start, days[0].end), Source.HEADING)
            elif not days and all(word.isalpha() for word in own.words):
                current = None
        yield current


def _how_many(sentence: Sentence, spans: Sequence[Span]) -> list[list[HowMany]]:
    """The amounts in the clause of every event; those of times are left out."""
    found: list[list[HowMany]] = [[] for _ in spans]
    timed = {word for one in sentence.times for word in range(one.start, one.end)}
    for one in counts_in(sentence.words, spans):
        if one.start in timed or one.start < sentence.dateline:
            continue
        clause = sentence.clause_of(one.start)
        same = [n for n, (start, _) in enumerate(spans) if sentence.clause_of(start) == clause]
        before = [n for n in same if spans[n][1] <= one.start]
        after = [n for n in same if spans[n][0] >= one.end]
        near = [(one.start - spans[n][1], n) for n in before[-1:]] + [(spans[n][0] - one.end, n) for n in after[:1]]
        for distance, number in sorted(near)[:1]:
            if distance <= _NEAR_COUNT:
                found[number].append(HowMany(one.count, sentence.tokens(one.start, one.end)))
    return found


def _quantities(sentence: Sentence, events: Sequence[Mention]) -> Iterator[StatedQuantity]:
    """The quantities of a sentence with what each is of."""
    spans = [(event.start - sentence.first, event.end - sentence.first) for event in events]
    happening = {word for start, end in spans for word in range(start, end)}
    happening |= {
        place
        for place, word in enumerate(sentence.lower)
        if is_reporting(sentence.parse, sentence.first + place) or states_relation(word)
    }
    taken = {word for one in sentence.times for word in range(one.start, one.end)} | set(range(sentence.dateline))
    for one in relations(sentence, spans, quantities_in(sentence.words, happening, taken)):
        back = any(time.looks_back and _is_beside(sentence, time.start, one.quantity.start) for time in sentence.times)
        start, end = one.quantity.start + sentence.first, one.quantity.end + sentence.first
        yield StatedQuantity(
            replace(one.quantity, start=start, end=end),
            None if one.event is None else events[one.event],
            tuple(events[number] for number in one.further),
            one.name,
            sentence.looks_elsewhere(one.quantity.start) or back,
        )


def _is_beside(sentence: Sentence, one: int, other: int) -> bool:
    """Whether two words are of one clause with no comma between them."""
    between = sentence.words[min(one, other) : max(one, other)]
    return sentence.clause_of(one) == sentence.clause_of(other) and "," not in between


def _participants(sentence: Sentence, head: int, event: Mention, entities: Sequence[Mention]) -> Iterator[Participant]:
    """The entities of an event's clause that are neither its times nor its places, in the order of the text."""
    taken = {sentence.first + word for one in sentence.times for word in range(one.start, one.end)}
    taken |= {sentence.first + word for one in sentence.places for word in range(one.start, one.end) if one.firm}
    clause = clause_of(sentence.parse, head)
    for entity in sorted(entities, key=lambda one: one.tokens):
        own = clause_of(sentence.parse, sentence.parse.head_of(entity.tokens))
        if own == clause and taken.isdisjoint(entity.tokens) and entity.tokens != event.tokens:
            before = sentence.lower[entity.start - 1 - sentence.first] if entity.start > sentence.first else ""
            determined = before in ("the", "a", "an") and entity.start - 2 >= sentence.first
            if determined:
                before = sentence.lower[entity.start - 2 - sentence.first]
            role = before if before in _ROLES else "before" if entity.start < event.start else "after"
            yield Participant(role, entity)

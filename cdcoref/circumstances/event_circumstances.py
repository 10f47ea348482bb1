"""When, where, who and how many: a document and its mentions in, the circumstances of every event mention out.

Each circumstance comes with the tokens that state it and with how near they are: in the mention's own clause, in its
sentence, or elsewhere in the document, whose main event lends its day and place to the events that look nowhere else.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from cdcoref.circumstances.arguments import named_object, subjects
from cdcoref.circumstances.attachment import Span, attached, is_reporting
from cdcoref.circumstances.clause_settings import Clause
from cdcoref.circumstances.document_days import day_of
from cdcoref.circumstances.main_event import setting_of
from cdcoref.circumstances.quantities import Count, Quantity, counts_in, quantities_in
from cdcoref.circumstances.relations import relations, states_relation
from cdcoref.circumstances.sentences import Sentence, Source, When, Where, most_exact, sentences_of
from cdcoref.circumstances.themes import surnames_of, theme
from cdcoref.corpus import ENTITY, EVENT, Document, Mention
from cdcoref.facts import UNKNOWN_YEAR, Period, StatedTime

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

    Attributes
    ----------
    setting
        What the document as a whole states.
    """

    def __init__(self, document: Document, cased: Document) -> None:
        today = day_of(document)
        self._sentences = sentences_of(document, cased, today)
        self._recent = any(one.period is None for own in self._sentences for one in own.times)
        self._firsts = [own.first for own in self._sentences]
        self.setting = setting_of(document, self._sentences, today)
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

    def _when(self, sentence: Sentence, spans: Sequence[Span]) -> list[list[When]]:
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

        A document of an unknown day that states weekdays and the like reports recent things: its years are earlier
        ones, and a relative time is some day of a year of its own; its weekday may be known.
        """
        unknown = self.setting.today is None
        if one.period is None:
            some_day = Period.of_year(UNKNOWN_YEAR) if one.weekday is None else Period.of_weekday(one.weekday)
            return When(some_day, tokens, Source.CLAUSE) if unknown else None
        earlier = unknown and self._recent and one.period.has_year
        return When(one.period, tokens, Source.CLAUSE, one.looks_back or earlier)

    def _from_clause_before(self, sentence: Sentence, place: int, own: Mapping[int, Sequence[When]]) -> When | None:
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

    def _where(self, sentence: Sentence, spans: Sequence[Span]) -> list[list[Where]]:
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
                found[number] = most_exact(found[number])
            elif not sentence.clauses[sentence.clause_of(span[0])].elsewhere and not is_reporting(
                sentence.lower[span[0]]
            ):
                found[number] = most_exact(near)
                if not near and self.setting.where is not None:
                    found[number] = [self.setting.where]
        return found


def _lends(sentence: Sentence, clause: int) -> bool:
    """Whether what a clause states may hold for the sentence: it neither looks elsewhere nor tells of one word."""
    return not sentence.clauses[clause].elsewhere and not sentence.clauses[clause].relative


def _ends_before(sentence: Sentence, when: When, place: int) -> bool:
    """Whether nothing but punctuation lies between a time and a word of the sentence."""
    return all(not word.isalnum() for word in sentence.words[when.tokens[-1] + 1 - sentence.first : place])


def _how_many(sentence: Sentence, spans: Sequence[Span]) -> list[list[HowMany]]:
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


def _quantities(sentence: Sentence, events: Sequence[Mention]) -> Iterator[StatedQuantity]:
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


def _is_beside(sentence: Sentence, one: int, other: int) -> bool:
    """Whether two words are of one clause with no comma between them."""
    between = sentence.words[min(one, other) : max(one, other)]
    return sentence.clause_of(one) == sentence.clause_of(other) and "," not in between


def _participants(
    sentence: Sentence, clause: Clause, event: Mention, entities: Sequence[Mention]
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

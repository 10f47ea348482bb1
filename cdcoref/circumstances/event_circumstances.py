"""When, where and with whom: a document and its mentions in, the circumstances of every event mention out, each with
the tokens that state it and how it is known."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from itertools import pairwise

from cdcoref.circumstances.lead import Lead, day_of
from cdcoref.circumstances.owners import governor, is_report, is_reporting, owners
from cdcoref.circumstances.places import StatedPlace
from cdcoref.circumstances.quantities import StatedQuantity, quantities_of
from cdcoref.circumstances.sentences import (
    Sentence,
    Source,
    When,
    Where,
    most_exact,
    opens_entry,
    sentences_of,
    without_hour,
)
from cdcoref.circumstances.sentences import stated as stated_at
from cdcoref.corpus import ENTITY, EVENT, Document, Mention
from cdcoref.facts import (
    Parse,
    Period,
    clause_of,
    distances,
    has_not_happened,
    is_in_relative_clause,
    is_verb,
    looks_elsewhere,
    name_at,
    opened_behind,
    reported_at,
    verbs_about,
)
from cdcoref.word_tables import rows, words_in

OBJECT, SUBJECT, _NOUN = "object", "subject", "noun"
_KIND_OF = {
    word: (row["kind"], role)
    for row in rows("event_kinds.tsv")
    for role in (OBJECT, SUBJECT, _NOUN)
    for word in row[role].split()
}
_OF_PEOPLE = frozenset(row["kind"] for row in rows("event_kinds.tsv") if row[OBJECT] or row[SUBJECT])
_BEFORE_DEEDS = words_in("time_words.tsv", "deed")
_LONG = 365
_LONGEST_DISTANCE = 27
"""In days; months and years are not counted to a day."""
_DETERMINERS = words_in("function_words.tsv", "determiner")
_LONGEST_HEADING, _LONGEST_DAY_HEADING = 6, 10
_LONGEST_OF_HEADING = 3
"""In days, as of "March 4-5"."""
_HOUR = re.compile(r"(\d\d?)(?: ?[.:] ?\d\d)?(?:(?<= \d\d)|(?<=[.:]\d\d)|(?: ?([ap])\.? ?m\.?))\W*", re.IGNORECASE)
_EVENING, _MORNING = 18, 6
"""A heading with an hour before `_MORNING` is on the next day if the hour above it is `_EVENING` or later."""
_PARTS_OF_DAY = words_in("time_words.tsv", "part of day")
_NEAR_DAYS = words_in("time_words.tsv", "near")


@dataclass(frozen=True, slots=True)
class Participant:
    """An entity in the mention's clause, with its preposition ("by", "of") or side: ``"before"``, ``"after"``."""

    role: str
    mention: Mention


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What is known of when, where and with whom; empty where unknown, the nearest first.

    `elsewhere`: whether its clause is about another happening than the document ("since 2017, when ...").
    `ahead`: whether it is still to come ("will cut").
    `theme`: the name of the person that a transfer, an arrest or the like is of, in lower case.
    """

    when: tuple[When, ...] = ()
    where: tuple[Where, ...] = ()
    participants: tuple[Participant, ...] = ()
    elsewhere: bool = False
    ahead: bool = False
    theme: tuple[str, ...] = ()


class DocumentCircumstances:
    """The circumstances of the events of one document; hidden sentences state none.

    `cased`: the document with headlines in sentence case. `lead`: what its beginning says of its main event.
    """

    def __init__(self, document: Document, cased: Document, parse: Parse) -> None:
        today = day_of(document)
        self._parse = parse
        self._words = cased.tokens
        self._sentences = sentences_of(cased, parse, today)
        self._firsts = [own.first for own in self._sentences]
        self._headings = dict(zip(self._firsts, _day_headings(self._sentences, today), strict=True))
        self.lead = Lead(document, self._sentences, parse, today)
        self._surnames = _surnames_of(parse, cased.tokens)

    @cached_property
    def sure_places(self) -> Mapping[str, StatedPlace]:
        """Certain places by lower-case name: countries, towns with a state or country, datelines in a named country."""
        places = [(own, one) for own in self._sentences for one in own.places if one.place.country]
        countries = {one.place.country for _, one in places if one.place.sort == "country"}
        sure = [n for own, n in places if n.certain or (n.start < own.dateline and n.place.country in countries)]
        return {one.place.name.casefold(): one for one in reversed(sure)}

    def of_mentions(self, mentions: Sequence[Mention]) -> list[Circumstances]:
        """The circumstances of all mentions of the document, in their order; entities have none."""
        parse = self._parse
        of_events: dict[Mention, Circumstances] = {}
        for number, own in self._by_sentence(mentions).items():
            sentence = self._sentences[number]
            if not sentence.words:
                continue  # a hidden sentence states nothing, of the mentions in it neither
            own.sort(key=lambda one: one.tokens)
            events, entities = ([one for one in own if one.kind == kind] for kind in (EVENT, ENTITY))
            heads = [parse.head_of(event.tokens) for event in events]
            stated = zip(events, heads, self._when(sentence, heads), self._where(sentence, heads), strict=True)
            for event, head, when, where in stated:
                participants = tuple(_participants(sentence, head, event, entities))
                theme = _theme(parse, self._words, head, self._surnames)
                elsewhere = looks_elsewhere(parse, head)
                ahead = "will" in map(parse.lemma, parse.below(head, "aux"))
                of_events[event] = Circumstances(tuple(when), tuple(where), participants, elsewhere, ahead, theme)
        return [of_events.get(mention, Circumstances()) for mention in mentions]

    def quantities(self, mentions: Sequence[Mention]) -> list[StatedQuantity]:
        """What the document counts and measures, in the order of the text; `mentions` are all of the document's."""
        found: list[StatedQuantity] = []
        by_sentence = self._by_sentence([mention for mention in mentions if mention.kind == EVENT])
        for number, sentence in enumerate(self._sentences):
            events = {self._parse.head_of(event.tokens): event for event in by_sentence.get(number, ())}
            found += quantities_of(sentence, events)
        return found

    def _by_sentence(self, mentions: Sequence[Mention]) -> Mapping[int, list[Mention]]:
        found: defaultdict[int, list[Mention]] = defaultdict(list)
        for mention in mentions:
            found[bisect_right(self._firsts, mention.start) - 1].append(mention)
        return found

    def _when(self, sentence: Sentence, heads: Sequence[int]) -> list[list[When]]:
        """The times of every event of a sentence, by the events' head tokens."""
        parse = self._parse
        own: list[list[When]] = [[] for _ in heads]
        of_verbs: list[list[When]] = [[] for _ in heads]
        events = {head: number for number, head in reversed([*enumerate(heads)])}
        stated: list[tuple[When, int | None]] = []
        today, heading = self.lead.setting.today, self._headings.get(sentence.first)
        times = [one for one in sentence.times if one.start >= sentence.dateline]
        moved = 0
        if today is not None and heading is not None and today.has_year and heading.period.has_year:
            moved = (heading.period.first - today.first).days
        for one in times:
            tokens, time = sentence.tokens(one.start, one.end), one
            if moved and one.period is not None and sentence.word(one.start) in _NEAR_DAYS:  # "tomorrow" below "MONDAY"
                time = replace(one, period=one.period.shifted(moved))
            says = reported_at(parse, tokens[0])
            word = governor(parse, tokens, events) if says is None else says
            if one.days:  # "three days before the storm of 3 July struck"
                base = next((other.period for other in times if other.start >= one.end and other.period), None)
                time, above = replace(one, period=base and base.shifted(one.days)), parse.heads[tokens[-1]]
                word = parse.heads[above] if parse.relations[tokens[-1]] == "mark" else above
            if (when := stated_at(time, sentence, today, recent=self.lead.recent)) is None:
                continue
            stated.append((when, word))
            opened = [  # "since 2017, when a blaze ..."
                parse.heads[token]
                for token in range(tokens[-1] + 1, min(tokens[-1] + 3, len(parse.heads)))
                if opened_behind(parse, parse.heads[token]) == tokens[-1]
            ]
            numbers = [] if word is None else owners(parse, word, events)
            opened = [one for verb in opened for one in (verb, *parse.below(verb, "conj"))]
            behind = (n for verb in opened for n in owners(parse, verb, events, of_place=True))
            for number in dict.fromkeys((*numbers, *behind)):
                (own if heads[number] == word else of_verbs)[number].append(when)
        return [
            own[number] or of_verbs[number] or [*self._not_stated(sentence, head, stated)]
            for number, head in enumerate(heads)
        ]

    def _not_stated(self, sentence: Sentence, head: int, stated: Sequence[tuple[When, int | None]]) -> Iterator[When]:
        parse = self._parse
        for mark, days in distances(parse, head):  # "three days after a fire ..."
            if abs(days) > _LONGEST_DISTANCE:
                return
            later = parse.heads[parse.heads[mark]] if parse.relations[mark] == "mark" else parse.heads[mark]
            of_base = next((when for when, word in stated if word == later), None)
            base = of_base or self.lead.setting.when
            shifted = None if base is None else base.period.shifted(days)
            if shifted is not None:
                # The main event's day may be a guess. A longer time gives no exact day.
                known = Source.INFERRED if of_base is None else Source.STATED
                source = known if shifted.days == 1 else Source.COUNTED
                yield When(shifted, tuple(range(max(sentence.first, mark - 2), mark + 1)), source)
                return
        above = parse.heads[head]
        if parse.relations[head] == "pobj" and parse.lemmas[above] in _BEFORE_DEEDS:
            # "fined in 1998 after an accident"
            long = (when for when, word in stated if word == parse.heads[above] and when.period.days >= _LONG)
            yield from (replace(when, source=Source.INFERRED) for when in long)
        heading = self._headings.get(sentence.first)
        stated = [pair for pair in stated if heading is None or pair[0].tokens != heading.tokens]
        is_said = is_reporting(parse, head) and heading is None
        if looks_elsewhere(parse, head) or is_said or has_not_happened(parse, head):
            return
        subjects = parse.below(head, "nsubj", "nsubjpass")
        if of_subject := [when for when, word in stated if when.looks_back and word in subjects]:
            # "a slide in 1987 killed two", but "a plan of 1987 was adopted"
            yield from of_subject if parse.lemmas[head] in verbs_about("effect") else ()
            return
        near = [
            replace(when, source=Source.SENTENCE)
            for when, word in stated
            if not (looks_elsewhere(parse, when.tokens[0]) or is_in_relative_clause(parse, when.tokens[0]))
            and (word is None or not is_report(parse, word))
        ]
        above_or_below = {*parse.ancestors(head), *parse.below(head, "xcomp")}  # "declined to comment on Sunday"
        if heading is not None:
            says = parse.heads[head] if parse.relations[head] == "ccomp" else head
            auxiliaries = [word for word in parse.below(head, "aux") if parse.lemma(word) == "have"]
            # "says that she fell", "had fallen"
            is_earlier = parse.tags[head] == "VBD" and parse.tags[says] in ("VBZ", "VBP")
            is_earlier |= any(parse.tags[word] == "VBD" for word in auxiliaries)
            if not is_earlier and not any(word in above_or_below for _, word in stated):
                yield heading
        elif head in self.lead.happening_then and self.lead.when is not None:
            yield self.lead.when
        elif near:
            yield from near
        elif self.lead.setting.when is not None:
            yield self.lead.setting.when

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
            modified = parse.relations[parse.head_of(tokens)] != "nsubj" and any(
                heads[number] - tokens[-1] in (1, 2) for number in numbers
            )
            before = sentence.lower[one.start - 1 : one.start]
            if not one.firm and not (modified and _DETERMINERS.issuperset(before)):
                continue  # but "in a New York press conference"
            if not looks_elsewhere(parse, tokens[0]):
                near.append(Where(one.place, tokens, Source.SENTENCE))
            for number in numbers:
                found[number].append(Where(one.place, tokens, Source.STATED))
        for number, head in enumerate(heads):
            if not found[number] and parse.lemma(head) in verbs_about("effect"):  # "a fire in Portugal killed five"
                of_subjects = (found[events[one]] for one in parse.below(head, "nsubj") if one in events)
                found[number] = next(of_subjects, [])
            if found[number]:
                found[number] = most_exact(found[number])
            elif not looks_elsewhere(parse, head) and not is_reporting(parse, head):
                found[number] = most_exact(near)
                if head in self.lead.main and self.lead.where is not None:
                    found[number] = [self.lead.where]
                elif not near and self.lead.setting.where is not None:
                    found[number] = [self.lead.setting.where]
        return found


def _day_headings(sentences: Sequence[Sentence], today: Period | None) -> Iterator[When | None]:
    """For each sentence the day of the heading that it stands under; the day of the document alone is none."""
    headings = _in_order([_day_of_heading(own) for own in sentences], sentences)
    is_diary = any(heading is not None and heading.period != today for heading in headings)
    current: When | None = None
    last = 0
    for own, heading in zip(sentences, headings, strict=True):
        if heading is not None and is_diary:
            current, last = heading, 0
        elif (hour := _hour_of_heading(own)) is not None:
            if current is not None and last >= _EVENING and hour < _MORNING:
                current = replace(current, period=current.period.shifted(1) or current.period)
            last = hour
        elif 0 < len(own.words) <= _LONGEST_HEADING and all(word.isalpha() for word in own.words):
            current = current if _PARTS_OF_DAY.issuperset(own.lower) else None  # "Noon", "Background"
        yield current


def _in_order(headings: list[When | None], sentences: Sequence[Sentence]) -> list[When | None]:
    """The headings; a bare weekday ("SATURDAY") that is not before the heading below it moves a week back."""
    dated = [(n, one) for n, one in enumerate(headings) if one is not None and one.period.weekday is None]
    days = [one.period.first for _, one in dated]
    steps = [(later.weekday() - earlier.weekday()) % 7 for earlier, later in pairwise(days)]
    if sum(0 < step < 4 for step in steps) <= len(steps) / 2:  # the newest may come first
        return headings
    later = date.max
    for number, one in reversed(dated):
        alone = not any(map(str.isdigit, "".join(sentences[number].words)))
        period = (one.period.first > later and alone and one.period.shifted(-7)) or one.period
        headings[number], later = replace(one, period=period), period.first
    return headings


def _hour_of_heading(own: Sentence) -> int | None:
    """The hour of a line that is a time of day ("12.40 a.m.", "23:10")."""
    found = _HOUR.fullmatch(" ".join(own.words))
    return None if found is None else int(found[1]) if not found[2] else int(found[1]) % 12 + 12 * (found[2] in "pP")


def _day_of_heading(own: Sentence) -> When | None:
    """The day that a heading is, with nothing beside it but a label and a colon, or that opens an entry of a list."""
    is_entry = opens_entry(own)
    for time in own.times if is_entry or len(own.words) <= _LONGEST_DAY_HEADING else ():
        is_apart = own.word(time.start - 1) in ("", ":") and without_hour(own.words[time.end :]) in ((), (".",))
        if time.period is not None and (is_entry or (time.period.days <= _LONGEST_OF_HEADING and is_apart)):
            return When(time.period, own.tokens(time.start, time.end), Source.HEADING)
    return None


def _participants(sentence: Sentence, head: int, event: Mention, entities: Sequence[Mention]) -> Iterator[Participant]:
    """The entities of an event's clause that are neither its times nor its places, in the order of the text."""
    parse = sentence.parse
    taken = {sentence.first + word for one in sentence.times for word in range(one.start, one.end)}
    taken |= {sentence.first + word for one in sentence.places for word in range(one.start, one.end) if one.firm}
    clause = clause_of(parse, head)
    for entity in entities:
        token = parse.head_of(entity.tokens)
        if clause_of(parse, token) == clause and taken.isdisjoint(entity.tokens):
            side = "before" if entity.start < event.start else "after"
            is_object = parse.relations[token] == "pobj"
            yield Participant(parse.lemma(parse.heads[token]) if is_object else side, entity)


def kind_of(lemma: str, *, of_people: bool) -> str:
    """The kind of an event, by its dictionary form, if it is of people, or of nobody; empty if it has no such kind."""
    kind = _KIND_OF.get(lemma, ("", ""))[0]
    return kind if (kind in _OF_PEOPLE) is of_people else ""


def _name(parse: Parse, words: Sequence[str], noun: int) -> tuple[str, ...]:
    """The words of a name, in lower case; of a noun, those of the name behind it ("the defender Piet Maas")."""
    behind = parse.below(noun, "appos")
    names = (name_at(parse, token) for token in (noun, *behind))
    name = next(filter(None, names), ())
    return tuple(words[token].casefold() for token in name if words[token][:1].isupper())


def _surnames_of(parse: Parse, words: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The full names of a document by their last words, in lower case; those of several are left out."""
    found: dict[str, set[tuple[str, ...]]] = {}
    for token in range(len(words)):
        if parse.relations[token] != "compound" and len(name := _name(parse, words, token)) > 1:
            found.setdefault(name[-1], set()).add(name)
    return {last: next(iter(names)) for last, names in found.items() if len(names) == 1}


def _theme(parse: Parse, words: Sequence[str], event: int, surnames: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """The name of the person that an arrest or the like is of, in lower case, in full if only one person has it."""
    kind, role = _KIND_OF.get(parse.lemma(event), ("", ""))
    if kind not in _OF_PEOPLE:
        return ()
    wanted = SUBJECT if role == SUBJECT and is_verb(parse, event) else OBJECT
    for noun in (noun for role, noun in names_in_roles(parse, event) if role == wanted):
        if name := _name(parse, words, noun):
            return name if len(name) > 1 else surnames.get(name[0], name)
    return ()


def names_in_roles(parse: Parse, event: int) -> Iterator[tuple[str, int]]:
    """The nouns that are its subject or object, or stand behind a preposition, each with that role.

    Who a noun belongs to, or what it is of, is its object ("Maas's arrest").
    """
    is_clause = is_verb(parse, event)
    for child in parse.children[event]:
        relation = parse.relations[child]
        if relation == "nsubj":
            yield SUBJECT, child
        elif relation in ("dobj", "nsubjpass", "poss"):
            yield OBJECT, child
        elif relation in ("prep", "agent"):
            name = parse.lemma(child)
            role = OBJECT if name == "of" and not is_clause else name
            yield from ((role, noun) for noun in parse.children[child] if parse.relations[noun] == "pobj")

"""The beginning of a document: its day, and its main event, the verb of the headline and of the first sentence or what
somebody is there said to have done, with day and place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import chain

from cdcoref.circumstances.gazetteer import Place
from cdcoref.circumstances.owners import governor, is_report, owners, verb_during
from cdcoref.circumstances.places import CONTINENTS, OFFICIALS, dateline_end, places_in
from cdcoref.circumstances.sentences import ENDS_SENTENCE, LINE_BREAK, Sentence, Source, When, Where, is_part, stated
from cdcoref.corpus import Document
from cdcoref.facts import (
    Parse,
    Period,
    above_in_phrase,
    calls_off,
    clause_of,
    did_not_happen,
    is_in_relative_clause,
    is_verb,
    looks_ahead,
    looks_elsewhere,
    times_in,
    verb_of,
    verbs_about,
)
from cdcoref.language import BEFORE_OTHER_DAYS, HALVES_OF_DAY, HEADER_LINES, day_in, day_in_name, is_header_line
from cdcoref.word_tables import words_in

_LEAD = 5
"""Sentences at the beginning of a document that may state when and where its main event was."""
_FIRST = 2
"""Of which the first may state them although no word of the main event is in their clause."""
_LONGEST_MAIN = 31
"""Days of the time of a main event, at most, and from it to the day of the document."""
_REPORTED_WITHIN = 7
"""Days between an event and the report of it, where nothing else is stated."""
_LONGEST_HEADING = 6
_STEM_LETTERS = 5
_HEADLINES = 3
"""Lines before the first sentence that may be headlines."""
_HAPPENINGS = words_in("happenings.tsv")
_OF_VERBS = ("ing", "ion", "ment", "ance", "ence")
_ARGUMENTS = words_in("parse_labels.tsv", "argument")
_STATED, _STEM, _VERB, _LOCAL, _UNKNOWN, _ASIDE, _BODY, _DATELINE = range(8)
"""What a time or place belongs to: the main event, a word of its stem, another verb; of a place also the officials of
a place, or the dateline; a relative clause, or a sentence behind the beginning."""
_FIRST_SENTENCES = 3
"""Sentences of a document in which its day is looked for."""
MANY_COUNTRIES = 3
"""Something stated of this many has no single place ("4,300 jobs in France, 3,700 in Germany and 400 in Spain")."""
_LONGEST_PHRASE = 10
"""Words of a phrase that is looked through for a happening."""
_LONGEST_DATE_LINE = 12
"""Words of a sentence in which a dateline or a line with the date ends."""
_IN_PROSE = words_in("time_words.tsv", "prose")
_COMPANIES = frozenset(map(str.capitalize, words_in("name_endings.tsv", "company")))
"""In names ("Qatar Airways")."""
_CARE = words_in("place_words.tsv", "care")
_EARLIER = words_in("time_words.tsv", "earlier")
_OF_PUBLICATION = re.compile(r"publish|pub_?date|posted", re.IGNORECASE)
"""In names of metadata: "date_publish", "datePublished", "published_at", "pubDate"."""
_HOUR = re.compile(r"\d\d?(?:[.:]\d\d)?[ap]m|(?:[01]?\d|2[0-3]):[0-5]\d|(?:[01]\d|2[0-3])[0-5]\d")
_BEHIND_HOURS = HALVES_OF_DAY | {"gmt", "utc"}
_DASHES = frozenset({"-", "--", "–", "—", "―", "(", ")", "|", ":"})


@dataclass(frozen=True, slots=True)
class Setting:
    """What a document as a whole states: its day, when and where its main event was, all places that it names.

    `about`: the place that its title names first.
    """

    today: Period | None = None
    when: When | None = None
    where: Where | None = None
    places: frozenset[Place] = frozenset()
    about: Place | None = None

    def may_be_main(self, period: Period) -> bool:
        """Whether a period may be that of its main event: a single day, or at most a month that is near."""
        is_near = self.today is None or not self.today.has_year or period.gap(self.today) <= _LONGEST_MAIN
        return period.days == 1 or (period.days <= _LONGEST_MAIN and is_near)

    def is_news(self, period: Period) -> bool:
        """Whether a period is a single day and, if the day of the document is known, of the week before it."""
        if self.today is None or not self.today.has_year or period.days > 1:
            return period.days == 1
        return period.first <= self.today.last and period.gap(self.today) <= _REPORTED_WITHIN


class Lead:
    """The beginning of a document: candidates for its main event, the most probable first, with their time and place.

    `happening_then`: those of them that have this time, if none of their own, unlike what somebody is arrested for.
    `recent`: whether a time of it has no known value, as "yesterday" in a document of an unknown day.
    `is_stated`, `states_where`: whether the clause of the main event itself states `when`, and `where`.
    `is_about_place`: whether the place of the title only modifies no noun ("US contracts").
    """

    def __init__(self, document: Document, sentences: Sequence[Sentence], parse: Parse, today: Period | None) -> None:
        self._parse = parse
        self._sentences = sentences
        shown = [own for own in sentences if own.words and not own.lower[0].startswith(("http", "www"))]
        headers = {own.first for own in shown if is_header_line(" ".join(own.words))}
        self._lines = [own for own in shown if own.first not in headers]
        self._body = min((own.first for own in shown[:HEADER_LINES] if own.first in headers), default=0)
        if not any(map(self._is_prose, self._lines)):  # the line with the date is the last
            self._body = 0
        telling = [number for number, own in enumerate(self._lines) if len(own.words) > _LONGEST_HEADING]
        self._lead = self._lines[: telling[_LEAD - 1] + 1] if len(telling) >= _LEAD else self._lines
        prose = [self._lines[number] for number in telling if self._is_prose(self._lines[number])]
        self._first = frozenset(own.first for own in (*self._lines[:1], *prose[:_FIRST]))
        self.main = tuple(word for word in dict.fromkeys(self._main_words()) if not did_not_happen(parse, word))
        deeds = {deed for word in self.main for deed in _deeds(parse, word)}
        self.happening_then = frozenset(word for word in self.main if not calls_off(parse, word)) - deeds
        light = verbs_about("light") | verbs_about("report") | verbs_about("search")
        happening = [word for word in self.main if parse.lemma(word) not in light]
        self._stems = {_stem(parse, word) for word in happening} - {""}
        self._nouns = {parse.lemmas[word] for word in happening if parse.parts[word] == "NOUN"}
        self.recent = any(one.period is None for own in sentences for one in own.times)
        times = sorted(self._times(today), key=lambda time: time[:2])
        title = "" if "title" in document.found else str(document.metadata.get("title", ""))
        words = title.split() or (self._lines[0].words if self._lines else ())
        behind = (*words, "")
        below = {one.place for own in self._lines[not title :] for one in own.places}
        known = [one for one in places_in(words) if one.place.country and behind[one.end] not in _COMPANIES]
        # "Gigante" in "Vincent Gigante dies" is a town only if the text below names it as a place too.
        sure = (one.firm or one.certain or one.local or one.place.sort != "city" or one.place in below for one in known)
        names = [one for one, is_sure in zip(known, sure, strict=True) if is_sure]
        named = [one.place for one in names]
        name = () if title or not names else self._lines[0].tokens(names[0].start, names[0].end)
        self.is_about_place = not name or parse.relations[parse.head_of(name)] not in ("compound", "amod", "nmod")
        ranked = sorted(
            self._places(),
            key=lambda pair: (_is_abroad(pair[1].place, named), pair[0], pair[1].place.sort in ("country", "region")),
        )
        places = _exact([where for rank, where in ranked if rank != _DATELINE])
        places += [where for rank, where in ranked if rank == _DATELINE and not _is_abroad(where.place, named)]
        self.when = next((one for _, _, one in times if one.source == Source.INFERRED), None) or self._at_hour(today)
        self.where = next((where for where in places if where.source == Source.INFERRED), None)
        self.is_stated = any(rank == _STATED and one is self.when for rank, _, one in times)
        if len({one.place.country for rank, one in ranked if rank == _STATED} - {""}) >= MANY_COUNTRIES:
            self.where = None
        place = self.where and self.where.place
        self.states_where = any(rank == _STATED and one.place == place for rank, one in ranked)
        when = next((one for _, of_report, one in times if not of_report and one.period.weekday is None), None)
        if when is None and today is not None and (start := today.shifted(-_REPORTED_WITHIN)) is not None:
            when = When(Period(start.first, today.last), (), Source.DOCUMENT)
        self.setting = Setting(
            today,
            when and replace(when, source=Source.DOCUMENT),
            replace(places[0], source=Source.DOCUMENT) if places else None,
            frozenset(
                one.place
                for own in sentences
                for one in own.places
                if not looks_elsewhere(parse, own.first + one.start)
            ),
            named[0] if named else None,
        )

    @property
    def end(self) -> int:
        """The token behind its last."""
        return self._lead[-1].first + len(self._lead[-1].words) if self._lead else 0

    def _is_prose(self, own: Sentence) -> bool:
        """Whether a line is a sentence, and not above the line with the date or the byline."""
        words = [word for word in own.words[-2:] if word != LINE_BREAK]
        return own.first >= self._body and bool(words) and words[-1] in ENDS_SENTENCE

    def _main_words(self) -> Iterator[int]:
        """The verbs of headlines and of the first sentence, with their subjects and objects."""
        prose = next((n for n, own in enumerate(self._lines) if self._is_prose(own)), len(self._lines))
        for own in (*self._lines[:prose][-_HEADLINES:], *self._lines[prose : prose + 1]):
            tokens = range(own.first + own.dateline, own.first + len(own.words))
            for root in tokens:
                if self._parse.heads[root] == root or self._parse.heads[root] not in tokens:
                    yield from _main_words_below(self._parse, root)

    def _events_in(self, own: Sentence, *, with_arguments: bool = False) -> Mapping[int, int]:
        """The words of the main event in a sentence; on request also those for who and what takes part in it."""
        found = {}
        for word in range(own.first + own.dateline, own.first + len(own.words)):
            stem = _stem(self._parse, word)
            is_noun = self._parse.parts[word] == "NOUN" and self._parse.lemmas[word] in self._nouns
            has_part = with_arguments and (word in self.main or is_noun)
            if has_part or (stem and (word in self.main or stem in self._stems)):
                found[word] = word
        return found

    def _times(self, today: Period | None) -> Iterator[tuple[int, bool, When]]:
        """The times of the document: the rank of each, whether it is the time of a report, and the time."""
        parse, end = self._parse, self.end
        for own in (*self._lead, *(own for own in self._sentences if own.first >= end)):
            events = self._events_in(own)
            for time in own.times:
                when = stated(time, own, today, recent=self.recent)
                word = governor(parse, own.tokens(time.start, time.end), events)
                verb = None if word is None else verb_during(parse, word)
                word = word if verb is None or is_report(parse, verb) else verb
                if word is None or when is None or when.looks_back or looks_elsewhere(parse, when.tokens[0]):
                    continue
                days = 1 if when.period.weekday is not None else when.period.days
                if did_not_happen(parse, word) or time.start < own.dateline or days > _LONGEST_MAIN:
                    continue
                is_near = today is None or not today.has_year or when.period.gap(today) <= _LONGEST_MAIN
                is_aside = is_in_relative_clause(parse, when.tokens[0]) or days > _REPORTED_WITHIN
                is_aside |= today is not None and today.has_year and when.period.gap(today) > _REPORTED_WITHIN
                having: list[int] = []
                if own.first >= end:
                    if today is None or days > 1 or not is_near or today.first < when.period.first:
                        continue
                    rank = _BODY
                elif having := owners(parse, word, events):
                    rank = _STATED if any(one in self.main for one in having) else _STEM
                elif is_near:
                    rank = _VERB if is_verb(parse, word) and not is_aside else _ASIDE
                else:
                    continue
                is_of_report = is_report(parse, word) and parse.lemma(word) not in verbs_about("announcement")
                tells = own.first in self._first or today is None
                inferred = bool(having) or (rank == _VERB and tells and not is_of_report)
                inferred = inferred and (today is None or not is_aside)
                yield rank, is_of_report, replace(when, source=Source.INFERRED if inferred else Source.DOCUMENT)

    def _at_hour(self, today: Period | None) -> When | None:
        """The day of the document, if the main event has only a time of day ("landed at 6.40 p.m.")."""
        if today is None or not today.has_year or self.recent:
            return None
        for own in self._lead:
            events = self._events_in(own)
            for place, word in enumerate(own.words):
                is_hour = word[:1].isdigit() and own.word(place + 1) in _BEHIND_HOURS
                is_object = self._parse.relations[own.first + place] == "pobj"  # unlike "at 2024 metres"
                if is_hour or (is_object and _HOUR.fullmatch(word) and own.word(place - 1) == "at"):
                    tokens = own.tokens(place, place + 1 + is_hour)
                    verb = governor(self._parse, tokens, events)
                    if verb is not None and not looks_ahead(self._parse, verb) and owners(self._parse, verb, events):
                        return When(today, tokens, Source.INFERRED)
        return None

    def _is_of_earlier_year(self, own: Sentence, token: int) -> bool:
        """Whether all times in the clause of a token look back to another year than the document's."""
        clause = clause_of(self._parse, token)
        times = [time for time in own.times if clause_of(self._parse, own.first + time.start) == clause]
        return bool(times) and all(time.looks_back for time in times)

    def _places(self) -> Iterator[tuple[int, Where]]:
        """The places of the beginning, with what each belongs to."""
        parse = self._parse
        for own in self._lead:
            events = self._events_in(own, with_arguments=True)
            for one in own.places:
                where = Where(one.place, own.tokens(one.start, one.end), Source.INFERRED)
                word = governor(parse, where.tokens, events, of_place=True)
                is_relative = is_in_relative_clause(parse, where.tokens[0])
                if one.start < own.dateline:  # or a town that is small enough to be named with its state
                    yield _LOCAL if one.certain and one.place.region else _DATELINE, where
                elif looks_elsewhere(parse, where.tokens[0]) or one.place.name in CONTINENTS:
                    continue
                elif self._is_of_earlier_year(own, where.tokens[0]):
                    continue  # "last year it cut 150 jobs at its plant in Dunsop"
                elif not one.firm and not (own is self._lines[0] and names_happening(parse, where.tokens)):
                    if one.local and OFFICIALS.isdisjoint(own.lower[one.end : one.end + 2]):
                        yield _BODY, replace(where, source=Source.DOCUMENT)
                    elif one.local:  # of a state officials are named where a town may be
                        goes_there = "to" in map(parse.lemma, above_in_phrase(parse, where.tokens[0]))
                        yield _ASIDE if one.place.sort == "region" or goes_there else _LOCAL, where
                elif word is not None and owners(parse, word, events, of_place=True):
                    yield _VERB if is_relative else _STATED, where
                elif own.first in self._first and _CARE.isdisjoint(
                    map(parse.lemma, above_in_phrase(parse, where.tokens[0]))
                ):
                    auxiliaries = parse.below(verb_of(parse, where.tokens[0]), "aux")
                    if "MD" in {parse.tags[word] for word in auxiliaries}:  # "should be held in Florence"
                        yield _ASIDE, replace(where, source=Source.DOCUMENT)
                    else:
                        yield _VERB if one.place.country and not is_relative else _UNKNOWN, where
                else:
                    yield _ASIDE, replace(where, source=Source.DOCUMENT)


def _exact(places: Sequence[Where]) -> list[Where]:
    """Places, each before those in which it lies."""
    found: list[Where] = []
    for where in places:
        wholes = [n for n, other in enumerate(found) if is_part(where.place, other.place)]
        found.insert(wholes[0] if wholes else len(found), where)
    return found


def names_happening(parse: Parse, tokens: Sequence[int]) -> bool:
    """Whether a place modifies a noun for a happening: "Kansas shooting", "Ecuador's next election"."""
    token = parse.head_of(tokens)
    head = parse.heads[token]
    name = parse.lemma(head)
    modifies = parse.relations[token] in ("compound", "nmod", "amod")
    modifies = modifies or (parse.relations[token] == "nsubj" and parse.parts[head] == "NOUN")
    return modifies and (name in _HAPPENINGS or (parse.parts[head] == "NOUN" and bool(_stem(parse, head))))


def _is_abroad(place: Place, named: Sequence[Place]) -> bool:
    """Whether a place is in none of those that a headline names."""
    return bool(named and place.country) and not any(one.contains(place) or place.contains(one) for one in named)


def _main_words_below(parse: Parse, word: int) -> Iterator[int]:
    """The verb of a clause, its arguments and its conjuncts; for a reporting verb, those of the reported clause."""
    reported = parse.below(word, "ccomp", "parataxis")
    if reported and parse.lemma(word) in verbs_about("report"):
        if parse.lemma(word) in verbs_about("announcement"):  # which is itself the event
            yield word
        for child in reported:
            yield from _main_words_below(parse, child)
        return
    if parse.lemma(word) not in verbs_about("search"):
        yield word
    if not is_verb(parse, word):
        for child in parse.children[word]:
            if parse.relations[child] == "acl" and parse.tags[child] == "VBN":  # "Two killed in a fire"
                yield from _main_words_below(parse, child)
        return
    for child in parse.children[word]:
        if parse.relations[child] in _ARGUMENTS:
            yield child
            yield from parse.below(child, "conj")
        elif parse.relations[child] == "agent":
            yield from parse.children[child]
        elif parse.relations[child] == "prep" and parse.lemma(child) == "in":  # "damaged in a fire"
            yield from (noun for noun in parse.children[child] if parse.lemma(noun) in _HAPPENINGS)
        elif parse.relations[child] == "prep" and parse.lemma(word) == "be" and not parse.below(word, "acomp", "attr"):
            # "are at the scene of a fire"
            behind = range(child + 1, min(child + _LONGEST_PHRASE, len(parse.heads)))
            phrase = (noun for noun in behind if child in above_in_phrase(parse, noun))
            yield from (noun for noun in phrase if parse.lemma(noun) in _HAPPENINGS)
    for child in parse.children[word]:
        if parse.relations[child] in ("conj", "xcomp") and is_verb(parse, child):
            yield from _main_words_below(parse, child)
    yield from _deeds(parse, word)


def _deeds(parse: Parse, verb: int) -> Iterator[int]:
    """What somebody is arrested or charged for ("after a fire", "after he shot two")."""
    if parse.lemma(verb) in verbs_about("inquiry") | verbs_about("arrest"):
        behind = (parse.children[child] for child in parse.children[verb] if parse.relations[child] == "prep")
        for child in (*parse.children[verb], *chain.from_iterable(behind)):
            if parse.relations[child] in ("advcl", "pobj") and _stem(parse, child):
                yield child
                yield from parse.below(child, "conj")


def _stem(parse: Parse, token: int) -> str:
    """What "shot", "shooting" and "shootings" have in common; empty for what is no word for what happens."""
    name = parse.lemma(token)
    happens = parse.parts[token] == "VERB" or (
        parse.parts[token] == "NOUN" and (name in _HAPPENINGS or name.endswith(_OF_VERBS))
    )
    return name.removesuffix("ing")[:_STEM_LETTERS] if happens else ""


def day_of(document: Document) -> Period | None:
    """The day of a document; without a year if none is stated; None if unknown.

    That of its stated metadata, its id or address on the web, of a line that is a date or of a dateline at its
    beginning; not one in a long sentence there, which may be of an earlier happening. A dateline up to 31 days before
    the day from metadata, id or address takes precedence ("LEITH, March 3 (Reuters) -", published on 10 March).
    """
    known = _stated_day(document) or day_in_name(document.id) or _day_in_address(document)
    published = Period.of_day(date.fromisoformat(known)) if known else None
    shown = [bounds for number, bounds in enumerate(document.sentences) if number not in document.hidden]
    without_year: Period | None = None
    for start, end in shown[:_FIRST_SENTENCES]:
        words = document.tokens[start:end]
        for one in times_in(words, published):
            ahead = [word.casefold() for word in words[: one.start]]
            before = ahead[-1] if ahead else ""
            if one.period is None or one.period.days > 1 or before in BEFORE_OTHER_DAYS:
                continue
            if not _EARLIER.isdisjoint(ahead):
                continue  # "it had opened on 3 June 2012"
            is_apart = before not in _IN_PROSE
            if published is not None:
                is_near = one.period.first <= published.first and one.period.gap(published) <= _LONGEST_MAIN
                if is_near and 0 < one.start < dateline_end(words):
                    return one.period
            elif one.period.has_year:
                if is_apart or len(words) <= _LONGEST_DATE_LINE:
                    return one.period
            elif is_apart and one.end < _LONGEST_DATE_LINE and _DASHES.issuperset(words[one.end : one.end + 1]):
                without_year = without_year or one.period
    return published or without_year


def _stated_day(document: Document) -> str | None:
    """The day in a document's stated metadata: its date, or else when it was published."""
    names = [name for name in document.metadata if name not in document.found and _OF_PUBLICATION.search(name)]
    names = names if "date" in document.found else ["date", *names]
    return next((day for name in names if (day := day_in(str(document.metadata.get(name, ""))))), None)


def _day_in_address(document: Document) -> str | None:
    """The day in a document's address on the web: in its metadata, or its first line."""
    start, end = document.sentences[0] if document.sentences and 0 not in document.hidden else (0, 0)
    line = "".join(document.tokens[start:end])
    known = day_in_name(str(document.metadata.get("url", "")))
    return known or (day_in_name(line) if line.startswith(("http:", "https:")) else None)

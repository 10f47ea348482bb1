"""The sentences of a document with the times and places that they state: a document in, its sentences out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from itertools import pairwise

from cdcoref.circumstances.gazetteer import Place
from cdcoref.circumstances.places import AT_PLACE, LANDS_AND_WATERS, StatedPlace, dateline_end, places_in
from cdcoref.corpus import Document
from cdcoref.facts import (
    UNKNOWN_YEAR,
    Parse,
    Period,
    StatedTime,
    above_in_phrase,
    count_named,
    looks_ahead,
    looks_elsewhere,
    times_in,
)
from cdcoref.language import HALVES_OF_DAY, is_common_word
from cdcoref.word_tables import words_in

ENDS_SENTENCE = frozenset({".", "!", "?", "...", ":", ",", ";", "”", '"', "''"})
"""What a sentence ends with, and a headline does not."""
LINE_BREAK = "//n"
_OPENS_ENTRY = frozenset({"-", "–", "—", "--", ":"})
"""What stands behind the day of an entry."""
_HELD = words_in("no_places.tsv", "held")
_PLACE, _OTHER = "place", "other"
_NO_PLACES = frozenset({"EVENT", "LAW", "WORK_OF_ART"})
_PUBLISHED = words_in("time_words.tsv", "publication")


class Source(IntEnum):
    """How a circumstance is known; the larger, the more surely it is the event's own.

    `DOCUMENT`, `SENTENCE` and `COUNTED` only tell events apart; the others are also shown. `COUNTED`: counted from a
    time longer than a day, or from an unknown day ("two days after a fire").
    """

    DOCUMENT = 1
    SENTENCE = 2
    INFERRED = 3
    HEADING = 4
    STATED = 5
    COUNTED = 6


@dataclass(frozen=True, slots=True)
class When:
    """A time, the tokens that state it, and how it is known; `looks_back`: to a year before the document's."""

    period: Period
    tokens: tuple[int, ...]
    source: Source
    looks_back: bool = False


@dataclass(frozen=True, slots=True)
class Where:
    """A place, the tokens that state it, and how it is known."""

    place: Place
    tokens: tuple[int, ...]
    source: Source


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence with what was found in it; words are counted from its first token."""

    first: int
    words: Sequence[str]
    lower: Sequence[str]
    dateline: int
    times: Sequence[StatedTime]
    places: Sequence[StatedPlace]
    parse: Parse

    def word(self, place: int) -> str:
        """A word in lower case; empty outside the sentence."""
        return self.lower[place] if 0 <= place < len(self.lower) else ""

    def tokens(self, start: int, end: int) -> tuple[int, ...]:
        return tuple(range(self.first + start, self.first + end))


def sentences_of(document: Document, parse: Parse, today: Period | None) -> list[Sentence]:
    """What the sentences of a document in sentence case state; a hidden one has no words."""
    read = _without_names_of_others(list(_sentences(document, parse, today)), parse)
    known = tuple(dict.fromkeys(one.place for own in read for one in own.places if one.certain))
    countries = {one.place.country for own in read for one in own.places if one.firm} - {""}
    if known or countries:
        again = [replace(own, places=places_in(own.words, known, countries)) for own in read]
        return _without_names_of_others(again, parse)
    return read


def _without_names_of_others(sentences: Sequence[Sentence], parse: Parse) -> list[Sentence]:
    """The sentences without towns that only name somebody ("Shares in Halden", "Halden said", "President Obama")."""
    uses: defaultdict[str, set[str]] = defaultdict(set)
    use_of: dict[int, str] = {}
    for sentence in sentences:
        for named in sentence.places:
            if named.place.sort == "region" or (named.place.sort in ("city", "unknown") and not named.certain):
                use = _use(parse, sentence.tokens(named.start, named.end), named, sentence.dateline)
                use_of[sentence.first + named.start] = use
                uses[named.place.name].add(use)
    others = {name for name, found in uses.items() if _PLACE not in found and _OTHER in found}

    found = []
    for sentence in sentences:
        places = [
            replace(named, firm=named.firm or _is_of_site(parse, sentence.tokens(named.start, named.end), named))
            for named in sentence.places
            if named.place.name not in others
            and use_of.get(sentence.first + named.start) != _OTHER
            and not any(time.start <= named.start and named.end <= time.end for time in sentence.times)
        ]
        found.append(replace(sentence, places=places))
    return found


def _is_of_site(parse: Parse, tokens: Sequence[int], named: StatedPlace) -> bool:
    """Whether a town says where a building or a meeting is at which something happens ("in a Burbank hotel")."""
    token = parse.head_of(tokens)
    site = parse.heads[token]
    modifies = parse.relations[token] in ("compound", "nmod", "amod", "poss") and parse.parts[site] == "NOUN"
    is_there = parse.relations[site] == "pobj" and parse.lemma(parse.heads[site]) in AT_PLACE
    return named.place.sort in ("city", "unknown") and modifies and is_there


def _use(parse: Parse, tokens: Sequence[int], named: StatedPlace, dateline: int) -> str:
    """Whether a name is used for a place, or for somebody; else empty."""
    token = parse.head_of(tokens)
    above = parse.heads[token]
    is_unknown = named.place.sort == "unknown" and named.firm
    words = {word.casefold() for word in named.place.name.split()}
    is_common = all(map(is_common_word, words)) and words.isdisjoint(LANDS_AND_WATERS)
    if is_unknown and is_common and parse.entity_types[token] not in ("GPE", "LOC", "NORP", "PERSON"):
        return _OTHER  # "in Congress"
    if named.start < dateline:
        return _PLACE
    if named.start and parse.relations[tokens[0] - 1] == "prt":
        return _OTHER  # "bringing in Maurice Cheeks"
    modifies = parse.relations[token] in ("compound", "amod", "poss")
    if is_unknown and (modifies or parse.entity_types[token] in _NO_PLACES):
        return _OTHER  # "in the Kraft plant", "in Standard and Poor's index", "in World War II"
    if named.place.sort == "region":
        is_named_after = parse.relations[token] == "compound" and parse.entity_types[token] == "ORG"
        return _OTHER if is_named_after else _PLACE  # "Essex Chemical"
    held = {parse.lemma(word) for word in (parse.heads[above], above - 1)}  # the tree may have "sold in"
    if parse.relations[token] == "pobj" and not held.isdisjoint(_HELD):
        return _OTHER
    of_person = named.place.sort == "city" and parse.entity_types[token] == "PERSON"
    if of_person and parse.relations[token] != "pobj" and not named.local:
        return _OTHER  # "the Obama administration"
    if named.firm or named.local:
        return "" if of_person else _PLACE  # "Obama officials"
    is_name = (tokens[0], tokens[-1] + 1) in {entity[:2] for entity in parse.entities if entity[2] in ("PERSON", "ORG")}
    return _OTHER if is_name else ""


def _pieces(document: Document) -> Iterator[tuple[int, int, bool]]:
    """The sentences, divided at line breaks that a corpus keeps as tokens: first token, end, and whether it is seen."""
    for number, (start, end) in enumerate(document.sentences):
        breaks = [token + 1 for token in range(start, end) if document.tokens[token] == LINE_BREAK]
        for first, last in pairwise(dict.fromkeys((start, *breaks, end))):
            yield first, last, number not in document.hidden


def _sentences(document: Document, parse: Parse, today: Period | None) -> Iterator[Sentence]:
    stated: Period | None = None
    first_day: Period | None = None
    is_list = False
    for start, end, seen in _pieces(document):
        words = document.tokens[start:end] if seen else ()
        lower = [word.casefold() for word in words]
        times = times_in(words, today, stated, lambda word, start=start: _is_ahead(parse, start + word))  # type: ignore[misc]
        if count := _number_of_day(lower):
            dated = next((one.period for one in times if one.start == 3 and len(words) - one.end < 2), None)
            first_day = dated.shifted(1 - count) if dated is not None else first_day
            if dated is None and first_day is not None:  # "Day four", below "Day one: Monday 3 February"
                times = [StatedTime(0, 2, first_day.shifted(count - 1)), *(one for one in times if one.start > 1)]
        times = [one for one in times if is_list or one.period != today or not _is_of_publication(words, lower, one)]
        told = (one for one in times if not looks_elsewhere(parse, start + one.start))
        with_year = [one.period for one in told if one.period is not None and one.period.has_year]
        stated = with_year[-1] if with_year else stated
        sentence = Sentence(start, words, lower, dateline_end(words), times, places_in(words), parse)
        is_list = is_list or opens_entry(sentence)
        yield sentence


def _number_of_day(words: Sequence[str]) -> int:
    """The number in a heading such as "day four"; 0 for other sentences."""
    is_heading = len(words) > 1 and words[0] == "day" and (len(words) < 3 or words[2] in _OPENS_ENTRY | ENDS_SENTENCE)
    return (count_named(words[1]) or 0) if is_heading else 0


def without_hour(words: Sequence[str]) -> Sequence[str]:
    """Words behind a day without the time of day that they begin with (", 8.50 a.m.")."""
    while words and (words[0] == "," or words[0][0].isdigit() or words[0].casefold() in HALVES_OF_DAY):
        words = words[1:]
    return words


def opens_entry(sentence: Sentence) -> bool:
    """Whether a sentence begins with a time, perhaps of day, and a dash or colon ("March 4, 8 a.m. - Two men")."""
    end = max((one.end for one in sentence.times if not one.start and one.period is not None), default=0)
    behind = without_hour(sentence.words[end:]) if end else ()
    return len(behind) > 1 and behind[0] in _OPENS_ENTRY


def _is_ahead(parse: Parse, token: int) -> bool | None:
    """As :func:`looks_ahead`, but not of what something comes after ("faces trial after a fire on Sunday")."""
    ahead = looks_ahead(parse, token)
    return None if ahead and "after" in map(parse.lemma, above_in_phrase(parse, token)) else ahead


def _is_of_publication(words: Sequence[str], lower: Sequence[str], day: StatedTime) -> bool:
    """Whether the day of a document is in a header in a sentence ("16 May 2013 Last updated", "Posted: May 16")."""
    in_figures = any(word[0].isdigit() for word in words[day.start : day.end])
    before = next((word for word in reversed(lower[: day.start]) if word.isalpha()), "")
    opens = not day.start and words[day.end : day.end + 1] and words[day.end] not in ENDS_SENTENCE
    return in_figures and (bool(opens) or before in _PUBLISHED)


def stated(time: StatedTime, sentence: Sentence, today: Period | None, *, recent: bool = False) -> When | None:
    """A time as a circumstance of what it belongs to; None if nothing is known of it.

    `recent`: whether a document of an unknown day states weekdays and the like, so that its years are earlier ones.
    """
    tokens = sentence.tokens(time.start, time.end)
    unknown = today is None and not time.days
    if time.period is None:
        some_day = Period.of_year(UNKNOWN_YEAR) if time.weekday is None else Period.of_weekday(time.weekday)
        return When(some_day, tokens, Source.STATED) if unknown else None
    return When(time.period, tokens, Source.STATED, time.looks_back or (unknown and recent and time.period.has_year))


def is_part(place: Place, whole: Place) -> bool:
    """Whether a place lies in another, larger one."""
    return place != whole and whole.sort in ("country", "region") and whole.contains(place)


def most_exact(places: Sequence[Where]) -> list[Where]:
    """Places without those that only contain others of them; a name that the gazetteer lacks comes last."""
    exact = [one for one in places if not any(is_part(other.place, one.place) for other in places)]
    return sorted(dict.fromkeys(exact), key=lambda one: not one.place.country)

"""The sentences of a document with the times and places that they state: a document in, its sentences out."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import partial
from itertools import pairwise

from cdcoref.circumstances.attachment import belongs_to_report
from cdcoref.circumstances.clause_settings import Clause, clauses_of
from cdcoref.circumstances.gazetteer import Place, places_named
from cdcoref.circumstances.places import StatedPlace, dateline_end, places_in
from cdcoref.circumstances.tense import looks_ahead
from cdcoref.corpus import Document
from cdcoref.facts import Period, StatedTime, times_in

_LINE_BREAK = "//n"


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
class Sentence:
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


def sentences_of(document: Document, cased: Document, today: Period | None) -> list[Sentence]:
    """What the sentences of a document state; a hidden one has no words.

    Places that the document names with certainty, and the countries where something happens, tell places of one name
    apart.

    Parameters
    ----------
    document
        The document.
    cased
        The same with headlines in sentence case.
    today
        Its day; None if unknown.
    """
    read = list(_sentences(_with_names_of_places(cased, document.tokens), today))
    known = tuple(dict.fromkeys(one.place for own in read for one in own.places if one.certain))
    countries = {one.place.country for own in read for one in own.places if one.firm} - {""}
    if known or countries:
        return [replace(own, places=_places(own.words, known, countries)) for own in read]
    return read


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


def _sentences(document: Document, today: Period | None) -> Iterator[Sentence]:
    stated: Period | None = None
    for start, end, seen in _pieces(document):
        words = document.tokens[start:end] if seen else ()
        lower = [word.casefold() for word in words]
        times = list(_with_distances(times_in(words, today, stated, partial(looks_ahead, lower))))
        with_year = [one.period for one in times if one.period is not None and one.period.has_year]
        stated = with_year[-1] if with_year else stated
        yield Sentence(start, words, lower, dateline_end(words), clauses_of(words), times, _places(words))


def _with_distances(times: Sequence[StatedTime]) -> Iterator[StatedTime]:
    """The times of a sentence; ``three days before`` counts from the time that follows, and is left out without one."""
    following: StatedTime | None
    for time, following in zip(times, [*times[1:], None], strict=False):
        if not time.days:
            yield time
        elif following is not None and following.period is not None:
            yield replace(time, period=following.period.shifted(time.days), days=0)


def _places(words: Sequence[str], known: Sequence[Place] = (), countries: Collection[str] = ()) -> list[StatedPlace]:
    return places_in(words, known, countries) if any(word[:1].isupper() for word in words) else []


def is_part(place: Place, whole: Place) -> bool:
    """Whether a place lies in another, larger one."""
    return place != whole and whole.sort in ("country", "region") and whole.contains(place)


def most_exact(places: Sequence[Where]) -> list[Where]:
    """Places without those that only contain others of them; a name that the gazetteer lacks comes last."""
    exact = [one for one in places if not any(is_part(other.place, one.place) for other in places)]
    return sorted(dict.fromkeys(exact), key=lambda one: not one.place.country)

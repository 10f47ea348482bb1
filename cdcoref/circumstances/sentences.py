"""The sentences of a document with the times and places that they state: a document in, its sentences out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from itertools import pairwise

from cdcoref.circumstances.gazetteer import Place, places_named
from cdcoref.circumstances.owners import governor, is_report
from cdcoref.circumstances.places import StatedPlace, dateline_end, places_in
from cdcoref.corpus import Document
from cdcoref.facts import (
    UNKNOWN_YEAR,
    Parse,
    Period,
    StatedTime,
    clause_of,
    is_in_relative_clause,
    looks_ahead,
    looks_elsewhere,
    times_in,
)
from cdcoref.language import JOBS
from cdcoref.word_tables import words_in

ENDS_SENTENCE = frozenset({".", "!", "?", "...", ":", ",", ";", "”", '"', "''"})
"""What a sentence ends with, and a headline does not."""
LINE_BREAK = "//n"
_HELD, _MAKERS = (words_in("no_places.tsv", kind) for kind in ("held", "maker"))
_PLACE, _OTHER = "place", "other"


class Source(IntEnum):
    """How a circumstance is known; the larger, the more surely it is the event's own.

    Only the last three are shown: the words of the event's own clause state it; a heading above it does; the event is
    its document's main event, whose beginning states it. What another clause of the sentence or the document as a whole
    states only tells events apart.
    """

    DOCUMENT = 1
    SENTENCE = 2
    INFERRED = 3
    HEADING = 4
    STATED = 5


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

    def tokens(self, start: int, end: int) -> tuple[int, ...]:
        return tuple(range(self.first + start, self.first + end))

    def is_of_report(self, start: int, end: int) -> bool:
        """Whether a time is that of a report about the happening, or of a reaction to it."""
        word = governor(self.parse, self.tokens(start, end))
        return word is not None and is_report(self.parse, word)

    def clause_of(self, word: int) -> int:
        """The token that the clause of a word depends on."""
        return clause_of(self.parse, self.first + word)

    def looks_elsewhere(self, word: int) -> bool:
        """Whether a word is about another happening than the sentence."""
        return looks_elsewhere(self.parse, self.first + word)

    def is_aside(self, token: int) -> bool:
        """Whether a token is in a relative clause behind a comma ("shares of Tokari, which recalled cars, rose")."""
        relative = [word for word in (token, *self.parse.ancestors(token)) if self.parse.relations[word] == "relcl"]
        firsts = (
            min((child for child in self.parse.children[word] if child < word), default=word) for word in relative
        )
        return any(first > self.first and self.words[first - 1 - self.first] == "," for first in firsts)

    def is_relative(self, word: int) -> bool:
        """Whether a word is in a relative clause."""
        return is_in_relative_clause(self.parse, self.first + word)


def sentences_of(document: Document, cased: Document, parse: Parse, today: Period | None) -> list[Sentence]:
    """What the sentences of a document state; a hidden one has no words.

    Places that the document names with certainty, and the countries where something happens, tell places of one name
    apart.

    `document`: The document.
    `cased`: The same with headlines in sentence case.
    `parse`: Its parse.
    `today`: Its day; None if unknown.
    """
    read = list(_sentences(_with_names_of_places(cased, document.tokens), parse, today))
    read = _without_names_of_others(read, parse)
    known = tuple(dict.fromkeys(one.place for own in read for one in own.places if one.certain))
    countries = {one.place.country for own in read for one in own.places if one.firm} - {""}
    if known or countries:
        again = (replace(own, places=_places(own.words, parse, own.first, known, countries)) for own in read)
        return _without_names_of_others(list(again), parse)
    return read


def _without_names_of_others(sentences: Sequence[Sentence], parse: Parse) -> list[Sentence]:
    """The sentences without towns that the document names as a company, a club or a person, and nowhere as a place.

    "Shares in Halden", "the pump maker Halden", "Halden said", "President Obama".
    """
    named = {(start, end) for start, end, sort in parse.entities if sort in ("PERSON", "ORG")}
    uses: defaultdict[str, list[str]] = defaultdict(list)
    use_of: dict[int, str] = {}
    for own in sentences:
        for one in own.places:
            if one.place.sort in ("city", "unknown") and not one.certain:
                use_of[own.first + one.start] = use = _use(parse, own.tokens(one.start, one.end), one, named)
                uses[one.place.name].append(use)
    others = {name for name, found in uses.items() if _PLACE not in found and _OTHER in found}
    return [
        replace(
            own,
            places=[
                one
                for one in own.places
                if one.place.name not in others and use_of.get(own.first + one.start) != _OTHER
            ],
        )
        for own in sentences
    ]


def _use(parse: Parse, tokens: Sequence[int], one: StatedPlace, named: Collection[tuple[int, int]]) -> str:
    """Whether a name is used for a place, or for somebody; else empty."""
    token = parse.head_of(tokens)
    above = parse.heads[token]
    if parse.relations[token] == "pobj" and parse.lemmas[parse.heads[above]].casefold() in _HELD:
        return _OTHER
    if one.firm or one.local:
        return _PLACE
    beside = [child for child in parse.children[token] if parse.relations[child] in ("compound", "appos")]
    beside += [above] if parse.relations[token] == "appos" else []
    is_maker = any(parse.lemmas[word].casefold() in _MAKERS or parse.lemmas[word] in JOBS for word in beside)
    says = parse.relations[token] == "nsubj" and is_report(parse, above)
    return _OTHER if is_maker or says or (tokens[0], tokens[-1] + 1) in named else ""


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
        breaks = [token + 1 for token in range(start, end) if document.tokens[token] == LINE_BREAK]
        for first, last in pairwise(dict.fromkeys((start, *breaks, end))):
            yield first, last, number not in document.hidden


def _sentences(document: Document, parse: Parse, today: Period | None) -> Iterator[Sentence]:
    stated: Period | None = None
    for start, end, seen in _pieces(document):
        words = document.tokens[start:end] if seen else ()
        lower = [word.casefold() for word in words]
        times = times_in(words, today, stated, lambda word, start=start: looks_ahead(parse, start + word))  # type: ignore[misc]
        with_year = [one.period for one in times if one.period is not None and one.period.has_year]
        stated = with_year[-1] if with_year else stated
        yield Sentence(start, words, lower, dateline_end(words), times, _places(words, parse, start), parse)


def _places(
    words: Sequence[str], parse: Parse, first: int, known: Sequence[Place] = (), countries: Collection[str] = ()
) -> list[StatedPlace]:
    """The places of a sentence, without names that the gazetteer lacks and the parse takes for somebody's."""
    if not any(word[:1].isupper() for word in words):
        return []
    return [
        one
        for one in places_in(words, known, countries)
        if one.place.sort != "unknown" or not _is_of_somebody(parse, first + one.start)
    ]


def _is_of_somebody(parse: Parse, start: int) -> bool:
    """Whether a name is somebody's, since no preposition is before it ("brought in Maas")."""
    return start > 0 and parse.relations[start - 1] == "prt"


def stated(time: StatedTime, sentence: Sentence, today: Period | None, *, recent: bool = False) -> When | None:
    """A time as a circumstance of what it belongs to; None if nothing is known of it.

    A document of an unknown day that states weekdays and the like (`recent`) reports recent things: its years are
    earlier ones, and a relative time is some day of a year of its own; its weekday may be known.
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

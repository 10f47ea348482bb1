"""When and where the main event of a document was: its sentences in, its setting out.

Reports tell at their beginning what happened. The headline, the first sentences and the dateline state its day and
place, unless they belong to a clause that looks elsewhere, to who reported it, or to what it is compared with.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from cdcoref.circumstances.gazetteer import Place, country_of_people
from cdcoref.circumstances.places import CONTINENTS, SETTLEMENTS, StatedPlace, capitalised, places_in
from cdcoref.circumstances.sentences import Sentence, Source, When, Where, is_part, most_exact
from cdcoref.corpus import Document
from cdcoref.facts import Parse, Period, StatedTime, is_verb, verbs_about
from cdcoref.language import HEADER_LINES, is_common_word, is_header_line, is_line_of_writers, word_set

_LEAD = 4
"""Sentences at the beginning of a document that may state when and where its main event was; names and dates alone are
no sentences."""
_LONGEST_MAIN = 31
"""The longest main event, in days, whose time is taken from the beginning of a text."""
_REPORTED_WITHIN = 7
"""Days between an event and the report of it, where nothing else is stated."""
_FEWEST_WORDS = 4
"""With fewer words in lower case, a sentence with a date may be a line without news."""
_LONGEST_LINE_OF_WRITERS = 20
"""In words."""
_SHORTEST_NAME = 3
_WORD = re.compile(r"[\w.-]+|['’]s\b|[^\w\s]")
_NEAR_TIME = 2
_MARKETS = word_set("close closed closing price prices quarter season")
"""Words beside a time that something else is compared with ("below Friday's close")."""
_CONTRASTING = frozenset({"but", "however", "meanwhile"})
_BACK = frozenset({"before", "earlier", "previous"})
_LONGEST_DISTANCE = 5
"""In words: ", a day before the"."""
_AFTERMATH = frozenset({"toll", "rescuers", "survivors", "rubble", "funeral", "funerals", "mourn", "mourns"})
"""Words at the beginning of a report that is written days after a disaster."""
_BEGINNING = 2
_NEAR_HAPPENING = 3
_HAPPENINGS = word_set("""
attack attacks avalanche ballot bombing bombings blast blasts coup crash derailment disaster earthquake election
elections explosion explosions festival fire flood floods games landslide marathon massacre murder murders olympics
outbreak parade poll polls protest protests quake referendum riot riots runoff run-off shooting shootings siege
stabbing storm strike strikes summit talks trial vote wildfire wildfires
""")
"""Nouns for what happens at a place that is named directly before them."""
_ARGUMENTS = frozenset({"nsubj", "nsubjpass", "dobj", "attr"})
_ENDS_SENTENCE = frozenset({".", "!", "?", "...", ":", ",", ";", "”", '"', "''"})
_QUOTES = frozenset({"``", "''", '"', "“", "”"})


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
    about: Place | None = None


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


def setting_of(document: Document, sentences: Sequence[Sentence], today: Period | None) -> Setting:
    """What a document as a whole states.

    Parameters
    ----------
    document
        The document.
    sentences
        What its sentences state, as :func:`cdcoref.circumstances.sentences.sentences_of` finds it.
    today
        Its day; None if unknown.
    """
    title = _title(document)
    shown = [own for own in sentences if own.words]
    shown = [own for place, own in enumerate(shown) if not 0 < place < HEADER_LINES or not _is_of_writers(own)]
    telling = [number for number, own in enumerate(shown) if not _is_only_a_date(own)]
    longest = _LEAD - bool(title)  # the headline is one of the first sentences
    end = telling[longest - 1] + 1 if len(telling) >= longest else len(shown)
    lead = shown[:end]
    main = _main_time(lead, today)
    when = next(_recent_days(shown[end:], today), None) if main is None else main.when
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
        parts = (_part(one, where.place, document.tokens) for one in places_of_lead[1:])
        where = next((part for part in parts if part is not None), where)
    if where is not None and not where.place.country and first is not None and not _is_possessor(words, first):
        about = replace(where.place, country=first.place.country)
    if when is None and today is not None:
        start = today.shifted(-_REPORTED_WITHIN)
        when = None if start is None else When(Period(start.first, today.last), (), Source.DOCUMENT)
    places = frozenset(one.place for own in sentences for one in own.places if not own.looks_elsewhere(one.start))
    return Setting(today, when, where, places, frozenset(_names(sentences)), firm, about)


def main_words(document: Document, sentences: Sequence[Sentence]) -> Iterator[int]:
    """Candidate tokens for a document's main event, from its headline and first sentences, in descending likelihood.

    The verb of the sentence, those joined to it, and their subjects and objects; of what somebody said, what was said.
    """
    lines = [own for own in sentences if own.words and not is_header_line(" ".join(own.words))]
    prose = [own for own in lines if own.words[-1] in _ENDS_SENTENCE and not _is_only_a_date(own)]
    before = itertools.takewhile(lambda own: own is not prose[0], lines) if prose else lines[:HEADER_LINES]
    for own in (*before, *prose[:1]):
        tokens = range(own.first + own.dateline, own.first + len(own.words))
        for root in tokens:
            if own.parse.heads[root] == root or own.parse.heads[root] not in tokens:
                yield from _main_words_below(own.parse, root)


def _main_words_below(parse: Parse, word: int) -> Iterator[int]:
    said = [child for child in parse.children[word] if parse.relations[child] in ("ccomp", "parataxis")]
    if said and parse.lemmas[word].casefold() in verbs_about("report"):
        if parse.lemmas[word].casefold() in verbs_about("announcement"):
            yield word
        for child in said:
            yield from _main_words_below(parse, child)
        return
    yield word
    if not is_verb(parse, word):
        return
    for child in parse.children[word]:
        if parse.relations[child] in _ARGUMENTS:
            yield child
            yield from (joined for joined in parse.children[child] if parse.relations[joined] == "conj")
        elif parse.relations[child] == "agent":
            yield from parse.children[child]
    for child in parse.children[word]:
        if parse.relations[child] == "conj" and is_verb(parse, child):
            yield from _main_words_below(parse, child)


def _part(one: Where, whole: Place, tokens: Sequence[str]) -> Where | None:
    """A place that is a part of another one, or that the text calls a settlement ("the town of Dolores")."""
    if is_part(one.place, whole):
        return one
    first = one.tokens[0]
    settlement = first >= 2 and tokens[first - 1] == "of" and tokens[first - 2] in SETTLEMENTS
    if settlement and not one.place.country and whole.sort == "country":
        return replace(one, place=replace(one.place, country=whole.country))
    return None


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


def _names(sentences: Sequence[Sentence]) -> Iterator[str]:
    """The words of names: capitalised, no word of the dictionary, and not only for standing first in a sentence."""
    for own in sentences:
        for start, end in capitalised(own.words[own.dateline :]):
            names = range(own.dateline + start, own.dateline + end)
            if (end - start > 1 or start) and not own.looks_elsewhere(names[-1]):
                words = (own.words[word] for word in names)
                yield from (
                    word.casefold()
                    for word in words
                    if len(word) >= _SHORTEST_NAME and not is_common_word(word.casefold())
                )


def _is_of_writers(sentence: Sentence) -> bool:
    """Whether a sentence is a line that says who wrote the text and where they were."""
    return len(sentence.words) <= _LONGEST_LINE_OF_WRITERS and is_line_of_writers(" ".join(sentence.words))


def _main_time(lead: Sequence[Sentence], today: Period | None) -> _MainTime | None:
    """The first time that may be that of the main event; a day or week, and of a main clause, if there is one.

    A day to come is none if one of the last days is stated: what is planned is not what is reported. If the beginning
    mentions rescuers or a death toll, the earliest of the last days is meant.
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
    return best


def _main_times(lead: Sequence[Sentence], today: Period | None) -> Iterator[_MainTime]:
    """Times at the beginning of a document that may be those of its main event."""
    for own in lead:
        for one in own.times:
            if one.start < own.dateline or one.period is None or one.period.days > _LONGEST_MAIN or one.looks_back:
                continue
            if own.looks_elsewhere(one.start) or _is_only_a_date(own):
                continue
            if own.is_of_report(one.start, one.end) or _is_in_brackets(own, one):
                continue
            if _is_of_comparison(own, one):
                continue
            if today is None or not today.has_year or one.period.gap(today) <= _LONGEST_MAIN:
                when = When(one.period, own.tokens(one.start, one.end), Source.DOCUMENT)
                yield _MainTime(when, _is_aside(own, one))


def _recent_days(sentences: Sequence[Sentence], today: Period | None) -> Iterator[When]:
    """Single days shortly before the document's that may be those of its main event."""
    if today is None:
        return
    longest = 1 if today.has_year else _REPORTED_WITHIN  # without a year, a weekday is one of seven days
    for when, _ in _main_times(sentences, today):
        if (
            when.period.days <= longest
            and when.period.first <= today.first
            and when.period.gap(today) <= _REPORTED_WITHIN
        ):
            yield when


def _is_aside(sentence: Sentence, one: StatedTime) -> bool:
    """Whether a relative clause, a quotation or a sentence that begins with "but" states a time."""
    quoted = sum(word in _QUOTES for word in sentence.words[: one.start]) % 2 == 1
    aside = quoted or sentence.lower[0] in _CONTRASTING or sentence.is_relative(one.start)
    return aside or not _BACK.isdisjoint(sentence.lower[one.start : one.end])  # "the previous evening"


def _is_of_comparison(sentence: Sentence, one: StatedTime) -> bool:
    """Whether a time is that of a price ("Friday's close"), or before the happening ("the day before the fire")."""
    near = sentence.lower[max(0, one.start - _NEAR_TIME) : one.end + _NEAR_TIME]
    if not _MARKETS.isdisjoint(near):
        return True
    after = sentence.lower[one.end : one.end + _LONGEST_DISTANCE]
    return "before" in after and after[-1:] != ["before"] and after[after.index("before") + 1] == "the"


def _is_only_a_date(sentence: Sentence) -> bool:
    """Whether a sentence is a line with a date and without news."""
    return sum(word.isalpha() and word.islower() for word in sentence.words) < _FEWEST_WORDS


def _is_in_brackets(sentence: Sentence, one: StatedTime) -> bool:
    """Whether a time stands in brackets alone, as the day of publication does ("KOKOMO, Ind. (June 15, 2014)")."""
    around = sentence.words[max(0, one.start - 1) : one.start], sentence.words[one.end : one.end + 1]
    return list(around[0]) == ["("] and list(around[1]) == [")"]


def _main_places(lead: Sequence[Sentence], named: Sequence[Place]) -> Iterator[Where]:
    """Places at the beginning of a document: those of its first sentences, then that of its dateline.

    Of several in a sentence, one in a place that the headline names.
    """
    for own in lead:
        stated = [
            Where(one.place, own.tokens(one.start, one.end), Source.DOCUMENT)
            for one in own.places
            if (one.firm or _is_of_happening(own, one))
            and one.start >= own.dateline
            and not own.looks_elsewhere(one.start)
            and not own.is_relative(one.start)
        ]
        yield from sorted(most_exact(stated), key=lambda one: _is_abroad(one.place, named))[:1]
    for own in lead:
        for one in own.places:
            if one.start < own.dateline:
                yield Where(one.place, own.tokens(one.start, one.end), Source.DOCUMENT)


def _is_of_happening(sentence: Sentence, one: StatedPlace) -> bool:
    """Whether a noun for a happening follows a place of the gazetteer: "Kansas shooting", "Ecuador's next election"."""
    if one.place.sort == "unknown":
        return False
    for word in sentence.lower[one.end : one.end + _NEAR_HAPPENING]:
        if word in _HAPPENINGS:
            return True
        if not word.isalpha() and word not in ("'s", "’s"):
            return False
    return False


def _local_places(sentences: Sequence[Sentence]) -> Iterator[Where]:
    """Places whose officials, or else whose people and buildings, the beginning of a document names."""
    lead = sentences[: 2 * _LEAD]
    for least in (2, 1):
        for own in lead:
            for one in own.places:
                if one.local >= least:
                    yield Where(one.place, own.tokens(one.start, one.end), Source.DOCUMENT)


def _title(document: Document) -> Sequence[str]:
    """The words of the title that is stated beside the text."""
    title = "" if "title" in document.found else str(document.metadata.get("title", ""))
    return _WORD.findall(title)

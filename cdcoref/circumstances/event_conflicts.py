"""Circumstances of mentions in, pairs of events out that cannot be one (days, places or people that exclude each
other), and pairs that probably are (one word, one day, one place); from arrays, so that pairs cost little."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cdcoref.circumstances.event_circumstances import Circumstances, kind_of
from cdcoref.circumstances.gazetteer import Place
from cdcoref.circumstances.quantities import OF_PEOPLE
from cdcoref.circumstances.sentences import Source, When, Where
from cdcoref.corpus import EVENT, Corpus
from cdcoref.facts import Period
from cdcoref.language import Values, head_word, lemma, numbered

Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]

FEWEST_DAYS = 2
"""Days between two events from which their days differ: what happens at night has two days, and the world has zones."""
SHORT = 31
"""Days of a time, at most, that tells events of one place and kind apart: a month."""
FAR = 300
"""Main events at least this number of days apart are different, even if their days are only inferred."""
AGREEMENT = 1.7
"""What is added to the log-odds of pairs that agree; see :meth:`CircumstanceTables.agree`."""
_OWN, _SHOWN = Source.HEADING, Source.INFERRED
"""How a circumstance of the event itself is known, at least; and one that readers see, as the day of a main event."""
_DEFINITE = frozenset({"the", "this"})


class CircumstanceTables:
    """The circumstances of the mentions of a corpus as arrays; those of entities conflict with nothing.

    `circumstances` are those of its mentions, in order.
    """

    def __init__(self, corpus: Corpus, circumstances: Sequence[Circumstances]) -> None:
        documents = {document.id: document for document in corpus.documents}
        self._document_of = numbered(m.document for m in corpus.mentions)
        self._sentences = np.array([documents[m.document].sentence_at(m.start)[0] for m in corpus.mentions], dtype=int)
        self._definite = np.array(
            [m.start > 0 and documents[m.document].tokens[m.start - 1].lower() in _DEFINITE for m in corpus.mentions],
            dtype=bool,
        )
        heads = (head_word([documents[m.document].tokens[token] for token in m.tokens]) for m in corpus.mentions)
        words = [
            lemma(head.casefold()) if m.kind == EVENT else "" for m, head in zip(corpus.mentions, heads, strict=True)
        ]
        self._words = numbered(OF_PEOPLE.get(word, word) for word in words)  # "die" is "kill" on one day, at one place
        self._nouns = Values([kind_of(word, of_people=False) or None for word in words])
        self._ahead = np.array([one.ahead for one in circumstances], dtype=bool)
        self._elsewhere = np.array([one.elsewhere for one in circumstances], dtype=bool)
        own_times = [[when for when in one.when if when.source >= _OWN] for one in circumstances]
        self._times = Values([_days_of(one.when) for one in circumstances])
        self._own_times = Values(list(map(_days_of, own_times)))
        self._main_times = Values([_days_of(list(filter(_is_of_main_event, one.when))) for one in circumstances])
        self._is_earlier = np.array([bool(own) and all(w.looks_back for w in own) for own in own_times], dtype=bool)
        self._looks_back = self._elsewhere | self._is_earlier
        self._places = Values([_place_of(one.where) for one in circumstances])
        self._own_places = Values([_place_of([w for w in one.where if w.source >= _OWN]) for one in circumstances])
        kinds = (kind_of(word, of_people=True) for word in words)
        self._themes = Values(
            [
                (kind, frozenset(one.theme)) if one.theme else None
                for kind, one in zip(kinds, circumstances, strict=True)
            ]
        )

    def conflicts(self, first: Integers, second: Integers) -> Flags:
        """Whether the events of pairs of mentions cannot be one. *Shape of all:* (pairs,)"""
        found = self._own_times.related(_differ, self._own_times, first, second)
        found |= self._own_places.related(Place.excludes, self._own_places, first, second)
        found |= self._main_times.related(_are_far_apart, self._main_times, first, second)
        for one, other in ((first, second), (second, first)):
            looks = self._elsewhere[one] & ~self._elsewhere[other]
            found |= looks & self._own_times.related(_differ, self._times, one, other)
            found |= looks & self._own_places.related(Place.excludes, self._places, one, other)
            in_one = self._is_earlier[one] & (self._document_of[one] == self._document_of[other])
            found |= in_one & self._own_times.related(_differ, self._main_times, one, other)
            found |= in_one & self._ahead[other]  # "will cut jobs; last year it cut 150"
        return found | self._themes.related(_are_of_two_people, self._themes, first, second)

    def agree(self, first: Integers, second: Integers) -> Flags:
        """Whether pairs with one word, of different documents, have one day and one place. *Shape of all:* (pairs,)

        Or both are transfers, arrests or the like of one person, or synonyms in one document.
        """
        found = np.zeros(len(first), dtype=bool)
        for one, other in ((first, second), (second, first)):
            when = self._own_times.related(_are_one_day, self._times, one, other) & ~self._elsewhere[other]
            where = self._own_places.known[one] & self._places.known[other]
            found |= when & where & ~self._own_places.related(Place.excludes, self._places, one, other)
        found &= self._words[first] == self._words[second]
        found &= self._document_of[first] != self._document_of[second]
        near = self._looks_back[first] == self._looks_back[second]
        near |= self._times.related(_meet, self._times, first, second)
        found |= self._themes.related(_are_of_one_person, self._themes, first, second) & near
        return (found | self._are_synonyms(first, second)) & ~self.conflicts(first, second)

    def _are_synonyms(self, first: Integers, second: Integers) -> Flags:
        """Whether the later is a definite noun for the earlier ("An election was held ... Turnout in the vote")."""
        found = self._nouns.related(str.__eq__, self._nouns, first, second)
        found &= (self._document_of[first] == self._document_of[second]) & (self._words[first] != self._words[second])
        later = np.where(self._sentences[first] > self._sentences[second], first, second)
        found &= self._definite[later] & (self._sentences[first] != self._sentences[second])
        return found & ~self._elsewhere[first] & ~self._elsewhere[second]


class _Days(NamedTuple):
    """From the first to the last of all days that are stated of a mention; `looks_back`: all to an earlier year."""

    period: Period
    looks_back: bool


def _days_of(stated: Sequence[When]) -> _Days | None:
    if not stated:
        return None
    period = Period(min(when.period.first for when in stated), max(when.period.last for when in stated))
    return _Days(period, all(when.looks_back for when in stated))


def _is_of_main_event(when: When) -> bool:
    """Whether a time is shown, has a year, is short, and does not look back."""
    is_short = when.period.has_year and when.period.days <= SHORT
    return is_short and when.source >= _SHOWN and not when.looks_back


def _differ(one: _Days, other: _Days) -> bool:
    """Whether days lie apart; those of a year that one looks back to, and of no stated year, do."""
    dated = one if one.period.has_year else other
    back = one.period.has_year != other.period.has_year and dated.looks_back
    return back or one.period.gap(other.period) >= FEWEST_DAYS


def _are_far_apart(one: _Days, other: _Days) -> bool:
    """Whether days are too far apart for one event, even if they are only inferred."""
    return one.period.gap(other.period) >= FAR


def _meet(one: _Days, other: _Days) -> bool:
    return one.period.has_year == other.period.has_year and one.period.gap(other.period) == 0


def _are_one_day(one: _Days, other: _Days) -> bool:
    return max(one.period.days, other.period.days) <= SHORT and _meet(one, other)


def _place_of(stated: Sequence[Where]) -> Place | None:
    """The place of a mention; None where it is unknown, or several exclude each other."""
    places = [where.place for where in stated]
    return places[0] if places and places[0].country and not any(map(places[0].excludes, places)) else None


Theme = tuple[str, frozenset[str]]
"""The kind of an event that is of people, and the words of a name."""


def _are_of_two_people(one: Theme, other: Theme) -> bool:
    return one[0] == other[0] and one[1].isdisjoint(other[1])


def _are_of_one_person(one: Theme, other: Theme) -> bool:
    return one[0] == other[0] and not one[1].isdisjoint(other[1])

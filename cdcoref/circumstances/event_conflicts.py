"""Circumstances of mentions in, pairs of events out that cannot be one (days, places or people that exclude each
other), and pairs that probably are (one word, one day, one place); from arrays, so that pairs cost little."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cdcoref.circumstances.event_circumstances import Circumstances, kind_of, kind_of_noun
from cdcoref.circumstances.gazetteer import FAR, kilometres
from cdcoref.circumstances.sentences import Source, When, Where
from cdcoref.corpus import EVENT, Corpus
from cdcoref.language import head_word, lemma

Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]

FEWEST_DAYS = 2
"""Days between two events from which their days differ: what happens at night has two days, and the world has zones."""
SHORT = 31
"""Days of a time, at most, that tells events of one place and kind apart: a month."""
AGREEMENT = 1.7
"""What is added to the log-odds of pairs that agree; see :meth:`CircumstanceTables.agree`."""
_OWN = Source.HEADING
"""How a circumstance of the event itself is known, at least."""
_DEFINITE = frozenset({"the", "this"})
_NOWHERE = -1
_LONGEST_WITHOUT_YEAR = 300
_DAYS_OF_YEAR = 365


class CircumstanceTables:
    """The circumstances of the mentions of a corpus as arrays; those of entities conflict with nothing.

    `circumstances` are those of its mentions, in order.
    """

    def __init__(self, corpus: Corpus, circumstances: Sequence[Circumstances]) -> None:
        documents = {document.id: document for document in corpus.documents}
        number = {id: place for place, id in enumerate(documents)}
        self._document_of = np.array([number[m.document] for m in corpus.mentions], dtype=np.int64)
        self._sentences = np.array([documents[m.document].sentence_at(m.start)[0] for m in corpus.mentions], dtype=int)
        self._definite = np.array(
            [m.start > 0 and documents[m.document].tokens[m.start - 1].lower() in _DEFINITE for m in corpus.mentions],
            dtype=bool,
        )
        words = [
            lemma(head_word([documents[m.document].tokens[token] for token in m.tokens]).casefold())
            if m.kind == EVENT
            else ""
            for m in corpus.mentions
        ]
        self._words = np.unique(words, return_inverse=True)[1]
        self._kinds = np.unique([kind_of(word) for word in words], return_inverse=True)[1]
        nouns = [kind_of_noun(word) for word in words]
        self._is_noun = np.array([bool(noun) for noun in nouns], dtype=bool)
        self._nouns = np.unique(nouns, return_inverse=True)[1]
        self._elsewhere = np.array([one.elsewhere for one in circumstances], dtype=bool)
        self._times = _Times([one.when for one in circumstances])
        self._own_times = _Times([[when for when in one.when if when.source >= _OWN] for one in circumstances])
        self._places = _PlaceTable([one.where for one in circumstances])
        near = [[where for where in one.where if where.source >= _OWN] for one in circumstances]
        self._own_places = _PlaceTable(near)
        lasts = {one.theme[-1] for one in circumstances if len(one.theme) > 1}
        # One word is a surname only if a full name of somebody has it.
        self._themes = [
            frozenset(one.theme if len(one.theme) > 1 or lasts.issuperset(one.theme) else ()) for one in circumstances
        ]
        self._themed = np.array([bool(own) for own in self._themes], dtype=bool)

    def conflicts(self, first: Integers, second: Integers) -> Flags:
        """Whether the events of pairs of mentions cannot be one. *Shape of all:* (pairs,)"""
        found = self._own_times.differ(self._own_times, first, second)
        found |= self._own_places.differ(self._own_places, first, second)
        for one, other in ((first, second), (second, first)):
            looks = self._elsewhere[one] & ~self._elsewhere[other]
            found |= looks & self._own_times.differ(self._times, one, other)
            found |= looks & self._own_places.differ(self._places, one, other)
        of_people, of_one = self._themes_agree(first, second)
        return found | (of_people & ~of_one)

    def _themes_agree(self, first: Integers, second: Integers) -> tuple[Flags, Flags]:
        """Whether both are transfers, arrests or the like that name whom they are of; and whether that is the same.

        *Shape of all:* (pairs,)
        """
        of_people = self._themed[first] & self._themed[second] & (self._kinds[first] == self._kinds[second])
        of_one = np.zeros(len(first), dtype=bool)
        for place in np.flatnonzero(of_people):
            of_one[place] = not self._themes[first[place]].isdisjoint(self._themes[second[place]])
        return of_people, of_one

    def agree(self, first: Integers, second: Integers) -> Flags:
        """Whether pairs with one word, of different documents, have one day and one place. *Shape of all:* (pairs,)

        Or both are transfers, arrests or the like of one person, or synonyms in one document.
        """
        found = np.zeros(len(first), dtype=bool)
        for one, other in ((first, second), (second, first)):
            when = self._own_times.short[one] & self._times.short[other] & ~self._elsewhere[other]
            when &= self._own_times.agree(self._times, one, other)
            found |= when & self._own_places.agree(self._places, one, other)
        found &= self._words[first] == self._words[second]
        found &= self._document_of[first] != self._document_of[second]
        back = self._elsewhere | self._own_times.looks_back
        near = (back[first] == back[second]) | self._times.agree(self._times, first, second)
        found |= self._themes_agree(first, second)[1] & near
        return (found | self._are_synonyms(first, second)) & ~self.conflicts(first, second)

    def _are_synonyms(self, first: Integers, second: Integers) -> Flags:
        """Whether both are what a document is about, and the later is a definite noun of the same sort.

        "An election was held ... Turnout in the vote was low." *Shape of all:* (pairs,)
        """
        found = self._is_noun[first] & self._is_noun[second] & (self._nouns[first] == self._nouns[second])
        found &= (self._document_of[first] == self._document_of[second]) & (self._words[first] != self._words[second])
        later = np.where(self._sentences[first] > self._sentences[second], first, second)
        found &= self._definite[later] & (self._sentences[first] != self._sentences[second])
        return found & ~self._elsewhere[first] & ~self._elsewhere[second]


class _Times:
    """The days of mentions: from the first to the last of all that are stated."""

    def __init__(self, stated: Sequence[Sequence[When]]) -> None:
        self.known = np.array([bool(own) for own in stated], dtype=bool)
        hull = [(min(w.period.first for w in own), max(w.period.last for w in own)) if own else None for own in stated]
        self.first = np.array([bounds[0].toordinal() if bounds else 0 for bounds in hull], dtype=np.int64)
        self.last = np.array([bounds[1].toordinal() if bounds else 0 for bounds in hull], dtype=np.int64)
        self._day_of_year = np.array(
            [bounds[0].timetuple().tm_yday if bounds else 0 for bounds in hull], dtype=np.int64
        )
        self.has_year = np.array(
            [bool(own) and all(when.period.has_year for when in own) for own in stated], dtype=bool
        )
        self.short = self.known & (self.last - self.first < SHORT)
        """Whether all are of one month."""
        self.looks_back = np.array([bool(own) and all(when.looks_back for when in own) for own in stated], dtype=bool)

    def differ(self, others: _Times, first: Integers, second: Integers) -> Flags:
        """Whether the days of pairs lie apart; those of a year that one looks back to, and of no stated year, do."""
        known = self.known[first] & others.known[second]
        same_calendar = self.has_year[first] == others.has_year[second]
        apart = self._gap(others, first, second) >= FEWEST_DAYS
        back = (self.looks_back[first] & ~others.has_year[second]) | (others.looks_back[second] & ~self.has_year[first])
        return known & np.where(same_calendar, apart, back | (self._gap_of_year(others, first, second) >= FEWEST_DAYS))

    def agree(self, others: _Times, first: Integers, second: Integers) -> Flags:
        """Whether the days of pairs are known and meet."""
        known = self.known[first] & others.known[second]
        return known & (self.has_year[first] == others.has_year[second]) & (self._gap(others, first, second) == 0)

    def _gap(self, others: _Times, first: Integers, second: Integers) -> Integers:
        before = others.first[second] - self.last[first]
        after = self.first[first] - others.last[second]
        return np.maximum(0, np.maximum(before, after))

    def _gap_of_year(self, others: _Times, first: Integers, second: Integers) -> Integers:
        """Days between two parts of a year, whichever year; 0 for long ones."""
        own_days, other_days = self._day_of_year[first], others._day_of_year[second]
        long = (self.last[first] - self.first[first] > _LONGEST_WITHOUT_YEAR) | (
            others.last[second] - others.first[second] > _LONGEST_WITHOUT_YEAR
        )
        own_length, other_length = self.last[first] - self.first[first], others.last[second] - others.first[second]
        ahead = (other_days - own_days) % _DAYS_OF_YEAR - own_length
        behind = (own_days - other_days) % _DAYS_OF_YEAR - other_length
        return np.where(long, 0, np.maximum(0, np.minimum(ahead, behind)))


class _PlaceTable:
    """The place of every mention: country, American state, coordinates; unknown where several exclude each other."""

    def __init__(self, stated: Sequence[Sequence[Where]]) -> None:
        places = [
            own[0].place
            if own and own[0].place.country and not any(own[0].place.excludes(other.place) for other in own)
            else None
            for own in stated
        ]
        self.country = np.full(len(places), _NOWHERE, dtype=np.int64)
        self.state = np.full(len(places), _NOWHERE, dtype=np.int64)
        self.latitude = np.full(len(places), np.nan)
        self.longitude = np.full(len(places), np.nan)
        for number, place in enumerate(places):
            if place is None:
                continue
            self.country[number] = _code(place.country)
            if place.country == "US" and place.region:
                self.state[number] = _code(place.region)
            if place.sort == "city":
                self.latitude[number], self.longitude[number] = place.latitude, place.longitude
        self.known = self.country != _NOWHERE

    def differ(self, others: _PlaceTable, first: Integers, second: Integers) -> Flags:
        """Whether the places of pairs exclude each other (:meth:`cdcoref.circumstances.Place.excludes`)."""
        known = self.known[first] & others.known[second]
        country = self.country[first] != others.country[second]
        states = (self.state[first] != _NOWHERE) & (others.state[second] != _NOWHERE)
        state = states & (self.state[first] != others.state[second])
        far = self._far(others, first, second)
        return known & (country | state | far)

    def agree(self, others: _PlaceTable, first: Integers, second: Integers) -> Flags:
        """Whether the places of pairs are known and do not exclude each other."""
        return self.known[first] & others.known[second] & ~self.differ(others, first, second)

    def _far(self, others: _PlaceTable, first: Integers, second: Integers) -> Flags:
        distance = kilometres(
            self.latitude[first], self.longitude[first], others.latitude[second], others.longitude[second]
        )
        far: Flags = np.nan_to_num(distance) > FAR
        return far


def _code(letters: str) -> int:
    """A number for a code of letters and digits, the same for the same."""
    return int.from_bytes(letters.encode(), "big")

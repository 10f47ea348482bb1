"""Which events can be one by their circumstances: circumstances of mentions in, pairs in conflict or agreement out.

Two events conflict if their own clauses state days, countries or places that exclude each other; if the clause of one
looks elsewhere and states what excludes when or where the other happened; if the clause of one states a place, and the
document of the other is about another and names nothing near it; or if the main events of their documents clearly
differ. Counts alone do not conflict, since reports correct each other: they do if one of the clauses looks elsewhere.
An event and its subject are two, and so are two events of one verb with unlike names as objects. Everything is computed
from arrays, so pairs cost little.

Two mentions of different documents with one word agree if the clause of one looks elsewhere and states a time of a
month at most and a place, and those of the other are the same. A model scores such pairs too low, since the document
around the first is about something else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from cdcoref.circumstances.event_circumstances import Circumstances
from cdcoref.circumstances.event_kinds import kind_of, kind_of_noun
from cdcoref.circumstances.gazetteer import FAR, Place, kilometres
from cdcoref.circumstances.lead import Setting
from cdcoref.circumstances.sentences import Source, When, Where
from cdcoref.corpus import EVENT, Corpus
from cdcoref.language import head_word, lemma

Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]

FEWEST_DAYS = 2
"""Days between two events from which their days differ: what happens at night has two days, and the world has zones."""
DAYS_OF_ONE_STORY = 31
"""Documents of days farther from each other than this, without a name in common, are about different events."""
SHARED_NAMES = 2
"""The number of shared names from which two documents may be about one event, whatever their days and places."""
SHORT = 31
"""Days of a time, at most, that tells events of one place and kind apart: a month."""
AGREEMENT = 1.7
"""What is added to the log-odds of pairs that agree; see :meth:`CircumstanceTables.agree`."""
_DEFINITE = frozenset({"the", "this"})
NOBODY = -1
_NOWHERE = -1
_LONGEST_WITHOUT_YEAR = 300
_DAYS_OF_YEAR = 365


class CircumstanceTables:
    """The circumstances of mentions as arrays.

    `circumstances`: Of every mention; those of entities are empty, and conflict with nothing.
    `documents`: The document of each.
    `settings`: What every document states as a whole.
    `words`: The dictionary form of each mention's head.
    `subjects`: By the number of a mention, that of the mention that is its subject.
    `sentences`: The place of each mention's sentence in its document.
    `definite`: Whether "the" or "this" is before each.
    """

    def __init__(
        self,
        circumstances: Sequence[Circumstances],
        documents: Sequence[str],
        settings: Mapping[str, Setting],
        words: Sequence[str],
        subjects: Mapping[int, int],
        sentences: Sequence[int],
        definite: Sequence[bool],
    ) -> None:
        used = dict.fromkeys(documents)
        number = {id: place for place, id in enumerate(used)}
        self._document_of = np.array([number[id] for id in documents], dtype=np.int64)
        self._elsewhere = np.array([one.elsewhere for one in circumstances], dtype=bool)
        own = [[when for when in one.when if when.source >= Source.HEADING] for one in circumstances]
        self._own_times = _Times(own)
        self._times = _Times([list(one.when) for one in circumstances])
        near = [[where for where in one.where if where.source >= Source.HEADING] for one in circumstances]
        self._own_places = _PlaceTable(near)
        self._own = [own[0].place if own else None for own in near]
        self._places = _PlaceTable([list(one.where) for one in circumstances])
        self._counts = [one.how_many for one in circumstances]
        self._counted = np.array([bool(counts) for counts in self._counts], dtype=bool)
        self._documents = _Documents([settings.get(id, Setting()) for id in used])
        self._words = np.unique(words, return_inverse=True)[1]
        self._objects = [frozenset(one.named_object) for one in circumstances]
        self._named = np.array([bool(own) for own in self._objects], dtype=bool)
        lasts = {one.theme[-1] for one in circumstances if len(one.theme) > 1}
        # One word is a surname only if a full name of somebody has it.
        self._themes = [
            frozenset(one.theme if len(one.theme) > 1 or lasts.issuperset(one.theme) else ()) for one in circumstances
        ]
        self._themed = np.array([bool(own) for own in self._themes], dtype=bool)
        self._sorts = np.unique([kind_of(word) for word in words], return_inverse=True)[1]
        nouns = [kind_of_noun(word) for word in words]
        self._is_noun = np.array([bool(noun) for noun in nouns], dtype=bool)
        self._nouns = np.unique(nouns, return_inverse=True)[1]
        self._sentences = np.array(sentences, dtype=np.int64)
        self._definite = np.array(definite, dtype=bool)
        self._subject_of = np.array([subjects.get(one, NOBODY) for one in range(len(circumstances))], dtype=np.int64)

    @classmethod
    def of(
        cls, corpus: Corpus, circumstances: Sequence[Circumstances], settings: Mapping[str, Setting]
    ) -> CircumstanceTables:
        """Those of all mentions of a corpus, in order, from what its documents state as a whole."""
        documents = {document.id: document for document in corpus.documents}
        words = [
            lemma(head_word([documents[m.document].tokens[token] for token in m.tokens]).casefold())
            if m.kind == EVENT
            else ""
            for m in corpus.mentions
        ]
        number = {mention.place: place for place, mention in enumerate(corpus.mentions) if mention.kind == EVENT}
        subjects = {
            place: number[one.subject.place] for place, one in enumerate(circumstances) if one.subject is not None
        }
        sentences = [documents[m.document].sentence_at(m.start)[0] for m in corpus.mentions]
        definite = [
            m.start > 0 and documents[m.document].tokens[m.start - 1].lower() in _DEFINITE for m in corpus.mentions
        ]
        names = [mention.document for mention in corpus.mentions]
        return cls(circumstances, names, settings, words, subjects, sentences, definite)

    @property
    def looks_back(self) -> Flags:
        """Which mentions' clauses look elsewhere, or to an earlier year than the document's. *Shape:* (mentions,)"""
        return self._elsewhere | self._own_times.looks_back

    def conflicts(self, first: Integers, second: Integers) -> Flags:
        """Whether the events of pairs of mentions cannot be one. *Shape of all:* (pairs,)"""
        found = self.own_conflicts(first, second) | self.document_conflicts(first, second)
        found |= self._names_differ(first, second)
        found |= self._are_compared(first, second)
        for one, other in ((first, second), (second, first)):
            found |= self._is_outside(one, other)
        return found | (self._subject_of[first] == second) | (self._subject_of[second] == first)

    def _are_compared(self, first: Integers, second: Integers) -> Flags:
        """Whether one word is twice in a sentence, once of another happening ("a vote a week after a vote in Kiel").

        *Shape of all:* (pairs,)
        """
        one_sentence = self._document_of[first] == self._document_of[second]
        one_sentence &= self._sentences[first] == self._sentences[second]
        apart = self._elsewhere[first] != self._elsewhere[second]
        return one_sentence & apart & (self._words[first] == self._words[second])

    def _names_differ(self, first: Integers, second: Integers) -> Flags:
        """Whether both are one verb, and their objects are unlike names; or of one sort, and unlike people.

        *Shape of all:* (pairs,)
        """
        found = self._named[first] & self._named[second] & (self._words[first] == self._words[second])
        for place in np.flatnonzero(found):
            found[place] = self._objects[first[place]].isdisjoint(self._objects[second[place]])
        for place in np.flatnonzero(self._are_of_one_sort(first, second)):
            found[place] |= self._themes[first[place]].isdisjoint(self._themes[second[place]])
        return found

    def _are_of_one_sort(self, first: Integers, second: Integers) -> Flags:
        """Whether both are transfers, arrests or the like, and name whom they are of. *Shape of all:* (pairs,)"""
        return self._themed[first] & self._themed[second] & (self._sorts[first] == self._sorts[second])

    def _is_outside(self, first: Integers, second: Integers) -> Flags:
        """Whether the clause of the first states a place, and the document of the second is about another.

        The second states no place of its own. *Shape of all:* (pairs,)
        """
        one, other = self._document_of[first], self._document_of[second]
        found = (one != other) & self._own_places.known[first] & ~self._own_places.known[second]
        found &= ~self._elsewhere[second] & self._own_places.differ(self._places, first, second)
        for place in np.flatnonzero(found):
            found[place] = self._documents.lacks(int(other[place]), self._own[int(first[place])])
        return found

    def agree(self, first: Integers, second: Integers) -> Flags:
        """Whether pairs with one word, of different documents, have one day and one place. *Shape of all:* (pairs,)

        One of them states both in its own clause. Or both are transfers, arrests or the like of
        one person, and both look at what their documents are about, or their times agree. Or they are synonyms in one
        document.
        """
        found = np.zeros(len(first), dtype=bool)
        same = self._words[first] == self._words[second]
        same &= self._document_of[first] != self._document_of[second]
        for one, other in ((first, second), (second, first)):
            when = self._own_times.short[one] & self._times.short[other] & ~self._elsewhere[other]
            when &= self._own_times.agree(self._times, one, other)
            found |= when & self._own_places.agree(self._places, one, other)
        found &= same
        near = (self.looks_back[first] == self.looks_back[second]) | self._times.agree(self._times, first, second)
        of_one = self._are_of_one_sort(first, second) & near
        for place in np.flatnonzero(of_one):
            found[place] |= not self._themes[first[place]].isdisjoint(self._themes[second[place]])
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

    def own_conflicts(self, first: Integers, second: Integers) -> Flags:
        """Whether what their clauses state keeps them apart. *Shape of all:* (pairs,)"""
        found = self._own_times.differ(self._own_times, first, second)
        found |= self._own_places.differ(self._own_places, first, second)
        for one, other in ((first, second), (second, first)):
            looks = self._elsewhere[one] & ~self._elsewhere[other]
            found |= looks & self._own_times.differ(self._times, one, other)
            found |= looks & self._own_places.differ(self._places, one, other)
        one_looks = self._elsewhere[first] != self._elsewhere[second]
        for place in np.flatnonzero(one_looks & self._counted[first] & self._counted[second] & ~found):
            mine, theirs = self._counts[first[place]], self._counts[second[place]]
            found[place] = any(one.differs(other) for one in mine for other in theirs)
        return found

    def document_conflicts(self, first: Integers, second: Integers) -> Flags:
        """Whether the main events of their documents clearly differ. *Shape of all:* (pairs,)

        Mentions whose clauses look elsewhere, or agree with the other in when or where, are left out.
        """
        one, other = self._document_of[first], self._document_of[second]
        found = self._documents.differ(one, other) & ~self._elsewhere[first] & ~self._elsewhere[second]
        for mine, theirs in ((first, second), (second, first)):
            found &= ~(self._own_times.known[mine] & self._own_times.agree(self._times, mine, theirs))
            found &= ~(self._own_places.known[mine] & self._own_places.agree(self._places, mine, theirs))
        return found


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


class _Documents:
    """What documents state as a whole, in pairs of documents."""

    def __init__(self, settings: Sequence[Setting]) -> None:
        self._settings = settings
        self._known: dict[int, bool] = {}
        self._lacking: dict[tuple[int, Place | None], bool] = {}

    def differ(self, first: Integers, second: Integers) -> Flags:
        """Whether the main events of pairs of documents clearly differ. *Shape of all:* (pairs,)"""
        low, high = np.minimum(first, second), np.maximum(first, second)
        codes, places = np.unique(low * len(self._settings) + high, return_inverse=True)
        found = np.array([self._of_pair(code) for code in codes.tolist()], dtype=bool)
        result: Flags = found[places] if len(codes) else np.zeros(len(first), dtype=bool)
        return result

    def lacks(self, document: int, place: Place | None) -> bool:
        """Whether a document says where its main event was, and names no place that may be near another one."""
        if (document, place) not in self._lacking:
            setting = self._settings[document]
            named = [one for one in setting.places if one.country and one.sort != "country"]
            self._lacking[document, place] = bool(
                place and setting.where and setting.firm and named and all(place.excludes(one) for one in named)
            )
        return self._lacking[document, place]

    def _of_pair(self, code: int) -> bool:
        if code not in self._known:
            one, other = divmod(code, len(self._settings))
            self._known[code] = one != other and main_events_differ(self._settings[one], self._settings[other])
        return self._known[code]


def main_events_differ(one: Setting, other: Setting) -> bool:
    """Whether two documents are clearly about different events.

    They have no name in common, and lie weeks apart, or the place of the main event of each excludes that of the
    other's; with one name in common, also all smaller places that the other names.
    """
    shared = len(one.names & other.names)
    if shared >= SHARED_NAMES:
        return False
    if not shared and one.today and other.today and one.today.gap(other.today) > DAYS_OF_ONE_STORY:
        return True
    if one.where is None or other.where is None or not (one.firm and other.firm):
        return False
    if not one.where.place.excludes(other.where.place):
        return False
    return not shared or (_excludes_all(one, other) and _excludes_all(other, one))


def _excludes_all(one: Setting, other: Setting) -> bool:
    """Whether the place of one document's main event excludes all smaller places that another document names."""
    assert one.where is not None
    return all(one.where.place.excludes(place) for place in other.places if place.country and place.sort != "country")

"""Names of places in, the places that they may mean out: countries, American states and counties, regions, and the
cities of GeoNames with 15,000 or more inhabitants (CC BY 4.0), in `gazetteer.tsv`."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from cdcoref.language import countries_named
from cdcoref.word_tables import rows, table_file, words_in

Sort = Literal["country", "region", "city", "unknown"]

FAR = 60.0
"""Two cities of a country that are farther from each other than this, in kilometres, do not share an event."""
_POPULATION_RATIO = 3
"""The ratio of inhabitants above which the larger of two cities of one name is meant, if the text does not say."""
_FAR_LARGER = 10
_KNOWN_BY_NAME_ALONE = 150_000
"""Inhabitants from which a city needs no state or country beside its name, though other places have it too."""
_NAMES_REPEATED = frozenset({"US", "CA", "AU", "GB"})
_KNOWN_EVERYWHERE = 1_000_000
"""Inhabitants from which a city is meant even in a text about Britain, rather than a British town of its name."""
_NAMED_AFTER_BRITISH = frozenset({"US", "CA", "AU", "NZ", "ZA"})
_EARTH_RADIUS = 6371.0
LONGEST_NAME = 5
"""Words in a name, at most."""

_PLAIN_LETTERS = str.maketrans(
    {"ı": "i", "ł": "l", "đ": "d", "ø": "o", "æ": "ae", "œ": "oe", "’": "'", "‘": "'", "ʻ": "'"}
)
"""Letters that English texts write otherwise, and that are no letters with marks."""
AMBIGUOUS = words_in("place_words.tsv", "ambiguous")
"""Names of countries or states that are as often something else."""


@dataclass(frozen=True, slots=True)
class Place:
    """A place; of the sort ``"unknown"`` by its context, not in the gazetteer.

    `country`: its code (ISO 3166); empty if unknown.
    `region`: the code of the region in the gazetteer, of an American state its postal code; empty if unknown.
    `latitude`, `longitude`: of a city, in degrees.
    """

    name: str
    sort: Sort = "unknown"
    country: str = ""
    region: str = ""
    latitude: float = math.nan
    longitude: float = math.nan

    def excludes(self, other: Place) -> bool:
        """Whether nothing can be in both: different countries, states or regions, or cities far from each other."""
        if not self.country or not other.country:
            return False
        if self.country != other.country:
            return True
        of_regions = self.country == "US" or self.sort == other.sort == "region"
        if of_regions and self.region and other.region and self.region != other.region:
            return True
        return self.sort == other.sort == "city" and self.distance(other) > FAR

    def contains(self, other: Place) -> bool:
        """Whether the other is a part of it, or the same: the United Kingdom contains what is called Britain."""
        if self == other:
            return True
        if not self.country or self.country != other.country:
            return False
        if self.sort == other.sort == "country":
            return self.name == _gazetteer().countries[self.country]
        return self.sort == "country" or (self.sort == "region" != other.sort and self.region == other.region != "")

    def distance(self, other: Place) -> float:
        """Kilometres between two cities, exact where they are near; NaN if one has no coordinates."""
        middle = math.radians((self.latitude + other.latitude) / 2)
        east = (other.longitude - self.longitude) * math.cos(middle)
        return _EARTH_RADIUS * math.radians(math.hypot(east, other.latitude - self.latitude))

    def shown(self) -> str:
        """The place with what contains it: ``Kalamata, Greece``, ``Kokomo, Indiana``."""
        if self.sort == "country" or not self.country:
            return self.name
        within = _gazetteer().states.get(self.region, "") if self.country == "US" else ""
        within = within or _gazetteer().countries[self.country]
        return self.name if within == self.name else f"{self.name}, {within}"


def places_named(words: Sequence[str]) -> tuple[Place, ...]:
    """The places that a name (its words) may mean, the most populous first; empty if the gazetteer has none."""
    return _gazetteer().places(_key(words))


def state_shortened(word: str) -> Place | None:
    """The American state that a shortened form or a postal code after a comma means ("Pa.", "MO")."""
    return _gazetteer().shortened.get(word)


def country_of_people(word: str) -> Place | None:
    """The country of an adjective ("Greek")."""
    found = countries_named((word.casefold(),))
    if len(found) != 1:
        return None
    (name,) = found
    return next((place for place in _gazetteer().places(name) if place.sort == "country"), None)


def likeliest(places: Sequence[Place], known: Sequence[Place], countries: Collection[str] = ()) -> Place:
    """Which of several places of one name, the most populous first, is meant, or what those that may be have in common.

    `known`: places that the document names with certainty: one of that name is meant, or a place in one of them.
    `countries`: codes of the countries of other places in which, by the document, something happens.
    """
    countries = {*countries, *(own.country for own in known)}
    name = _key(places[0].name.split())
    for own in known:
        if own.sort in ("city", "unknown") and own.country and _key(own.name.split()) == name:
            return own
        if own.sort == "region" and (inside := [place for place in places if own.contains(place)]):
            return inside[0]
    first = places[0]
    inside = [place for place in places if any(own.sort == "country" and own.contains(place) for own in known)]
    # A country that a text names says little of a smaller namesake there: Geneva, and Geneva in Illinois.
    if inside and inside[0] == first:
        return _common(inside, countries)
    in_britain = {own.country for own in known} - {""} == {"GB"} and first.country in _NAMED_AFTER_BRITISH
    if first.sort == "city" and in_britain and _gazetteer().population[first] < _KNOWN_EVERYWHERE:
        return Place(first.name)
    return _common(places, countries)


def of_one_story(places: Sequence[Place]) -> list[Place]:
    """Places that reports of one story name: where one report says what contains a town, all mean that town."""
    contained = {place.name: place for place in places if place.sort == "unknown" and place.country}
    return [contained.get(place.name, place) if place.sort == "city" else place for place in places]


def _common(places: Sequence[Place], countries: Collection[str]) -> Place:
    """The first, if it is no city; of a city that may be another of its name, only the country, or not even that."""
    first = places[0]
    if first.sort != "city":
        return first
    population = _gazetteer().population
    others = [place for place in places[1:] if population[place] * _POPULATION_RATIO > population[first]]
    least = population[first] / _FAR_LARGER  # of a namesake in the country of a text: no Paris in Texas
    is_here = any(p.country in countries and (p.sort != "city" or population[p] >= least) for p in places)
    if is_here and first.country not in countries:
        return Place(first.name)
    is_small = first.country in _NAMES_REPEATED and population[first] < _KNOWN_BY_NAME_ALONE
    if any(place.country != first.country for place in others) or (is_small and first.country not in countries):
        return Place(first.name)
    if others or is_small:
        return Place(first.name, "unknown", first.country)
    return first


def _key(words: Sequence[str]) -> str:
    return " ".join(map(plain_word, words))


@lru_cache(maxsize=1 << 16)
def plain_word(word: str) -> str:
    """A word in lower case, without accents and a full stop at its end."""
    if word.isascii():
        return word.casefold().rstrip(".")
    letters = unicodedata.normalize("NFKD", word.casefold())
    plain = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return plain.translate(_PLAIN_LETTERS).rstrip(".")


class _Gazetteer:
    """Places by name; those of cities, and their population, are made when a name is looked up: few of 34,000 are."""

    def __init__(self) -> None:
        self.states: dict[str, str] = {}
        self.countries: dict[str, str] = {}
        self.shortened: dict[str, Place] = {}
        self.population: dict[Place, int] = {}
        self._larger: dict[str, list[Place]] = {}
        self._cities: dict[str, list[list[str]]] = {}
        self._found: dict[str, tuple[Place, ...]] = {}
        counties: dict[str, set[str]] = {}
        for line in table_file("gazetteer.tsv").read_text(encoding="utf-8").splitlines()[2:]:
            kind, name, country, region, *numbers, keys = line.split("\t")
            if kind == "city":
                for key in keys.split("|") if keys else (name.casefold(),):
                    self._cities.setdefault(key, []).append([name, country, region, *numbers])
            elif kind == "county":
                counties.setdefault(name, set()).add(region)
            elif kind == "state":
                self.states[region] = name
                self._add(name, Place(name, "region", country, region))
            elif kind == "country":
                self.countries[country] = name
                self._add(name, Place(name, "country", country), int(numbers[-1]))
        for name, states in counties.items():
            self._add(name, Place(name, "unknown", "US", states.pop() if len(states) == 1 else ""))
        for row in rows("place_names.tsv"):
            self._add_row(**row)

    def _add(self, name: str, place: Place, inhabitants: int = 0) -> None:
        if place.sort != "unknown" and name.casefold() in AMBIGUOUS:
            return
        self.population[place] = max(inhabitants, self.population.get(place, 0))
        others = countries_named(tuple(name.casefold().split())) if inhabitants else ()
        for key in (_key(name.split()), *others):
            own = self._larger.setdefault(key, [])
            if place not in own:
                own.append(place)

    def _add_row(self, name: str, kind: str, code: str, called: str) -> None:
        if kind == "state":
            state = Place(self.states[code], "region", "US", code)
            self.shortened |= dict.fromkeys((code, name, name.rstrip("."), state.name), state)
        elif kind == "country":
            self._add(name, Place(called or name.title(), "country" if code else "unknown", code))
        elif kind == "region":
            self._add(name, Place(name, "region", code, called or name))
        else:
            own = [city for city in self._cities.get(_key(name.split()), ()) if city[0] == name]
            self._cities.setdefault(_key(called.split()), []).extend(own)
            for city in own if kind == "city" else ():
                city[0] = called

    def places(self, name: str) -> tuple[Place, ...]:
        """Those that a name in lower case may mean: countries, regions, cities, and the most populous of each first."""
        cities = self._cities.get(name, ()) if name not in AMBIGUOUS else ()
        if not cities and name not in self._larger:
            return ()
        if name not in self._found:
            places = dict.fromkeys(self._larger.get(name, ()))
            for called, country, region, latitude, longitude, inhabitants in cities:
                place = Place(called, "city", country, region, float(latitude), float(longitude))
                places[place] = None
                self.population[place] = max(int(inhabitants), self.population.get(place, 0))
            order = {"country": 0, "region": 1, "city": 2, "unknown": 3}
            self._found[name] = tuple(sorted(places, key=lambda place: (order[place.sort], -self.population[place])))
        return self._found[name]


@lru_cache(maxsize=1)
def _gazetteer() -> _Gazetteer:
    return _Gazetteer()

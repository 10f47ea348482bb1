"""What web sites put around a report does not count as part of it."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdcoref.corpora import CorpusFolder
from cdcoref.corpus import Document
from cdcoref.formats import tokenise_text
from cdcoref.stories import boilerplate_lines, group_documents, line_key, near_duplicates, without_boilerplate, words_of
from tests.cdcoref.conftest import grouping_f1

SHARE = "Share this with Email Facebook Messenger Twitter Pinterest WhatsApp LinkedIn\n\nCopy this link\n\n"
HEADERS: dict[str, Callable[[random.Random], str]] = {
    "date": lambda draw: f"2016-11-{draw.randint(1, 9):02d}\n\n",
    "byline and time": lambda draw: (
        f"By {draw.choice(['Ann Lee', 'Tom Fry and Joe Marsh, Herald staff'])}\n"
        f"Updated: Monday, November {draw.randint(1, 9)}, 2016 | {draw.randint(1, 12)}:30 p.m. EST\n\n"
    ),
    "links": lambda draw: f"{draw.randint(1, 9)} November 2016\n{SHARE}Image copyright Getty Images Image caption\n\n",
}
REPORTS = {
    "flood 1": "River bursts its banks in Torvald. The Ask flooded 40 streets in Torvald, and 300 people fled by boat.",
    "flood 2": "Hundreds flee Torvald. Some 300 people left their homes in Torvald by boat after the river Ask rose.",
    "merger 1": "Bakers to merge. Brandt and Ovens, two makers of bread, agreed on a merger worth 40 million euros.",
    "merger 2": "Brandt buys Ovens. Brandt agreed to buy Ovens, another maker of bread, for 40 million euros in cash.",
    "verdict 1": "Smuggler jailed. A court in Lisse jailed Piet Kamp for smuggling cigarettes in coffins for years.",
    "verdict 2": "Kamp jailed. Piet Kamp, who smuggled cigarettes in coffins, was sentenced by a court in Lisse.",
}
INVENTED = Path(__file__).resolve().parents[3] / "data" / "invented"


def read(texts: dict[str, str]) -> list[Document]:
    return [tokenise_text(text, id) for id, text in texts.items()]


@pytest.mark.parametrize("header", HEADERS)
def test_headers_do_not_change_the_stories(header: str, invented_dev: list[Document]) -> None:
    draw = random.Random(0)
    with_headers = [
        replace(
            tokenise_text(HEADERS[header](draw) + document.text, document.id),
            topic=document.topic,
            subtopic=document.subtopic,
        )
        for document in invented_dev
    ]
    plain = grouping_f1(invented_dev, group_documents(invented_dev))
    assert plain > 0.8
    assert grouping_f1(with_headers, group_documents(with_headers)) == pytest.approx(plain, abs=0.02)


@pytest.fixture(scope="module")
def invented_dev() -> list[Document]:
    corpus = CorpusFolder.parse(f"invented:{INVENTED}").read("dev").corpus
    topics = sorted({document.topic or "" for document in corpus.documents})[:12]
    return [document for document in corpus.documents if document.topic in topics]


def test_lines_of_unrelated_documents_are_boilerplate() -> None:
    documents = read({id: SHARE + text for id, text in REPORTS.items()})
    found = boilerplate_lines(documents)
    assert found == {line_key(documents[0], *bounds) for bounds in documents[0].sentences[:2]}
    for document in documents:
        assert words_of(document, found).keys() == words_of(tokenise_text(REPORTS[document.id], "plain")).keys()


def test_a_sentence_that_reports_of_one_story_quote_counts() -> None:
    quote = '"The water came at night," said Mayor Ida Holm.'
    ends = ("Boats came.", "Helicopters came.", "Soldiers came.", "Nobody was hurt.")
    assert not boilerplate_lines(read({str(n): f"{REPORTS['flood 1']} {quote} {end}" for n, end in enumerate(ends)}))


def test_short_documents_show_no_boilerplate() -> None:
    assert not boilerplate_lines(
        read({str(n): f"A quake shook Peru.\n\n{end}" for n, end in enumerate(("No.", "Yes.", "So."))})
    )


@given(st.permutations(list(REPORTS)))
def test_the_order_of_documents_does_not_matter(order: list[str]) -> None:
    documents = read({id: SHARE + REPORTS[id] for id in order})
    assert len(boilerplate_lines(documents)) == 2
    assert {frozenset(group) for group in group_documents(documents)} == {
        frozenset(id for id in REPORTS if id.startswith(story)) for story in ("flood", "merger", "verdict")
    }


def test_figures_in_a_line_may_differ() -> None:
    texts = {id: f"{n} comments on this article\n\n{text}" for n, (id, text) in enumerate(REPORTS.items(), 1)}
    assert len(boilerplate_lines(read(texts))) == 1


def test_reprints_between_the_lines_of_different_sites_count() -> None:
    body = " ".join(REPORTS[id] for id in ("flood 1", "flood 2"))
    around = (
        "Herald subscribers read more for less, from Monday to Sunday.",
        "Lantern Radio: news, music and weather every hour of the night.",
        "Download the Courier app, and listen to our podcasts on your way home.",
    )
    assert not boilerplate_lines(read({str(n): f"{own}\n\n{body} {body.upper()}" for n, own in enumerate(around)}))


def test_short_reports_between_many_common_lines_are_no_copies() -> None:
    links = "\n\n".join(f"Read more about topic {letter} on our page for subscribers." for letter in "abcdefghijkl")
    documents = read({id: f"{text}\n\n{links}" for id, text in REPORTS.items()})
    found = boilerplate_lines(documents)
    assert len(found) == 12
    assert near_duplicates(documents)
    assert not near_duplicates(documents, boilerplate=found)
    assert len(group_documents(documents)) == 3


@pytest.mark.parametrize("form", ["{} | The Evening Herald", "LONDON (Reuters) - {}", "Herald » World » {}"])
def test_a_site_and_an_agency_in_a_line_of_the_report_do_not_count(form: str) -> None:
    documents = read({id: form.format(text) for id, text in REPORTS.items()})
    found = boilerplate_lines(documents)
    for document in documents:
        assert words_of(document, found).keys() == words_of(tokenise_text(REPORTS[document.id], "plain")).keys()
    assert len(group_documents(documents)) == 3


@pytest.mark.parametrize("line", ["2016-11-0{}", "Published November {}, 2016 in World", "Updated {} Nov, 10:30 GMT"])
def test_lines_with_the_day_of_a_report_stay_visible(line: str) -> None:
    texts = {id: f"{SHARE}{line.format(n)}\n\n{text}" for n, (id, text) in enumerate(REPORTS.items(), 1)}
    documents = read(texts)
    found = boilerplate_lines(documents)
    assert len(found) >= 3
    assert all(without_boilerplate(document, found).hidden == {0, 1} for document in documents)
    assert len(group_documents(documents)) == 3


def test_what_any_report_may_say_is_no_boilerplate_unless_many_do() -> None:
    texts = {id: f"{text} Police are investigating." for id, text in REPORTS.items()}
    others = {f"other {n}": f"Word{n} and name{n} met." for n in range(10 * len(REPORTS))}
    few = {id: others[id] for id in list(others)[: 9 * len(REPORTS)]}
    assert len(boilerplate_lines(read({**texts, **few}))) == 1
    assert not boilerplate_lines(read({**texts, **others}))

"""Texts that are not in English are named; English ones, however short or full of names, are not."""

from __future__ import annotations

import importlib

import pytest

from cdcoref.formats import tokenise_text
from cdcoref.language import remarks_on_language

OTHERS = ["ar", "de", "el", "es", "fr", "ja", "ko", "nl", "ru", "tr", "vi", "zh"]


@pytest.mark.parametrize("language", OTHERS)
def test_other_languages_are_named(language: str) -> None:
    text = " ".join(importlib.import_module(f"spacy.lang.{language}.examples").sentences)
    (remark,) = remarks_on_language(
        [tokenise_text("The ferry sank off Tresk. " * 5, "english"), tokenise_text(text, "x")]
    )
    assert "1 document seems" in remark
    assert remark.endswith(": x")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Ja.",
        "Hokkaido",
        "New York beat the Chicago Bulls 101-99 on Friday.",
        "Sieyumbe Arrington, 37, of Kokomo, Cristobal Guerroro, 31, of Marion, and Ana Ruiz were arrested on Tuesday.",
        "TWO DEAD AFTER FERRY SINKS OFF TRESK; CAPTAIN HELD, POLICE SAY",
        "https://example.org/2013/08/02/ellen-hosts-oscars: Ellen DeGeneres to host the Oscars for the second time",
        "Ain't no mountain high enough",
        "Cappuccino, latte, espresso",
        "espn.com/nba/recap",
        "cafe owner fined",
        "Emperor Norton (Joshua Abraham Norton, c. 1818 - January 8, 1880) was a citizen of San Francisco.",
    ],
)
def test_short_english_texts_are_not(text: str) -> None:
    assert remarks_on_language([tokenise_text(text, "x")]) == ()


@pytest.mark.parametrize(
    "text", ["北京发生火灾。", "Пожар", "حريق في المدينة", "火事がトレスクで", "화재", "Φωτιά στην Αθήνα"]
)
def test_short_texts_in_other_scripts_are_named(text: str) -> None:
    assert remarks_on_language([tokenise_text(text, "x")])


@pytest.mark.parametrize(
    "text",
    [
        "Feuer in Leeds tötet zwei Menschen.",
        "Le feu a tué deux hommes à Leeds.",
        "El barco se hundió el viernes.",
        "Il traghetto è affondato venerdì",
        "De veerboot zonk vrijdag.",
        "Prom zatonął w piątek.",
        "Gemi cuma günü battı.",
    ],
)
def test_short_texts_in_other_languages_are_named(text: str) -> None:
    assert remarks_on_language([tokenise_text(text, "x")])


def test_a_few_are_named_and_the_others_counted() -> None:
    text = "Die Fähre sank am Freitag vor Tresk, und neunzehn Menschen ertranken, wie die Polizei mitteilte."
    (remark,) = remarks_on_language([tokenise_text(text, f"{n}.txt") for n in range(8)])
    assert "8 documents seem" in remark
    assert remark.endswith("0.txt, 1.txt, 2.txt, 3.txt, 4.txt and 3 more")

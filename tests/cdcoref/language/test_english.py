"""Texts that are not in English are named; English ones, however short or full of names, are not."""

from __future__ import annotations

import importlib

import pytest

from cdcoref.formats import tokenise_text
from cdcoref.language import remarks_on_language
from tests.tables import rows_of

OTHERS = ["ar", "de", "el", "es", "fr", "ja", "ko", "nl", "ru", "tr", "vi", "zh"]


@pytest.mark.parametrize("language", OTHERS)
def test_other_languages_are_named(language: str) -> None:
    text = " ".join(importlib.import_module(f"spacy.lang.{language}.examples").sentences)
    (remark,) = remarks_on_language(
        [tokenise_text("The ferry sank off Tresk. " * 5, "english"), tokenise_text(text, "x")]
    )
    assert "1 document seems" in remark
    assert remark.endswith(": x")


def test_short_texts_in_other_languages_are_named_and_english_ones_are_not() -> None:
    for row in rows_of(__file__, "short_texts.tsv"):
        assert bool(remarks_on_language([tokenise_text(row["text"], "x")])) is (row["foreign"] == "yes"), row


def test_a_few_are_named_and_the_others_counted() -> None:
    text = "Die Fähre sank am Freitag vor Tresk, und neunzehn Menschen ertranken, wie die Polizei mitteilte."
    (remark,) = remarks_on_language([tokenise_text(text, f"{n}.txt") for n in range(8)])
    assert "8 documents seem" in remark
    assert remark.endswith("0.txt, 1.txt, 2.txt, 3.txt, 4.txt and 3 more")

"""The model that ships, on twenty invented articles of four outlets about six happenings: stories, timelines and
disagreements that were written down by hand before.

The articles are ``newsroom/STORY_OUTLET.md``; they are fiction. Two of the stories are fires.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from cdcoref.formats import read_corpus
from cdcoref.predict import Prediction, Predictor
from cdcoref.reports import PredictedStory
from tests.cdcoref.conftest import grouping_f1

ARTICLES = Path(__file__).parent / "newsroom"
TIMELINE = {
    ("fire", r"fire|blaze", "2025-08-05"),
    ("fire", r"kill|died", "2025-08-05"),
    ("fire", r"arrest", "2025-08-06"),
    ("depot", r"fire|burned", "2025-08-07"),
    ("theft", r"theft|stole|stolen", "2025-09-14"),
    ("mayor", r"elect|won", "2025-09-08"),
    ("merger", r"takeover|buy|announced", "2025-07-01"),
    ("coach", r"sentence|jailed", "2025-11-03"),
    ("coach", r"convicted", "2025-10"),
}
"""Events that several articles report: the story, how they are called, the day."""
DISAGREEMENTS = {
    ("theft", "4 million", "6 million"),
    ("mayor", "1,204", "1,240"),
    ("merger", r"2\.1", r"2\.4"),
    ("merger", "600", "900"),
    ("coach", "seven", "nine"),
}
"""Patterns of the numbers that articles of a story contradict each other about."""
NUMBERS = {("fire", "people killed", ("3", "5")), ("depot", "workers injured", ("12", "14"))}
"""What rises from one day of reports to the next: the story, what is counted, and its values."""


@pytest.fixture(scope="module")
def prediction(default_model: Predictor) -> Prediction:
    return default_model.predict(read_corpus([ARTICLES]).corpus)


def story_of(document: str) -> str:
    return Path(document).name.partition("_")[0]


def main_story(prediction: Prediction, name: str) -> PredictedStory:
    """The predicted story with most articles of one."""
    return max(prediction.stories, key=lambda story: sum(story_of(document) == name for document in story.documents))


def test_articles_are_grouped_as_by_hand(prediction: Prediction) -> None:
    documents = [replace(document, subtopic=story_of(document.id)) for document in prediction.corpus.documents]
    assert len(documents) == 20
    assert len({document.subtopic for document in documents}) == 6
    quality = grouping_f1(documents, list(prediction.numbered_stories().values()))
    print(f"B3 F1 of grouping: {100 * quality:.1f}")
    assert quality >= 0.95


def test_timelines(prediction: Prediction) -> None:
    found = set()
    for name, words, day in TIMELINE:
        for event in main_story(prediction, name).timeline:
            if re.search(words, event.label) and str(event.when).startswith(day):
                found.add((name, words, day))
    print(f"timelines: {len(found)} of {len(TIMELINE)}; missing: {sorted(TIMELINE - found)}")
    assert len(found) >= 8


def test_disagreements(prediction: Prediction) -> None:
    found = set()
    reported = 0
    for name in sorted({name for name, *_ in DISAGREEMENTS}):
        for one in main_story(prediction, name).disagreements:
            reported += 1
            values = [statement.value.casefold() for statement in one.statements]
            print(name, one.label, one.about, values)
            for gold in DISAGREEMENTS:
                if gold[0] == name and all(any(re.search(number, value) for value in values) for number in gold[1:]):
                    found.add(gold)
    print(f"disagreements: {len(found)} of {len(DISAGREEMENTS)}, {reported} reported; {sorted(DISAGREEMENTS - found)}")
    assert found == DISAGREEMENTS
    assert reported <= 7


def test_numbers_over_time(prediction: Prediction) -> None:
    found = {
        (name, line.label, tuple(report.number for report in line.reports))
        for name in ("fire", "depot")
        for line in main_story(prediction, name).numbers
    }
    assert found == NUMBERS

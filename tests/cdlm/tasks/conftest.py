"""Small inputs for the tasks, written for these tests: pairs of texts, and questions in HotpotQA's form."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from cdlm.tasks import Question, TextPair, read_questions

FERRY: dict[str, Any] = {
    "_id": "q1",
    "question": "Where was the captain of the Maren born?",
    "answer": "Tresk",
    "type": "bridge",
    "level": "easy",
    "supporting_facts": [["Maren", 1], ["Jonas Pell", 0]],
    "context": [
        ["Harbour", ["The harbour lies in Tresk.", " It is old."]],
        ["Maren", ["The Maren was a ferry.", " Her captain was Jonas Pell."]],
        ["Jonas Pell", ["Jonas Pell was born in Tresk.", " He was a captain."]],
    ],
}
MUSEUM: dict[str, Any] = {
    "_id": "q2",
    "question": "Are both the Maren and the museum old?",
    "answer": "No",
    "type": "comparison",
    "supporting_facts": [["Museum", 1], ["Maren", 0]],
    "context": [
        ["Maren", ["The Maren was new.", " She sank."]],
        ["Museum", ["A museum.", " The museum is old.", " It is big."]],
    ],
}


@pytest.fixture
def hotpot() -> list[dict[str, Any]]:
    """Two questions as HotpotQA's JSON has them: one bridge, one comparison."""
    return copy.deepcopy([FERRY, MUSEUM])


@pytest.fixture
def hotpot_file(hotpot: list[dict[str, Any]], tmp_path: Path) -> Path:
    """The file with these questions."""
    path = tmp_path / "questions.json"
    path.write_text(json.dumps(hotpot), encoding="utf-8")
    return path


@pytest.fixture
def questions(hotpot_file: Path) -> tuple[Question, ...]:
    """These questions, read."""
    return read_questions(hotpot_file, answered=True).questions


@pytest.fixture
def text_pairs() -> list[TextPair]:
    """Pairs that are of one story or of two."""
    ferry = ["the ferry sank near the island", "a ferry sank in the storm", "the captain of the ferry was arrested"]
    museum = ["the painting was stolen from the museum", "a guard saw the painting", "the museum lost a painting"]
    return [
        TextPair(f"{kind}{a}{b}", one, other, int(kind != "mixed"))
        for kind, first, second in (("ferry", ferry, ferry), ("museum", museum, museum), ("mixed", ferry, museum))
        for a, one in enumerate(first)
        for b, other in enumerate(second)
    ]

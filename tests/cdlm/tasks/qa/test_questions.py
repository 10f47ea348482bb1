"""HotpotQA's JSON: what is read, where answers stand, and what is refused where."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from cdlm.errors import InputError
from cdlm.tasks import Paragraph, Question, read_questions
from cdlm.tasks.qa import QuestionBuilder, label_sequence

if TYPE_CHECKING:
    from cdlm.tokens import Tokenizer

Hotpot = list[dict[str, Any]]
TITLE = -1
"""The number of a title among the sentences of its paragraph."""


def test_what_is_read(hotpot_file: Path) -> None:
    first, second = read_questions(hotpot_file).questions
    assert (first.id, first.text, first.answer) == ("q1", "Where was the captain of the Maren born?", "Tresk")
    assert first.paragraphs[1] == Paragraph("Maren", ("The Maren was a ferry.", " Her captain was Jonas Pell."))
    assert first.facts == (("Maren", 1), ("Jonas Pell", 0))
    assert (first.type, second.type, second.answer) == ("bridge", "comparison", "No")


def test_test_files_have_no_answers(hotpot: Hotpot, tmp_path: Path) -> None:
    for name in ("answer", "supporting_facts", "type"):
        del hotpot[0][name]
    path = tmp_path / "test.json"
    path.write_text(json.dumps(hotpot[:1]))
    assert read_questions(path).questions[0].answer is None
    with pytest.raises(InputError, match="question 'q1': answer is missing"):
        read_questions(path, answered=True)


@pytest.mark.parametrize("tokenizer", ["byte_bpe"], indirect=True)  # whose tokens here are letters
def test_answers_are_sought_where_they_most_likely_are(tokenizer: Tokenizer, questions: tuple[Question, ...]) -> None:
    ferry = questions[0]

    def found(answer: str = "Tresk") -> list[list[int]]:
        """Paragraph, sentence and characters of every place at which the answer may stand."""
        question = replace(ferry, answer=answer)
        sequence = QuestionBuilder(tokenizer, 400)(question)
        labels = label_sequence(question, sequence)
        first, last = sequence.text_places[labels.starts == 1], sequence.text_places[labels.ends == 1]
        return [[*one[:3], other[3]] for one, other in zip(first.tolist(), last.tolist(), strict=True)]

    # Both the first and the last paragraph have it; only the last supports the answer.
    assert found() == [[2, 0, 23, 28]]
    assert found("jonas  PELL") == [[1, 1, 17, 27], [2, 0, 0, 10]]
    assert found("Maren") == [[1, TITLE, 0, 5]]
    assert found("Harbour") == [[0, TITLE, 0, 7], [0, 0, 4, 11]]
    assert found("a captain") == [[2, 1, 8, 17]]
    # Whole words come first, parts of words after all of them.
    assert found("old") == [[0, 1, 7, 10]]
    assert found("res") == [[2, 0, 24, 27]]
    assert found("Oslo") == []


def test_facts_that_point_nowhere_are_counted(hotpot: Hotpot, tmp_path: Path) -> None:
    hotpot[0]["supporting_facts"] += [["Maren", 2], ["Nobody", 0]]
    path = tmp_path / "questions.json"
    path.write_text(json.dumps(hotpot))
    read = read_questions(path)
    assert read.notes == ("ignored 2 of 6 supporting facts: there is no such sentence",)
    assert read.questions[0].facts is not None
    assert len(read.questions[0].facts) == 4


def test_answers_that_are_nowhere(hotpot: Hotpot, tmp_path: Path) -> None:
    hotpot[0]["answer"] = "Oslo"
    path = tmp_path / "questions.json"
    path.write_text(json.dumps(hotpot, indent=1))
    read = read_questions(path, answered=True)
    assert [question.id for question in read.questions] == ["q2"]
    assert read.notes == ("skipped 1 of 2 questions: the answer is not in the paragraphs",)
    assert len(read_questions(path, answered=True, unanswerable="keep").questions) == 2
    assert len(read_questions(path).questions) == 2


def without(name: str) -> Callable[[dict[str, Any]], None]:
    return lambda question: question.pop(name)


def having(**fields: Any) -> Callable[[dict[str, Any]], None]:
    return lambda question: question.update(fields)


@pytest.mark.parametrize(
    ("break_it", "message"),
    [
        (without("_id"), "question 2 has no _id"),
        (having(_id="q1"), "two questions have the _id 'q1'"),
        (without("question"), "question 'q2': question is missing"),
        (without("context"), "question 'q2': context is missing"),
        (having(context=[["A", ["b"]], ["Maren"]]), r"context\[1\]\[1\] is"),
        (having(context=[["Maren", "She sank."]]), r"context\[0\]\[1\] is 'She sank.' and should be a list"),
        (without("answer"), "question 'q2': answer is missing"),
        (having(answer=5), "answer is 5 and should be text"),
        (without("supporting_facts"), "supporting_facts is missing"),
        (having(supporting_facts=[["Maren", "0"]]), r"supporting_facts\[0\]\[1\] is '0' and should be a whole number"),
        (having(supporting_facts="Maren"), "supporting_facts is 'Maren' and should be a list"),
    ],
)
def test_refusals(break_it: Callable[[dict[str, Any]], None], message: str, hotpot: Hotpot, tmp_path: Path) -> None:
    break_it(hotpot[1])
    path = tmp_path / "questions.json"
    path.write_text(json.dumps(hotpot))
    with pytest.raises(InputError, match=message) as raised:
        read_questions(path, answered=True)
    assert raised.value.path == str(path)

"""Questions over paragraphs, from HotpotQA's official JSON (distractor setting; Yang et al. 2018; paper, section
3.4)."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, Strict

from cdlm.errors import InputError
from cdlm.validation import validated

YES, NO = "yes", "no"
TITLE = -1
"""The number of a title among a paragraph's sentences."""

Fact = tuple[str, int]
Unanswerable = Literal["skip", "keep"]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A title and the sentences below it, if there are any."""

    title: str
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the paragraphs that may answer it."""

    id: str
    text: str
    paragraphs: tuple[Paragraph, ...]
    answer: str | None = None
    """Text from the paragraphs, ``"yes"`` or ``"no"``; None if unknown."""
    facts: tuple[Fact, ...] | None = None
    """Supporting facts, ``(title, number of the sentence)``; None if unknown."""
    type: str | None = None
    """``"bridge"``, ``"comparison"``, or whatever the file says."""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """Where an answer occurs: characters ``start`` to ``end`` of a sentence (or `TITLE`) of a paragraph."""

    paragraph: int
    sentence: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Questions:
    """The questions of a file."""

    questions: tuple[Question, ...]
    notes: tuple[str, ...] = ()
    """One sentence for each kind of problem that was tolerated or made questions be skipped."""


def read_questions(path: str | Path, *, answered: bool = False, unanswerable: Unanswerable = "skip") -> Questions:
    """Read questions in HotpotQA's official JSON.

    If they are `answered`, as for training and scoring, each needs its answer and its supporting facts. One whose
    answer is nowhere in its paragraphs is then skipped, since nothing can be learnt from it, or kept for scoring.
    Raises `InputError` if the file cannot be read, a field is missing or malformed, two questions have the same id, or
    there are no questions or all were skipped.
    """
    path = Path(path)
    questions: dict[str, Question] = {}
    skipped = dangling = 0
    for number, values in enumerate(_read(path), start=1):
        question = _question(values, answered, path, number)
        if question.id in questions:
            raise InputError(f"two questions have the _id {question.id!r}; ids must be unique", path)
        findable = not answered or is_yes_or_no(question.answer or "") or bool(occurrences(question))
        if not findable and unanswerable == "skip":
            skipped += 1
            continue
        dangling += sum(1 for fact in question.facts or () if not _points(question, fact))
        questions[question.id] = question
    if not questions:
        reason = "the file contains no questions"
        if skipped:
            reason = f"all {skipped} questions were skipped: their answers are not in their paragraphs"
        raise InputError(reason, path)
    notes = []
    if skipped:
        total = len(questions) + skipped
        notes.append(f"skipped {skipped} of {total} questions: the answer is not in the paragraphs")
    if dangling:
        facts = sum(len(question.facts or ()) for question in questions.values())
        notes.append(f"ignored {dangling} of {facts} supporting facts: there is no such sentence")
    return Questions(tuple(questions.values()), tuple(notes))


def _read(path: Path) -> list[Any]:
    try:
        values = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(f"the file cannot be read ({error.strerror})", path) from error
    except UnicodeDecodeError as error:
        raise InputError("the file is not UTF-8; convert it first", path) from error
    except (json.JSONDecodeError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else None
        raise InputError(f"this is not JSON ({error}); get the file again", path, line) from error
    if not isinstance(values, list):
        raise InputError("expected a JSON list of questions, as in HotpotQA", path)
    return values


Facts = list[tuple[str, Annotated[int, Strict()]]]


@dataclass(frozen=True, slots=True)
class _HotpotQuestion:
    """A question as HotpotQA has it."""

    question: Annotated[str, Field(pattern=r"\S")]
    context: Annotated[list[tuple[str, list[str]]], Field(min_length=1)]
    answer: Annotated[str, Field(pattern=r"\S")] | None = None
    supporting_facts: Facts | None = None
    type: Any = None


def _question(values: Any, answered: bool, path: Path, number: int) -> Question:
    if not isinstance(values, dict):
        raise InputError(f"question {number} is not a JSON object", path)
    name = values.get("_id")
    if not isinstance(name, str) or not name:
        raise InputError(f"question {number} has no _id; every question needs one", path)
    read = validated(_HotpotQuestion, values, path, within=f"question {name!r}: ")
    for field in ("answer", "supporting_facts"):
        if answered and getattr(read, field) is None:
            raise InputError(f"question {name!r}: {field} is missing", path)
    paragraphs = tuple(Paragraph(title, tuple(sentences)) for title, sentences in read.context)
    facts = None if read.supporting_facts is None else tuple(read.supporting_facts)
    kind = read.type if isinstance(read.type, str) else None
    return Question(name, read.question, paragraphs, read.answer, facts, kind)


def is_yes_or_no(answer: str) -> bool:
    """Whether an answer is ``yes`` or ``no`` rather than text of a paragraph."""
    return answer.strip().lower() in (YES, NO)


def occurrences(question: Question) -> list[Occurrence]:
    """Where the answer occurs, at the places that most likely answer the question.

    These are the first of the following that contain it: supporting sentences, titles of supporting paragraphs, the
    rest of those paragraphs, all others. Case and white space may differ; whole words take precedence.
    """
    words = (question.answer or "").split()
    if not words:
        return []
    inner = r"\s+".join(re.escape(word) for word in words)
    facts = set(question.facts or ())
    titles = {title for title, _ in facts}
    # A smaller rank is more likely.
    by_rank: dict[int, list[Occurrence]] = {}
    for expression, penalty in ((rf"(?<!\w){inner}(?!\w)", 0), (inner, 4)):
        pattern = re.compile(expression, re.IGNORECASE)
        for number, paragraph in enumerate(question.paragraphs):
            for sentence, text in [(TITLE, paragraph.title), *enumerate(paragraph.sentences)]:
                if (paragraph.title, sentence) in facts:
                    rank = 0
                elif paragraph.title in titles:
                    rank = 1 if sentence == TITLE else 2
                else:
                    rank = 3
                occurring = [Occurrence(number, sentence, *match.span()) for match in pattern.finditer(text)]
                if occurring:
                    by_rank.setdefault(rank + penalty, []).extend(occurring)
        if by_rank:
            break
    return by_rank[min(by_rank)] if by_rank else []


def _points(question: Question, fact: Fact) -> bool:
    return any(p.title == fact[0] and 0 <= fact[1] < len(p.sentences) for p in question.paragraphs)

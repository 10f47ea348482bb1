"""Questions over paragraphs, from HotpotQA's official JSON (distractor setting; Yang et al. 2018, paper section 3.4).

A file is one JSON list. Each question is an object with ``_id``, ``question``, ``context`` (a list of ``[title,
[sentence, ...]]``) and, except in test files, ``answer`` (text from the paragraphs, ``yes`` or ``no``) and
``supporting_facts`` (a list of ``[title, sentence number]``, from 0). ``type`` (bridge or comparison) is kept if there
is one; other fields are ignored.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from cdlm.errors import InputError

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

    Parameters
    ----------
    answered
        For training and scoring: every question needs its answer and its supporting facts.
    unanswerable
        If so, what to do with a question whose answer is nowhere in its paragraphs: ``"skip"`` it, since nothing can be
        learnt from it, or ``"keep"`` it for scoring. A note counts the skipped questions.

    Raises
    ------
    InputError
        If the file cannot be read, a field is missing or malformed, two questions have the same id, or there are no
        questions or all were skipped.
    """
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"the file cannot be read ({error.strerror})", path) from error
    except UnicodeDecodeError as error:
        raise InputError("the file is not UTF-8; convert it first", path) from error
    questions: dict[str, Question] = {}
    skipped = dangling = 0
    for line, values in _objects(text, path):
        question = _question(values, answered, path, line)
        if question.id in questions:
            raise InputError(f"two questions have the _id {question.id!r}; ids must be unique", path, line)
        findable = not answered or is_yes_or_no(question.answer or "") or bool(occurrences(question))
        if not findable and unanswerable == "skip":
            skipped += 1
            continue
        dangling += sum(1 for fact in question.facts or () if not _points(question, fact))
        questions[question.id] = question
    if not questions and skipped:
        raise InputError(f"all {skipped} questions were skipped: their answers are not in their paragraphs", path)
    if not questions:
        raise InputError("the file contains no questions", path)
    notes = []
    if skipped:
        total = len(questions) + skipped
        notes.append(f"skipped {skipped} of {total} questions: the answer is not in the paragraphs")
    if dangling:
        facts = sum(len(question.facts or ()) for question in questions.values())
        notes.append(f"ignored {dangling} of {facts} supporting facts: there is no such sentence")
    return Questions(tuple(questions.values()), tuple(notes))


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
    found: dict[int, list[Occurrence]] = {}
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
                places = [Occurrence(number, sentence, *match.span()) for match in pattern.finditer(text)]
                if places:
                    found.setdefault(rank + penalty, []).extend(places)
        if found:
            break
    return found[min(found)] if found else []


def parse_facts(values: Any) -> tuple[Fact, ...]:
    """Supporting facts from a list of ``[title, sentence number]``; anything else raises `ValueError`."""
    facts: list[Fact] = []
    for value in values if isinstance(values, list) else [values]:
        match value:
            case [str(title), int(sentence)] if not isinstance(sentence, bool):
                facts.append((title, sentence))
            case _:
                raise ValueError(f"{value!r}, which is not [title, sentence number]")
    return tuple(facts)


def _points(question: Question, fact: Fact) -> bool:
    return any(p.title == fact[0] and 0 <= fact[1] < len(p.sentences) for p in question.paragraphs)


def _objects(text: str, path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The objects of a JSON list, each with the line on which it begins."""
    decoder = json.JSONDecoder()
    space = re.compile(r"\s*")

    def skip(place: int) -> int:
        match = space.match(text, place)
        return match.end() if match else place

    place = skip(0)
    if text[place : place + 1] != "[":
        raise InputError("expected a JSON list of questions, as in HotpotQA", path, 1)
    place = skip(place + 1)
    line, counted = 1, 0
    while text[place : place + 1] != "]":
        line += text.count("\n", counted, place)
        counted = place
        try:
            values, place = decoder.raw_decode(text, place)
        except (json.JSONDecodeError, RecursionError) as error:
            where = error.lineno if isinstance(error, json.JSONDecodeError) else line
            raise InputError(f"this is not JSON ({error}); get the file again", path, where) from error
        if not isinstance(values, dict):
            raise InputError("expected a question as a JSON object", path, line)
        yield line, values
        place = skip(place)
        if text[place : place + 1] == ",":
            place = skip(place + 1)
        elif text[place : place + 1] != "]":
            raise InputError("the list of questions is truncated or malformed; get the file again", path, line)


def _question(values: Mapping[str, Any], answered: bool, path: Path, line: int) -> Question:
    name = values.get("_id")
    if not isinstance(name, str) or not name:
        raise InputError("_id is missing; every question needs one", path, line)

    def wrong(message: str) -> InputError:
        return InputError(f"question {name!r}: {message}", path, line)

    text = values.get("question")
    if not isinstance(text, str) or not text.strip():
        raise wrong("the field question is missing or empty")
    context = values.get("context")
    if not isinstance(context, list) or not context:
        raise wrong("the field context is missing or empty; it must be a list of [title, [sentence, ...]]")
    paragraphs = []
    for number, item in enumerate(context, start=1):
        match item:
            case [str(title), list(sentences)] if all(isinstance(one, str) for one in sentences):
                paragraphs.append(Paragraph(title, tuple(sentences)))
            case _:
                raise wrong(f"paragraph {number} is not [title, [sentence, ...]]")
    answer, facts = values.get("answer"), values.get("supporting_facts")
    if (answer is None and answered) or not isinstance(answer, str | None) or (answered and not str(answer).strip()):
        raise wrong("the field answer is missing or not text")
    if facts is None and answered:
        raise wrong("the field supporting_facts is missing; it must be a list of [title, sentence number]")
    try:
        read = None if facts is None else parse_facts(facts)
    except ValueError as error:
        raise wrong(f"supporting_facts has {error}") from error
    kind = values.get("type")
    return Question(name, text, tuple(paragraphs), answer, read, kind if isinstance(kind, str) else None)

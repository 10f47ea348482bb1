"""What the parse says of mentions: their verb, and what somebody is called beside a name."""

from __future__ import annotations

import pytest

from cdcoref.corpus import Document
from cdcoref.facts import parse, syntax
from cdcoref.language import Syntax
from tests.tables import cases


def syntax_of(text: str) -> list[Syntax]:
    """What the parse says of the mentions in brackets."""
    words = text.replace("[", "").replace("]", "").split()
    starts = [place for place, word in enumerate(text.split()) if word.startswith("[")]
    ends = [place for place, word in enumerate(text.split(), 1) if word.endswith("]")]
    (known,) = parse([Document.from_sentences("d", [words])])
    return [syntax(known, words, range(*span)) for span in zip(starts, ends, strict=True)]


@pytest.mark.parametrize(("text", "age", "nouns"), cases(__file__, "called.tsv", "age", "nouns"))
def test_what_somebody_is_called_beside_a_name(text: str, age: int, nouns: list[str]) -> None:
    (one,) = syntax_of(text)
    assert (one.age, {noun for _, noun in one.descriptions}) == (age, set(nouns))


@pytest.mark.parametrize(
    ("text", "roles"),
    [
        ("[Ann] thanked [Bo] .", ["subject", "object"]),
        ("[Bo] was thanked by [Ann] .", ["object", "subject"]),
        ("[Ann] met [Bo] and [Cleo] .", ["subject", "object", "object"]),
        ("[Ann] stood up and thanked [Bo] .", ["subject", "object"]),
        ("[Ann] slept in [Oslo] .", ["subject", ""]),
    ],
)
def test_subjects_and_objects(text: str, roles: list[str]) -> None:
    found = syntax_of(text)
    assert [one.role for one in found] == roles
    assert len({one.verb for one in found if one.role}) == 1


@pytest.mark.parametrize(
    ("text", "antecedent"),
    [
        ("The [man] [who] left was tired .", True),
        ("They saw the [town] in [which] he lived .", True),
        ("The [guard] asked [who] left .", False),
    ],
)
def test_what_relative_pronouns_refer_to(text: str, antecedent: bool) -> None:
    noun, pronoun = syntax_of(text)
    assert pronoun.antecedent == (noun.head if antecedent else -1)


def test_possessors() -> None:
    peter, father, her, sister = syntax_of("[Peter] 's old [father] met [her] [sister] .")
    assert (father.possessor, sister.possessor) == (peter.head, her.head)
    assert (peter.possessor, her.possessor) == (-1, -1)

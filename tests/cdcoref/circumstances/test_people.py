"""Ages and names in plain roles: words of a sentence in, what they state out."""

from __future__ import annotations

import pytest

from cdcoref.circumstances import ages_in, offices_in, roles_of


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Marek Dolny , 34 , was charged .", [(34, "Dolny")]),
        ("Marek Dolny ( 34 ) was charged .", [(34, "Dolny")]),
        ("A man aged 36 died .", [(36, "man")]),
        ("Ann Lee , aged 7 , fell .", [(7, "Lee")]),
        ("The 34-year-old teacher Marek Dolny left .", [(34, "Marek")]),
        ("A 34-year-old teacher from Ostrava left .", [(34, "teacher")]),
        ("Ann Lee is 34 years old .", [(34, "Lee")]),
        ("Children aged 7 and 9 fell .", []),
        ("He won 6 , 34 , 12 .", []),
        ("On March 5 , 34 , people left .", []),
        ("The 300-year-old house fell .", []),
    ],
)
def test_ages(sentence: str, expected: list[tuple[int, str]]) -> None:
    words = sentence.split()
    assert [(one.age, words[one.holders[0]]) for one in ages_in(words)] == expected


@pytest.mark.parametrize(
    ("sentence", "event", "expected"),
    [
        ("Police charged Marek Dolny with arson .", "charged", [("Marek Dolny", "object")]),
        ("Marek Dolny , 34 , was charged .", "charged", [("Marek Dolny", "object")]),
        ("Marek Dolny charged ahead .", "charged", [("Marek Dolny", "subject")]),
        ("The arrest of Marek Dolny came late .", "arrest", [("Marek Dolny", "object")]),
        ("Lindvik lost to Tornes .", "lost", [("Tornes", "to")]),
        ("Police charged the man who shot Marek Dolny .", "charged", []),
        ("Marek Dolny said a man was charged .", "charged", []),
        ("Marek Dolny, whose son was charged .", "charged", []),
    ],
)
def test_roles(sentence: str, event: str, expected: list[tuple[str, str]]) -> None:
    words = sentence.split()
    place = words.index(event)
    found = roles_of((place, place + 1), words)
    assert [(" ".join(words[one.start : one.end]), one.role) for one in found] == expected


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Mayor Ida Rohm came .", [("Ida Rohm", "mayor")]),
        ("Ida Rohm , the mayor of Lunde , came .", [("Ida Rohm", "mayor")]),
        ("Former mayor Ida Rohm came .", []),
        ("Deputy mayor Ida Rohm came .", []),
        ("Ida Rohm , a teacher , came .", []),
    ],
)
def test_offices(sentence: str, expected: list[tuple[str, str]]) -> None:
    words = sentence.split()
    assert [(" ".join(words[one.start : one.end]), one.role) for one in offices_in(words)] == expected

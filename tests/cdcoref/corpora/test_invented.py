"""Invented Texts: what is read from a file of marked texts, what is refused, and that the corpus is as described."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from cdcoref.corpora import CORPORA
from cdcoref.errors import InputError

INVENTED = CORPORA["invented"]

TOPIC = """## 1a
[Crash](event:crash) in [Lund](entity:lund)

A [tram](entity:tram) [crashed](event:crash) in [Lund](entity:lund).

## 1b
[It](event:crash) [was](entity:tram) late.

## 2a
Another [crash](event:other).
"""


def folder_with(tmp_path: Path, text: str) -> Path:
    (tmp_path / "train").mkdir(exist_ok=True)
    (tmp_path / "train" / "trams.md").write_text(text, encoding="utf-8")
    return tmp_path


def test_a_file_is_a_topic_of_stories(tmp_path: Path) -> None:
    read = INVENTED.read(folder_with(tmp_path, TOPIC), "train")
    assert [(d.id, d.topic, d.subtopic) for d in read.documents] == [
        ("trams_1a", "trams", "trams_1"),
        ("trams_1b", "trams", "trams_1"),
        ("trams_2a", "trams", "trams_2"),
    ]
    first = read.documents[0]
    assert first.text == "Crash in Lund\n\nA tram crashed in Lund.\n\n"
    assert [" ".join(first.tokens[start:end]) for start, end in first.sentences] == [
        "Crash in Lund",
        "A tram crashed in Lund .",
    ]
    assert [(m.document, m.tokens, m.kind, m.cluster) for m in read.mentions[:5]] == [
        ("trams_1a", (0,), "event", "trams:crash"),
        ("trams_1a", (2,), "entity", "trams:lund"),
        ("trams_1a", (4,), "entity", "trams:tram"),
        ("trams_1a", (5,), "event", "trams:crash"),
        ("trams_1a", (7,), "entity", "trams:lund"),
    ]
    assert Counter(m.cluster for m in read.mentions)["trams:crash"] == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("News\n## 1a\nA [crash](event:c).\n", "trams.md, line 1: there is text before the first heading"),
        ("## a1\nA [crash](event:c).\n", "trams.md, line 1: expected a heading like '## 1a'"),
        ("## 1a\nA [crash](event:c).\n## 1a\n", "trams.md, line 3: there is another text with the heading '## 1a'"),
        ("## 1a\nA [crash](event:c).\n\n## 1b\n[It](entity:c)", "line 5: the cluster 'c' has events and entities"),
        ("## 1a\n\nA [tram](entity:t) [crashed(event:c).\n", "line 3: a bracket is not part of a mark"),
        ("## 1a\nNews\n\nA [tra](entity:t)m.\n", "line 4: the mention 'tra' begins or ends within a token"),
    ],
)
def test_what_is_wrong_is_refused_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        INVENTED.read(folder_with(tmp_path, text), "train")


def test_a_missing_split_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"not hold the dev split of Invented Texts, only train; expected dev/\*\.md"):
        INVENTED.read(folder_with(tmp_path, TOPIC), "dev")

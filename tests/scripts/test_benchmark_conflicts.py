"""What counts as a conflict of two mentions."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType, SimpleNamespace

import pytest

from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.language import MentionWords


@pytest.fixture(scope="module")
def script(load_script: Callable[[str], ModuleType]) -> ModuleType:
    return load_script("benchmarks/conflicts")


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("in 1986", "1987", {"years"}),
        ("1986", "in 1986", set()),
        ("700,000 tonnes", "200,000 tonnes", {"amounts"}),
        ("on Monday", "Friday", {"weekdays"}),
        ("France", "Spain", {"countries", "unlike countries"}),
        ("the French", "Spain", {"unlike countries"}),
        ("Anna Berg", "Clara Holm", {"full names", "unlike names"}),
        ("West Texas Crude", "West Texas Sour", {"full names"}),
        ("Anna Berg", "Clara Berg", {"unlike names"}),
        ("Anna Berg", "Berg", set()),
        ("Anna Berg", "Anna Berg Olsen", set()),
        ("Norvale Steel", "Norvale Steel Corp.", set()),
        ("Norvale Corp", "Tresk Corp", {"full names", "unlike names"}),
        ("South Africa", "South African", set()),
    ],
)
def test_conflicts(script: ModuleType, one: str, other: str, expected: set[str]) -> None:
    words = [MentionWords.of(text.split()) for text in (one, other)]
    assert {name for name, conflict in script.CONFLICTS.items() if conflict(*words)} == expected
    assert {name for name, conflict in script.CONFLICTS.items() if conflict(*reversed(words))} == expected


@pytest.mark.parametrize(("cross_document", "pairs"), [(True, 2), (False, 1)])
def test_coreferent_pairs_with_conflicts(script: ModuleType, cross_document: bool, pairs: int) -> None:
    names = [["Anna", "Berg"], ["Clara", "Holm"], ["Clara", "Holm"], ["Tresk"]]
    documents = (
        Document.from_sentences("a", names[:2], topic="1"),
        Document.from_sentences("b", names[2:], topic="1"),
        Document.from_sentences("c", names[:1], topic="2"),
    )
    # Anna Berg is called Clara Holm in the first document, and somebody else is in the second.
    found = [
        ("a", (0, 1), "anna"),
        ("a", (2, 3), "anna"),
        ("b", (0, 1), "clara"),
        ("b", (2,), None),
        ("c", (0, 1), "x"),
    ]
    mentions = tuple(Mention(name, tokens, "entity", cluster) for name, tokens, cluster in found)
    corpus = Corpus(documents, mentions)
    folder = SimpleNamespace(
        info=SimpleNamespace(cross_document=cross_document), read=lambda _: SimpleNamespace(corpus=corpus)
    )
    counted = script.count_pairs(folder, "train")
    assert counted["unlike names"] == counted["full names"] == (pairs, 1)
    assert counted["years"] == (0, 0)

"""Two nouns of one clause: which are two things, and that tables of all mentions give the same as two facts."""

from __future__ import annotations

import pytest

from cdcoref.corpus import ENTITY, EVENT, Corpus, Document, Mention
from cdcoref.language import MentionFacts
from cdcoref.reading import Readings
from tests.tables import cases


def facts_of(text: str, kind: str = ENTITY, *, hidden: bool = False) -> list[MentionFacts]:
    """The mentions in brackets of one sentence, the second of a document."""
    words = text.replace("[", "").replace("]", "").split()
    document = Document.from_sentences("d", [["First", "."], words], hidden=frozenset({1} if hidden else ()))
    starts = [place for place, word in enumerate(text.split(), 2) if word.startswith("[")]
    ends = [place for place, word in enumerate(text.split(), 3) if word.endswith("]")]
    mentions = [Mention("d", tuple(range(start, end)), kind) for start, end in zip(starts, ends, strict=True)]
    return list(Readings(Corpus((document,), tuple(mentions))).facts.mentions)


@pytest.mark.parametrize(("text", "expected"), cases(__file__, "two_things.tsv", "expected"))
def test_nouns_of_one_clause_are_two_things(text: str, expected: bool) -> None:
    one, other = facts_of(text)
    assert one.in_clause_with(other) is other.in_clause_with(one) is expected


def test_only_visible_entities_have_a_clause() -> None:
    text = "The [climber] watched his [brother] fall"
    assert [one.clause for one in facts_of(text)] == [4, 4]
    assert [one.clause for one in (*facts_of(text, EVENT), *facts_of(text, hidden=True))] == [-1] * 4


def test_a_mention_is_not_apart_from_what_it_holds() -> None:
    document = Document.from_sentences("d", [["a", "group", "of", "old", "farmers", "left"]])
    mentions = tuple(Mention("d", tokens, ENTITY) for tokens in ((0, 1, 2, 3, 4), (3, 4)))
    whole, part = Readings(Corpus((document,), mentions)).facts.mentions
    assert not whole.in_clause_with(part)

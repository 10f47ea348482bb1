"""Titles directly before names: the detected mentions of a document in, without a title beside a name out.

A detector may find "Judge" and "Paula Reyes" as two mentions, or "Judge" alone, and whatever refers to her then has
two antecedents, or the wrong one. A capitalised title and the name become one mention; a title in lower case ("coach
Rob Jennings") is none. A title of two words ("prime minister") is one mention too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from cdcoref.corpus import ENTITY, Document, Mention
from cdcoref.language import MEN_AND_WOMEN, TITLES, in_sentence_case, is_date_name

Span = tuple[int, int, float]
"""First token, the one behind the last, and probability."""

_FIRST_WORDS = frozenset({"prime", "vice"})
"""What a title of two words begins with, without being one."""


def with_titles_joined(document: Document, mentions: Sequence[Mention], spans: Iterable[Span]) -> list[Mention]:
    """Join each title with the name that directly follows it.

    Parameters
    ----------
    document
        Its document.
    mentions
        In order of position; none overlaps another.
    spans
        All that may be entities, among which the name behind a title is sought that has no mention.
    """
    words = _Words(document)
    joined: list[Mention] = []
    for mention in mentions:
        while joined and (found := words.join(joined[-1], mention)):
            joined.pop()
            mention = found
        joined.append(mention)
    titles = [place for place, mention in enumerate(joined) if words.is_title(mention) and words.is_name(mention.end)]
    if titles:
        spans = list(spans)
        cased = _Words(in_sentence_case(document))
    for place in titles:
        behind = joined[place + 1].start if place + 1 < len(joined) else len(document.tokens)
        joined[place] = cased.with_name(joined[place], spans, behind)
    return joined


class _Words:
    def __init__(self, document: Document) -> None:
        self._tokens = document.tokens
        self._sentence = document.sentence_at

    def join(self, one: Mention, other: Mention) -> Mention | None:
        """Two mentions as one, if the first is a title and directly before the other; None if they are two."""
        if one.kind != ENTITY or other.kind != ENTITY or one.end != other.start:
            return None
        last, first = self._plain(one.end - 1), self._plain(other.start)
        if not self._in_one_sentence(one.end - 1, other.start):
            return None
        if last in _FIRST_WORDS and first in TITLES:
            return _mention(one, one.start, other.end, other.confidence)
        if last not in TITLES or not self._is_all_name(other.start, other.end):
            return None
        if self._tokens[one.end - 1][:1].isupper():
            return _mention(one, self._start_of_title(one), other.end, other.confidence)
        return None if last in MEN_AND_WOMEN else other  # "his brother Pierre"

    def with_name(self, title: Mention, spans: Iterable[Span], behind: int) -> Mention:
        """The title joined with the most probable following name that ends by token `behind`; unchanged without one."""
        names = [
            (probability, end)
            for start, end, probability in spans
            if start in (title.start, title.end)
            and title.end < end <= behind
            and self._in_one_sentence(title.start, end - 1)
            and self._is_all_name(title.end, end)
        ]
        return _mention(title, title.start, max(names)[1], title.confidence) if names else title

    def is_title(self, mention: Mention) -> bool:
        """Whether a mention is a capitalised title and nothing else."""
        return mention.kind == ENTITY and self._start_of_title(mention) == mention.start

    def is_name(self, token: int) -> bool:
        """Whether a word may be one of a name."""
        word = self._tokens[token] if token < len(self._tokens) else ""
        return word[:1].isupper() and not is_date_name(word)

    def _is_all_name(self, start: int, end: int) -> bool:
        return all(self.is_name(token) or self._tokens[token] == "." for token in range(start, end))

    def _start_of_title(self, mention: Mention) -> int:
        start = mention.end
        while start > mention.start and self._tokens[start - 1][:1].isupper():
            if self._plain(start - 1) not in TITLES | _FIRST_WORDS:
                break
            start -= 1
        return start

    def _plain(self, token: int) -> str:
        return self._tokens[token].casefold().rstrip(".")

    def _in_one_sentence(self, one: int, other: int) -> bool:
        return self._sentence(one) == self._sentence(other)


def _mention(like: Mention, start: int, end: int, confidence: float | None) -> Mention:
    return replace(like, tokens=tuple(range(start, end)), confidence=confidence)

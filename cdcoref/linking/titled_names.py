"""Titles directly before names: the detected mentions of a document in, with a capitalised title and the name behind it
as one mention out ("Judge" and "Paula Reyes", "Detective Lt. Mary Howe")."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from cdcoref.corpus import ENTITY, Document, Mention
from cdcoref.language import MEN_AND_WOMEN, TITLES, is_date_name
from cdcoref.reading import Reading

Span = tuple[int, int, float]
"""First token, the one behind the last, and probability."""

LONGEST_NAME = 4
_FIRST_WORDS = frozenset({"prime", "vice"})
"""What a title of two words begins with, without being one."""


def with_titles_joined(reading: Reading, mentions: Sequence[Mention], spans: Iterable[Span]) -> list[Mention]:
    """Join each title with the name that directly follows it.

    No two of the mentions overlap. Among `spans`, which are all that may be entities, the name behind a title is sought
    that has no mention.
    """
    document = reading.document
    words = _Words(document)
    joined: list[Mention] = []
    for mention in mentions:
        while joined and (found := words.join(joined[-1], mention)):
            joined.pop()
            mention = found
        joined.append(mention)
    titles = [place for place, mention in enumerate(joined) if words.is_title(mention) and words.is_name(mention.end)]
    has_titled_names = any(words.titled_names())
    if not titles and not has_titled_names:
        return joined
    spans, cased = list(spans), _Words(reading.cased)
    if has_titled_names:
        taken = {token for mention in joined for token in mention.tokens}
        new = [span for span in cased.titled_names() if taken.isdisjoint(range(*span))]
        if new:
            added = [cased.undetected(document, *span, spans) for span in new]
            return with_titles_joined(reading, sorted([*joined, *added], key=lambda m: m.start), spans)
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

    def titled_names(self) -> Iterator[tuple[int, int]]:
        """Where two or more capitalised titles and a name of one to `LONGEST_NAME` words follow each other."""
        start = 0
        while start < len(self._tokens):
            name = start
            while name < len(self._tokens) and self._is_capitalised_title(name):
                name += 1
            end = name
            while end < len(self._tokens) and self.is_name(end):
                end += 1
            if name - start > 1 and 0 < end - name <= LONGEST_NAME and self._in_one_sentence(start, end - 1):
                yield start, end
            start = max(end, start + 1)

    def undetected(self, document: Document, start: int, end: int, spans: Iterable[Span]) -> Mention:
        """The mention from `start` to `end`, as probable as the most probable span in it."""
        inside = [probability for first, last, probability in spans if start <= first and last <= end]
        return Mention(document.id, tuple(range(start, end)), ENTITY, confidence=max(inside, default=0.0))

    def _is_capitalised_title(self, token: int) -> bool:
        return self._tokens[token][:1].isupper() and self._plain(token) in TITLES | _FIRST_WORDS

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
        while start > mention.start and self._is_capitalised_title(start - 1):
            start -= 1
        return start

    def _plain(self, token: int) -> str:
        return self._tokens[token].casefold().rstrip(".")

    def _in_one_sentence(self, one: int, other: int) -> bool:
        return self._sentence(one) == self._sentence(other)


def _mention(like: Mention, start: int, end: int, confidence: float | None) -> Mention:
    return replace(like, tokens=tuple(range(start, end)), confidence=confidence)

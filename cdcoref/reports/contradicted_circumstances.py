"""Where documents contradict each other about when or where an event was: its mentions in, days and places out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import TypeVar

from cdcoref.circumstances import Place, Source, is_object
from cdcoref.corpus import EVENT, Corpus, Mention, mention_text
from cdcoref.language import date_name, head_word, lemma
from cdcoref.reports.cluster_circumstances import CorpusCircumstances
from cdcoref.reports.contradictions import Contradiction, StatedValue

T = TypeVar("T")

_SAYING_WORDS = "add announce ask comment declare insist quote remark repeat report say speak state statement tell warn"
_SAYING = frozenset(_SAYING_WORDS.split())
_LIKE_WORDS = "another last like next other previous similar such unlike"
_LIKE = frozenset(_LIKE_WORDS.split())
_BEFORE_EVENT = 4


class ContradictedCircumstances:
    """Contradictions about the day or place of one event.

    Parameters
    ----------
    corpus
        Documents, mentions and the names of their clusters.
    known
        The circumstances of the mentions.
    """

    def __init__(self, corpus: Corpus, known: CorpusCircumstances) -> None:
        self._documents = {document.id: document for document in corpus.documents}
        self._by_document = corpus.by_document()
        self._known = known

    def days(self, members: Sequence[Mention]) -> Iterator[Contradiction]:
        """Days of an event that differ; a statement has no single day.

        Those stated by their distance ("today") are no more exact than a document's date.
        """
        if any(self._is_statement(mention) for mention in members):
            return
        days = [
            (mention, (when.period, self._exactness(mention.document, when.tokens)))
            for mention in members
            for when in self._known.of_mention(mention).when
            if when.source == Source.CLAUSE
            and when.period.days == 1
            and not when.looks_back
            and self._is_nearest(mention, when.tokens)
            and not self._is_another(mention)
        ]
        yield from self._of_one_thing(
            "day",
            members,
            days,
            lambda one, other: _are_other_days(one[0].gap(other[0]), min(one[1], other[1])),
            lambda day: day[0].shown(),
        )

    def _is_another(self, mention: Mention) -> bool:
        """Whether an event is only like the one that the document is about ("attacks such as that", "next tender")."""
        document = self._documents[mention.document]
        start = max(document.sentence_at(mention.start)[0], mention.start - _BEFORE_EVENT)
        words = document.tokens[start : mention.end + 1]
        return not _LIKE.isdisjoint(map(str.casefold, words))

    def _is_statement(self, mention: Mention) -> bool:
        return lemma(head_word(mention_text(mention, self._documents[mention.document]).split()).casefold()) in _SAYING

    def places(self, members: Sequence[Mention]) -> Iterator[Contradiction]:
        """Places that differ, as the clauses of an event's mentions state them."""
        places = [
            (mention, where.place)
            for mention in members
            for where in self._known.of_mention(mention).where
            if where.source == Source.CLAUSE
        ]
        yield from self._of_one_thing("place", members, places, Place.excludes, Place.shown)

    def _exactness(self, name: str, tokens: Sequence[int]) -> int:
        """How a date names its day: 2 in figures, 1 by a weekday, 0 by its distance ("today")."""
        words = [self._documents[name].tokens[token] for token in tokens]
        if any(any(map(str.isdigit, word)) for word in words):
            return 2
        return int(any(map(date_name, words)))

    def _is_nearest(self, mention: Mention, tokens: Sequence[int]) -> bool:
        """Whether a date belongs to an event rather than to another one between them, or to one whose object it is."""
        low, high = min(mention.end, tokens[-1] + 1), max(mention.start, tokens[0])
        document = self._documents[mention.document]
        first = document.sentence_at(mention.start)[0]
        for other in self._by_document[mention.document]:
            if other.kind != EVENT or other.tokens == mention.tokens:
                continue
            if low <= other.start < high:
                return False
            if first <= other.start and other.end <= mention.start < tokens[0]:
                between = [word.casefold() for word in document.tokens[other.end : mention.start]]
                if is_object(between):
                    return False
        return True

    def _of_one_thing(
        self,
        about: str,
        members: Sequence[Mention],
        stated: Sequence[tuple[Mention, T]],
        differ: Callable[[T, T], bool],
        shown: Callable[[T], str],
    ) -> Iterator[Contradiction]:
        """The contradiction about one thing, if there is one: a document states nothing that another one states."""
        of_documents: defaultdict[str, list[T]] = defaultdict(list)
        for mention, value in stated:
            of_documents[mention.document].append(value)
        apart = any(
            all(differ(one, other) for one in mine for other in theirs)
            for mine, theirs in combinations(of_documents.values(), 2)
        )
        if not apart:
            return
        values: dict[str, StatedValue] = {}
        for mention, value in stated:
            text = shown(value)
            values.setdefault(text, StatedValue(mention.document, mention.start, text))
        if len(values) > 1:
            yield Contradiction(about, tuple(members), "", tuple(values.values()))


def _are_other_days(gap: int, exactness: int) -> bool:
    """Whether two days differ that lie so far apart: weekdays by more than whole weeks, which depend on the dates of
    documents, and days that are stated by their distance by more than one."""
    return gap > 1 if exactness == 0 else gap % 7 > 0 if exactness == 1 else gap > 0

"""Clusters of entities in, clusters that agree with full names out: names come before what a model says of them.

Mentions of one story with the same full name are one person, organisation or place. A surname alone, or a title with
it, is the full name that it can belong to, if there is exactly one: of the full names with this surname that stand
before it in the document, or else anywhere in it, or else, if one person of the story has the surname, in the story.
Among several a title decides that only one of them can have ("Mr."), that one of them has, in its document or else in
the story, or that the sentence of only one of them names ("Ann Keller, the former minister"); and before all of them
what stands before only one of the names ("union leader Bo Keller", "Keller, the union's leader"). It is none where only
an organisation whose name begins with it stands before it ("Keller Industries"), nor where it stands for that
organisation before anybody is named so. Father and son of one name ("Bo Keller, Jr.") are two. An office ("the finance
minister") is the one full name before it in its document that has it as a title. Clusters become one by that unless
they hold a cannot-link; then the mention alone is moved, if it can be. What no full name decides stays as it was.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from cdcoref.language import TITLES, MentionFacts, different_names, may_be_surname
from cdcoref.linking.fact_conflicts import MentionConflicts

Name = tuple[str, ...]


class NamesOfStory:
    """The full names of the mentions of a story.

    Parameters
    ----------
    facts
        By mention, what is known of it; document by document in the order of the text, without pronouns.

    Attributes
    ----------
    names
        By mention, the full name that it has or can only belong to.
    """

    def __init__(self, facts: Mapping[int, MentionFacts]) -> None:
        bearers: defaultdict[str, list[MentionFacts]] = defaultdict(list)
        begun: set[tuple[str, str]] = set()
        short: set[tuple[str, str]] = set()  # what stands for an organisation before anybody is named so
        borne: set[tuple[str, str]] = set()
        for one in facts.values():
            if may_be_surname(name := one.words.whole_name):
                bearers[name[-1]].append(one)
                borne.add((one.document, name[-1]))
            if name and one.words.is_organisation:
                begun.add((one.document, name[0]))
            elif len(one.words.words) == 1:
                word = one.document, one.words.surname
                if word in begun and word not in borne:
                    short.add(word)
        companies = {first for _, first in begun}
        self.names: dict[int, Name] = {}
        for number, one in facts.items():
            word = (one.document, one.words.surname)
            alone = len(one.words.words) == 1
            # In a document that names nobody so, a word that begins the name of an organisation of the story is that.
            other = word in short or (word not in borne and one.words.surname in companies)
            possible = () if alone and other else bearers.get(one.words.surname, ())
            if name := one.words.whole_name or _bearer(one, possible, alone and word in begun):
                self.names[number] = name
        self._tell_generations_apart(facts)
        titled: defaultdict[str, list[MentionFacts]] = defaultdict(list)
        for one in facts.values():
            if one.words.whole_name:
                titled[one.document].append(one)
        for number, one in facts.items():
            if number not in self.names and (name := _holder(one, titled.get(one.document, ()))):
                self.names[number] = name

    def _tell_generations_apart(self, facts: Mapping[int, MentionFacts]) -> None:
        """Add what follows a name ("Jr.") to it, where a document has the full name also without or with another."""
        written: defaultdict[tuple[str, Name], set[frozenset[str]]] = defaultdict(set)
        for one in facts.values():
            if one.words.whole_name:
                written[one.document, one.words.whole_name].add(one.words.stated.generation)
        several = {name for (_, name), generations in written.items() if len(generations) > 1}
        for number, name in self.names.items():
            if name in several:
                self.names[number] = (*name, *facts[number].words.stated.generation)

    def same(self) -> Iterator[tuple[int, int]]:
        """Pairs of mentions that are the same by their names: the first with a full name, and another."""
        first: dict[Name, int] = {}
        for number, name in self.names.items():
            if name in first:
                yield first[name], number
            else:
                first[name] = number


def _bearer(one: MentionFacts, bearers: Sequence[MentionFacts], of_organisation: bool) -> Name:
    """The full name that a surname can belong to, if there is exactly one; `bearers` are the mentions of those.

    `of_organisation`: whether the name of an organisation of its document begins with it.
    """
    bearers = [other for other in bearers if not _differ_in_gender(one, other)]
    own = [other for other in bearers if other.document == one.document]
    before = [other for other in own if other.start < one.start]
    if not before and (described := _only_name([other for other in bearers if _is_described(other, one)])):
        return described
    if not before and of_organisation:
        return ()
    title = one.words.words[0] if len(one.words.words) > 1 and one.words.words[0] in TITLES else ""
    for group in (before, own, bearers):
        if group:
            titled = (
                [other for other in group if other.words.words[0] == title]
                or [other for other in group if title in other.around.lemmas]
                or [other for other in bearers if title in _titles(other)]
            )
            return _only_name(titled or group)
    return ()


def _only_name(mentions: Sequence[MentionFacts]) -> Name:
    """The full name of mentions, the first of several that can be one; empty if they have several, or are none."""
    names = list(dict.fromkeys(one.words.whole_name for one in mentions))
    return () if not names or any(different_names(*pair) for pair in combinations(names, 2)) else names[0]


def _is_described(named: MentionFacts, one: MentionFacts) -> bool:
    """Whether another sentence, that of a surname, has all words before a full name, which are two or more."""
    before = named.phrase.modifiers
    other = (named.document, named.sentence) != (one.document, one.sentence)
    return other and len(before) > 1 and before <= one.around.lemmas and one.words.surname not in before


def _holder(one: MentionFacts, named: Sequence[MentionFacts]) -> Name:
    """The full name before an office with "the" that has it as a title, if there is exactly one.

    `named` are the mentions of the document with full names.
    """
    words = one.words
    if words.names or not (words.definite == 1 or one.phrase.has_article) or words.head not in TITLES:
        return ()
    if words.words[-1:] != (words.head,):
        return ()  # "the ministers"
    office = words.lemmas | one.phrase.modifiers | one.phrase.complements
    holders = [other for other in named if other.start < one.start and office <= _titles(other)]
    return _only_name([other for other in holders if not _differ_in_gender(one, other)])


def _titles(named: MentionFacts) -> frozenset[str]:
    """The words before a full name, of its mention or not."""
    return (named.words.lemmas - frozenset(named.words.whole_name)) | named.phrase.modifiers


def _differ_in_gender(one: MentionFacts, other: MentionFacts) -> bool:
    mine, theirs = one.words.stated.gender, other.words.stated.gender
    return bool(mine and theirs) and mine.isdisjoint(theirs)


def with_names_first(
    labels: NDArray[np.integer], names: NamesOfStory, conflicts: MentionConflicts
) -> NDArray[np.integer]:
    """Clusters in which mentions that are the same by their names are together.

    Parameters
    ----------
    labels
        The cluster of every mention; no cluster holds a cannot-link. *Shape:* (mentions,)
    names
        Of the mentions of one kind.
    conflicts
        Which mentions cannot be in one cluster.
    """
    labels = labels.copy()
    for one, other in names.same():
        if labels[one] == labels[other]:
            continue
        target, rest = (np.flatnonzero(labels == labels[number]).tolist() for number in (one, other))
        if conflicts.within([*target, *rest]) is None:
            labels[rest] = labels[one]
        elif conflicts.within([*target, other]) is None:
            labels[other] = labels[one]
    return labels

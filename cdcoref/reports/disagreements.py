"""Where documents of a story disagree: mentions in clusters in; numbers, days, places, ages, names out.

What counts as a contradiction is decided for each of these in a module of its own; here they are put in order, and get
the labels and sentences that readers see.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from cdcoref.corpus import EVENT, Corpus, Mention
from cdcoref.reports.cluster_circumstances import CorpusCircumstances
from cdcoref.reports.contradicted_circumstances import ContradictedCircumstances
from cdcoref.reports.contradicted_numbers import ContradictedNumbers
from cdcoref.reports.contradicted_people import ContradictedPeople
from cdcoref.reports.contradictions import Contradiction


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement of one document.

    Attributes
    ----------
    document
        Its id.
    value
        The number, day or place, in short; empty if the sentence is all there is.
    sentence
        The sentence that states it.
    """

    document: str
    value: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Disagreement:
    """An event about which documents disagree.

    Attributes
    ----------
    cluster
        Its cluster's name in the corpus; None if it is no mention.
    label
        What happened, in the words of the documents.
    about
        What differs: ``"number"``, ``"day"``, ``"place"``, ``"age"`` or ``"name"``.
    statements
        One for each value, in the order of the story.
    """

    cluster: str | None
    label: str
    about: str
    statements: tuple[Statement, ...]


def disagreements(
    corpus: Corpus,
    order: Sequence[str],
    known: CorpusCircumstances,
    tells: Callable[[Sequence[Mention]], bool],
    label: Callable[[Sequence[Mention]], str],
) -> Iterator[Disagreement]:
    """Find what the documents of a story disagree about.

    Parameters
    ----------
    corpus
        Documents, mentions and the names of their clusters.
    order
        The ids of the documents, in the order of the story.
    known
        The circumstances of the mentions.
    tells
        Whether the words of an event's mentions tell something.
    label
        What a cluster is called.
    """
    documents = {document.id: document for document in corpus.documents}
    for one in _contradictions(corpus, order, known, tells):
        yield Disagreement(
            one.members[0].cluster if one.members else None,
            one.label or label(one.members),
            one.about,
            tuple(Statement(s.document, s.value, documents[s.document].sentence_text(s.token)) for s in one.stated),
        )


def _contradictions(
    corpus: Corpus,
    order: Sequence[str],
    known: CorpusCircumstances,
    tells: Callable[[Sequence[Mention]], bool],
) -> Iterator[Contradiction]:
    rank = {name: number for number, name in enumerate(order)}
    events = {
        members[0].cluster: sorted(members, key=lambda m: (rank[m.document], m.tokens))
        for members in corpus.clusters()
        if members[0].kind == EVENT and members[0].cluster is not None
    }
    of_documents: defaultdict[str, set[str]] = defaultdict(set)
    for cluster, members in events.items():
        for mention in members:
            of_documents[mention.document].add(cluster)
    yield from ContradictedNumbers(corpus, order, known, events, of_documents, tells)
    several = {
        cluster: members
        for cluster, members in events.items()
        if len({m.document for m in members}) > 1 and tells(members)
    }
    circumstances = ContradictedCircumstances(corpus, known)
    for members in several.values():
        yield from circumstances.days(members)
        yield from circumstances.places(members)
    people = ContradictedPeople(corpus, order, several, of_documents)
    yield from people.names()
    yield from people.ages()

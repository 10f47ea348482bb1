"""The one comparer of stated values: what documents state of one thing in, the values that contradict each other out. A
document that states two values of one thing contradicts nobody."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

from cdcoref.corpus import EVENT, Corpus, Mention, mention_text
from cdcoref.facts import verbs_about
from cdcoref.reports.cluster_circumstances import CorpusCircumstances
from cdcoref.reports.labels import is_pronoun
from cdcoref.reports.ranking import says_little
from cdcoref.word_tables import words_in

_SPEECH = words_in("time_words.tsv", "speech")
SHARED_EVENTS = 2
"""Events that two documents share, at least, if they are about one happening."""
_POSSESSIVE = re.compile(r"['’]s?$")


@dataclass(frozen=True, slots=True, eq=False)
class StatedValue:
    """A value that a document states at a token: what readers see of it, and what is compared.

    `certain`: whether the document states no other value that may be of the same thing.
    """

    document: str
    token: int
    text: str
    value: Any
    certain: bool = True


@dataclass(frozen=True, slots=True)
class Statement:
    """What a document states in a sentence: the value in short, empty if the sentence is all there is."""

    document: str
    value: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Different statements of documents about an event, or about a person or an office.

    `cluster`: its name in the corpus; None if it is no mention. `label`: what happened, in the words of the
    documents; or an office, or a sort of relation.
    `about`: what differs: ``"number"``, ``"day"``, ``"place"``, ``"age"`` or ``"name"``.
    `statements`: one for each value, in the order of the story.
    """

    cluster: str | None
    label: str
    about: str
    statements: tuple[Statement, ...]


class StoryContext:
    """What values are compared by: the documents of a story in order, their words, and the events that they share."""

    def __init__(self, corpus: Corpus, known: CorpusCircumstances) -> None:
        self.corpus = corpus
        self.known = known
        self.documents = {document.id: document for document in corpus.documents}
        self.rank = {id: number for number, id in enumerate(self.documents)}
        self.by_document = corpus.by_document()
        self.events = {
            members[0].cluster: sorted(members, key=lambda m: (self.rank[m.document], m.tokens))
            for members in corpus.clusters()
            if members[0].kind == EVENT and members[0].cluster is not None
        }
        self.shared_events = {
            cluster: members
            for cluster, members in self.events.items()
            if len({mention.document for mention in members}) > 1 and self.tells(members, deeds=False)
        }
        self._events_of = {
            id: {m.cluster for m in mentions if m.kind == EVENT} - {None} for id, mentions in self.by_document.items()
        }
        self.written = {id: known.readings[id].cased for id in self.documents}

    @cached_property
    def words(self) -> dict[str, frozenset[str]]:
        """The words of every document, in lower case, without possessives."""
        return {
            id: frozenset(_POSSESSIVE.sub("", word.casefold()) for word in document.tokens)
            for id, document in self.documents.items()
        }

    def tells(self, members: Iterable[Mention], *, deeds: bool = True) -> bool:
        """Whether the words of a cluster mean something alone, or are a main event with an object ("took pipes")."""
        known = [(mention, self.documents[mention.document]) for mention in members]
        small = [m for m, document in known if is_pronoun(mention_text(m, document)) or says_little(m, document)]
        return len(small) < len(known) or (deeds and any(self.known.is_main(m) and self._is_deed(m) for m in small))

    def _is_deed(self, mention: Mention) -> bool:
        parse = self.known.readings[mention.document].parse
        head = parse.head_of(mention.tokens)
        objects = {parse.lemma(noun) for noun in parse.below(head, "dobj", "nsubjpass")}
        return bool(objects - _SPEECH) and parse.lemma(head) not in verbs_about("report")

    def of_one_happening(self, one: str, other: str) -> bool:
        """Whether two documents share enough events."""
        return len(self._events_of[one] & self._events_of[other]) >= SHARED_EVENTS

    def contradictions(
        self,
        about: str,
        members: Sequence[Mention],
        label: str,
        stated: Sequence[StatedValue],
        differ: Callable[[StatedValue, StatedValue], bool],
        comparable: Callable[[StatedValue, StatedValue], bool] = lambda one, other: True,
        *,
        several: bool = False,
    ) -> Iterator[Disagreement]:
        """What documents state of one thing, if they contradict each other; the label of `members` is known.

        `differ`: whether two values cannot be of one thing; all those of two documents must. `comparable`: whether
        they are of one thing all the same. `several`: whether a document may state several values.
        """
        of_documents: defaultdict[str, list[StatedValue]] = defaultdict(list)
        for value in stated:
            of_documents[value.document].append(value)
        single = [
            values
            for values in of_documents.values()
            if several or not any(differ(one, other) for one, other in combinations(values, 2))
        ]
        pairs = [
            (one, other)
            for mine, theirs in combinations(single, 2)
            if all(differ(one, other) for one in mine for other in theirs)
            for one in mine
            for other in theirs
            if comparable(one, other)
        ]
        if not pairs:
            return
        values: list[StatedValue] = []
        for value in sorted(dict.fromkeys(value for pair in pairs for value in pair), key=lambda one: not one.certain):
            if all(differ(value, other) and comparable(value, other) for other in values):
                values.append(value)
        if len(values) < 2:  # the first is of something else than those that contradict each other
            values = [*pairs[0]]
        values.sort(key=lambda value: (self.rank[value.document], value.token))
        statements = (
            Statement(value.document, value.text, self.documents[value.document].sentence_text(value.token))
            for value in values
        )
        cluster = members[0].cluster if members else None
        yield Disagreement(cluster, label or self.known.name(members[0]), about, tuple(statements))

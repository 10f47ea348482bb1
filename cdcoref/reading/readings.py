"""What is known of documents: of one, and of the documents and mentions of a corpus in their order."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cdcoref.circumstances import Circumstances, CircumstanceTables, DocumentCircumstances, StatedQuantity
from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.facts import Parse, parse, syntax, with_parses
from cdcoref.language import FactTables, MentionFacts, in_sentence_case, mention_facts, name_of, surnames_in
from cdcoref.reading.vectors import Integers, MentionVectors

Key = tuple[tuple[int, ...], str | None]
"""Tokens and kind of a mention of a document, whatever its cluster."""
_OPENING = frozenset({"“", "``"})
_CLOSING = frozenset({"”", "''"})
_EITHER = '"'
_LONGEST_QUOTATION = 12
"""Sentences after the first that belong to a quotation at most, should its closing mark be missing."""


class Reading:
    """What is known of one document; everything is computed when it is first asked for, and kept.

    `document`: As a model reads it: sentences that are boilerplate are hidden.
    `mentions`: Its mentions.
    `vectors`: Of the mentions, in their order; None if the document was not read for them.
    """

    def __init__(
        self, document: Document, mentions: Sequence[Mention] = (), vectors: MentionVectors | None = None
    ) -> None:
        self.document = document
        self.mentions = mentions
        self.vectors = vectors
        self._facts: dict[Key, MentionFacts] = {}
        self._circumstances: dict[Key, Circumstances] = {}

    @cached_property
    def cased(self) -> Document:
        """The document with headlines in sentence case."""
        return in_sentence_case(self.document)

    @cached_property
    def parse(self) -> Parse:
        """Its parse: that of the document if it has one, or else by the pipeline that ships."""
        stored = self.document.parse
        return next(parse([self.document])) if stored is None else Parse.unpacked(stored)

    @cached_property
    def sentence_of(self) -> list[int]:
        """The number of the sentence of every token."""
        return self.document.sentence_of_tokens()

    @cached_property
    def quotations(self) -> list[int]:
        """The number of the quotation of every token, from 1; 0 outside quotations.

        Quotation marks belong to what they enclose. An opening mark inside a quotation begins another one, since novels
        repeat it at the beginning of every paragraph. Single quotation marks are ignored: they look like apostrophes.
        """
        sentence_of = self.sentence_of
        result = [0] * len(sentence_of)
        count, current, begun = 0, 0, 0
        for place, token in enumerate(self.document.tokens):
            if current and sentence_of[place] - begun > _LONGEST_QUOTATION:
                current = 0
            if token in _OPENING or (token == _EITHER and not current):
                count += 1
                current, begun = count, sentence_of[place]
                result[place] = current
            else:
                result[place] = current
                if token in _CLOSING or token == _EITHER:
                    current = 0
        return result

    @cached_property
    def surnames(self) -> frozenset[str]:
        """Words that follow another word of a name."""
        return surnames_in(self.cased)

    @cached_property
    def stated(self) -> DocumentCircumstances:
        """The days and places that the document states."""
        return DocumentCircumstances(self.document, self.cased, self.parse)

    def facts(self, mention: Mention) -> MentionFacts:
        """What the words of a mention of the document, and those beside it, state."""
        key = mention.tokens, mention.kind
        if key not in self._facts:
            start = mention.start
            self._facts[key] = mention_facts(
                self.cased,
                mention,
                self.sentence_of[start],
                self.quotations[start],
                syntax(self.parse, self.document.tokens, mention.tokens),
                self.surnames,
            )
        return self._facts[key]

    def forget(self) -> None:
        """Drop what linking alone needs, and what takes most of the memory: facts, vectors and the unpacked parse."""
        self._facts.clear()
        self.vectors = None
        if self.document.parse is not None:
            self.__dict__.pop("parse", None)

    def name(self, mention: Mention) -> tuple[str, ...]:
        """The words of a mention that are a name, in lower case."""
        return name_of(self.cased.tokens[mention.start : mention.end])

    def circumstances(self, mentions: Sequence[Mention]) -> list[Circumstances]:
        """When, where, with whom and how many, of mentions in their order; those of entities are empty.

        They depend on all mentions of the document, so `mentions` should be all that count.
        """
        mention_of: dict[Key, Mention] = {(mention.tokens, mention.kind): mention for mention in mentions}
        if mention_of.keys() != self._circumstances.keys():
            self._circumstances = dict(zip(mention_of, self.stated.of_mentions([*mention_of.values()]), strict=True))

        def current(mention: Mention) -> Mention:
            return mention_of[mention.tokens, mention.kind]

        return [
            replace(
                stated, participants=tuple(replace(one, mention=current(one.mention)) for one in stated.participants)
            )
            for stated in (self._circumstances[mention.tokens, mention.kind] for mention in mentions)
        ]

    def quantities(self, mentions: Sequence[Mention]) -> list[StatedQuantity]:
        """What the document states that other reports may contradict."""
        return self.stated.quantities(mentions)


@dataclass(frozen=True, eq=False)
class Readings:
    """What is known of the documents and mentions of a corpus, such as a story.

    `corpus`: Documents and mentions.
    `vectors`: Of the mentions, in their order; None if the documents were not read for them.
    """

    corpus: Corpus
    vectors: MentionVectors | None = None
    _by_id: Mapping[str, Reading] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        known = self._by_id
        of_documents = {d.id: known.get(d.id) or Reading(d) for d in self.corpus.documents}
        object.__setattr__(self, "_by_id", of_documents)

    def parse(self) -> None:
        """Parse the documents with mentions that have no parse, many at once."""
        waiting = [one for id, one in self._by_id.items() if self._numbers.get(id) and one.document.parse is None]
        for reading, document in zip(waiting, with_parses([one.document for one in waiting]), strict=True):
            reading.document = document

    @classmethod
    def joined(cls, readings: Iterable[Reading]) -> Readings:
        """Those of several documents, one after the other."""
        known = list(readings)
        mentions = tuple(mention for reading in known for mention in reading.mentions)
        vectors = [reading.vectors for reading in known if reading.vectors is not None]
        return cls(
            Corpus(tuple(reading.document for reading in known), mentions),
            MentionVectors.joined(vectors) if vectors and len(vectors) == len(known) else None,
            {reading.document.id: reading for reading in known},
        )

    def __getitem__(self, document: str) -> Reading:
        return self._by_id[document]

    def __len__(self) -> int:
        return len(self.corpus.mentions)

    def with_corpus(self, corpus: Corpus) -> Readings:
        """Other mentions, which have no vectors, or other documents; what is known of documents by id is kept."""
        return Readings(corpus, None, self._by_id)

    def take(
        self, numbers: Sequence[int] | Integers, kind: str | None = None, documents: Collection[str] | None = None
    ) -> Readings:
        """Some of the mentions, by their numbers; with a kind for those that have none, and some of the documents."""
        kept = tuple(d for d in self.corpus.documents if documents is None or d.id in documents)
        chosen = Corpus(kept, tuple(self.corpus.mentions[number] for number in numbers))
        return Readings(chosen.with_kind(kind), self.vectors and self.vectors.take(numbers), self._by_id)

    def of_documents(self, documents: Sequence[str]) -> tuple[Readings, Integers]:
        """Some of the documents, in this order, and the numbers of their mentions."""
        numbers = np.array([n for name in documents for n in self._numbers[name]], dtype=np.int64)
        mentions = tuple(self.corpus.mentions[n] for n in numbers)
        by_id = {document.id: document for document in self.corpus.documents}
        corpus = Corpus(tuple(by_id[name] for name in documents), mentions)
        return Readings(corpus, self.vectors and self.vectors.take(numbers), self._by_id), numbers

    @cached_property
    def _numbers(self) -> dict[str, list[int]]:
        return self.corpus.mention_numbers()

    @cached_property
    def facts(self) -> FactTables:
        """What the words of the mentions state, also as arrays."""
        self.parse()
        return FactTables([self[mention.document].facts(mention) for mention in self.corpus.mentions])

    def pronouns(self, kinds: Collection[str]) -> NDArray[np.bool_]:
        """Which mentions of some kinds are pronouns. *Shape:* (mentions,)"""
        return np.array(
            [m.kind in kinds and bool(self[m.document].facts(m).words.pronoun) for m in self.corpus.mentions],
            dtype=bool,
        )

    @cached_property
    def circumstances(self) -> list[Circumstances]:
        """When, where, with whom and how many, of every mention, in order; those of entities are empty."""
        self.parse()
        found = [Circumstances()] * len(self)
        for document, numbers in self._numbers.items():
            if numbers:
                of_document = self[document].circumstances([self.corpus.mentions[n] for n in numbers])
                for number, circumstances in zip(numbers, of_document, strict=True):
                    found[number] = circumstances
        return found

    @cached_property
    def circumstance_tables(self) -> CircumstanceTables:
        """The circumstances as arrays, and which events they keep from being one."""
        return CircumstanceTables(self.corpus, self.circumstances)

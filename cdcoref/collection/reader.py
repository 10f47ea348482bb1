"""What a collection asks of a model: the mentions of documents, their vectors, and the scores of pairs of documents.

The model is loaded when it is first needed: linking by lemma documents that come with their mentions needs none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cdcoref.collection.settings import Settings
from cdcoref.collection.stored_logits import DocumentPair, DocumentScores, by_document_pair
from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.errors import InputError
from cdcoref.predict import Predictor, load
from cdcoref.reading import MentionVectors, Readings

if TYPE_CHECKING:
    from cdcoref.predict import Progress

GivenPredictor = Predictor | Callable[[], Predictor] | None
"""A model, or what loads it when it is first needed; None: the collection's own is loaded then."""


class Reader:
    """Reads documents for a collection.

    Parameters
    ----------
    settings
        What the collection is made with.
    predictor
        The model, or a function that loads it, which is called when the model is first needed; None: the collection's
        own is loaded then.
    batch_tokens
        Word pieces that the encoder reads at once.

    Attributes
    ----------
    settings
        The same, with the model's fingerprint and configuration once it has read something.

    Raises
    ------
    InputError
        If a model is given and the collection links by lemma, or the other way round; for one that a function loads,
        when it has been loaded.
    """

    def __init__(self, settings: Settings, predictor: GivenPredictor, batch_tokens: int) -> None:
        self.settings = settings
        self.batch_tokens = batch_tokens
        self._given = predictor
        self._ready: Predictor | None = None
        if isinstance(predictor, Predictor):
            self._check_lemma(predictor)
        elif not (predictor is None or callable(predictor)):
            raise InputError(f"predictor must be what cdcoref.load() returns, or a function, not {predictor!r}")

    def mentions(
        self, documents: Sequence[Document], progress: Progress
    ) -> tuple[dict[str, list[Mention]], dict[str, MentionVectors]]:
        """Find the mentions of documents, of the kind that the collection links, and in the same pass their vectors.

        Returns
        -------
        tuple
            Mentions, and vectors if the model has them, by the documents' ids.

        Raises
        ------
        InputError
            If the model is not the collection's.
        """
        from cdcoref.linking import read

        mentions: dict[str, list[Mention]] = {}
        vectors: dict[str, MentionVectors] = {}
        if not documents:
            return mentions, vectors
        total = sum(len(document.tokens) for document in documents)
        done = 0

        def advance(words: int) -> None:
            nonlocal done
            done += words
            progress("finding mentions", done, total)

        kind = self.settings.options.kind
        for reading in read(self._predictor().model, documents, batch_tokens=self.batch_tokens, advance=advance):
            id, of_document = reading.document.id, reading.mentions
            own = [number for number, mention in enumerate(of_document) if kind in ("both", mention.kind)]
            mentions[id] = [of_document[number] for number in own]
            if reading.vectors is not None and not self.settings.lemma:
                vectors[id] = reading.vectors.take(own)
        return mentions, vectors

    @property
    def has_vectors(self) -> bool:
        """Whether the model compares mentions by vectors, too.

        Raises
        ------
        InputError
            If the model is not the collection's.
        """
        return not self.settings.lemma and self._predictor().model.vector_scorer is not None

    @property
    def kinds_with_antecedents(self) -> tuple[str, ...]:
        """The kinds of mention whose pronouns have antecedents; none if mentions are linked by lemma."""
        return () if self.settings.config is None else self.settings.config.vectors.with_antecedents

    def vectors(self, corpus: Corpus) -> dict[str, MentionVectors]:
        """Read documents, each alone, for the vectors of their mentions; by the ids of those that have mentions.

        Raises
        ------
        InputError
            If the model is not the collection's.
        """
        from cdcoref.linking import read_vectors

        if not corpus.mentions:
            return {}
        read = read_vectors(self._predictor().model, corpus, batch_tokens=self.batch_tokens)
        return {id: read.take(own).compact() for id, own in corpus.mention_numbers().items() if own}

    def of_kind(self, corpus: Corpus) -> Corpus:
        """The corpus with the mentions that the collection links; a mention without a kind gets it."""
        kind = self.settings.options.kind
        if kind == "both":
            return corpus
        own = corpus.with_kind(kind).of_kind(kind)
        return replace(own, mentions=tuple({mention.key: mention for mention in own.mentions}.values()))

    def scores(
        self,
        corpus: Corpus,
        pairs: Sequence[DocumentPair] | None,
        vectors: Mapping[str, MentionVectors],
        known: Mapping[str, int],
        advance: Callable[[float], None],
    ) -> tuple[dict[DocumentPair, DocumentScores], list[str]]:
        """Compare the documents of a story: by their vectors, if the model has them, and read together.

        Parameters
        ----------
        corpus
            The documents, with the mentions of each in the order of their places.
        pairs
            Those that are read together, by id; None: all.
        vectors
            By the ids of those documents that have mentions, if the model has vectors.
        known
            See :class:`cdcoref.linking.Comparison`.
        advance
            Called with how many documents and pairs of documents were read since the last call.

        Returns
        -------
        tuple
            The scores by pair of ids, the first first, and a sentence for whatever was left out. A model that reads
            many documents at once scores some other pairs as well.

        Raises
        ------
        InputError
            If the model is not the collection's, a mention has no kind, or more mentions begin at one word than can be
            marked.
        """
        from cdcoref.linking import Comparison

        if self.settings.lemma or not corpus.mentions:
            return {}, []
        comparison = Comparison(
            self._predictor().model,
            Readings(corpus, _joined(corpus, vectors) if self.has_vectors else None),
            pairs,
            self.settings.options,
            known=known,
        )
        logits = comparison.run(batch_tokens=self.batch_tokens, advance=advance)
        return by_document_pair(corpus, logits), list(comparison.notes)

    def _check_lemma(self, predictor: Predictor) -> None:
        if predictor.lemma != self.settings.lemma:
            own = "the lemma baseline" if self.settings.lemma else f"the model {self.settings.model}"
            raise InputError(
                f"the collection was made with {own}; use that model, or rebuild the collection with another one"
            )

    def _predictor(self) -> Predictor:
        """The model, which must be the collection's."""
        if self._ready is None:
            predictor = load(self.settings.model) if self._given is None else self._given
            if not isinstance(predictor, Predictor):
                predictor = predictor()
                self._check_lemma(predictor)
            fingerprint = predictor.fingerprint
            if self.settings.fingerprint not in (None, fingerprint):
                raise InputError(
                    "the collection was made with another model; use that one, or rebuild the collection with this one"
                )
            clustering = None if self.settings.lemma else predictor.model.settings.to_dict()
            self.settings = replace(self.settings, fingerprint=fingerprint, clustering=clustering)
            self._ready = predictor
        return self._ready


def _joined(corpus: Corpus, vectors: Mapping[str, MentionVectors]) -> MentionVectors:
    """The vectors of the mentions of a corpus, in their order; there must be at least one mention."""
    numbers = {id: own for id, own in corpus.mention_numbers().items() if own}
    order = np.array([number for own in numbers.values() for number in own], dtype=np.int64)
    return MentionVectors.joined([vectors[id] for id in numbers]).take(np.argsort(order))


class StoryReading(NamedTuple):
    """A story, or what of it is to be compared, as :meth:`Reader.scores` takes it."""

    corpus: Corpus
    pairs: Sequence[DocumentPair] | None
    vectors: Mapping[str, MentionVectors]
    known: Mapping[str, int]


def compare_stories(
    reader: Reader, stories: Iterable[StoryReading], work: int, progress: Progress
) -> tuple[dict[DocumentPair, DocumentScores], list[str]]:
    """The scores of the documents of all stories, and a sentence for whatever was left out.

    One story is read after the other, so that few are held in memory. `work` is how many documents and pairs of
    documents there are in all stories.

    Raises
    ------
    InputError
        As :meth:`Reader.scores`.
    """
    scores: dict[DocumentPair, DocumentScores] = {}
    notes: list[str] = []
    before, done = 0, 0.0

    def advance(share: float) -> None:
        nonlocal done
        done += share
        progress("comparing", int(done), work)

    for story in stories:
        own, sentences = reader.scores(*story, advance)
        scores |= own
        notes += sentences
        count = len(story.corpus.documents)
        before += count + (count * (count - 1) // 2 if story.pairs is None else len(story.pairs))
        done = before
    return scores, notes

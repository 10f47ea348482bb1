"""One story's documents in, its clusters out. Stories are independent: no state outlives the call.

Everything that a story needs is in the arguments, so stories can be linked one after the other, in parallel or on
several machines, and the largest story determines how much memory is needed.

First there is a logit for every pair of mentions of one kind within every document and across given pairs of documents:
by a bi-encoder, then of the candidates with their contexts, if the model has a cross-encoder for them; or of every pair
read together, as in the paper. It does not depend on the order of the input.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise

import numpy as np

from cdcoref.clustering import connected
from cdcoref.corpus import KINDS, Corpus
from cdcoref.errors import InputError
from cdcoref.linking.bi_encoder_scores import compare_vectors
from cdcoref.linking.clusters import clusters_by_kind, with_clusters
from cdcoref.linking.linking_options import LinkingOptions
from cdcoref.linking.links import compared_pairs
from cdcoref.linking.mentions import read_vectors
from cdcoref.linking.pair_logits import DocumentPair, PairEvidence, PairLogits, work
from cdcoref.linking.store import ResultStore
from cdcoref.model import CorefModel
from cdcoref.reading import Readings


def all_pairs(groups: Iterable[Sequence[str]]) -> list[DocumentPair]:
    """Every pair of documents within a group, by id."""
    return [pair for group in groups for pair in combinations(sorted(group), 2)]


class Comparison:
    """The work of comparing the documents of a story.

    `readings`: Documents and the mentions to compare; every mention has a kind. Without vectors, documents are read for
        them if the model has any.
    `pairs`: Pairs of documents to compare, by id; None: all. Every document is also compared with itself. Documents
        that the pairs tie together are a story: a model with vectors compares all mentions of a story by their vectors.
    `known`: Numbers of the parts, from 0, of documents that were compared before, by id: pairs of mentions within a
        part are left out, by a model with vectors, and the documents of a part are of one story. None: everything is
        new.
    `sequences`: How many sequences with two mentions there were to read, after :meth:`run`.
    `notes`: One sentence for each word or mention that had to be cut.
    """

    def __init__(
        self,
        model: CorefModel,
        readings: Readings,
        pairs: Sequence[DocumentPair] | None,
        *,
        known: Mapping[str, int] | None = None,
    ) -> None:
        for mention in readings.corpus.mentions:
            if mention.kind not in KINDS:
                raise InputError(
                    f"a mention in {mention.document!r} is neither an event nor an entity; specify the kind of its "
                    "mentions in the file, or that of all mentions (--kind event, --kind entity)"
                )
        self.model = model
        self.corpus = readings.corpus
        self._readings = readings
        self.sequences = 0
        self.notes: list[str] = []
        self._pairs = pairs
        self._known = known
        self._options = model.settings.vectors

    def run(
        self,
        *,
        batch_tokens: int,
        store: ResultStore | None = None,
        advance: Callable[[float], None] = lambda pairs: None,
    ) -> PairLogits:
        """Compare the documents.

        `advance`: Called repeatedly with the number of document pairs, or the share of one, done since the last call.
        """
        if self.model.vector_scorer is None:
            from cdcoref.linking.cross_encoder import CrossEncoderReading

            reading = CrossEncoderReading(self.model, self.corpus, self._pairs)
            self.sequences, self.notes = reading.sequences(), reading.notes
            return reading.run(batch_tokens, store, advance)
        evidence = self.evidence(batch_tokens=batch_tokens, store=store, advance=advance)
        return evidence.combine(self._options)

    def evidence(
        self,
        *,
        batch_tokens: int,
        store: ResultStore | None = None,
        advance: Callable[[float], None] = lambda pairs: None,
        read: bool = True,
    ) -> PairEvidence:
        """The logits of bi-encoder and cross-encoder, not combined yet, by a model that has vectors.

        `read` says whether candidates are read by the cross-encoder, if there is one; the rest is as in :meth:`run`.
        """
        if self._readings.vectors is None:
            vectors = read_vectors(self.model, self.corpus, batch_tokens=batch_tokens, store=store)
            self._readings = replace(self._readings, vectors=vectors)
        evidence = self._by_bi_encoder()
        if not read or self.model.context_scorer is None:
            advance(work(self.corpus, self._pairs))
            return evidence
        from cdcoref.linking.candidates import candidate_pairs
        from cdcoref.linking.context_reading import ContextReading

        candidates = candidate_pairs(evidence, self.corpus.mentions, self._options)
        chosen = candidates.chosen
        sides = evidence.first[chosen].astype(np.int64), evidence.second[chosen].astype(np.int64)
        self.sequences = int(chosen.sum())
        logits = np.full(len(evidence.first), np.nan, dtype=np.float32)
        logits[chosen] = ContextReading(self.model, self._readings, *sides, self._pairs).run(
            batch_tokens, store, advance
        )
        return replace(evidence, cross_encoder=candidates.of_all(logits))

    def _by_bi_encoder(self) -> PairEvidence:
        """What the vectors say of the pairs of every story, with the numbers of the whole corpus."""
        parts = [(own, compare_vectors(self.model, story, self._known)) for story, own in self._stories()]
        return PairEvidence.of(
            self.corpus,
            [own[part.first] for own, part in parts],
            [own[part.second] for own, part in parts],
            [part.bi_encoder for _, part in parts],
            [part.antecedents for _, part in parts],
        )

    def _stories(self) -> Iterator[tuple[Readings, np.ndarray]]:
        names = sorted(document.id for document in self.corpus.documents)
        if self._pairs is None:
            yield self._readings.of_documents(names)
            return
        place = {name: number for number, name in enumerate(names)}
        known = sorted((part, id) for id, part in (self._known or {}).items() if id in place)
        tied = [*self._pairs, *((one, other) for (part, one), (same, other) in pairwise(known) if part == same)]
        first, second = np.array([(place[one], place[other]) for one, other in tied]).reshape(-1, 2).T.astype(np.int64)
        story_of = connected(len(names), first, second)
        for story in range(int(story_of.max(initial=-1)) + 1):
            yield self._readings.of_documents([names[number] for number in np.flatnonzero(story_of == story)])


@dataclass(frozen=True, slots=True)
class LinkedStory:
    """The result of linking a story.

    `readings`: What is known of the story's documents, and its mentions with cluster and confidence, in the order
        given.
    `sequences`: Number of sequences that had to be read.
    `notes`: One sentence for everything that could not be taken into account.
    `pairs`: The pairs that were compared, as :func:`cdcoref.linking.compared_pairs` gives them, if the options ask.
    """

    readings: Readings
    sequences: int = 0
    notes: tuple[str, ...] = ()
    pairs: Sequence[tuple[int, int, float, bool]] | None = None

    @property
    def corpus(self) -> Corpus:
        """Its documents and mentions."""
        return self.readings.corpus

    def with_corpus(self, corpus: Corpus) -> LinkedStory:
        """The same with other names of clusters, or other documents."""
        return replace(self, readings=self.readings.with_corpus(corpus))


def link_story(
    model: CorefModel,
    story: Readings,
    options: LinkingOptions,
    *,
    pairs: Sequence[DocumentPair] | None = None,
    story_of: Mapping[str, int] | None = None,
    store: ResultStore | None = None,
    advance: Callable[[float], None] = lambda pairs: None,
) -> LinkedStory:
    """Decide which mentions of a story corefer.

    `story`: Documents about the same story, and the mentions in them (see :func:`cdcoref.linking.read`).
    `pairs`: The pairs of documents to compare; None: all. Each document is compared with itself in any case.
    `story_of`: The story of each document by its words, by id, if the documents are a larger group than a story (see
        :class:`cdcoref.model.VectorOptions`); None: they are one.
    `advance`: Called repeatedly with the number of document pairs, or the share of one, done since the last call.
    """
    comparison = Comparison(model, story, pairs)
    logits = comparison.run(batch_tokens=options.batch_tokens, store=store, advance=advance)
    settings = model.settings
    if story_of is not None:
        logits = logits.across_stories(story, story_of, settings.vectors.combine)
    clusters = clusters_by_kind(story, logits, options.configure(settings))
    pairs_kept = compared_pairs(links for _, links in clusters.values()) if options.pairs else None
    linked = story.with_corpus(with_clusters(story.corpus, clusters))
    return LinkedStory(linked, comparison.sequences, tuple(comparison.notes), pairs_kept)

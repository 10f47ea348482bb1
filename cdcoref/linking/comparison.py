"""Comparing documents: a story and the pairs of documents to compare in, a logit for every pair of mentions out.

Mentions of the same kind are compared within every document and across every given pair of documents. Where the model
has vectors, every document is read alone first; the vectors say which mentions are candidates for each other, and only
those are read together. What is read together follows from the model's configuration: two candidates with their
contexts; in pairs of documents, as in the paper; or many documents at once. None of it depends on the order of the
input.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import combinations, pairwise

import numpy as np

from cdcoref.corpus import KINDS
from cdcoref.errors import InputError
from cdcoref.inputs import Candidates, Extent
from cdcoref.linking.bi_encoder_scores import compare_vectors
from cdcoref.linking.candidates import candidate_pairs
from cdcoref.linking.context_reading import ContextReading
from cdcoref.linking.cross_encoder import CrossEncoderReading
from cdcoref.linking.linking_options import LinkingOptions
from cdcoref.linking.pair_logits import PairEvidence, PairLogits, kind_numbers, pair_keys
from cdcoref.linking.store import ResultStore
from cdcoref.linking.tied_documents import DocumentPair, tied_documents
from cdcoref.linking.vector_table import read_vectors
from cdcoref.model import CorefModel
from cdcoref.reading import Readings


def all_pairs(groups: Iterable[Sequence[str]]) -> list[DocumentPair]:
    """Every pair of documents within a group, by id."""
    return [pair for group in groups for pair in combinations(sorted(group), 2)]


def check_cross_encoder(model: CorefModel, options: LinkingOptions) -> None:
    """Refuse options of a cross-encoder that the model does not have.

    Raises
    ------
    InputError
        If one of them is set.
    """
    if model.vector_scorer is None or model.pair_scorer is not None:
        return
    only_contexts = model.context_scorer is not None
    names = ("marking", "max_windows") if only_contexts else ("candidates", "marking", "max_windows")
    given = [f"--{name.replace('_', '-')}" for name in names if getattr(options, name) is not None]
    if given:
        verb, them = ("has", "it") if len(given) == 1 else ("have", "them")
        kind = "that reads pairs of mentions in excerpts" if only_contexts else "without a cross-encoder"
        other = "use --model base" if given == ["--candidates"] else "train a model with --preset cross-encoder"
        raise InputError(f"{' and '.join(given)} {verb} no effect on a model {kind}; leave {them} out, or {other}")


class Comparison:
    """The work of comparing the documents of a story.

    Parameters
    ----------
    model
        The model whose encoder and scorers are used.
    readings
        Documents and the mentions to compare; every mention has a kind. Without vectors, documents are read for them if
        the model has any.
    pairs
        Pairs of documents to compare, by id; None: all. Every document is also compared with itself. Documents that the
        pairs tie together are a story: a model with vectors compares all mentions of a story by their vectors.
    options
        Replace the limits and the marking of the model. Another marking than the model's own reads documents in pairs.
    known
        Numbers of the parts, from 0, of documents that were compared before, by id: pairs of mentions within a part are
        left out, by a model with vectors, and the documents of a part are of one story. None: everything is new.
    """

    def __init__(
        self,
        model: CorefModel,
        readings: Readings,
        pairs: Sequence[DocumentPair] | None,
        options: LinkingOptions | None = None,
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
        self._pairs = pairs
        self._sequences = model.settings.sequences
        options = options or LinkingOptions()
        check_cross_encoder(model, options)
        if options.marking is not None and options.marking != self._sequences.marking:
            self._sequences = replace(self._sequences, marking=options.marking, documents="two")
        if options.max_windows is not None:
            self._sequences = replace(self._sequences, max_windows=options.max_windows)
        self._known = known
        self._options = model.settings.vectors
        if options.candidates is not None:
            self._options = replace(self._options, candidates=options.candidates)
        self._reading: CrossEncoderReading | ContextReading | None = None

    @property
    def extent(self) -> Extent:
        """Number of sequences to read together, of their word pieces (roughly), and of window pairs left out.

        For a model with vectors it is known once the documents were read for them: after :meth:`run`.
        """
        return self._together().extent

    @property
    def notes(self) -> list[str]:
        """One sentence for each mention that had to be cut, and one for the pruned windows of long documents."""
        reading = self._together()
        pruned = reading.extent.pruned
        if not pruned:
            return reading.notes
        subject = "1 pair" if pruned == 1 else f"{pruned} pairs"
        return [*reading.notes, f"the limit on windows left {subject} of windows of long documents uncompared"]

    def run(
        self,
        *,
        batch_tokens: int,
        store: ResultStore | None = None,
        advance: Callable[[float], None] = lambda pairs: None,
    ) -> PairLogits:
        """Compare the documents.

        Parameters
        ----------
        batch_tokens
            Word pieces that the encoder reads at once.
        store
            Where results are looked up and stored.
        advance
            Called repeatedly with the number of document pairs, or the share of one, done since the last call.
        """
        if self.model.vector_scorer is None:
            return self._all_read.run(batch_tokens, store, advance)
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
        """Compare the documents with a model that has vectors, and do not weigh yet what they and the reading say.

        Parameters
        ----------
        batch_tokens, store, advance
            As in :meth:`run`.
        read
            Whether candidates are read together.
        """
        if self._readings.vectors is None:
            vectors = read_vectors(self.model, self.corpus, batch_tokens=batch_tokens, store=store)
            self._readings = replace(self._readings, vectors=vectors)
        apart = self._by_bi_encoder()
        if not read:
            return apart
        candidate = candidate_pairs(apart, self.corpus.mentions, self._options)
        chosen = candidate.chosen
        first, second = apart.first[chosen], apart.second[chosen]
        if self.model.context_scorer is not None:
            sides = first.astype(np.int64), second.astype(np.int64)
            contexts = ContextReading(self.model, self.corpus, *sides, self._pairs)
            self._reading = contexts
            logits = np.full(len(apart.first), np.nan, dtype=np.float32)
            logits[chosen] = contexts.run(batch_tokens, store, advance)
            return replace(apart, cross_encoder=candidate.of_all(logits))
        numbers = np.unique(np.concatenate([first, second]))
        weight = 1.0 / (1.0 + np.exp(-apart.bi_encoder[chosen].astype(np.float64)))
        candidates = Candidates(np.searchsorted(numbers, first), np.searchsorted(numbers, second), weight)
        with_candidates = replace(self.corpus, mentions=tuple(self.corpus.mentions[n] for n in numbers))
        packs = CrossEncoderReading(self.model, with_candidates, self._pairs, self._sequences, candidates)
        self._reading = packs
        read_pairs = packs.run(batch_tokens, store, advance)
        logits = np.full(len(apart.first), np.nan, dtype=np.float32)
        known = pair_keys(numbers[read_pairs.first], numbers[read_pairs.second], apart.size)
        wanted = pair_keys(first, second, apart.size)
        if len(known):
            found = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
            same = known[found] == wanted
            logits[np.flatnonzero(chosen)[same]] = read_pairs.logits[found[same]]
        return replace(apart, cross_encoder=candidate.of_all(logits))

    def _by_bi_encoder(self) -> PairEvidence:
        """What the vectors say of the pairs of every story, with the numbers of the whole corpus."""
        parts = [(own, compare_vectors(self.model, story, self._known)) for story, own in self._stories()]

        def joined(name: str, empty: np.ndarray) -> np.ndarray:
            return np.concatenate([empty, *(getattr(part, name) for _, part in parts)])

        none, nothing, neither = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32), np.zeros(0, dtype=bool)
        one = np.concatenate([none, *(own[part.first] for own, part in parts)])
        other = np.concatenate([none, *(own[part.second] for own, part in parts)])
        low, high = np.minimum(one, other), np.maximum(one, other)
        return PairEvidence(
            len(self.corpus.mentions),
            low,
            high,
            kind_numbers(self.corpus)[low],
            cross_encoder=joined("cross_encoder", nothing),
            bi_encoder=joined("bi_encoder", nothing),
            within=joined("within", neither),
            antecedents=joined("antecedents", neither),
        )

    def _stories(self) -> Iterator[tuple[Readings, np.ndarray]]:
        """Every story, and the numbers of its mentions."""
        documents = {document.id for document in self.corpus.documents}
        tied = self._pairs
        if tied is not None and self._known is not None:
            known = sorted((part, id) for id, part in self._known.items() if id in documents)
            tied = [*tied, *((one, other) for (part, one), (same, other) in pairwise(known) if part == same)]
        for names, _ in tied_documents(sorted(documents), tied):
            yield self._readings.of_documents(names)

    def _together(self) -> CrossEncoderReading | ContextReading:
        if self.model.vector_scorer is None:
            return self._all_read
        if self._reading is None:
            self.evidence(batch_tokens=self.model.settings.sequences.max_length)
        assert self._reading is not None
        return self._reading

    @cached_property
    def _all_read(self) -> CrossEncoderReading:
        """The reading of a model without a bi-encoder."""
        return CrossEncoderReading(self.model, self.corpus, self._pairs, self._sequences)

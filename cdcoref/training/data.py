"""What a model is trained on: annotated corpora in, batches of sequences with labels out.

Pairs of documents of one subtopic are compared, and a share of those of one topic but different subtopics, whose
mentions hardly ever corefer but look as if they did. Every positive pair counts; negatives are sampled. Batches for the
mention detector are mixed in. The order of the batches, and what is sampled for each, depends on the random seed, the
epoch and the batch's number alone.

A corpus' own description of its annotation is respected: documents are compared only where links across documents are
annotated, and the detector learns a kind of mention only from the annotated sentences of corpora in which every mention
of that kind is annotated. Documents of different corpora are never compared.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Annotated

import numpy as np
import torch
from torch.utils.data import Dataset

from cdcoref.corpora import AnnotatedCorpus, Corpora, annotated_corpora
from cdcoref.corpus import KINDS
from cdcoref.errors import InputError
from cdcoref.inputs import MarkedDocument, PairSequence, ReadingSequence, SequenceBuilder
from cdcoref.model import CorefModel, LabelledBatch, collate_pairs, collate_readings
from cdcoref.training.sources import Source, check_weights, drawn, in_annotated
from cdcoref.training.steps import batches_of_steps, drawn_pairs, number_of_steps, pairs_of_batch
from cdlm.validation import Count, Index, Probability, check_fields, number, whole_number

SPANS_PER_MENTION = 5.0
"""Divisor of each mention's share of the detector's loss, to balance it against the pair scorer's."""

NO_KIND = "has no kind; state the kind of each in the file, or that of all with --kind event or --kind entity"
"""What is wrong with a mention that is neither an event nor an entity, and what to do."""


@dataclass(frozen=True, slots=True)
class SamplingOptions:
    """What is sampled for training.

    Attributes
    ----------
    negatives
        Negative pairs of mentions per positive one; 0: all of them.
    other_subtopics
        Share of the document pairs of one topic but different subtopics that an epoch reads.
    detection_passes
        How often an epoch reads the text for the mention detector; 0: the detector is not trained.
    batch_tokens, batch_sequences
        Maximum number of word pieces in a batch, and (roughly) of sequences.
    step_pairs
        Candidate pairs of an optimiser step, all with the same weight; 0: steps are whatever batches of
        `batch_tokens` make them. All steps of an epoch have exactly this number: every coreferent pair of what the
        epoch reads, and as many others, drawn from all of them at random, as come nearest to `negatives`. Only where
        one pair is marked a sequence, and without passes for the detector.
    weights
        The share of a corpus, by name, that an epoch reads, sampled anew for every epoch: of its documents and pairs of
        documents, and of its text for the detector. 1 for a corpus that is not named.

    Raises
    ------
    InputError
        If a value is of the wrong type or out of range.
    """

    negatives: Annotated[float, number(0, most=10**9)] = 0.0
    other_subtopics: Probability = 0.3
    detection_passes: Annotated[int, whole_number(0, 1000)] = 2
    batch_tokens: Count = 4096
    batch_sequences: Count = 64
    step_pairs: Index = 0
    weights: Mapping[str, Annotated[float, number(above=0, most=1)]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_fields(self)
        if self.step_pairs and self.detection_passes:
            raise InputError("steps of a number of pairs leave no place for the detector; set detection_passes to 0")


@dataclass(frozen=True, slots=True)
class Example:
    """One or two documents and the mentions to mark in them (all, or one candidate pair).

    Documents that are too long for a batch become several examples, each with some of the window pairs.
    """

    first: MarkedDocument
    ones: Sequence[int]
    second: MarkedDocument | None
    others: Sequence[int]
    pieces: int
    part: tuple[int, int | None] = (0, None)


class TrainingData(Dataset[LabelledBatch]):
    """The batches of an epoch, which `set_epoch` chooses.

    Parameters
    ----------
    model
        The model whose tokenizer and configuration determine how sequences are built.
    corpora
        One or more annotated corpora, as :func:`cdcoref.corpora.annotated_corpora` accepts them. The subtopics (or
        topics) of a corpus are used if each of its documents has one, otherwise predicted topics.
    options
        See :class:`SamplingOptions`.
    seed
        Random seed of all sampling.
    batches_of_step
        How many batches make an optimiser step, in all processes together; only for `SamplingOptions.step_pairs`.

    Attributes
    ----------
    examples
        Number of documents and pairs of documents (or parts of long ones) that the first epoch reads.
    notes
        One sentence for each word or mention that had to be cut, for each kind of mention that the detector cannot
        learn, and for negatives that there are too few of.

    Raises
    ------
    InputError
        If no two mentions of the corpora corefer, no sentence of a corpus is annotated, two corpora have a document
        with the same id, a weight belongs to no corpus, the model has no detector to train, or the pairs of a step
        cannot be divided into its batches.
    """

    def __init__(
        self,
        model: CorefModel,
        corpora: Corpora,
        options: SamplingOptions,
        seed: int,
        batches_of_step: int = 1,
    ) -> None:
        if options.detection_passes and model.detector is None:
            raise InputError("the model has no mention detector to train; set sampling.detection_passes to 0")
        self.options = options
        self._batch_pairs = pairs_of_batch(options.step_pairs, batches_of_step, model.settings.sequences.marking)
        self._steps = 0
        self.seed = seed
        self.epoch = 0
        self._pad = model.encoder.config.pad_token_id
        self._builder = SequenceBuilder(model.tokenizer, model.settings.sequences)
        parts = annotated_corpora(corpora)
        check_weights(options.weights, parts)
        # A kind that no corpus annotates exhaustively cannot be learnt; it is trained as absent, so that none is found.
        self._taught = {kind for part in parts for kind in part.info.exhaustive}
        self._marked: dict[str, MarkedDocument] = {}
        self._gold: dict[str, dict[tuple[int, int], str]] = defaultdict(dict)
        self._clusters = self._prepare(parts)
        reading = model.reading_builder() if options.detection_passes else None
        self._sources = [
            Source.of(part, options.weights.get(part.info.name, 1.0), self._taught, reading) for part in parts
        ]
        self._readings = [sequence for source in self._sources for sequence in source.readings]
        self._judged = {
            d.id: s.judged for s, part in zip(self._sources, parts, strict=True) for d in part.corpus.documents
        }
        sampled = options.negatives and not options.step_pairs
        self._negative_share = self._share_of_negatives() if sampled else 0.0
        self.notes: list[str] = []
        first_epoch = self._examples(0)
        if not first_epoch or not any(len(c) > 1 for part in parts for c in part.corpus.clusters()):
            raise InputError("the training corpus has no two coreferent mentions, so there is nothing to learn from")
        if self._steps:
            self._pair_batches = self._steps * batches_of_step
        else:
            self._pair_batches = self._batch_count([e.pieces for e in first_epoch])
        read = self._drawn_readings(np.random.default_rng((seed, 0, 2)))
        self._span_batches = self._batch_count([len(self._readings[r]) for r in read]) if read else 0
        self.examples = len(first_epoch)
        self.notes += [*dict.fromkeys(self._builder.notes), *self._notes_on_detection(parts)]
        self._order: list[tuple[str, list[int]]] = []
        self._epoch_examples: list[Example] = []
        self._epoch_built = -1

    def __len__(self) -> int:
        return self._pair_batches + self._span_batches * self.options.detection_passes

    def set_epoch(self, epoch: int) -> None:
        """Choose the epoch, from 0."""
        self.epoch = epoch

    def __getitem__(self, number: int) -> LabelledBatch:
        if self._epoch_built != self.epoch:
            self._lay_out()
        task, chosen = self._order[number]
        rng = np.random.default_rng((self.seed, self.epoch, number))
        if task == "spans":
            return self._span_batch([self._readings[c] for c in chosen])
        return self._pair_batch([self._epoch_examples[c] for c in chosen], rng)

    # -- an epoch ----------------------------------------------------------------------------------------------------

    def _lay_out(self) -> None:
        rng = np.random.default_rng((self.seed, self.epoch))
        self._epoch_examples = self._examples(self.epoch)
        if not self._epoch_examples:
            raise InputError(
                f"nothing was sampled for epoch {self.epoch + 1}; increase the corpora's weights or the negatives"
            )
        lengths = [example.pieces for example in self._epoch_examples]
        if self._steps:
            batches = batches_of_steps(lengths, self.options.step_pairs, self._batch_pairs, rng)
            self._order = [("pairs", batch) for batch in batches]
            self._epoch_built = self.epoch
            return
        order = [("pairs", batch) for batch in self._split(lengths, self._pair_batches, rng)]
        for _ in range(self.options.detection_passes if self._span_batches else 0):
            read = self._drawn_readings(rng)
            batches = self._split([len(self._readings[r]) for r in read], self._span_batches, rng)
            order += [("spans", [read[number] for number in batch]) for batch in batches]
        self._order = [order[p] for p in rng.permutation(len(order))]
        self._epoch_built = self.epoch

    def _batch_count(self, lengths: Sequence[int]) -> int:
        tokens = -(-sum(lengths) // self.options.batch_tokens)
        return max(1, tokens, -(-len(lengths) // self.options.batch_sequences))

    @staticmethod
    def _split(lengths: Sequence[int], count: int, rng: np.random.Generator) -> list[list[int]]:
        """Split into exactly `count` batches, each of sequences of similar length and with about as many pieces."""
        order = np.argsort(np.array(lengths) * rng.uniform(0.9, 1.1, len(lengths)), kind="stable")
        if len(order) < count:
            order = np.sort(np.resize(order, count))
        total = np.cumsum(np.array(lengths)[order])
        bounds = np.searchsorted(total, total[-1] * np.arange(1, count) / count)
        steps = np.arange(1, count)
        bounds = np.maximum.accumulate(np.maximum(bounds, steps) - steps) + steps
        bounds = np.minimum(bounds, len(order) - count + steps)
        return [part.tolist() for part in np.split(order, bounds)]

    def _examples(self, epoch: int) -> list[Example]:
        """The documents and pairs of documents of an epoch, or its candidate pairs."""
        rng = np.random.default_rng((self.seed, epoch, 1))
        documents = list(self._documents(rng))
        if self.options.step_pairs:
            return self._examples_of_steps(documents, rng)
        return [example for pair in documents for example in self._of_documents(*pair, rng)]

    def _documents(self, rng: np.random.Generator) -> Iterator[tuple[MarkedDocument, MarkedDocument | None]]:
        """The documents and pairs of documents of an epoch, each pair in random order."""
        for source in self._sources:
            pairs: list[tuple[str, str | None]] = [(name, None) for name in source.documents]
            pairs += source.same
            wanted = round(self.options.other_subtopics * len(source.other))
            pairs += [source.other[d] for d in drawn(len(source.other), wanted, rng)]
            if source.weight < 1:
                pairs = [pairs[p] for p in drawn(len(pairs), source.share_of(len(pairs)), rng)]
            flips = rng.random(len(pairs)) < 0.5
            for (one, other), flip in zip(pairs, flips, strict=True):
                if one not in self._marked or (other is not None and other not in self._marked):
                    continue
                first, second = (other, one) if other is not None and flip else (one, other)
                yield self._marked[first], self._marked[second] if second else None

    def _examples_of_steps(
        self, documents: Sequence[tuple[MarkedDocument, MarkedDocument | None]], rng: np.random.Generator
    ) -> list[Example]:
        """Whole steps of candidate pairs; the first call decides how many steps every epoch has."""
        found = [(*pair, marked) for pair in documents for marked in self._builder.candidates(*pair)]
        positive = np.array([self._coreferent(*pair) for pair in found], dtype=bool)
        positives, negatives = int(positive.sum()), int((~positive).sum())
        if not found:
            return []
        if not self._steps:
            ratio = self.options.negatives
            self._steps = number_of_steps(positives, negatives, ratio, self.options.step_pairs)
            if negatives < round(ratio * positives):
                self.notes.append(
                    f"there are {negatives / positives:.1f} negative pairs per positive one, fewer than "
                    f"sampling.negatives asks for ({ratio:g}); nearly all are used"
                )
        chosen = drawn_pairs(positive, self._steps * self.options.step_pairs, rng)
        examples = []
        for first, second, (ones, others) in map(found.__getitem__, chosen):
            pieces = self._builder.extent_of(first, ones, second, others).pieces
            examples.append(Example(first, ones, second, others, pieces))
        return examples

    def _drawn_readings(self, rng: np.random.Generator) -> list[int]:
        """Numbers of the sequences that the detector reads in one pass."""
        read: list[int] = []
        first = 0
        for source in self._sources:
            size = len(source.readings)
            chosen: Iterable[int] = range(size) if source.weight == 1 else drawn(size, source.share_of(size), rng)
            read += [first + number for number in chosen]
            first += size
        return read

    def _of_documents(
        self, first: MarkedDocument, second: MarkedDocument | None, rng: np.random.Generator
    ) -> list[Example]:
        found = list(self._builder.candidates(first, second))
        if self._builder.options.marking == "pair" and self.options.negatives:
            keep = rng.random(len(found)) < self._negative_share
            found = [f for f, k in zip(found, keep, strict=True) if k or self._coreferent(first, second, f)]
        return [example for ones, others in found for example in self._parts(first, ones, second, others)]

    def _parts(
        self, first: MarkedDocument, ones: Sequence[int], second: MarkedDocument | None, others: Sequence[int]
    ) -> list[Example]:
        """One example, or several of roughly the size of a batch."""
        extent = self._builder.extent_of(first, ones, second, others)
        count = min(extent.sequences, -(-extent.pieces // self.options.batch_tokens))
        if count <= 1:
            return [Example(first, ones, second, others, extent.pieces)]
        bounds = [extent.sequences * number // count for number in range(count + 1)]
        return [Example(first, ones, second, others, extent.pieces // count, part) for part in pairwise(bounds)]

    def _coreferent(
        self, first: MarkedDocument, second: MarkedDocument | None, marked: tuple[Sequence[int], Sequence[int]]
    ) -> bool:
        one, other = first.numbers[marked[0][0]], (second or first).numbers[marked[1][0]]
        return bool(self._clusters[one] == self._clusters[other])

    def _share_of_negatives(self) -> float:
        """The share of an epoch's negative pairs to keep for the requested number of negatives per positive."""
        positives = negatives = 0.0
        kinds = {
            name: np.array([KINDS.index(m.kind or "") for m in marked.mentions])
            for name, marked in self._marked.items()
        }
        pairs: list[tuple[str, str, float]] = []
        for source in self._sources:
            pairs += [(name, name, 0.5 * source.weight) for name in source.documents]
            pairs += [(one, other, source.weight) for one, other in source.same]
            pairs += [(one, other, self.options.other_subtopics * source.weight) for one, other in source.other]
        for one, other, share in pairs:
            if one in self._marked and other in self._marked:
                comparable = kinds[one][:, None] == kinds[other]
                own = (self._clusters[list(self._marked[n].numbers)] for n in (one, other))
                first, second = own
                same = first[:, None] == second
                itself = len(first) if one == other else 0
                positives += share * (same.sum() - itself)
                negatives += share * (comparable & ~same).sum()
        return min(1.0, self.options.negatives * positives / negatives) if negatives else 1.0

    # -- batches -----------------------------------------------------------------------------------------------------

    def _pair_batch(self, examples: Sequence[Example], rng: np.random.Generator) -> LabelledBatch:
        sequences = [sequence for example in examples for sequence in self._sequences(example)]
        if not sequences:  # no two mentions of these parts can be compared
            sequences = [next(self._sequences(replace(examples[0], part=(0, None))))]
        labels = []
        for sequence in sequences:
            first, second = self._clusters[sequence.mentions][sequence.pairs].T
            labels.append(first == second)
        positive = np.concatenate(labels)
        weights = np.ones(len(positive))
        if self.options.negatives and self._builder.options.marking == "all":
            weights = np.where(positive | (rng.random(len(positive)) < self._negative_share), 1.0, 0.0)
        return LabelledBatch(
            collate_pairs(sequences, self._pad),
            torch.from_numpy(positive.astype(np.float32)),
            torch.from_numpy(weights.astype(np.float32)),
            torch.tensor(max(1.0, float(weights.sum()))),
        )

    def _sequences(self, example: Example) -> Iterator[PairSequence]:
        return self._builder.build(example.first, example.ones, example.second, example.others, example.part)

    def _span_batch(self, sequences: Sequence[ReadingSequence]) -> LabelledBatch:
        labels, weights = [], []
        for sequence in sequences:
            gold = self._gold[sequence.document.id]
            starts, ends = sequence.words[sequence.starts], sequence.words[sequence.ends - 1] + 1
            known = [gold.get((int(s), int(e))) for s, e in zip(starts, ends, strict=True)]
            labels.append([[float(kind == k) for k in KINDS] for kind in known])
            weights.append(np.outer(in_annotated(sequence.document, starts), self._judged[sequence.document.id]))
        target = np.concatenate([np.array(part) for part in labels]).astype(np.float32)
        return LabelledBatch(
            collate_readings(sequences, self._pad),
            torch.from_numpy(target),
            torch.from_numpy(np.concatenate(weights).astype(np.float32)),
            # Most spans are clearly no mentions; divided per mention, the loss is about as large as the pairs'.
            torch.tensor(SPANS_PER_MENTION * max(1.0, float(target.sum()))),
        )

    # -- preparation -------------------------------------------------------------------------------------------------

    def _prepare(self, parts: Sequence[AnnotatedCorpus]) -> np.ndarray:
        """Number the mentions over all corpora, and find the cluster of every number. *Shape:* (mentions,)"""
        clusters: list[int] = []
        names: dict[object, int] = {}
        seen: set[str] = set()
        for place, part in enumerate(parts):
            by_document = part.corpus.by_document()
            for document in part.corpus.documents:
                if document.id in seen:
                    raise InputError(f"two corpora contain the document {document.id!r}; train on one of them")
                seen.add(document.id)
                mentions = by_document[document.id]
                for mention in mentions:
                    if mention.kind not in KINDS:
                        raise InputError(f"a mention of {document.id!r} {NO_KIND}")
                    name = len(clusters) if mention.cluster is None else (place, mention.kind, mention.cluster)
                    clusters.append(names.setdefault(name, len(names)))
                    if mention.contiguous and mention.kind in part.info.exhaustive:
                        self._gold[document.id][mention.start, mention.end] = mention.kind
                numbers = range(len(clusters) - len(mentions), len(clusters))
                if mentions:
                    self._marked[document.id] = self._builder.prepare(document, mentions, numbers)
        return np.array(clusters, dtype=np.int64)

    def _notes_on_detection(self, parts: Sequence[AnnotatedCorpus]) -> list[str]:
        if not self.options.detection_passes:
            return []
        kinds = [kind for kind in KINDS if any(kind in part.info.kinds for part in parts) and kind not in self._taught]
        return [
            f"the mention detector does not learn {kind} mentions, since no corpus annotates all of them"
            for kind in kinds
        ]

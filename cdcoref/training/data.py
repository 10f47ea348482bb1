"""What a model is trained on: an annotated corpus in, batches of sequences with labels out.

Pairs of documents of one subtopic are compared, and a share of those of one topic and different subtopics, whose
mentions hardly ever corefer and look as if they did. Every positive pair counts; negatives are sampled. Batches for the
mention detector, from the annotated sentences alone, are mixed in. Which batch comes when, and what was sampled for it,
follows from the seed, the epoch and the batch's number, and from nothing that happened before.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import Dataset

from cdcoref.corpus import KINDS, Corpus
from cdcoref.errors import InputError
from cdcoref.model import CorefModel, collate_pairs, collate_readings
from cdcoref.sequences import MarkedDocument, PairSequence, ReadingSequence
from cdcoref.stories import group_documents

Batch = dict[str, str | Tensor]
SPANS_PER_MENTION = 5.0
"""By how much a mention's share of the detector's loss is divided, to weigh it against the pair scorer's."""


@dataclass(frozen=True, slots=True)
class SamplingOptions:
    """What is drawn for training.

    Attributes
    ----------
    negatives
        Negative pairs of mentions for every positive one; 0: all there are.
    other_subtopics
        Share of the pairs of documents of one topic and different subtopics that are read in an epoch.
    detection_passes
        How often an epoch reads the text for the mention detector; 0: the detector is not trained.
    batch_tokens, batch_sequences
        Most word pieces and most sequences of a batch.
    """

    negatives: float
    other_subtopics: float
    detection_passes: int
    batch_tokens: int
    batch_sequences: int


@dataclass(frozen=True, slots=True)
class Example:
    """One or two documents and the mentions to mark in them (all, or one candidate pair)."""

    first: MarkedDocument
    ones: Sequence[int]
    second: MarkedDocument | None
    others: Sequence[int]
    pieces: int


class TrainingData(Dataset[Batch]):
    """The batches of an epoch; `set_epoch` chooses which.

    Parameters
    ----------
    model
        Whose tokenizer and configuration say how sequences are built.
    corpus
        The annotated corpus. Its subtopics (or topics) are used where every document has one, else predicted topics.
    options
        See :class:`SamplingOptions`.
    seed
        Everything drawn follows from it.

    Attributes
    ----------
    examples
        Sequences' worth of documents and pairs of documents in the first epoch.
    notes
        One sentence for each word or mention that had to be cut.

    Raises
    ------
    InputError
        If the corpus has no two mentions that corefer.
    """

    def __init__(self, model: CorefModel, corpus: Corpus, options: SamplingOptions, seed: int) -> None:
        self.options = options
        self.seed = seed
        self.epoch = 0
        self._pad = model.encoder.config.pad_token_id
        self._builder = model.pair_builder()
        self._marked, self._clusters = self._prepare(corpus)
        self._same, self._other = _document_pairs(corpus)
        self._readings = self._reading_sequences(model, corpus) if options.detection_passes else []
        self._negative_share = self._share_of_negatives()
        first_epoch = self._examples(0)
        if not first_epoch or not any(len(c) > 1 for c in corpus.clusters()):
            raise InputError("the training corpus has no two coreferent mentions, so there is nothing to learn from")
        self._pair_batches = self._batch_count([e.pieces for e in first_epoch])
        self._span_batches = self._batch_count([len(s) for s in self._readings]) if self._readings else 0
        self.examples = len(first_epoch)
        self.notes = list(dict.fromkeys(self._builder.notes))
        self._order: list[tuple[str, list[int]]] = []
        self._epoch_examples: list[Example] = []
        self._epoch_built = -1

    def __len__(self) -> int:
        return self._pair_batches + self._span_batches * self.options.detection_passes

    def set_epoch(self, epoch: int) -> None:
        """Choose the epoch, from 0."""
        self.epoch = epoch

    def __getitem__(self, number: int) -> Batch:
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
        order = [("pairs", b) for b in self._split([e.pieces for e in self._epoch_examples], self._pair_batches, rng)]
        lengths = [len(s) for s in self._readings]
        for _ in range(self.options.detection_passes):
            order += [("spans", b) for b in self._split(lengths, self._span_batches, rng)]
        self._order = [order[p] for p in rng.permutation(len(order))]
        self._epoch_built = self.epoch

    def _batch_count(self, lengths: Sequence[int]) -> int:
        tokens = -(-sum(lengths) // self.options.batch_tokens)
        return max(1, tokens, -(-len(lengths) // self.options.batch_sequences))

    @staticmethod
    def _split(lengths: Sequence[int], count: int, rng: np.random.Generator) -> list[list[int]]:
        """Split into exactly `count` batches of similar length and about as many pieces each."""
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
        """Documents and pairs of documents of an epoch, each pair in a random order."""
        rng = np.random.default_rng((self.seed, epoch, 1))
        wanted = round(self.options.other_subtopics * len(self._other))
        drawn = sorted(rng.permutation(len(self._other))[:wanted])
        pairs: list[tuple[str, str | None]] = [(name, None) for name in self._marked]
        pairs += self._same
        pairs += [self._other[d] for d in drawn]
        flips = rng.random(len(pairs)) < 0.5
        examples = []
        for (one, other), flip in zip(pairs, flips, strict=True):
            if one not in self._marked or (other is not None and other not in self._marked):
                continue
            first, second = (other, one) if other is not None and flip else (one, other)
            examples += self._of_documents(self._marked[first], self._marked[second] if second else None, rng)
        return examples

    def _of_documents(
        self, first: MarkedDocument, second: MarkedDocument | None, rng: np.random.Generator
    ) -> list[Example]:
        found = list(self._builder.candidates(first, second))
        if self._builder.options.marking == "pair" and self.options.negatives:
            keep = rng.random(len(found)) < self._negative_share
            found = [f for f, k in zip(found, keep, strict=True) if k or self._coreferent(first, second, f)]
        return [
            Example(first, ones, second, others, self._builder.extent_of(first, ones, second, others).pieces)
            for ones, others in found
        ]

    def _coreferent(
        self, first: MarkedDocument, second: MarkedDocument | None, marked: tuple[Sequence[int], Sequence[int]]
    ) -> bool:
        one, other = first.numbers[marked[0][0]], (second or first).numbers[marked[1][0]]
        return bool(self._clusters[one] == self._clusters[other])

    def _share_of_negatives(self) -> float:
        """Of the negative pairs of an epoch, the share to keep for the wanted number of them a positive one."""
        positives = negatives = 0.0
        kinds = {
            name: np.array([KINDS.index(m.kind or "") for m in marked.mentions])
            for name, marked in self._marked.items()
        }
        within = [(name, name, 0.5) for name in self._marked]
        across = [(one, other, 1.0) for one, other in self._same]
        drawn = [(one, other, self.options.other_subtopics) for one, other in self._other]
        for one, other, share in (*within, *across, *drawn):
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

    def _pair_batch(self, examples: Sequence[Example], rng: np.random.Generator) -> Batch:
        sequences: list[PairSequence] = []
        labels = []
        for example in examples:
            for sequence in self._builder.build(example.first, example.ones, example.second, example.others):
                clusters = self._clusters[sequence.mentions]
                first, second = clusters[sequence.pairs].T
                labels.append(first == second)
                sequences.append(sequence)
        positive = np.concatenate(labels)
        weights = np.ones(len(positive))
        if self.options.negatives and self._builder.options.marking == "all":
            weights = np.where(positive | (rng.random(len(positive)) < self._negative_share), 1.0, 0.0)
        return {
            "task": "pairs",
            **collate_pairs(sequences, self._pad),
            "labels": torch.from_numpy(positive.astype(np.float32)),
            "weights": torch.from_numpy(weights.astype(np.float32)),
            "normaliser": torch.tensor(max(1.0, float(weights.sum()))),
        }

    def _span_batch(self, sequences: Sequence[ReadingSequence]) -> Batch:
        labels, weights = [], []
        for sequence in sequences:
            gold = self._gold[sequence.document.id]
            starts, ends = sequence.words[sequence.starts], sequence.words[sequence.ends - 1] + 1
            known = [gold.get((int(s), int(e))) for s, e in zip(starts, ends, strict=True)]
            labels.append([[float(kind == k) for k in KINDS] for kind in known])
            annotated = sequence.document.annotated
            sentence_of = np.array(sequence.document.sentence_of_tokens())[starts]
            listed = np.ones(len(starts)) if annotated is None else np.isin(sentence_of, list(annotated))
            weights.append(np.repeat(listed[:, None], len(KINDS), axis=1))
        target = np.concatenate([np.array(part) for part in labels]).astype(np.float32)
        return {
            "task": "spans",
            **collate_readings(sequences, self._pad),
            "labels": torch.from_numpy(target),
            "weights": torch.from_numpy(np.concatenate(weights).astype(np.float32)),
            # Most spans are told from mentions easily; per mention, the loss is of the size of the pairs'.
            "normaliser": torch.tensor(SPANS_PER_MENTION * max(1.0, float(target.sum()))),
        }

    # -- preparation -------------------------------------------------------------------------------------------------

    def _prepare(self, corpus: Corpus) -> tuple[dict[str, MarkedDocument], np.ndarray]:
        """Documents with their mentions, numbered over the corpus, and the cluster of every number."""
        marked: dict[str, MarkedDocument] = {}
        clusters: list[int] = []
        names: dict[object, int] = {}
        self._gold: dict[str, dict[tuple[int, int], str]] = defaultdict(dict)
        for document, mentions in ((d, corpus.by_document()[d.id]) for d in corpus.documents):
            for mention in mentions:
                if mention.kind not in KINDS:
                    raise InputError(f"a mention of {document.id!r} has no kind; give each kind event or entity")
                name = len(clusters) if mention.cluster is None else (mention.kind, mention.cluster)
                clusters.append(names.setdefault(name, len(names)))
                if mention.contiguous:
                    self._gold[document.id][mention.start, mention.end] = mention.kind
            numbers = range(len(clusters) - len(mentions), len(clusters))
            if mentions:
                marked[document.id] = self._builder.prepare(document, mentions, numbers)
        array = np.array(clusters, dtype=np.int64)
        return marked, array

    @staticmethod
    def _reading_sequences(model: CorefModel, corpus: Corpus) -> list[ReadingSequence]:
        """The sequences in which some sentence is annotated."""
        sequences_of = model.reading_builder()
        chosen = []
        for document in corpus.documents:
            sentences = np.array(document.sentence_of_tokens(), dtype=np.int64)
            for sequence in sequences_of(document):
                if document.annotated is None or document.annotated.intersection(sentences[sequence.words].tolist()):
                    chosen.append(sequence)
        return chosen


def _document_pairs(corpus: Corpus) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Pairs of documents that are about the same thing, and pairs of one topic that are not."""
    documents = corpus.documents
    if all(d.subtopic is not None for d in documents):
        group_of = {d.id: d.subtopic for d in documents}
    elif all(d.topic is not None for d in documents):
        group_of = {d.id: d.topic for d in documents}
    else:
        groups = group_documents(documents, "predicted")
        group_of = {name: str(number) for number, group in enumerate(groups) for name in group}
    topic_of = {d.id: d.topic for d in documents}
    same, other = [], []
    for one, two in combinations(sorted(group_of), 2):
        if group_of[one] == group_of[two]:
            same.append((one, two))
        elif topic_of[one] is not None and topic_of[one] == topic_of[two]:
            other.append((one, two))
    return same, other

"""What the cross-encoder of upper layers learns from: annotated corpora and an encoder in, batches of pairs out that
are hard to tell apart: of one kind with similar vectors or the same head; and coreferent ones."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Annotated

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.utils.data import Dataset

from cdcoref.corpora import AnnotatedCorpus
from cdcoref.corpus import EVENT, KINDS
from cdcoref.errors import InputError
from cdcoref.inputs import ContextOptions, Integers, MentionContext
from cdcoref.linking import MentionContexts, layer_states
from cdcoref.model import ContextBatch, CorefModel, collate_contexts, token_batches
from cdcoref.reading import Readings
from cdcoref.training.sources import (
    READ_TOKENS,
    Shares,
    cluster_numbers,
    drawn_by_share,
    linkable_groups,
    widest_setting,
)
from cdlm.sequences import Batch
from cdlm.validation import Checked, Count, Index, Probability, number

PAIRS_AT_ONCE = 32
"""Pairs that are read in one batch: on a CPU, a batch of 512 takes 15 GB."""
SORTED_TOGETHER = 24 * 1024
"""This many pairs are sorted by length together, so that a batch has little padding."""
ROWS_AT_ONCE = 1024
"""Mentions whose cosines with all others are in memory together."""
SHARES = "contexts.corpus_shares"


@dataclass(frozen=True, slots=True)
class ContextTraining(Checked):
    """Which pairs the cross-encoder learns from, and how it is trained; seed and dropout are those of the run."""

    nearest: Count = 16
    """The mentions of its group that a mention is compared with because their vectors are most similar. A group is a
    topic, or a document where links across documents are not annotated."""
    same_head: Index = 6
    same_cluster: Index = 8
    """Further pairs of a group for each of its mentions, on average and at most, drawn at random: of mentions whose
    heads have one lemma, and of coreferent ones."""
    other_topics: Index = 6
    other_topics_similarity: Probability = 0.2
    """The most similar events of other topics that an event is compared with where links across documents are
    annotated, and the cosine that they must exceed."""
    opening: Index = 0
    names: Index = 0
    sentence: Index = 0
    """Word pieces that a context has in training; 0: as many as in prediction (`model.contexts`)."""
    corpus_shares: Shares = field(default_factory=dict)
    """By corpus, the share of its pairs that a pass sees, drawn anew for each; 1 where a corpus is not named."""
    context_passes: Count = 2
    """How often the pairs are seen."""
    batch_pairs: Count = 512
    """Pairs of a step; at most 32 are read at once."""
    upper_rate: Annotated[float, number(0, most=1)] = 4e-4
    new_rate: Annotated[float, number(0, most=1)] = 1e-3
    """Peak learning rates: of the difference from the encoder's layers and of their norms; and of what is new."""

    @property
    def batches_of_step(self) -> int:
        """The batches whose mean gradient a step takes."""
        return math.ceil(self.batch_pairs / PAIRS_AT_ONCE)

    @property
    def pairs_of_batch(self) -> int:
        """The pairs that are read at once."""
        return math.ceil(self.batch_pairs / self.batches_of_step)

    def lengths(self, contexts: ContextOptions) -> ContextOptions:
        """The options of a model's contexts, with their lengths in training."""
        own = {name: getattr(self, name) for name in ("opening", "names", "sentence")}
        return replace(contexts, **{name: length for name, length in own.items() if length})


@dataclass(frozen=True)
class LabelledContexts(Batch):
    """A batch of pairs; `labels` are 1 for those that corefer, otherwise 0. *Shape:* (pairs,)"""

    inputs: ContextBatch
    labels: Tensor


@dataclass(frozen=True)
class ReadContexts:
    """The mentions of one corpus that a cross-encoder can compare; each attribute has one entry a mention.

    `first_rows`: The row at which the states of its document begin, among those of the corpus.
    `vectors`: The means of its pieces in the last layer, of length 1. *Shape:* (mentions, width)
    `kinds`, `clusters`, `groups`, `heads`: Only mentions of one group, or events, are compared. *Shape:* (mentions,)
    """

    contexts: list[MentionContext]
    first_rows: Integers
    vectors: Tensor
    kinds: Integers
    clusters: Integers
    groups: Integers
    heads: Integers


class ContextData(Dataset[LabelledContexts]):
    """The batches of an epoch, which `set_epoch` chooses; states of the lower layers are kept in sixteen bits.

    `pairs`: Numbers of the two mentions of every pair, counted through all corpora. *Shape:* (pairs, 2)
    `labels`, `part_of`, `kind_of`: Whether the two corefer, and their corpus and kind. *Shape:* (pairs,)
    """

    def __init__(
        self, model: CorefModel, parts: Sequence[AnnotatedCorpus], options: ContextTraining, *, seed: int
    ) -> None:
        self.options, self.seed, self.epoch = options, seed, 0
        self.parts = parts
        self._contexts: list[MentionContext] = []
        states: list[Tensor] = []
        pairs, labels, kind_of, first_rows = [], [], [], []
        for place, part in enumerate(parts):
            read, own_states = read_contexts(model, part)
            offset = sum(map(len, states))
            crossing = options.other_topics if part.info.cross_document else 0
            found = hard_pairs(read, options, crossing, np.random.default_rng((seed, place, 5)))
            pairs.append(found + len(self._contexts))
            labels.append(read.clusters[found[:, 0]] == read.clusters[found[:, 1]])
            kind_of.append(read.kinds[found[:, 0]])
            self._contexts += read.contexts
            first_rows.append(read.first_rows + offset)
            states.append(own_states)
        self._states, self._first_rows = torch.cat(states), np.concatenate(first_rows)
        self.pairs, self.labels, self.kind_of = (np.concatenate(tables) for tables in (pairs, labels, kind_of))
        counts = list(map(len, pairs))
        self.part_of = np.repeat(np.arange(len(parts)), counts)
        self._of_parts = [range(*bounds) for bounds in pairwise(np.cumsum([0, *counts]).tolist())]
        if not len(self.pairs):
            raise InputError("no two mentions can be compared, so the cross-encoder has nothing to learn from")
        self._lengths = np.array([len(context) for context in self._contexts])[self.pairs].sum(axis=1)
        self._lay_out()

    def __len__(self) -> int:
        return len(self._batches)

    def set_epoch(self, epoch: int) -> None:
        """Choose the epoch, from 0."""
        if epoch != self.epoch:
            self.epoch = epoch
            self._lay_out()

    def __getitem__(self, number: int) -> LabelledContexts:
        return self.batch(self._batches[number])

    def batch(self, chosen: Integers) -> LabelledContexts:
        """Some pairs, by number."""
        both = self.pairs[chosen].ravel().tolist()
        contexts = [self._contexts[n] for n in both]
        rows = [torch.from_numpy(self._contexts[n].pieces + self._first_rows[n]) for n in both]
        inputs = collate_contexts(self._states, rows, contexts, self.kind_of[chosen].tolist())
        return LabelledContexts(inputs, torch.from_numpy(self.labels[chosen].astype(np.float32)))

    def sample(self, most: int) -> Iterator[tuple[Integers, LabelledContexts]]:
        """Of each corpus and kind at most some pairs, drawn at random; in batches, the longest first, with numbers."""
        drawn = np.random.default_rng((self.seed, 7)).permutation(len(self.pairs))
        groups = self.part_of[drawn] * len(KINDS) + self.kind_of[drawn]
        chosen = np.concatenate([drawn[groups == group][:most] for group in np.unique(groups)])
        order = chosen[np.argsort(-self._lengths[chosen], kind="stable")]
        for start in range(0, len(order), self.options.pairs_of_batch):
            chosen = order[start : start + self.options.pairs_of_batch]
            yield chosen, self.batch(chosen)

    def _lay_out(self) -> None:
        rng = np.random.default_rng((self.seed, self.epoch, 6))
        (drawn,) = drawn_by_share(self._of_parts, self.parts, self.options.corpus_shares, 1, rng, SHARES)
        order, size = np.array(drawn, dtype=np.int64), self.options.pairs_of_batch
        batches: list[Integers] = []
        for start in range(0, len(order), SORTED_TOGETHER):
            block = order[start : start + SORTED_TOGETHER]
            block = block[np.argsort(self._lengths[block], kind="stable")]
            batches += [block[first : first + size] for first in range(0, len(block), size)]
        self._batches = [batches[place] for place in rng.permutation(len(batches))]


def read_contexts(model: CorefModel, part: AnnotatedCorpus) -> tuple[ReadContexts, Tensor]:
    """A corpus's mentions that are no pronouns, and the lower layers' states in 16 bits. *Shape:* (pieces, width)"""
    corpus, readings = part.corpus, Readings(part.corpus)
    numbers = [n for n, is_pronoun in enumerate(readings.pronouns(KINDS)) if not is_pronoun]
    own = MentionContexts.of_mentions(model, readings, numbers)
    kept, contexts = np.array(list(own.contexts), dtype=np.int64), list(own.contexts.values())
    first_rows = np.array([own.first_rows[corpus.mentions[n].document] for n in kept], dtype=np.int64)
    batches = token_batches([len(sequence) for sequence in own.sequences], READ_TOKENS)
    lower, upper = layer_states(model, own.sequences, batches, model.device, upper=True)
    of_document = {
        name: number for number, group in enumerate(linkable_groups(part, widest_setting(corpus))) for name in group
    }
    groups = np.array([of_document[mention.document] for mention in corpus.mentions], dtype=np.int64)
    read = ReadContexts(
        contexts,
        first_rows,
        _vectors(upper, contexts, first_rows),
        np.array([KINDS.index(corpus.mentions[n].kind or "") for n in kept], dtype=np.int64),
        cluster_numbers(corpus, part.info.cross_document)[kept],
        groups[kept],
        readings.facts.heads[kept],
    )
    return read, lower


def _vectors(upper: Tensor, contexts: Sequence[MentionContext], first_rows: Integers) -> Tensor:
    """The means of the mentions' own pieces, of length 1. *Shape:* (mentions, width)"""
    sums = torch.zeros(len(contexts), upper.shape[1], device=upper.device)
    for start in range(0, len(contexts), ROWS_AT_ONCE):
        own = [
            first + context.pieces[context.own]
            for first, context in zip(first_rows[start:], contexts[start : start + ROWS_AT_ONCE], strict=False)
        ]
        owners = torch.from_numpy(np.repeat(np.arange(len(own)), list(map(len, own)))).to(upper.device)
        rows = torch.from_numpy(np.concatenate(own)).to(upper.device)
        sums[start : start + len(own)].index_add_(0, owners, upper[rows].float())
    return torch.nn.functional.normalize(sums, dim=1)


def hard_pairs(
    read: ReadContexts, options: ContextTraining, other_topics: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Pairs to learn from, each once; of events also with `other_topics` of other groups. *Shape:* (pairs, 2)"""
    found = [np.zeros((0, 2), dtype=np.int64)]
    for kind in np.unique(read.kinds).tolist():
        of_kind = np.flatnonzero(read.kinds == kind)
        for group in np.unique(read.groups[of_kind]).tolist():
            own = of_kind[read.groups[of_kind] == group]
            found.append(own[_nearest(read.vectors[torch.from_numpy(own)], np.arange(len(own)), options.nearest)])
            for table, most in ((read.heads, options.same_head), (read.clusters, options.same_cluster)):
                found.append(own[_of_one_class(table[own], most * len(own), rng)])
        if other_topics and kind == KINDS.index(EVENT):
            vectors, groups = read.vectors[torch.from_numpy(of_kind)], read.groups[of_kind]
            found.append(of_kind[_nearest(vectors, groups, other_topics, options.other_topics_similarity)])
    return np.unique(np.sort(np.concatenate(found), axis=1), axis=0)


def _nearest(vectors: Tensor, groups: Integers, count: int, min_similarity: float = -2.0) -> Integers:
    """For each vector those of other groups whose cosines are largest and exceed a minimum. *Shape:* (pairs, 2)"""
    own = torch.from_numpy(groups).to(vectors.device)
    found = [np.zeros((0, 2), dtype=np.int64)]
    for start in range(0, len(vectors), ROWS_AT_ONCE):
        cosines = vectors[start : start + ROWS_AT_ONCE] @ vectors.T
        cosines[own[start : start + ROWS_AT_ONCE, None] == own[None]] = -torch.inf
        best = cosines.topk(min(count, len(vectors)), dim=1)
        row, column = torch.nonzero(best.values > min_similarity, as_tuple=True)
        found.append(torch.stack([row + start, best.indices[row, column]], dim=1).cpu().numpy())
    return np.concatenate(found)


def _of_one_class(classes: Integers, most: int, rng: np.random.Generator) -> Integers:
    """Pairs of items of one class; at most some, drawn at random. *Shape:* (pairs, 2)"""
    order = np.argsort(classes, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(classes[order])) + 1)
    pairs = np.concatenate([part[np.stack(np.triu_indices(len(part), 1), axis=1)] for part in parts])
    return pairs if len(pairs) <= most else pairs[np.sort(rng.permutation(len(pairs))[:most])]

"""The pairs of mentions that the cross-encoder of the paper learns from, in steps of equally many (Appendix C.1): every
coreferent pair, and as many of the others as fill the steps, drawn from the seed and the epoch."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import torch
from numpy.typing import NDArray
from torch.utils.data import Dataset

from cdcoref.corpora import AnnotatedCorpus, Corpora, annotated_corpora, joined
from cdcoref.corpus import KINDS
from cdcoref.errors import InputError
from cdcoref.inputs import Integers, SequenceBuilder
from cdcoref.model import CorefModel, LabelledBatch, collate_pairs
from cdcoref.training.sources import cluster_numbers, linkable_groups, widest_setting
from cdlm.validation import Checked, Count, number


@dataclass(frozen=True, slots=True)
class SamplingOptions(Checked):
    """Which pairs of mentions the cross-encoder of the paper learns from."""

    negatives: Annotated[float, number(0, most=10**9)] = 20.0
    """Pairs that do not corefer for each that does; 0: all of them."""
    step_pairs: Count = 128
    """Pairs of an optimiser step, all with the same weight."""


class TrainingData(Dataset[LabelledBatch]):
    """The batches of an epoch, which `set_epoch` chooses.

    `corpora`: As :func:`cdcoref.corpora.annotated_corpora` takes them; topics are predicted where a document has none.
    `batches_of_step`: How many batches make an optimiser step, in all processes together.
    `pairs`, `coreferent`: The mentions of every pair, and whether they corefer. *Shapes:* (pairs, 2), (pairs,)
    `notes`: A sentence for each word or mention that had to be cut, and for negatives that there are too few of.

    An `InputError` if no two mentions corefer, two corpora have a document with the same id, or
    the pairs of a step cannot be divided into its batches.
    """

    def __init__(
        self, model: CorefModel, corpora: Corpora, options: SamplingOptions, seed: int, batches_of_step: int = 1
    ) -> None:
        if options.step_pairs % batches_of_step:
            raise InputError(
                f"a step of {options.step_pairs} pairs cannot be divided into {batches_of_step} batches of one size; "
                "change run.accumulation, which counts the batches of a step in each process"
            )
        parts = annotated_corpora(corpora)
        corpus = joined(parts)
        self.seed, self.epoch, self._built = seed, 0, -1
        self._pad = model.encoder.config.pad_token_id
        self._builder = SequenceBuilder(model.tokenizer, model.settings.sequences)
        self._mentions = corpus.mentions
        of_document = corpus.by_document()
        self._pieces = {d.id: self._builder.prepare(d, of_document[d.id]) for d in corpus.documents}
        self.pairs, self.coreferent = _all_pairs(parts)
        if not self.coreferent.any():
            raise InputError("the training corpus has no two coreferent mentions, so there is nothing to learn from")
        positives = int(self.coreferent.sum())
        negatives, wanted = len(self.pairs) - positives, round(options.negatives * positives)
        self.notes = list(dict.fromkeys(self._builder.notes))
        if negatives < wanted:
            self.notes.append(
                f"there are {negatives / positives:.1f} negative pairs per positive one, fewer than sampling.negatives "
                f"asks for ({options.negatives:g}); nearly all are used"
            )
        self._step_pairs, self._batch_pairs = options.step_pairs, options.step_pairs // batches_of_step
        drawn = positives + (min(negatives, wanted) if options.negatives else negatives)
        # No more steps than the pairs fill, but enough for all that corefer, and at least one.
        steps = min(round(drawn / options.step_pairs), len(self.pairs) // options.step_pairs)
        self.steps = max(1, steps, -(-positives // options.step_pairs))
        self._batches: list[list[int]] = []

    def __len__(self) -> int:
        return self.steps * (self._step_pairs // self._batch_pairs)

    def set_epoch(self, epoch: int) -> None:
        """Choose the epoch, from 0."""
        self.epoch = epoch

    def __getitem__(self, number: int) -> LabelledBatch:
        if self._built != self.epoch:
            self._lay_out()
        chosen = self._batches[number]
        sequences = []
        for place in chosen:
            one, other = (self._mentions[mention] for mention in self.pairs[place])
            if self._second_first[place] and one.document != other.document:
                one, other = other, one
            sequences.append(self._builder.build(self._pieces[one.document], one, self._pieces[other.document], other))
        labels = torch.from_numpy(self.coreferent[chosen].astype(np.float32))
        return LabelledBatch(collate_pairs(sequences, self._pad), labels)

    def _lay_out(self) -> None:
        """Draw the pairs of the epoch, divide them into steps, and each step into batches of similar length."""
        rng = np.random.default_rng((self.seed, self.epoch))
        count = self.steps * self._step_pairs
        positive, negative = (rng.permutation(np.flatnonzero(own)) for own in (self.coreferent, ~self.coreferent))
        drawn = np.concatenate([positive[:count], negative[: max(0, count - len(positive))]])
        again = rng.integers(0, len(self.pairs), count - len(drawn))  # only of corpora with fewer pairs than a step
        steps = rng.permutation(np.concatenate([drawn, again])).reshape(self.steps, self._step_pairs)
        lengths = np.array([sum(self._pieces[m.document].lengths) for m in self._mentions])[self.pairs[steps]].sum(-1)
        by_length = np.take_along_axis(steps, np.argsort(lengths, axis=1, kind="stable"), axis=1)
        self._batches = by_length.reshape(-1, self._batch_pairs).tolist()
        self._second_first = rng.random(len(self.pairs)) < 0.5
        self._built = self.epoch


def _all_pairs(parts: Sequence[AnnotatedCorpus]) -> tuple[Integers, NDArray[np.bool_]]:
    """All pairs of mentions of one kind that can be compared, and which of them corefer."""
    pairs, coreferent = [np.zeros((0, 2), dtype=np.int64)], [np.zeros(0, dtype=bool)]
    first = 0
    for part in parts:
        mentions = part.corpus.mentions
        clusters = cluster_numbers(part.corpus, part.info.cross_document)
        order = sorted(range(len(mentions)), key=lambda n: (mentions[n].document, mentions[n].tokens))
        for group in map(set, linkable_groups(part, widest_setting(part.corpus))):
            for kind in KINDS:
                own = np.array([n for n in order if mentions[n].kind == kind and mentions[n].document in group], int)
                found = own[np.stack(np.triu_indices(len(own), 1), axis=1)]
                pairs.append(found + first)
                coreferent.append(clusters[found[:, 0]] == clusters[found[:, 1]])
        first += len(mentions)
    return np.concatenate(pairs), np.concatenate(coreferent)

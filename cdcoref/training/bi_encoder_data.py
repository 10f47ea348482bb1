"""What the bi-encoder learns from: annotated corpora in, batches of sequences with their mentions out. Documents of one
topic are in one batch, since only mentions of one batch are compared."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import Dataset

from cdcoref.corpora import AnnotatedCorpus
from cdcoref.corpus import EVENT, KINDS, Document
from cdcoref.errors import InputError
from cdcoref.inputs import Length, ReadingBuilder, ReadingSequence
from cdcoref.model import ReadingBatch, collate_readings
from cdcoref.reading import Readings
from cdcoref.training.sources import Shares, cluster_numbers, in_annotated
from cdlm.sequences import Batch
from cdlm.validation import Checked, Count, Index

BOUNDS = 2
"""What is learnt of a word for each kind of mention: whether one begins with it, and whether one ends with it."""
OF_CORPUS = 1_000_000
"""Documents, topics and clusters of a corpus are numbered from its own number times this."""


@dataclass(frozen=True, slots=True)
class BiEncoderTraining(Checked):
    """What the bi-encoder is trained on."""

    frozen_layers: Index = 0
    """How many of the lower layers, and the embeddings, stay as they were pretrained."""
    length: Length = 256
    """Word pieces of a sequence, at most."""
    lengths: Mapping[str, Length] = field(default_factory=dict)
    """The same by corpus; `length` for a corpus that is not named."""
    step_tokens: Count = 1536
    """Word pieces of a batch, at most."""
    corpus_shares: Shares = field(default_factory=dict)
    """By corpus, the share of its documents that an epoch reads; 1 where a corpus is not named, 2 to read each
    twice."""
    teacher: str = ""
    """A model whose encoder teaches this one: a folder, a hub name or the name of a model that ships; empty: none."""


@dataclass(frozen=True)
class BiEncoderBatch(Batch):
    """Sequences that are read alone, and what is annotated in them.

    `words`, `mention_of_word`: The words of every mention, as numbers of words of the batch, and the mention of each.
        *Shape:* (mention words,)
    `starts`, `lasts`: First and last word of every mention. *Shape:* (mentions,)
    `kinds`, `clusters`, `documents`, `corpora`: Numbers of each mention's kind, cluster, document and corpus.
        *Shape:* (mentions,)
    `pronouns`: Whether each is a pronoun. *Shape:* (mentions,)
    `crossing`: Whether links between documents are annotated in its corpus. *Shape:* (mentions,)
    `groups`: Numbers of the topics of their documents. *Shape:* (mentions,)
    `corpus_of_word`: Number of the corpus of each word, -1 in sentences that are not annotated. *Shape:* (words,)
    `bounds`: Whether a mention of each kind begins, and ends, with a word. *Shape:* (words, kinds, 2)
    `taught`: By corpus, the kinds of mention that are annotated exhaustively. *Shape:* (corpora, kinds)
    `targets`: The teacher's vector of every mention; no columns without a teacher. *Shape:* (mentions, teacher's width)
    """

    inputs: ReadingBatch
    words: Tensor
    mention_of_word: Tensor
    starts: Tensor
    lasts: Tensor
    kinds: Tensor
    clusters: Tensor
    documents: Tensor
    corpora: Tensor
    pronouns: Tensor
    crossing: Tensor
    groups: Tensor
    corpus_of_word: Tensor
    bounds: Tensor
    taught: Tensor
    targets: Tensor

    def relations(self) -> tuple[Tensor, Tensor]:
        """Which pairs corefer, and which are comparable: events, or of one topic. *Shapes:* (mentions, mentions)"""
        same = self.clusters[:, None] == self.clusters[None]
        comparable = self.documents[:, None] == self.documents[None]
        crossing = self.crossing[:, None] & self.crossing[None] & (self.corpora[:, None] == self.corpora[None])
        of_topic = self.groups[:, None] == self.groups[None]
        events = self.kinds == KINDS.index(EVENT)
        comparable = comparable | (crossing & (of_topic | (events[:, None] & events[None])))
        comparable = comparable & ~torch.eye(len(same), dtype=torch.bool, device=same.device)
        return same, comparable


class _Mention(NamedTuple):
    """A mention, with the number of its kind and cluster, and its place in the corpus."""

    tokens: tuple[int, ...]
    kind: int
    cluster: int
    pronoun: bool
    place: int


@dataclass(frozen=True, slots=True)
class _Annotated:
    """A document with what is annotated in it."""

    document: Document
    number: int
    corpus: int
    group: int
    mentions: tuple[_Mention, ...]


class BiEncoderData(Dataset[BiEncoderBatch]):
    """The batches of an epoch, each of one topic or of small ones; `targets` are the teacher's vectors by corpus."""

    def __init__(
        self,
        tokenizer: Any,
        pad_token_id: int,
        parts: Sequence[AnnotatedCorpus],
        options: BiEncoderTraining,
        seed: int,
        targets: Sequence[Tensor] = (),
    ) -> None:
        self.options, self.seed, self.epoch = options, seed, 0
        self._pad = pad_token_id
        lengths = [options.lengths.get(part.info.name, options.length) for part in parts]
        self._builders = [ReadingBuilder(tokenizer, length, max(length, 512), 1) for length in lengths]
        self._parts = parts
        self._targets = targets or [torch.zeros(len(part.corpus.mentions), 0) for part in parts]
        self._taught = torch.tensor([[kind in part.info.exhaustive for kind in KINDS] for part in parts])
        self._documents = [list(_annotated(part, number)) for number, part in enumerate(parts)]
        if not any(document.mentions for own in self._documents for document in own):
            raise InputError("no mention of the training corpora is annotated")
        # Every epoch has as many batches as the first, whatever it draws.
        self._lay_out()
        self._count = len(self._batches)

    def __len__(self) -> int:
        return self._count

    def set_epoch(self, epoch: int) -> None:
        """Choose the epoch, from 0."""
        if epoch != self.epoch:
            self.epoch = epoch
            self._lay_out()

    def __getitem__(self, number: int) -> BiEncoderBatch:
        return self._batch(self._batches[number % len(self._batches)])

    def _lay_out(self) -> None:
        rng = np.random.default_rng((self.seed, self.epoch, 3))
        batches: list[list[tuple[_Annotated, ReadingSequence]]] = []
        for number, part in enumerate(self._parts):
            builder = self._builders[number]
            share = self.options.corpus_shares.get(part.info.name, 1.0)
            groups: dict[int, list[tuple[_Annotated, ReadingSequence]]] = defaultdict(list)
            for document in _share(self._documents[number], share, rng):
                for sequence in builder(document.document):
                    if in_annotated(document.document, sequence.words).any():
                        groups[document.group if part.info.cross_document else 0].append((document, sequence))
            batches += _packed(list(groups.values()), self.options.step_tokens, rng)
        self._batches = [batches[place] for place in rng.permutation(len(batches))]

    def _batch(self, chosen: Sequence[tuple[_Annotated, ReadingSequence]]) -> BiEncoderBatch:
        table: list[tuple[int, ...]] = []
        words: list[int] = []
        owners: list[int] = []
        targets: list[Tensor] = [self._targets[0][:0]]
        corpora, bounds = [], []
        first = 0
        for document, sequence in chosen:
            place = {token: first + n for n, token in enumerate(sequence.words.tolist())}
            corpora.append(np.where(in_annotated(document.document, sequence.words), document.corpus, -1))
            marks = np.zeros((len(sequence.words), len(KINDS), BOUNDS), dtype=np.float32)
            for mention in document.mentions:
                if mention.tokens[0] not in place or mention.tokens[-1] not in place:
                    continue
                own = [place[token] for token in mention.tokens if token in place]
                marks[own[0] - first, mention.kind, 0] = marks[own[-1] - first, mention.kind, 1] = 1.0
                targets.append(self._targets[document.corpus][mention.place][None])
                owners += [len(table)] * len(own)
                words += own
                crossing = self._parts[document.corpus].info.cross_document
                row = own[0], own[-1], mention.kind, mention.cluster, document.number, document.corpus
                table.append((*row, mention.pronoun, crossing, document.group))
            bounds.append(marks)
            first += len(sequence.words)
        columns = torch.tensor(table, dtype=torch.long).reshape(len(table), 9).unbind(dim=1)
        starts, lasts, kinds, clusters, documents, corpus, pronoun_of, crossing_of, groups = columns
        return BiEncoderBatch(
            collate_readings([sequence for _, sequence in chosen], self._pad),
            torch.tensor(words, dtype=torch.long),
            torch.tensor(owners, dtype=torch.long),
            starts,
            lasts,
            kinds,
            clusters,
            documents,
            corpus,
            pronoun_of.bool(),
            crossing_of.bool(),
            groups,
            torch.from_numpy(np.concatenate(corpora)),
            torch.from_numpy(np.concatenate(bounds)),
            self._taught,
            torch.cat(targets).float(),
        )


def _annotated(part: AnnotatedCorpus, number: int) -> Iterator[_Annotated]:
    """The documents of a corpus; clusters, topics and kinds as numbers that no other corpus has."""
    corpus = part.corpus
    is_pronoun = Readings(corpus).pronouns(KINDS)
    clusters = OF_CORPUS * number + cluster_numbers(corpus, part.info.cross_document)
    topics: dict[object, int] = {}
    own: dict[str, list[_Mention]] = defaultdict(list)
    for n, mention in enumerate(corpus.mentions):
        if mention.kind is not None:
            kind, cluster = KINDS.index(mention.kind), int(clusters[n])
            own[mention.document].append(_Mention(tuple(mention.tokens), kind, cluster, bool(is_pronoun[n]), n))
    for place, document in enumerate(corpus.documents):
        topic = document.topic if part.info.cross_document else document.id
        group = OF_CORPUS * number + topics.setdefault(topic, len(topics))
        yield _Annotated(document, OF_CORPUS * number + place, number, group, tuple(own[document.id]))


def _share(documents: Sequence[_Annotated], share: float, rng: np.random.Generator) -> list[_Annotated]:
    """A share of the documents, drawn at random; a share above 1 repeats documents."""
    whole, rest = divmod(share, 1.0)
    found = list(documents) * int(whole)
    return found + [documents[n] for n in sorted(rng.permutation(len(documents))[: round(rest * len(documents))])]


def _packed(
    groups: Sequence[Sequence[tuple[_Annotated, ReadingSequence]]], tokens: int, rng: np.random.Generator
) -> Iterator[list[tuple[_Annotated, ReadingSequence]]]:
    """Batches of at most `tokens` word pieces: part of a topic, or several whole topics."""
    pieces: list[tuple[int, list[tuple[_Annotated, ReadingSequence]]]] = []
    for place in rng.permutation(len(groups)):
        group = groups[place]
        total = sum(len(sequence) for _, sequence in group)
        count = max(1, -(-total // tokens))
        order = rng.permutation(len(group))
        size, batch = 0, []
        for member in order:
            batch.append(group[member])
            size += len(group[member][1])
            if size >= total / count:
                pieces.append((size, batch))
                size, batch = 0, []
        if batch:
            pieces.append((size, batch))
    waiting: list[tuple[_Annotated, ReadingSequence]] = []
    size = 0
    for own, batch in pieces:
        if waiting and size + own > tokens * 1.1:
            yield waiting
            waiting, size = [], 0
        waiting = waiting + batch
        size += own
    if waiting:
        yield waiting

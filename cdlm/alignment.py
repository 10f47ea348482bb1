"""The attention analysis (paper, section 3.5): whether the last layer's global attention on one mention, the source,
singles out a coreferent mention, the target, among the tokens of the other document, by percentile ranks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
import torch
from torch import Tensor

from cdlm.documents import KINDS, AnnotatedDocument, MentionSpan
from cdlm.encoder import CDLMModel
from cdlm.errors import InputError
from cdlm.intervals import interval, resampled_means
from cdlm.sequences import ENDS, MARKERS, SequenceFrame
from cdlm.tokens import Tokenizer, WordPieces

PAIRS = 1000
"""Number of pairs of each kind, both coreferent and not (paper, section 3.5)."""
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class MentionPair:
    """Two mentions of different documents, in the order in which the documents are read."""

    documents: tuple[AnnotatedDocument, AnnotatedDocument]
    mentions: tuple[MentionSpan, MentionSpan]
    source: int
    """0 or 1: the mention that attends globally; the other one is the target."""
    coreferent: bool

    @property
    def kind(self) -> str:
        """Event or entity."""
        return self.mentions[0].kind


def sample_pairs(documents: Sequence[AnnotatedDocument], count: int = PAIRS, seed: int = 0) -> list[MentionPair]:
    """Draw pairs of mentions of different documents: of each kind, `count` that corefer and `count` that do not.

    Negative pairs are of one kind and from one group of related documents, like candidates for coreference. Which
    document comes first and which mention is the source is random too. If fewer pairs exist, fewer are drawn.
    """
    positive: dict[str, list[tuple[int, int, int, int]]] = defaultdict(list)
    negative: dict[str, list[tuple[int, int, int, int]]] = defaultdict(list)
    for first, second in combinations(range(len(documents)), 2):
        for i, mention in enumerate(documents[first].mentions):
            for j, other in enumerate(documents[second].mentions):
                if mention.kind == other.kind:
                    if mention.cluster is not None and mention.cluster == other.cluster:
                        positive[mention.kind].append((first, i, second, j))
                    elif documents[first].group == documents[second].group:
                        negative[mention.kind].append((first, i, second, j))
    generator = np.random.default_rng(seed)
    pairs = []
    for kind in KINDS:
        for coreferent, candidates in ((True, positive[kind]), (False, negative[kind])):
            drawn = generator.choice(len(candidates), min(count, len(candidates)), replace=False) if candidates else ()
            for number in drawn:
                first, i, second, j = candidates[number]
                if generator.random() < 0.5:
                    first, i, second, j = second, j, first, i
                read = documents[first], documents[second]
                source = int(generator.integers(2))
                pairs.append(MentionPair(read, (read[0].mentions[i], read[1].mentions[j]), source, coreferent))
    return pairs


@dataclass(frozen=True, slots=True)
class PairTokens:
    """Two documents as one sequence: ``[CLS] <doc-s> ... </doc-s> <doc-s> ... </doc-s> [SEP]``."""

    ids: list[int]
    words: tuple[list[tuple[int, int]], list[tuple[int, int]]]
    """For each document, the range of each of its words among the pieces, (start, end)."""

    def pieces(self, document: int, words: Sequence[int]) -> list[int]:
        """Positions of the pieces of some words of a document."""
        return [place for word in words for place in range(*self.words[document][word])]


@dataclass(frozen=True)
class PairAttention:
    """The attention to and from the source of a pair."""

    pair: MentionPair
    tokens: PairTokens
    scores: np.ndarray
    """s(i|S) of each piece of the sequence, summing to 1; 0 for the source's own. *Shape:* (length,)"""
    rank: float
    """Percentile rank of the target within its document, from 0 to 100."""


class PairReader:
    """Reads pairs of documents with an encoder."""

    def __init__(self, encoder: CDLMModel, tokenizer: Tokenizer) -> None:
        self.encoder = encoder.eval()
        self._pieces = WordPieces(tokenizer)
        self._frame = SequenceFrame.of_tokenizer(tokenizer)

    def tokens(self, pair: MentionPair) -> PairTokens:
        """The sequence of a pair."""
        documents = [self._pieces(document.words) for document in pair.documents]
        flat = [[piece for word in words for piece in word] for words in documents]
        length = sum(map(len, flat)) + ENDS + 2 * MARKERS
        places: tuple[list[tuple[int, int]], list[tuple[int, int]]] = ([], [])
        start = 1
        for words, ranges in zip(documents, places, strict=True):
            start += 1  # <doc-s>
            for word in words:
                ranges.append((start, start + len(word)))
                start += len(word)
            start += 1  # </doc-s>
        return PairTokens(self._frame.enclose(flat, length), places)

    def fits(self, tokens: PairTokens) -> bool:
        """Whether the encoder has a position for every token."""
        return len(tokens.ids) <= self.encoder.config.max_length

    @torch.inference_mode()
    def attention(self, pair: MentionPair, tokens: PairTokens) -> PairAttention:
        """Read one pair, and score every piece by the attention between it and the source."""
        device = self.encoder.embeddings.word_embeddings.weight.device
        ids = torch.tensor([tokens.ids], device=device)
        source = tokens.pieces(pair.source, pair.mentions[pair.source].words)
        is_global = torch.zeros_like(ids)
        is_global[0, source] = 1
        attentions = self.encoder(ids, None, is_global, output_attentions=True).global_attentions
        last = attentions[-1]
        scores = alignment_scores(last.of_global[0].double(), last.to_global[0].double(), source).cpu().numpy()
        target = 1 - pair.source
        chosen = tokens.pieces(target, pair.mentions[target].words)
        document = tokens.pieces(target, range(len(tokens.words[target])))
        return PairAttention(pair, tokens, scores, percentile_rank(scores, chosen, document))


def alignment_scores(of_source: Tensor, to_source: Tensor, source: Sequence[int]) -> Tensor:
    """s(i|S): the attention between each token and the source, summed over both directions and all heads, normalised.

    *Shapes:* of the source's tokens to each token (heads, source tokens, length), of each token to them (heads, length,
    source tokens); returns (length,). The source's own positions get no score.
    """
    total = of_source.sum((0, 1)) + to_source.sum((0, 2))
    total[list(source)] = -torch.inf
    return total.softmax(0)


def percentile_rank(scores: np.ndarray, target: Sequence[int], document: Sequence[int]) -> float:
    """Percentile rank of the target's mean score among the other tokens of its document; a tie counts half."""
    value = scores[list(target)].mean()
    others = scores[sorted(set(document) - set(target))]
    if not len(others):
        return 50.0
    return float(100 * ((others < value).mean() + (others == value).mean() / 2))


# -- all pairs -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Alignment:
    """Mean percentile ranks of one model (paper, Table 6)."""

    cells: dict[tuple[str, bool], MeanRank] = field(default_factory=dict)
    """The mean rank for each (kind, whether coreferent)."""
    left_out: int = 0
    """Number of pairs too long for the encoder."""


@dataclass(frozen=True)
class MeanRank:
    """A mean percentile rank with its 95 % bootstrap interval over groups of documents."""

    mean: float
    low: float
    high: float
    pairs: int
    """The number of pairs averaged."""


def align(reader: PairReader, pairs: Sequence[MentionPair], progress: Progress = lambda *_: None) -> Alignment:
    """Read all pairs, and average the percentile rank of the target.

    `progress` is called with the number of pairs done and the total.
    """
    ranks: dict[tuple[str, bool], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    left_out = 0
    for done, pair in enumerate(pairs, start=1):
        tokens = reader.tokens(pair)
        if reader.fits(tokens):
            target = pair.documents[1 - pair.source]
            ranks[pair.kind, pair.coreferent][target.group].append(reader.attention(pair, tokens).rank)
        else:
            left_out += 1
        progress(done, len(pairs))
    if not ranks:
        raise InputError("every pair of documents is too long for the encoder")
    return Alignment({cell: _mean_rank(list(groups.values())) for cell, groups in ranks.items()}, left_out)


def _mean_rank(groups: list[list[float]]) -> MeanRank:
    sums, counts = np.array([sum(group) for group in groups]), np.array([len(group) for group in groups])
    return MeanRank(float(sums.sum() / counts.sum()), *interval(resampled_means(sums, counts)), int(counts.sum()))

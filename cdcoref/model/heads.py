"""Heads on the encoder: of two mentions that were read together, of spans that may be mentions, of antecedents."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from cdcoref.corpus import KINDS
from cdcoref.inputs import SYNTAX_VALUES
from cdcoref.model.batches import ReadingBatch
from cdcoref.model.mention_vectors import MentionProjection, two_hidden_layers
from cdcoref.model.model_config import ANAPHORS


class PairScorer(nn.Module):
    """A logit for two mentions, from ``[s, m_i, m_j, m_i * m_j]``: one hidden layer with tanh, an output per kind."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.hidden = nn.Linear(4 * width, hidden)
        self.output = nn.Linear(hidden, len(KINDS))

    def forward(self, sequences: Tensor, first: Tensor, second: Tensor, kinds: Tensor) -> Tensor:
        """Logits of the pairs. *Shape:* (pairs,)

        `sequences`: Vectors of ``[CLS]``. *Shape:* (pairs, width)
        `first`, `second`: Sums of the vectors of the mentions' pieces. *Shape:* (pairs, width)
        `kinds`: The number of each pair's kind. *Shape:* (pairs,)
        """
        compared = torch.cat([sequences, first, second, first * second], dim=1)
        logits: Tensor = self.output(torch.tanh(self.hidden(compared)))
        return logits.gather(1, kinds[:, None]).squeeze(1)


MIN_ROWS = 16
"""With this many rows or more, MKL and oneDNN sum a product in the same order whatever their number."""


class SpanDetector(nn.Module):
    """Scores every span of up to `max_words` words of a sentence as an event, as an entity, or as neither.

    A span is represented by its first word, its last word, the mean of its words and its length, through one hidden
    layer; also by the words before and after it, where the sentence has them, which show where a name begins and ends,
    and by its syntactic features (:mod:`cdcoref.inputs.span_features`). Its logits depend on these alone, to the last
    bit: the rest of the batch does not matter. Each of `styles` styles of annotation has its own logits.
    """

    mean_of_words: Tensor
    scale_of_words: Tensor

    def __init__(self, width: int, hidden: int, max_words: int, *, styles: int = 1) -> None:
        super().__init__()
        self.max_words = max_words
        self.register_buffer("mean_of_words", torch.zeros(width))
        self.register_buffer("scale_of_words", torch.ones(width))
        self.first = nn.Linear(width, hidden)
        self.last = nn.Linear(width, hidden)
        self.mean = nn.Linear(width, hidden)
        self.length = nn.Embedding(max_words, hidden)
        self.before = nn.Linear(width, hidden, bias=False)
        self.after = nn.Linear(width, hidden, bias=False)
        self.syntax = nn.EmbeddingBag(SYNTAX_VALUES, hidden, mode="sum")
        nn.init.normal_(self.syntax.weight, std=0.05)
        self.output = nn.Linear(hidden, styles * len(KINDS))
        # About one span in a hundred is a mention: the bias starts there.
        nn.init.constant_(self.output.bias, -4.6)

    def standardise(self, words: Tensor) -> None:
        """Take mean and spread of the words' vectors from examples. *Shape:* (words, width)"""
        self.mean_of_words.copy_(words.mean(dim=0))
        self.scale_of_words.copy_(words.std(dim=0, correction=0) + 1e-3)

    def forward(self, words: Tensor, starts: Tensor, ends: Tensor, begins: Tensor, syntax: Tensor) -> Tensor:
        """Logits of the spans, one per style and kind. *Shape:* (spans, styles * kinds)

        `words`: Vectors of all words. *Shape:* (words, width)
        `starts`, `ends`: First word of every span and one past its last. *Shape:* (spans,)
        `begins`: Whether a sentence begins with a word; true of the first word of every sequence. *Shape:* (words,)
        `syntax`: Syntactic features of every span. *Shape:* (spans, `SYNTAX_FEATURES`)
        """
        words = (words - self.mean_of_words) / self.scale_of_words
        first, last, mean = (_product(layer, words) for layer in (self.first, self.last, self.mean))
        before, after = self._beside(words, begins)
        order = (ends - starts).argsort(stable=True)
        of_length = order.split(torch.bincount(ends - starts, minlength=self.max_words + 1).tolist())
        # From one length to the next, every position adds one word: a sum is independent of the rest of the batch.
        sums = single = mean.float()
        logits = []
        for length, spans in enumerate(of_length[1:], start=1):
            start = starts[spans]
            hidden = first[start] + last[start + length - 1] + sums[start] / length + self.length.weight[length - 1]
            hidden = hidden + before[start] + after[start + length] + self.syntax(syntax[spans].int())
            logits.append(_product(self.output, nn.functional.gelu(hidden)))
            sums = sums[:-1] + single[length:]
        unordered = torch.cat(logits)
        return torch.empty_like(unordered).index_copy(0, order, unordered)

    def _beside(self, words: Tensor, begins: Tensor) -> tuple[Tensor, Tensor]:
        """What words beside a span say, before and behind it. *Shape:* (words, hidden), (words + 1, hidden)"""
        before, after = _product(self.before, words), _product(self.after, words)
        none, edges = before.new_zeros(1, before.shape[1]), begins[:, None]
        return torch.cat([none, before[:-1]]).masked_fill(edges, 0.0), torch.cat([after.masked_fill(edges, 0.0), none])


def words_of_layers(states: Sequence[Tensor], batch: ReadingBatch) -> Tensor:
    """The mean of each word's pieces in several layers, fp32. *Shape:* (words, layers * width)"""
    pieces, word_of_piece = batch.pieces, batch.word_of_piece
    seen = torch.cat([state.reshape(-1, state.shape[-1])[pieces] for state in states], dim=-1).float()
    words = len(batch.word_places)
    sums = seen.new_zeros(words, seen.shape[1]).index_add(0, word_of_piece, seen)
    return sums / torch.bincount(word_of_piece, minlength=words).clamp(min=1)[:, None]


def _product(layer: nn.Linear, rows: Tensor) -> Tensor:
    """Apply a layer; zeros are added to very few rows, which PyTorch's libraries sum in another order."""
    missing = max(0, MIN_ROWS - len(rows))
    return layer(nn.functional.pad(rows, (0, 0, 0, missing)))[: len(rows)]


OF_MENTION = 7
"""Features of a mention besides its vectors and class."""
OF_PAIR = 15
"""Features of a pronoun and a candidate together."""
CLASS_WIDTH = 16


class AntecedentScorer(nn.Module):
    """A logit for a pronoun and each of its candidates; 0 is the logit of there being no antecedent.

    `width`: Of what the encoder's layers say of a word, together.
    `dimension`: Of the two vectors that a mention has: one as pronoun, one as candidate.
    `hidden`: Units of the first hidden layer; the second has half as many.
    `projection`: What makes the two vectors of a mention.
    `columns`: The length of the two vectors side by side.
    """

    def __init__(self, width: int, dimension: int, hidden: int) -> None:
        super().__init__()
        self.dimension = dimension
        self.columns = 2 * dimension
        self.projection = MentionProjection(width, 2 * dimension, 0.3)
        self.classes = nn.Embedding(len(ANAPHORS), CLASS_WIDTH)
        inputs = 3 * dimension + 2 * (CLASS_WIDTH + OF_MENTION) + OF_PAIR
        self.layers = two_hidden_layers(inputs, hidden, max(1, hidden // 2), 0.2)

    def forward(
        self, vectors: Tensor, classes: Tensor, features: Tensor, pronouns: Tensor, candidates: Tensor, pairs: Tensor
    ) -> Tensor:
        """Logits of pronouns and candidates. *Shape:* (pairs,)

        `vectors`: Of all mentions of a document by `projection`, as pronouns and as candidates, side by side.
            *Shape:* (mentions, columns)
        `classes`: The place of each in `ANAPHORS`. *Shape:* (mentions,)
        `features`: Further features of each. *Shape:* (mentions, numbers of a mention)
        `pronouns`, `candidates`: Numbers of mentions. *Shape:* (pairs,)
        `pairs`: Features of both together. *Shape:* (pairs, numbers of a pair)
        """
        one, other = vectors[pronouns, : self.dimension], vectors[candidates, self.dimension :]
        compared = [one * other, one, other, self.classes(classes[pronouns]), self.classes(classes[candidates])]
        logits: Tensor = self.layers(torch.cat([*compared, features[pronouns], features[candidates], pairs], dim=1))
        return logits.squeeze(-1)


def antecedent_loss(logits: Tensor, right: Tensor, sizes: Sequence[int]) -> Tensor:
    """Mean negative log probability of pronouns' right antecedents, or of having none; `sizes`: candidates of each."""
    losses = []
    for own, correct in zip(logits.split(list(sizes)), right.split(list(sizes)), strict=True):
        with_none = torch.cat([own.new_zeros(1), own])
        chosen = torch.cat([~correct.any()[None], correct])
        losses.append(with_none.logsumexp(0) - with_none[chosen].logsumexp(0))
    return torch.stack(losses).mean()

"""The model for document matching: two texts in, the logit of their relation out (paper, section 3.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Annotated

import numpy as np
from torch import Tensor, nn

from cdlm.encoder import CDLMModel
from cdlm.sequences import EncoderBatch, TokenSequence, side_by_side
from cdlm.tasks.matching.pairs import TextPair
from cdlm.tasks.model import TaskModel
from cdlm.tokens import SpecialPieces, Tokenizer, WordPieces
from cdlm.validation import Checked, Flag, whole_number

Length = Annotated[int, whole_number(16, 10**6)]


@dataclass(frozen=True)
class MatchSettings(Checked):
    """How pairs are read."""

    max_length: Length = 4096
    """Maximum length of a sequence in tokens; longer texts are cut at their ends."""
    both_orders: Flag = False
    """For symmetric relations: pairs are trained in random order, and the logit is the mean over both orders."""


class PairBuilder:
    """Turns pairs of texts into sequences.

    ``[CLS] <doc-s> first </doc-s> <doc-s> second </doc-s>`` with global attention on ``[CLS]``. If both do not fit, the
    longer one is cut first; `cut` counts pairs.
    """

    def __init__(self, tokenizer: Tokenizer, settings: MatchSettings) -> None:
        self.cut = 0
        self._settings = settings
        self._pieces = WordPieces(tokenizer)
        self._special = SpecialPieces.of(tokenizer)

    def __call__(self, pair: TextPair) -> TokenSequence:
        """The sequence of a pair."""
        first, second = (list(chain(*self._pieces(text.split()))) for text in (pair.first, pair.second))
        room = self._settings.max_length - 5
        self.cut += len(first) + len(second) > room
        first = first[: max(room // 2, room - len(second))]
        second = second[: room - len(first)]
        start, end = self._special.doc_start, self._special.doc_end
        ids = [self._special.cls, start, *first, end, start, *second, end]
        is_global = np.zeros(len(ids), dtype=np.bool_)
        is_global[0] = True
        return TokenSequence(np.array(ids, dtype=np.int64), is_global)


class MatchModel(TaskModel):
    """Encoder and a binary head with one hidden layer on the vector of ``[CLS]``."""

    task = "document matching"
    settings_type = MatchSettings
    settings: MatchSettings

    def __init__(self, encoder: CDLMModel, tokenizer: Tokenizer, settings: MatchSettings) -> None:
        super().__init__(encoder, tokenizer, settings)
        width = encoder.config.hidden_size
        self.head = nn.Sequential(
            nn.Linear(width, width),
            nn.Tanh(),
            nn.Dropout(encoder.config.hidden_dropout_prob),
            nn.Linear(width, 1),
        )

    def forward(self, batch: EncoderBatch) -> Tensor:
        """Logits of the pairs of a batch of :meth:`collate`. *Shape:* (pairs,)"""
        return self.head(self.encode(batch)[:, 0]).squeeze(-1).float()

    def collate(self, sequences: Sequence[TokenSequence]) -> EncoderBatch:
        """The model's input for the sequences of some pairs."""
        return side_by_side(sequences, self.encoder.config.pad_token_id)


def swapped(pair: TextPair) -> TextPair:
    """The pair with its texts in the other order."""
    return replace(pair, first=pair.second, second=pair.first)

"""The model for multi-hop question answering, as in Longformer's Appendix D (Beltagy et al. 2020): heads on ``<t>``
(paragraphs), ``</sent>`` (sentences), all tokens of text (the answer's ends) and ``[CLS]`` (its type)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import torch
from torch import Tensor, nn

from cdlm.encoder import CDLMModel
from cdlm.sequences import Batch, EncoderBatch, side_by_side
from cdlm.tasks.model import TaskModel
from cdlm.tasks.qa.sequences import ANSWER_TYPES, QA_TOKENS, QASequence
from cdlm.tokens import Tokenizer
from cdlm.validation import Checked, Count, whole_number

Length = Annotated[int, whole_number(32, 10**6)]


@dataclass(frozen=True)
class QASettings(Checked):
    """How questions are read and answered."""

    max_length: Length = 4096
    """Maximum length of a sequence in tokens; the rest is cut off."""
    max_answer_tokens: Count = 30
    """Maximum length of an answer in tokens."""


@dataclass(frozen=True)
class QALogits(Batch):
    """Logits of one sequence, or concatenated over all sequences of a batch; the order is that of `QASequence`."""

    paragraphs: Tensor
    sentences: Tensor
    """*Shapes:* (paragraphs,), (sentences,)"""
    types: Tensor
    """*Shape:* (3,), or (sequences, 3); as `ANSWER_TYPES`."""
    starts: Tensor
    ends: Tensor
    """*Shape:* (text tokens,)"""


@dataclass(frozen=True)
class QABatch(EncoderBatch):
    """Sequences of questions, padded to one length."""

    titles: Tensor
    sentence_ends: Tensor
    texts: Tensor
    """Positions in the flattened batch, concatenated over all sequences. *Shapes:* (paragraphs,), (sentences,), (text
    tokens,)"""


class QAModel(TaskModel):
    """Encoder and four heads."""

    task = "question answering"
    settings_type = QASettings
    special_tokens = QA_TOKENS
    settings: QASettings

    def __init__(self, encoder: CDLMModel, tokenizer: Tokenizer, settings: QASettings) -> None:
        super().__init__(encoder, tokenizer, settings)
        width, dropout = encoder.config.hidden_size, encoder.config.hidden_dropout_prob
        self.paragraph_head = _two_layers(width, dropout)
        self.sentence_head = _two_layers(width, dropout)
        self.span_head = nn.Linear(width, 2)
        self.type_head = nn.Linear(width, len(ANSWER_TYPES))

    def forward(self, batch: QABatch) -> QALogits:
        """Logits of a batch, concatenated over all sequences."""
        hidden = self.encode(batch)
        flat = hidden.reshape(-1, hidden.shape[-1])
        spans = self.span_head(flat[batch.texts]).float()
        return QALogits(
            self.paragraph_head(flat[batch.titles]).squeeze(-1).float(),
            self.sentence_head(flat[batch.sentence_ends]).squeeze(-1).float(),
            self.type_head(hidden[:, 0]).float(),
            starts=spans[:, 0],
            ends=spans[:, 1],
        )


def _two_layers(width: int, dropout: float) -> nn.Sequential:
    return nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.Dropout(dropout), nn.Linear(width, 1))


def collate(sequences: Sequence[QASequence], pad_token_id: int) -> QABatch:
    """Batch sequences."""
    batch = side_by_side([sequence.tokens for sequence in sequences], pad_token_id)
    length = batch.input_ids.shape[1]

    def places(arrays: Sequence[np.ndarray]) -> Tensor:
        return torch.from_numpy(np.concatenate([array + row * length for row, array in enumerate(arrays)]))

    return QABatch(
        **vars(batch),
        titles=places([sequence.titles for sequence in sequences]),
        sentence_ends=places([sequence.ends for sequence in sequences]),
        texts=places([sequence.texts for sequence in sequences]),
    )


def split_logits(logits: QALogits, sequences: Sequence[QASequence]) -> list[QALogits]:
    """The logits of every sequence of a batch."""
    titles = [len(sequence.titles) for sequence in sequences]
    sentences = [len(sequence.ends) for sequence in sequences]
    texts = [len(sequence.texts) for sequence in sequences]
    return [
        QALogits(*parts)
        for parts in zip(
            logits.paragraphs.split(titles),
            logits.sentences.split(sentences),
            logits.types,
            logits.starts.split(texts),
            logits.ends.split(texts),
            strict=True,
        )
    ]

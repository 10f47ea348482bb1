"""The model for multi-hop question answering: a question with its paragraphs in, four kinds of logits out.

The structure is that of Longformer's Appendix D (Beltagy et al. 2020), to which the paper's section 3.4 refers: a head
with one hidden layer on every ``<t>`` (whether the paragraph is relevant) and on every ``</sent>`` (whether the
sentence supports the answer), a linear layer on every token of the text (whether an answer begins or ends there), and
one on ``[CLS]`` (whether the answer is a span, yes or no). All four are trained jointly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Self

import numpy as np
import torch
from torch import Tensor, nn

from cdlm.checkpoints import find_checkpoint
from cdlm.encoder import CDLMModel
from cdlm.sequences import Batch, EncoderBatch, side_by_side
from cdlm.tasks.model import TaskModel
from cdlm.tasks.qa.sequences import ANSWER_TYPES, QA_TOKENS, QASequence
from cdlm.validation import Count, check_fields, number, whole_number

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

Length = Annotated[int, whole_number(32, 10**6)]
FIRST_STAGE = "first_stage"
"""Folder within a second-stage model's folder."""


@dataclass(frozen=True)
class QASettings:
    """How questions are read and answered.

    Raises
    ------
    InputError
        If a value is of the wrong type or out of range.
    """

    max_length: Length = 4096
    """Maximum length of a sequence in tokens; the rest is cut off."""
    max_answer_tokens: Count = 30
    """Maximum length of an answer in tokens."""
    keep_paragraphs: Annotated[int, whole_number(2, 10**6)] = 5
    keep_score: Annotated[float, number(-1e6, most=1e6)] = -3.0
    """With a first stage: the maximum number of paragraphs it keeps, and the logit above which it keeps one. The two
    best are always kept."""

    def __post_init__(self) -> None:
        check_fields(self)


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
    """Encoder and four heads.

    Attributes
    ----------
    first_stage
        A previously trained model that keeps only the paragraphs it considers relevant; None if all are read at once.
        It is saved in the same folder, and is not trained.
    """

    task = "question answering"
    settings_type = QASettings
    special_tokens = QA_TOKENS
    settings: QASettings

    def __init__(self, encoder: CDLMModel, tokenizer: PreTrainedTokenizerFast, settings: QASettings) -> None:
        super().__init__(encoder, tokenizer, settings)
        width, dropout = encoder.config.hidden_size, encoder.config.hidden_dropout_prob
        self.paragraph_head = _two_layers(width, dropout)
        self.sentence_head = _two_layers(width, dropout)
        self.span_head = nn.Linear(width, 2)
        self.type_head = nn.Linear(width, len(ANSWER_TYPES))
        self._first_stage: tuple[QAModel, ...] = ()  # in a tuple, it is no submodule

    @property
    def first_stage(self) -> QAModel | None:
        """See the class."""
        return self._first_stage[0] if self._first_stage else None

    def use_first_stage(self, model: QAModel | None) -> None:
        """Let another model select the paragraphs, or none."""
        self._first_stage = () if model is None else (model,)

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

    @classmethod
    def from_pretrained(cls, name_or_folder: str | Path) -> Self:
        """Read a saved model, and its first stage if it has one."""
        folder = find_checkpoint(name_or_folder)
        model = super().from_pretrained(folder)
        if (folder / FIRST_STAGE).is_dir():
            model.use_first_stage(QAModel.from_pretrained(folder / FIRST_STAGE))
        return model

    def save_pretrained(self, folder: str | Path, card: str) -> None:
        """Write the model's files, and those of its first stage to a folder of their own."""
        super().save_pretrained(folder, card)
        if self.first_stage is not None:
            inner = Path(folder) / FIRST_STAGE
            self.first_stage.save_pretrained(inner, "# The first stage of a question answering model\n")


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
        QALogits(*one)
        for one in zip(
            logits.paragraphs.split(titles),
            logits.sentences.split(sentences),
            logits.types,
            logits.starts.split(texts),
            logits.ends.split(texts),
            strict=True,
        )
    ]

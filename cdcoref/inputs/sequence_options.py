"""How much of a text the encoder reads at once: settings of a model that the builders of sequences obey."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from cdlm.validation import Count, Index, check_fields, whole_number

SMALLEST_LENGTH = 32

Length = Annotated[int, whole_number(SMALLEST_LENGTH, 10**7)]


@dataclass(frozen=True, slots=True)
class SequenceOptions:
    """What a sequence with two marked mentions shows of their documents."""

    context: Literal["document", "sentence"] = "document"
    """``"document"``: all sentences, as far as they fit; ``"sentence"``: only those of the two mentions (the ablation
    of the paper, Table 4)."""
    max_length: Length = 4096
    """Word pieces of the longest sequence, markers included."""

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True, slots=True)
class ContextOptions:
    """The cross-encoder of upper layers, and what it sees of a mention (:mod:`cdcoref.inputs.mention_contexts`)."""

    rank: Index = 0
    """Rank of its low-rank difference from the encoder that reads documents alone; 0: the model has no such
    cross-encoder."""
    lower_layers: Count = 6
    """How many layers read a document alone; the others read two contexts side by side."""
    opening: Index = 16
    names: Index = 20
    sentence: Count = 40
    """Word pieces of the first sentence of the document, of its names and numbers, and of the mention's sentence."""
    width: Count = 512
    """Units of the scorer's hidden layer."""

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def longest(self) -> int:
        """Word pieces of the longest sequence of two contexts."""
        return 2 * (self.opening + self.names + self.sentence)

"""How sequences are built: the choices of a model's configuration that the builders of sequences obey."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from cdcoref.errors import InputError
from cdcoref.language import check_features
from cdlm.validation import Count, Index, any_of, check_fields, whole_number

SMALLEST_LENGTH = 32

Context = Annotated[Index | Literal["document", "sentence"], any_of("'document', 'sentence' or a number of sentences")]
Length = Annotated[int, whole_number(SMALLEST_LENGTH, 10**7)]


@dataclass(frozen=True, slots=True)
class SequenceOptions:
    """How sequences are built.

    Attributes
    ----------
    marking
        ``"all"``: every mention of the sequence is marked and all their pairs are scored in one pass. ``"pair"``: one
        candidate pair is marked per sequence, as in the paper; only for two documents.
    context
        ``"document"``: all sentences. A number: the sentences with mentions and that many sentences on either side of
        each. ``"sentence"``: only the sentences with mentions (the paper's ablation).
    max_length
        Word pieces of the longest sequence, markers included.
    max_windows
        Compare each window of a document that needs several with at most this many windows of its own or of the other
        document, the most similar in words; None: with all. Where many documents are read at once: read each excerpt
        of a story with at most this many others, those with its likeliest candidates; None: with
        :data:`cdcoref.inputs.packs.MAX_NEIGHBOURS`.
    features
        Names of what is known about a pair besides the text (see :mod:`cdcoref.language.pair_features`).
    documents
        ``"two"``: a sequence shows two documents, or one, as in the paper. ``"many"``: as many as fit, so that a story
        is read in a few sequences (see :mod:`cdcoref.inputs.packs`).

    Raises
    ------
    InputError
        If a value is of the wrong type or out of range, or a feature is unknown.
    """

    marking: Literal["all", "pair"] = "all"
    context: Context = "document"
    max_length: Length = 4096
    max_windows: Count | None = None
    features: tuple[str, ...] = ()
    documents: Literal["two", "many"] = "two"

    def __post_init__(self) -> None:
        check_fields(self)
        if self.documents == "many" and self.marking == "pair":
            raise InputError("marking is 'pair', which is only for sequences of two documents; choose 'all'")
        check_features(self.features)


@dataclass(frozen=True, slots=True)
class ContextOptions:
    """What a cross-encoder of upper layers sees of a mention (:mod:`cdcoref.inputs.mention_contexts`), and how it is
    built.

    Attributes
    ----------
    rank
        Rank of its low-rank difference from the encoder that reads documents alone; 0: the model has no such
        cross-encoder.
    lower_layers
        How many layers read a document alone; the others read two contexts side by side.
    opening, names, sentence
        Word pieces of the first sentence of the document, of its names and numbers, and of the mention's sentence.
    width
        Units of the scorer's hidden layer.

    Raises
    ------
    InputError
        If a value is of the wrong type or out of range.
    """

    rank: Index = 0
    lower_layers: Count = 6
    opening: Index = 16
    names: Index = 20
    sentence: Count = 40
    width: Count = 512

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def longest(self) -> int:
        """Word pieces of the longest sequence of two contexts."""
        return 2 * (self.opening + self.names + self.sentence)

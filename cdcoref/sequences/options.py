"""How sequences are built: the choices of a model's configuration that the builders of sequences obey."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic_core import core_schema

from cdcoref.errors import InputError
from cdcoref.sequences.pair_features import FEATURES
from cdlm.validation import COUNT, INDEX, TEXT, any_of, check_fields, whole_number

SMALLEST_LENGTH = 32

Context = Annotated[
    int | Literal["document", "sentence"],
    any_of(
        "'document', 'sentence' or a number of sentences", INDEX, core_schema.literal_schema(["document", "sentence"])
    ),
]
Length = Annotated[int, whole_number(SMALLEST_LENGTH, 10**7)]


@dataclass(frozen=True, slots=True)
class SequenceOptions:
    """How sequences are built.

    Attributes
    ----------
    marking
        ``"all"``: every mention of the sequence is marked and all its pairs are scored from one pass. ``"pair"``: one
        candidate pair is marked a sequence, as in the paper.
    context
        ``"document"``: all sentences. A number: the sentences with mentions and as many sentences on either side of
        each. ``"sentence"``: the sentences with mentions alone (the paper's ablation).
    max_length
        Word pieces of the longest sequence, markers included.
    max_windows
        Read each window of a document that does not fit in one with at most so many windows of its own or of the other
        document, the nearest by their words; None: with all.
    features
        Names of what is known about a pair beside the text (see :mod:`cdcoref.sequences.pair_features`).

    Raises
    ------
    InputError
        If a value is of the wrong type or out of its range, or a feature is not known.
    """

    marking: Literal["all", "pair"] = "all"
    context: Context = "document"
    max_length: Length = 4096
    max_windows: Annotated[int | None, core_schema.nullable_schema(COUNT)] = None
    features: Annotated[tuple[str, ...], core_schema.tuple_variable_schema(TEXT)] = ()

    def __post_init__(self) -> None:
        check_fields(self)
        for name in self.features:
            if name not in FEATURES:
                raise InputError(f"there is no feature of pairs named {name!r}; known are {', '.join(FEATURES)}")

"""What a model needs beside its weights: how it is built, how it reads, and what was tuned on dev."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic_core import core_schema

from cdcoref.corpus import KINDS
from cdcoref.errors import InputError
from cdcoref.sequences import SMALLEST_LENGTH, Context, SequenceOptions
from cdlm.validation import INDEX, PROBABILITY, TEXT, Count, any_of, number, shown, validated, whole_number

Length = Annotated[int, whole_number(SMALLEST_LENGTH, 10**7)]
_CONTEXT = any_of(
    "'document', 'sentence' or a number of sentences", INDEX, core_schema.literal_schema(["document", "sentence"])
)
Probabilities = Annotated[Mapping[str, float], core_schema.dict_schema(TEXT, PROBABILITY)]


def _per_kind(value: float) -> dict[str, float]:
    return dict.fromkeys(KINDS, value)


@dataclass(frozen=True)
class CorefConfig:
    """What a model needs beside its weights: how it is built, how it reads, and what was tuned on dev.

    Attributes
    ----------
    marking, context, max_length
        See :class:`cdcoref.sequences.pair_sequences.SequenceOptions`.
    mention_vector
        A mention is the ``"sum"`` (the paper's) or the ``"mean"`` of its tokens' vectors.
    both_orders
        Whether a pair's probability is the mean over both orders of its two documents. Otherwise the document whose
        text sorts first stands first. Either way the order of the files does not matter.
    scorer_width
        Units of the pair scorer's hidden layer.
    detector_width, detector_max_words, detector_max_length
        Units of the detector's hidden layer, words of the longest mention that it can find, and word pieces of the
        unmarked text that it reads at once.
    linkage
        How the distance of two clusters follows from those of their mentions.
    distance_threshold
        Per kind: clusters are merged while their distance is below it.
    temperature
        Per kind: logits are divided by it before they become probabilities.
    pair_features
        Names of what the pair scorer is told about a pair beside the text (see `SequenceOptions.features`).
    detection_threshold
        Per kind: the probability from which on a span counts as a mention.
    """

    marking: Literal["all", "pair"] = "all"
    context: Annotated[Context, _CONTEXT] = "document"
    max_length: Length = 4096
    mention_vector: Literal["sum", "mean"] = "sum"
    both_orders: bool = True
    scorer_width: Count = 1024
    detector_width: Count = 256
    detector_max_words: Annotated[int, whole_number(1, 1000)] = 16
    detector_max_length: Length = 256
    linkage: Literal["average", "single", "complete"] = "average"
    distance_threshold: Probabilities = field(default_factory=lambda: _per_kind(0.5))
    temperature: Annotated[Mapping[str, float], core_schema.dict_schema(TEXT, number(0.01, most=100))] = field(
        default_factory=lambda: _per_kind(1.0)
    )
    pair_features: Annotated[tuple[str, ...], core_schema.tuple_variable_schema(TEXT)] = ()
    detection_threshold: Probabilities = field(default_factory=lambda: _per_kind(0.5))

    def sequence_options(self) -> SequenceOptions:
        """How sequences for this model are built."""
        return SequenceOptions(self.marking, self.context, self.max_length, features=self.pair_features)

    @classmethod
    def from_dict(cls, values: object, path: Path | None = None) -> CorefConfig:
        """Read what :meth:`to_dict` wrote; an unknown or wrong entry is an `InputError`."""
        if not isinstance(values, Mapping):
            raise InputError(f"cdcoref is {shown(values)} and should be a JSON object", path)
        config = validated(cls, values, path, within="cdcoref.", others="forbid")
        for name in ("distance_threshold", "temperature", "detection_threshold"):
            if set(getattr(config, name)) != set(KINDS):
                raise InputError(f"cdcoref.{name} must have one number each for {' and '.join(KINDS)}", path)
        try:
            config.sequence_options()
        except InputError as error:
            raise InputError(error.message, path) from error
        return config

    def to_dict(self) -> dict[str, Any]:
        """The configuration as plain values, for JSON."""
        return asdict(self)

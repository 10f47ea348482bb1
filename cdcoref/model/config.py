"""What a model needs beside its weights: how it is built, how it reads, and what was tuned on dev."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from cdcoref.corpus import KINDS
from cdcoref.errors import InputError
from cdcoref.sequences import Context, SequenceOptions

_CHOICES = {"mention_vector": ("sum", "mean"), "linkage": ("average", "single", "complete")}


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
    context: Context = "document"
    max_length: int = 4096
    mention_vector: Literal["sum", "mean"] = "sum"
    both_orders: bool = True
    scorer_width: int = 1024
    detector_width: int = 256
    detector_max_words: int = 16
    detector_max_length: int = 256
    linkage: Literal["average", "single", "complete"] = "average"
    distance_threshold: Mapping[str, float] = field(default_factory=lambda: _per_kind(0.5))
    temperature: Mapping[str, float] = field(default_factory=lambda: _per_kind(1.0))
    pair_features: tuple[str, ...] = ()
    detection_threshold: Mapping[str, float] = field(default_factory=lambda: _per_kind(0.5))

    def sequence_options(self) -> SequenceOptions:
        """How sequences for this model are built."""
        return SequenceOptions(self.marking, self.context, self.max_length, features=self.pair_features)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], path: Path | None = None) -> CorefConfig:
        """Read what :meth:`to_dict` wrote; an unknown or wrong entry is an `InputError`."""
        if isinstance(values, Mapping) and isinstance(values.get("pair_features"), list):  # as JSON has it
            values = {**values, "pair_features": tuple(map(str, values["pair_features"]))}
        try:
            config = cls(**values)
        except TypeError as error:
            raise InputError(f"the model's configuration is wrong ({error})", path) from error
        for name, default in asdict(cls()).items():
            value = getattr(config, name)
            wrong = name != "context" and type(value) is not type(default)
            if isinstance(default, dict) and not wrong:
                wrong = not all(isinstance(value.get(kind), int | float) for kind in KINDS)
            if wrong or value not in _CHOICES.get(name, (value,)):
                raise InputError(f"the model's configuration is wrong ({name} is {value!r})", path)
        config.sequence_options()
        return config

    def to_dict(self) -> dict[str, Any]:
        """The configuration as plain values, for JSON."""
        return asdict(self)

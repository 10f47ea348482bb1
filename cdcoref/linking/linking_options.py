"""How the mentions of a story are linked: the options that a prediction, a collection and an evaluation share.

They are declared, described and checked here and nowhere else. No PyTorch is needed to state them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, get_args

from cdcoref.corpus import KINDS
from cdcoref.errors import InputError, check_whole, is_number

if TYPE_CHECKING:
    from cdcoref.model import CorefConfig

BATCH_TOKENS = 8192


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkingOptions:
    """How the mentions of a story are linked."""

    threshold: float | None = None
    """Clusters are merged while the probability that their mentions corefer is above it; None: the model's own."""
    batch_tokens: int = BATCH_TOKENS
    """Maximum number of word pieces in a batch."""
    pairs: bool = False
    """Keep the probability of every pair of mentions that was compared, which takes memory."""

    def __post_init__(self) -> None:
        if self.threshold is not None and not (is_number(self.threshold) and 0 <= self.threshold <= 1):
            raise InputError(f"the threshold must be a probability from 0 to 1, not {self.threshold!r}")
        check_whole("batch_tokens", self.batch_tokens)
        if self.batch_tokens < 1:
            raise InputError(f"a batch must have 1 word piece or more, not {self.batch_tokens}")

    def configure(self, config: CorefConfig) -> CorefConfig:
        """A model's configuration with the threshold of these options, if they have one."""
        if self.threshold is None:
            return config
        return replace(config, distance_threshold=dict.fromkeys(KINDS, 1.0 - self.threshold))


def check_choice(name: str, value: object, choices: object) -> None:
    """Refuse a value that is not one of a type's literals."""
    if value not in get_args(choices):
        raise InputError(f"{name} is {value!r} and should be one of {', '.join(map(repr, get_args(choices)))}")

"""How the mentions of a story are linked: the options that a prediction, a collection and an evaluation share.

They are declared, described and checked here and nowhere else. No PyTorch is needed to state them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from cdcoref.corpus import KINDS
from cdlm.validation import Checked, Count, Flag, Probability

if TYPE_CHECKING:
    from cdcoref.model import CorefConfig

BATCH_TOKENS = 8192


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkingOptions(Checked):
    """How the mentions of a story are linked."""

    threshold: Probability | None = None
    """Clusters are merged while the probability that their mentions corefer is above it; None: the model's own."""
    batch_tokens: Count = BATCH_TOKENS
    """Maximum number of word pieces in a batch."""
    pairs: Flag = False
    """Keep the probability of every pair of mentions that was compared, which takes memory."""

    def configure(self, config: CorefConfig) -> CorefConfig:
        """A model's configuration with the threshold of these options, if they have one."""
        if self.threshold is None:
            return config
        return replace(config, distance_threshold=dict.fromkeys(KINDS, 1.0 - self.threshold))

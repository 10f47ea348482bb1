"""Documents that are read together (paper, section 2.2): a tokenised corpus in, numbered training sequences out.

The sequence of a number follows from the random seed alone. A resumed run therefore draws what it would have drawn, and
several processes need not communicate.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cdlm.pretraining.masking import MaskedSequence, Masking, Variant
from cdlm.pretraining.token_store import TokenStore
from cdlm.sequences import SequenceFrame

DRAWN, ORDER, MASKED = range(3)
"""Separate streams of random numbers: for documents, sets and masks."""


@dataclass
class TrainingSequences:
    """The sequences of a run, by number; a data set for PyTorch.

    Every set is drawn once before any is drawn again. The variant ``rand`` takes as many documents as the set has, each
    from a different set; on average over many sequences they are as long as those of the other variants.
    """

    store: TokenStore
    frame: SequenceFrame
    max_length: int
    """Maximum length of a sequence in tokens."""
    masking: Masking
    variant: Variant
    seed: int
    count: int

    def __post_init__(self) -> None:
        self._order: tuple[int, np.ndarray] | None = None

    def __len__(self) -> int:
        return self.count

    def documents(self, number: int) -> list[int]:
        """The documents of a sequence, in order."""
        chosen = self._set(number)
        generator = np.random.default_rng([self.seed, DRAWN, number])
        own = self.store.documents_of(chosen)
        if self.variant != "rand":
            return generator.permutation(np.arange(own.start, own.stop)).tolist()
        sets: set[int] = set()
        drawn: list[int] = []
        while len(drawn) < min(len(own), self.store.sets):
            document = int(generator.integers(self.store.documents))
            other = self.store.set_of(document)
            if other not in sets:
                sets.add(other)
                drawn.append(document)
        return drawn

    def __getitem__(self, number: int) -> MaskedSequence:
        ids = self.frame.enclose(
            (self.store[document].tolist() for document in self.documents(number)), self.max_length
        )
        return self.masking(np.array(ids), self.variant, np.random.default_rng([self.seed, MASKED, number]))

    def _set(self, number: int) -> int:
        turn, place = divmod(number, self.store.sets)
        if self._order is None or self._order[0] != turn:
            self._order = turn, np.random.default_rng([self.seed, ORDER, turn]).permutation(self.store.sets)
        return int(self._order[1][place])

"""How far a run is and how well its models scored: a checkpoint's folder in, the same to go on from out."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

STATE_FILE = "state.json"


@dataclass(slots=True)
class RunState:
    """How far a run is."""

    step: int = 0
    scores: dict[int, float] = field(default_factory=dict)
    """The score of every evaluation so far, by the step after which it was made."""

    @property
    def best_step(self) -> int | None:
        """The step after which the model was best, the first of several; None before the first evaluation."""
        return max(self.scores, key=lambda step: self.scores[step], default=None)

    @classmethod
    def read(cls, checkpoint: Path) -> RunState:
        """The state that a checkpoint was written in."""
        values = json.loads((checkpoint / STATE_FILE).read_text(encoding="utf-8"))
        return cls(values["step"], {int(step): score for step, score in values["scores"].items()})

    def write(self, checkpoint: Path) -> None:
        """Write the state into a checkpoint's folder."""
        (checkpoint / STATE_FILE).write_text(json.dumps(asdict(self)), encoding="utf-8")

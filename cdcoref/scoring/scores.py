"""The result of scoring: recall, precision and F1 of each metric, and CoNLL F1."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from cdcoref.scoring.metrics import CONLL, METRICS
from cdcoref.scoring.overlap import Floats, Overlap


@dataclass(frozen=True, slots=True)
class Score:
    """Recall, precision and F1 of one metric, from 0 to 1."""

    recall: float
    precision: float
    f1: float


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of one response, from 0 to 1, such as ``scores["muc"].f1``, in the order of `METRICS`."""

    metrics: Mapping[str, Score]

    @classmethod
    def from_counts(cls, counts: Mapping[str, Floats]) -> Scores:
        """The scores of summed counts, by metric. *Shape of each:* (counts,)"""
        return cls({name: Score(*map(float, METRICS[name].rates(total))) for name, total in counts.items()})

    @classmethod
    def of_groups(cls, overlap: Overlap, metrics: Iterable[str] = tuple(METRICS)) -> list[Scores]:
        """The scores of each group of a table."""
        names, columns = [], []
        for name, count in counts_of(overlap, metrics).items():
            names.append(name)
            columns.append(zip(*(rate.tolist() for rate in METRICS[name].rates(count)), strict=True))
        rows = zip(*columns, strict=True) if columns else [()] * overlap.groups
        return [cls(dict(zip(names, (Score(*rates) for rates in row), strict=True))) for row in rows]

    @classmethod
    def of(cls, overlap: Overlap, metrics: Iterable[str] = tuple(METRICS)) -> Scores:
        """The scores of a table, summed over its groups."""
        return cls.from_counts({name: np.sum(count, 0) for name, count in counts_of(overlap, metrics).items()})

    def __getitem__(self, metric: str) -> Score:
        return self.metrics[metric]

    @property
    def conll_f1(self) -> float | None:
        """Mean F1 of MUC, B3 and CEAFe; None unless all three were requested."""
        if not all(name in self.metrics for name in CONLL):
            return None
        return sum(self.metrics[name].f1 for name in CONLL) / len(CONLL)

    def to_dict(self) -> dict[str, dict[str, float] | float]:
        """The scores as plain values: recall, precision and F1 of each metric, and `conll_f1` if defined."""
        values: dict[str, dict[str, float] | float] = {
            name: {"recall": score.recall, "precision": score.precision, "f1": score.f1}
            for name, score in self.metrics.items()
        }
        if self.conll_f1 is not None:
            values["conll_f1"] = self.conll_f1
        return values


def counts_of(overlap: Overlap, metrics: Iterable[str]) -> dict[str, Floats]:
    """Counts of the metrics named, group by group, in the order of `METRICS`. *Shape of each:* (groups, counts)"""
    wanted = set(metrics)
    unknown = sorted(wanted - METRICS.keys())
    if unknown:
        raise ValueError(f"unknown metric {unknown[0]!r}; the metrics are {', '.join(METRICS)}")
    return {name: metric.count(overlap) for name, metric in METRICS.items() if name in wanted}

"""Two responses in, the significance of their difference out (paper, section 4.2; Dror et al. 2018): paired bootstrap
(Efron and Tibshirani 1993) and approximate randomisation (Noreen 1989) over topics, subtopics or documents."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cdcoref.errors import InputError
from cdcoref.formats import MentionTable
from cdcoref.scoring.alignment import Alignment, Level, align, groups_of_documents
from cdcoref.scoring.metrics import CONLL, METRICS, blanc_rates, count_pairs, links_of_pairs
from cdcoref.scoring.overlap import Floats, Ints, Overlap
from cdcoref.scoring.scores import Options, counts_of

CELLS = 1 << 22
"""The size of the largest matrix of resamples x units held at a time."""
_TOLERANCE = 1e-12
"""Differences closer than this are equal, so that rounding errors do not decide a hit."""
Rates = Callable[[Floats], tuple[Floats, Floats, Floats]]
Progress = Callable[[int, int], None]

MOST_RESAMPLES = 1_000_000
"""A p-value of 0.001 then has a standard error of 0.00003; more resamples would only take time."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference of two responses in the F1 of one metric (from 0 to 1, first minus second).

    Intervals are 95 % bootstrap percentiles. P-values are two-sided: (hits + 1) / (resamples + 1), or hits /
    exchanges if these are all that there are.
    """

    first: float
    second: float
    first_interval: tuple[float, float]
    second_interval: tuple[float, float]
    interval: tuple[float, float]
    bootstrap_p: float
    randomisation_p: float

    @property
    def difference(self) -> float:
        """F1 of the first response minus F1 of the second."""
        return self.first - self.second


@dataclass(frozen=True, slots=True)
class Significance:
    """The significance tests of all metrics.

    `unit`: What was resampled. `crossing`: Clusters that span several units, which then depend on each other.
        `exhaustive`: Whether the exchanges were all possible ones. `differences`: By metric, and ``"conll"`` if its
        three were tested.
    """

    unit: Level
    units: int
    crossing: int
    resamples: int
    exchanges: int
    exhaustive: bool
    seed: int
    differences: Mapping[str, Difference]

    @property
    def smallest_randomisation_p(self) -> float:
        """The smallest p-value possible with these units and exchanges (exchanging all or none changes nothing)."""
        return max(2.0 ** (1 - self.units), 1 / (self.exchanges + 1))

    @property
    def smallest_bootstrap_p(self) -> float:
        """The smallest p-value possible with these resamples."""
        return 1 / (self.resamples + 1)


@dataclass(frozen=True, slots=True, eq=False)
class _Counts:
    """The counts of one metric in each unit, for both responses. *Shape of each:* (units, counts)"""

    first: Floats
    second: Floats
    rates: Rates

    def f1(self, counts: Floats) -> Floats:
        """F1 of summed counts. *Shape:* (resamples, counts) to (resamples,)"""
        return self.rates(counts)[2]


def compare_responses(
    key: MentionTable,
    first: MentionTable,
    second: MentionTable,
    options: Options,
    *,
    unit: Level | None = None,
    resamples: int = 10_000,
    seed: int = 0,
    progress: Progress | None = None,
) -> Significance:
    """Test whether two responses to a key differ significantly.

    `unit`: What is resampled: topics, subtopics or documents; None: the smallest that no cluster crosses, or else the
        largest that occurs at least twice; below the level of the corpus that of the level. `progress`: Called with
        resamples done and their total. An `InputError` if a response does not match the key, there is only one unit,
        documents lack the topics needed, or the unit is not that of the level.
    """
    if not 1 <= resamples <= MOST_RESAMPLES:
        raise InputError(f"the number of resamples must be from 1 to {MOST_RESAMPLES:,}, not {resamples:,}")
    level = options.level_of(key)
    if unit is not None and level not in ("corpus", unit):
        raise InputError(f"at the level {level} the unit is a {level}; leave out the unit, or score at level corpus")
    alignments = [align(key, response, level=level, kind=options.kind) for response in (first, second)]
    unit, unit_of, units, crossing = _choose_units(key, alignments, level, unit)
    if units < 2:
        raise InputError(
            f"all documents are one {unit}, and resampling needs at least two units; use more documents", key.path
        )
    tables = []
    for alignment in alignments:
        group_of = np.zeros(alignment.mentions, np.int64)
        for side in (alignment.key, alignment.response):
            group_of[side.mention] = unit_of[side.document]
        remove = options.singletons == "remove"
        tables.append(Overlap.shared_out(*alignment.labels(), group_of, units, remove_singletons=remove))
    counts = _counts(tables, options.metrics, level == "corpus")
    exchanges, exhaustive = (2**units, True) if 2**units <= resamples else (resamples, False)
    rng = np.random.default_rng(seed)
    total = resamples + exchanges
    boot = _f1_of(counts, _bootstrap(counts, units, resamples, rng), 0, total, progress)
    swap = _f1_of(counts, _exchanges(counts, units, exchanges, exhaustive, rng), resamples, total, progress)
    observed = _with_conll(
        {name: np.array([c.f1(c.first.sum(0)), c.f1(c.second.sum(0))])[:, None] for name, c in counts.items()}
    )
    return Significance(
        unit,
        units,
        crossing,
        resamples,
        exchanges,
        exhaustive,
        seed,
        {name: _difference(observed[name][:, 0], boot[name], swap[name], exhaustive) for name in observed},
    )


Units = tuple[Level, Ints, int, int]
"""What is resampled: its level, the unit of each document, the number of units, and of clusters that cross them."""


def _choose_units(key: MentionTable, alignments: list[Alignment], level: Level, wanted: Level | None) -> Units:
    """What is resampled, see `compare_responses`."""
    if level != "corpus":
        return level, *groups_of_documents(key, level), 0
    candidates: list[Level] = ["document"]
    if all(row.subtopic is not None for row in key.documents.values()):
        candidates.append("subtopic")
    if all(row.topic is not None for row in key.documents.values()):
        candidates.append("topic")
    sides = [alignments[0].key, *(alignment.response for alignment in alignments)]
    chosen: Units | None = None
    for candidate in candidates if wanted is None else [wanted]:
        unit_of, units = groups_of_documents(key, candidate)
        if chosen is None or units > 1:
            crossing = 0
            for side in sides:
                pairs = np.unique(np.stack([side.cluster, unit_of[side.document]]), axis=1)
                crossing += int((np.bincount(pairs[0]) > 1).sum())
            chosen = candidate, unit_of, units, crossing
            if not crossing:
                break
    assert chosen is not None
    return chosen


def _counts(tables: list[Overlap], metrics: tuple[str, ...], joined: bool) -> dict[str, _Counts]:
    """Counts by metric. If units are scored together, BLANC's mention pairs across units count too."""
    first, second = (counts_of(table, metrics) for table in tables)
    counts = {name: _Counts(first[name], second[name], METRICS[name].rates) for name in first}
    if joined and "blanc" in counts:
        counts["blanc"] = _Counts(
            count_pairs(tables[0]), count_pairs(tables[1]), lambda pairs: blanc_rates(links_of_pairs(pairs))
        )
    return counts


Sums = dict[str, tuple[Floats, Floats]]
"""The summed counts of either response, by metric. *Shape of each:* (resamples, counts)"""


def _bootstrap(counts: dict[str, _Counts], units: int, resamples: int, rng: np.random.Generator) -> Iterator[Sums]:
    for size in _sizes(resamples, units):
        weights = rng.multinomial(units, np.full(units, 1 / units), size).astype(float)
        yield {name: (weights @ c.first, weights @ c.second) for name, c in counts.items()}


def _exchanges(
    counts: dict[str, _Counts], units: int, exchanges: int, exhaustive: bool, rng: np.random.Generator
) -> Iterator[Sums]:
    done = 0
    for size in _sizes(exchanges, units):
        if exhaustive:
            swap = (np.arange(done, done + size)[:, None] >> np.arange(units)) & 1
        else:
            swap = rng.integers(0, 2, (size, units))
        done += size
        sums: Sums = {}
        for name, c in counts.items():
            moved = swap.astype(float) @ (c.second - c.first)
            sums[name] = c.first.sum(0) + moved, c.second.sum(0) - moved
        yield sums


def _sizes(resamples: int, units: int) -> Iterator[int]:
    portion = max(1, CELLS // units)
    for start in range(0, resamples, portion):
        yield min(portion, resamples - start)


def _f1_of(
    counts: dict[str, _Counts], sums: Iterator[Sums], done: int, total: int, progress: Progress | None
) -> dict[str, Floats]:
    """F1 of both responses in each resample, by metric. *Shape of each:* (2, resamples)"""
    portions: dict[str, list[NDArray[np.float64]]] = {name: [] for name in counts}
    for portion in sums:
        for name, (first, second) in portion.items():
            portions[name].append(np.stack([counts[name].f1(first), counts[name].f1(second)]))
        done += len(first)
        if progress is not None:
            progress(done, total)
    return _with_conll({name: np.concatenate(parts, 1) for name, parts in portions.items()})


def _with_conll(f1: dict[str, Floats]) -> dict[str, Floats]:
    if all(name in f1 for name in CONLL):
        f1["conll"] = np.mean([f1[name] for name in CONLL], 0)
    return f1


def _difference(observed: Floats, boot: Floats, swap: Floats, exhaustive: bool) -> Difference:
    difference = observed[0] - observed[1]
    resampled = boot[0] - boot[1]
    bootstrap_hits = np.sum(np.abs(resampled - difference) >= abs(difference) - _TOLERANCE)
    exchange_hits = np.sum(np.abs(swap[0] - swap[1]) >= abs(difference) - _TOLERANCE)
    extra = 0 if exhaustive else 1
    return Difference(
        float(observed[0]),
        float(observed[1]),
        _interval(boot[0]),
        _interval(boot[1]),
        _interval(resampled),
        float((bootstrap_hits + 1) / (len(resampled) + 1)),
        float((exchange_hits + extra) / (swap.shape[1] + extra)),
    )


def _interval(values: Floats) -> tuple[float, float]:
    low, high = np.percentile(values, [2.5, 97.5])
    return float(low), float(high)

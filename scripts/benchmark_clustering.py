"""What it costs to cluster sparse pair scores: seconds, peak memory, and the speedup over Python dictionaries.

There are ten scored pairs per mention, with scores uniform from 0 to 1. With the shape `random`, a pair is any two
mentions, so that nearly all are one connected component; with `stories`, any two of the same 3,000 mentions. The
comparison is with average linkage by the same algorithm over Python dictionaries on the same scores; distances and
clusters must be identical. Mixed linkage, that of the default model, is measured by itself. Every measurement runs in
its own process, which has its own peak memory. Seconds are processor time on one core, without loading the compiled
code.

    python scripts/benchmark_clustering.py
    python scripts/benchmark_clustering.py --shape stories --alone 1000000
"""

from __future__ import annotations

import argparse
import hashlib
import json
import resource
import subprocess
import sys
import time
from dataclasses import dataclass

import numpy as np

from cdcoref.clustering import Dendrogram, Linkage, PairScores, dendrogram

PAIRS_OF_A_MENTION = 10
MENTIONS_OF_A_STORY = 3000
THRESHOLDS = (0.2, 0.5, 0.8)
ALGORITHMS = ("dictionaries", "compiled", "compiled, mixed linkage")

Merge = tuple[int, int, float]


def synthetic_scores(mentions: int, shape: str, seed: int) -> PairScores:
    """Scores of random pairs."""
    random = np.random.default_rng(seed)
    first = random.integers(0, mentions, mentions * PAIRS_OF_A_MENTION)
    story = MENTIONS_OF_A_STORY if shape == "stories" else mentions
    begin = first - first % story
    second = begin + random.integers(0, np.minimum(story, mentions - begin))
    two = first != second
    return PairScores(mentions, first[two], second[two], random.random(int(two.sum())))


def dictionary_merges(size: int, low: np.ndarray, high: np.ndarray, distance: np.ndarray, linkage: str) -> list[Merge]:
    """All merges below distance 1: nearest-neighbour chains over dictionaries, in which a missing entry is distance 1.

    `low` and `high` are the items of every pair, `distance` is below 1. *Shape:* (pairs,) Of every merge the lesser and
    the greater of the two clusters and their distance; the merged cluster goes on under the greater number.
    """
    rows: list[dict[int, float]] = [{} for _ in range(size)]
    for a, b, d in zip(low.tolist(), high.tolist(), distance.tolist(), strict=True):
        rows[a][b] = rows[b][a] = d
    sizes = [1] * size
    merges: list[Merge] = []
    chain: list[int] = []
    start = 0
    while start < size or chain:
        if not chain:
            if rows[start]:
                chain.append(start)
            else:
                start += 1
            continue
        row = rows[chain[-1]]
        if not row:
            chain.pop()
            continue
        nearest = min(row.values())
        if len(chain) == 1 or row.get(chain[-2]) != nearest:
            chain.append(min(cluster for cluster, d in row.items() if d == nearest))
            continue
        a, b = sorted((chain.pop(), chain.pop()))
        merges.append((a, b, nearest))
        _absorb(rows, a, b, sizes, linkage)
    return merges


def _absorb(rows: list[dict[int, float]], a: int, b: int, sizes: list[int], linkage: str) -> None:
    """Merge cluster `a` into cluster `b`: new distances to every neighbour of either."""
    row_a, row_b = rows[a], rows[b]
    rows[a] = {}
    size_a, size_b = sizes[a], sizes[b]
    sizes[b] = size_a + size_b
    del row_a[b], row_b[a]
    merged: dict[int, float] = {}
    for cluster in row_a.keys() | row_b.keys():
        to_a, to_b = row_a.get(cluster, 1.0), row_b.get(cluster, 1.0)
        d = (size_a * to_a + size_b * to_b) / (size_a + size_b) if linkage == "average" else max(to_a, to_b)
        other = rows[cluster]
        other.pop(a, None)
        if d < 1.0:
            merged[cluster] = other[b] = d
        else:
            other.pop(b, None)
    rows[b] = merged


def dictionary_dendrogram(scores: PairScores) -> Dendrogram:
    """Average linkage over dictionaries."""
    matrix = scores.matrix().tocoo()
    low, high = matrix.coords
    upper = low < high
    merges = dictionary_merges(scores.size, low[upper], high[upper], 1.0 - matrix.data[upper], "average")
    merges.sort(key=lambda merge: merge[2])
    first, second, distance = (np.array(column) for column in zip(*merges, strict=True))
    return Dendrogram(scores.size, first, second, distance)


@dataclass(frozen=True)
class Cost:
    """Seconds of the processor and of the clock, megabytes of peak memory, and a hash of distances and clusters."""

    seconds: float
    clock: float
    megabytes: float
    digest: str


def measure(mentions: int, shape: str, algorithm: str, seed: int) -> Cost:
    """Cluster in this process."""
    dictionaries, _, mixed = ALGORITHMS
    linkage: Linkage = "mixed" if algorithm == mixed else "average"
    if algorithm != dictionaries:
        # Compiles, or loads what is compiled.
        dendrogram(synthetic_scores(2 * MENTIONS_OF_A_STORY, "random", seed), linkage)
    scores = synthetic_scores(mentions, shape, seed)
    started, clock = time.process_time(), time.perf_counter()
    tree = dictionary_dendrogram(scores) if algorithm == dictionaries else dendrogram(scores, linkage)
    seconds, clock = time.process_time() - started, time.perf_counter() - clock
    digest = hashlib.sha256(tree.distance.tobytes())
    for threshold in THRESHOLDS:
        digest.update(tree.cut(threshold).tobytes())
    return Cost(seconds, clock, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, digest.hexdigest())


def measured_apart(mentions: int, shape: str, algorithm: str, seed: int) -> Cost:
    """Cluster in a process of its own."""
    command = [sys.executable, __file__, "--measure", algorithm, "--shape", shape, "--sizes", str(mentions)]
    done = subprocess.run([*command, "--seed", str(seed)], check=True, stdout=subprocess.PIPE, text=True)
    return Cost(**json.loads(done.stdout))


def row(mentions: int, algorithm: str, cost: Cost, ratio: str) -> str:
    """A line of the table."""
    return (
        f"| {mentions:,} | {mentions * PAIRS_OF_A_MENTION:,} | {algorithm} | {cost.seconds:.1f} | {cost.clock:.1f} | "
        f"{cost.megabytes:,.0f} | {ratio} |"
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="10000,100000", help="numbers of mentions for both, separated by commas")
    parser.add_argument("--alone", default="1000000", help="numbers of mentions for the compiled one alone")
    parser.add_argument("--shape", choices=("random", "stories"), default="random", help="which mentions have scores")
    parser.add_argument("--seed", type=int, default=0, help="random seed of the scores")
    parser.add_argument("--measure", choices=ALGORITHMS, help="measure one size in this process, as JSON")
    arguments = parser.parse_args()
    sizes, alone = ([int(size) for size in text.split(",") if size] for text in (arguments.sizes, arguments.alone))
    if arguments.measure:
        cost = measure(sizes[0], arguments.shape, arguments.measure, arguments.seed)
        print(json.dumps(vars(cost)))
        return
    print("| mentions | scored pairs | algorithm | seconds | of the clock | peak memory, MB | ratio |")
    print("| ---: | ---: | --- | ---: | ---: | ---: | ---: |")
    for size in sizes:
        slow, fast = (measured_apart(size, arguments.shape, name, arguments.seed) for name in ALGORITHMS[:2])
        if slow.digest != fast.digest:
            sys.exit(f"the clusters of {size:,} mentions differ")
        print(row(size, "dictionaries", slow, "1"))
        print(row(size, "compiled", fast, f"{slow.seconds / fast.seconds:.1f}"), flush=True)
    for size in alone:
        for name in ALGORITHMS[1:]:
            print(row(size, name, measured_apart(size, arguments.shape, name, arguments.seed), ""), flush=True)


if __name__ == "__main__":
    main()

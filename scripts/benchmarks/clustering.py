"""Time the clustering of sparse pair scores: seconds on one core and peak memory, each in its own process.

Ten scored pairs a mention, scores uniform from 0 to 1. Shape `random`: pairs of any two mentions, which makes nearly
all one connected component; `stories`: of any two of the same 3,000 mentions.

    python scripts/benchmark.py clustering --shape stories --sizes 1000000
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time

import numpy as np

from cdcoref.clustering import PairScores, dendrogram

PAIRS_OF_A_MENTION = 10
MENTIONS_OF_A_STORY = 3000


def synthetic_scores(mentions: int, shape: str, seed: int) -> PairScores:
    """Scores of random pairs."""
    random = np.random.default_rng(seed)
    first = random.integers(0, mentions, mentions * PAIRS_OF_A_MENTION)
    story = MENTIONS_OF_A_STORY if shape == "stories" else mentions
    begin = first - first % story
    second = begin + random.integers(0, np.minimum(story, mentions - begin))
    two = first != second
    return PairScores(mentions, first[two], second[two], random.random(int(two.sum())))


def measure(mentions: int, shape: str, seed: int) -> dict[str, float]:
    """Cluster in this process: seconds of the processor and of the clock, and megabytes of peak memory."""
    # Compiles, or loads what is compiled.
    dendrogram(synthetic_scores(2 * MENTIONS_OF_A_STORY, "random", seed))
    scores = synthetic_scores(mentions, shape, seed)
    started, clock = time.process_time(), time.perf_counter()
    dendrogram(scores)
    seconds, clock = time.process_time() - started, time.perf_counter() - clock
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"seconds": seconds, "clock": clock, "megabytes": megabytes}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="10000,100000,1000000", help="numbers of mentions, separated by commas")
    parser.add_argument("--shape", choices=("random", "stories"), default="random", help="which mentions have scores")
    parser.add_argument("--seed", type=int, default=0, help="random seed of the scores")
    parser.add_argument("--measure", action="store_true", help="measure one size in this process, as JSON")
    arguments = parser.parse_args()
    sizes = [int(size) for size in arguments.sizes.split(",")]
    if arguments.measure:
        print(json.dumps(measure(sizes[0], arguments.shape, arguments.seed)))
        return
    print("| mentions | scored pairs | seconds | of the clock | peak memory, MB |")
    print("| ---: | ---: | ---: | ---: | ---: |")
    for size in sizes:
        command = [sys.executable, __file__, "--measure", "--shape", arguments.shape, "--sizes", str(size)]
        command += ["--seed", str(arguments.seed)]
        cost = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
        figures = f"{cost['seconds']:.1f} | {cost['clock']:.1f} | {cost['megabytes']:,.0f}"
        print(f"| {size:,} | {size * PAIRS_OF_A_MENTION:,} | {figures} |", flush=True)


if __name__ == "__main__":
    main()

"""Time scoring: reading, the overlap table and every metric, from a thousand to a million mentions, one process each.

Synthetic corpora: the frequency of cluster sizes falls with their square, and the response has 20 % of the mentions in
a random cluster.

    python scripts/benchmark.py scoring
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np

TOKENS_OF_A_MENTION = 8
MENTIONS_OF_A_DOCUMENT = 40
DOCUMENTS_OF_A_TOPIC = 20
LARGEST_CLUSTER = 400
MOVED = 0.2


def synthetic_labels(mentions: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Cluster numbers of the key and of the response for every mention. *Shape:* (mentions,) both"""
    rng = np.random.default_rng(seed)
    sizes = np.minimum(rng.zipf(2.0, mentions), LARGEST_CLUSTER)
    key = np.repeat(np.arange(mentions), sizes)[:mentions]
    rng.shuffle(key)
    response = key.copy()
    moved = rng.random(mentions) < MOVED
    response[moved] = rng.integers(0, key.max() + 1, moved.sum())
    return key, response


def write_corpus(path: Path, labels: np.ndarray) -> None:
    """One eight-column file; every third mention has two tokens."""
    with path.open("w") as file:
        file.write("#begin document benchmark\n")
        for document, start in enumerate(range(0, len(labels), MENTIONS_OF_A_DOCUMENT)):
            topic = document // DOCUMENTS_OF_A_TOPIC
            prefix = f"{topic}\t{topic}_{document % 2}\t{topic}_{document}.xml"
            lines = []
            for place, cluster in enumerate(labels[start : start + MENTIONS_OF_A_DOCUMENT].tolist()):
                cells = [f"({cluster})"] if place % 3 else [f"({cluster}", f"{cluster})"]
                cells += ["-"] * (TOKENS_OF_A_MENTION - len(cells))
                for offset, cell in enumerate(cells):
                    token = place * TOKENS_OF_A_MENTION + offset
                    lines.append(f"{prefix}\t{token // 24}\t{token}\tword\tTrue\t{cell}\n")
            file.write("".join(lines))
        file.write("#end document\n")


T = TypeVar("T")


def timed(work: Callable[[], T], repeat: int = 1) -> tuple[float, T]:
    """Seconds of the fastest of several runs, and the result."""
    best = float("inf")
    for _ in range(repeat):
        start = time.perf_counter()
        result = work()
        best = min(best, time.perf_counter() - start)
    return best, result


def megabytes() -> float:
    """Peak memory of this process so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(key: Path, response: Path) -> dict[str, float]:
    """Times of this scorer on two files, in seconds, in order of execution."""
    from cdcoref.formats import read_mention_table
    from cdcoref.scoring import METRICS, align

    seconds_key, key_table = timed(lambda: read_mention_table(key))
    seconds_response, response_table = timed(lambda: read_mention_table(response))
    result = {
        "read": seconds_key + seconds_response,
        "MB/s": (key.stat().st_size + response.stat().st_size) / 1e6 / (seconds_key + seconds_response),
        "memory after reading": megabytes(),
    }
    result["table"], overlap = timed(lambda: align(key_table, response_table).overlap(remove_singletons=False))
    result["SciPy import"], _ = timed(lambda: __import__("scipy.sparse.csgraph"))
    for name, metric in METRICS.items():
        result[name], _ = timed(partial(metric.count, overlap), 3)
    result["all"] = result["table"] + sum(result[name] for name in METRICS)
    result["memory"] = megabytes()
    return result


def table(rows: dict[int, dict[str, float]]) -> str:
    """A Markdown table, one row per size."""
    columns = list(next(iter(rows.values())))
    lines = ["| mentions | " + " | ".join(columns) + " |", "| ---: " * (len(columns) + 1) + "|"]
    for size, row in rows.items():
        lines.append(f"| {size:,} | " + " | ".join(_shown(row[column], column) for column in columns) + " |")
    return "\n".join(lines)


def _shown(value: float, column: str) -> str:
    return f"{value:.0f}" if column.startswith("memory") or column == "MB/s" else f"{value:.4f}"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="1000,10000,100000,1000000", help="numbers of mentions, separated by commas")
    parser.add_argument("--seed", type=int, default=0, help="random seed of the synthetic corpora")
    parser.add_argument("--measure", type=Path, nargs=2, metavar="FILE", help="measure one key and response, as JSON")
    arguments = parser.parse_args()
    if arguments.measure:
        print(json.dumps(measure(*arguments.measure)))
        return
    rows: dict[int, dict[str, float]] = {}
    for size in map(int, arguments.sizes.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            files = [Path(folder, f"{name}.conll") for name in ("key", "response")]
            for path, labels in zip(files, synthetic_labels(size, arguments.seed), strict=True):
                write_corpus(path, labels)
            command = [sys.executable, __file__, "--measure", *map(str, files)]
            rows[size] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        print(f"{size:,} mentions done", file=sys.stderr)
    print(f"Seconds; memory in MB, the process's peak.\n\n{table(rows)}")


if __name__ == "__main__":
    main()

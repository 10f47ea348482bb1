"""Time scoring: reading, the overlap table and every metric, from a thousand to a million mentions.

Synthetic corpora, in eight-column CoNLL or in JSON lines with text and offsets: the frequency of cluster sizes falls
with their square (61 % singletons, some clusters of hundreds), documents have 40 mentions, and 20 % of the mentions are
moved to a random cluster for the response. Every size is measured in a process of its own, so that peak memory is per
size. With `--coval DIR` (a checkout of github.com/ns-moosavi/coval), coval scores the same files, up to the size that
it manages within `--coval-seconds`.

    python scripts/benchmark.py scoring
    python scripts/benchmark.py scoring --format jsonl
    python scripts/benchmark.py scoring --coval ../coval --sizes 1000,10000
"""

from __future__ import annotations

import argparse
import contextlib
import io
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
COVAL_METRICS = {"mentions": "mentions", "muc": "muc", "b3": "b_cubed", "ceafe": "ceafe", "lea": "lea"}


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


def tokens_of(place: int) -> list[int]:
    """The tokens of the mention at that position in a document."""
    first = place * TOKENS_OF_A_MENTION
    return [first] if place % 3 else [first, first + 1]


def write_json_lines(path: Path, labels: np.ndarray) -> None:
    """The same mentions as JSON lines, every line as `cdcoref predict` writes it."""
    with path.open("w") as file:
        for document, start in enumerate(range(0, len(labels), MENTIONS_OF_A_DOCUMENT)):
            clusters = labels[start : start + MENTIONS_OF_A_DOCUMENT].tolist()
            tokens = TOKENS_OF_A_MENTION * len(clusters)
            fields = {
                "id": f"{document}.xml",
                "text": " ".join(["word"] * tokens),
                "tokens": ["word"] * tokens,
                "offsets": [[5 * token, 5 * token + 4] for token in range(tokens)],
                "sentences": [[first, min(first + 24, tokens)] for first in range(0, tokens, 24)],
                "topic": str(document // DOCUMENTS_OF_A_TOPIC),
                "mentions": [
                    {"tokens": tokens_of(place), "kind": "event", "cluster": str(cluster)}
                    for place, cluster in enumerate(clusters)
                ],
            }
            file.write(json.dumps(fields) + "\n")


T = TypeVar("T")
WRITERS = {"conll": write_corpus, "jsonl": write_json_lines}


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
    result["table"], overlap = timed(lambda: align(key_table, response_table).overlap())
    result["SciPy import"], _ = timed(lambda: __import__("scipy.sparse.csgraph"))
    for name, metric in METRICS.items():
        result[name], _ = timed(partial(metric.count, overlap), 3)
    result["all"] = result["table"] + sum(result[name] for name in METRICS)
    result["memory"] = megabytes()
    return result


def measure_coval(folder: Path, key: Path, response: Path) -> None:
    """Print coval's times, one JSON line each, so that those before a timeout are not lost."""
    sys.path.insert(0, str(folder))
    from coval.conll import reader
    from coval.eval import evaluator

    def run(name: str, work: Callable[[], object]) -> object:
        with contextlib.redirect_stdout(io.StringIO()):
            seconds, result = timed(work)
        print(json.dumps({name: seconds}), flush=True)
        return result

    infos = run("read", lambda: reader.get_coref_infos(str(key), str(response), False, False, True, False))
    # CEAF last, since it is the first to take too long.
    for name in sorted(COVAL_METRICS, key=lambda name: name == "ceafe"):
        metric = getattr(evaluator, COVAL_METRICS[name])
        run(name, partial(evaluator.evaluate_documents, infos, metric, beta=1))


def run_coval(folder: Path, key: Path, response: Path, seconds: float) -> dict[str, float]:
    """coval's times from a process that is stopped after some seconds."""
    command = [sys.executable, __file__, "--measure", str(key), str(response), "--coval", str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        output, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        output, _ = process.communicate()
    times: dict[str, float] = {}
    for line in output.splitlines():
        times |= json.loads(line)
    return times


def table(rows: dict[int, dict[str, float]], columns: list[str]) -> str:
    """A Markdown table, one row per size."""
    lines = ["| mentions | " + " | ".join(columns) + " |", "| ---: " * (len(columns) + 1) + "|"]
    for size, row in rows.items():
        lines.append(f"| {size:,} | " + " | ".join(_shown(row.get(column), column) for column in columns) + " |")
    return "\n".join(lines)


def _shown(value: float | None, column: str) -> str:
    if value is None:
        return "-"
    return f"{value:.0f}" if column.startswith("memory") or column == "MB/s" else f"{value:.4f}"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="1000,10000,100000,1000000", help="numbers of mentions, separated by commas")
    parser.add_argument("--format", default="conll", choices=WRITERS, help="format of the files")
    parser.add_argument("--coval", type=Path, metavar="DIR", help="a checkout of coval to measure too")
    parser.add_argument("--coval-seconds", type=float, default=120, help="time limit for coval per size")
    parser.add_argument("--seed", type=int, default=0, help="random seed of the synthetic corpora")
    parser.add_argument("--measure", type=Path, nargs=2, metavar="FILE", help="measure one key and response, as JSON")
    arguments = parser.parse_args()
    if arguments.measure:
        if arguments.coval:
            measure_coval(arguments.coval, *arguments.measure)
        else:
            print(json.dumps(measure(*arguments.measure)))
        return
    ours: dict[int, dict[str, float]] = {}
    coval: dict[int, dict[str, float]] = {}
    for size in map(int, arguments.sizes.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            files = [Path(folder, f"{name}.{arguments.format}") for name in ("key", "response")]
            for path, labels in zip(files, synthetic_labels(size, arguments.seed), strict=True):
                WRITERS[arguments.format](path, labels)
            command = [sys.executable, __file__, "--measure", *map(str, files)]
            ours[size] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            if arguments.coval and (not coval or "ceafe" in coval[max(coval)]):
                coval[size] = run_coval(arguments.coval, files[0], files[1], arguments.coval_seconds)
        print(f"{size:,} mentions done", file=sys.stderr)
    columns = list(next(iter(ours.values())))
    print(f"Seconds; memory in MB, the process's peak.\n\n{table(ours, columns)}")
    if coval:
        print(f"\ncoval on the same files\n\n{table(coval, ['read', *COVAL_METRICS])}\n")
        for size, row in coval.items():
            if "ceafe" in row:
                print(f"CEAFe at {size:,} mentions: {row['ceafe'] / ours[size]['ceafe']:,.0f} times as long as here")


if __name__ == "__main__":
    main()

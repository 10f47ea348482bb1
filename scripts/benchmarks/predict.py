"""Time and peak memory of `cdcoref predict` by the number of texts, and the ratio of two models, which take turns.

A file has a text or a set of texts in each line: JSON with a `text`, or with `documents` that have one; plain or
gzipped. The last lines have the ratios of models, and the exponent of time in the number of words, by least squares.

    python scripts/benchmark.py predict sets.jsonl.gz --models small --counts 100,500,2000
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np


class Cost(NamedTuple):
    """What a prediction took: seconds, seconds of processor time, and megabytes at its peak."""

    wall: float
    processor: float
    memory: float


def texts_in(path: Path) -> Iterator[dict[str, Any]]:
    """The texts of a file, with an id, a title and a date where it states them."""
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as lines:
        for line in lines:
            values = json.loads(line)
            for text in values.get("documents", [values]):
                yield {name: text[name] for name in ("id", "title", "date", "text") if text.get(name)}


def measured(model: str, texts: Path) -> Cost:
    """The cost of a prediction in a process of its own."""
    command = [sys.executable, "-m", "cdcoref", "predict", str(texts), "--model", model, "--quiet"]
    started = time.perf_counter()
    process = subprocess.Popen([*command, "-o", f"{texts}.out.json"], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"this command failed: {' '.join(command)}")
    return Cost(time.perf_counter() - started, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def exponent(words: list[int], seconds: list[float]) -> float:
    """The exponent with which time grows with the number of words; needs two or more numbers."""
    return float(np.polyfit(np.log(words), np.log(seconds), 1)[0])


def main() -> None:
    """Parse the command line, measure and print a line for each prediction."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, help="texts, or sets of texts, as JSON lines")
    parser.add_argument("--models", default="base,small", help="models, separated by commas; default: %(default)s")
    parser.add_argument("--counts", default="100", help="numbers of texts, separated by commas; default: %(default)s")
    arguments = parser.parse_args()
    models, counts = arguments.models.split(","), sorted(map(int, arguments.counts.split(",")))
    texts = list(islice(texts_in(arguments.file), counts[-1]))
    if len(texts) < counts[-1]:
        parser.error(f"{arguments.file} has {len(texts)} texts; give smaller --counts")
    words = [sum(len(text["text"].split()) for text in texts[:count]) for count in counts]
    costs: dict[str, list[Cost]] = {model: [] for model in models}
    with TemporaryDirectory() as folder:
        for count, size in zip(counts, words, strict=True):
            path = Path(folder, f"{count}.jsonl")
            path.write_text("".join(json.dumps(text) + "\n" for text in texts[:count]), encoding="utf-8")
            for model in models:
                cost = measured(model, path)
                costs[model].append(cost)
                print(
                    f"{count} texts, {size:,} words, {model}: {cost.wall:.1f} s, "
                    f"processor time {cost.processor:.1f} s, peak {cost.memory:,.0f} MB",
                    flush=True,
                )
    first, *others = models
    for other in others:
        for count, one, two in zip(counts, costs[first], costs[other], strict=True):
            print(f"{count} texts, {first} / {other}: {one.wall / two.wall:.2f}")
    for model in models if len(counts) > 1 else ():
        seconds = [cost.wall for cost in costs[model]]
        print(f"{counts[0]} to {counts[-1]} texts, {model}: exponent in words {exponent(words, seconds):.2f}")


if __name__ == "__main__":
    main()

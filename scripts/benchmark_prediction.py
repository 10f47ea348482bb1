"""The cost of prediction as collections grow: seconds and peak memory of ``cdcoref predict``, size by size.

Documents come from a file of related sets (one JSON object per line, ``{"documents": [{"id", "title", "text"}, ...]}``,
plain or gzipped), the sets in order; each size runs in a process of its own, one after the other, so that peak memory
is per size and sizes can be compared.

    python scripts/benchmark_prediction.py SETS.jsonl.gz --sizes 500,1000,2000
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Cost:
    """The cost of one run: seconds of the whole process, and megabytes of its peak memory."""

    documents: int
    stories: int
    pairs: int
    seconds: float
    megabytes: float


def documents_of(path: Path) -> Iterator[dict[str, str]]:
    """The documents of the sets, title and text combined."""
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as file:
        for line in file:
            for document in json.loads(line)["documents"]:
                yield {"id": document["id"], "text": f"{document['title']}\n\n{document['text']}"}


def run(documents: list[dict[str, str]], folder: Path, options: list[str]) -> Cost:
    """Predict documents as a user would, in a process of its own."""
    source, output, log = folder / "documents.jsonl", folder / "out.jsonl", folder / "log"
    source.write_text("".join(json.dumps(document) + "\n" for document in documents), encoding="utf-8")
    command = [sys.executable, "-m", "cdcoref", "predict", str(source), "-o", str(output), *options]
    started = time.perf_counter()
    with log.open("w", encoding="utf-8") as errors:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors)
        _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - started
    said = log.read_text(encoding="utf-8")
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(said)
    plan = re.search(r"in ([\d,]+) stor(?:y|ies); ([\d,]+) pairs?", said)
    stories, pairs = (int(number.replace(",", "")) for number in plan.groups()) if plan else (0, 0)
    return Cost(len(documents), stories, pairs, seconds, usage.ru_maxrss / 1024)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", type=Path, help="file of related sets of documents")
    parser.add_argument("--sizes", default="500,1000,2000", help="numbers of documents, separated by commas")
    parser.add_argument("--options", default="", help="options for cdcoref predict, as one string")
    arguments = parser.parse_args()
    everything = list(documents_of(arguments.sets))
    print("| documents | stories | pairs of documents | seconds | to the first | peak memory, MB |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: |")
    first: Cost | None = None
    for size in (int(size) for size in arguments.sizes.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            cost = run(everything[:size], Path(folder), shlex.split(arguments.options))
        first = first or cost
        print(
            f"| {cost.documents:,} | {cost.stories:,} | {cost.pairs:,} | {cost.seconds:.0f} | "
            f"{cost.seconds / first.seconds:.2f} | {cost.megabytes:.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()

"""The cost of prediction as its input grows: seconds, sequences read together and peak memory, size by size.

Each size runs in a process of its own, one after the other, from reading the input to the last story, so that peak
memory is per size and sizes can be compared. *Seconds* pass on the clock; *processor* seconds do not count what other
programs take. The exponent is that of growth from the size before: log(processor seconds) by log(size).

**A collection.** Documents of a file of related sets (one JSON object per line, ``{"documents": [{"id", "title",
"text"}, ...]}``, plain or gzipped), in order. Sizes are numbers of documents. With ``--against``, another checkout of
cdcoref with its own default model takes turns with this one.

    python scripts/benchmark.py prediction SETS.jsonl.gz --sizes 500,1000,2000,3499
    python scripts/benchmark.py prediction SETS.jsonl.gz --sizes 250,500 --against WORKTREE --repeats 2

An old version may take hours. With ``--stop-at 5`` it is ended once it has used five times the processor time of this
one, which shows that it takes longer than that.

    python scripts/benchmark.py prediction SETS.jsonl.gz --sizes 2000 --against WORKTREE --stop-at 5

**One long story.** Each document is made of sentences drawn at random, with replacement and a fixed seed, from the
train topics of ECB+, until it has 300 words; all are one story (``--topics none``). Sizes are numbers of documents.

    python scripts/benchmark.py prediction --story ECB_ROOT --sizes 100,300,1000

**One long document.** The texts of the sets, one after the other, as one document. Sizes are megabytes.

    python scripts/benchmark.py prediction SETS.jsonl.gz --document --sizes 1,2,5
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
WORDS_IN_DOCUMENT = 300
MEGABYTE = 10**6
COUNTED = ("stories", "pairs", "mentions", "sequences")

Texts = list[dict[str, str]]

CHILD = """
import json, sys
from cdcoref.formats import read_corpus
from cdcoref.predict.predictor import PredictionOptions, load

source, model, options = sys.argv[1:]
corpus = read_corpus([source]).corpus
plans = []
counts = {"stories": 0, "sequences": 0, "mentions": 0}
for story in load(model).stream(corpus, PredictionOptions(**json.loads(options)), announce=plans.append):
    counts["stories"] += 1
    counts["sequences"] += story.sequences
    counts["mentions"] += len(story.corpus.mentions)
print(json.dumps({**counts, "documents": len(corpus.documents), "pairs": plans[0].pairs}))
"""
"""A prediction that is only counted; the same words in every version of cdcoref."""


@dataclass(frozen=True)
class Cost:
    """The cost of one run: what was counted, seconds, seconds of processor time, and megabytes of peak memory.

    What was not counted, because the run was ended before, is missing.
    """

    counts: dict[str, int]
    seconds: float
    processor: float
    megabytes: float


def documents_of(path: Path) -> Iterator[dict[str, str]]:
    """The documents of the sets, title and text combined."""
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as file:
        for line in file:
            for document in json.loads(line)["documents"]:
                yield {"id": document["id"], "text": f"{document['title']}\n\n{document['text']}"}


def sampled_documents(ecb_root: Path, count: int) -> Texts:
    """Documents made of sentences of ECB+'s train topics; the first ones of any number of them are the same."""
    from cdcoref.corpora import corpus_folders

    corpus = corpus_folders([f"ecb:{ecb_root}"])[0].read("train").corpus
    sentences = [
        " ".join(document.tokens[start:end])
        for document in sorted(corpus.documents, key=lambda document: document.id)
        for number, (start, end) in enumerate(document.sentences)
        if number not in document.hidden
    ]
    chance = random.Random(0)
    documents = []
    for number in range(count):
        lines: list[str] = []
        while sum(len(line.split()) for line in lines) < WORDS_IN_DOCUMENT:
            lines.append(chance.choice(sentences))
        documents.append({"id": f"{number:05}", "text": "\n\n".join(lines)})
    return documents


def long_document(texts: Sequence[dict[str, str]], megabytes: float) -> Texts:
    """One document of the given length: the texts one after the other, from the first again after the last."""
    parts: list[str] = []
    left = megabytes * MEGABYTE
    while left > 0:
        text = texts[len(parts) % len(texts)]["text"]
        parts.append(text)
        left -= len(text.encode()) + 2
    return [{"id": "long", "text": "\n\n".join(parts)}]


def run(tree: Path, documents: Texts, model: str, options: dict[str, Any], limit: float | None = None) -> Cost:
    """Predict documents with the cdcoref of a checkout, in a process of its own.

    After ``limit`` seconds of processor time the system ends the process.
    """

    def limit_processor() -> None:
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(limit), resource.RLIM_INFINITY))

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source, result, log = folder / "documents.jsonl", folder / "result.json", folder / "log"
        source.write_text("".join(json.dumps(document) + "\n" for document in documents), encoding="utf-8")
        command = [sys.executable, "-c", CHILD, str(source), model, json.dumps(options)]
        started = time.perf_counter()
        with log.open("w", encoding="utf-8") as errors, result.open("w", encoding="utf-8") as output:
            environment = {**os.environ, "PYTHONPATH": str(tree)}
            process = subprocess.Popen(
                command, stdout=output, stderr=errors, cwd=folder, env=environment, preexec_fn=limit_processor
            )
            _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode == -signal.SIGXCPU:
            counts = {}
        elif process.returncode:
            sys.exit(log.read_text(encoding="utf-8"))
        else:
            counts = json.loads(result.read_text(encoding="utf-8"))
    return Cost(counts, seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def row(name: str, size: float, cost: Cost, before: tuple[float, Cost] | None, first: Cost) -> str:
    """A row of the table."""
    counts = cost.counts
    exponent = ""
    if before is not None and before[0] != size:
        exponent = f"{math.log(cost.processor / before[1].processor) / math.log(size / before[0]):.2f}"
    cells = [name, f"{size:,g}", *(f"{counts[key]:,}" if key in counts else "ended" for key in COUNTED)]
    cells += [f"{cost.seconds:.0f}", f"{cost.processor:.0f}", f"{cost.processor / first.processor:.2f}", exponent]
    return f"| {' | '.join([*cells, f'{cost.megabytes:.0f}'])} |"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", type=Path, nargs="?", help="file of related sets of documents")
    parser.add_argument("--sizes", default="500,1000,2000", help="sizes, separated by commas")
    parser.add_argument("--story", type=Path, metavar="ECB_ROOT", help="one long story made of sentences of ECB+")
    parser.add_argument("--document", action="store_true", help="one long document made of the texts of the sets")
    parser.add_argument("--topics", default="predicted", help="as for cdcoref predict")
    parser.add_argument("--candidates", type=int, help="as for cdcoref predict")
    parser.add_argument("--model", default="default", help="as for cdcoref predict")
    parser.add_argument("--against", type=Path, metavar="WORKTREE", help="another checkout to take turns with")
    parser.add_argument(
        "--stop-at", type=float, metavar="RATIO", help="end the other at this multiple of processor time"
    )
    parser.add_argument("--repeats", type=int, default=1, help="runs of every size; the fastest counts")
    arguments = parser.parse_args()
    if (arguments.sets is None) == (arguments.story is None):
        parser.error("give a file of sets, or --story")
    if arguments.stop_at and not arguments.against:
        parser.error("--stop-at ends the other version; name it with --against")
    options: dict[str, Any] = {"topics": "none" if arguments.story else arguments.topics}
    if arguments.candidates is not None:
        options["candidates"] = arguments.candidates
    texts = [] if arguments.story else list(documents_of(arguments.sets))
    trees = {"this": ROOT, **({"other": arguments.against.resolve()} if arguments.against else {})}
    names = ["version", "size", "stories", "pairs of documents", "mentions", "sequences", "seconds", "processor"]
    names += ["to the first", "exponent", "peak memory, MB"]
    print(f"| {' | '.join(names)} |\n|{' ---: |' * len(names)}", flush=True)
    first: dict[str, Cost] = {}
    before: dict[str, tuple[float, Cost]] = {}
    for size in map(float, arguments.sizes.split(",")):
        if arguments.story:
            documents = sampled_documents(arguments.story, int(size))
        else:
            documents = long_document(texts, size) if arguments.document else texts[: int(size)]
        costs: dict[str, list[Cost]] = {name: [] for name in trees}
        for _ in range(arguments.repeats):
            limit = None
            for name, tree in trees.items():
                costs[name].append(run(tree, documents, arguments.model, options, limit))
                if arguments.stop_at:
                    limit = arguments.stop_at * costs["this"][-1].processor
        for name in trees:
            best = min(costs[name], key=lambda cost: cost.processor)
            print(row(name, size, best, before.get(name), first.setdefault(name, best)), flush=True)
            before[name] = size, best
        if arguments.against:
            this, other = (before[name][1] for name in trees)
            takes = "takes" if other.counts else "was ended at"
            print(f"{size:,g}: the other {takes} {other.processor / this.processor:.1f} times as long", flush=True)


if __name__ == "__main__":
    main()

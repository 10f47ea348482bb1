"""How many of the nearest mentions are found in cells, and how long that takes, against comparing all with all.

The entities that the default model finds in documents of a file of related sets (one JSON object per line,
``{"documents": [{"id", "title", "text"}, ...]}``, plain or gzipped) are one story; the `NEIGHBOURS` nearest of each are
sought exactly, and in cells of several sizes.

    python scripts/benchmark.py neighbours SETS.jsonl.gz --documents 250 --in-cell 25,50,100
"""

from __future__ import annotations

import argparse
import gzip
import json
import time
from pathlib import Path

import numpy as np

from cdcoref.corpus import ENTITY
from cdcoref.formats import tokenise_text
from cdcoref.linking import mention_neighbours as neighbours
from cdcoref.linking import read
from cdcoref.predict import load
from cdcoref.reading import MentionVectors

NEIGHBOURS = 48


def entities_of(path: Path, count: int) -> MentionVectors:
    """The vectors of the entities of the first documents of the sets."""
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as file:
        texts = [document for line in file for document in json.loads(line)["documents"]][:count]
    documents = [tokenise_text(f"{text['title']}\n\n{text['text']}", text["id"]) for text in texts]
    found = []
    for reading in read(load().model, documents, batch_tokens=8192):
        if reading.vectors is not None and reading.mentions:
            entities = [n for n, mention in enumerate(reading.mentions) if mention.kind == ENTITY]
            found.append(reading.vectors.take(entities))
    return MentionVectors.joined(found)


def near(vectors: MentionVectors, exact: int, in_cell: int) -> tuple[np.ndarray, float]:
    """Pairs of mentions where one is among the other's nearest, and seconds of processor time."""
    neighbours.EXACT, neighbours.IN_CELL = exact, in_cell
    started = time.process_time()
    pairs = neighbours.near_pairs(vectors, [], NEIGHBOURS, 1)
    return pairs, time.process_time() - started


def main() -> None:
    """Print a row for every size of cells."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", type=Path, help="file of related sets of documents")
    parser.add_argument("--documents", type=int, default=250)
    parser.add_argument("--in-cell", default="25,50,100", help="mentions in a cell, separated by commas")
    arguments = parser.parse_args()
    vectors = entities_of(arguments.sets, arguments.documents)
    exact, seconds = near(vectors, len(vectors), 1)
    print(f"{len(vectors):,} entities, {len(exact):,} pairs; all compared with all: {seconds:.1f} s\n")
    print("| in a cell | cells | compared with | found | seconds |\n| ---: | ---: | ---: | ---: | ---: |", flush=True)
    for in_cell in map(int, arguments.in_cell.split(",")):
        pairs, seconds = near(vectors, 0, in_cell)
        cells = max(2, round(len(vectors) / in_cell))
        share = 100 * min(1.0, neighbours.CELLS_SEARCHED / cells)
        found = 100 * len(np.intersect1d(pairs, exact, assume_unique=True)) / len(exact)
        print(f"| {in_cell} | {cells} | {share:.0f} % | {found:.1f} % | {seconds:.1f} |", flush=True)


if __name__ == "__main__":
    main()

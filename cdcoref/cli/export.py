"""``cdcoref export``: ECB+ in the formats that other commands read."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer


def export(
    ecb_root: Annotated[Path, typer.Option(help="Folder of ECB+ 1.0.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="The file to write: .conll or .jsonl (or with .gz).")],
    split: Annotated[Literal["train", "dev", "test"], typer.Option(help="Which split of ECB+.")] = "dev",
    kind: Annotated[Literal["event", "entity", "both"], typer.Option(help="Which mentions.")] = "both",
    layout: Annotated[
        Literal["cross-document", "2012"],
        typer.Option(help="Columns of a .conll file: with topics and subtopics, or those of CoNLL-2012."),
    ] = "cross-document",
) -> None:
    """Write a split of ECB+ with its annotated clusters, as a key for ``cdcoref score`` or as input for training.

    Cluster numbers mean the same in the whole file.
    """
    from cdcoref.corpora import read_ecb
    from cdcoref.formats import fill_gaps, write_corpus

    corpus = read_ecb(ecb_root, split).of_kind(kind)
    filled = 0
    if output.name.removesuffix(".gz").endswith(".conll"):
        corpus, filled = fill_gaps(corpus)
    write_corpus(corpus, output, layout=layout)
    print(f"{output}: {len(corpus.documents)} documents, {len(corpus.mentions)} mentions", file=sys.stderr)
    if filled:
        print(
            f"{filled} of the mentions are discontinuous, which CoNLL cannot say; each was written from its first to "
            "its last token (JSON lines keep the gaps)",
            file=sys.stderr,
        )

"""``cdcoref export``: an annotated corpus in the formats that other commands read."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from cdcoref.cli.corpus_options import CorpusOption, EcbOption, SplitOption, one_corpus


def export(
    output: Annotated[Path, typer.Option("-o", "--output", help="The file to write: .conll or .jsonl (or with .gz).")],
    corpus: CorpusOption = None,
    ecb_root: EcbOption = None,
    split: SplitOption = "dev",
    kind: Annotated[Literal["event", "entity", "both"], typer.Option(help="Which mentions.")] = "both",
    layout: Annotated[
        Literal["cross-document", "2012"],
        typer.Option(help="Columns of a .conll file: with topics and subtopics, or those of CoNLL-2012."),
    ] = "cross-document",
) -> None:
    """Write a split of a corpus with its annotated clusters, as a key for ``cdcoref score`` or as input for training.

    Cluster numbers mean the same in the whole file.
    """
    from cdcoref.formats import fill_gaps, write_corpus

    folder = one_corpus(corpus, ecb_root)
    gold = folder.read(split).corpus.of_kind(kind)
    filled = 0
    if output.name.removesuffix(".gz").endswith(".conll"):
        gold, filled = fill_gaps(gold)
    write_corpus(gold, output, layout=layout)
    for note in gold.notes:
        print(f"cdcoref: {note}", file=sys.stderr)
    print(f"{output}: {len(gold.documents)} documents, {len(gold.mentions)} mentions", file=sys.stderr)
    if filled:
        print(
            f"{filled} of the mentions are discontinuous, which CoNLL cannot say; each was written from its first to "
            "its last token (JSON lines keep the gaps)",
            file=sys.stderr,
        )

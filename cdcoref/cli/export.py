"""``cdcoref export``: ECB+ in the formats that other commands read."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from cdcoref.cli.output_options import LayoutOption
from cdcoref.wording import counted


def export(
    ecb_root: Annotated[Path, typer.Option(help="Folder of ECB+ 1.0.")],
    output: Annotated[
        Path, typer.Option("-o", "--output", help="The file to write: .jsonl, .conll or .conllu (or with .gz).")
    ],
    split: Annotated[Literal["train", "dev", "test"], typer.Option(help="Which split of ECB+.")] = "dev",
    kind: Annotated[Literal["event", "entity", "both"], typer.Option(help="Which mentions.")] = "both",
    layout: LayoutOption = None,
) -> None:
    """Write a split of ECB+ with its annotated clusters, as a key for ``cdcoref score`` or as input for training.

    Cluster numbers mean the same in the whole file.
    """
    from cdcoref.corpora import read_ecb
    from cdcoref.formats import output_format, write_corpus

    output_format(output, layout)
    corpus = read_ecb(ecb_root, split).of_kind(kind)
    notes = write_corpus(corpus, output, layout=layout)
    written = f"{counted(len(corpus.documents), 'document')}, {counted(len(corpus.mentions), 'mention')}"
    for sentence in (written, *notes):
        print(f"cdcoref: {output}: {sentence}", file=sys.stderr)

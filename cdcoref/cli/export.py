"""``cdcoref export``: write an annotated corpus in a format that other commands read."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from cdcoref.cli.corpus_options import CorpusOption, EcbOption, SplitOption, one_corpus
from cdcoref.cli.output_options import LayoutOption
from cdcoref.wording import counted


def export(
    output: Annotated[
        Path,
        typer.Option("-o", "--output", help="Output file: .jsonl, .conll, .conllu or .spacy, optionally with .gz."),
    ],
    corpus: CorpusOption = None,
    ecb_root: EcbOption = None,
    split: SplitOption = "dev",
    kind: Annotated[Literal["event", "entity", "both"], typer.Option(help="Kind of mentions to write.")] = "both",
    layout: LayoutOption = None,
) -> None:
    """Write a split of a corpus with its annotated clusters, as a key for `cdcoref score` or as input for training.

    A cluster has the same name in all documents of the file.
    """
    from cdcoref.formats import output_format, write_corpus

    output_format(output, layout)
    gold = one_corpus(corpus, ecb_root).read(split).corpus.of_kind(kind)
    for note in gold.notes:
        print(f"cdcoref: {note}", file=sys.stderr)
    notes = write_corpus(gold, output, layout=layout)
    written = f"{counted(len(gold.documents), 'document')}, {counted(len(gold.mentions), 'mention')}"
    for sentence in (written, *notes):
        print(f"cdcoref: {output}: {sentence}", file=sys.stderr)

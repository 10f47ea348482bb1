"""``cdlm convert``: the command line of :mod:`cdlm.convert`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

EXAMPLES = ("cdlm convert roberta-base -o long-roberta",)


def convert(
    source: Annotated[
        str, typer.Argument(metavar="CHECKPOINT", help="BERT, RoBERTa or MPNet checkpoint: a folder or a hub name.")
    ],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="DIR", help="Folder for the long encoder.")],
    max_length: Annotated[int, typer.Option(metavar="N", min=1, help="Maximum length of a sequence in tokens.")] = 4096,
    window: Annotated[
        int, typer.Option(metavar="N", min=2, help="Total width of the attention window, in tokens.")
    ] = 256,
) -> None:
    """Convert a BERT, RoBERTa or MPNet checkpoint to a long encoder with sliding-window and global attention."""
    from cdlm.convert import convert as convert_checkpoint

    model = convert_checkpoint(source, output, max_length=max_length, window=window)
    parameters = sum(parameter.numel() for parameter in model.parameters())
    print(f"{output}: {parameters / 1e6:.1f}M parameters, {max_length} positions, window {window}")

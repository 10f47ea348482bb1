"""``cdlm tables``: the command line of :mod:`cdlm.tables`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cdlm.cli.match import name_and_folder

EXAMPLES = ("cdlm tables", "cdlm tables 2 8 --ecb-root DIR")


def tables(
    numbers: Annotated[
        list[int] | None, typer.Argument(metavar="NUMBERS", help="Numbers of the tables, 1 to 10.", show_default="all")
    ] = None,
    results: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Folder of the results that the printed commands write.",
        ),
    ] = None,
    ecb_root: Annotated[Path | None, typer.Option(metavar="DIR", help="Folder of ECB+ 1.0, for table 8.")] = None,
    multi_news: Annotated[
        Path | None, typer.Option(metavar="PATH", help="Folder or training file of Multi-News, for table 7.")
    ] = None,
    matching: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME:DIR",
            help="Matching benchmark (aan, oc, s2orc or pan) and its folder, for tables 9 and 10. Repeatable.",
        ),
    ] = None,
) -> None:
    """Print the tables of the paper with values measured here beside the published ones, in Markdown.

    The commands that measure what is missing follow each table.
    """
    from cdlm.tables import CorpusFolders, filled_tables, markdown

    benchmarks = dict(name_and_folder("--matching", text) for text in matching or [])
    filled = filled_tables(numbers or (), results=results, folders=CorpusFolders(ecb_root, multi_news, benchmarks))
    print(markdown(filled))

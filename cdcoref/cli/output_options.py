"""Options for the output file that ``cdcoref predict`` and ``cdcoref export`` share."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

LayoutOption = Annotated[
    Literal["cross-document", "2012"] | None,
    typer.Option(
        help="Layout of a .conll file. Default: cross-document (eight columns with topics, all documents in one block, "
        "so that every scorer counts links between documents); 2012: CoNLL-2012, with one block per document.",
        show_default=False,
    ),
]

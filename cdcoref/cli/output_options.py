"""What ``cdcoref predict`` and ``cdcoref export`` ask for in the same words about the file that they write."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

LayoutOption = Annotated[
    Literal["cross-document", "2012"] | None,
    typer.Option(
        help="Layout of a .conll file. cross-document (the default): eight columns with topics, and all documents in "
        "one block, so that every scorer counts links across documents; 2012: that of CoNLL-2012, a block a document.",
        show_default=False,
    ),
]

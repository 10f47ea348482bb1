"""``cdcoref remove``: documents out of a collection."""

from __future__ import annotations

from typing import Annotated

import typer

from cdcoref.cli.collection_options import FileArgument, say, say_report

EXAMPLES = ("cdcoref remove news.cdcoref monday.txt", "cdcoref show news.cdcoref --documents")


def remove(
    file: FileArgument,
    documents: Annotated[
        list[str],
        typer.Argument(
            metavar="DOCUMENTS", help="Ids of documents, as `cdcoref show` prints them.", show_default=False
        ),
    ],
) -> None:
    """Remove documents from a collection, and cluster the rest of their stories again."""
    from cdcoref.collection import Collection
    from cdcoref.views import counts_line

    with Collection.open(file) as collection:
        say_report(collection.remove(documents))
        say([f"{file}: {counts_line(collection.counts())}"])

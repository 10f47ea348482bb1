"""``cdcoref remove``: documents out of a collection."""

from __future__ import annotations

from typing import Annotated

import typer

from cdcoref.cli.collection_options import FileArgument, say, say_report


def remove(
    file: FileArgument,
    documents: Annotated[
        list[str],
        typer.Argument(metavar="DOCUMENT...", help="Documents, by id (see cdcoref show).", show_default=False),
    ],
) -> None:
    """Remove documents from a collection; the rest of their stories is clustered again."""
    from cdcoref.collection import Collection
    from cdcoref.views import counts_line

    with Collection.open(file) as collection:
        say_report(collection.remove(documents))
        say([f"{file}: {counts_line(collection.counts())}"])

"""``cdcoref remove``: documents out of a collection."""

from __future__ import annotations

from typing import Annotated

import typer

from cdcoref.cli.collection_options import FileArgument, say_change
from cdcoref.cli.option_groups import option
from cdcoref.errors import InputError

EXAMPLES = ("cdcoref remove news.cdcoref monday.txt", "cdcoref remove news.cdcoref --undo")


def remove(
    file: FileArgument,
    documents: Annotated[
        list[str] | None,
        typer.Argument(metavar="DOCUMENTS", help="Ids of documents, which `cdcoref show FILE --documents` lists."),
    ] = None,
    undo: bool = option(False, "Put removed documents back; without ids, those that were removed last.", "--undo"),
) -> None:
    """Remove documents from a collection, and cluster the rest of their stories again.

    Removed documents are kept, for --undo, until the collection is rebuilt.
    """
    from cdcoref.collection import Collection

    if not documents and not undo:
        raise InputError("name the documents to remove, or undo the latest removal with --undo")
    with Collection.open(file) as collection:
        report = collection.restore(documents or None) if undo else collection.remove(documents or ())
        say_change(collection, file, report)

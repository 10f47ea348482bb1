"""``cdcoref add``: documents into a collection."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from cdcoref.cli.collection_options import FileArgument, Kept, change_progress, say_change
from cdcoref.cli.input_options import FilesArgument, Reading
from cdcoref.cli.messages import exit_if_skipped
from cdcoref.cli.model_options import Computing
from cdcoref.errors import InputError

if TYPE_CHECKING:
    from cdcoref.predict import Predictor

EXAMPLES = (
    "cdcoref add news.cdcoref monday/",
    "cdcoref add news.cdcoref tuesday/ wednesday/report.pdf",
    "cdcoref add new.cdcoref articles.jsonl --kind event",
)


def add(file: FileArgument, documents: FilesArgument, kept: Kept, reading: Reading, computing: Computing) -> None:
    """Add documents to a collection, a file FILE.cdcoref that is created if it does not exist.

    Each new document is read by itself; then its mentions are compared with those of the most similar documents of its
    story. Only stories that receive a document, and other stories about the same subject, change. Clusters keep their
    ids. A document that is already in the collection is recognised by its content; a changed document replaces its
    earlier version.
    """
    computing.check()
    exists = file.exists() and not file.is_dir() and file.stat().st_size > 0
    _check_collection(file, exists)
    from cdcoref.collection import OPTIONS, Collection
    from cdcoref.predict import LEMMA

    before, own_model = OPTIONS, "default"
    if exists:
        with Collection.open(file) as collection:
            before, own_model = collection.options, collection.model
    options = kept.changed(before)
    name = kept.model or own_model
    if exists:
        Collection.create(file, name, options).close()  # refuses other options than the collection's
    loaded = reading.read(
        documents,
        kind=None if kept.kind == "both" else kept.kind,
        without=file,
        every_kind=options.kind == "both" and name != LEMMA,
    )
    if not loaded.corpus.documents:
        raise InputError("there is no document to add")
    ready = partial(computing.load, name)
    predictor: Predictor | Callable[[], Predictor] = ready
    if not exists and (name != LEMMA or not loaded.corpus.mentions):
        predictor = ready()  # before there is a file: a model that cannot be loaded leaves no empty collection
    with Collection.create(file, name, options) as collection:
        try:
            with change_progress() as progress:
                report = collection.add(loaded.corpus, predictor, **computing.batch, progress=progress)
        except BaseException:
            if not exists:
                collection.discard()
            raise
        say_change(collection, file, report)
    exit_if_skipped(loaded.problems)


def _check_collection(file: Path, exists: bool) -> None:
    """Refuse what neither is nor can become a collection, which often is an input in its place."""
    from cdcoref.formats import COLLECTION_SUFFIX, is_collection

    if file.is_dir():
        raise InputError("this is a folder; the first argument is the collection's file, such as news.cdcoref", file)
    if exists and not is_collection(file):
        raise InputError("this is not a collection; the first argument is the collection's file", file)
    if not exists and file.suffix != COLLECTION_SUFFIX:
        raise InputError(
            f"the name of a new collection must end in {COLLECTION_SUFFIX}; "
            "the first argument is the collection's file",
            file,
        )
    if not file.absolute().parent.is_dir():
        raise InputError("the folder of the collection does not exist; create it first", file)

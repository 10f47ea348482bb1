"""``cdcoref add``, ``remove`` and ``rebuild``: what changes the documents of a collection."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, ClassVar

import typer

from cdcoref import collection as stored
from cdcoref import formats, predict
from cdcoref.cli.messages import StageProgress, exit_if_skipped, say
from cdcoref.cli.options import Computing, FilesArgument, Kind, Reading, given, option
from cdcoref.errors import InputError

EXAMPLES = {
    "add": (
        "cdcoref add news.cdcoref monday/",
        "cdcoref add news.cdcoref tuesday/ wednesday/report.pdf",
        "cdcoref add new.cdcoref articles.jsonl --kind event",
    ),
    "remove": ("cdcoref remove news.cdcoref monday.txt",),
    "rebuild": ("cdcoref rebuild news.cdcoref", "cdcoref rebuild news.cdcoref --model my-model --threshold 0.6"),
}
FileArgument = Annotated[Path, typer.Argument(metavar="FILE", help="The collection.")]


@dataclass(frozen=True)
class Kept:
    """The options that a collection keeps."""

    PANEL: ClassVar = "Options of the collection"
    model: str | None = option(
        None,
        "base, small (lighter), lemma (the baseline that links mentions with the same head lemma), a model's folder or "
        "a hub name. Default: the collection's; in a new collection, base.",
        metavar="NAME",
    )
    kind: Kind | None = option(None, "Kind of mentions to link. Default: the collection's; in a new collection, both.")
    threshold: float | None = option(
        None,
        "Merge clusters while the probability that they corefer is above P. Default: the collection's; in a new "
        "collection, the model's.",
        metavar="P",
    )
    max_pairs: int | None = option(
        None,
        "Compare each document with at most the N most similar documents of its story. Default: the collection's; in a "
        "new collection, 20.",
        metavar="N",
    )

    def changed(self, before: predict.PredictionOptions) -> predict.PredictionOptions:
        """A collection's options with those that were given; an `InputError` if a value is out of its range."""
        changes = given(kind=self.kind, threshold=self.threshold, max_pairs=self.max_pairs)
        return predict.PredictionOptions.with_settings(before, changes)


@contextmanager
def change_progress() -> Iterator[predict.Progress]:
    """Show the progress of a change; if it is interrupted, exit with 130."""
    try:
        with StageProgress() as bars:
            yield bars.update
    except KeyboardInterrupt:
        say("interrupted; a change is stored whole or not at all, and `cdcoref show` says which")
        sys.exit(130)


def say_change(collection: stored.Collection, file: Path, report: stored.Report) -> None:
    """Say what a change did, and what is in the collection now."""
    say(*stored.report_lines(report), f"{file}: {stored.counts_line(collection.counts())}")


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
    before, own_model = stored.OPTIONS, "default"
    if exists:
        with stored.Collection.open(file) as collection:
            before, own_model = collection.options, collection.model
    options = kept.changed(before)
    name = kept.model or own_model
    if exists:
        stored.Collection.create(file, name, options).close()  # refuses other options than the collection's
    loaded = reading.read(
        documents,
        kind=None if kept.kind == "both" else kept.kind,
        without=file,
        every_kind=options.kind == "both" and name != predict.LEMMA,
    )
    if not loaded.corpus.documents:
        raise InputError("there is no document to add")
    ready = partial(computing.load, name)
    predictor: predict.Predictor | Callable[[], predict.Predictor] = ready
    if not exists and (name != predict.LEMMA or not loaded.corpus.mentions):
        predictor = ready()  # before there is a file: a model that cannot be loaded leaves no empty collection
    with stored.Collection.create(file, name, options) as collection:
        with change_progress() as progress:
            report = collection.add(loaded.corpus, predictor, **computing.batch, progress=progress)
        say_change(collection, file, report)
    exit_if_skipped(loaded.problems)


def _check_collection(file: Path, exists: bool) -> None:
    """Refuse what neither is nor can become a collection, which often is an input in its place."""
    if file.is_dir():
        raise InputError("this is a folder; the first argument is the collection's file, such as news.cdcoref", file)
    if exists and not formats.is_collection(file):
        raise InputError("this is not a collection; the first argument is the collection's file", file)
    if not exists and file.suffix != formats.COLLECTION_SUFFIX:
        raise InputError(
            f"the name of a new collection must end in {formats.COLLECTION_SUFFIX}; "
            "the first argument is the collection's file",
            file,
        )
    if not file.absolute().parent.is_dir():
        raise InputError("the folder of the collection does not exist; create it first", file)


def remove(
    file: FileArgument,
    documents: Annotated[
        list[str],
        typer.Argument(metavar="DOCUMENTS", help="Ids of documents, which `cdcoref show FILE --documents` lists."),
    ],
) -> None:
    """Remove documents from a collection, and cluster the rest of their stories again.

    If you add a removed document again, its corrections hold again.
    """
    with stored.Collection.open(file) as collection:
        say_change(collection, file, collection.remove(documents))


def rebuild(file: FileArgument, kept: Kept, computing: Computing) -> None:
    """Rebuild a collection from its documents: predict all of them at once, then apply the corrections.

    A cluster keeps its id if it shares mentions with the cluster that had the id before. Options that you give replace
    those of the collection from now on.
    """
    computing.check()
    with stored.Collection.open(file) as collection:
        options = kept.changed(collection.options)
        predictor = computing.load(kept.model or collection.model)
        with change_progress() as progress:
            report = collection.rebuild(
                predictor, model=kept.model, options=options, **computing.batch, progress=progress
            )
        say_change(collection, file, report)

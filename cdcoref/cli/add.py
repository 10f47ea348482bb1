"""``cdcoref add``: documents into a collection."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from cdcoref.cli.collection_options import (
    FileArgument,
    KindOption,
    MaxPairsOption,
    ModelOption,
    ThresholdOption,
    WithinStoriesOption,
    change_progress,
    chosen_options,
    say,
    say_report,
)
from cdcoref.cli.input_options import (
    EncodingOption,
    FilesArgument,
    PipelineOption,
    SinceOption,
    SourceOption,
    TextColumnOption,
    chosen_documents,
    reading_remarks,
)
from cdcoref.cli.model_options import BatchOption, DeviceOption, PrecisionOption
from cdcoref.errors import InputError
from cdlm.printing import counted

if TYPE_CHECKING:
    from cdcoref.predict import Predictor

EXAMPLES = (
    "cdcoref add news.cdcoref monday/",
    "cdcoref add news.cdcoref tuesday/ wednesday/report.pdf",
    "cdcoref add new.cdcoref articles.jsonl --kind event",
)


def add(
    file: FileArgument,
    documents: FilesArgument,
    model: ModelOption = None,
    kind: KindOption = None,
    threshold: ThresholdOption = None,
    max_pairs: MaxPairsOption = None,
    within_stories: WithinStoriesOption = None,
    pipeline: PipelineOption = None,
    encoding: EncodingOption = None,
    text_column: TextColumnOption = None,
    since: SinceOption = None,
    source: SourceOption = None,
    device: DeviceOption = None,
    precision: PrecisionOption = "auto",
    batch_tokens: BatchOption = None,
) -> None:
    """Add documents to a collection, a file FILE.cdcoref that is created if it does not exist.

    Each new document is read by itself; then its mentions are compared with those of the most similar documents of its
    story. Only stories that receive a document, and other stories about the same subject, change. Clusters keep their
    ids. A document that is already in the collection is recognised by its content; a changed document replaces its
    earlier version.
    """
    from cdcoref.formats import COLLECTION_SUFFIX, is_collection, read_corpus

    if file.is_dir():
        raise InputError("this is a folder; the first argument is the collection's file, such as news.cdcoref", file)
    exists = file.exists() and file.stat().st_size > 0
    if exists and not is_collection(file):
        raise InputError(f"{_described(file)}, not a collection; the first argument is the collection's file", file)
    if not exists and file.suffix != COLLECTION_SUFFIX:
        raise InputError(
            f"the name of a new collection must end in {COLLECTION_SUFFIX}; "
            "the first argument is the collection's file",
            file,
        )
    if not file.absolute().parent.is_dir():
        raise InputError("the folder of the collection does not exist; create it first", file)
    from cdcoref.collection import OPTIONS, Collection, counts_line
    from cdcoref.predict import LEMMA, check_device, load

    before, own_model = OPTIONS, "default"
    if exists:
        with Collection.open(file) as collection:
            before, own_model = collection.options, collection.model
    options, batch = chosen_options(
        before,
        within_stories,
        batch_tokens,
        kind=kind,
        threshold=threshold,
        max_pairs=max_pairs,
    )
    name = model or own_model
    if exists:
        Collection.create(file, name, options).close()  # refuses other options than the collection's
    if device is not None:
        check_device(device)
    loaded = read_corpus(
        documents,
        pipeline=pipeline,
        encoding=encoding,
        kind=None if kind == "both" else kind,
        with_clusters=False,
        without=file,
        text_column=text_column,
        every_kind=options.kind == "both" and name != LEMMA,
    )
    loaded = replace(loaded, corpus=chosen_documents(loaded.corpus, since, source))
    say(reading_remarks(loaded))
    if not loaded.corpus.documents:
        raise InputError("there is no document to add")
    ready = partial(load, name, device=device, precision=precision)
    predictor: Predictor | Callable[[], Predictor] = ready
    if not exists and (name != LEMMA or not loaded.corpus.mentions):
        predictor = ready()  # before there is a file: a model that cannot be loaded leaves no empty collection
    with Collection.create(file, name, options) as collection:
        try:
            with change_progress() as progress:
                report = collection.add(loaded.corpus, predictor, batch_tokens=batch, progress=progress)
        except BaseException:
            if not exists:
                collection.discard()
            raise
        say_report(report)
        say([f"{file}: {counts_line(collection.counts())}"])
    if loaded.problems:
        say([f"{counted(len(loaded.problems), 'unusable input')} skipped; see above"])
        sys.exit(2)


def _described(file: Path) -> str:
    """What a file is that is no collection."""
    from cdcoref.formats import format_of

    try:
        name = format_of(file).name
    except InputError:  # neither text nor in a known format
        return "this is another file"
    if name == "collection":  # by its suffix alone
        return "this is another file"
    return "this is a text" if name == "plain text" else f"this is a file in the format {name}"

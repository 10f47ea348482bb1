"""``cdcoref stats`` and ``export``: what annotated corpora and collections hold, counted or in another format."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, ClassVar

import typer

from cdcoref import collection, corpora, formats, predict, views
from cdcoref.cli.messages import exit_if_skipped, say, say_problems
from cdcoref.cli.options import MENTIONS, Choice, CorpusSplit, Kind, NamedCorpus, option
from cdcoref.cli.output_options import Outputs
from cdcoref.corpus import Corpus
from cdcoref.errors import InputError
from cdlm.printing import counted

EXAMPLES = {
    "stats": ("cdcoref stats --ecb-root ecb+/", "cdcoref stats my-annotation.jsonl --json"),
    "export": (
        "cdcoref export news.cdcoref -o news.html",
        "cdcoref export news.cdcoref --corrected -o corrections.jsonl",
        "cdcoref export --ecb-root ecb+/ --split dev -o dev.conll",
    ),
}


def stats(
    corpus: NamedCorpus,
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="FILES", help="Annotated files of your own (.jsonl, .conll), instead of a corpus."),
    ] = None,
    as_json: bool = option(False, "Print JSON instead of a table.", "--json"),
) -> None:
    """Count the documents, mentions and clusters of every split."""
    folder = corpus.folder(bool(files), "files of your own")
    problems: Sequence[str] = ()
    if folder is not None:
        splits = {split: folder.read(split).corpus for split in folder.splits()}
        if not splits:
            folder.read("dev")  # raises an error that says what is missing
        remarks = [note for split in splits.values() for note in split.notes]
    else:
        loaded = formats.read_corpus(files or [], formats.ReadOptions(ids=corpus.ids))
        problems, remarks = loaded.problems, list(loaded.corpus.notes)
        splits = {"corpus": loaded.corpus} if loaded.corpus.documents else {}
        if not splits and not problems:
            problems, remarks = [*remarks, "the input contains no documents"], []
    numbers = {name: asdict(corpora.corpus_statistics(split)) for name, split in splits.items()}
    if as_json:
        about = {} if folder is None else {"corpus": asdict(folder.info)}
        print(json.dumps({**numbers, **about}, indent=2))
    elif numbers:
        print(views.statistics_text(numbers))
    if folder is not None and not as_json:
        remarks += _described(folder.info)
    for remark in remarks:
        print(remark, file=sys.stderr if as_json else sys.stdout)
    say_problems(problems)
    if problems:
        sys.exit(2)


def _described(info: corpora.CorpusInfo) -> list[str]:
    links = "across documents" if info.cross_document else "within documents"
    learnt = " and ".join(info.exhaustive) or "no"
    return [
        f"{info.title} ({info.citation}): {' and '.join(info.kinds)} mentions, linked {links}, "
        f"{'with' if info.singletons else 'without'} singletons; annotated sentences: {info.sentences}; "
        f"{learnt} mentions are annotated exhaustively",
        f"licence: {info.licence}; {info.source}",
    ]


@dataclass(frozen=True)
class Exported:
    """What is exported."""

    PANEL: ClassVar = MENTIONS
    kind: Kind = option("both", "Kind of mentions to write; mentions without a kind get this kind.")
    corrected: bool = option(False, "Only the documents of a collection that have a corrected mention.", "--corrected")
    relations: str | None = option(
        None,
        "Relations of brat, Label Studio, Prodigy and doccano that mean coreference, such as Identity,SameEvent. "
        "Default: those whose names say so.",
        metavar="NAMES",
    )


def export(
    outputs: Outputs,
    corpus: CorpusSplit,
    exported: Exported,
    choice: Choice,
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="FILES",
            help="A collection (.cdcoref), annotated files, folders of them or - for standard input, instead of a "
            "corpus.",
        ),
    ] = None,
) -> None:
    """Write a collection, a split of an annotated corpus, or annotated files with their clusters in another format.

    The result is a key for `cdcoref score`, input for training, or a page to read. A cluster has the same name in
    all documents of the output.
    """
    if not outputs.output:
        raise InputError("name the file to write with -o, such as -o news.html")
    outputs.check(files or [])
    content, problems = _read(files or [], exported, corpus, choice.names_of_columns())
    say_problems(problems)
    if isinstance(content, Corpus):
        content = written = choice.of(content.of_kind(exported.kind))
    else:
        written = choice.of(content.corpus.of_kind(exported.kind))
        content = replace(content.subset(document.id for document in written.documents), corpus=written)
    say(*written.notes)
    if not written.documents:
        raise InputError("the input contains no documents")
    counts = f"{counted(len(written.documents), 'document')}, {counted(len(written.mentions), 'mention')}"
    for output, notes in outputs.write(content):
        say(*(f"{output}: {sentence}" for sentence in (counts, *notes)))
    exit_if_skipped(problems)


def _read(
    files: list[Path], exported: Exported, corpus: CorpusSplit, columns: dict[str, str]
) -> tuple[Corpus | predict.Prediction, Sequence[str]]:
    """A collection with its stories, or files as one corpus, and a sentence for each file that cannot be used."""
    folder = corpus.folder(bool(files), "a collection or annotated files")
    kind = None if exported.kind == "both" else exported.kind
    if len(files) == 1 and files[0].is_file() and formats.is_collection(files[0]):
        with collection.Collection.open(files[0]) as stored:
            prediction = stored.prediction(corrected=exported.corrected)
        if exported.corrected and not prediction.corpus.documents:
            raise InputError("no document of the collection has a corrected mention", files[0])
        return replace(prediction, corpus=prediction.corpus.with_kind(kind)), ()
    if exported.corrected:
        raise InputError("only a collection has corrections; leave out --corrected")
    if folder is not None:
        return folder.read(corpus.split or "dev").corpus, ()
    relations = tuple(name.strip() for name in (exported.relations or "").split(",") if name.strip())
    options = formats.ReadOptions(kind=kind, ids=corpus.ids, relations=relations, columns=columns)
    loaded = formats.read_corpus(files, options)
    if loaded.problems and not loaded.corpus.documents:
        *others, last = loaded.problems
        say_problems(others)
        raise InputError(last)
    return loaded.corpus, loaded.problems

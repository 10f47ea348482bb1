"""``cdcoref export``: an annotated corpus, a collection or files, in the formats that other programs read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

import typer

from cdcoref.cli.corpus_options import CorpusSplit
from cdcoref.cli.input_options import Choice
from cdcoref.cli.messages import exit_if_skipped, say, say_problems
from cdcoref.cli.model_options import Kind
from cdcoref.cli.option_groups import MENTIONS, option
from cdcoref.cli.output_options import Outputs
from cdcoref.errors import InputError
from cdlm.printing import counted

if TYPE_CHECKING:
    from cdcoref.corpus import Corpus
    from cdcoref.predict import Prediction

EXAMPLES = (
    "cdcoref export news.cdcoref -o news.html",
    "cdcoref export news.cdcoref --corrected -o corrections.jsonl",
    "cdcoref export --ecb-root ecb+/ --split dev -o dev.conll",
)


@dataclass(frozen=True)
class Exported:
    """What is exported."""

    PANEL: ClassVar = MENTIONS
    kind: Kind = option("both", "Kind of mentions to write; mentions without a kind get this kind.")
    corrected: bool = option(False, "Only the documents of a collection that have a corrected mention.", "--corrected")
    damaged: bool = option(False, "Write what can still be read of a collection that is damaged.", "--damaged")
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
    from cdcoref.corpus import Corpus

    if not outputs.output:
        raise InputError("name the file to write with -o, such as -o news.html")
    outputs.check(files or [])
    content: Corpus | Prediction
    problems: Sequence[str] = ()
    folder = corpus.folder(bool(files), "a collection or annotated files")
    if folder is None:
        content, problems = _read(files or [], exported, corpus)
        say_problems(problems)
    elif exported.damaged:
        raise InputError("only collections can be read with --damaged; leave it out")
    elif exported.corrected:
        raise InputError("only collections have corrections; leave out --corrected")
    else:
        content = folder.read(corpus.split or "dev").corpus
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


def _read(files: list[Path], exported: Exported, corpus: CorpusSplit) -> tuple[Corpus | Prediction, Sequence[str]]:
    """A collection with its stories, or files as one corpus, and a sentence for each file that cannot be used."""
    from cdcoref.formats import is_collection, read_corpus, readable_part

    kind = None if exported.kind == "both" else exported.kind
    if exported.damaged:
        if len(files) != 1 or exported.corrected:
            raise InputError("--damaged reads one collection, without --corrected")
        return readable_part(files[0]).with_kind(kind), ()
    if len(files) == 1 and files[0].is_file() and is_collection(files[0]):
        from cdcoref.collection import Collection

        with Collection.open(files[0]) as collection:
            prediction = collection.prediction(corrected=exported.corrected)
        if exported.corrected and not prediction.corpus.documents:
            raise InputError("no document of the collection has a corrected mention", files[0])
        return replace(prediction, corpus=prediction.corpus.with_kind(kind)), ()
    if exported.corrected:
        raise InputError("only a collection has corrections; leave out --corrected")
    relations = [name.strip() for name in (exported.relations or "").split(",") if name.strip()]
    loaded = read_corpus(files, kind=kind, ids=corpus.ids, relations=relations)
    if loaded.problems and not loaded.corpus.documents:
        *others, last = loaded.problems
        say_problems(others)
        raise InputError(last)
    return loaded.corpus, loaded.problems

"""``cdcoref export``: an annotated corpus, a collection or files, in the formats that other programs read."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cdcoref.cli.corpus_options import CorpusOption, EcbOption, IdsOption, SplitOption, corpus_or_files
from cdcoref.cli.input_options import SinceOption, SourceOption, chosen_documents
from cdcoref.cli.model_options import MENTIONS, OUTPUT, Kind
from cdcoref.cli.output_options import (
    FolderFormatOption,
    LayoutOption,
    PlainOption,
    ReplaceOption,
    check_output,
    document_writer,
)
from cdcoref.errors import InputError
from cdlm.printing import counted, say

if TYPE_CHECKING:
    from cdcoref.corpus import Corpus
    from cdcoref.formats import IdScope
    from cdcoref.predict import Prediction

EXAMPLES = (
    "cdcoref export news.cdcoref -o news.html",
    "cdcoref export news.cdcoref --corrected -o corrections.jsonl",
    "cdcoref export --ecb-root ecb+/ --split dev -o dev.conll",
)


def export(
    output: Annotated[
        Path,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Output file: .json, .jsonl, .jsonlines, .conll, .conllu, .spacy, .csv, .graphml, .jsonld or .md (a "
            "report), each also with .gz, or .html or .parquet; a name without a suffix is a folder with a file for "
            "each document.",
            rich_help_panel=OUTPUT,
        ),
    ],
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="FILES",
            help="A collection (.cdcoref), annotated files, folders of them or - for standard input, instead of a "
            "corpus.",
        ),
    ] = None,
    corpus: CorpusOption = None,
    ecb_root: EcbOption = None,
    split: SplitOption = None,
    kind: Annotated[
        Kind,
        typer.Option(
            help="Kind of mentions to write; mentions without a kind get this kind.", rich_help_panel=MENTIONS
        ),
    ] = "both",
    corrected: Annotated[
        bool,
        typer.Option(
            "--corrected",
            help="Only the documents of a collection that have a corrected mention.",
            rich_help_panel=MENTIONS,
        ),
    ] = False,
    damaged: Annotated[
        bool,
        typer.Option(
            "--damaged", help="Write what can still be read of a collection that is damaged.", rich_help_panel=MENTIONS
        ),
    ] = False,
    layout: LayoutOption = None,
    folder_format: FolderFormatOption = None,
    replaced: ReplaceOption = None,
    plain: PlainOption = False,
    ids: IdsOption = None,
    since: SinceOption = None,
    source: SourceOption = None,
) -> None:
    """Write a collection, a split of an annotated corpus, or annotated files with their clusters in another format.

    The result is a key for `cdcoref score`, input for training, or a page to read. A cluster has the same name in
    all documents of the output.
    """
    from cdcoref.corpus import Corpus
    from cdcoref.views import check_folder_options, check_plain, write_result

    check_folder_options(output, layout, folder_format, replaced)
    if plain:
        check_plain(output)
    document_writer(output, layout)  # which refuses a wrong name before the work
    check_output(output, files or [])
    content: Corpus | Prediction
    problems: Sequence[str] = ()
    folder = corpus_or_files(corpus, ecb_root, bool(files), "a collection or annotated files")
    if folder is None:
        if split is not None:
            raise InputError("only corpora have splits; leave out --split")
        content, problems = _read(files or [], corrected, None if kind == "both" else kind, ids, damaged=damaged)
        for problem in problems:
            say("cdcoref", problem)
    elif damaged:
        raise InputError("only collections can be read with --damaged; leave it out")
    elif corrected:
        raise InputError("only collections have corrections; leave out --corrected")
    else:
        content = folder.read(split or "dev").corpus
    if isinstance(content, Corpus):
        content = written = chosen_documents(content.of_kind(kind), since, source)
    else:
        written = chosen_documents(content.corpus.of_kind(kind), since, source)
        content = replace(content.subset(document.id for document in written.documents), corpus=written)
    for note in written.notes:
        say("cdcoref", note)
    if not written.documents:
        raise InputError("the input contains no documents")
    notes = write_result(content, output, layout, folder_format=folder_format, replaced=replaced, plain=plain)
    counts = f"{counted(len(written.documents), 'document')}, {counted(len(written.mentions), 'mention')}"
    for sentence in (counts, *notes):
        say("cdcoref", f"{output}: {sentence}")
    if problems:
        say("cdcoref", f"{counted(len(problems), 'unusable input')} skipped; see above")
        sys.exit(2)


def _read(
    files: list[Path], corrected: bool, kind: str | None, ids: IdScope | None, *, damaged: bool
) -> tuple[Corpus | Prediction, Sequence[str]]:
    """A collection with its stories, or files as one corpus, and a sentence for each file that cannot be used.

    `kind` is that of mentions without one.

    Raises
    ------
    InputError
        If options contradict each other, or no file can be used.
    """
    from cdcoref.formats import is_collection, read_corpus, readable_part

    if damaged:
        if len(files) != 1 or corrected:
            raise InputError("--damaged reads one collection, without --corrected")
        return readable_part(files[0]).with_kind(kind), ()
    if len(files) == 1 and files[0].is_file() and is_collection(files[0]):
        from cdcoref.collection import Collection

        with Collection.open(files[0]) as collection:
            prediction = collection.prediction(corrected=corrected)
        if corrected and not prediction.corpus.documents:
            raise InputError("no document of the collection has a corrected mention", files[0])
        return replace(prediction, corpus=prediction.corpus.with_kind(kind)), ()
    if corrected:
        raise InputError("only a collection has corrections; leave out --corrected")
    loaded = read_corpus(files, kind=kind, ids=ids)
    if loaded.problems and not loaded.corpus.documents:
        *others, last = loaded.problems
        for problem in others:
            say("cdcoref", problem)
        raise InputError(last)
    return loaded.corpus, loaded.problems

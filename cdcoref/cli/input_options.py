"""The options of commands that read documents, and what they say about what was read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from cdcoref.cli.model_options import INPUT
from cdcoref.errors import InputError
from cdlm.printing import counted

if TYPE_CHECKING:
    from cdcoref.corpus import Corpus
    from cdcoref.formats import LoadedCorpus

FilesArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="FILES",
        help="Files or folders: text, HTML, PDF, Word, PowerPoint, Excel, EPUB, Markdown, CSV, Parquet, JSON lines, "
        "CoNLL, CorefUD, .spacy, mail, feeds or web archives, plain or gzipped; - reads standard input.",
    ),
]
EncodingOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Encoding of plain text files that are not UTF-8, such as cp1252. Files with a byte order mark need none.",
        rich_help_panel=INPUT,
    ),
]
TextColumnOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Column of CSV and Parquet files that holds the texts. Default: the one named text, content, body or "
        "article. The other columns are metadata.",
        rich_help_panel=INPUT,
    ),
]
SinceOption = Annotated[
    str | None,
    typer.Option(
        metavar="DAY",
        help="Only documents of this day or later, such as 2024-03-05; those without a known date are left out.",
        rich_help_panel=INPUT,
    ),
]
SourceOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Only documents whose metadata name this source.",
        rich_help_panel=INPUT,
    ),
]
PipelineOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="spaCy pipeline that splits text into sentences. Default: cdcoref's own rules.",
        rich_help_panel=INPUT,
    ),
]


def chosen_documents(corpus: Corpus, since: str | None, source: str | None) -> Corpus:
    """Keep the documents that the options choose.

    Raises
    ------
    InputError
        If there are documents, but none of them is chosen.
    """
    from cdcoref.formats import select_documents

    chosen = select_documents(corpus, since, source)
    if corpus.documents and not chosen.documents:
        options = " and ".join(name for name, value in (("--since", since), ("--source", source)) if value is not None)
        raise InputError(f"none of the {counted(len(corpus.documents), 'document')} is chosen by {options}")
    return chosen


def reading_remarks(loaded: LoadedCorpus) -> tuple[str, ...]:
    """A sentence for everything that was left out, and how texts in another encoding can be read."""
    encoding = loaded.suggested_encoding
    advice = () if encoding is None else (f"--encoding {encoding} reads texts that are not UTF-8 as {encoding}",)
    return (*loaded.corpus.notes, *loaded.problems, *advice)

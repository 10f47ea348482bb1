"""What ``cdcoref predict`` and ``cdcoref add`` have in common: the texts they read, and what they say about them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from cdcoref.cli.model_options import INPUT

if TYPE_CHECKING:
    from cdcoref.formats import LoadedCorpus

FilesArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="FILES",
        help="Files or folders: text, HTML, PDF, Word, Markdown, CSV, Parquet, JSON lines, CoNLL, CorefUD or .spacy, "
        "plain or gzipped; - reads standard input.",
        show_default=False,
    ),
]
EncodingOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Encoding of plain text files that are not UTF-8, such as cp1252. Files with a byte order mark need none.",
        rich_help_panel=INPUT,
        show_default=False,
    ),
]
TextColumnOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Column of CSV and Parquet files that holds the texts. Default: the one named text, content, body or "
        "article. The other columns are metadata.",
        rich_help_panel=INPUT,
        show_default=False,
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


def reading_remarks(loaded: LoadedCorpus) -> tuple[str, ...]:
    """A sentence for everything that was left out, and how texts in another encoding can be read."""
    encoding = loaded.suggested_encoding
    advice = () if encoding is None else (f"--encoding {encoding} reads texts that are not UTF-8 as {encoding}",)
    return (*loaded.corpus.notes, *loaded.problems, *advice)

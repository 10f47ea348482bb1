"""What ``cdcoref predict`` and ``cdcoref add`` have in common: options of the texts they read, and what they say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from cdcoref.formats import LoadedCorpus

EncodingOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Encoding of plain text files that are not UTF-8, such as cp1252. Files with a byte order mark need none.",
        show_default=False,
    ),
]
TextColumnOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Column of CSV and Parquet files with the texts. Default: one that is called text, content, body or "
        "article. The other columns are metadata.",
        show_default=False,
    ),
]
READABLE = (
    "Files or folders: text, HTML, PDF, Word, Markdown, CSV, Parquet, JSON lines, CoNLL, CorefUD or .spacy, plain or "
    "gzipped, or - for standard input."
)


def reading_remarks(loaded: LoadedCorpus) -> tuple[str, ...]:
    """A sentence for everything that was left out, and how texts in another encoding can be read."""
    encoding = loaded.suggested_encoding
    advice = () if encoding is None else (f"--encoding {encoding} reads texts that are not UTF-8 as {encoding}",)
    return (*loaded.corpus.notes, *loaded.problems, *advice)

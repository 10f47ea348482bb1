"""The options that commands reading an annotated corpus share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from cdcoref.errors import InputError

if TYPE_CHECKING:
    from cdcoref.corpora import CorpusFolder

CORPUS = "Corpus"
NAMES = "ecb, fcct, gum, gum-heads (mentions reduced to their heads), gvc, invented, litbank or meantime"

CorpusOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME:DIR",
        help=f"Annotated corpus and its folder; NAME is {NAMES}.",
        rich_help_panel=CORPUS,
    ),
]
CorporaOption = Annotated[
    list[str] | None,
    typer.Option(
        "--corpus",
        metavar="NAME:DIR",
        help=f"Annotated corpus and its folder; its train and dev splits are used. NAME is {NAMES}. Repeatable.",
        rich_help_panel=CORPUS,
    ),
]
EcbOption = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Folder of ECB+ 1.0; short for --corpus ecb:DIR.",
        rich_help_panel=CORPUS,
    ),
]
IdsOption = Annotated[
    Literal["local", "global"] | None,
    typer.Option(
        help="Whether cluster ids in CoNLL files are local to a document, or global to all documents and files. "
        "Default: global if the file states it or has one block of many documents, otherwise local.",
        rich_help_panel=CORPUS,
    ),
]
Split = Literal["train", "dev", "test"]
SplitOption = Annotated[Split | None, typer.Option(help="Split of the corpus. Default: dev.", rich_help_panel=CORPUS)]


def one_corpus(corpus: str | None, ecb_root: Path | None) -> CorpusFolder:
    """The corpus that a command names.

    Raises
    ------
    InputError
        If it names none or several.
    """
    from cdcoref.corpora import corpus_folders

    folders = corpus_folders([corpus] if corpus is not None else [], ecb_root)
    if len(folders) != 1:
        raise InputError("give one corpus, as --corpus NAME:DIR (or --ecb-root DIR)")
    return folders[0]


def corpus_or_files(corpus: str | None, ecb_root: Path | None, files: bool, what: str) -> CorpusFolder | None:
    """The corpus that a command names, or None if it names files instead.

    Parameters
    ----------
    corpus, ecb_root
        The options.
    files, what
        Whether files were named, and how a message describes them.

    Raises
    ------
    InputError
        If neither or both were named.
    """
    if files == (corpus is not None or ecb_root is not None):
        raise InputError(f"give either a corpus, as --corpus NAME:DIR (or --ecb-root DIR), or {what}")
    return None if files else one_corpus(corpus, ecb_root)

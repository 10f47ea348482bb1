"""The options that commands reading an annotated corpus share."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal

from cdcoref.cli.option_groups import option
from cdcoref.errors import InputError

if TYPE_CHECKING:
    from cdcoref.corpora import CorpusFolder

CORPUS = "Corpus"
NAMES = "ecb, gum, gum-heads (mentions reduced to their heads), gvc, invented, litbank or meantime"


@dataclass(frozen=True)
class Ids:
    """What cluster ids mean."""

    PANEL: ClassVar = CORPUS
    ids: Literal["local", "global"] | None = option(
        None,
        "Whether cluster ids in CoNLL files are local to a document, or global to all documents and files. Default: "
        "global if the file states it or has one block of many documents, otherwise local.",
    )


@dataclass(frozen=True)
class NamedCorpus(Ids):
    """An annotated corpus; files of one's own may take its place."""

    corpus: str | None = option(None, f"Annotated corpus and its folder; NAME is {NAMES}.", metavar="NAME:DIR")
    ecb_root: Path | None = option(None, "Folder of ECB+ 1.0; short for --corpus ecb:DIR.", metavar="DIR")

    def folder(self, files: bool, what: str) -> CorpusFolder | None:
        """The folder of the corpus, or None where files, which `what` describes, are named instead."""
        from cdcoref.corpora import corpus_folders

        if files == (self.corpus is not None or self.ecb_root is not None):
            raise InputError(f"give either a corpus, as --corpus NAME:DIR (or --ecb-root DIR), or {what}")
        if files:
            return None
        folders = corpus_folders([self.corpus] if self.corpus is not None else [], self.ecb_root)
        if len(folders) != 1:
            raise InputError("give one corpus, as --corpus NAME:DIR (or --ecb-root DIR)")
        return folders[0]


@dataclass(frozen=True)
class CorpusSplit(NamedCorpus):
    """A split of an annotated corpus."""

    split: Literal["train", "dev", "test"] | None = option(None, "Split of the corpus. Default: dev.")

    def folder(self, files: bool, what: str) -> CorpusFolder | None:
        """As for a corpus; files have no splits."""
        folder = super().folder(files, what)
        if folder is None and self.split is not None:
            raise InputError("only corpora have splits; leave out --split")
        return folder

"""The options of commands that read documents, and what they say about what was read."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from cdcoref.cli.messages import say, say_problems
from cdcoref.cli.option_groups import INPUT, option
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


@dataclass(frozen=True)
class Choice:
    """Which documents are taken."""

    PANEL: ClassVar = INPUT
    since: str | None = option(
        None,
        "Only documents of this day or later, such as 2024-03-05; those without a known date are left out.",
        metavar="DAY",
    )
    source: str | None = option(None, "Only documents whose metadata name this source.", metavar="NAME")

    def of(self, corpus: Corpus) -> Corpus:
        """The corpus with the chosen documents; an `InputError` if there are documents, but none is chosen."""
        from cdcoref.formats import select_documents

        chosen = select_documents(corpus, self.since, self.source)
        if corpus.documents and not chosen.documents:
            options = " and ".join(f"--{name}" for name in ("since", "source") if getattr(self, name) is not None)
            raise InputError(f"none of the {counted(len(corpus.documents), 'document')} is chosen by {options}")
        return chosen


@dataclass(frozen=True)
class Reading(Choice):
    """How files are read, and which of their documents are taken."""

    pipeline: str | None = option(
        None,
        "spaCy pipeline for English that splits text into sentences and parses them, such as en_core_web_trf. "
        "Default: cdcoref's own rules, and the parser of en_core_web_sm.",
        metavar="NAME",
    )
    encoding: str | None = option(
        None,
        "Encoding of plain text files that are not UTF-8, such as cp1252. Files with a byte order mark need none.",
        metavar="NAME",
    )
    columns: str | None = option(
        None,
        "Columns of tables and fields of JSON that hold text, title, date, source, author, url or id, such as "
        "text=Story,date=Published. Default: those with usual names. Other columns are metadata.",
        metavar="NAME=COLUMN,...",
    )

    def _named_columns(self) -> dict[str, str]:
        pairs = [part.partition("=") for part in (self.columns or "").split(",") if self.columns is not None]
        if not all(name.strip() and column.strip() for name, _, column in pairs):
            raise InputError(f"--columns is {self.columns!r}; write it as text=Story,title=Headline")
        return {name.strip().lower(): column.strip() for name, _, column in pairs}

    def read(self, files: list[str], **details: Any) -> LoadedCorpus:
        """The documents of files without their clusters; says what was left out, and how other encodings are read."""
        from cdcoref.formats import read_corpus

        loaded = read_corpus(
            files,
            pipeline=self.pipeline,
            encoding=self.encoding,
            columns=self._named_columns(),
            with_clusters=False,
            **details,
        )
        loaded = replace(loaded, corpus=self.of(loaded.corpus))
        say(*loaded.corpus.notes)
        say_problems(loaded.problems)
        if loaded.suggested_encoding is not None:
            say(f"--encoding {loaded.suggested_encoding} reads texts that are not UTF-8 as {loaded.suggested_encoding}")
        return loaded

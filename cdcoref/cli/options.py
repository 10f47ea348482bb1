"""The options that commands share: a dataclass of options stands for all of them in a command's parameters."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, get_type_hints

import typer
from typer.models import OptionInfo

from cdcoref import corpora, formats, linking, predict
from cdcoref.cli.messages import say, say_problems
from cdcoref.corpus import Corpus
from cdcoref.errors import InputError
from cdlm.printing import counted

OUTPUT = "Output"
INPUT = "Input"
MENTIONS = "Mentions"
LINKING = "Linking"
COMPUTING = "Computing"
"""Panels, in which help shows options together."""


def option(default: Any, help: str, *names: str, panel: str | None = None, **details: Any) -> Any:
    """An option; without names it is called as its parameter or field. A group's `PANEL` holds for all its options."""
    return typer.Option(default, *names, help=help, rich_help_panel=panel, **details)


def with_groups(command: Callable[..., None]) -> Callable[..., None]:
    """The command with each parameter that is a group of options replaced by these options."""
    groups: dict[str, type] = {}
    parameters: list[Parameter] = []
    for parameter in signature(command, eval_str=True).parameters.values():
        group = parameter.annotation
        if not (isinstance(group, type) and is_dataclass(group)):
            parameters.append(parameter.replace(kind=Parameter.KEYWORD_ONLY))
            continue
        groups[parameter.name] = group
        types = get_type_hints(group, include_extras=True)
        for field in fields(group):
            default = copy(field.default)
            if isinstance(default, OptionInfo):
                default.rich_help_panel = getattr(group, "PANEL", None)
            parameters.append(
                Parameter(field.name, Parameter.KEYWORD_ONLY, default=default, annotation=types[field.name])
            )

    @wraps(command)
    def grouped(**values: Any) -> None:
        for name, group in groups.items():
            values[name] = group(**{field.name: values.pop(field.name) for field in fields(group)})
        command(**values)

    grouped.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    grouped.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return grouped


def given(**options: Any) -> dict[str, Any]:
    """The options that were given on the command line; the others keep their defaults."""
    return {name: value for name, value in options.items() if value is not None}


Kind = Literal["event", "entity", "both"]
Style = Literal["salient", "dense", "phrases", "people"]


@dataclass(frozen=True)
class ChosenModel:
    """Which model links."""

    PANEL: ClassVar = LINKING
    model: str = option(
        "default",
        "base (the default), small (lighter), lemma (the baseline that links mentions with the same head lemma), "
        "a model's folder or a hub name.",
        metavar="NAME",
        show_default=False,
    )


@dataclass(frozen=True)
class Computing:
    """How a model computes."""

    PANEL: ClassVar = COMPUTING
    device: str | None = option(None, "cpu, cuda, ... Default: a GPU if there is one.", metavar="NAME")
    precision: Literal["auto", "fp32", "bf16", "int8"] = option(
        "auto",
        "Numeric precision. auto: int8 if the model was fitted in int8, as base was, and the processor has VNNI but no "
        "AMX; otherwise bf16 if the device supports it; otherwise fp32.",
    )
    batch_tokens: int | None = option(None, "Maximum number of word pieces in a batch. Default: 8192.", metavar="N")

    @property
    def batch(self) -> dict[str, Any]:
        """The size of batches, if it was given."""
        return given(batch_tokens=self.batch_tokens)

    def check(self) -> None:
        """Refuse a device that is not there, or batches out of their range, before long work."""
        linking.LinkingOptions(**self.batch)
        if self.device is not None:
            predict.check_device(self.device)

    def load(self, model: str, style: Style | None = None) -> predict.Predictor:
        return predict.load(model, device=self.device, precision=self.precision, **given(style=style))


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

    def folder(self, files: bool, what: str) -> corpora.CorpusFolder | None:
        """The folder of the corpus, or None where files, which `what` describes, are named instead."""
        if files == (self.corpus is not None or self.ecb_root is not None):
            raise InputError(f"give either a corpus, as --corpus NAME:DIR (or --ecb-root DIR), or {what}")
        if files:
            return None
        folders = corpora.corpus_folders([self.corpus] if self.corpus is not None else [], self.ecb_root)
        if len(folders) != 1:
            raise InputError("give one corpus, as --corpus NAME:DIR (or --ecb-root DIR)")
        return folders[0]


@dataclass(frozen=True)
class CorpusSplit(NamedCorpus):
    """A split of an annotated corpus."""

    split: Literal["train", "dev", "test"] | None = option(None, "Split of the corpus. Default: dev.")

    def folder(self, files: bool, what: str) -> corpora.CorpusFolder | None:
        """As for a corpus; files have no splits."""
        folder = super().folder(files, what)
        if folder is None and self.split is not None:
            raise InputError("only corpora have splits; leave out --split")
        return folder


FilesArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="FILES",
        help="Files or folders: text, HTML, PDF, Word, Excel, Markdown, CSV, JSON lines, CoNLL, "
        "CorefUD, .spacy, mail, feeds or web archives, plain or gzipped; - reads standard input.",
    ),
]


@dataclass(frozen=True)
class Choice:
    """Which documents are taken, and where their texts and metadata are."""

    PANEL: ClassVar = INPUT
    since: str | None = option(
        None,
        "Only documents of this day or later, such as 2024-03-05; those without a known date are left out.",
        metavar="DAY",
    )
    source: str | None = option(None, "Only documents whose metadata name this source.", metavar="NAME")
    columns: str | None = option(
        None,
        "Columns of tables and fields of JSON that hold text, title, date, source, author, url or id, such as "
        "text=Story,date=Published. Default: those with usual names. Other columns are metadata.",
        metavar="NAME=COLUMN,...",
    )

    def names_of_columns(self) -> dict[str, str]:
        """The columns, by what they hold; an `InputError` if they are not written so."""
        columns = [part.partition("=") for part in (self.columns or "").split(",") if self.columns is not None]
        if not all(name.strip() and column.strip() for name, _, column in columns):
            raise InputError(f"--columns is {self.columns!r}; write it as text=Story,title=Headline")
        return {name.strip().lower(): column.strip() for name, _, column in columns}

    def of(self, corpus: Corpus) -> Corpus:
        """The corpus with the chosen documents; an `InputError` if there are documents, but none is chosen."""
        chosen = formats.select_documents(corpus, self.since, self.source)
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

    def read(
        self, files: list[str], *, kind: str | None, every_kind: bool, without: Path | None = None
    ) -> formats.LoadedCorpus:
        """The documents of files without their clusters; says what was left out."""
        options = formats.ReadOptions(
            kind=kind,
            with_clusters=False,
            pipeline=self.pipeline,
            encoding=self.encoding,
            columns=self.names_of_columns(),
            every_kind=every_kind,
        )
        loaded = formats.read_corpus(files, options, without=without)
        loaded = replace(loaded, corpus=self.of(loaded.corpus))
        say(*loaded.corpus.notes)
        say_problems(loaded.problems)
        return loaded

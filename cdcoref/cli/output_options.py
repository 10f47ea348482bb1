"""The output files of ``cdcoref predict`` and ``cdcoref export``: their options, and what writes them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

from cdcoref import formats, reports, views
from cdcoref.cli.options import OUTPUT, option
from cdcoref.corpus import Corpus
from cdcoref.errors import InputError
from cdlm.files import check_writable


@dataclass(frozen=True)
class Outputs:
    """Files and folders to write; each option holds for those outputs that it has a meaning for."""

    PANEL: ClassVar = OUTPUT
    output: list[Path] | None = option(
        None,
        "File to write: .html (a page to browse), .jsonl, .conll, .conllu, .spacy, .json, .csv or .md (a "
        "report), each but .html also with .gz; a name without a suffix is a folder with a file for each document. "
        "Repeatable.",
        "-o",
        "--output",
        metavar="FILE",
    )
    layout: Literal["cross-document", "2012"] | None = option(
        None,
        "Layout of a .conll file. cross-document, the default: eight columns with topics, all documents in one block, "
        "so that every scorer counts links between documents; 2012: CoNLL-2012, with one block per document.",
    )
    folder_format: Literal["text", "brat", "xmi", "label-studio", "prodigy"] | None = option(
        None,
        "Format of the files of an output folder: text (the texts with pronouns replaced by the names of their "
        "clusters), brat, xmi (UIMA CAS XMI, for INCEpTION and WebAnno), or the tasks of label-studio or prodigy. "
        "Default: text.",
        "--format",
    )

    def check(self, inputs: Sequence[str | Path]) -> None:
        """Refuse outputs that cannot be written, or that would replace what is read; called before long work."""
        views.check_options(self.output or [], self.layout, self.folder_format)
        seen: set[str] = set()
        for output in self.output or ():
            if str(output) == "-":
                raise InputError("the result cannot be written to standard output; name a file or a folder")
            views.check_result_name(output)
            check_output(output, inputs)
            if (path := os.path.realpath(output)) in seen:
                raise InputError("two outputs have this name; choose another one", output)
            seen.add(path)

    @property
    def streamed(self) -> list[Path]:
        """The outputs, if all of them are JSON lines, which can be written document by document."""
        outputs = self.output or []
        return outputs if all(output.name.lower().endswith((".jsonl", ".jsonl.gz")) for output in outputs) else []

    def write(self, source: reports.Results | Corpus) -> Iterator[tuple[Path, tuple[str, ...]]]:
        """Write all outputs; yields each with sentences on what it leaves out."""
        for output in self.output or ():
            layout = self.layout if views.has_layouts(output) else None
            folder_format = self.folder_format if views.is_folder_output(output) else None
            yield output, views.write_result(source, output, layout, folder_format=folder_format)


def check_output(output: Path, inputs: Sequence[str | Path]) -> None:
    """Refuse an output that cannot be written, or that would replace an input, a file that is read, or its folder."""
    is_folder = views.is_folder_output(output)
    if is_folder:
        formats.check_folder(output)
    else:
        check_writable(output)
    for path in map(Path, inputs if output.exists() else ()):
        inside = path.is_dir() and output.resolve().is_relative_to(path.resolve())
        is_document = formats.has_input_suffix(output) and not formats.is_own_result(output)
        is_read = any(output.iterdir()) if is_folder else is_document
        if path.exists() and path.samefile(output):
            raise InputError("the output is also an input and would be overwritten; choose another name", output)
        if inside and is_read:
            raise InputError(
                f"the output exists already in {path}, which is read as input, and would be overwritten; choose "
                "another name, or remove it",
                output,
            )
        if is_folder and path.exists() and path.resolve().is_relative_to(output.resolve()):
            raise InputError(f"the folder holds the input {path} and would be replaced; choose another one", output)

"""The output files of ``cdcoref predict`` and ``cdcoref export``: their options, and what writes them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from cdcoref.cli.option_groups import OUTPUT, option
from cdcoref.errors import InputError
from cdlm.files import check_writable

if TYPE_CHECKING:
    from cdcoref.corpus import Corpus
    from cdcoref.formats import Writer
    from cdcoref.reports import Results

MEANINGS = {
    "layout": "--layout is for a .conll file, such as -o clusters.conll",
    "folder_format": "--format is for an output folder, such as -o texts/",
    "replaced": "--replace is for an output folder, such as -o texts/",
    "plain": "--plain is for .csv files, such as -o clusters.csv",
}


@dataclass(frozen=True)
class Outputs:
    """Files and folders to write; each option holds for those outputs that it has a meaning for."""

    PANEL: ClassVar = OUTPUT
    output: list[Path] | None = option(
        None,
        "File to write: .html (a page to browse), .jsonl, .jsonlines, .conll, .conllu, .spacy, .json, .csv, .parquet, "
        ".graphml, .jsonld or .md (a report), each but .html and .parquet also with .gz; a name without a suffix is a "
        "folder with a file for each document. Repeatable.",
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
        "Format of the files of an output folder: text (the texts with mentions replaced by the names of their "
        "clusters), brat, xmi (UIMA CAS XMI, for INCEpTION and WebAnno), or the tasks of label-studio or prodigy. "
        "Default: text.",
        "--format",
    )
    replaced: Literal["pronouns", "all"] | None = option(
        None, "Which mentions are replaced in the texts of an output folder. Default: pronouns.", "--replace"
    )
    plain: bool = option(
        False,
        "Write texts in a .csv file as they are. Default: a text that a spreadsheet would take for a formula, since it "
        "begins with =, +, - or @, gets an apostrophe in front.",
        "--plain",
    )

    def check(self, inputs: Sequence[str | Path]) -> None:
        """Refuse outputs that cannot be written, or that would replace what is read; called before long work."""
        from cdcoref.views import check_folder_options, check_parquet

        for name in self.unused():
            raise InputError(f"{MEANINGS[name]}; name one, or leave the option out", *(self.output or ())[:1])
        seen: set[str] = set()
        for output in self.output or ():
            options = self._options_of(output)
            check_folder_options(output, options["layout"], options["folder_format"], options["replaced"])
            self._writer(output)
            check_output(output, inputs)
            if output.name.lower().endswith(".parquet"):
                check_parquet()
            if (path := os.path.realpath(output)) in seen:
                raise InputError("two outputs have this name; choose another one", output)
            seen.add(path)

    def unused(self) -> list[str]:
        """The options that were given and have a meaning for no output."""
        used = [self._options_of(output) for output in self.output or ()]
        return [name for name in MEANINGS if getattr(self, name) and not any(options[name] for options in used)]

    def writers(self) -> dict[Path, Writer] | None:
        """What writes each output document by document; None if one of them is written as a whole."""
        writers = {output: self._writer(output) for output in self.output or ()}
        streaming = {output: writer for output, writer in writers.items() if writer is not None}
        return streaming if len(streaming) == len(writers) else None

    def write(self, source: Results | Corpus) -> Iterator[tuple[Path, tuple[str, ...]]]:
        """Write all outputs; yields each with sentences on what it leaves out."""
        from cdcoref.views import write_result

        for output in self.output or ():
            yield output, write_result(source, output, **self._options_of(output))

    def _writer(self, output: Path) -> Writer | None:
        from cdcoref.formats import output_format
        from cdcoref.views import WRITERS, check_result_name, is_folder_output

        if str(output) == "-":
            raise InputError("the result cannot be written to standard output; name a file or a folder")
        check_result_name(output)
        if is_folder_output(output) or output.name.lower().endswith(tuple(WRITERS)):
            return None
        return output_format(output, self._options_of(output)["layout"]).writer

    def _options_of(self, output: Path) -> dict[str, Any]:
        """The options that have a meaning for an output."""
        from cdcoref.views import is_folder_output

        name = output.name.lower().removesuffix(".gz")
        in_folder = is_folder_output(output)
        return {
            "layout": self.layout if name.endswith(".conll") else None,
            "folder_format": self.folder_format if in_folder else None,
            "replaced": self.replaced if in_folder else None,
            "plain": self.plain and name.endswith(".csv"),
        }


def check_output(output: Path, inputs: Sequence[str | Path]) -> None:
    """Refuse an output that cannot be written, or that would replace what is read.

    That is one of the inputs, one in an input folder that would be read, or a folder with an input in it.
    """
    from cdcoref.formats import check_folder, has_input_suffix, is_own_result
    from cdcoref.views import is_folder_output

    is_folder = is_folder_output(output)
    if is_folder:
        check_folder(output)
    else:
        check_writable(output)
    for path in map(Path, inputs if output.exists() else ()):
        inside = path.is_dir() and output.resolve().is_relative_to(path.resolve())
        is_read = any(output.iterdir()) if is_folder else has_input_suffix(output) and not is_own_result(output)
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

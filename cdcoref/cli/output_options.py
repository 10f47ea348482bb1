"""The output file of ``cdcoref predict`` and ``cdcoref export``: its options, and what writes it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from cdcoref.cli.model_options import OUTPUT
from cdcoref.errors import InputError
from cdlm.files import check_writable

if TYPE_CHECKING:
    from cdcoref.formats import Writer

LayoutOption = Annotated[
    Literal["cross-document", "2012"] | None,
    typer.Option(
        help="Layout of a .conll file. cross-document, the default: eight columns with topics, all documents in one "
        "block, so that every scorer counts links between documents; 2012: CoNLL-2012, with one block per document.",
        rich_help_panel=OUTPUT,
    ),
]


FolderFormatOption = Annotated[
    Literal["text", "brat", "xmi"] | None,
    typer.Option(
        "--format",
        help="Format of the files of an output folder: text (the texts with mentions replaced by the names of their "
        "clusters), brat, or xmi (UIMA CAS XMI, for INCEpTION and WebAnno). Default: text.",
        rich_help_panel=OUTPUT,
    ),
]
PlainOption = Annotated[
    bool,
    typer.Option(
        "--plain",
        help="Write texts in a .csv file as they are. Default: a text that a spreadsheet would take for a formula, "
        "since it begins with =, +, - or @, gets an apostrophe in front.",
        rich_help_panel=OUTPUT,
    ),
]
ReplaceOption = Annotated[
    Literal["pronouns", "all"] | None,
    typer.Option(
        "--replace",
        help="Which mentions are replaced in the texts of an output folder. Default: pronouns.",
        rich_help_panel=OUTPUT,
    ),
]


def check_output(output: Path, inputs: Sequence[str | Path]) -> None:
    """Refuse an output that cannot be written, or that would replace what is read; called before long work.

    Raises
    ------
    InputError
        If its folder does not exist or cannot be written; if it is one of the inputs, is in one of the input folders
        and would be read, or is a folder with an input in it.
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


def document_writer(output: Path, layout: str | None) -> Writer | None:
    """A writer for output that is written document by document; None if it is written as a whole.

    Called before long work.

    Raises
    ------
    InputError
        If the output's suffix is unknown, or its format has no such layout.
    """
    from cdcoref.formats import output_format
    from cdcoref.views import WRITERS, check_result_name, is_folder_output

    if str(output) == "-":
        raise InputError("the result cannot be written to standard output; name a file or a folder")
    check_result_name(output)
    if is_folder_output(output):
        return None
    if output.name.lower().endswith(tuple(WRITERS)):
        if layout is not None:
            raise InputError("only .conll files have layouts; remove --layout", output)
        return None
    return output_format(output, layout).writer

"""A prediction or a corpus in, a file or a folder out: tables here, pages and other formats from their modules."""

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, get_args

from cdcoref.corpus import Corpus, Mention
from cdcoref.errors import InputError
from cdcoref.formats import (
    output_suffixes,
    write_brat,
    write_corpus,
    write_label_studio,
    write_prodigy,
    write_xmi,
)
from cdcoref.reports import MentionRow, Results
from cdcoref.views.json_object import write_json, write_json_lines
from cdcoref.views.page import write_page
from cdcoref.views.report import write_report
from cdcoref.views.resolved_text import write_resolved
from cdlm.output_file import output_file

_FORMULA_STARTS = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r", "\n")
_OF_MENTION = ("document", "start", "end", "text")
PAIR_COLUMNS = (
    *("kind", "relation", "probability", "one_cluster"),
    *(f"first_{name}" for name in _OF_MENTION),
    *(f"second_{name}" for name in _OF_MENTION),
)


def write_csv(source: Results | Corpus, path: str | Path) -> None:
    """Write a CSV file (UTF-8 with a byte order mark, RFC 4180) that is safe in a spreadsheet.

    A text that might be run as a formula gets an apostrophe in front. Confidences have four decimals; unknown values
    are empty cells. The file is gzipped if its name ends in ``.gz``.
    """
    rows = ([_cell(value) for value in row] for row in Results.of(source).rows())
    _write(path, MentionRow._fields, rows)


def write_pairs(results: Results, path: str | Path) -> None:
    """Write the pairs of a prediction as CSV, as safe for spreadsheets as :func:`write_csv`.

    ``relation`` is ``"antecedent"`` where the first mention is a pronoun and the second the antecedent that was chosen,
    else ``"compared"``; ``one_cluster`` is 1 or 0.
    """
    if results.pairs is None:
        raise InputError("the prediction has no pairs; predict with the option pairs")

    def cells(mention: Mention) -> list[str | int]:
        shown = results.located.shown(mention)
        document, text = map(_as_text, (shown.document, shown.text))
        return [document, shown.start, shown.end, text]

    def rows() -> Iterator[list[str | int]]:
        for pair in results.pairs or ():
            relation = "antecedent" if pair.antecedent else "compared"
            together = int(pair.first.cluster == pair.second.cluster)
            row = (pair.first.kind or "", relation, f"{pair.probability:.4f}", together)
            yield [*row, *cells(pair.first), *cells(pair.second)]

    _write(path, PAIR_COLUMNS, rows())


def _write(path: str | Path, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    with output_file(path) as file:
        file.write("\ufeff")
        writer = csv.writer(file, lineterminator="\r\n")
        writer.writerow(columns)
        writer.writerows(rows)


def _cell(value: str | float | None) -> str | int:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4f}"
    return _as_text(value) if isinstance(value, str) else value


def _as_text(value: str) -> str:
    """The value, after an apostrophe if a spreadsheet, which skips what cannot be seen, takes it for a formula."""
    unseen = next((place for place, c in enumerate(value) if c.isprintable() and not c.isspace()), 0)
    return f"'{value}" if value[unseen:].startswith(_FORMULA_STARTS) or value.startswith(_FORMULA_STARTS) else value


WRITERS: Mapping[str, Callable[[Results | Corpus, Path], object]] = {
    ".html": write_page,
    ".csv": write_csv,
    ".csv.gz": write_csv,
    ".json": write_json,
    ".json.gz": write_json,
    ".md": write_report,
    ".md.gz": write_report,
}
"""The writers of files for people or other programs, by the file's suffix."""

FolderFormat = Literal["text", "brat", "xmi", "label-studio", "prodigy"]
"""What the files of a folder are: texts with pronouns replaced, or those of annotation tools (UIMA CAS XMI is
for INCEpTION and WebAnno)."""

FOLDER_WRITERS: Mapping[str, Callable[[Corpus, Path], tuple[str, ...]]] = {
    "brat": write_brat,
    "xmi": write_xmi,
    "label-studio": write_label_studio,
    "prodigy": write_prodigy,
}


def result_suffixes() -> list[str]:
    """The suffixes of all files that :func:`write_result` writes, without ``.gz``."""
    return sorted({*output_suffixes(), *(suffix.removesuffix(".gz") for suffix in WRITERS)})


def check_result_name(output: Path) -> None:
    """Refuse a name that no result can have with an `InputError`; called before long work."""
    name = output.name.lower()
    if (
        is_folder_output(output)
        or name.endswith(tuple(WRITERS))
        or name.removesuffix(".gz").endswith(output_suffixes())
    ):
        return
    *most, last = result_suffixes()
    raise InputError(
        f"the output's name must end in {', '.join(most)} or {last}; except for .html, .gz may follow; a name without "
        "a suffix is a folder",
        output,
    )


def is_folder_output(output: Path) -> bool:
    """Whether an output is a folder with a file for each document: it has no suffix of a file, or is a folder."""
    is_file = output.name.lower().removesuffix(".gz").endswith(tuple(result_suffixes()))
    return not is_file and (output.is_dir() or (not output.suffix and not output.exists()))


def write_result(
    source: Results | Corpus, output: Path, layout: str | None = None, *, folder_format: FolderFormat | None = None
) -> tuple[str, ...]:
    """Write documents, mentions and clusters in the format that the file's name ends in, or a folder, without a suffix.

    `layout` is as in :func:`cdcoref.formats.write_corpus`. Returns a sentence for each kind of information that the
    format cannot express. An `InputError` leaves what was there.
    """
    check_result_name(output)
    check_options([output], layout, folder_format)
    if is_folder_output(output):
        if folder_format in (None, "text"):
            write_resolved(source, output)
            return ()
        return FOLDER_WRITERS[folder_format](Results.of(source).corpus, output)
    name = output.name.lower()
    suffix = next((suffix for suffix in WRITERS if name.endswith(suffix)), None)
    if suffix is not None:
        WRITERS[suffix](source, output)
        return ()
    if isinstance(source, Results) and name.removesuffix(".gz").endswith(".jsonl"):
        write_json_lines(source, output)
        return ()
    return write_corpus(Results.of(source).corpus, output, layout=layout)


def has_layouts(output: Path) -> bool:
    """Whether an output is a file that can be written in several layouts."""
    return not is_folder_output(output) and output.name.lower().removesuffix(".gz").endswith(".conll")


def check_options(outputs: Sequence[Path], layout: str | None, folder_format: str | None) -> None:
    """Refuse options that are unknown, or have a meaning for none of the outputs; called before long work."""
    first, choices = outputs[0] if outputs else None, get_args(FolderFormat)
    if layout and not any(map(has_layouts, outputs)):
        raise InputError("--layout is for a .conll file, such as -o clusters.conll; leave it out, or name one", first)
    if folder_format and not any(map(is_folder_output, outputs)):
        raise InputError("--format is for an output folder, such as -o texts/; leave it out, or name one", first)
    if folder_format and folder_format not in choices:
        raise InputError(f"--format cannot be {folder_format!r}; choose from {', '.join(choices)}", first)

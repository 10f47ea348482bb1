"""Predictions as tables for other programs: CSV for spreadsheets, Parquet for data frames; one row per mention.

The columns are the fields of :class:`cdcoref.reports.MentionRow`.
"""

from __future__ import annotations

import csv
from pathlib import Path

from cdcoref.corpus import Corpus
from cdcoref.errors import InputError
from cdcoref.formats import output_file
from cdcoref.reports import MentionRow, Results, require_pandas
from cdcoref.views.spreadsheets import as_text
from cdlm.extras import install_command
from cdlm.files import replaced_file


def write_csv(source: Results | Corpus, path: str | Path, *, plain: bool = False) -> None:
    """Write a CSV file (UTF-8, comma, RFC 4180) that is safe to open in a spreadsheet, unless it is to be plain.

    It begins with a byte order mark, without which Excel takes UTF-8 for another encoding; Python's own `csv` module
    wants such a file opened with ``encoding="utf-8-sig"``.

    A text that a spreadsheet might run as a formula, since it begins with ``=``, ``+``, ``-``, ``@`` or a control
    character, gets an apostrophe in front. Confidences have four decimals; unknown values are empty cells. The file is
    gzipped if its name ends in ``.gz``.
    """
    with output_file(path) as file:
        file.write("\ufeff")
        writer = csv.writer(file, lineterminator="\r\n")
        writer.writerow(MentionRow._fields)
        for row in Results.of(source).rows():
            writer.writerow([_cell(value, plain=plain) for value in row])


def write_parquet(source: Results | Corpus, path: str | Path) -> None:
    """Write a Parquet file."""
    check_parquet()
    frame = Results.of(source).to_dataframe()
    try:
        with replaced_file(Path(path)) as part:
            frame.to_parquet(part, index=False)
    except OSError as error:
        raise InputError(f"the file cannot be written ({error.strerror}); choose another location", path) from error


def check_parquet() -> None:
    """Refuse to go on with an `InputError` if pandas or pyarrow, which write Parquet, is not installed."""
    require_pandas()
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise InputError(f"pyarrow is not installed; install it with: {install_command('pandas')}") from None


def _cell(value: str | float | None, *, plain: bool) -> str | int:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4f}"
    return as_text(value) if isinstance(value, str) and not plain else value

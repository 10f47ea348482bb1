"""Predictions as tables, a row a mention (:class:`cdcoref.reports.MentionRow`): CSV for spreadsheets, Parquet for data
frames. Of pairs of mentions there is a CSV of its own."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from cdcoref.corpus import Corpus, Mention
from cdcoref.errors import InputError
from cdcoref.formats import output_file
from cdcoref.reports import MentionRow, Results, require_pandas
from cdlm.extras import install_command
from cdlm.files import replaced_file

_FORMULA_STARTS = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r", "\n")
_OF_MENTION = ("document", "start", "end", "text")
PAIR_COLUMNS = (
    *("kind", "relation", "probability", "one_cluster"),
    *(f"first_{name}" for name in _OF_MENTION),
    *(f"second_{name}" for name in _OF_MENTION),
)


def write_csv(source: Results | Corpus, path: str | Path, *, plain: bool = False) -> None:
    """Write a CSV file (UTF-8 with a byte order mark, RFC 4180) that is safe in a spreadsheet, unless it is `plain`.

    A text that might be run as a formula gets an apostrophe in front. Confidences have four decimals; unknown values
    are empty cells. The file is gzipped if its name ends in ``.gz``.
    """
    rows = ([_cell(value, plain=plain) for value in row] for row in Results.of(source).rows())
    _write(path, MentionRow._fields, rows)


def write_pairs(results: Results, path: str | Path, *, plain: bool = False) -> None:
    """Write the pairs of a prediction as CSV, as safe for spreadsheets as :func:`write_csv`.

    ``relation`` is ``"antecedent"`` where the first mention is a pronoun and the second the antecedent that was chosen,
    else ``"compared"``; ``one_cluster`` is 1 or 0. `plain` is as there.
    """
    if results.pairs is None:
        raise InputError("the prediction has no pairs; predict with the option pairs")

    def cells(mention: Mention) -> list[str | int]:
        shown = results.located.shown(mention)
        document, text = (value if plain else _as_text(value) for value in (shown.document, shown.text))
        return [document, shown.start, shown.end, text]

    def rows() -> Iterator[list[str | int]]:
        for pair in results.pairs or ():
            relation = "antecedent" if pair.antecedent else "compared"
            together = int(pair.first.cluster == pair.second.cluster)
            row = (pair.first.kind or "", relation, f"{pair.probability:.4f}", together)
            yield [*row, *cells(pair.first), *cells(pair.second)]

    _write(path, PAIR_COLUMNS, rows())


def _write(path: str | Path, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write CSV in the form that spreadsheets take."""
    with output_file(path) as file:
        file.write("\ufeff")
        writer = csv.writer(file, lineterminator="\r\n")
        writer.writerow(columns)
        writer.writerows(rows)


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
    return _as_text(value) if isinstance(value, str) and not plain else value


def _as_text(value: str) -> str:
    """The value, after an apostrophe if a spreadsheet, which skips what cannot be seen, takes it for a formula."""
    unseen = next((place for place, c in enumerate(value) if c.isprintable() and not c.isspace()), 0)
    return f"'{value}" if value[unseen:].startswith(_FORMULA_STARTS) or value.startswith(_FORMULA_STARTS) else value

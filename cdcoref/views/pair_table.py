"""Results with their pairs in, a table of them out: which mentions were compared, and how probably they corefer."""

from __future__ import annotations

import csv
from pathlib import Path

from cdcoref.corpus import Mention
from cdcoref.errors import InputError
from cdcoref.formats import output_file
from cdcoref.reports import Results
from cdcoref.views.spreadsheets import as_text

_OF_MENTION = ("document", "start", "end", "text")
PAIR_COLUMNS = (
    *("kind", "relation", "probability", "one_cluster"),
    *(f"first_{name}" for name in _OF_MENTION),
    *(f"second_{name}" for name in _OF_MENTION),
)


def write_pairs(results: Results, path: str | Path, *, plain: bool = False) -> None:
    """Write the pairs of a prediction as CSV, as safe for spreadsheets as :func:`cdcoref.views.write_csv`.

    ``relation`` is ``"antecedent"`` where the first mention is a pronoun and the second the antecedent that was chosen,
    else ``"compared"``; ``one_cluster`` is 1 or 0. `plain` is as there.
    """
    if results.pairs is None:
        raise InputError("the prediction has no pairs; predict with the option pairs")

    def cells(mention: Mention) -> list[str | int]:
        shown = results.located.shown(mention)
        document, text = (value if plain else as_text(value) for value in (shown.document, shown.text))
        return [document, shown.start, shown.end, text]

    with output_file(path) as file:
        file.write("\ufeff")
        writer = csv.writer(file, lineterminator="\r\n")
        writer.writerow(PAIR_COLUMNS)
        for pair in results.pairs:
            relation = "antecedent" if pair.antecedent else "compared"
            together = int(pair.first.cluster == pair.second.cluster)
            row = (pair.first.kind or "", relation, f"{pair.probability:.4f}", together)
            writer.writerow([*row, *cells(pair.first), *cells(pair.second)])

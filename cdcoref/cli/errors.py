"""``cdcoref errors``: the errors in predicted clusters."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from cdcoref.cli.option_groups import option
from cdcoref.cli.scoring_options import KeyArgument, Scored, say_notes

EXAMPLES = ("cdcoref errors gold.conll predicted.conll", "cdcoref errors gold.jsonl predicted.jsonl --limit 20 --json")


def errors(
    key: KeyArgument,
    response: Annotated[Path, typer.Argument(metavar="RESPONSE", help="Predicted clusters.")],
    scored: Scored,
    limit: int = option(10, "Maximum number of errors of each type.", metavar="N", min=0),
    as_json: bool = option(False, "Print JSON.", "--json"),
) -> None:
    """Show the errors in predicted clusters, worst first: split and merged clusters, missed and spurious mentions.

    Clusters have the names that they have in the files: numbers in .conll files, the names of the prediction in JSON
    lines.
    """
    from cdcoref.scoring import report_errors
    from cdcoref.views import error_text

    report = report_errors(key, response, scored.options(), limit=limit)
    say_notes(key, ((response, note) for note in report.notes))
    print(json.dumps(asdict(report), indent=2, ensure_ascii=False) if as_json else error_text(report))

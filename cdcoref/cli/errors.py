"""``cdcoref errors``: the errors in predicted clusters."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from cdcoref.cli.corpus_options import IdsOption
from cdcoref.cli.scoring_options import KeyArgument, KindChoice, KindOption, LevelOption, NestedOption
from cdlm.printing import say


def errors(
    key: KeyArgument,
    response: Annotated[Path, typer.Argument(help="Predicted clusters.")],
    level: LevelOption = None,
    kind: KindOption = KindChoice.both,
    remove_nested: NestedOption = False,
    ids: IdsOption = None,
    limit: Annotated[int, typer.Option(min=0, help="Number of errors of each type to show.")] = 10,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show the errors in predicted clusters, worst first: split and merged clusters, missed and spurious mentions.

    Clusters are named as in the files. A .conll file has numbers for names; JSON lines keep the names of a prediction.
    """
    from cdcoref.scoring import Options, report_errors
    from cdcoref.views import error_text

    options = Options(level.value if level else None, kind.value, remove_nested=remove_nested, ids=ids)
    report = report_errors(key, response, options, limit=limit)
    for note in report.notes:
        say("cdcoref", f"note: {response}: {note}")
    print(json.dumps(asdict(report), indent=2, ensure_ascii=False) if as_json else error_text(report))

"""``cdcoref score``: predicted clusters scored against gold clusters."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from cdcoref.cli.corpus_options import IdsOption
from cdcoref.cli.model_options import OUTPUT
from cdcoref.cli.scoring_options import (
    FEWEST_UNITS,
    SCORED,
    KeyArgument,
    KindOption,
    LevelOption,
    NestedOption,
    say_notes,
)
from cdcoref.errors import InputError
from cdlm.printing import counted

if TYPE_CHECKING:
    from cdcoref.scoring import FileScores, Options, Significance

Engine = Literal["cdcoref", "coval"]
Unit = Literal["topic", "subtopic", "document"]

TESTS = "Significance"
EXAMPLES = (
    "cdcoref score gold.conll predicted.conll",
    "cdcoref score gold.jsonl one.jsonl two.jsonl --significance",
    "cdcoref score gold.conll predicted.conll --singletons remove --metrics conll,lea",
)


def score(
    key: KeyArgument,
    responses: Annotated[
        list[Path], typer.Argument(metavar="RESPONSES", help="Predicted clusters: one or more files.")
    ],
    level: LevelOption = None,
    singletons: Annotated[
        Literal["keep", "remove"],
        typer.Option(
            help="Keep singletons (clusters of one mention), or remove them from both sides.", rich_help_panel=SCORED
        ),
    ] = "keep",
    kind: KindOption = "both",
    remove_nested: NestedOption = False,
    ids: IdsOption = None,
    metrics: Annotated[
        str,
        typer.Option(
            metavar="NAMES",
            help="Metrics, separated by commas: mentions, muc, b3, ceafm, ceafe, lea, blanc, conll. Default: all.",
            rich_help_panel=SCORED,
            show_default=False,
        ),
    ] = "",
    per_document: Annotated[
        bool, typer.Option("--per-document", help="Also score each document on its own.", rich_help_panel=SCORED)
    ] = False,
    significance: Annotated[
        bool,
        typer.Option(
            "--significance",
            help="Test whether two responses differ: paired bootstrap and randomisation.",
            rich_help_panel=TESTS,
        ),
    ] = False,
    unit: Annotated[
        Unit | None,
        typer.Option(
            help="What --significance resamples. Default: the smallest unit that no cluster crosses, or else topics.",
            rich_help_panel=TESTS,
        ),
    ] = None,
    resamples: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=100,
            max=1_000_000,  # cdcoref.scoring.MOST_RESAMPLES, which takes long to import
            help="Number of resamples in each test.",
            rich_help_panel=TESTS,
        ),
    ] = 10_000,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Random seed of the tests.", rich_help_panel=TESTS)] = 0,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON, with scores from 0 to 1.", rich_help_panel=OUTPUT)
    ] = False,
    engine: Annotated[
        Engine,
        typer.Option(help="The scorer: cdcoref, or coval if it is installed.", rich_help_panel=SCORED),
    ] = "cdcoref",
) -> None:
    """Score predicted clusters against gold clusters: MUC, B3, CEAF, LEA, BLANC, mention detection and CoNLL F1."""
    from cdcoref.scoring import Options
    from cdcoref.views import score_tables as tables

    if significance and len(responses) != 2:
        raise InputError(f"--significance compares two responses, not {len(responses)}")
    if unit is not None and not significance:
        raise InputError("--unit chooses what --significance resamples; give both")
    if engine == "coval" and (per_document or significance):
        raise InputError("--engine coval supports neither --per-document nor --significance")
    names = _metric_names(metrics)
    options = Options(level, kind, singletons, remove_nested, names, ids)
    resampling = {"unit": unit, "resamples": resamples, "seed": seed} if significance else None
    results, test = _scored(key, responses, options, per_document, resampling, engine)
    say_notes(key, ((result.response, note) for result in results for note in result.notes))
    if as_json:
        print(json.dumps(tables.scores_json(results, test), indent=2))
    else:
        print(f"{key}: level {results[0].level}, singletons {'kept' if singletons == 'keep' else 'removed'}; percent")
        for sentence in dict.fromkeys(filter(None, (result.ids for result in results))):
            print(sentence)
        print()
        print(tables.score_table(results))
        for result in results if per_document else []:
            print(f"\n{result.response}\n{tables.document_table(result)}")
        if test is not None:
            print(f"\n{tables.significance_table(test)}")


def _scored(
    key: Path,
    responses: list[Path],
    options: Options,
    per_document: bool,
    resampling: dict[str, Any] | None,
    engine: Engine,
) -> tuple[list[FileScores], Significance | None]:
    """The scores of all responses, and the significance test, before anything is printed."""
    if engine == "coval":
        from cdcoref.scoring import score_with_coval

        return [score_with_coval(key, response, options) for response in responses], None
    from cdcoref.formats import read_mention_table
    from cdcoref.scoring import score_files, score_tables

    if resampling is None:
        return list(score_files(key, responses, options, per_document=per_document)), None
    from cdcoref.scoring import compare_responses

    table, first, second = (read_mention_table(path, ids=options.ids) for path in (key, *responses))
    results = [score_tables(table, response, options, per_document=per_document) for response in (first, second)]
    progress = _progress if sys.stderr.isatty() else None
    test = compare_responses(table, first, second, options, **resampling, progress=progress)
    if test.units < FEWEST_UNITS:
        raise InputError(
            f"{counted(test.units, test.unit)} are too few to test whether responses differ; at least "
            f"{FEWEST_UNITS} are needed: add documents, or choose smaller units with --unit",
            key,
        )
    return results, test


def _progress(done: int, total: int) -> None:
    """Rewrite one line of standard error, and clear it at the end."""
    text = f"resampled {done} of {total}" if done < total else ""
    print(f"\r{text:<40}", end="" if text else "\r", file=sys.stderr, flush=True)


def _metric_names(text: str) -> tuple[str, ...]:
    """The metrics that the user named; all of them if none."""
    from cdcoref.scoring import CONLL, METRICS

    names: list[str] = []
    for name in filter(None, (part.strip().lower() for part in text.split(","))):
        if name != "conll" and name not in METRICS:
            raise InputError(f"unknown metric {name!r}; choose from {', '.join(METRICS)} and conll")
        names += CONLL if name == "conll" else [name]
    return tuple(names) or tuple(METRICS)

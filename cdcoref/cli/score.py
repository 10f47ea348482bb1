"""`cdcoref score` and `cdcoref errors`: how good clusters are, and where they are wrong."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cdcoref.errors import InputError

if TYPE_CHECKING:
    from cdcoref.scoring.files import FileScores, Options
    from cdcoref.scoring.significance import Significance


class LevelName(StrEnum):
    """Which documents are joined before scoring."""

    corpus = "corpus"
    topic = "topic"
    subtopic = "subtopic"
    document = "document"


class SingletonsChoice(StrEnum):
    """What becomes of clusters of one mention."""

    keep = "keep"
    remove = "remove"


class KindChoice(StrEnum):
    """Which mentions are scored."""

    event = "event"
    entity = "entity"
    both = "both"


class EngineChoice(StrEnum):
    """Which program computes the scores."""

    cdcoref = "cdcoref"
    coval = "coval"


KeyArgument = Annotated[Path, typer.Argument(help="Gold clusters: CoNLL, JSON lines or CorefUD, plain or gzipped.")]
LevelOption = Annotated[
    LevelName | None,
    typer.Option(
        help="Which documents are joined before scoring; links across documents exist only where they are joined. "
        "By default corpus, for CorefUD document."
    ),
]
KindOption = Annotated[KindChoice, typer.Option(help="Score the mentions of one kind, where the files say kinds.")]
NestedOption = Annotated[
    bool, typer.Option("--remove-nested", help="Leave out mentions within another mention of their cluster.")
]


def score(
    key: KeyArgument,
    responses: Annotated[list[Path], typer.Argument(help="Clusters to be scored, one file or several.")],
    level: LevelOption = None,
    singletons: Annotated[
        SingletonsChoice, typer.Option(help="Keep clusters of one mention, or remove them on both sides.")
    ] = SingletonsChoice.keep,
    kind: KindOption = KindChoice.both,
    remove_nested: NestedOption = False,
    metrics: Annotated[
        str,
        typer.Option(
            help="Metrics, separated by commas: mentions, muc, b3, ceafm, ceafe, lea, blanc, conll. By default all."
        ),
    ] = "",
    per_document: Annotated[bool, typer.Option("--per-document", help="Score every document alone too.")] = False,
    significance: Annotated[
        bool,
        typer.Option("--significance", help="Test the difference of two responses: bootstrap and randomisation."),
    ] = False,
    resamples: Annotated[int, typer.Option(min=100, help="Resamples of either test.")] = 10_000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the tests.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON (fractions from 0 to 1).")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV (fractions from 0 to 1).")] = False,
    as_latex: Annotated[bool, typer.Option("--latex", help="Print the rows of the paper's table (percent).")] = False,
    engine: Annotated[
        EngineChoice, typer.Option(help="Compute here, or let an installed coval compute.")
    ] = EngineChoice.cdcoref,
) -> None:
    """Score clusters against gold clusters: MUC, B3, CEAF, LEA, BLANC, mentions and the CoNLL F1."""
    from cdcoref.scoring import tables
    from cdcoref.scoring.files import Options

    if as_json + as_csv + as_latex > 1:
        raise InputError("--json, --csv and --latex exclude each other; choose one")
    if significance and len(responses) != 2:
        raise InputError(f"--significance compares two responses; {len(responses)} given")
    if significance and (as_csv or as_latex):
        raise InputError("--significance is printed as a table or with --json; leave out --csv and --latex")
    if engine is EngineChoice.coval and (per_document or significance):
        raise InputError("--engine coval scores all documents together; leave out --per-document and --significance")
    names = _metric_names(metrics)
    options = Options(level.value if level else None, kind.value, singletons.value, remove_nested, names)
    results, test = _scored(key, responses, options, per_document, significance, resamples, seed, engine)
    for note in dict.fromkeys(f"{result.response}: {note}" for result in results for note in result.notes):
        print(f"cdcoref: note: {note}", file=sys.stderr)
    if as_json:
        print(json.dumps(tables.scores_json(results, test), indent=2))
    elif as_csv:
        print(tables.scores_csv(results))
    elif as_latex:
        print(tables.latex_rows(results))
    else:
        print(f"{key}: level {results[0].level}, singletons {'kept' if singletons == 'keep' else 'removed'}; percent\n")
        print(tables.score_table(results))
        for result in results if per_document else []:
            print(f"\n{result.response}\n{tables.document_table(result)}")
        if test is not None:
            print(f"\n{tables.significance_table(test)}")


def errors(
    key: KeyArgument,
    response: Annotated[Path, typer.Argument(help="The clusters that are looked at.")],
    level: LevelOption = None,
    kind: KindOption = KindChoice.both,
    remove_nested: NestedOption = False,
    limit: Annotated[int, typer.Option(min=0, help="How many errors of each sort are shown.")] = 10,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show where clusters are wrong: split, merged, missed and invented, the worst first, with text and place."""
    from cdcoref.scoring.error_report import report_errors
    from cdcoref.scoring.files import Options
    from cdcoref.scoring.tables import error_text

    options = Options(level.value if level else None, kind.value, remove_nested=remove_nested)
    report = report_errors(key, response, options, limit=limit)
    for note in report.notes:
        print(f"cdcoref: note: {response}: {note}", file=sys.stderr)
    print(json.dumps(asdict(report), indent=2, ensure_ascii=False) if as_json else error_text(report))


def _scored(
    key: Path,
    responses: list[Path],
    options: Options,
    per_document: bool,
    significance: bool,
    resamples: int,
    seed: int,
    engine: EngineChoice,
) -> tuple[list[FileScores], Significance | None]:
    """The scores of all responses, and the test of the first two, before anything is printed."""
    if engine is EngineChoice.coval:
        from cdcoref.scoring.coval_engine import score_with_coval

        return [score_with_coval(key, response, options) for response in responses], None
    from cdcoref.scoring.files import score_files, score_tables
    from cdcoref.scoring.reading import read_mention_table

    if not significance:
        return list(score_files(key, responses, options, per_document=per_document)), None
    from cdcoref.scoring.significance import compare_responses

    table, first, second = (read_mention_table(path) for path in (key, *responses))
    results = [score_tables(table, response, options, per_document=per_document) for response in (first, second)]
    progress = _progress if sys.stderr.isatty() else None
    return results, compare_responses(table, first, second, options, resamples=resamples, seed=seed, progress=progress)


def _progress(done: int, total: int) -> None:
    """Rewrite one line of standard error; clear it at the end."""
    text = f"resampled {done} of {total}" if done < total else ""
    print(f"\r{text:<40}", end="" if text else "\r", file=sys.stderr, flush=True)


def _metric_names(text: str) -> tuple[str, ...]:
    """The metrics that the user named, all of them for none."""
    from cdcoref.scoring.metrics import CONLL, METRICS

    names: list[str] = []
    for name in filter(None, (part.strip().lower() for part in text.split(","))):
        if name != "conll" and name not in METRICS:
            raise InputError(f"there is no metric {name!r}; choose among {', '.join(METRICS)} and conll")
        names += CONLL if name == "conll" else [name]
    return tuple(names) or tuple(METRICS)

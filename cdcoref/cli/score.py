"""``cdcoref score``: predicted clusters against gold clusters."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import typer

from cdcoref import formats, scoring, views
from cdcoref.cli.messages import StageProgress, say
from cdcoref.cli.options import OUTPUT, Ids, Kind, option
from cdcoref.errors import InputError
from cdlm.printing import counted

EXAMPLES = {
    "score": (
        "cdcoref score gold.conll predicted.conll",
        "cdcoref score gold.jsonl one.jsonl two.jsonl --significance",
        "cdcoref score gold.conll predicted.conll --singletons remove --metrics conll,lea",
    )
}
SCORED = "What is scored"
"""The panel of the options that choose it."""

KeyArgument = Annotated[
    Path, typer.Argument(metavar="KEY", help="Gold clusters: CoNLL, JSON lines or CorefUD, plain or gzipped.")
]


@dataclass(frozen=True)
class Scored(Ids):
    """What is scored."""

    PANEL: ClassVar = SCORED
    level: Literal["corpus", "topic", "subtopic", "document"] | None = option(
        None,
        "The unit within which links are scored. Default: corpus, so that links between documents count; document if "
        "cluster ids are local to a document (CorefUD, CoNLL-2012), block if they are local to a block of several "
        "documents.",
    )
    kind: Kind = option("both", "Kind of mentions to score; CoNLL files have no kinds.")

    def options(self, **more: Any) -> scoring.Options:
        """The options of the scorer."""
        return scoring.Options(self.level, self.kind, ids=self.ids, **more)


FEWEST_UNITS = 10
"""With fewer, a significance test says nothing."""


@dataclass(frozen=True)
class Test:
    """A test whether two responses differ."""

    PANEL: ClassVar = "Significance"
    significance: bool = option(
        False, "Test whether two responses differ: paired bootstrap and randomisation.", "--significance"
    )
    unit: Literal["topic", "subtopic", "document"] | None = option(
        None, "What --significance resamples. Default: the smallest unit that no cluster crosses, or else topics."
    )
    # The maximum is cdcoref.scoring.MOST_RESAMPLES, which takes long to import.
    resamples: int = option(10_000, "Number of resamples in each test.", metavar="N", min=100, max=1_000_000)
    seed: int = option(0, "Random seed of the tests.", metavar="N", min=0)

    def resampling(self, responses: int) -> dict[str, Any] | None:
        """The settings of the test; None if there is none."""
        if self.significance and responses != 2:
            raise InputError(f"--significance compares two responses, not {responses}")
        if self.unit is not None and not self.significance:
            raise InputError("--unit chooses what --significance resamples; give both")
        names = ("unit", "resamples", "seed")
        return {name: getattr(self, name) for name in names} if self.significance else None


def score(
    key: KeyArgument,
    responses: Annotated[
        list[Path], typer.Argument(metavar="RESPONSES", help="Predicted clusters: one or more files.")
    ],
    scored: Scored,
    test: Test,
    singletons: Literal["keep", "remove"] = option(
        "keep", "Keep singletons (clusters of one mention), or remove them from both sides.", panel=SCORED
    ),
    metrics: str = option(
        "",
        "Metrics, separated by commas: mentions, muc, b3, ceafm, ceafe, lea, blanc, conll. Default: all.",
        metavar="NAMES",
        panel=SCORED,
        show_default=False,
    ),
    as_json: bool = option(False, "Print JSON, with scores from 0 to 1.", "--json", panel=OUTPUT),
) -> None:
    """Score predicted clusters against gold clusters: MUC, B3, CEAF, LEA, BLANC, mention detection and CoNLL F1."""
    resampling = test.resampling(len(responses))
    options = scored.options(singletons=singletons, metrics=_metric_names(metrics))
    results, significance = _scored(key, responses, options, resampling)
    notes = [(result.response, note) for result in results for note in result.notes]
    of_files = [(key if "of the key" in note and "missing" not in note else response, note) for response, note in notes]
    say(*(f"note: {file}: {note}" for file, note in dict.fromkeys(of_files)))
    say(*(f"note: {path}: {note}" for path in responses if (note := scoring.other_words(key, path)) is not None))
    if as_json:
        print(json.dumps(views.scores_json(results, significance), indent=2))
        return
    print(f"{key}: level {results[0].level}, singletons {'kept' if singletons == 'keep' else 'removed'}; percent")
    for sentence in dict.fromkeys(filter(None, (result.ids for result in results))):
        print(sentence)
    print()
    print(views.score_table(results))
    if significance is not None:
        print(f"\n{views.significance_table(significance)}")


def _scored(
    key: Path, responses: list[Path], options: scoring.Options, resampling: dict[str, Any] | None
) -> tuple[list[scoring.FileScores], scoring.Significance | None]:
    """The scores of all responses, and the significance test, before anything is printed."""
    table, *others = [formats.read_mention_table(path, ids=options.ids) for path in (key, *responses)]
    results = [scoring.score_tables(table, response, options) for response in others]
    if resampling is None:
        return results, None
    first, second = others
    with StageProgress() as progress:
        resampled = partial(progress.update, "resampling")
        test = scoring.compare_responses(table, first, second, options, **resampling, progress=resampled)
    if test.units < FEWEST_UNITS:
        raise InputError(
            f"{counted(test.units, test.unit)} are too few to test whether responses differ; at least "
            f"{FEWEST_UNITS} are needed: add documents, or choose smaller units with --unit",
            key,
        )
    return results, test


def _metric_names(text: str) -> tuple[str, ...]:
    names: list[str] = []
    for name in filter(None, (part.strip().lower() for part in text.split(","))):
        if name != "conll" and name not in scoring.METRICS:
            raise InputError(f"unknown metric {name!r}; choose from {', '.join(scoring.METRICS)} and conll")
        names += scoring.CONLL if name == "conll" else [name]
    return tuple(names) or tuple(scoring.METRICS)

"""The tables of the paper (Caciularu et al. 2021), and what measures them. ``published.tsv`` has the number of a table,
the name of a row, and its cells as printed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

METRICS = ("muc", "b3", "ceafe", "lea")
BENCHMARKS = {"aan": "AAN", "oc": "OC", "s2orc": "S2ORC", "pan": "PAN"}
SPLITS = ("train", "dev", "test")
MISSING = "-"
"""A cell without a value."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """A run that fills some cells of a row."""

    file: str
    """The name, in the folder of results, of the JSON that its last command prints."""
    columns: int
    """How many cells it fills."""
    values: Callable[[Any], Sequence[float | None]]
    """The values of the cells from the JSON; None where it has none."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table: the system, or what is counted, with the published values as printed."""

    name: str
    paper: tuple[str, ...]
    measurements: tuple[Measurement, ...] = ()
    """What fills the cells, from left to right. None for the systems of others and for counts."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the paper."""

    number: int
    title: str
    columns: tuple[str, ...]
    """Names of the columns, without that of the rows."""
    rows: tuple[Row, ...]
    commands: tuple[str, ...]
    """What measures the values. Words in capitals stand for folders, or for a column of `ENCODERS`."""
    counts: bool = False
    """Whether it counts the contents of a corpus. Otherwise rows without measurements are systems of others."""
    decimals: int = 1
    with_differences: bool = False
    """Whether the last column is the difference between a row's first value and that of the first row."""


class Encoder(NamedTuple):
    """A pretrained encoder that the paper compares."""

    name: str
    checkpoint: str
    variant: str
    title: str


ENCODERS = (
    Encoder("longformer", "allenai/longformer-base-4096", "local", "Longformer"),
    Encoder("local", "models/local", "local", "Local CDLM"),
    Encoder("rand", "models/rand", "rand", "Rand CDLM"),
    Encoder("prefix", "models/prefix", "prefix", "Prefix CDLM"),
    Encoder("cdlm", "biu-nlp/cdlm", "cdlm", "CDLM"),
)
ABLATIONS = {
    "full document CDLM": "cdlm",
    "sentences only CDLM": "sentences",
    **{encoder.title: encoder.name for encoder in ENCODERS[:-1]},
}
PRETRAINING = "cdlm pretrain --preset paper --corpus MULTI_NEWS --variant VARIANT -o models/VARIANT"
"""For the ablations, which nobody published."""


def _perplexity(encoder: Encoder, split: str) -> Measurement:
    return Measurement(f"perplexity-{encoder.name}-{split}.json", 1, lambda json: [json[0]["value"]])


def _coreference(kind: str, name: str, *, all_metrics: bool) -> Measurement:
    def values(json: Any) -> list[float | None]:
        scores = json[kind]["predicted"]
        rates = [scores[metric][rate] for metric in METRICS for rate in ("recall", "precision", "f1")]
        return [100 * value for value in (*(rates if all_metrics else ()), scores["conll_f1"])]

    return Measurement(f"coreference-{kind}-{name}.json", 13 if all_metrics else 1, values)


def _matching(encoder: Encoder, benchmark: str) -> Measurement:
    return Measurement(f"matching-{benchmark}-{encoder.name}.json", 1, lambda json: [100 * json["f1"]])


def _questions(encoder: Encoder) -> Measurement:
    names = ("f1", "sp_f1", "joint_f1")
    return Measurement(f"questions-{encoder.name}.json", 3, lambda json: [100 * json[name] for name in names])


def _alignment(encoder: Encoder) -> Measurement:
    def values(json: Any) -> list[float | None]:
        (cells,) = json.values()
        of_columns = (cells.get(f"{kind} {sign}") for sign in ("positive", "negative") for kind in ("event", "entity"))
        return [cell and cell["mean"] for cell in of_columns]

    return Measurement(f"alignment-{encoder.name}.json", 4, values)


PUBLISHED = tuple(
    tuple(line.split("\t"))
    for line in Path(__file__).with_name("published.tsv").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
)


def _rows(number: int, measurements: Mapping[str, tuple[Measurement, ...]]) -> tuple[Row, ...]:
    """The rows of a table, with what fills some of them by name."""
    of_table = [(name, cells) for table, name, *cells in PUBLISHED if int(table) == number]
    return tuple(Row(name, tuple(cells), measurements.get(name, ())) for name, cells in of_table)


def _of_encoders(measured: Callable[[Encoder], tuple[Measurement, ...]]) -> dict[str, tuple[Measurement, ...]]:
    return {encoder.title: measured(encoder) for encoder in ENCODERS}


def _counts(number: int, title: str, columns: tuple[str, ...], option: str) -> Table:
    return Table(number, title, columns, _rows(number, {}), (f"cdlm tables {number} {option}",), counts=True)


OF_SPLITS = ("train", "validation", "test")
TABLES = (
    Table(
        1,
        "Cross-document perplexity, Multi-News",
        ("validation", "test"),
        _rows(1, _of_encoders(lambda encoder: (_perplexity(encoder, "dev"), _perplexity(encoder, "test")))),
        (
            PRETRAINING,
            "cdlm perplexity --corpus MULTI_NEWS --split SPLIT --model CHECKPOINT=VARIANT --json "
            "> RESULTS/perplexity-NAME-SPLIT.json",
        ),
        decimals=2,
    ),
    Table(
        2,
        "Event and entity cross-document coreference, ECB+ test, gold mentions",
        (*(f"{metric} {rate}" for metric in ("MUC", "B3", "CEAFe", "LEA") for rate in ("R", "P", "F1")), "CoNLL F1"),
        _rows(2, {f"{kind}: CDLM": (_coreference(kind, "cdlm", all_metrics=True),) for kind in ("event", "entity")}),
        (
            "cdcoref train --ecb-root ECB --preset paper --kind KIND -o MODEL",
            "cdcoref evaluate --ecb-root ECB --split test --kind KIND --model MODEL --json "
            "> RESULTS/coreference-KIND-cdlm.json",
        ),
    ),
    Table(
        3,
        "Ablations, ECB+ test, event coreference, CoNLL F1",
        ("F1", "difference"),
        _rows(3, {title: (_coreference("event", name, all_metrics=False),) for title, name in ABLATIONS.items()}),
        (
            PRETRAINING,
            "cdcoref train --ecb-root ECB --preset paper --kind event --encoder CHECKPOINT -o MODEL",
            "cdcoref evaluate --ecb-root ECB --split test --kind event --model MODEL --json "
            "> RESULTS/coreference-event-NAME.json",
            "cdcoref train --ecb-root ECB --preset paper --kind event --context sentence -o MODEL",
            "cdcoref evaluate --ecb-root ECB --split test --kind event --model MODEL --json "
            "> RESULTS/coreference-event-sentences.json",
        ),
        with_differences=True,
    ),
    Table(
        4,
        "Document matching, F1 on the test sets",
        tuple(BENCHMARKS.values()),
        _rows(4, _of_encoders(lambda encoder: tuple(_matching(encoder, benchmark) for benchmark in BENCHMARKS))),
        (
            PRETRAINING,
            "cdlm match train --benchmark aan:AAN --preset paper --encoder CHECKPOINT -o MODEL",
            "cdlm match evaluate --benchmark aan:AAN --split test --model MODEL --json "
            "> RESULTS/matching-aan-NAME.json",
        ),
    ),
    Table(
        5,
        "HotpotQA-distractor, F1 on the dev set",
        ("answer", "supporting facts", "joint"),
        _rows(5, _of_encoders(lambda encoder: (_questions(encoder),))),
        (
            PRETRAINING,
            "cdlm qa train --train HOTPOT/hotpot_train_v1.1.json --dev HOTPOT/hotpot_dev_distractor_v1.json "
            "--preset paper --encoder CHECKPOINT -o MODEL",
            "cdlm qa evaluate HOTPOT/hotpot_dev_distractor_v1.json --model MODEL --json > RESULTS/questions-NAME.json",
        ),
    ),
    Table(
        6,
        "Attention analysis, ECB+: mean percentile rank of the target",
        ("positive events", "positive entities", "negative events", "negative entities"),
        _rows(6, _of_encoders(lambda encoder: (_alignment(encoder),))),
        (PRETRAINING, "cdlm align --ecb-root ECB --model CHECKPOINT --json > RESULTS/alignment-NAME.json"),
    ),
    _counts(7, "Multi-News, training set: sets by their number of documents", ("sets",), "--multi-news MULTI_NEWS"),
    _counts(
        8, "ECB+; mentions and clusters of two or more are those of events / entities", OF_SPLITS, "--ecb-root ECB"
    ),
    _counts(9, "Document matching: pairs of each split", OF_SPLITS, "--matching aan:AAN"),
    _counts(10, "Document matching: pairs, and different documents", ("pairs", "documents"), "--matching aan:AAN"),
)

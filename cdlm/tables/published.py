"""The tables of the paper (Caciularu et al. 2021, *CDLM: Cross-Document Language Modeling*): values and commands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
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


def _of_encoders(values: Sequence[str], measured: Callable[[Encoder], tuple[Measurement, ...]]) -> tuple[Row, ...]:
    """The rows of the five encoders, from their published values separated by spaces."""
    rows = zip(ENCODERS, values, strict=True)
    return tuple(Row(encoder.title, tuple(cells.split()), measured(encoder)) for encoder, cells in rows)


def _of_others(kind: str, values: dict[str, str]) -> tuple[Row, ...]:
    return tuple(Row(f"{kind}{name}", tuple(cells.split())) for name, cells in values.items())


EVENT_SYSTEMS = {
    "Barhom et al. 2019": "78.1 84.0 80.9 76.8 86.1 81.2 79.6 73.3 76.3 64.6 72.3 68.3 79.5",
    "Meged et al. 2020": "78.8 84.7 81.6 75.9 85.9 80.6 81.1 74.8 77.8 64.7 73.4 68.8 80.0",
    "Cattan et al. 2020": "85.1 81.9 83.5 82.1 82.7 82.4 75.2 78.9 77.0 68.8 72.0 70.4 81.0",
    "Zeng et al. 2020": "85.6 89.3 87.5 77.6 89.7 83.2 84.5 80.1 82.3 - - - 84.3",
    "Yu et al. 2020": "88.1 85.1 86.6 86.1 84.7 85.4 79.6 83.1 81.3 - - - 84.4",
    "Allaway et al. 2021": "81.7 82.8 82.2 80.8 81.5 81.1 79.8 78.4 79.1 - - - 80.8",
}
ENTITY_SYSTEMS = {
    "Barhom et al. 2019": "81.0 80.8 80.9 66.8 75.5 70.9 62.5 62.8 62.7 53.5 63.8 58.2 71.5",
    "Cattan et al. 2020": "85.7 81.7 83.6 70.7 74.8 72.7 59.3 67.4 63.1 56.8 65.8 61.0 73.1",
    "Allaway et al. 2021": "83.9 84.7 84.3 74.5 70.5 72.4 70.0 68.1 69.2 - - - 75.3",
}
ABLATIONS = ("84.6 -1.0", "84.7 -0.9", "84.1 -1.5", "85.1 -0.5")
OWN_EVENTS = "87.1 89.2 88.1 84.9 87.9 86.4 83.3 81.2 82.2 76.7 77.2 76.9 85.6"
OWN_ENTITIES = "88.1 91.8 89.9 82.5 81.7 82.1 81.2 72.9 76.8 76.4 73.0 74.7 82.9"


def _own(kind: str, values: str) -> Row:
    return Row(f"{kind}: CDLM", tuple(values.split()), (_coreference(kind, "cdlm", all_metrics=True),))


def _ablation(title: str, values: str, name: str) -> Row:
    return Row(title, tuple(values.split()), (_coreference("event", name, all_metrics=False),))


TABLES = (
    Table(
        1,
        "Cross-document perplexity, Multi-News",
        ("validation", "test"),
        _of_encoders(
            ("3.89 3.94", "3.78 3.84", "3.68 3.81", "3.20 3.41", "3.23 3.39"),
            lambda encoder: (_perplexity(encoder, "dev"), _perplexity(encoder, "test")),
        ),
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
        (
            *_of_others("event: ", EVENT_SYSTEMS),
            _own("event", OWN_EVENTS),
            *_of_others("entity: ", ENTITY_SYSTEMS),
            _own("entity", OWN_ENTITIES),
        ),
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
        (
            _ablation("full document CDLM", "85.6 -", "cdlm"),
            _ablation("sentences only CDLM", "84.2 -1.4", "sentences"),
            *(_ablation(e.title, cells, e.name) for e, cells in zip(ENCODERS[:-1], ABLATIONS, strict=True)),
        ),
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
        (
            *_of_others(
                "",
                {
                    "SMASH (Jiang et al. 2019)": "80.8 - - -",
                    "SMITH (Yang et al. 2020)": "85.4 - - -",
                    "BERT-HAN (Zhou et al. 2020)": "65.0 86.3 90.8 87.4",
                    "GRU-HAN+CDA (Zhou et al. 2020)": "75.1 89.9 91.6 78.2",
                    "BERT-HAN+CDA (Zhou et al. 2020)": "82.1 87.8 92.1 86.2",
                },
            ),
            *_of_encoders(
                (
                    "85.4 93.4 95.8 80.4", "83.8 92.1 94.5 80.9", "85.7 93.5 94.6 79.4", "87.3 94.8 94.7 81.7",
                    "88.8 95.3 96.5 82.9",
                ),
                lambda encoder: tuple(_matching(encoder, benchmark) for benchmark in BENCHMARKS),
            ),
        ),
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
        (
            *_of_others(
                "",
                {
                    "Transformer-XH (Zhao et al. 2020)": "66.2 72.1 52.9",
                    "Graph Recurrent Retriever (Asai et al. 2020)": "73.3 76.1 61.4",
                    "RoBERTa-lf (Beltagy et al. 2020)": "73.5 83.4 63.5",
                    "BigBird (Zaheer et al. 2020)": "75.5 87.1 67.8",
                },
            ),
            *_of_encoders(
                ("74.5 83.9 64.5", "74.1 84.0 64.2", "72.7 84.8 63.7", "74.8 84.7 65.2", "74.7 86.3 66.3"),
                lambda encoder: (_questions(encoder),),
            ),
        ),
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
        _of_encoders(
            (
                "61.9 59.7 54.8 50.5", "62.2 60.8 54.6 52.6", "70.6 69.1 56.6 53.2", "70.7 69.4 58.5 56.5",
                "72.1 70.3 58.0 55.7",
            ),
            lambda encoder: (_alignment(encoder),),
        ),
        (PRETRAINING, "cdlm align --ecb-root ECB --model CHECKPOINT --json > RESULTS/alignment-NAME.json"),
    ),
    Table(
        7,
        "Multi-News, training set: sets by their number of documents",
        ("sets",),
        tuple(
            Row(name, (count,))
            for name, count in (
                ("3", "12,707"), ("4", "5,022"), ("5", "1,873"), ("6", "763"), ("7", "382"), ("8", "209"),
                ("9", "89"), ("10", "33"), ("total", "21,078"),
            )
        ),
        ("cdlm tables 7 --multi-news MULTI_NEWS",),
        counts=True,
    ),
    Table(
        8,
        "ECB+; mentions and clusters of two or more are those of events / entities",
        ("train", "validation", "test"),
        (
            Row("topics", ("25", "8", "10")),
            Row("documents", ("594", "196", "206")),
            Row("mentions", ("3,808 / 4,758", "1,245 / 1,476", "1,780 / 2,055")),
            Row("clusters", ("411 / 472", "129 / 125", "182 / 196")),
        ),
        ("cdlm tables 8 --ecb-root ECB",),
        counts=True,
    ),
    Table(
        9,
        "Document matching: pairs of each split",
        ("train", "validation", "test"),
        (
            Row("AAN", ("106,592", "13,324", "13,324")),
            Row("OC", ("240,000", "30,000", "30,000")),
            Row("S2ORC", ("152,000", "19,000", "19,000")),
            Row("PAN", ("17,968", "2,908", "2,906")),
        ),
        ("cdlm tables 9 --matching aan:AAN",),
        counts=True,
    ),
    Table(
        10,
        "Document matching: pairs, and different documents",
        ("pairs", "documents"),
        (
            Row("AAN", ("132K", "13K")),
            Row("OC", ("300K", "567K")),
            Row("S2ORC", ("190K", "270K")),
            Row("PAN", ("34K", "23K")),
        ),
        ("cdlm tables 10 --matching aan:AAN",),
        counts=True,
    ),
)  # fmt: skip

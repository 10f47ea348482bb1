"""The tables of the paper (Caciularu et al. 2021, *CDLM: Cross-Document Language Modeling*): values and commands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from cdlm.tables.layout import Measurement, Row, Table

ECB, MULTI_NEWS, HOTPOT = "ECB", "MULTI_NEWS", "HOTPOT"
"""Represent, in commands, the folders of ECB+, Multi-News and HotpotQA."""
METRICS = ("muc", "b3", "ceafe", "lea")
BENCHMARKS = {"aan": "AAN", "oc": "OC", "s2orc": "S2ORC", "pan": "PAN"}
SPLITS = ("train", "dev", "test")


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
PRETRAINING = tuple(
    f"cdlm pretrain --preset paper --corpus {MULTI_NEWS} --variant {one.name} -o {one.checkpoint}"
    for one in ENCODERS
    if one.checkpoint.startswith("models/")
)
"""The ablations, which nobody published."""


def _perplexity(encoder: Encoder, split: str) -> Measurement:
    model = f"{encoder.checkpoint}={encoder.variant}"
    command = f"cdlm perplexity --corpus {MULTI_NEWS} --split {split} --model {model} --json"
    return Measurement(f"perplexity-{encoder.name}-{split}.json", (command,), 1, lambda json: [json[0]["value"]])


def _coreference(kind: str, name: str, options: str, *, all_metrics: bool) -> Measurement:
    """Training on ECB+, and scores on its test split with gold mentions and predicted topics."""

    def values(json: Any) -> list[float | None]:
        scores = json[kind]["predicted"]
        rates = [scores[metric][rate] for metric in METRICS for rate in ("recall", "precision", "f1")]
        return [100 * value for value in (*(rates if all_metrics else ()), scores["conll_f1"])]

    model = f"models/{kind}-{name}"
    commands = (
        f"cdcoref train --ecb-root {ECB} --preset paper --kind {kind}{options} -o {model}",
        f"cdcoref evaluate --ecb-root {ECB} --split test --kind {kind} --model {model} --json",
    )
    return Measurement(f"coreference-{kind}-{name}.json", commands, 13 if all_metrics else 1, values)


def _matching(encoder: Encoder, benchmark: str) -> Measurement:
    data, model = f"{benchmark}:{BENCHMARKS[benchmark]}", f"models/{benchmark}-{encoder.name}"
    commands = (
        f"cdlm match train --benchmark {data} --preset paper --encoder {encoder.checkpoint} -o {model}",
        f"cdlm match evaluate --benchmark {data} --split test --model {model} --json",
    )
    return Measurement(f"matching-{benchmark}-{encoder.name}.json", commands, 1, lambda json: [100 * json["f1"]])


def _questions(encoder: Encoder) -> Measurement:
    dev, model = f"{HOTPOT}/hotpot_dev_distractor_v1.json", f"models/qa-{encoder.name}"
    commands = (
        f"cdlm qa train --train {HOTPOT}/hotpot_train_v1.1.json --dev {dev} --preset paper --encoder "
        f"{encoder.checkpoint} -o {model}",
        f"cdlm qa evaluate {dev} --model {model} --json",
    )
    names = ("f1", "sp_f1", "joint_f1")
    return Measurement(f"questions-{encoder.name}.json", commands, 3, lambda json: [100 * json[name] for name in names])


def _alignment(encoder: Encoder) -> Measurement:
    def values(json: Any) -> list[float | None]:
        (cells,) = json.values()
        found = (cells.get(f"{kind} {sign}") for sign in ("positive", "negative") for kind in ("event", "entity"))
        return [cell and cell["mean"] for cell in found]

    command = f"cdlm align --ecb-root {ECB} --model {encoder.checkpoint} --json"
    return Measurement(f"alignment-{encoder.name}.json", (command,), 4, values)


def _of_encoders(values: Sequence[str], measured: Callable[[Encoder], tuple[Measurement, ...]]) -> tuple[Row, ...]:
    """The rows of the five encoders, from their published values separated by spaces."""
    rows = zip(ENCODERS, values, strict=True)
    return tuple(Row(one.title, tuple(own.split()), measured(one)) for one, own in rows)


def _of_others(kind: str, values: dict[str, str]) -> tuple[Row, ...]:
    return tuple(Row(f"{kind}{name}", tuple(own.split())) for name, own in values.items())


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
OWN_EVENTS = "87.1 89.2 88.1 84.9 87.9 86.4 83.3 81.2 82.2 76.7 77.2 76.9 85.6"
OWN_ENTITIES = "88.1 91.8 89.9 82.5 81.7 82.1 81.2 72.9 76.8 76.4 73.0 74.7 82.9"


def _own(kind: str, values: str) -> Row:
    measured = _coreference(kind, "cdlm", "", all_metrics=True)
    return Row(f"{kind}: CDLM", tuple(values.split()), (measured,))


def _ablation(title: str, values: str, name: str, options: str) -> Row:
    return Row(title, tuple(values.split(" ")), (_coreference("event", name, options, all_metrics=False),))


TABLES = (
    Table(
        1,
        "Cross-document perplexity, Multi-News",
        ("validation", "test"),
        _of_encoders(
            ("3.89 3.94", "3.78 3.84", "3.68 3.81", "3.20 3.41", "3.23 3.39"),
            lambda one: (_perplexity(one, "dev"), _perplexity(one, "test")),
        ),
        decimals=2,
        preparation=PRETRAINING,
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
    ),
    Table(
        3,
        "Ablations, ECB+ test, event coreference, CoNLL F1",
        ("F1", "difference"),
        (
            _ablation("full document CDLM", "85.6 -", "cdlm", ""),
            _ablation("sentences only CDLM", "84.2 -1.4", "sentences", " --context sentence"),
            *(
                _ablation(one.title, own, one.name, f" --encoder {one.checkpoint}")
                for one, own in zip(ENCODERS[:-1], ("84.6 -1.0", "84.7 -0.9", "84.1 -1.5", "85.1 -0.5"), strict=True)
            ),
        ),
        with_differences=True,
        preparation=PRETRAINING,
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
                lambda one: tuple(_matching(one, benchmark) for benchmark in BENCHMARKS),
            ),
        ),
        preparation=PRETRAINING,
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
                lambda one: (_questions(one),),
            ),
        ),
        preparation=PRETRAINING,
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
            lambda one: (_alignment(one),),
        ),
        preparation=PRETRAINING,
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
        counts=True,
    ),
)  # fmt: skip

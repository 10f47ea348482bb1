"""``cdlm match train | predict | evaluate``: the command line of document matching in :mod:`cdlm.tasks`."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from cdlm import training_options as options
from cdlm.command_line import Group, add_command
from cdlm.errors import InputError
from cdlm.files import check_writable
from cdlm.printing import say

if TYPE_CHECKING:
    from cdlm.tasks import Match, TextPair

app = typer.Typer(
    cls=Group, no_args_is_help=True, help="Match documents: predict whether a relation holds between two texts."
)
BenchmarkOption = Annotated[
    str | None,
    typer.Option(metavar="NAME:DIR", help="Benchmark of Zhou et al. 2020 (aan, oc, s2orc or pan) and its folder."),
]


def train(
    output: options.OutputModelOption,
    train_file: Annotated[
        Path | None,
        typer.Option("--train", metavar="FILE", help="Training pairs: JSON lines or CSV with text_a, text_b, label."),
    ] = None,
    dev_file: Annotated[
        Path | None, typer.Option("--dev", metavar="FILE", help="Pairs on which to choose the epoch.")
    ] = None,
    benchmark: BenchmarkOption = None,
    config: options.ConfigOption = None,
    preset: options.PresetOption = "small",
    encoder: options.EncoderOption = None,
    settings: options.SetOption = None,
    log: options.LogOption = None,
    device: options.DeviceOption = None,
    resume: options.ResumeOption = False,
) -> None:
    """Train a model on labelled pairs of texts."""
    from cdlm.tasks import MATCH_PRESETS, read_pairs, train_matcher

    named = {"encoder": encoder}
    training = options.configured(MATCH_PRESETS[preset], config, settings, named)
    if benchmark is not None:
        if train_file or dev_file:
            raise InputError("give either --benchmark or --train and --dev, not both")
        train_file, dev_file = _benchmark(benchmark, "train"), _benchmark(benchmark, "dev")
    if train_file is None or dev_file is None:
        raise InputError("give --train FILE and --dev FILE, or --benchmark NAME:DIR")
    train_pairs, dev_pairs = read_pairs(train_file), read_pairs(dev_file)
    with options.resumable(output):
        train_matcher(training, train_pairs, dev_pairs, output, resume=resume, device=device, tracker=log)


def predict(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Pairs: JSON lines or CSV with text_a, text_b.")],
    model: options.ModelOption,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="Write JSON lines with id, label and probability."),
    ] = None,
    precision: options.InferencePrecisionOption = "auto",
    device: options.DeviceOption = None,
) -> None:
    """Predict for each pair whether the relation holds."""
    from cdlm.tasks import read_pairs, write_matches

    if output is not None:
        check_writable(output)
    matches = _predict(model, read_pairs(file, labelled=False), precision, device)
    if output is not None:
        write_matches(matches, output)
        return
    for match in matches:
        print(f"{match.id}\t{match.label}\t{match.probability:.3f}")


def evaluate(
    model: options.ModelOption,
    file: Annotated[Path | None, typer.Argument(metavar="FILE", help="Labelled pairs: JSON lines or CSV.")] = None,
    benchmark: BenchmarkOption = None,
    split: Annotated[Literal["dev", "test"] | None, typer.Option(help="Split of the benchmark. Default: dev.")] = None,
    precision: options.InferencePrecisionOption = "auto",
    device: options.DeviceOption = None,
    as_json: options.JsonOption = False,
) -> None:
    """Score a model on labelled pairs: F1, precision, recall, accuracy."""
    from cdlm.tasks import match_scores, read_pairs

    if (file is None) == (benchmark is None):
        raise InputError("give either a file of pairs or --benchmark NAME:DIR")
    if file is not None and split is not None:
        raise InputError("only benchmarks have splits; leave out --split")
    pairs = read_pairs(file if file is not None else _benchmark(str(benchmark), split or "dev"))
    matches = _predict(model, pairs, precision, device)
    scores = asdict(match_scores([pair.label or 0 for pair in pairs], [match.label for match in matches]))
    if as_json:
        print(json.dumps(scores, indent=2))
        return
    print(f"in percent, number of pairs: {len(pairs)}")
    for name in ("f1", "precision", "recall", "accuracy"):
        print(f"{'F1' if name == 'f1' else name:10}{100 * scores[name]:6.1f}")


def name_and_folder(option: str, text: str) -> tuple[str, Path]:
    """The name of a benchmark and its folder, as an option states them."""
    name, colon, folder = text.partition(":")
    if not colon or not folder:
        raise InputError(f"{option} takes NAME:DIR, such as aan:data/aan, not {text!r}")
    return name, Path(folder)


def _benchmark(text: str, split: str) -> Path:
    from cdlm.tasks import benchmark_file

    return benchmark_file(*name_and_folder("--benchmark", text), split)


def _predict(name: str, pairs: list[TextPair], precision: str, device: str | None) -> tuple[Match, ...]:
    from cdlm.devices import resolve_device
    from cdlm.printing import StageProgress
    from cdlm.tasks import MatchModel, predict_pairs

    model = MatchModel.from_pretrained(name).to(resolve_device(device))
    with StageProgress("cdlm") as shown:
        predicted = predict_pairs(model, pairs, precision=precision, progress=shown.update)
    if predicted.cut:
        say("cdlm", f"note: cut {predicted.cut} of {len(pairs)} pairs to {model.settings.max_length} tokens")
    return predicted.matches


add_command(
    app,
    train,
    examples=(
        "cdlm match train --train train.jsonl --dev dev.csv -o my-matcher",
        "cdlm match train --benchmark aan:aan/ --set both_orders=true -o my-matcher",
    ),
)
add_command(app, predict, examples=("cdlm match predict pairs.csv --model my-matcher -o matches.jsonl",))
add_command(
    app,
    evaluate,
    examples=(
        "cdlm match evaluate test.jsonl --model my-matcher",
        "cdlm match evaluate --benchmark aan:aan/ --split test --model my-matcher",
    ),
)

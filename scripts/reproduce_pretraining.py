#!/usr/bin/env python
"""The pretraining experiments of the CDLM paper at small scale: perplexity, attention analysis, coreference, by seed.

    python scripts/reproduce_pretraining.py --sets DIR --ecb-root DIR --work DIR

Each seed trains a head on the long all-MiniLM-L6-v2, then all rows of Table 1 for the same number of steps (Longformer
only the head). Each is measured by perplexity (Table 1) and attention on ECB+ dev (Table 6), and is fine-tuned for
coreference. A seed takes an hour of one core; --budget hours several, --budget gpu a GPU.

The result of every row is a file in WORK/results and is not repeated. At the end, or with --tables only, results are
written to one JSON file (-o) and printed beside the paper's.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import torch

from cdcoref.corpora import documents_of, read_ecb
from cdcoref.inputs import SequenceOptions
from cdcoref.training import PRESETS as COREF_PRESETS
from cdcoref.training import SamplingOptions, train
from cdlm.alignment import PairReader, align, sample_pairs
from cdlm.encoder import CDLMModel
from cdlm.files import replaced_file
from cdlm.pretraining import PRESETS, Contender, PretrainingConfig, Variant, open_source, perplexities, pretrain
from cdlm.runs import RUN_FILE, RunOptions, say_on_stderr
from cdlm.tokens import load_tokenizer

VARIANTS: dict[str, Variant] = {
    "longformer": "local",
    "local": "local",
    "rand": "rand",
    "prefix": "prefix",
    "cdlm": "cdlm",
}
"""The variant whose text and global attention each row of the tables has."""
ROWS = tuple(VARIANTS)
STAGES = ("pretrain", "perplexity", "align", "coref")
OUTPUT = Path(__file__).parent / "results" / "pretraining.json"
COREF_TOPICS = (1, 3, 4, 6, 7, 8, 9, 10, 11, 13, 14, 16, 19, 20, 22, *range(24, 34))
DEV_TOPICS = (2, 5, 12, 18, 21, 23, 34, 35)
"""Train and dev topics of ECB+."""

PAPER: dict[str, dict[str, Any]] = {
    "longformer": {"perplexity": (3.89, 3.94), "align": (61.9, 59.7, 54.8, 50.5), "coref": 84.6},
    "local": {"perplexity": (3.78, 3.84), "align": (62.2, 60.8, 54.6, 52.6), "coref": 84.7},
    "rand": {"perplexity": (3.68, 3.81), "align": (70.6, 69.1, 56.6, 53.2), "coref": 84.1},
    "prefix": {"perplexity": (3.20, 3.41), "align": (70.7, 69.4, 58.5, 56.5), "coref": 85.1},
    "cdlm": {"perplexity": (3.23, 3.39), "align": (72.1, 70.3, 58.0, 55.7), "coref": 85.6},
}
"""Tables 1 (Multi-News validation and test) and 6, and the ablation of event coreference on ECB+ test (CoNLL F1)."""
CELLS = (("event", True), ("entity", True), ("event", False), ("entity", False))


@dataclass(frozen=True)
class Budget:
    """The budget for each row of each seed."""

    seeds: int
    head_steps: int
    steps: int
    """Steps for the head, before all rows; and for each row."""
    batch_size: int
    max_length: int
    learning_rate: float
    head_learning_rate: float
    pairs: int
    """Pairs of each kind and sign in the attention analysis."""
    coref_topics: int
    coref_epochs: int
    coref_dev_topics: int
    """Number of train topics of ECB+ to fine-tune on, passes over them, and number of dev topics to score."""


BUDGETS = {
    "cpu": Budget(3, 60, 300, 2, 1024, 3e-4, 3e-3, 60, 2, 1, 4),
    "hours": Budget(3, 100, 400, 4, 1024, 3e-4, 3e-3, 150, 6, 1, 8),
    "gpu": Budget(3, 500, 2000, 16, 2048, 3e-4, 3e-3, 1000, 25, 2, 8),
}


class Results:
    """The results of units, each in a file of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def get(self, unit: str) -> dict[str, Any] | None:
        """The result of a unit, if it exists."""
        file = self.folder / f"{unit}.json"
        return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else None

    def once(self, unit: str, compute: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """The result of a unit, computed if it does not exist."""
        found = self.get(unit)
        if found is None:
            say_on_stderr(f"== {unit}")
            started, cpu = time.monotonic(), time.process_time()
            found = compute()
            found |= {
                "seconds": round(time.monotonic() - started, 1),
                "cpu_seconds": round(time.process_time() - cpu, 1),
            }
            with replaced_file(self.folder / f"{unit}.json") as path:
                path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        return found


@dataclass(frozen=True)
class Experiment:
    """The inputs, the folders and the budget."""

    sets: Path
    ecb_root: Path
    work: Path
    budget: Budget
    device: str | None

    def start(self, seed: int) -> Path:
        """The folder of the encoder with the head from which all rows of a seed start."""
        return self.work / "models" / f"start-{seed}"

    def model(self, row: str, seed: int) -> Path:
        """The folder of a pretrained model."""
        return self.work / "models" / f"{row}-{seed}"

    def pretraining(self, row: str | None, seed: int) -> PretrainingConfig:
        """The configuration of a row, or of the model from which all rows start."""
        budget, small = self.budget, PRESETS["small"]
        run = replace(
            small.run,
            steps=budget.head_steps if row is None else budget.steps,
            learning_rate=budget.learning_rate,
            head_learning_rate=budget.head_learning_rate,
            warmup=0.1,
            seed=seed if row is None else 1000 + seed,
        )
        head_alone = row is None or row == "longformer"
        return replace(
            small,
            encoder="minilm" if row is None else str(self.start(seed)),
            variant="local" if row is None else VARIANTS[row],
            trained="head" if head_alone else "all",
            max_length=budget.max_length,
            batch_size=budget.batch_size,
            sequences_at_once=min(4, budget.batch_size),
            run=run,
        )

    def pretrain(self, row: str | None, seed: int) -> dict[str, Any]:
        """Pretrain one row, or the model from which all rows start."""
        config = self.pretraining(row, seed)
        output = self.start(seed) if row is None else self.model(row, seed)
        lines: list[str] = []

        def say(line: str) -> None:
            lines.append(line)
            say_on_stderr(line)

        pretrain(
            config,
            [open_source(self.sets, "train"), open_source(self.ecb_root, "train")],
            output,
            tokens=self.work / "tokens",
            resume=(output / "checkpoints").is_dir() or (output / RUN_FILE).is_file(),
            device=self.device,
            tracker="none",
            say=say,
        )
        record = json.loads((output / RUN_FILE).read_text(encoding="utf-8"))
        return {
            "configuration": asdict(config),
            "precision": record["precision"],
            "last_line": next((line for line in reversed(lines) if "tokens/s" in line), None),
        }

    def perplexity(self, seed: int) -> dict[str, Any]:
        """Perplexities of all rows of a seed on the same masked tokens, in the order of `ROWS`."""
        contenders = [Contender(str(self.model(row, seed)), VARIANTS[row]) for row in ROWS]
        tables = {}
        for name, folder in (("sets", self.sets), ("ecb", self.ecb_root)):
            source = [open_source(folder, "dev")]
            rows, _ = perplexities(contenders, source, max_length=self.budget.max_length, device=self.device)
            tables[name] = {row: asdict(found) for row, found in zip(ROWS, rows, strict=True)}
        return tables

    def alignment(self, row: str, seed: int) -> dict[str, Any]:
        """Mean percentile ranks of one model on the same pairs as all others of its seed."""
        pairs = sample_pairs(documents_of("ecb", self.ecb_root, "dev"), self.budget.pairs, seed)
        encoder = CDLMModel.from_pretrained(self.model(row, seed)).float()
        if self.device != "cpu" and torch.cuda.is_available():
            encoder = encoder.to("cuda")
        result = align(PairReader(encoder, load_tokenizer(self.model(row, seed))), pairs)
        cells = {
            f"{kind} {'positive' if same else 'negative'}": asdict(result.cells[kind, same]) for kind, same in CELLS
        }
        return {**cells, "left_out": result.left_out}

    def coreference(self, row: str, seed: int) -> dict[str, Any]:
        """CoNLL F1 on ECB+ dev, gold mentions, of a model that starts from a pretrained encoder."""
        start = COREF_PRESETS["paper"]
        config = replace(
            start,
            encoder=str(self.model(row, seed)),
            kind="both",
            model=replace(start.model, sequences=SequenceOptions("sentence", 512)),
            sampling=SamplingOptions(negatives=2, step_pairs=64),
            run=RunOptions(
                seed=seed, epochs=self.budget.coref_epochs, learning_rate=1e-4, head_learning_rate=5e-4, accumulation=2
            ),
        )
        output = self.work / "coref" / f"{row}-{seed}"
        topics = COREF_TOPICS[: self.budget.coref_topics]
        dev_topics = DEV_TOPICS[: self.budget.coref_dev_topics]
        train(
            config,
            read_ecb(self.ecb_root, topics),
            read_ecb(self.ecb_root, dev_topics),
            output,
            resume=(output / "checkpoints").is_dir() or (output / RUN_FILE).is_file(),
            device=self.device,
            tracker="none",
        )
        record = json.loads((output / RUN_FILE).read_text(encoding="utf-8"))
        return {
            "configuration": asdict(config),
            "topics": topics,
            "dev_topics": dev_topics,
            "dev": record["dev"],
        }


def run(experiment: Experiment, results: Results, stages: list[str]) -> None:
    """Compute what is missing, seed by seed."""
    for seed in range(experiment.budget.seeds):
        if "pretrain" in stages:
            results.once(f"pretrain-start-{seed}", partial(experiment.pretrain, None, seed))
            for row in ROWS:
                results.once(f"pretrain-{row}-{seed}", partial(experiment.pretrain, row, seed))
        if "perplexity" in stages:
            results.once(f"perplexity-{seed}", partial(experiment.perplexity, seed))
        for stage, compute in (("align", experiment.alignment), ("coref", experiment.coreference)):
            for row in ROWS if stage in stages else ():
                results.once(f"{stage}-{row}-{seed}", partial(compute, row, seed))


# -- tables ----------------------------------------------------------------------------------------------------------


def collected(experiment: Experiment, results: Results) -> dict[str, Any]:
    """All existing results, with the budget and machine that produced them."""
    work = f"{experiment.work}/"  # paths are written relative to it
    files = sorted(results.folder.glob("*.json"))
    units = {path.stem: json.loads(path.read_text(encoding="utf-8").replace(work, "")) for path in files}
    gpu = torch.cuda.get_device_name() if torch.cuda.is_available() and experiment.device != "cpu" else None
    machine = {"processor": platform.processor() or platform.machine(), "threads": torch.get_num_threads(), "gpu": gpu}
    return {"budget": asdict(experiment.budget), "machine": machine, "torch": torch.__version__, "units": units}


def tables(units: dict[str, Any]) -> str:
    """The paper's tables for which there are results, as Markdown; means over seeds, with standard deviations."""
    blocks = {
        "perplexity": _table(
            "Perplexity of masked tokens (paper: Table 1)",
            ["dev sets", "ECB+ dev", "dev sets, ratio to Longformer", "paper, validation", "paper, test"],
            lambda row: [
                _mean(units, "perplexity", partial(_found, path=("sets", row, "value"))),
                _mean(units, "perplexity", partial(_found, path=("ecb", row, "value"))),
                _mean(units, "perplexity", partial(_found, path=("sets", row, "ratio")), digits=3),
                *(f"{value:.2f}" for value in PAPER[row]["perplexity"]),
            ],
        ),
        "align": _table(
            "Mean percentile rank of the target, ECB+ dev (paper: Table 6)",
            [f"{'pos.' if same else 'neg.'} {kind}{source}" for source in ("", ", paper") for kind, same in CELLS],
            lambda row: [
                *(
                    _mean(units, f"align-{row}", partial(_found, path=(_cell(kind, same), "mean")), digits=1)
                    for kind, same in CELLS
                ),
                *(f"{value:.1f}" for value in PAPER[row]["align"]),
            ],
        ),
        "coref": _table(
            "Coreference after fine-tuning, CoNLL F1, ECB+ dev, gold mentions (paper: ablation on ECB+ test, events)",
            ["event", "entity", "event, paper"],
            lambda row: [
                *(
                    _mean(units, f"coref-{row}", partial(_found, path=("dev", kind, "conll_f1"), scale=100), digits=1)
                    for kind in ("event", "entity")
                ),
                f"{PAPER[row]['coref']:.1f}",
            ],
        ),
    }
    return "\n\n".join(block for stage, block in blocks.items() if any(unit.startswith(stage) for unit in units))


def _cell(kind: str, same: bool) -> str:
    return f"{kind} {'positive' if same else 'negative'}"


def _found(unit: Any, path: tuple[str, ...], scale: float = 1) -> float:
    """A number in a result."""
    for name in path:
        unit = unit[name]
    return scale * unit


def _mean(units: dict[str, Any], name: str, value: Callable[[dict[str, Any]], float], digits: int = 2) -> str:
    """Mean and standard deviation over the seeds with results."""
    values = [value(unit) for unit in _seeds(units, name)]
    if not values:
        return ""
    spread = f" ± {statistics.stdev(values):.{digits}f}" if len(values) > 1 else ""
    return f"{statistics.mean(values):.{digits}f}{spread}"


def _seeds(units: dict[str, Any], name: str) -> Iterator[dict[str, Any]]:
    return (unit for key, unit in units.items() if key.rpartition("-")[0] == name)


def _table(title: str, columns: list[str], cells: Callable[[str], list[str]]) -> str:
    lines = [title, "", f"| row | {' | '.join(columns)} |", f"| --- |{' ---: |' * len(columns)}"]
    return "\n".join([*lines, *(f"| {row} | {' | '.join(cells(row))} |" for row in ROWS)])


def main() -> None:
    """Parse the command line, and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=Path, required=True, help="document sets with the splits train and dev")
    parser.add_argument("--ecb-root", type=Path, required=True, help="folder of ECB+ 1.0")
    parser.add_argument(
        "--work", type=Path, required=True, help="folder for models and results, in which an interrupted run resumes"
    )
    parser.add_argument("-o", "--output", type=Path, default=OUTPUT, help="all results (default: %(default)s)")
    parser.add_argument("--budget", choices=BUDGETS, default="cpu", help="default: %(default)s")
    for name, value in asdict(BUDGETS["cpu"]).items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(value), help="overrides the budget's")
    parser.add_argument("--stages", nargs="+", choices=STAGES, default=list(STAGES), help="default: all")
    parser.add_argument("--device", choices=["cpu"], help="force CPU; default: a GPU if there is one")
    parser.add_argument("--tables", action="store_true", help="compute nothing; write and print existing results")
    arguments = parser.parse_args()
    budget = BUDGETS[arguments.budget]
    changes = {name: getattr(arguments, name) for name in asdict(budget) if getattr(arguments, name) is not None}
    budget = replace(budget, **changes)
    experiment = Experiment(arguments.sets, arguments.ecb_root, arguments.work, budget, arguments.device)
    results = Results(arguments.work / "results")
    if not arguments.tables:
        run(experiment, results, arguments.stages)
    everything = collected(experiment, results)
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    with replaced_file(arguments.output) as path:
        path.write_text(json.dumps(everything, indent=1) + "\n", encoding="utf-8")
    print(tables(everything["units"]))


if __name__ == "__main__":
    main()

#!/usr/bin/env python
"""What parts of the model small are worth: a file per experiment in, scores on every dev set over seeds out.

    python scripts/run_experiments.py scripts/experiments/*.toml --trained 'RUNS/{seed}' --work DIR \\
        --ecb-root DIR --meantime DIR --gum DIR --litbank DIR --gvc DIR --seeds 0 1 2
    python scripts/run_experiments.py --table

An experiment is a TOML file with `what` it changes and the settings that `scripts/build_model.py --set` takes
(an empty list: the model as it ships). Encoder and pair scorer are those of --trained: of one folder for all seeds or,
with {seed} in its name, of one for each. The heads are fitted anew with every seed, weights and thresholds chosen as
for that model. Gold mentions are then linked in every setting of the dev splits and, where all mentions are
annotated, also those that the model detects; what it makes of the texts in data/sample is scored too. Nothing is fitted
on GVC, and on the dev split of Invented Texts only the weights of cross-encoder and bi-encoder.

Models are written to --work, a folder EXPERIMENT-SEED each, and results to scripts/experiments/results, a JSON file per
experiment; what is there is not done again. The table gives means over seeds with standard deviations: CoNLL F1 in
percent with singletons, without them in brackets.
"""

from __future__ import annotations

import argparse
import json
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cdcoref.errors import InputError
from cdlm.files import replaced_file
from cdlm.runs import RUN_FILE
from cdlm.settings import read_toml

FOLDER = Path(__file__).parent / "experiments"
RESULTS = FOLDER / "results"
CORPORA = {"ecb": "ecb_root", "meantime": "meantime", "gvc": "gvc", "gum-heads": "gum", "litbank": "litbank"}
"""The corpora whose dev splits are scored, and the options that name their folders; beside them Invented Texts."""
DETECTED = ("ecb", "meantime", "gum-heads", "litbank")
"""Those in which detected mentions are scored."""
DATA = Path(__file__).resolve().parent.parent / "data"
SCORED = ("event", "entity", "both")


def read_experiment(path: Path) -> tuple[str, list[str]]:
    """What an experiment changes, in words and as settings."""
    table = read_toml(path)
    what, settings = table.get("what"), table.get("set")
    if table.keys() != {"what", "set"} or not isinstance(what, str) or not isinstance(settings, list):
        raise InputError("an experiment has two entries, what (a text) and set (a list of NAME=VALUE)", path)
    return what, [str(setting) for setting in settings]


def run(settings: list[str], seed: int, arguments: argparse.Namespace, model: Path) -> dict[str, Any]:
    """Build a model unless it is there, and its scores on every dev set."""
    started = time.monotonic()
    if not (model / RUN_FILE).is_file():
        build = [sys.executable, str(Path(__file__).with_name("build_model.py")), "small"]
        build += ["--trained", arguments.trained.replace("{seed}", str(seed))]
        for option in ("ecb_root", "meantime", "gum", "litbank"):
            build += [f"--{option.replace('_', '-')}", getattr(arguments, option)]
        for setting in settings:
            build += ["--set", setting]
        _call([*build, "--seed", str(seed), "-o", str(model)])
    scores: dict[str, dict[str, list[float]]] = {}
    folders = {name: getattr(arguments, option) for name, option in CORPORA.items()}
    for name, folder in (folders | {"invented": str(DATA / "invented")}).items():
        scores |= scores_of(name, folder, model)
    for name in DETECTED:
        scores |= scores_of(name, folders[name], model, "predicted")
    return {"scores": scores | scores_of_sample(model), "seconds": round(time.monotonic() - started)}


def scores_of(corpus: str, folder: str, model: Path, mentions: str = "gold") -> dict[str, dict[str, list[float]]]:
    """CoNLL F1 of a model and of equal head lemmas on a dev split, in every setting: with singletons, and without."""
    command = ["cdcoref", "evaluate", "--corpus", f"{corpus}:{folder}", "--model", str(model), "--mentions", mentions]
    found = json.loads(_call([sys.executable, "-m", *command, "--split", "dev", "--json"], wanted=True))
    name = corpus if mentions == "gold" else f"{corpus}, {mentions} mentions,"
    return {
        f"{name} {kind} {topics}": {
            who: [round(100 * of["conll_f1"], 2), round(100 * of["without_singletons"]["conll_f1"], 2)]
            for who, of in (("model", values), ("lemma", values["lemma_baseline"]))
        }
        for kind in SCORED
        for topics, values in found.get(kind, {}).items()
    }


def scores_of_sample(model: Path) -> dict[str, dict[str, list[float]]]:
    """The same of the texts in data/sample, from plain text to clusters."""
    texts = [str(path) for path in sorted((DATA / "sample").glob("*.txt"))]
    cdcoref = [sys.executable, "-m", "cdcoref"]
    scores: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        detected, found = str(Path(folder) / "detected.jsonl"), str(Path(folder) / "found.conll")
        _call([*cdcoref, "predict", *texts, "--model", str(model), "-o", detected], wanted=True)
        linked = {
            "model": [*cdcoref, "export", detected, "-o", found],
            "lemma": [*cdcoref, "predict", detected, "--model", "lemma", "-o", found],
        }
        for who, command in linked.items():
            _call(command, wanted=True)
            score = [*cdcoref, "score", str(DATA / "sample" / "gold.jsonl"), found, "--json"]
            scores[who] = [
                round(100 * json.loads(_call([*score, "--singletons", singletons], wanted=True))["conll_f1"], 2)
                for singletons in ("keep", "remove")
            ]
    return {"sample, predicted mentions, both": scores}


def _call(command: list[str], *, wanted: bool = False) -> str:
    """Run a command; what it printed, if that is wanted."""
    done = subprocess.run(command, stdout=subprocess.PIPE if wanted else None, text=True, check=False)
    if done.returncode:
        sys.exit(f"{shlex.join(command)} ended with exit code {done.returncode}")
    return done.stdout or ""


def write(path: Path, results: dict[str, Any]) -> None:
    """Write the results of one experiment."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replaced_file(path) as file:
        file.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


def table(folder: Path) -> str:
    """All results as Markdown: a row per setting of a dev set, a column per experiment."""
    experiments = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))}
    if not experiments:
        return f"no results in {folder}"
    lines = [f"- **{name}**: {of['what']} ({len(of['seeds'])} seeds)" for name, of in experiments.items()]
    lines += ["", f"| setting | lemma | {' | '.join(experiments)} |", f"| --- |{' ---: |' * (len(experiments) + 1)}"]
    found = [[of["scores"] for of in experiment["seeds"].values()] for experiment in experiments.values()]
    for setting in dict.fromkeys(name for seeds in found for scores in seeds for name in scores):
        of_setting = [[scores[setting] for scores in seeds if setting in scores] for seeds in found]
        cells = [_cell([scores["model"] for scores in seeds]) for seeds in of_setting]
        lemma = next(scores["lemma"] for seeds in of_setting for scores in seeds)
        lines.append(f"| {setting} | {_cell([lemma])} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(values: list[list[float]]) -> str:
    """Means of scores with and without singletons; a dash for an experiment in which they were not measured."""
    if not values:
        return "–"
    kept, removed = (list(_spread([pair[place] for pair in values])) for place in (0, 1))
    return f"{''.join(kept)} ({''.join(removed)})"


def _spread(values: list[float]) -> Iterator[str]:
    yield f"{statistics.mean(values):.1f}"
    if len(values) > 1:
        yield f" ± {statistics.stdev(values):.1f}"


def results_so_far(output: Path, settings: list[str]) -> dict[str, Any]:
    """What an experiment has found, by seed; InputError if it changed other settings then."""
    results: dict[str, Any] = json.loads(output.read_text(encoding="utf-8")) if output.is_file() else {"seeds": {}}
    if results.get("set", settings) != settings:
        raise InputError("it holds results of other settings; remove it, and the models in --work", output)
    return results


def main() -> None:
    """Parse the command line and run what has no results yet."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("experiments", nargs="*", type=Path, help="TOML files")
    parser.add_argument("--trained", help="folder of a trained model; {seed} in it stands for the seed")
    for option in ("ecb-root", "meantime", "gum", "litbank", "gvc"):
        parser.add_argument(f"--{option}", help="folder of a corpus")
    parser.add_argument("--work", type=Path, help="folder for the models; one that is there is not built again")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0], help="random seeds; default: 0")
    parser.add_argument("--results", type=Path, default=RESULTS, help="default: %(default)s")
    parser.add_argument("--table", action="store_true", help="print the table of all results and do nothing else")
    arguments = parser.parse_args()
    if not arguments.table:
        needed = ("trained", "work", "ecb_root", "meantime", "gum", "litbank", "gvc")
        lacking = [f"--{name.replace('_', '-')}" for name in needed if getattr(arguments, name) is None]
        if lacking or not arguments.experiments:
            parser.error(f"an experiment needs TOML files and {', '.join(lacking or ['nothing else'])}")
        for seed in arguments.seeds:
            for path in arguments.experiments:
                what, settings = read_experiment(path)
                output = arguments.results / f"{path.stem}.json"
                results = results_so_far(output, settings) | {"what": what, "set": settings}
                if str(seed) not in results["seeds"]:
                    results["seeds"][str(seed)] = run(settings, seed, arguments, arguments.work / f"{path.stem}-{seed}")
                    write(output, results)
    print(table(arguments.results))


if __name__ == "__main__":
    try:
        main()
    except InputError as error:
        sys.exit(f"{error}")

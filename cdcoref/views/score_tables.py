"""Scores, evaluations and statistics as text: tables for people (percent), JSON for programs (fractions)."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from cdcoref.scoring import METRICS, FileScores, Significance
from cdlm.printing import counted

CONLL_TITLE = "CoNLL F1"


def score_table(results: Sequence[FileScores]) -> str:
    """Recall, precision and F1 of every metric, in percent, with the responses side by side."""
    paths = [result.response for result in results]
    names = [Path(path).name for path in paths]
    names = names if len(set(names)) == len(names) else paths
    lines = []
    if len(results) > 1:
        lines += [f"{number}  {name}" for number, name in enumerate(names, 1)] + [""]
        lines.append(" " * 10 + "".join(f"{f'--- {number} ---':^27}" for number in range(1, len(results) + 1)).rstrip())
    lines.append(
        " " * 10
        + ("   Recall Precision       F1" if len(results) == 1 else "   Recall     Prec.       F1" * len(results))
    )
    for metric in results[0].scores.metrics:
        cells = (result.scores[metric] for result in results)
        values = "".join(f"{c.recall * 100:9.2f}{c.precision * 100:10.2f}{c.f1 * 100:9.2f}" for c in cells)
        lines.append(f"{METRICS[metric].title:<10}{values}")
    if results[0].scores.conll_f1 is not None:
        values = "".join(f"{(result.scores.conll_f1 or 0) * 100:28.2f}" for result in results)
        lines.append(f"{CONLL_TITLE:<10}{values}")
    return "\n".join(lines)


def significance_table(significance: Significance) -> str:
    """The difference of the two responses in every metric, its interval and its p-values, and how far to trust them."""
    lines = [
        f"{'F1':<10}{'first':>8}{'second':>8}{'diff.':>8}   {'95 % interval':^18}{'p (bootstrap)':>15}"
        f"{'p (randomisation)':>19}"
    ]
    for name, d in significance.differences.items():
        title = METRICS[name].title if name in METRICS else "CoNLL"
        interval = f"[{d.interval[0] * 100:+.2f}, {d.interval[1] * 100:+.2f}]"
        lines.append(
            f"{title:<10}{d.first * 100:8.2f}{d.second * 100:8.2f}{d.difference * 100:+8.2f}   {interval:^18}"
            f"{d.bootstrap_p:15.5f}{d.randomisation_p:19.5f}"
        )
    s = significance
    exchanges = f"all {s.exchanges}" if s.exhaustive else f"{s.exchanges}"
    lines += [
        "",
        f"Units: {s.units} {s.unit}s. Paired bootstrap: {s.resamples} resamples. Randomisation: {exchanges} exchanges. "
        f"Two-sided; seed {s.seed}.",
        f"Smallest possible p-values: bootstrap {s.smallest_bootstrap_p:.2g}, "
        f"randomisation {s.smallest_randomisation_p:.2g} ({s.units} units).",
    ]
    if s.crossing:
        lines.append(
            f"{counted(s.crossing, 'cluster')} of the key and the responses {'spans' if s.crossing == 1 else 'span'} "
            f"several {s.unit}s and {'counts' if s.crossing == 1 else 'count'} in each by the share of mentions there; "
            f"{s.unit}s depend on each other, so true p-values are larger than these."
        )
    return "\n".join(lines)


def scores_json(results: Sequence[FileScores], significance: Significance | None = None) -> dict[str, Any]:
    """The scores as plain values from 0 to 1: one response's scores at the top, or a list under `responses`."""
    entries = []
    for result in results:
        entry: dict[str, Any] = {"key": result.key, "response": result.response, "level": result.level}
        taken = {"key": result.key_ids, "response": result.response_ids}
        if any(taken.values()):
            entry["cluster_ids"] = taken
        entry |= result.scores.to_dict()
        if result.notes:
            entry["notes"] = list(result.notes)
        entries.append(entry)
    if len(entries) == 1:
        return entries[0]
    values: dict[str, Any] = {"responses": entries}
    if significance is not None:
        names = ("unit", "units", "resamples", "exchanges", "exhaustive", "seed")
        smallest = ("smallest_bootstrap_p", "smallest_randomisation_p")
        values["significance"] = {
            **{name: getattr(significance, name) for name in (*names, *smallest)},
            "crossing_clusters": significance.crossing,
            "f1": {name: {"difference": d.difference, **asdict(d)} for name, d in significance.differences.items()},
        }
    return values


SHOWN = ("muc", "b3", "ceafe", "lea")
ROWS = {
    "topics": "topics",
    "documents": "documents",
    "sentences": "annotated sentences",
    "mentions": "mentions",
    "clusters": "clusters of two or more",
    "cross_document_clusters": "of these, across documents",
    "singletons": "singletons",
}


def evaluation_text(results: dict[str, Any]) -> str:
    """A sentence on what was evaluated, a table of scores, and the scores of mention detection.

    Given are the results of :func:`cdcoref.evaluation.evaluate`, and the names of the ``"corpus"`` and the ``"model"``.
    """
    parameters = results["parameters"]
    size = "" if parameters is None else f", {parameters / 1e6:.1f}M parameters"
    if results["mentions"] == "predicted" and results["model"] == "lemma":
        size += " in the model that detects mentions"
    documents = counted(results["documents"], "document")
    lines = [
        f"{results['corpus']}, {documents}, {results['mentions']} mentions; model {results['model']}{size}, "
        f"{results['seconds']} s. F1 in percent."
    ]
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for column in ("kind", "topics", *(METRICS[name].title for name in SHOWN)):
        table.add_column(column, justify="left" if column in ("kind", "topics") else "right")
    for column in ("CoNLL", "no singletons", "lemma", "lemma, no singletons", "ceiling"):
        table.add_column(column, justify="right")
    for kind in ("event", "entity", "unknown", "both"):
        for topics, scores in results.get(kind, {}).items():
            baseline = scores["lemma_baseline"]
            numbers = [
                *(scores[name]["f1"] for name in SHOWN),
                scores["conll_f1"],
                scores["without_singletons"]["conll_f1"],
                baseline["conll_f1"],
                baseline["without_singletons"]["conll_f1"],
                scores["ceiling"]["conll_f1"],
            ]
            table.add_row(kind, topics, *(f"{100 * number:.1f}" for number in numbers))
    lines.append(_text(table))
    for kind, found in results.get("detection", {}).items():
        for way, scores in found.items():
            percent = ", ".join(f"{name} {100 * value:.1f}" for name, value in scores.items())
            lines.append(f"{kind} mention detection ({way.replace('_', ' ')}): {percent}")
    return "\n".join(lines)


def statistics_text(numbers: Mapping[str, Mapping[str, Any]]) -> str:
    """A table with one column per split, of the fields of :class:`cdcoref.corpora.CorpusStatistics`."""
    kinds = [k for k in ("event", "entity", "unknown") if any(n["mentions"].get(k) for n in numbers.values())]
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("/".join(kinds))
    for name in numbers:
        table.add_column(name, justify="right")
    for what, title in ROWS.items():
        table.add_row(title, *(_cell(counts, what, kinds) for counts in numbers.values()))
    return _text(table)


def _cell(counts: Mapping[str, Any], what: str, kinds: Sequence[str]) -> str:
    if what == "sentences":
        return f"{counts['annotated_sentences']} of {counts['sentences']}"
    if isinstance(counts[what], dict):
        return "/".join(str(counts[what].get(kind, 0)) for kind in kinds) or "0"
    return str(counts[what])


def _text(table: Table) -> str:
    """A table as wide as the terminal, or 120 columns if there is none; coloured only on a terminal."""
    console = Console()
    if not console.is_terminal:
        console = Console(width=120)
    with console.capture() as captured:
        console.print(table)
    return captured.get().removesuffix("\n")

"""The results of an evaluation, as text for people; F1 in percent."""

from __future__ import annotations

from typing import Any

from cdcoref.scoring import METRICS
from cdcoref.views.rich_text import table_text
from cdlm.printing import counted

SHOWN = ("muc", "b3", "ceafe", "lea")


def evaluation_text(results: dict[str, Any]) -> str:
    """A sentence on what was evaluated, a table of scores, and the scores of mention detection.

    Given are the results of :func:`cdcoref.evaluation.evaluate`, and the names of the ``"corpus"`` and the ``"model"``.
    """
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

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
    lines.append(table_text(table))
    for kind, found in results.get("detection", {}).items():
        for way, scores in found.items():
            percent = ", ".join(f"{name} {100 * value:.1f}" for name, value in scores.items())
            lines.append(f"{kind} mention detection ({way.replace('_', ' ')}): {percent}")
    return "\n".join(lines)

"""The results of an evaluation (F1 in percent), and the statistics of a corpus' splits, as text for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cdcoref.scoring import METRICS
from cdlm.printing import counted

if TYPE_CHECKING:
    from rich.table import Table

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
    lines.append(_text(table))
    for kind, found in results.get("detection", {}).items():
        for way, scores in found.items():
            percent = ", ".join(f"{name} {100 * value:.1f}" for name, value in scores.items())
            lines.append(f"{kind} mention detection ({way.replace('_', ' ')}): {percent}")
    return "\n".join(lines)


def statistics_text(numbers: Mapping[str, Mapping[str, Any]]) -> str:
    """A table with one column per split, and how well predicted topics match subtopics if that is known.

    `numbers` are, by split, the fields of :class:`cdcoref.corpora.CorpusStatistics`, and of
    :class:`cdcoref.stories.TopicQuality` under ``"predicted_topics"``.
    """
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    kinds = [k for k in ("event", "entity", "unknown") if any(n["mentions"].get(k) for n in numbers.values())]
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("/".join(kinds))
    for name in numbers:
        table.add_column(name, justify="right")
    for what, title in ROWS.items():
        table.add_row(title, *(_cell(counts, what, kinds) for counts in numbers.values()))
    lines = [_text(table)]
    for name, counts in numbers.items():
        if quality := counts.get("predicted_topics"):
            shown = (f"{what} {100 * quality[what]:.1f}" for what in ("precision", "recall", "f1", "purity"))
            lines.append(
                f"{name}: {counted(quality['groups'], 'predicted topic')} for "
                f"{counted(quality['subtopics'], 'annotated subtopic')}; B3 {', '.join(shown)}"
            )
    return "\n".join(lines)


def _cell(counts: Mapping[str, Any], what: str, kinds: Sequence[str]) -> str:
    if what == "sentences":
        return f"{counts['annotated_sentences']} of {counts['sentences']}"
    if isinstance(counts[what], dict):
        return "/".join(str(counts[what].get(kind, 0)) for kind in kinds) or "0"
    return str(counts[what])


def _text(table: Table) -> str:
    """A table as wide as the terminal, or 120 columns if there is none; coloured only on a terminal."""
    from rich.console import Console

    console = Console()
    if not console.is_terminal:
        console = Console(width=120)
    with console.capture() as captured:
        console.print(table)
    return captured.get().removesuffix("\n")

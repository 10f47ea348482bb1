"""Scores as text: tables for people (percent), JSON for programs (fractions)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from cdcoref.scoring import METRICS, ErrorReport, FileScores, Place, Significance
from cdlm.printing import counted, printable

CONLL_TITLE = "CoNLL F1"


def score_table(results: Sequence[FileScores]) -> str:
    """Recall, precision and F1 of every metric, in percent, with the responses side by side."""
    names = _short_names([result.response for result in results])
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


def document_table(result: FileScores) -> str:
    """F1 of every metric for every document, in percent."""
    assert result.documents is not None
    width = max((len(printable(name)) for name in result.documents), default=8)
    titles = [METRICS[metric].title for metric in result.scores.metrics]
    if result.scores.conll_f1 is not None:
        titles.append(CONLL_TITLE)
    lines = [f"{'F1 of':<{width}}" + "".join(f"{title:>10}" for title in titles)]
    for name, scores in result.documents.items():
        values = [score.f1 for score in scores.metrics.values()]
        if scores.conll_f1 is not None:
            values.append(scores.conll_f1)
        lines.append(f"{printable(name):<{width}}" + "".join(f"{value * 100:10.2f}" for value in values))
    return "\n".join(lines)


def significance_table(significance: Significance) -> str:
    """The difference of the two responses in every metric, its interval and its p-values."""
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
    return "\n".join([*lines, "", *significance_notes(significance)])


def significance_notes(significance: Significance) -> list[str]:
    """Notes on what was resampled and how far the p-values can be trusted, one sentence each."""
    s = significance
    exchanges = f"all {s.exchanges}" if s.exhaustive else f"{s.exchanges}"
    notes = [
        f"Units: {s.units} {s.unit}s. Paired bootstrap: {s.resamples} resamples. Randomisation: {exchanges} exchanges. "
        f"Two-sided; seed {s.seed}.",
        f"Smallest possible p-values: bootstrap {s.smallest_bootstrap_p:.2g}, "
        f"randomisation {s.smallest_randomisation_p:.2g} ({s.units} units).",
    ]
    if s.crossing:
        notes.append(
            f"{counted(s.crossing, 'cluster')} of the key and the responses {'spans' if s.crossing == 1 else 'span'} "
            f"several {s.unit}s and {'counts' if s.crossing == 1 else 'count'} in each by the share of mentions there; "
            f"{s.unit}s depend on each other, so true p-values are larger than these."
        )
    return notes


def scores_json(results: Sequence[FileScores], significance: Significance | None = None) -> dict[str, Any]:
    """The scores as plain values from 0 to 1: one response's scores at the top, or a list under `responses`."""
    entries = []
    for result in results:
        entry: dict[str, Any] = {"key": result.key, "response": result.response, "level": result.level}
        taken = {"key": result.key_ids, "response": result.response_ids}
        if any(taken.values()):
            entry["cluster_ids"] = taken
        entry |= result.scores.to_dict()
        if result.documents is not None:
            entry["documents"] = {name: scores.to_dict() for name, scores in result.documents.items()}
        if result.notes:
            entry["notes"] = list(result.notes)
        entries.append(entry)
    if len(entries) == 1:
        return entries[0]
    values: dict[str, Any] = {"responses": entries}
    if significance is not None:
        values["significance"] = _significance_json(significance)
    return values


def _significance_json(s: Significance) -> dict[str, Any]:
    return {
        "unit": s.unit,
        "units": s.units,
        "crossing_clusters": s.crossing,
        "resamples": s.resamples,
        "exchanges": s.exchanges,
        "exhaustive": s.exhaustive,
        "seed": s.seed,
        "smallest_bootstrap_p": s.smallest_bootstrap_p,
        "smallest_randomisation_p": s.smallest_randomisation_p,
        "f1": {
            name: {"first": d.first, "second": d.second, "difference": d.difference, **asdict(d)}
            for name, d in s.differences.items()
        },
    }


def error_text(report: ErrorReport) -> str:
    """The errors of a response, for people."""
    lines = [
        f"Gold clusters that are split: {report.split_count} of {report.key_clusters}; predicted clusters that merge "
        f"different gold clusters or spurious mentions: {report.merged_count} of {report.response_clusters}.",
        f"Gold mentions that are missed: {report.missed_count} of {report.key_mentions}; predicted mentions that are "
        f"spurious: {report.spurious_count} of {report.response_mentions}.",
    ]
    for clusters, count, own, lacks, other, absent in (
        (report.split, report.split_count, "gold", "lost", "predicted", "missed"),
        (report.merged, report.merged_count, "predicted", "wrong", "gold", "spurious"),
    ):
        if clusters:
            title = "Split gold clusters" if own == "gold" else "Merged predicted clusters"
            lines += ["", f"{title} ({len(clusters)} of {count}, worst first)"]
        for cluster in clusters:
            size, parts = counted(cluster.size, "mention"), counted(len(cluster.parts), "part")
            links = counted(cluster.links, "link")
            lines += ["", f"  {own} cluster {cluster.cluster}: {size} in {parts}, {links} {lacks}"]
            for part in cluster.parts:
                lines.append(f"    {absent if part.cluster is None else f'{other} cluster {part.cluster}'}")
                lines += [f"      {_place_text(place)}" for place in part.mentions]
    for mentions, count, title in (
        (report.missed, report.missed_count, "Missed mentions"),
        (report.spurious, report.spurious_count, "Spurious mentions"),
    ):
        if mentions:
            lines += ["", f"{title} ({len(mentions)} of {count}, largest clusters first)", ""]
        for mention in mentions:
            lines.append(
                f"  {_place_text(mention.place)} (cluster {mention.cluster}, {counted(mention.size, 'mention')})"
            )
    return "\n".join(map(printable, lines))


def _place_text(place: Place) -> str:
    tokens = f"{place.tokens[0]}-{place.tokens[-1]}" if len(place.tokens) > 1 else f"{place.tokens[0]}"
    words = " ".join(filter(None, (place.before, f"[{place.text}]", place.after)))
    return f"{place.document}, sentence {place.sentence}, tokens {tokens}: {words}"


def _short_names(paths: Sequence[str]) -> list[str]:
    """The files' names, or their paths if two names are equal."""
    names = [Path(path).name for path in paths]
    return names if len(set(names)) == len(names) else list(paths)

"""The statistics of a corpus' splits, as text for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cdcoref.views.rich_text import table_text
from cdlm.printing import counted

ROWS = {
    "topics": "topics",
    "documents": "documents",
    "sentences": "annotated sentences",
    "mentions": "mentions",
    "clusters": "clusters of two or more",
    "cross_document_clusters": "of these, across documents",
    "singletons": "singletons",
}


def statistics_text(numbers: Mapping[str, Mapping[str, Any]], paper: Mapping[str, Mapping[str, str]]) -> str:
    """A table with one column per split, and how well predicted topics match subtopics if that is known.

    `numbers` are, by split, the fields of :class:`cdcoref.corpora.CorpusStatistics`, and of
    :class:`cdcoref.stories.TopicQuality` under ``"predicted_topics"``; `paper` has what a publication reports.
    """
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    kinds = [k for k in ("event", "entity", "unknown") if any(n["mentions"].get(k) for n in numbers.values())]
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("/".join(kinds))
    columns: list[Mapping[str, str]] = []
    for name, counts in numbers.items():
        table.add_column(name, justify="right")
        columns.append({what: _cell(counts, what, kinds) for what in ROWS})
        if name in paper:
            table.add_column("paper", justify="right", style="dim")
            columns.append(paper[name])
    for what, title in ROWS.items():
        table.add_row(title, *(column.get(what, "") for column in columns))
    lines = [table_text(table)]
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

"""``cdcoref stats``: what is in a corpus."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cdcoref.errors import InputError

if TYPE_CHECKING:
    from cdcoref.corpus import Corpus

# Table 5 (Appendix A.2) of the paper: topics, documents, and events / entities.
PAPER: dict[str, tuple[str, ...]] = {
    "train": ("25", "594", "3808/4758", "411/472"),
    "dev": ("8", "196", "1245/1476", "129/125"),
    "test": ("10", "206", "1780/2055", "182/196"),
}
ROWS = ("topics", "documents", "mentions", "clusters of two or more")


def stats(
    files: Annotated[
        list[str] | None, typer.Argument(help="Corpora of your own (.jsonl, .conll), instead of ECB+.")
    ] = None,
    ecb_root: Annotated[Path | None, typer.Option(help="Folder of ECB+ 1.0.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The numbers as JSON, and no table.")] = False,
) -> None:
    """Count documents, mentions and clusters, and say how well documents group by subtopic without annotation."""
    if bool(files) == (ecb_root is not None):
        raise InputError("give either --ecb-root DIR or files of your own")
    if ecb_root is not None:
        corpora, missing, remarks = _ecb_splits(ecb_root)
        problems: Sequence[str] = ()
    else:
        from cdcoref.formats import read_corpus

        loaded = read_corpus(files or [])
        problems, remarks, missing = loaded.problems, list(loaded.corpus.notes), {}
        corpora = {"corpus": loaded.corpus} if loaded.corpus.documents else {}
    numbers = {name: _numbers(corpus) for name, corpus in corpora.items()}
    if as_json:
        print(json.dumps({**numbers, "missing_topics": missing} if ecb_root else numbers, indent=2))
    elif numbers:
        _show(numbers, PAPER if ecb_root is not None else {})
    for remark in remarks:
        print(remark, file=sys.stderr if as_json else sys.stdout)
    for problem in problems:
        print(f"cdcoref: {problem}", file=sys.stderr)
    if problems:
        sys.exit(2)


def _ecb_splits(root: Path) -> tuple[dict[str, Corpus], dict[str, list[int]], list[str]]:
    """The splits that are there, the topics that are not, and what there is to say about them."""
    from cdcoref.corpora import SPLITS, available_splits, read_ecb

    missing = {name: topics for name, topics in available_splits(root).items() if topics}
    corpora = {name: read_ecb(root, name) for name in SPLITS if name not in missing}
    remarks = []
    for name, topics in missing.items():
        if len(topics) == len(SPLITS[name]):
            remarks.append(f"{name}: not counted, since none of its topics is in {root}")
        else:
            numbers = ", ".join(map(str, topics))
            remarks.append(f"{name}: not counted, since these of its topics are missing in {root}: {numbers}")
    if "train" in corpora and str(len(corpora["train"].documents)) != PAPER["train"][1]:
        folders = {Path(document.path).parent for document in corpora["train"].documents if document.path}
        files = sum(len(list(folder.glob("*.xml"))) for folder in folders)
        remarks.append(
            f"train: the paper prints {PAPER['train'][1]} documents; its topics have {files} files here, of which "
            f"{len(corpora['train'].documents)} have a listed sentence. (The paper's three numbers add up to 996, more "
            "than the 982 documents of ECB+ 1.0.)"
        )
    return corpora, missing, remarks


def _numbers(corpus: Corpus) -> dict[str, Any]:
    """Counts, and the quality of predicted groups where subtopics are annotated."""
    from cdcoref.corpora import corpus_statistics
    from cdcoref.stories import group_documents, topic_quality

    numbers: dict[str, Any] = asdict(corpus_statistics(corpus))
    if corpus.documents and all(document.subtopic is not None for document in corpus.documents):
        numbers["predicted_topics"] = asdict(topic_quality(corpus.documents, group_documents(corpus.documents)))
    return numbers


def _show(numbers: dict[str, dict[str, Any]], paper: dict[str, tuple[str, ...]]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    kinds = [k for k in ("event", "entity", "unknown") if any(n["mentions"].get(k) for n in numbers.values())]
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("/".join(kinds))
    columns: list[Sequence[str]] = []
    for name, counts in numbers.items():
        table.add_column(name, justify="right")
        by_kind = ("/".join(str(counts[what].get(kind, 0)) for kind in kinds) for what in ("mentions", "clusters"))
        columns.append((str(counts["topics"]), str(counts["documents"]), *by_kind))
        if name in paper:
            table.add_column("paper", justify="right", style="dim")
            columns.append(paper[name])
    for row, cells in zip(ROWS, zip(*columns, strict=True), strict=True):
        table.add_row(row, *cells)
    console = Console()
    if not console.is_terminal:
        console = Console(width=120)
    console.print(table)
    for name, counts in numbers.items():
        if quality := counts.get("predicted_topics"):
            shown = (f"{what} {100 * quality[what]:.1f}" for what in ("precision", "recall", "f1", "purity"))
            print(
                f"{name}: documents group into {quality['groups']} predicted topics for {quality['subtopics']} "
                f"annotated subtopics; B3 {', '.join(shown)}"
            )

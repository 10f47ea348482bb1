"""``cdcoref stats``: the contents of a corpus."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cdcoref.cli.corpus_options import NamedCorpus
from cdcoref.cli.messages import say_problems
from cdcoref.cli.option_groups import option

if TYPE_CHECKING:
    from cdcoref.corpora import CorpusFolder, CorpusInfo
    from cdcoref.corpus import Corpus

EXAMPLES = ("cdcoref stats --ecb-root ecb+/", "cdcoref stats my-annotation.jsonl --json")


def stats(
    corpus: NamedCorpus,
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="FILES", help="Annotated files of your own (.jsonl, .conll), instead of a corpus."),
    ] = None,
    as_json: bool = option(False, "Print JSON instead of a table.", "--json"),
) -> None:
    """Count the documents, mentions and clusters of every split, and compare predicted topics with subtopics."""
    folder = corpus.folder(bool(files), "files of your own")
    problems: Sequence[str] = ()
    more: dict[str, Any] = {}
    if folder is not None:
        corpora, remarks = _splits(folder)
        more["corpus"] = asdict(folder.info)
    else:
        from cdcoref.formats import read_corpus

        loaded = read_corpus(files or [], ids=corpus.ids)
        problems, remarks = loaded.problems, list(loaded.corpus.notes)
        corpora = {"corpus": loaded.corpus} if loaded.corpus.documents else {}
        if not corpora and not problems:
            problems, remarks = [*remarks, "the input contains no documents"], []
    numbers = {name: _numbers(split) for name, split in corpora.items()}
    if as_json:
        print(json.dumps({**numbers, **more}, indent=2))
    elif numbers:
        from cdcoref.views import statistics_text

        print(statistics_text(numbers))
    if folder is not None and not as_json:
        remarks += _described(folder.info)
    for remark in remarks:
        print(remark, file=sys.stderr if as_json else sys.stdout)
    say_problems(problems)
    if problems:
        sys.exit(2)


def _splits(folder: CorpusFolder) -> tuple[dict[str, Corpus], list[str]]:
    """The available splits, and their readers' notes."""
    corpora = {split: folder.read(split).corpus for split in folder.splits()}
    if not corpora:
        folder.read("dev")  # raises an error that says what is missing
    return corpora, [note for corpus in corpora.values() for note in corpus.notes]


def _described(info: CorpusInfo) -> list[str]:
    """The corpus' description of itself, in words."""
    links = "across documents" if info.cross_document else "within documents"
    learnt = " and ".join(info.exhaustive) or "no"
    return [
        f"{info.title} ({info.citation}): {' and '.join(info.kinds)} mentions, linked {links}, "
        f"{'with' if info.singletons else 'without'} singletons; annotated sentences: {info.sentences}; "
        f"{learnt} mentions are annotated exhaustively",
        f"licence: {info.licence}; {info.source}",
    ]


def _numbers(corpus: Corpus) -> dict[str, Any]:
    """Counts, and the quality of predicted topics if annotated subtopics divide the topics."""
    from cdcoref.corpora import corpus_statistics
    from cdcoref.stories import group_documents, topic_quality

    numbers: dict[str, Any] = asdict(corpus_statistics(corpus))
    subtopics = {document.subtopic for document in corpus.documents}
    if None not in subtopics and numbers["topics"] < len(subtopics):
        numbers["predicted_topics"] = asdict(topic_quality(corpus.documents, group_documents(corpus.documents)))
    return numbers

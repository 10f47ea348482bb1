"""``cdcoref show``: what is in a collection."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from cdcoref.cli.collection_options import FileArgument, say
from cdcoref.cli.input_options import SinceOption, SourceOption
from cdcoref.errors import InputError

if TYPE_CHECKING:
    from cdcoref.collection import Collection

LISTS = "What to show (default: the clusters)"
EXAMPLES = (
    "cdcoref show news.cdcoref",
    "cdcoref show news.cdcoref --query 'ferry Maren'",
    "cdcoref show news.cdcoref --cluster c3",
    "cdcoref show news.cdcoref --least-sure --limit 5",
)


def show(
    file: FileArgument,
    query: Annotated[
        str | None,
        typer.Option(
            metavar="WORDS",
            help="Clusters and documents that contain these words, the best match first. Clusters are also found by "
            "the place and day of an event, and by the sentences of their mentions.",
            rich_help_panel=LISTS,
        ),
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(metavar="ID", help="One cluster, such as c3.", rich_help_panel=LISTS),
    ] = None,
    document: Annotated[
        str | None,
        typer.Option(metavar="ID", help="One document, by the id that --documents lists.", rich_help_panel=LISTS),
    ] = None,
    documents: Annotated[
        bool, typer.Option("--documents", help="Documents, the last added first.", rich_help_panel=LISTS)
    ] = False,
    story: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="One story: its timeline, and where its documents disagree.",
            rich_help_panel=LISTS,
        ),
    ] = None,
    stories: Annotated[
        bool, typer.Option("--stories", help="Stories, those with most documents first.", rich_help_panel=LISTS)
    ] = False,
    least_sure: Annotated[
        bool,
        typer.Option(
            "--least-sure",
            help="The least certain decisions: whether a mention belongs to its cluster, or whether two clusters are "
            "one. Each is shown with its link probability and its least certain pair of mentions.",
            rich_help_panel=LISTS,
        ),
    ] = False,
    kind: Annotated[
        Literal["event", "entity"] | None,
        typer.Option(help="Only clusters of this kind, also with --query."),
    ] = None,
    singletons: Annotated[
        bool, typer.Option("--singletons", help="Singleton clusters too; --query always shows them.")
    ] = False,
    since: SinceOption = None,
    source: SourceOption = None,
    limit: Annotated[int, typer.Option(metavar="N", min=1, help="Maximum length of a list.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show what is in a collection: its clusters, those in most documents first, or what an option selects."""
    from cdcoref.collection import Collection

    chosen = [
        *(given is not None for given in (query, cluster, document, story)),
        *(documents, stories, least_sure),
    ]
    if sum(chosen) > 1:
        raise InputError(
            "choose one of --query, --cluster, --document, --documents, --story, --stories and --least-sure"
        )
    if (kind is not None or singletons) and any(chosen[1:]):
        raise InputError(
            "--kind and --singletons choose clusters from a list; leave them out with --cluster, --document, "
            "--documents, --story, --stories and --least-sure"
        )
    if (since is not None or source is not None) and not documents:
        raise InputError("--since and --source choose documents from their list; use them with --documents")
    from cdcoref.collection import (
        cluster_list_lines,
        cluster_page_lines,
        counts_line,
        document_list_lines,
        document_page_lines,
        question_lines,
    )
    from cdcoref.views import story_lines, story_list_lines

    with Collection.open(file) as collection:
        if query is not None:
            _search(collection, query, kind, limit, as_json)
        elif cluster is not None:
            page = collection.cluster(cluster)
            _print(page, cluster_page_lines(page), as_json)
        elif document is not None:
            text = collection.document(document)
            _print(text, document_page_lines(text), as_json)
        elif story is not None:
            shown = collection.story(story)
            _print(shown.to_dict(), story_lines(shown, most=limit), as_json)
        elif stories:
            listed = collection.stories(limit=limit)
            _print([one.to_dict() for one in listed], story_list_lines(listed), as_json)
            _say_if_cut(len(listed), collection.counts().stories, "stories")
        elif documents:
            found = collection.documents(since=since, source=source, limit=limit)
            _print(found, document_list_lines(found), as_json)
            _say_if_cut(len(found), collection.document_count(since=since, source=source), "documents")
        elif least_sure:
            questions = collection.least_sure(limit + 1)
            _print(questions[:limit], question_lines(questions[:limit]), as_json)
            if len(questions) > limit:
                what = "the least certain decision" if limit == 1 else f"the {limit:,} least certain decisions"
                say([f"{what}; --limit N shows more"])
        else:
            counts = collection.counts()
            min_mentions = 1 if singletons else 2
            clusters = collection.clusters(kind=kind, min_mentions=min_mentions, limit=limit)
            if as_json:
                _print({"counts": asdict(counts), "clusters": [asdict(c) for c in clusters]}, (), as_json)
            else:
                _print(None, cluster_list_lines(clusters), as_json)
            _say_if_cut(len(clusters), collection.cluster_count(kind=kind, min_mentions=min_mentions), "clusters")
            say([counts_line(counts)])


def _search(collection: Collection, query: str, kind: str | None, limit: int, as_json: bool) -> None:
    from cdcoref.collection import cluster_list_lines, document_list_lines

    found = collection.search(query, kind=kind, limit=limit)
    lines: list[str] = []
    if found.clusters:
        lines += [*cluster_list_lines(found.clusters), ""]
    if found.documents:
        lines += document_list_lines(found.documents)
    _print(found, lines, as_json)
    if found.clusters:
        _say_if_cut(len(found.clusters), collection.cluster_count(query=query, kind=kind, min_mentions=1), "clusters")
    if len(found.documents) == limit and collection.search(query, limit=1, offset=limit).documents:
        say([f"the {limit:,} best documents; --limit N shows more"])
    if not found.clusters and not found.documents:
        say(["no document or cluster has all of these words"])


def _say_if_cut(shown: int, total: int, what: str) -> None:
    """Say that a list is not whole."""
    if shown < total:
        say([f"{shown:,} of {total:,} {what}; --limit N shows more"])


def _print(answer: Any, lines: Iterable[str], as_json: bool) -> None:
    """Print an answer as JSON or as lines."""
    if not as_json:
        for line in lines:
            print(line)
        return
    plain = (
        [entry if isinstance(entry, dict) else asdict(entry) for entry in answer]
        if isinstance(answer, list)
        else answer
    )
    if not isinstance(plain, dict | list):
        plain = asdict(plain)
    print(json.dumps(plain, indent=2, ensure_ascii=False, default=sorted))

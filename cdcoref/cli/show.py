"""``cdcoref show``: what is in a collection."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields, is_dataclass
from typing import Any, ClassVar, Literal

from cdcoref import collection as stored
from cdcoref import views
from cdcoref.cli.collections import FileArgument
from cdcoref.cli.messages import say
from cdcoref.cli.options import option
from cdcoref.errors import InputError

EXAMPLES = {
    "show": (
        "cdcoref show news.cdcoref",
        "cdcoref show news.cdcoref --query 'ferry Maren'",
        "cdcoref show news.cdcoref --cluster c3",
        "cdcoref show news.cdcoref --least-sure --limit 5",
    )
}


@dataclass(frozen=True)
class Shown:
    """What is shown; one of them, or the clusters."""

    PANEL: ClassVar = "What to show (default: the clusters)"
    query: str | None = option(
        None,
        "Clusters and documents that contain these words, the best match first. Clusters are also found by the place "
        "and day of an event, and by the sentences of their mentions.",
        metavar="WORDS",
    )
    cluster: str | None = option(None, "One cluster, such as c3.", metavar="ID")
    document: str | None = option(None, "One document, by the id that --documents lists.", metavar="ID")
    documents: bool = option(False, "Documents, the last added first.", "--documents")
    story: str | None = option(
        None, "One story, such as 2 or s2: its timeline, and where its documents disagree.", metavar="N"
    )
    stories: bool = option(False, "Stories, those with most documents first.", "--stories")
    least_sure: bool = option(
        False,
        "The least certain decisions: whether a mention belongs to its cluster, or whether two clusters are one. Each "
        "is shown with its link probability and its least certain pair of mentions.",
        "--least-sure",
    )

    def check(self, of_clusters: bool) -> None:
        """Refuse several of them, and options that choose from a list that is not shown."""
        given = [field.name for field in fields(self) if getattr(self, field.name) not in (None, False)]
        if len(given) > 1:
            raise InputError(f"choose one of {_listed(field.name for field in fields(self))}")
        if of_clusters and given not in ([], ["query"]):
            raise InputError(
                "--kind and --singletons choose clusters from a list; leave them out with "
                + _listed(field.name for field in fields(self) if field.name != "query")
            )


def show(
    file: FileArgument,
    shown: Shown,
    kind: Literal["event", "entity"] | None = option(None, "Only clusters of this kind, also with --query."),
    singletons: bool = option(False, "Singleton clusters too; --query always shows them.", "--singletons"),
    limit: int = option(20, "Maximum length of a list.", metavar="N", min=1),
    as_json: bool = option(False, "Print JSON.", "--json"),
) -> None:
    """Show what is in a collection: its clusters, those in most documents first, or what an option selects."""
    shown.check(kind is not None or singletons)
    with stored.Collection.open(file) as collection:
        if shown.query is not None:
            _search(collection, shown.query, kind, limit, as_json)
        elif shown.cluster is not None:
            page = collection.cluster(shown.cluster)
            _print(page, stored.cluster_page_lines(page), as_json)
        elif shown.document is not None:
            text = collection.document(shown.document)
            _print(text, stored.document_page_lines(text), as_json)
        elif shown.story is not None:
            story = collection.story(stored.number_of(f"s{shown.story.removeprefix('s')}", "s", "story"))
            _print(story.to_dict(), views.story_lines(story, most=limit), as_json)
        elif shown.stories:
            stories = collection.stories(limit=limit)
            _print([story.to_dict() for story in stories], views.story_list_lines(stories), as_json)
            _say_if_cut(len(stories), collection.counts().stories, "stories")
        elif shown.documents:
            documents = collection.documents(limit=limit)
            _print(documents, stored.document_list_lines(documents), as_json)
            _say_if_cut(len(documents), collection.counts().documents, "documents")
        elif shown.least_sure:
            questions = collection.least_sure(limit + 1)
            _print(questions[:limit], stored.question_lines(questions[:limit]), as_json)
            if len(questions) > limit:
                what = "the least certain decision" if limit == 1 else f"the {limit:,} least certain decisions"
                say(f"{what}; --limit N shows more")
        else:
            _clusters(collection, kind, 1 if singletons else 2, limit, as_json)


def _clusters(collection: stored.Collection, kind: str | None, min_mentions: int, limit: int, as_json: bool) -> None:
    counts = collection.counts()
    clusters = collection.clusters(kind=kind, min_mentions=min_mentions, limit=limit)
    _print({"counts": counts, "clusters": clusters}, stored.cluster_list_lines(clusters), as_json)
    _say_if_cut(len(clusters), collection.cluster_count(kind=kind, min_mentions=min_mentions), "clusters")
    say(stored.counts_line(counts))


def _search(collection: stored.Collection, query: str, kind: str | None, limit: int, as_json: bool) -> None:
    found = collection.search(query, kind=kind, limit=limit)
    lines: list[str] = []
    if found.clusters:
        lines += [*stored.cluster_list_lines(found.clusters), ""]
    if found.documents:
        lines += stored.document_list_lines(found.documents)
    _print(found, lines, as_json)
    if found.clusters:
        _say_if_cut(len(found.clusters), collection.cluster_count(query=query, kind=kind, min_mentions=1), "clusters")
    if len(found.documents) == limit and collection.search(query, limit=1, offset=limit).documents:
        say(f"the {limit:,} best matching documents; --limit N shows more")
    if not found.clusters and not found.documents:
        say("no document or cluster has all of these words")


def _say_if_cut(shown: int, total: int, what: str) -> None:
    """Say that a list is not whole."""
    if shown < total:
        say(f"{shown:,} of {total:,} {what}; --limit N shows more")


def _print(answer: Any, lines: Iterable[str], as_json: bool) -> None:
    if not as_json:
        for line in lines:
            print(line)
        return
    print(json.dumps(answer, indent=2, ensure_ascii=False, default=_plain))


def _plain(value: Any) -> Any:
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else sorted(value)


def _listed(names: Iterable[str]) -> str:
    """The names of options in words."""
    *most, last = (f"--{name.replace('_', '-')}" for name in names)
    return f"{', '.join(most)} and {last}"

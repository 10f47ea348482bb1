"""Objects of JSON as annotation tools and news collectors write them in, the fields of documents (see `jsonl`) out.

Label Studio, Prodigy and doccano have mentions and relations; news-please and NewsAPI have texts with metadata.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from cdcoref.corpus import KINDS
from cdcoref.formats.found_metadata import USUAL_NAMES, stated_date

Remark = Callable[[str], None]
_COREFERENCE = re.compile(r"coref|same|ident", re.IGNORECASE)
"""Names of relations that mean coreference."""


def as_documents(content: dict[str, Any], default: str, remark: Remark) -> Iterator[dict[str, Any]]:
    """The documents in an object, those without an id with the default one; a document of `jsonl` is itself."""
    id = content.get("id") or default
    if isinstance(content.get("articles"), list) and "text" not in content:
        for number, article in enumerate(content["articles"], 1):
            if isinstance(article, dict):
                yield {"id": f"{id}:{number}", **_article(article)}
    elif isinstance(content.get("data"), dict) and isinstance(content["data"].get("text"), str):
        yield {"id": id, **_label_studio(content, id, remark)}
    elif "spans" in content and ("answer" in content or "_input_hash" in content):
        if content.get("answer", "accept") == "accept":
            yield {"id": id, **_prodigy(content, id, remark)}
        else:
            remark("text that was not accepted left out")
    elif isinstance(content.get("entities"), list) and "mentions" not in content and "text" in content:
        spans = [
            {
                "key": one.get("id"),
                "start": one.get("start_offset"),
                "end": one.get("end_offset"),
                "tag": one.get("label"),
            }
            for one in content["entities"]
            if isinstance(one, dict)
        ]
        links = [
            (str(one.get("type", "")), one.get("from_id"), one.get("to_id"))
            for one in content.get("relations") or ()
            if isinstance(one, dict)
        ]
        rest = {name: value for name, value in content.items() if name not in ("entities", "relations")}
        yield {"id": id, **rest, "mentions": _mentions(spans, links, id, remark)}
    elif (
        "text" not in content
        and "tokens" not in content
        and any(isinstance(content.get(n), str) for n in USUAL_NAMES["text"])
    ):
        yield {"id": id, **_article(content)}
    else:
        yield content


def _article(content: dict[str, Any]) -> dict[str, Any]:
    """A text with its metadata under the names that are used here."""
    known: dict[str, Any] = {}
    for ours, names in USUAL_NAMES.items():
        theirs = next((name for name in names if content.get(name)), None)
        if theirs is not None:
            known[ours] = content[theirs]
    source, author = known.get("source"), known.get("author")
    if isinstance(source, dict):
        known["source"] = source.get("name") or source.get("id")
    if isinstance(author, list):
        known["author"] = ", ".join(map(str, author))
    if "date" in known:
        known["date"] = stated_date(known["date"])
    return {name: value for name, value in known.items() if value is not None}


def _label_studio(content: dict[str, Any], id: object, remark: Remark) -> dict[str, Any]:
    """A task, with the regions of its first annotation that was not cancelled."""
    kept = [one for one in content.get("annotations") or () if isinstance(one, dict) and not one.get("was_cancelled")]
    spans: list[dict[str, Any]] = []
    links: list[tuple[str, Any, Any]] = []
    for result in kept[0].get("result") or () if kept else ():
        value = result.get("value") or {}
        if result.get("type") == "relation":
            links += [(name, result.get("from_id"), result.get("to_id")) for name in result.get("labels") or ("coref",)]
        elif "start" in value:
            tag = next(iter(value.get("labels") or value.get("hypertextlabels") or ()), None)
            spans.append({"key": result.get("id"), "start": value["start"], "end": value.get("end"), "tag": tag})
    known = {name: value for name, value in content["data"].items() if value is not None}
    return {**known, "mentions": _mentions(spans, links, id, remark)}


def _prodigy(content: dict[str, Any], id: object, remark: Remark) -> dict[str, Any]:
    def key(span: Mapping[str, Any]) -> tuple[Any, Any]:
        return span.get("start"), span.get("end")

    spans = [
        {"key": key(one), "start": one["start"], "end": one["end"], "tag": one.get("label")} for one in content["spans"]
    ]
    links = [
        (str(one.get("label", "")), key(one.get("head_span") or {}), key(one.get("child_span") or {}))
        for one in content.get("relations") or ()
    ]
    meta = content.get("meta") if isinstance(content.get("meta"), dict) else {}
    return {"text": content["text"], **(meta or {}), "mentions": _mentions(spans, links, id, remark)}


def _mentions(
    spans: Iterable[Mapping[str, Any]], links: Iterable[tuple[str, Any, Any]], id: object, remark: Remark
) -> list[dict[str, Any]]:
    """Mentions, those that relations of coreference join in one cluster."""
    import numpy as np

    from cdcoref.clustering import connected  # which imports SciPy: other files need none

    mentions = []
    number_of: dict[Any, int] = {}
    for number, span in enumerate(spans):
        tag = span.get("tag")
        kind = tag.lower() if isinstance(tag, str) and tag.lower() in KINDS else None
        mentions.append(
            {"start": span["start"], "end": span["end"]} | ({"kind": kind} if kind else {"tag": tag} if tag else {})
        )
        number_of.setdefault(span["key"], number)
    pairs: list[tuple[int, int]] = []
    for name, one, other in links:
        if not _COREFERENCE.search(name):
            remark(f"relation {name!r} ignored")
        elif one in number_of and other in number_of:
            pairs.append((number_of[one], number_of[other]))
    cluster_of = connected(len(mentions), *np.array(pairs, dtype=np.int64).reshape(-1, 2).T)
    for number in {number for pair in pairs for number in pair}:
        mentions[number]["cluster"] = f"{id}/{cluster_of[number] + 1}"
    return mentions

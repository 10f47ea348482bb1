"""A prediction or a corpus in, JSON-LD out: documents, events, people, places and things in schema.org's words.

Every cluster of several mentions is a thing of its own, with its name, its other names, and of an event its day and
place (no day whose year is unknown, which schema.org cannot express). What a document says of it is a thing as well,
named as it is there, ``subjectOf`` the document and ``sameAs`` the cluster, so that two documents' things are the same
through it. The file needs no network to be read: its context is a vocabulary, not an address.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

from cdcoref.corpus import Corpus, Document
from cdcoref.formats import day_of, output_file
from cdcoref.reports import PredictedCluster, Results, label_of_kind, metadata_text
from cdcoref.views.knowledge import key_of, type_of

CONTEXT: dict[str, Any] = {
    "@vocab": "https://schema.org/",
    **{name: {"@type": "@id"} for name in ("sameAs", "subjectOf", "mentions", "url")},
}


def linked_data(source: Results | Corpus) -> dict[str, Any]:
    """The content of a JSON-LD file: an object with ``@context`` and ``@graph``."""
    results = Results.of(source)
    documents = {document.id: document for document in results.corpus.documents}
    mentioned: dict[str, list[str]] = {id: [] for id in documents}
    things: list[dict[str, Any]] = []
    for cluster in results.each_cluster():
        things.append(_cluster(cluster))
        for id in cluster.document_ids:
            thing = f"{_document_address(id)}#{quote(key_of(cluster), safe=':')}"
            mentioned[id].append(thing)
            things.append(
                {
                    "@id": thing,
                    "@type": type_of(cluster),
                    "name": label_of_kind(cluster.kind, (m.text for m in cluster.mentions if m.document == id)),
                    "subjectOf": _document_address(id),
                    "sameAs": _address(cluster),
                }
            )
    return {"@context": CONTEXT, "@graph": [*(_article(d, mentioned[d.id]) for d in documents.values()), *things]}


def write_jsonld(source: Results | Corpus, path: str | Path) -> None:
    """Write the JSON-LD of :func:`linked_data`."""
    with output_file(path) as file:
        file.write(json.dumps(linked_data(source), ensure_ascii=False, indent=1) + "\n")


def _article(document: Document, things: list[str]) -> dict[str, Any]:
    known = {name: metadata_text(value) for name, value in document.metadata.items()}
    article: dict[str, Any] = {
        "@id": _document_address(document.id),
        "@type": "NewsArticle",
        "identifier": document.id,
        "headline": known.get("title"),
        "datePublished": day_of(document.id, document.text, document.metadata),
        "url": known.get("url"),
        "mentions": things,
    }
    if known.get("author"):
        article["author"] = {"@type": "Person", "name": known["author"]}
    if known.get("source"):
        article["publisher"] = {"@type": "Organization", "name": known["source"]}
    return {name: value for name, value in article.items() if value}


def _cluster(cluster: PredictedCluster) -> dict[str, Any]:
    others = [name for name in dict.fromkeys(m.text for m in cluster.mentions) if name != cluster.name]
    thing: dict[str, Any] = {
        "@id": _address(cluster),
        "@type": type_of(cluster),
        "name": cluster.name,
        "alternateName": others,
    }
    if cluster.when is not None and cluster.when.period.has_year:
        period = cluster.when.period
        thing["startDate"], thing["endDate"] = period.first.isoformat(), period.last.isoformat()
    if cluster.where is not None:
        thing["location"] = {"@type": "Place", "name": str(cluster.where)}
    return {name: value for name, value in thing.items() if value}


def _address(cluster: PredictedCluster) -> str:
    return f"urn:cdcoref:cluster:{quote(key_of(cluster), safe=':')}"


def _document_address(id: str) -> str:
    return f"urn:cdcoref:document:{quote(id, safe='')}"

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

from cdcoref.corpus import Corpus, Document, mention_text
from cdcoref.formats import day_of, output_file
from cdcoref.reports import Results, label_of_kind, metadata_text
from cdcoref.views.knowledge import KnownCluster, known_clusters

CONTEXT: dict[str, Any] = {
    "@vocab": "https://schema.org/",
    **{name: {"@type": "@id"} for name in ("sameAs", "subjectOf", "mentions", "url")},
}


def linked_data(source: Results | Corpus) -> dict[str, Any]:
    """The content of a JSON-LD file: an object with ``@context`` and ``@graph``."""
    results = Results.of(source)
    documents = {document.id: document for document in results.corpus.documents}
    clusters = known_clusters(results)
    mentioned: dict[str, list[str]] = {id: [] for id in documents}
    things: list[dict[str, Any]] = []
    for cluster in clusters:
        things.append(_cluster(cluster, documents))
        for id in cluster.documents():
            own = [mention for mention in cluster.mentions if mention.document == id]
            thing = f"{_document_address(id)}#{quote(cluster.id, safe=':')}"
            mentioned[id].append(thing)
            things.append(
                {
                    "@id": thing,
                    "@type": cluster.type,
                    "name": label_of_kind(cluster.kind, (mention_text(mention, documents[id]) for mention in own)),
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


def _cluster(cluster: KnownCluster, documents: dict[str, Document]) -> dict[str, Any]:
    words = (mention_text(mention, documents[mention.document]) for mention in cluster.mentions)
    others = [name for name in dict.fromkeys(words) if name != cluster.label]
    thing: dict[str, Any] = {
        "@id": _address(cluster),
        "@type": cluster.type,
        "name": cluster.label,
        "alternateName": others,
    }
    if cluster.when is not None and cluster.when.period.has_year:
        period = cluster.when.period
        thing["startDate"], thing["endDate"] = period.first.isoformat(), period.last.isoformat()
    if cluster.where is not None:
        thing["location"] = {"@type": "Place", "name": str(cluster.where)}
    return {name: value for name, value in thing.items() if value}


def _address(cluster: KnownCluster) -> str:
    return f"urn:cdcoref:cluster:{quote(cluster.id, safe=':')}"


def _document_address(id: str) -> str:
    return f"urn:cdcoref:document:{quote(id, safe='')}"

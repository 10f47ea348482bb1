"""A prediction or a corpus in, JSON out: one object with documents, stories and clusters, or JSON lines."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from cdcoref.corpus import EVENT, Corpus
from cdcoref.formats import SCHEMAS, document_fields, jsonl_writer, names_entry
from cdcoref.reports import ClusterCircumstances, ClusterPeriod, ClusterPlace, Results
from cdlm.output_file import output_file


def json_text(source: Results | Corpus, *, indent: int | None = None) -> str:
    """Documents, stories and clusters as JSON."""
    results = Results.of(source)
    corpus = results.corpus
    mentions = corpus.by_document()
    clusters = []
    for cluster in results.each_cluster(singletons=True):
        shown = [asdict(mention) for mention in cluster.mentions]
        clusters.append(
            {
                "id": cluster.id,
                "kind": cluster.kind or None,
                "label": cluster.label,
                "named": cluster.given_name is not None,
                "confidence": cluster.confidence,
                **_circumstances(cluster.circumstances),
                "mentions": [{name: value for name, value in mention.items() if name != "kind"} for mention in shown],
            }
        )
    content: dict[str, Any] = {
        "version": SCHEMAS["prediction"],
        "stories": [story.to_dict() for story in results.stories],
        "clusters": clusters,
        "documents": [
            document_fields(document, mentions[document.id]) | names_entry(mentions[document.id], corpus.names)
            for document in results.numbered_documents()
        ],
        "notes": list(results.notes),
    }
    return json.dumps(content, ensure_ascii=False, indent=indent)


def write_json(source: Results | Corpus, path: str | Path) -> None:
    """Write :func:`json_text` as a file, which is compressed if its name ends in ``.gz``."""
    with output_file(path) as file:
        file.write(json_text(source) + "\n")


def write_json_lines(source: Results | Corpus, path: str | Path) -> None:
    """Write a line for each document with its mentions and :func:`event_circumstances`."""
    results = Results.of(source)
    mentions, clusters = results.corpus.by_document(), event_circumstances(results)
    with jsonl_writer(path, results.corpus.names) as write:
        for document in results.numbered_documents():
            write(document, mentions[document.id], clusters[document.id])


def event_circumstances(source: Results | Corpus) -> dict[str, list[dict[str, Any]]]:
    """The circumstances of the events that each document mentions, by the document's id.

    An object has ``cluster``, ``kind``, and ``when``, ``where`` and ``participants`` where they are known: those of the
    cluster in all documents, with the words of this document that state them.
    """
    results = Results.of(source)
    corpus, known = results.corpus, results.circumstances
    found: dict[str, list[dict[str, Any]]] = {document.id: [] for document in corpus.documents}
    for members in corpus.clusters():
        if members[0].kind != EVENT or members[0].cluster is None:
            continue
        values = {name: value for name, value in _circumstances(known.of(members[0])).items() if value}
        for id in dict.fromkeys(mention.document for mention in members) if values else ():
            stated = {name: _stated_in(id, value) for name, value in values.items()}
            found[id].append({"cluster": members[0].cluster, "kind": EVENT, **stated})
    return found


def _stated_in(document: str, value: Any) -> Any:
    if isinstance(value, list):
        return [_stated_in(document, participant) for participant in value]
    stated = ({**words} for words in value["mentions"] if words["document"] == document)
    return {**value, "mentions": [words for words in stated if words.pop("document")]}


def _circumstances(known: ClusterCircumstances) -> dict[str, Any]:
    return {
        "when": _circumstance(known.when),
        "where": _circumstance(known.where),
        "participants": [
            {"label": one.label, "cluster": one.cluster, "role": one.role, "mentions": list(map(asdict, one.stated))}
            for one in known.participants
        ],
    }


def _circumstance(found: ClusterPeriod | ClusterPlace | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {"value": str(found), "known": found.known, "mentions": list(map(asdict, found.stated))}

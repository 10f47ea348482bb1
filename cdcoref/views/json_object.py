"""A prediction or a corpus in, one JSON object out: documents, stories and clusters, for programs.

The JSON Schema is ``cdcoref.formats.json_schema("prediction")``.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from cdcoref.corpus import Corpus
from cdcoref.formats import SCHEMAS, document_fields
from cdcoref.predict import (
    ClusterCircumstances,
    CorpusCircumstances,
    Places,
    Prediction,
    Stated,
    corpus_and_stories,
    mean_confidence,
    ranked_clusters,
    stories_of,
)


def json_text(source: Prediction | Corpus, *, indent: int | None = None) -> str:
    """Documents, stories and clusters as JSON.

    Parameters
    ----------
    source
        What to write. The stories of a corpus are its subtopics, or else its topics.
    indent
        Spaces before each level; None for one line.
    """
    corpus, stories = corpus_and_stories(source)
    mentions = corpus.by_document()
    places, known = Places(corpus.documents), CorpusCircumstances(corpus)
    clusters = []
    for members in ranked_clusters(corpus):
        shown = [places.shown(mention) for mention in members]
        clusters.append(
            {
                "id": members[0].cluster,
                "kind": members[0].kind,
                "label": known.label(members),
                "named": corpus.name_of(members[0]) is not None,
                "confidence": mean_confidence(members),
                **_circumstances(known.of(members)),
                "mentions": [
                    {
                        "document": mention.document,
                        "start": mention.start,
                        "end": mention.end,
                        "line": mention.line,
                        "text": mention.text,
                        "confidence": mention.confidence,
                    }
                    for mention in shown
                ],
            }
        )
    content: dict[str, Any] = {
        "version": SCHEMAS["prediction"],
        "stories": [story.to_dict() for story in stories_of(corpus, stories)],
        "clusters": clusters,
        "documents": [document_fields(document, mentions[document.id]) for document in corpus.documents],
        "notes": list(source.notes),
    }
    return json.dumps(content, ensure_ascii=False, indent=indent)


def _circumstances(known: ClusterCircumstances) -> dict[str, Any]:
    when, where = known.when, known.where
    return {
        "when": None if when is None else {"value": str(when), "mentions": _stated(when.stated)},
        "where": None if where is None else {"value": str(where), "mentions": _stated(where.stated)},
        "participants": [
            {"label": one.label, "cluster": one.cluster, "role": one.role, "mentions": _stated(one.stated)}
            for one in known.participants
        ],
    }


def _stated(words: Sequence[Stated]) -> list[dict[str, Any]]:
    return [asdict(one) for one in words]

"""The data for the page's script: documents, mentions in columns, and clusters, as plain values for JSON.

Characters are counted as in JavaScript, in UTF-16 units. Mentions are in the order of the texts, a longer one before a
shorter one that begins at the same place; clusters are in the order in which they are listed.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Any

from cdcoref.corpus import Corpus, Document, Mention, character_parts, confidence_text
from cdcoref.predict import cluster_label, mean_confidence, ranked_clusters

_SURROGATE = re.compile("[\ud800-\udfff]")


def page_data(corpus: Corpus, stories: Mapping[int, Sequence[str]]) -> dict[str, Any]:
    """Everything that the script needs.

    Returns
    -------
    dict
        ``documents``: a list of name, number of the story (0 if unknown), text and sentence boundaries (start, end,
        start, end, ...). ``mentions``: columns, one entry per mention; confidences in hundredths, -1 if unknown;
        ``parts`` holds the ranges of discontinuous mentions, each after the mention's number. ``clusters``: a list of
        name, kind, label (what people call it, or its words) and mean confidence. ``confidenceTexts``: the wording of
        each confidence, by its hundredths.
    """
    story_of = {name: number for number, group in stories.items() for name in group}
    clusters: list[tuple[str, str, str, int]] = []
    cluster_of: dict[int, int] = {}
    documents = {document.id: document for document in corpus.documents}
    for number, members in enumerate(ranked_clusters(corpus)):
        cluster_of.update((id(mention), number) for mention in members)
        name = without_surrogates(members[0].cluster or "")
        label = corpus.name_of(members[0]) or cluster_label(_words(m, documents[m.document]) for m in members)
        clusters.append((name, members[0].kind or "", without_surrogates(label), _hundredths(mean_confidence(members))))
    columns: dict[str, list[Any]] = {
        name: [] for name in ("document", "start", "end", "cluster", "confidence", "parts")
    }
    shown = []
    # Documents are ordered by story, so that a story's mentions are together.
    order = sorted(range(len(corpus.documents)), key=lambda n: story_of.get(corpus.documents[n].id, 0))
    mentions = corpus.by_document()
    for number, document in enumerate(corpus.documents[n] for n in order):
        units = _Units(document.text)
        borders = [
            units(character)
            for first, last in document.sentences
            if first < last
            for character in (document.offsets[first][0], document.offsets[last - 1][1])
        ]
        shown.append(
            (without_surrogates(document.id), story_of.get(document.id, 0), without_surrogates(document.text), borders)
        )
        for mention in sorted(mentions[document.id], key=lambda m: (m.start, -m.end)):
            parts = [(units(start), units(end)) for start, end in character_parts(mention, document)]
            if len(parts) > 1:
                columns["parts"].append((len(columns["start"]), parts))
            columns["document"].append(number)
            columns["start"].append(parts[0][0])
            columns["end"].append(parts[-1][1])
            columns["cluster"].append(cluster_of[id(mention)])
            columns["confidence"].append(_hundredths(mention.confidence))
    texts = [confidence_text(hundredths / 100) for hundredths in range(101)]
    return {"documents": shown, "mentions": columns, "clusters": clusters, "confidenceTexts": texts}


def without_surrogates(text: str) -> str:
    """The text with every character that UTF-8 cannot encode replaced."""
    return _SURROGATE.sub("\ufffd", text)


class _Units:
    """Positions in a text, from characters to UTF-16 units."""

    def __init__(self, text: str) -> None:
        wide = text and max(text) > "\uffff"
        self._wide = [n for n, character in enumerate(text) if character > "\uffff"] if wide else []

    def __call__(self, character: int) -> int:
        return character + bisect_left(self._wide, character) if self._wide else character


def _words(mention: Mention, document: Document) -> str:
    return " … ".join(" ".join(document.text[a:b].split()) for a, b in character_parts(mention, document))


def _hundredths(confidence: float | None) -> int:
    return -1 if confidence is None else round(100 * round(confidence, 2))

"""The data for the page's script, as plain values for JSON; characters count as UTF-16 units, as in JavaScript."""

import re
from collections.abc import Mapping
from typing import Any

from cdcoref.corpus import EVENT, Document, character_parts, confidence_text
from cdcoref.formats import Utf16Units
from cdcoref.reports import PredictedStory, Results, StoryEvent, metadata_text
from cdlm.printing import counted


def page_data(results: Results) -> dict[str, Any]:
    """Everything that the script needs.

    ``documents``: a list of name, number of the story (0 if unknown), text, sentence boundaries (start, end, start,
    end, ...), title (empty where the text begins with it), date, source and author in one line, address, and the
    numbers of its near-duplicates: its original, if it is a copy, and the other copies. ``mentions``: columns, one
    entry per mention; confidences in hundredths, -1 if unknown; ``parts`` holds the ranges of discontinuous mentions,
    each after the mention's number. ``clusters``: a list of name, kind, label (what people call it, or its words, and
    of an event its place and day) and mean confidence. ``confidenceTexts``: the wording of each confidence, by its
    hundredths. ``stories``: objects with title, what it is about in words, documents (number, day, source, headline),
    ``timeline`` and ``oneSource`` (label, when and where in words, number of the cluster or -1, sentence, number of its
    document, whether it is minor), ``numbers`` (label, values with their days in words, number of the cluster or -1,
    and reports as statements), ``disagreements`` (label, what differs, number of the cluster or -1, and statements:
    value, sentence, number of its document).
    """
    corpus = results.corpus
    story_of = {name: number for number, story in results.numbered_stories().items() for name in story}
    clusters: list[tuple[Any, ...]] = []
    cluster_of: dict[int, int] = {}
    for number, cluster in enumerate(results.each_cluster(singletons=True)):
        cluster_of.update((id(mention), number) for mention in cluster.members)
        clusters.append((cluster.id or "", cluster.kind, cluster.label, _hundredths(cluster.confidence)))
    columns: dict[str, list[Any]] = {
        name: [] for name in ("document", "start", "end", "cluster", "confidence", "parts")
    }
    shown = []
    # Documents are ordered by story, so that a story's mentions are together.
    order = sorted(range(len(corpus.documents)), key=lambda n: story_of.get(corpus.documents[n].id, 0))
    mentions = corpus.by_document()
    number_of = {corpus.documents[n].id: number for number, n in enumerate(order)}
    copies = {original: [original, *found] for original, found in corpus.copies().items() if original in number_of}
    for number, document in enumerate(corpus.documents[n] for n in order):
        units = Utf16Units(document.text)
        borders = [
            units(character)
            for first, last in document.sentences
            if first < last
            for character in (document.offsets[first][0], document.offsets[last - 1][1])
        ]
        versions = [number_of[id] for id in copies.get(document.copy_of or document.id, ()) if id != document.id]
        story = story_of.get(document.id, 0)
        shown.append((document.id, story, document.text, borders, *_about(document), versions))
        for mention in sorted(mentions[document.id], key=lambda m: (m.start, -m.end)):
            parts = [(units(start), units(end)) for start, end in character_parts(mention, document)]
            if len(parts) > 1:
                columns["parts"].append((len(columns["start"]), parts))
            columns["document"].append(number)
            columns["start"].append(parts[0][0])
            columns["end"].append(parts[-1][1])
            columns["cluster"].append(cluster_of[id(mention)])
            columns["confidence"].append(_hundredths(mention.confidence))
    numbers = {(kind, name): number for number, (name, kind, *_) in enumerate(clusters) if name}
    reports = [_story(story, number_of, numbers) for story in results.stories]
    texts = [confidence_text(hundredths / 100) for hundredths in range(101)]
    return {"documents": shown, "mentions": columns, "clusters": clusters, "stories": reports, "confidenceTexts": texts}


def _about(document: Document) -> tuple[str, str, str]:
    """The title of a document, unless its text begins with it; its date, source and author; its address on the web."""
    known = document.metadata
    title, url = (" ".join(metadata_text(known.get(name)).split()) for name in ("title", "url"))
    begins = " ".join(document.text[: 2 * len(title) + 200].split()).startswith(title)
    parts = (" ".join(metadata_text(known.get(name)).split()) for name in ("date", "source", "author"))
    address = url if re.match(r"https?://", url) else ""
    return ("" if begins else title), " · ".join(filter(None, parts)), address


def _story(
    story: PredictedStory, documents: Mapping[str, int], clusters: Mapping[tuple[str, str], int]
) -> dict[str, Any]:
    def cluster(name: str | None) -> int:
        return clusters.get((EVENT, name or ""), -1)

    def event(one: StoryEvent) -> tuple[str, str, int, str, int, bool]:
        parts = [one.when_text, one.where, counted(len(one.documents), "document")]
        about = " · ".join(filter(None, parts))
        return one.label, about, cluster(one.cluster), one.best.sentence, documents[one.best.document], one.minor

    about = [f"Story {story.number}", ", ".join(story.who), story.where, story.when.shown() if story.when else ""]
    days = {name: day.shown() if (day := story.day_of(name)) else "" for name in story.documents}
    return {
        "title": story.title,
        "about": [words for words in about if words],
        "documents": [
            (documents[name], day, story.published_by(name), story.headline_of(name)) for name, day in days.items()
        ],
        "timeline": [event(one) for one in story.timeline],
        "oneSource": [event(one) for one in story.one_source],
        "numbers": [
            (
                line.label,
                str(line),
                cluster(line.cluster),
                [(own.value, own.sentence, documents[own.documents[0]]) for own in line.reports],
            )
            for line in story.numbers
        ],
        "disagreements": [
            (
                one.label,
                one.about,
                cluster(one.cluster),
                [(own.value, own.sentence, documents[own.document]) for own in one.statements],
            )
            for one in story.disagreements
        ],
    }


def _hundredths(confidence: float | None) -> int:
    return -1 if confidence is None else round(100 * round(confidence, 2))

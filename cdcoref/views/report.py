"""A prediction or a corpus in, a report in Markdown out: of every story its documents, its events, and who and what it
names, each with a sentence that tells of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from cdcoref.corpus import EVENT, Corpus, Document
from cdcoref.formats import OWN_REPORT, day_of, output_file
from cdcoref.predict import Prediction, corpus_and_stories, metadata_text
from cdcoref.views.knowledge import KnownCluster, known_clusters, sentence_of
from cdlm.printing import counted

EVENTS = 20
"""Events of a story that are listed."""
ENTITIES = 20
"""People, places and things of a story that are listed."""
LONGEST_SENTENCE = 300
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~])")


def write_report(source: Prediction | Corpus, path: str | Path) -> None:
    """Write the report of :func:`story_report`.

    Raises
    ------
    InputError
        If the file cannot be written. An existing file is then left unchanged.
    """
    with output_file(path) as file:
        for line in story_report(source):
            file.write(f"{line}\n")


def story_report(source: Prediction | Corpus) -> Iterator[str]:
    """The lines of the report, story by story; documents in no story come last, together."""
    corpus, stories = corpus_and_stories(source)
    documents = {document.id: document for document in corpus.documents}
    clusters = known_clusters(corpus)
    yield f"{OWN_REPORT}\n# {counted(len(documents), 'document')} in {counted(len(stories), 'story', 'stories')}"
    told = {id for own in stories.values() for id in own}
    rest = tuple(id for id in documents if id not in told)
    groups = {f"Story {number}": own for number, own in stories.items()}
    if rest:
        groups["Other documents" if stories else "Documents"] = rest
    for name, ids in groups.items():
        yield from _story(name, [documents[id] for id in ids if id in documents], clusters, documents)


def _story(
    name: str, own: Sequence[Document], clusters: Sequence[KnownCluster], documents: Mapping[str, Document]
) -> Iterator[str]:
    days = {document.id: day_of(document.id, document.text, document.metadata) for document in own}
    ordered = sorted(own, key=lambda document: (days[document.id] is None, days[document.id] or ""))
    titles = [metadata_text(document.metadata.get("title")) for document in ordered]
    title = next(filter(None, titles), "")
    yield f"\n## {name}{': ' if title else ''}{_escaped(title)}\n"
    yield "| date | source | title | document |\n| --- | --- | --- | --- |"
    for document, heading in zip(ordered, titles, strict=True):
        source = metadata_text(document.metadata.get("source"))
        cells = (days[document.id] or "", source, heading, document.id)
        yield f"| {' | '.join(map(_escaped, cells))} |"
    here = [cluster for cluster in clusters if not days.keys().isdisjoint(cluster.documents())]
    events = [cluster for cluster in here if cluster.kind == EVENT][:EVENTS]
    events.sort(key=lambda event: (event.when is None, event.when.first.isoformat() if event.when else ""))
    yield from _list("Events", events, days, documents)
    yield from _list("Who, where and what", [c for c in here if c.kind != EVENT][:ENTITIES], days, documents)


def _list(
    heading: str, clusters: Sequence[KnownCluster], days: Mapping[str, str | None], documents: Mapping[str, Document]
) -> Iterator[str]:
    if not clusters:
        return
    yield f"\n### {heading}\n"
    for cluster in clusters:
        own = [mention for mention in cluster.mentions if mention.document in days]
        count = len({mention.document for mention in own})
        facts = [counted(len(own), "mention"), counted(count, "document")]
        if cluster.when is not None:
            first, last = cluster.when.first.isoformat(), cluster.when.last.isoformat()
            facts.insert(0, first if first == last else f"{first} to {last}")
        if cluster.where is not None:
            facts.insert(0, cluster.where.shown())
        best = max(own, key=lambda mention: (mention.confidence or 0.0, -mention.start))
        sentence = sentence_of(best, documents[best.document])
        shown = sentence if len(sentence) <= LONGEST_SENTENCE else f"{sentence[:LONGEST_SENTENCE].rstrip()} ..."
        yield f"- **{_escaped(cluster.label)}** ({_escaped('; '.join(facts))})  "
        yield f"  “{_escaped(shown)}” ({_escaped(best.document)})"


def _escaped(text: str) -> str:
    """Text in one line, with the characters that have a meaning in Markdown as they are."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))

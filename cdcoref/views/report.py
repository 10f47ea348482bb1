"""A prediction or a corpus in, a report in Markdown out: every story with its documents, its timeline, numbers over
time, where documents disagree, what one of them alone reports, and who and what it names, each with a sentence."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from cdcoref.corpus import EVENT, Corpus, Document
from cdcoref.formats import OWN_REPORT, day_of
from cdcoref.reports import (
    PredictedCluster,
    PredictedStory,
    Results,
    Statement,
    StoryEvent,
    is_date_or_number,
    metadata_text,
    stories_of,
)
from cdcoref.views.terminal import first_events
from cdlm.output_file import output_file
from cdlm.printing import counted

EVENTS = 20
"""Events that are listed of a timeline."""
ENTITIES = 20
"""People, places and things of a story that are listed."""
LONGEST_SENTENCE = 300
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~]|&(?=#?\w+;))")


def write_report(source: Results | Corpus, path: str | Path) -> None:
    """Write the report of :func:`story_report`."""
    with output_file(path) as file:
        for line in story_report(source):
            file.write(f"{line}\n")


def story_report(source: Results | Corpus) -> Iterator[str]:
    """The lines of the report, story by story; documents in no story come last, together, and are not compared."""
    results = Results.of(source)
    stories, documents = results.stories, {document.id: document for document in results.corpus.documents}
    clusters = results.clusters()
    yield f"{OWN_REPORT}\n# {counted(len(documents), 'document')} in {counted(len(stories), 'story', 'stories')}"
    in_stories = {id for story in stories for id in story.documents}
    rest = tuple(id for id in documents if id not in in_stories)
    for story in stories:
        yield from _story(f"Story {story.number}", story, clusters, documents)
    if rest:
        (story,) = stories_of(results.corpus, {0: rest}, results.circumstances)
        yield from _story("Other documents" if stories else "Documents", story, clusters, documents)


def _story(
    name: str, story: PredictedStory, clusters: Sequence[PredictedCluster], documents: Mapping[str, Document]
) -> Iterator[str]:
    own = [documents[id] for id in story.documents]
    days = {document.id: day_of(document.id, document.text, document.metadata) for document in own}
    titled = story.number or any(metadata_text(document.metadata.get("title")) for document in own)
    yield f"\n## {name}{f': {_escaped(story.title)}' if titled else ''}\n"
    when = "" if story.when is None else story.when.shown()
    about = (("Who", ", ".join(story.who)), ("Where", story.where), ("When", when)) if story.number else ()
    if known := [f"{what}: {_escaped(value)}" for what, value in about if value]:
        yield "  \n".join(known)
        yield ""
    yield "| date | source | title | document |\n| --- | --- | --- | --- |"
    for document in own:
        cells = (days[document.id] or "", *(metadata_text(document.metadata.get(k)) for k in ("source", "title")))
        yield f"| {' | '.join(map(_escaped, (*cells, document.id)))} |"
    yield from _events("Timeline", story.timeline)
    if story.number:
        reported = [
            (line.label, _escaped(str(line)), [Statement(r.documents[0], r.value, r.sentence) for r in line.reports])
            for line in story.numbers
        ]
        yield from _values("Numbers over time", reported)
        disagreements = [(one.label, one.about, one.statements) for one in story.disagreements]
        yield from _values("Where documents disagree", disagreements)
    yield from _events("Only in one document", story.one_source)
    here = (c for c in clusters if c.kind != EVENT and not days.keys().isdisjoint(c.document_ids))
    named = [cluster for cluster in here if not is_date_or_number(cluster.name.split())]
    yield from _entities(named[:ENTITIES], days, documents)


def _events(heading: str, events: Sequence[StoryEvent]) -> Iterator[str]:
    if not events:
        return
    yield f"\n### {heading}\n"
    shown = first_events(events, EVENTS)
    for event in shown:
        several = counted(len(event.documents), "document") if len(event.documents) > 1 else ""
        facts = "; ".join(part for part in (event.when_text, event.where, several) if part)
        yield f"- **{_escaped(event.label)}**{f' ({_escaped(facts)})' if facts else ''}  "
        yield f"  {_quoted(event.best)}"
    if len(events) > len(shown):
        yield f"- and {counted(len(events) - len(shown), 'other event')}"


def _values(heading: str, items: Sequence[tuple[str, str, Sequence[Statement]]]) -> Iterator[str]:
    """Stated values under a heading: for each item a line with its label, and a line for each statement."""
    if items:
        yield f"\n### {heading}\n"
    for label, about, statements in items:
        yield f"- **{_escaped(label)}**: {about}"
        for statement in statements:
            yield f"    - {_escaped(statement.value)}: {_quoted(statement)}"


def _quoted(statement: Statement) -> str:
    sentence = statement.sentence
    if len(sentence) > LONGEST_SENTENCE:
        sentence = f"{sentence[:LONGEST_SENTENCE].rstrip()} ..."
    return f"“{_escaped(sentence)}” ({_escaped(statement.document)})"


def _entities(
    clusters: Sequence[PredictedCluster], days: Mapping[str, str | None], documents: Mapping[str, Document]
) -> Iterator[str]:
    if clusters:
        yield "\n### Who, where and what\n"
    for cluster in clusters:
        pairs = zip(cluster.members, cluster.mentions, strict=True)
        own = {mention: shown.text for mention, shown in pairs if mention.document in days}
        count = len({mention.document for mention in own})
        best = max(own, key=lambda m: (own[m] in cluster.name, m.confidence or 0.0, -m.start))
        yield f"- **{_escaped(cluster.name)}** ({counted(len(own), 'mention')}; {counted(count, 'document')})  "
        yield f"  {_quoted(Statement(best.document, '', documents[best.document].sentence_text(best.start)))}"


def _escaped(text: str) -> str:
    """Text in one line, with the characters that have a meaning in Markdown as they are."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))

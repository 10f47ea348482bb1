"""Who and what appears together in which events: the clusters of a story in, a small graph of the main ones out."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from typing import Any, TypeVar

from cdcoref.corpus import Document, Mention

Key = TypeVar("Key", bound=Hashable)

MOST_EVENTS = MOST_ENTITIES = 8
"""Events and entities of a graph, at most; with more, lines cannot be followed."""


@dataclass(frozen=True, slots=True)
class GraphNode:
    """An event or an entity of a story, and the number of documents that mention it."""

    cluster: str | None
    label: str
    documents: int


@dataclass(frozen=True, slots=True)
class GraphLine:
    """An entity that appears in an event, by their places in the graph; the number of sentences that mention both."""

    entity: int
    event: int
    sentences: int


@dataclass(frozen=True, slots=True)
class StoryGraph:
    """Who and what appears together in which events of a story.

    `entities`: those that share most sentences with the events, in the order of the events. `events`: those of most
    documents, in the order in which they happened.
    """

    entities: tuple[GraphNode, ...] = ()
    events: tuple[GraphNode, ...] = ()
    lines: tuple[GraphLine, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The graph as plain values, for JSON."""
        return asdict(self)


def sentences_together(
    documents: Mapping[str, Document],
    entities: Mapping[Key, Sequence[Mention]],
    events: Mapping[Key, Sequence[Mention]],
) -> Counter[tuple[Key, Key]]:
    """The number of sentences that mention both an entity and an event."""
    inside: defaultdict[tuple[str, int], tuple[dict[Key, None], dict[Key, None]]] = defaultdict(lambda: ({}, {}))
    for place, clusters in enumerate((entities, events)):
        for key, mentions in clusters.items():
            for mention in mentions:
                sentence = documents[mention.document].sentence_at(mention.start)[0]
                inside[mention.document, sentence][place][key] = None
    return Counter(pair for own, others in inside.values() for pair in product(own, others))


def story_graph(
    documents: Mapping[str, Document],
    entities: Sequence[tuple[GraphNode, Sequence[Mention]]],
    events: Sequence[tuple[GraphNode, Sequence[Mention]]],
) -> StoryGraph:
    """The graph of a story."""
    main = sorted(range(len(events)), key=lambda n: (-events[n][0].documents, n))[:MOST_EVENTS]
    together = sentences_together(
        documents,
        {n: mentions for n, (_, mentions) in enumerate(entities)},
        {n: events[n][1] for n in main},
    )
    shared: Counter[int] = Counter()
    for (entity, _), sentences in together.items():
        shared[entity] += sentences
    chosen = sorted(shared, key=lambda n: (-shared[n], -entities[n][0].documents, n))[:MOST_ENTITIES]
    lines = sorted((entity, event) for entity, event in together if entity in set(chosen))
    shown_events = sorted({event for _, event in lines})
    place_of_event = {event: place for place, event in enumerate(shown_events)}
    places = {n: [place_of_event[event] for entity, event in lines if entity == n] for n in chosen}
    shown_entities = sorted(chosen, key=lambda n: (sum(places[n]) / len(places[n]), n))
    place_of_entity = {entity: place for place, entity in enumerate(shown_entities)}
    found = (GraphLine(place_of_entity[one], place_of_event[other], together[one, other]) for one, other in lines)
    return StoryGraph(
        tuple(entities[n][0] for n in shown_entities),
        tuple(events[n][0] for n in shown_events),
        tuple(sorted(found, key=lambda line: (line.entity, line.event))),
    )

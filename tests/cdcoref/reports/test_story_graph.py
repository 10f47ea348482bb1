"""The graph of a story: who appears in which events, the main ones, in the order of time; and how it is drawn."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from cdcoref.corpus import KINDS, Corpus, Document, Mention
from cdcoref.reports import GraphLine, GraphNode, StoryGraph, sentences_together, stories_of
from cdcoref.views import graph_drawing


def document(id: str, *sentences: str) -> Document:
    return Document.from_sentences(id, [sentence.split() for sentence in sentences])


def test_sentences_are_counted_once_each() -> None:
    documents = {"a": document("a", "Ann met Bob and Ann left .", "Bob left .")}
    entities = {"ann": [Mention("a", (0,)), Mention("a", (4,))], "bob": [Mention("a", (2,)), Mention("a", (7,))]}
    events = {"left": [Mention("a", (5,)), Mention("a", (8,))], "met": [Mention("a", (1,))]}
    assert sentences_together(documents, entities, events) == {
        ("ann", "left"): 1, ("ann", "met"): 1, ("bob", "left"): 2, ("bob", "met"): 1,
    }  # fmt: skip


def test_the_graph_of_a_story() -> None:
    documents = (
        document("a", "A fire broke out in Lunde , police said .", "The fire reached a mill .", "It burned ."),
        document("b", "Police said that the fire in Lunde was arson .", "The mill collapsed ."),
        document("c", "The mill collapsed ."),
    )
    places = {
        ("event", "fire"): [("a", 1), ("a", 11), ("b", 4)],
        ("event", "collapse"): [("b", 12), ("c", 2)],
        ("event", "arson"): [("b", 8)],
        ("event", "said"): [("a", 8), ("b", 1)],
        ("entity", "lunde"): [("a", 5), ("b", 6)],
        ("entity", "police"): [("a", 7), ("b", 0)],
        ("entity", "mill"): [("a", 14), ("b", 11), ("c", 1)],
        ("entity", "it"): [("a", 16), ("a", 16)],
    }
    mentions = [Mention(id, (token,), *key) for key, own in places.items() for id, token in dict.fromkeys(own)]
    corpus = Corpus(documents, tuple(mentions))
    (story,) = stories_of(corpus, {1: ["a", "b", "c"]})
    graph = story.graph
    assert [node.cluster for node in graph.events] == [event.cluster for event in story.timeline]
    together = {
        (graph.entities[line.entity].cluster, graph.events[line.event].cluster): line.sentences for line in graph.lines
    }
    assert together == {("lunde", "fire"): 2, ("police", "fire"): 2, ("mill", "fire"): 1, ("mill", "collapse"): 2}
    assert story.to_dict()["graph"] == graph.to_dict()


NAMES = [f"{name}{end}" for name in ("Ann", "Bor", "Cly", "Dag", "Eld", "Fen", "Gus") for end in ("", "o", "el")]
EVENTS = [f"{event}{more}" for event in ("fire", "flood", "storm") for more in ("", "s", "ing", "x", "y", "z", "w")]


@settings(max_examples=25)
@example([[(n, n * step % 21) for n in range(21)] for step in (1, 2, 4)])
@given(st.lists(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), max_size=6), max_size=12))
def test_a_graph_is_bounded_and_has_no_loose_ends(pairs: list[list[tuple[int, int]]]) -> None:
    texts = (document(str(n), *(f"{NAMES[a]} saw {EVENTS[b]} ." for a, b in own)) for n, own in enumerate(pairs))
    mentions = [
        Mention(str(number), (4 * place + 2 * (kind == "event"),), kind, names[one])
        for number, own in enumerate(pairs)
        for place, pair in enumerate(own)
        for kind, names, one in zip(KINDS, (EVENTS, NAMES), pair[::-1], strict=True)
    ]
    (story,) = stories_of(Corpus(tuple(texts), tuple(mentions)), {1: [str(n) for n in range(len(pairs))]})
    graph = story.graph
    assert len(graph.entities) <= 8
    assert len(graph.events) <= 8
    assert {line.entity for line in graph.lines} == set(range(len(graph.entities)))
    assert {line.event for line in graph.lines} == set(range(len(graph.events)))
    order = [event.cluster for event in story.timeline if event.cluster in {node.cluster for node in graph.events}]
    assert [node.cluster for node in graph.events] == order
    drawing = graph_drawing(graph)
    assert len(drawing["circles"]) == len(graph.entities) + len(graph.events)
    for x, y, radius, _ in drawing["circles"]:
        assert radius <= x <= drawing["width"] - radius
        assert radius <= y <= drawing["height"] - radius


def test_a_drawing() -> None:
    graph = StoryGraph(
        (GraphNode("a", "Ann", 1), GraphNode("b", "The Harbour Authority of Tresk", 3)),
        (GraphNode("v", "fire", 2),),
        (GraphLine(0, 0, 1), GraphLine(1, 0, 4)),
    )
    drawing = graph_drawing(graph)
    assert [label[3] for label in drawing["labels"]] == ["Ann", "The Harbour Author…", "fire"]
    assert [label[2] for label in drawing["labels"]] == ["end", "end", "start"]
    (y1, y2), end = [line[1] for line in drawing["lines"]], {line[3] for line in drawing["lines"]}
    assert (y2 - y1, end) == (24, {drawing["height"] / 2})
    assert drawing["lines"][0][4] < drawing["lines"][1][4]
    assert drawing["description"].startswith("2 entities on the left, 1 event on the right, and 2 lines ")
    assert graph_drawing(StoryGraph())["circles"] == []

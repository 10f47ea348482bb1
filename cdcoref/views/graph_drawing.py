"""The graph of a story in, where its parts are drawn out: entities on the left, events on the right, lines between.

The page and the server draw the same picture from this, as SVG; both have a table of the same beside it.
"""

from __future__ import annotations

from typing import Any

from cdcoref.reports import GraphNode, StoryGraph
from cdlm.printing import counted

WIDTH, ROW, MARGIN = 400, 24, 6
LEFT, RIGHT = 150, 250
"""Where the circles of entities and events are."""
LONGEST = 19
"""Characters of a label; the table has the whole one."""
_SMALLEST, _LARGEST = 2.5, 6.0


def graph_drawing(graph: StoryGraph) -> dict[str, Any]:
    """Where the parts of a graph are drawn, in units of ``width``.

    ``circles``: x, y, radius and kind; ``labels``: x, y, ``text-anchor``, text and kind; ``lines``: x1, y1, x2, y2 and
    width; ``description``: the picture in words.
    """
    rows = max(len(graph.entities), len(graph.events))
    height = rows * ROW + 2 * MARGIN
    sides = (("entity", graph.entities, LEFT, -8, "end"), ("event", graph.events, RIGHT, 8, "start"))
    circles: list[tuple[float, float, float, str]] = []
    labels: list[tuple[float, float, str, str, str]] = []
    at: dict[tuple[str, int], float] = {}
    for kind, nodes, x, beside, anchor in sides:
        first = (height - len(nodes) * ROW) / 2 + ROW / 2
        for place, node in enumerate(nodes):
            y = at[kind, place] = first + place * ROW
            circles.append((x, y, _radius(node, graph), kind))
            labels.append((x + beside, y + 4, anchor, _shortened(node.label), kind))
    lines = [
        (LEFT, at["entity", line.entity], RIGHT, at["event", line.event], min(4.0, 0.75 + 0.5 * line.sentences))
        for line in graph.lines
    ]
    return {
        "width": WIDTH,
        "height": height,
        "circles": circles,
        "labels": labels,
        "lines": lines,
        "description": f"{counted(len(graph.entities), 'entity', 'entities')} on the left, "
        f"{counted(len(graph.events), 'event')} on the right, and {counted(len(graph.lines), 'line')} between those "
        "that sentences mention together. The table below has the same.",
    }


def _radius(node: GraphNode, graph: StoryGraph) -> float:
    """The more documents mention something, the larger its circle."""
    most = max(one.documents for one in (*graph.entities, *graph.events))
    return round(_SMALLEST + (_LARGEST - _SMALLEST) * (node.documents - 1) / max(1, most - 1), 2)


def _shortened(label: str) -> str:
    return label if len(label) <= LONGEST else f"{label[: LONGEST - 1].rstrip()}…"

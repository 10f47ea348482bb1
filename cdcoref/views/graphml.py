"""A prediction or a corpus in, GraphML out: who and what appears together in which events and documents, for Gephi,
Cytoscape, networkx and others.

Nodes are documents, and clusters of several mentions. A cluster is joined to the documents that mention it, by the
number of mentions, and an entity to the events with which it is mentioned, by the number of sentences.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from cdcoref.corpus import Corpus
from cdcoref.formats import output_file
from cdcoref.reports import Results, metadata_text
from cdcoref.views.knowledge import appearances, key_of, type_of

if TYPE_CHECKING:
    from networkx import Graph

_NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def graph_of(source: Results | Corpus) -> Graph:
    """The graph as networkx has it.

    A node ``document:ID`` has ``type`` (``"document"``), ``label`` (its title or id), ``date``, ``source`` and
    ``story``; a node ``event:NAME`` or ``entity:NAME`` has ``type`` (its kind), ``class`` (schema.org), ``label``,
    ``mentions``, ``documents``, and of an event ``date`` and ``place``. An edge has ``relation`` (``"mentioned in"`` or
    ``"together"``) and ``weight``. What is unknown is an empty string, or a story of 0.
    """
    import networkx as nx

    results = Results.of(source)
    story_of = {id: number for number, story in results.numbered_stories().items() for id in story}
    graph = nx.Graph()
    for document in results.corpus.documents:
        known = {name: metadata_text(document.metadata.get(name)) for name in ("title", "date", "source")}
        graph.add_node(
            f"document:{_plain(document.id)}",
            type="document",
            label=_plain(known["title"] or document.id),
            date=_plain(known["date"]),
            source=_plain(known["source"]),
            story=story_of.get(document.id, 0),
        )
    clusters = results.clusters()
    for cluster in clusters:
        key = _plain(key_of(cluster))
        graph.add_node(
            key,
            type=cluster.kind or "mention",
            label=_plain(cluster.name),
            mentions=len(cluster.mentions),
            documents=cluster.documents,
            date=str(cluster.when or ""),
            place=str(cluster.where or ""),
            **{"class": type_of(cluster)},
        )
        for id in cluster.document_ids:
            weight = sum(mention.document == id for mention in cluster.mentions)
            graph.add_edge(key, f"document:{_plain(id)}", relation="mentioned in", weight=weight)
    for (entity, event), sentences in appearances(results.corpus, clusters).items():
        graph.add_edge(_plain(entity), _plain(event), relation="together", weight=sentences)
    return graph


def write_graphml(source: Results | Corpus, path: str | Path) -> None:
    """Write the graph of :func:`graph_of`."""
    import networkx as nx

    with output_file(path) as file:
        for line in nx.generate_graphml(graph_of(source)):
            file.write(f"{line}\n")


def _plain(text: str) -> str:
    """A text without characters that XML cannot have."""
    return _NO_XML.sub("\ufffd", text)

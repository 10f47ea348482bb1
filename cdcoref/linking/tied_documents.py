"""Which documents belong together: pairs of documents to compare in, groups that the pairs tie together out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from scipy.sparse import coo_array, csgraph, csr_array

DocumentPair = tuple[str, str]


def tied_documents(
    names: Sequence[str], pairs: Sequence[DocumentPair] | None
) -> Iterator[tuple[list[str], list[tuple[int, int]] | None]]:
    """Groups of documents that pairs tie together, with the pairs of each as positions in it; None: all pairs.

    Where only some pairs are compared, documents are ordered so that those of a pair are near each other (reverse
    Cuthill-McKee).
    """
    if pairs is None:
        if names:
            yield list(names), None
        return
    place = {name: number for number, name in enumerate(names)}
    links = np.array([(place[one], place[other]) for one, other in pairs], dtype=np.int64).reshape(-1, 2)
    ones = np.ones(2 * len(links))
    rows, columns = np.concatenate([links, links[:, ::-1]]).T
    graph = csr_array(coo_array((ones, (rows, columns)), shape=(len(names), len(names))))
    count, story_of = csgraph.connected_components(graph, directed=False)
    members: list[list[int]] = [[] for _ in range(count)]
    for number, story in enumerate(story_of.tolist()):
        members[story].append(number)
    links_of: list[list[tuple[int, int]]] = [[] for _ in range(count)]
    for one, other in links.tolist():
        links_of[story_of[one]].append((one, other))
    for own, inner in zip(members, links_of, strict=True):
        if len({frozenset(link) for link in inner}) == len(own) * (len(own) - 1) // 2:
            yield [names[number] for number in own], None
            continue
        order = csgraph.reverse_cuthill_mckee(csr_array(graph[own][:, own]), symmetric_mode=True)
        ordered = [own[number] for number in order.tolist()]
        position = {number: n for n, number in enumerate(ordered)}
        yield [names[number] for number in ordered], [(position[one], position[other]) for one, other in inner]

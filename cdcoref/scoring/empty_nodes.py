"""Two documents in, either with empty nodes or without; the same token indices for the same words out.

CorefUD adds empty nodes for what the text omits, such as a dropped pronoun, and a response need not have the same ones
as its key. So words are matched by their numbers without empty nodes, and a mention with words is compared by its words
alone. A mention of empty nodes alone is compared by those: the same dependencies, or else the same heads, in the same
sentence.

Source: the default of the CorefUD scorer, https://github.com/ufal/corefud-scorer, which also matches by some of the
dependencies.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from cdcoref.formats import DocumentRow, EmptyNode, Ints, MentionTable


def same_words(key: DocumentRow, response: DocumentRow) -> bool:
    """Whether two documents have the same number of words, with the empty nodes of either or without them."""
    if key.tokens == response.tokens and not (key.empty_nodes and response.empty_nodes):
        return True
    return key.tokens - len(key.empty_nodes) == response.tokens - len(response.empty_nodes)


def without_empty_nodes(
    key: MentionTable, response: MentionTable, document_of: Ints
) -> tuple[MentionTable, MentionTable]:
    """Both tables, with the mentions of documents that have empty nodes on either side in the same numbering.

    There, words are counted without empty nodes, and the empty nodes behind them. `document_of` has the index in the
    key of each document of the response; negative if it is not there.
    """
    places: tuple[dict[int, Ints], dict[int, Ints]] = {}, {}
    words_of: tuple[dict[int, int], dict[int, int]] = {}, {}
    rows = list(key.documents.values())
    for number, row in enumerate(response.documents.values()):
        of_key = int(document_of[number])
        if of_key < 0 or not (row.empty_nodes or rows[of_key].empty_nodes):
            continue
        sides = rows[of_key].empty_nodes, row.empty_nodes
        if rows[of_key].tokens == row.tokens and not all(sides):
            sides = sides[0] or sides[1], sides[0] or sides[1]  # a format that has them as words
        words = row.tokens - len(sides[1])
        partner = _matched(*sides)
        numbers = [partner.get(place, len(sides[0]) + place) for place in range(len(sides[1]))]
        places[0][of_key] = _numbering(rows[of_key].tokens, sides[0], range(len(sides[0])))
        places[1][number] = _numbering(row.tokens, sides[1], numbers)
        words_of[0][of_key] = words_of[1][number] = words
    return _renumbered(key, places[0], words_of[0]), _renumbered(response, places[1], words_of[1])


def tokens_in_key(key: DocumentRow, response: DocumentRow, tokens: Sequence[int]) -> tuple[int, ...]:
    """Tokens of a response as token indices of the key, to show them there; an empty node is the word behind it."""
    if not (key.empty_nodes or response.empty_nodes) or (key.tokens == response.tokens and not response.empty_nodes):
        return tuple(tokens)
    own = [node.token for node in response.empty_nodes]
    left_out = {node.token for node in key.empty_nodes}
    words = [token for token in range(key.tokens) if token not in left_out]
    numbers = {min(token - bisect_left(own, token), len(words) - 1) for token in tokens}
    return tuple(words[number] for number in sorted(numbers))


def _numbering(tokens: int, nodes: Sequence[EmptyNode], numbers: Sequence[int]) -> Ints:
    """The new index of each token. *Shape:* (tokens,)"""
    place = np.arange(tokens)
    words = ~np.isin(place, [node.token for node in nodes])
    place[words] = np.arange(words.sum())
    place[~words] = words.sum() + np.array(numbers)
    return place


def _matched(key: Sequence[EmptyNode], response: Sequence[EmptyNode]) -> dict[int, int]:
    """For each empty node of the response that has one, its match in the key, both by their places in the lists."""
    partner: dict[int, int] = {}
    for name_of in (_dependencies, _heads):
        taken = set(partner.values())
        free: defaultdict[tuple[object, ...], deque[int]] = defaultdict(deque)
        for place, node in enumerate(key):
            if place not in taken:
                free[name_of(node)].append(place)
        for place, node in enumerate(response):
            if place not in partner and (places := free[name_of(node)]):
                partner[place] = places.popleft()
    return partner


def _dependencies(node: EmptyNode) -> tuple[object, ...]:
    return node.sentence, *sorted(node.dependencies or [node.id])


def _heads(node: EmptyNode) -> tuple[object, ...]:
    return node.sentence, *sorted({dependency.partition(":")[0] for dependency in node.dependencies} or [node.id])


def _renumbered(table: MentionTable, places: dict[int, Ints], words_of: dict[int, int]) -> MentionTable:
    """A copy in which the mentions of some documents have other token indices."""
    if not places:
        return table
    start, end, gaps = table.start.copy(), table.end.copy(), dict(table.gaps)
    for row in np.flatnonzero(np.isin(table.document, list(places))).tolist():
        document = int(table.document[row])
        tokens = gaps.pop(row, None) or range(int(start[row]), int(end[row]))
        new = sorted(places[document][list(tokens)].tolist())
        new = [token for token in new if token < words_of[document]] or new
        start[row], end[row] = new[0], new[-1] + 1
        if end[row] - start[row] != len(new):
            gaps[row] = tuple(new)
    return replace(table, start=start, end=end, gaps=gaps)

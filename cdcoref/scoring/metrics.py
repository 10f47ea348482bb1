"""The coreference metrics, as functions of one overlap table, as the reference scorer counts (Pradhan et al. 2014). K
is a key cluster, R a response cluster, c = |K & R| a cell; rates are quotients of sums over groups; 0/0 is 0."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cdcoref.scoring.overlap import Floats, Ints, Overlap


def best_assignment(rows: Ints, columns: Ints, weights: Floats) -> NDArray[np.bool_]:
    """Choose cells, at most one of a row or column, whose positive weights have the largest sum. *Shape:* (cells,)"""
    chosen = np.zeros(len(rows), bool)
    left = np.arange(len(rows))
    while len(left):
        safe = _dominant(rows[left], columns[left], weights[left])
        if not safe.any():
            break
        chosen[left[safe]] = True
        used_rows = np.zeros(int(rows[left].max()) + 1, bool)
        used_columns = np.zeros(int(columns[left].max()) + 1, bool)
        used_rows[rows[left[safe]]] = True
        used_columns[columns[left[safe]]] = True
        left = left[~(used_rows[rows[left]] | used_columns[columns[left]])]
    if len(left):
        chosen[left[_solve(rows[left], columns[left], weights[left])]] = True
    return chosen


def _dominant(rows: Ints, columns: Ints, weights: Floats) -> NDArray[np.bool_]:
    """Cells contained in a best assignment: their weight is at least that of the best rivals in row and column."""
    safe = weights >= _best_rival(rows, weights) + _best_rival(columns, weights)
    # Of equal cells that stand in each other's way, one at a time: the first of a row, then the first of a column.
    candidates = np.flatnonzero(safe)
    _, first = np.unique(rows[candidates], return_index=True)
    candidates = candidates[first]
    _, first = np.unique(columns[candidates], return_index=True)
    safe[:] = False
    safe[candidates[first]] = True
    return safe


def _best_rival(lines: Ints, weights: Floats) -> Floats:
    """The largest weight among the other cells of the same line (row or column), or 0."""
    order = np.lexsort((-weights, lines))
    sorted_lines = lines[order]
    starts = np.flatnonzero(np.r_[True, sorted_lines[1:] != sorted_lines[:-1]])
    best = weights[order[starts]]
    seconds = np.minimum(starts + 1, len(order) - 1)
    second = np.where(sorted_lines[seconds] == sorted_lines[starts], weights[order[seconds]], 0.0)
    second[seconds == starts] = 0.0
    number = np.cumsum(np.r_[False, sorted_lines[1:] != sorted_lines[:-1]])
    rival = np.empty(len(weights))
    rival[order] = best[number]
    rival[order[starts]] = second
    return rival


def _solve(rows: Ints, columns: Ints, weights: Floats) -> Ints:
    """The indices of the chosen cells; each row may take a worthless column instead, for a perfect matching."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    row_names, row = np.unique(rows, return_inverse=True)
    column_names, column = np.unique(columns, return_inverse=True)
    height, width = len(row_names), len(column_names)
    own = np.arange(height)
    # Costs start at 1, for the solver takes 0 for no edge.
    cost = np.concatenate([1 + weights.max() - weights, np.full(height, 1 + weights.max())])
    places = (np.concatenate([row, own]), np.concatenate([column, width + own]))
    matched = np.empty(height, np.int64)
    taken_rows, taken_columns = min_weight_full_bipartite_matching(
        csr_array((cost, places), shape=(height, width + height))
    )
    matched[taken_rows] = taken_columns
    return np.flatnonzero(matched[row] == column)


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric: its name on the command line and in tables, its counts, and the rates computed from them.

    `count` gives the counts of each group of a table. *Shape:* (groups, counts). `rates` gives recall, precision and F1
    of summed counts. *Shape:* (..., counts) to three of (...)
    """

    name: str
    title: str
    count: Callable[[Overlap], Floats]
    rates: Callable[[Floats], tuple[Floats, Floats, Floats]]


def ratio(numerator: Floats, denominator: Floats) -> Floats:
    """The quotient, or 0 if the denominator is 0."""
    numerator, denominator = np.asarray(numerator, float), np.asarray(denominator, float)
    return np.divide(numerator, denominator, out=np.zeros_like(numerator), where=denominator != 0)


def harmonic_mean(recall: Floats, precision: Floats) -> Floats:
    """F1."""
    return ratio(2 * recall * precision, recall + precision)


def rates_of_quotients(counts: Floats) -> tuple[Floats, Floats, Floats]:
    """Rates from the numerators and denominators of recall and precision."""
    recall = ratio(counts[..., 0], counts[..., 1])
    precision = ratio(counts[..., 2], counts[..., 3])
    return recall, precision, harmonic_mean(recall, precision)


def _quotients(
    overlap: Overlap,
    recalled: Ints | Floats,
    precise: Ints | Floats,
    key: Ints | None = None,
    response: Ints | None = None,
) -> Floats:
    """Recall and precision as quotients: sums over cells, by sums over clusters, by default of their sizes."""
    return np.column_stack(
        [
            overlap.by_cell_group(recalled),
            overlap.by_key_group(overlap.key_sizes if key is None else key),
            overlap.by_cell_group(precise),
            overlap.by_response_group(overlap.response_sizes if response is None else response),
        ]
    )


def count_mentions(overlap: Overlap) -> Floats:
    """Mention detection: recall = sum(c) / sum(|K|), precision = sum(c) / sum(|R|)."""
    return _quotients(overlap, overlap.counts, overlap.counts)


def count_muc(overlap: Overlap) -> Floats:
    """MUC (Vilain et al. 1995, *A Model-Theoretic Coreference Scoring Scheme*).

    Recall = sum(|K| - |p(K)|) / sum(|K| - 1), where p(K) splits K into the parts that the response keeps together and
    one part for each mention that it lacks. So |K| - |p(K)| is the sum of c - 1 over the cells of the row, and likewise
    for columns: recall and precision share the numerator.
    """
    links = overlap.counts - 1
    return _quotients(overlap, links, links, overlap.key_sizes - 1, overlap.response_sizes - 1)


def count_b_cubed(overlap: Overlap) -> Floats:
    """B3 (Bagga and Baldwin 1998, *Algorithms for Scoring Coreference Chains*).

    Recall is the mean over key mentions of the share of their cluster that the response puts with them (0 for one that
    it lacks): sum(c * c / |K|) / sum(|K|); precision the same with |R|.
    """
    squares = overlap.counts * overlap.counts
    of_key, of_response = overlap.key_sizes[overlap.rows], overlap.response_sizes[overlap.columns]
    return _quotients(overlap, squares / of_key, squares / of_response)


def count_ceaf_m(overlap: Overlap) -> Floats:
    """CEAF over mentions (Luo 2005, *On Coreference Resolution Performance Metrics*), similarity phi3 = c.

    Clusters are assigned one to one so that the sum of phi3 is maximal; divided by sum(|K|) it is recall, by sum(|R|)
    precision.
    """
    chosen = best_assignment(overlap.rows, overlap.columns, overlap.counts.astype(float))
    return _quotients(overlap, overlap.counts * chosen, overlap.counts * chosen)


def count_ceaf_e(overlap: Overlap) -> Floats:
    """CEAF over clusters (Luo 2005), phi4 = 2c / (|K| + |R|): the maximal sum, divided by the number of clusters."""
    phi = 2 * overlap.counts / (overlap.key_sizes[overlap.rows] + overlap.response_sizes[overlap.columns])
    chosen = best_assignment(overlap.rows, overlap.columns, phi)
    ones = np.ones_like(overlap.key_sizes), np.ones_like(overlap.response_sizes)
    return _quotients(overlap, phi * chosen, phi * chosen, *ones)


def count_lea(overlap: Overlap) -> Floats:
    """LEA (Moosavi and Strube 2016, *Which Coreference Evaluation Metric Do You Trust?*).

    A cluster counts by its size, resolved by the share of its links that the other side has: recall =
    sum(|K| * sum_R link(c) / link(|K|)) / sum(|K|) with link(n) = n(n-1)/2. A singleton has one link, to itself, which
    the other side has if the mention is a singleton there too. So a cell adds c(c-1)/(|K|-1), or 1 between singletons.
    """
    links = overlap.counts * (overlap.counts - 1)
    key_size = overlap.key_sizes[overlap.rows]
    response_size = overlap.response_sizes[overlap.columns]
    alone = (key_size == 1) & (response_size == 1)
    recalled, precise = (links / np.maximum(size - 1, 1) + alone for size in (key_size, response_size))
    return _quotients(overlap, recalled, precise)


def count_pairs(overlap: Overlap) -> Floats:
    """The parts of BLANC's link counts, before it is decided whether mentions of different groups form pairs.

    Columns: mentions (key, response, both), coreference links (key, response, both), coreference links of the key and
    of the response between mentions that both have.
    """
    shared_of_key = np.bincount(overlap.rows, overlap.counts, len(overlap.key_sizes))
    shared_of_response = np.bincount(overlap.columns, overlap.counts, len(overlap.response_sizes))
    return np.column_stack(
        [
            overlap.by_key_group(overlap.key_sizes),
            overlap.by_response_group(overlap.response_sizes),
            overlap.by_cell_group(overlap.counts),
            overlap.by_key_group(_pairs(overlap.key_sizes)),
            overlap.by_response_group(_pairs(overlap.response_sizes)),
            overlap.by_cell_group(_pairs(overlap.counts)),
            overlap.by_key_group(_pairs(shared_of_key)),
            overlap.by_response_group(_pairs(shared_of_response)),
        ]
    )


def links_of_pairs(pairs: Floats) -> Floats:
    """Coreference and non-coreference links (both, key, response) of `count_pairs`. *Shape:* (..., 8) to (..., 6)"""
    key, response, both, key_links, response_links, both_links, key_shared, response_shared = np.moveaxis(pairs, -1, 0)
    apart = _pairs(both) - key_shared - response_shared + both_links
    return np.stack(
        [both_links, key_links, response_links, apart, _pairs(key) - key_links, _pairs(response) - response_links], -1
    )


def count_blanc(overlap: Overlap) -> Floats:
    """BLANC for predicted mentions (Luo et al. 2014, *An Extension of BLANC to System Mentions*).

    Recall and precision of the coreference links and of the non-coreference links (pairs of mentions of one group in
    different clusters), averaged; F1 is the mean of both F1. Where the key has no link of one sort, the other counts
    alone, as in the reference scorer: so swapping key and response swaps recall and precision only where both sides
    have both sorts.
    """
    return links_of_pairs(count_pairs(overlap))


def blanc_rates(links: Floats) -> tuple[Floats, Floats, Floats]:
    """Rates of summed links. *Shape:* (..., 6) to three of (...)"""
    both, key, response, both_apart, key_apart, response_apart = np.moveaxis(links, -1, 0)
    coreference = ratio(both, key), ratio(both, response)
    apart = ratio(both_apart, key_apart), ratio(both_apart, response_apart)
    averages = [
        np.where(key == 0, b, np.where(key_apart == 0, a, (a + b) / 2))
        for a, b in zip((*coreference, harmonic_mean(*coreference)), (*apart, harmonic_mean(*apart)), strict=True)
    ]
    return averages[0], averages[1], averages[2]


def _pairs(numbers: Ints | Floats) -> Floats:
    return numbers * (numbers - 1.0) / 2


METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric("mentions", "Mentions", count_mentions, rates_of_quotients),
        Metric("muc", "MUC", count_muc, rates_of_quotients),
        Metric("b3", "B3", count_b_cubed, rates_of_quotients),
        Metric("ceafm", "CEAFm", count_ceaf_m, rates_of_quotients),
        Metric("ceafe", "CEAFe", count_ceaf_e, rates_of_quotients),
        Metric("lea", "LEA", count_lea, rates_of_quotients),
        Metric("blanc", "BLANC", count_blanc, blanc_rates),
    )
}
"""All metrics by name, in the order of tables."""
CONLL = ("muc", "b3", "ceafe")
"""The metrics whose mean F1 is the CoNLL score (Denis and Baldridge 2009; the CoNLL-2011/2012 shared tasks)."""

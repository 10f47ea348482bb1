"""Connected components: pairs of items in, the number of the component of each item out."""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array, csgraph


def connected(size: int, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """The components that pairs of items form, numbered from 0 in the order of their first items.

    *Shape* of `first` and `second`: (pairs,); of the result: (size,)
    """
    # With 32-bit indices, the only ones that csgraph takes before SciPy 1.17.1.
    ends = first.astype(np.int32), second.astype(np.int32)
    graph = coo_array((np.ones(len(first), dtype=np.int8), ends), shape=(size, size))
    return numbered(csgraph.connected_components(graph, directed=False)[1])


def numbered(labels: np.ndarray) -> np.ndarray:
    """The same partition, numbered from 0 in the order in which its parts first occur. *Shape:* (items,)"""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    number = np.empty(len(first), dtype=np.int64)
    number[np.argsort(first)] = np.arange(len(first))
    return number[inverse]

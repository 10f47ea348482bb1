"""Documents in, groups of documents about the same story out; only mentions of one group are ever compared.

The paper's released code groups test documents by clustering TF-IDF vectors, and so does this file. What is its own:

* Words of the first two sentences and names (capitalised words) weigh more: they tell two stories of the same kind
  apart, such as two earthquakes.
* The inverse document frequency is smoothed with `PRIOR_DOCUMENTS` imagined documents, in each of which every word
  occurs with probability `PRIOR_RATE`. Two documents say nothing about which words are rare, so all count alike; in a
  thousand the counts speak. One threshold serves both.
* Clusters are merged by average similarity, and the larger the clusters the more similar they must be: a single
  document's similarity is noisy, a large cluster's average is not.

Its numbers were chosen on random samples of nine train topics of ECB+ (dev has eight, test ten); their mean B3 F1
against subtopics is 0.96. `cdcoref stats` prints it for the whole of train and dev.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log, sqrt
from typing import Literal, NamedTuple, get_args

import numpy as np
from scipy.sparse import csgraph, csr_array

from cdcoref.clustering import Dendrogram, PairScores, dendrogram
from cdcoref.corpus import Document
from cdcoref.errors import InputError

Setting = Literal["predicted", "gold_subtopic", "gold_topic", "none"]
SETTINGS: tuple[str, ...] = get_args(Setting)

THRESHOLD = 0.11
"""Average similarity from which two documents are one group."""
SIZE_EXPONENT = 0.3
"""Larger clusters are merged from ``THRESHOLD * size ** SIZE_EXPONENT``, size being the harmonic mean of theirs."""
FLOOR = 0.1
"""Similarities below this count as 0: few pairs of documents remain, whatever their number."""
NAME_WEIGHT = 3
LEAD_WEIGHT = 2
LEAD_SENTENCES = 2
PRIOR_DOCUMENTS = 200
PRIOR_RATE = 0.02

_BLOCK_CELLS = 5_000_000
"""Similarities that are held at a time while the pairs above the floor are searched."""
_WORD = re.compile(r"[^\W_]+(?:[.,:'’&-][^\W_]+)*")
_POSSESSIVE = re.compile(r"['’]s$", re.IGNORECASE)
_FUNCTION_WORD = re.compile(
    "a|about|above|across|after|again|against|all|almost|alone|along|already|also|although|always|am|among|an|and|"
    "another|any|anyone|anything|are|around|as|at|away|back|be|became|because|become|been|before|behind|being|below|"
    "between|both|but|by|can|cannot|could|did|do|does|done|down|during|each|either|else|enough|even|ever|every|"
    "everyone|everything|few|for|from|further|had|has|have|he|hence|her|here|hers|herself|him|himself|his|how|however|"
    "i|if|in|indeed|into|is|it|its|itself|least|less|many|may|me|meanwhile|might|mine|more|most|much|must|my|myself|"
    "neither|never|no|nobody|none|nor|not|nothing|now|of|off|often|on|once|only|onto|or|other|others|our|ours|"
    "ourselves|out|over|own|per|perhaps|rather|same|she|should|since|so|some|someone|something|sometimes|somewhere|"
    "still|such|than|that|the|their|theirs|them|themselves|then|there|therefore|these|they|this|those|though|through|"
    "throughout|thus|to|together|too|toward|towards|under|until|up|upon|us|very|was|we|well|were|what|whatever|when|"
    "where|whether|which|while|who|whoever|whole|whom|whose|why|will|with|within|without|would|yet|you|your|yours|"
    "yourself|n't|'s|'re|'ve|'ll|'d|'m|don't|didn't|doesn't|isn't|wasn't|can't|couldn't|won't|wouldn't|it's|he's|"
    "she's|i'm|that's|there's"
)


def group_documents(documents: Sequence[Document], setting: Setting = "predicted") -> list[list[str]]:
    """Group documents that are about the same.

    Parameters
    ----------
    documents
        The documents; sentences marked as hidden are not looked at, nor are mentions.
    setting
        ``"predicted"``: by their words. ``"gold_subtopic"``, ``"gold_topic"``: as annotated. ``"none"``: all together.

    Returns
    -------
    groups
        Ids of documents. Groups and the ids in them are in the order of the documents; which documents are together
        does not depend on that order.

    Raises
    ------
    InputError
        If the annotated groups are asked for and a document has none.
    """
    labels: Sequence[object]
    if setting == "predicted":
        labels = _story_labels(documents)
    elif setting == "none":
        labels = [None] * len(documents)
    elif setting in SETTINGS:
        labels = [_annotated(document, setting.removeprefix("gold_")) for document in documents]
    else:
        raise ValueError(f"setting is {setting!r}; it must be one of {', '.join(SETTINGS)}")
    groups: dict[object, list[str]] = {}
    for document, label in zip(documents, labels, strict=True):
        groups.setdefault(label, []).append(document.id)
    return list(groups.values())


@dataclass(frozen=True, slots=True)
class TopicQuality:
    """How well groups of documents match the annotated subtopics, from 0 to 1.

    Attributes
    ----------
    precision, recall, f1
        B3: the mean over documents of the share of their group that is of their subtopic, the share of their subtopic
        that is in their group, and the harmonic mean of the two.
    purity
        Share of documents that are of their group's most frequent subtopic.
    groups, subtopics
        Their numbers.
    """

    precision: float
    recall: float
    f1: float
    purity: float
    groups: int
    subtopics: int


def topic_quality(documents: Sequence[Document], groups: Sequence[Sequence[str]]) -> TopicQuality:
    """Compare groups of documents with their annotated subtopics.

    Raises
    ------
    InputError
        If a document has no annotated subtopic.
    """
    from cdcoref.scoring import score

    subtopic_of = {document.id: _annotated(document, "subtopic") for document in documents}
    key = group_documents(documents, "gold_subtopic")
    b3 = score(key, groups, metrics=["b3"])["b3"]
    most = sum(Counter(subtopic_of[id] for id in group).most_common(1)[0][1] for group in groups)
    return TopicQuality(b3.precision, b3.recall, b3.f1, most / max(1, len(documents)), len(groups), len(key))


class NearestPairs(NamedTuple):
    """Pairs of documents of a group, and how many pairs of it were left out."""

    pairs: list[tuple[str, str]]
    pruned: int


def nearest_pairs(documents: Sequence[Document], group: Sequence[str], limit: int) -> NearestPairs:
    """Keep the pairs of a group in which one document is among the `limit` nearest neighbours of the other.

    Parameters
    ----------
    documents
        The whole collection, which says how rare words are.
    group
        Ids of documents.
    limit
        Neighbours of each document, by cosine similarity; equally near ones by id.

    Returns
    -------
    NearestPairs
        Each pair once, in the order of the group, which does not change which pairs there are.
    """
    if limit < 1:
        raise ValueError(f"limit is {limit}; every document needs one neighbour at least")
    place = {document.id: number for number, document in enumerate(documents)}
    by_id = sorted(range(len(group)), key=group.__getitem__)  # so that the first of equals is the first by id
    kept: set[tuple[int, int]] = set()
    for start, block in _blocks(_vectors(documents)[[place[group[number]] for number in by_id]]):
        for row, similarity in enumerate(block.toarray(), start=start):
            similarity[row] = -1  # itself
            for neighbour in _greatest(similarity, min(limit, len(group) - 1)):
                a, b = by_id[row], by_id[neighbour]
                kept.add((min(a, b), max(a, b)))
    pairs = [(group[a], group[b]) for a, b in sorted(kept)]
    return NearestPairs(pairs, len(group) * (len(group) - 1) // 2 - len(pairs))


def _greatest(values: np.ndarray, count: int) -> list[int]:
    """Places of the greatest values, the first of equal ones."""
    if count == 0:
        return []
    bound = np.partition(values, len(values) - count)[len(values) - count]
    above = np.flatnonzero(values > bound)
    return [*above.tolist(), *np.flatnonzero(values == bound)[: count - len(above)].tolist()]


def _annotated(document: Document, level: str) -> str:
    name = document.topic if level == "topic" else document.subtopic
    if name is None:
        raise InputError(
            f"document {document.id!r} has no annotated {level}; group by 'predicted' topics or 'none'", document.path
        )
    return name


def _story_labels(documents: Sequence[Document]) -> list[int]:
    """The number of every document's group."""
    first, second, score = [], [], []
    for start, block in _blocks(_vectors(documents)):
        similarity = block.tocoo()
        rows, columns = similarity.coords
        kept = (columns > rows + start) & (similarity.data >= FLOOR)
        first.append(rows[kept] + start)
        second.append(columns[kept])
        score.append(np.minimum(similarity.data[kept], 1.0))
    if not first:
        return []
    scores = PairScores(len(documents), np.concatenate(first), np.concatenate(second), np.concatenate(score))
    return _cut_by_size(dendrogram(scores, "average", [document.id for document in documents])).tolist()


def _cut_by_size(tree: Dendrogram) -> np.ndarray:
    """Labels after all merges of clusters that are similar enough for their size."""
    parents = list(range(tree.size))
    sizes = [1] * tree.size
    merged = [True] * tree.size  # whether everything under a root is one group
    accepted: list[tuple[int, int]] = []

    def root(item: int) -> int:
        while parents[item] != item:
            parents[item] = item = parents[parents[item]]
        return item

    for first, second, distance in zip(tree.first.tolist(), tree.second.tolist(), tree.distance.tolist(), strict=True):
        a, b = root(first), root(second)
        size = 2 * sizes[a] * sizes[b] / (sizes[a] + sizes[b])
        similar = 1 - distance >= THRESHOLD * size**SIZE_EXPONENT
        merged[a] = merged[a] and merged[b] and similar
        if merged[a]:
            accepted.append((first, second))
        parents[b] = a
        sizes[a] += sizes[b]
    links = np.array(accepted, dtype=np.int64).reshape(-1, 2)
    graph = csr_array((np.ones(len(links), dtype=np.int8), (links[:, 0], links[:, 1])), shape=(tree.size, tree.size))
    return csgraph.connected_components(graph, directed=False)[1]


def _blocks(vectors: csr_array) -> Iterator[tuple[int, csr_array]]:
    """Cosine similarities of some documents at a time with all: the number of the first, and the rows."""
    size = vectors.shape[0]
    step = max(1, _BLOCK_CELLS // max(1, size))
    others = vectors.T.tocsr()
    for start in range(0, size, step):
        yield start, vectors[start : start + step] @ others


def _vectors(documents: Sequence[Document]) -> csr_array:
    """TF-IDF vectors of length 1 (or 0 for a document without words). *Shape:* (documents, words)

    Columns are in alphabetical order, so that sums do not depend on the order of the documents.
    """
    weights = [_word_weights(document) for document in documents]
    frequency = Counter(word for words in weights for word in words)
    total = len(documents) + PRIOR_DOCUMENTS
    idf = {word: log(total / (df + PRIOR_DOCUMENTS * PRIOR_RATE)) for word, df in frequency.items()}
    column = {word: number for number, word in enumerate(sorted(frequency))}
    columns: list[int] = []
    values: list[float] = []
    ends = [0]
    for words in weights:
        vector = {word: (1 + log(weight)) * max(idf[word], 0.0) for word, weight in sorted(words.items())}
        length = sqrt(sum(value * value for value in vector.values()))
        columns.extend(column[word] for word in vector)
        values.extend(value / length if length else 0.0 for value in vector.values())
        ends.append(len(columns))
    vectors = csr_array((len(documents), len(column)), dtype=np.float64)
    vectors.data, vectors.indices, vectors.indptr = np.array(values), np.array(columns, np.int64), np.array(ends)
    return vectors


def _word_weights(document: Document) -> Counter[str]:
    """How often every word occurs, names and words of the first sentences counting several times."""
    weights: Counter[str] = Counter()
    visible = (bounds for number, bounds in enumerate(document.sentences) if number not in document.hidden)
    for number, (start, end) in enumerate(visible):
        lead = LEAD_WEIGHT if number < LEAD_SENTENCES else 1
        for token in range(start, end):
            for word, capitalised in _words(document.tokens[token]):
                weights[word] += lead * (NAME_WEIGHT if capitalised and token > start else 1)
    return weights


@lru_cache(maxsize=1 << 18)
def _words(token: str) -> tuple[tuple[str, bool], ...]:
    """The words of a token that say what a text is about, in lower case, and whether they were capitalised."""
    words = ((_POSSESSIVE.sub("", form.lower()), form[0].isupper()) for form in _WORD.findall(token))
    return tuple((word, upper) for word, upper in words if len(word) > 1 and not _FUNCTION_WORD.fullmatch(word))

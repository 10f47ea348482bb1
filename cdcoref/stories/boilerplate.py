"""Boilerplate: lines that a web site adds to each of its articles ("Copy this link"), in at least `MIN_DOCUMENTS`
documents that have little else in common (`UNLIKE_PAIRS`); a whole sentence also in `MIN_SHARE_OF_SENTENCE` of all."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array, diags_array

from cdcoref.corpus import Document
from cdcoref.language import day_in, is_date_line
from cdcoref.stories.document_words import line_key, lines_of, rarity, unit_length, words_of

MIN_DOCUMENTS = 3
MIN_SHARE_OF_SENTENCE = 0.1
MIN_SIMILARITY = 0.08
"""The cosine below which two documents have little in common. Of the pairs of documents of one story of the train
topics of ECB+, 2 % are below it, and 97 % of the others."""
UNLIKE_PAIRS = 0.25
"""The share of such pairs above which a line is boilerplate."""
MIN_WORDS = 8
MIN_SHARE = 0.2
"""Different words, and the share of its words, that a document must have besides repeated lines to show what it has in
common with others. Reprints of one report have less, and each site's own lines around it are unlike the others'."""
MAX_COMPARED = 40
"""Of a line that more documents have, only these are compared, spread evenly over the documents."""
_ENDS = frozenset({".", "!", "?", '"', "”", "’", "'"})
"""Last words of sentences."""


def boilerplate_lines(documents: Sequence[Document]) -> frozenset[bytes]:
    """The keys of the lines (:func:`cdcoref.stories.line_key`) that are boilerplate, whatever the documents' order."""
    ordered = sorted(documents, key=lambda document: document.id)
    documents_with: dict[bytes, list[int]] = {}
    sentences: set[bytes] = set()
    for place, document in enumerate(ordered):
        found = {line_key(document, line.start, line.end): line for line in lines_of(document)}
        sentences.update(key for key, line in found.items() if document.tokens[line.end - 1] in _ENDS)
        for key in found:
            documents_with.setdefault(key, []).append(place)
    least = {True: max(MIN_DOCUMENTS, MIN_SHARE_OF_SENTENCE * len(documents)), False: MIN_DOCUMENTS}
    repeated = {key: places for key, places in documents_with.items() if len(places) >= least[key in sentences]}
    if not repeated:
        return frozenset()
    similar = _similarity_of_rest(ordered, repeated)
    return frozenset(key for key, places in repeated.items() if _is_boilerplate(similar, places))


def without_boilerplate(document: Document, boilerplate: Collection[bytes]) -> Document:
    """The document with the sentences hidden that consist of such lines, but for those that state its day."""
    if not boilerplate:
        return document
    left = {line.sentence for line in lines_of(document, boilerplate)}
    gone = {line.sentence for line in lines_of(document)} - left
    return replace(document, hidden=document.hidden | {number for number in gone if not _states_day(document, number)})


def _states_day(document: Document, sentence: int) -> bool:
    start, end = document.sentences[sentence]
    line = document.text[document.offsets[start][0] : document.offsets[end - 1][1]]
    return is_date_line(line) or day_in(line) is not None


def _similarity_of_rest(documents: Sequence[Document], repeated: Collection[bytes]) -> csr_array:
    """Vectors of what else the documents have, of length 1, or 0 for too few words. *Shape:* (documents, words)"""
    column: dict[str, int] = {}
    columns: list[int] = []
    ends = [0]
    for document in documents:
        words = words_of(document, repeated)
        if len(words) >= max(MIN_WORDS, MIN_SHARE * len(words_of(document))):
            columns += [column.setdefault(word, len(column)) for word in words]
        ends.append(len(columns))
    shape = (len(documents), max(1, len(column)))
    table = csr_array((np.ones(len(columns)), np.array(columns, dtype=np.int64), np.array(ends)), shape=shape)
    frequency = np.bincount(table.indices, minlength=shape[1]).astype(np.float64)
    return unit_length(csr_array(table @ diags_array(rarity(frequency, float(len(documents))))))


def _is_boilerplate(rest: csr_array, places: Sequence[int]) -> bool:
    chosen = np.array(places)[np.unique(np.linspace(0, len(places) - 1, MAX_COMPARED).round().astype(np.int64))]
    own = csr_array(rest[chosen])
    own = csr_array(own[np.diff(own.indptr) > 0])
    if own.shape[0] < MIN_DOCUMENTS:
        return False
    similarities = (own @ own.T).toarray()[np.triu_indices(own.shape[0], 1)]
    return bool((similarities < MIN_SIMILARITY).mean() > UNLIKE_PAIRS)

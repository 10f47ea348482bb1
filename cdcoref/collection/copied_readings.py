"""What new documents share with others is read once: mentions, vectors and scores of the first in, those of copies out.

A copy is read only where no other text has the same sentences (:func:`cdcoref.stories.own_part`). Where one has, the
copy gets the mentions of that text, their vectors, and the scores that they have with all other mentions.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby, product
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cdcoref.collection.chosen_rows import numbers_of, rows_in
from cdcoref.collection.documents import stored_part
from cdcoref.collection.stored_logits import DocumentPair, DocumentScores
from cdcoref.collection.stored_vectors import stored_vectors
from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.reading import MentionVectors
from cdcoref.reading import Readings as ReadingsOfCorpus
from cdcoref.stories import Sources, own_part, sentence_sources

if TYPE_CHECKING:
    from cdcoref.collection.reader import Reader
    from cdcoref.predict import Progress

SAME = 10.0
"""The logit of a mention and the same mention of a copy."""

Places = np.ndarray
"""By the place of a mention in the text that was read, its place in a copy, and -1 if that has no such mention."""


@dataclass(frozen=True)
class Copy:
    """A document that shares sentences with others.

    Attributes
    ----------
    document
        The document.
    sources
        Where its sentences are read.
    own
        What is read of it; None if nothing.
    """

    document: Document
    sources: Sources
    own: Document | None


@dataclass(frozen=True)
class Reading:
    """A document or a part of it as it was read: its mentions in order, and their vectors if the model has them."""

    document: Document
    mentions: Sequence[Mention]
    vectors: MentionVectors | None


class Readings:
    """Mentions and vectors of the new documents that have been read so far.

    Attributes
    ----------
    found, vectors
        By id: the mentions of documents that came without mentions, and the vectors of all documents.
    copies
        The copies among the documents, by id.
    parts
        The reading of the part of each copy that no other document has, by id.
    places
        For each copy, the mentions that it takes over from other readings; see :func:`whole_reading`.
    pronouns
        By id of a reading whose mentions a copy has: which of them are pronouns.
    """

    def __init__(self) -> None:
        self.found: dict[str, list[Mention]] = {}
        self.vectors: dict[str, MentionVectors] = {}
        self.copies: dict[str, Copy] = {}
        self.parts: dict[str, Reading] = {}
        self.places: dict[str, Mapping[str, Places]] = {}
        self.pronouns: dict[str, NDArray[np.bool_]] = {}

    @property
    def compared_vectors(self) -> dict[str, MentionVectors]:
        """The vectors of what was read, of copies their own parts."""
        parts = {id: part.vectors for id, part in self.parts.items() if part.vectors is not None}
        return {**self.vectors, **parts}

    def forget_copies(self) -> None:
        """Forget the copies: their originals may be gone."""
        for id in self.copies:
            self.found.pop(id, None)
            self.vectors.pop(id, None)
        self.copies, self.parts, self.places, self.pronouns = {}, {}, {}, {}

    def read(
        self,
        reader: Reader,
        documents: Sequence[Document],
        copies: Mapping[str, Copy],
        sources: Mapping[str, Reading],
        progress: Progress,
    ) -> None:
        """Find the mentions of those documents that have not been read yet, and their vectors.

        Parameters
        ----------
        documents
            The documents.
        copies
            Those of them that are copies, by id.
        sources
            Stored documents that have sentences of copies, by id.
        """
        unread = [document for document in documents if document.id not in self.found]
        new = [copies[document.id] for document in unread if document.id in copies]
        whole = [document for document in unread if document.id not in copies]
        parts = [copy.own for copy in new if copy.own is not None]
        mentions, vectors = reader.mentions([*whole, *parts], progress)
        self.found |= {document.id: mentions[document.id] for document in whole}
        self.vectors |= {document.id: vectors[document.id] for document in whole if document.id in vectors}
        self.parts |= {part.id: Reading(part, mentions[part.id], vectors.get(part.id)) for part in parts}
        known = {d.id: Reading(d, self.found[d.id], self.vectors.get(d.id)) for d in whole}
        for copy in new:
            id = copy.document.id
            readings = {**sources, **known, **self.parts}
            self.copies[id] = copy
            reading, self.places[id] = whole_reading(copy, readings)
            self.found[id] = list(reading.mentions)
            if reading.vectors is not None:
                self.vectors[id] = reading.vectors
            for source in self.places[id].keys() - self.pronouns.keys():
                self.pronouns[source] = _pronouns(readings[source], reader.kinds_with_antecedents)


def copies_of(
    new: Sequence[Document], original_of: Mapping[str, str], stored: Sequence[Document] = ()
) -> dict[str, Copy]:
    """The documents that share sentences with others, by id.

    Parameters
    ----------
    new
        The documents whose mentions are to be found.
    original_of
        By the id of every copy that of its original.
    stored
        Documents that have been read, in order.
    """
    grouped = {id for pair in original_of.items() for id in pair}
    documents = {document.id: document for document in (*stored, *new) if document.id in grouped}
    known = [document.id for document in stored if document.id in grouped]
    sources = sentence_sources(documents, original_of, known)
    found = {document.id: document for document in new}
    return {id: Copy(found[id], own, own_part(found[id], own)) for id, own in sources.items() if own}


def stored_texts(
    connection: sqlite3.Connection, new: Collection[str], original_of: Mapping[str, str], with_vectors: bool
) -> tuple[list[Document], dict[str, str]]:
    """The stored documents that are originals or copies of new ones, with the other copies of these.

    Parameters
    ----------
    new
        Ids of the new documents.
    original_of
        By the id of every copy among new and stored documents that of its original.
    with_vectors
        Leave out those whose mentions have no vectors.

    Returns
    -------
    tuple
        Those whose mentions were found, in the order in which they were read; the originals of the copies among them.
    """
    groups = {id for copy, original in original_of.items() if copy in new or original in new for id in (copy, original)}
    originals = {original_of.get(id, id) for id in groups}
    others: dict[str, str] = {}
    ids = sorted((groups | originals) - set(new))
    numbers = set(numbers_of(connection, ids).values())
    query = (
        "SELECT document, one.id, other.id FROM copies JOIN documents AS one ON one.number = document "
        "JOIN documents AS other ON other.number = copies.original WHERE other.id IN ({})"
    )
    for number, copy, original in rows_in(connection, query, ids):
        if copy not in new:
            numbers.add(number)
            others[copy] = original_of.get(original, original)
    query = (
        "SELECT id FROM documents WHERE (NOT ? OR EXISTS (SELECT 1 FROM vectors WHERE document = number) OR NOT EXISTS "
        "(SELECT 1 FROM mentions WHERE document = number)) AND NOT given AND number IN ({}) ORDER BY number"
    )
    read = [id for (id,) in rows_in(connection, query, sorted(numbers), with_vectors) if id not in new]
    return list(stored_part(connection, read).documents), {**others, **original_of}


def stored_sources(
    connection: sqlite3.Connection, copies: Mapping[str, Copy], with_vectors: bool
) -> dict[str, Reading]:
    """What was read of the stored documents that have sentences of copies, by id."""
    ids = {id for copy in copies.values() for id, _ in copy.sources.values()}
    part = stored_part(connection, sorted(ids - copies.keys()))
    mentions = part.by_document()
    vectors = stored_vectors(connection, list(mentions)) if with_vectors else {}
    return {d.id: Reading(d, mentions[d.id], vectors.get(d.id)) for d in part.documents}


def _pronouns(reading: Reading, kinds: Collection[str]) -> NDArray[np.bool_]:
    """Which mentions of a reading are pronouns of some kinds. *Shape:* (mentions,)"""
    return ReadingsOfCorpus(Corpus((reading.document,), tuple(reading.mentions))).pronouns(kinds)


def whole_reading(copy: Copy, readings: Mapping[str, Reading]) -> tuple[Reading, dict[str, Places]]:
    """The mentions of a copy, those that it shares and its own, with their vectors.

    Parameters
    ----------
    copy
        The copy.
    readings
        Of the documents of its sources and, under the copy's own id, of what was read of it.

    Returns
    -------
    tuple
        The whole reading; and by the id of every reading which of its mentions the copy has.
    """
    from cdcoref.linking import copied_mentions, without_copied

    sources = {id: readings[id] for id, _ in copy.sources.values()}
    documents = {id: reading.document for id, reading in sources.items()}
    rows = {
        id: {m.key: row for row, m in enumerate(reading.mentions)}
        for id, reading in (*sources.items(), *((id, readings[id]) for id in readings.keys() & {copy.document.id}))
    }
    shared = copied_mentions(copy.document, copy.sources, documents, {id: r.mentions for id, r in sources.items()})
    found = [(mention.document, rows[mention.document][mention.key], same) for mention, same in shared]
    if copy.document.id in rows:
        own = rows[copy.document.id]
        mentions = without_copied(copy.document, copy.sources, readings[copy.document.id].mentions)
        found += [(copy.document.id, own[mention.key], mention) for mention in mentions]
    order = sorted(range(len(found)), key=lambda n: (found[n][2].start, found[n][2].end))
    whole = [found[number][2] for number in order]
    place_of = {mention.key: place for place, mention in enumerate(whole)}
    places = {id: np.full(len(own), -1, dtype=np.int64) for id, own in rows.items()}
    for id, row, mention in found:
        places[id][row] = place_of[mention.key]
    for key, row in rows.get(copy.document.id, {}).items():
        places[copy.document.id][row] = place_of.get(key, -1)  # of its context too, which it shares
    vectors = None
    by_reading = [(readings[id].vectors, [row for _, row, _ in own]) for id, own in groupby(found, itemgetter(0))]
    parts = [own.take(numbers).compact() for own, numbers in by_reading if own is not None]
    if parts and all(own is not None for own, _ in by_reading):
        vectors = MentionVectors.joined(parts).of_one_document().take(order)
    return Reading(copy.document, whole, vectors), places


def with_scores_of_copies(
    connection: sqlite3.Connection,
    scores: Mapping[DocumentPair, DocumentScores],
    readings: Readings,
) -> Mapping[DocumentPair, DocumentScores]:
    """The scores of new documents with those of copies among them, whose sources may be stored; see
    :func:`copied_scores`."""
    places = readings.places
    if not places:
        return scores
    sources = sorted({id for own in places.values() for id in own} - places.keys())
    stored: dict[DocumentPair, DocumentScores] = {}
    query = (
        "SELECT one.id, other.id, scores.logits FROM scores JOIN documents AS one ON one.number = scores.first "
        "JOIN documents AS other ON other.number = scores.second WHERE scores.{} = "
        "(SELECT number FROM documents WHERE id = ?)"
    )
    for source, side in product(sources, ("first", "second")):
        for one, other, logits in connection.execute(query.format(side), (source,)):
            found = DocumentScores.unpacked(logits)
            stored[min(one, other), max(one, other)] = found if one <= other else found.swapped()
    every = copied_scores({**scores, **stored}, places, readings.pronouns)
    return {pair: own for pair, own in every.items() if pair in scores or not places.keys().isdisjoint(pair)}


def copied_scores(
    scores: Mapping[DocumentPair, DocumentScores],
    places: Mapping[str, Mapping[str, Places]],
    pronouns: Mapping[str, NDArray[np.bool_]],
) -> dict[DocumentPair, DocumentScores]:
    """The scores of copies with all other documents, from those of the texts that were read.

    A mention of a copy has the scores of the same mention of its source, and `SAME` with that itself. A pronoun has
    them in its own document, and with antecedents in its source that the copy lacks.

    Parameters
    ----------
    scores
        Of the readings, by the ids of their documents.
    places
        By the id of every copy, as :func:`whole_reading` gives it.
    pronouns
        By the id of every reading with copies which of its mentions are pronouns whose antecedents are sought.

    Returns
    -------
    dict
        The scores of all pairs of documents, those without a copy as they were.
    """
    here: dict[str, list[tuple[str, Places | None]]] = {
        id: [] if id in places else [(id, None)] for pair in scores for id in pair
    }
    for copy, own in places.items():
        for id, of_reading in own.items():
            here.setdefault(id, [] if id in places else [(id, None)]).append((copy, of_reading))
    found: dict[DocumentPair, list[DocumentScores]] = defaultdict(list)
    for id, is_pronoun in sorted(pronouns.items()):
        rows = np.flatnonzero(~is_pronoun)
        same = DocumentScores(rows, rows, np.full(len(rows), SAME, dtype=np.float32))
        for (one, there), (other, elsewhere) in combinations(here[id], 2):
            _put(found, (one, other), same, there, elsewhere)
    # What was read of a copy comes last: of its context, the scores of the text that has it are taken.
    for pair in sorted(scores, key=lambda pair: (pair[0] in places, pair[1] in places, pair)):
        within = across = scores[pair]
        if pair[0] == pair[1] and pair[0] in pronouns:
            of_pronouns = pronouns[pair[0]][within.first] | pronouns[pair[0]][within.second]
            across = DocumentScores(*(column[~of_pronouns] for column in within))
            referring = _antecedents(within, pronouns[pair[0]])
            (first, there), *others = here[pair[0]]
            for copy, elsewhere in others:
                missing = elsewhere[referring.first] < 0 if elsewhere is not None else slice(0)
                _put(found, (first, copy), DocumentScores(*(column[missing] for column in referring)), there, elsewhere)
        for (one, there), (other, elsewhere) in product(here[pair[0]], here[pair[1]]):
            _put(found, (one, other), within if one == other else across, there, elsewhere)
    return {pair: _once(parts, pair[0] == pair[1]) for pair, parts in found.items()}


def _antecedents(within: DocumentScores, is_pronoun: NDArray[np.bool_]) -> DocumentScores:
    """The scores of the mentions of a document with pronouns, those without the mentions that are pronouns first."""
    first = ~is_pronoun[within.first] & is_pronoun[within.second]
    second = is_pronoun[within.first] & ~is_pronoun[within.second]
    one, other = (DocumentScores(*(column[chosen] for column in within)) for chosen in (first, second))
    return DocumentScores(*(np.concatenate(columns) for columns in zip(one, other.swapped(), strict=True)))


def _put(
    found: dict[DocumentPair, list[DocumentScores]],
    pair: DocumentPair,
    scores: DocumentScores,
    first: Places | None,
    second: Places | None,
) -> None:
    """Add scores of two readings to those of two documents that have some of their mentions."""
    one = scores.first if first is None else first[scores.first]
    other = scores.second if second is None else second[scores.second]
    there = (one >= 0) & (other >= 0)
    own = DocumentScores(one[there], other[there], scores.logits[there])
    if pair[0] <= pair[1]:
        found[pair].append(own)
    else:
        found[pair[1], pair[0]].append(own.swapped())


def _once(parts: Sequence[DocumentScores], within: bool) -> DocumentScores:
    """The scores of two documents, or of one (`within`), each pair of mentions once, as it came first."""
    if len(parts) == 1 and not within:
        return parts[0]
    first, second, logits = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    if within:
        first, second = np.minimum(first, second), np.maximum(first, second)
    width = int(second.max(initial=0)) + 1
    _, chosen = np.unique(first.astype(np.int64) * width + second, return_index=True)
    if within:
        chosen = chosen[first[chosen] != second[chosen]]
    return DocumentScores(first[chosen], second[chosen], logits[chosen])

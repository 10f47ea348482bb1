"""Words in, the clusters and documents of a collection that have them out, the best first. SQLite's full-text search
finds what :func:`cdcoref.reports.ranking` ranks."""

import re
import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from cdcoref.collection.database import chunks, rows_in
from cdcoref.formats import stored_document, stored_mention
from cdcoref.reports import LABEL_SEPARATOR, search_points, search_words, searched, searched_title

DOCUMENTS = 100
"""Documents whose sentences are searched."""


def clusters_with_words(
    connection: sqlite3.Connection, condition: str, values: Sequence[object], query: str
) -> list[int]:
    """The numbers of the clusters that have all the words of a query, the best, then the largest first."""
    words = list(dict.fromkeys(search_words(query)))
    if not words:
        return []
    matching = " OR ".join(f'"{word}"*' for word in words)
    wordings = _wordings(connection, matching)
    sentences = _sentences(connection, words, matching)
    found: list[tuple[int, int, int, int, int]] = []
    candidates = _candidates(connection, words, {*wordings, *sentences}, condition, values)
    for number, title, documents, mentions in candidates:
        own = searched(wordings.get(number, ()))
        if points := search_points(words, searched_title(title), own, sentences.get(number, ())):
            found.append((-points, -documents, -mentions, len(title), number))
    return [number for *_, number in sorted(found)]


def full_text_query(query: str) -> str | None:
    """A query in the syntax of SQLite's full-text search: all words, each at least the beginning of one."""
    words = search_words(query)
    return " ".join(f'"{word}"*' for word in words) or None


def _candidates(
    connection: sqlite3.Connection, words: Sequence[str], numbers: set[int], condition: str, values: Sequence[object]
) -> Iterator[tuple[Any, ...]]:
    """Clusters of some numbers, and those whose title or name may have a word: number, title, documents, mentions."""
    columns = "SELECT number, coalesce(name, title), documents, mentions FROM clusters"
    # LIKE knows no accents, so titles with other letters than English ones, and all names, are looked at.
    seen = set()
    for likes in chunks(f"%{re.sub('[^a-z0-9]', '_', word)}%" for word in words):
        titled = " OR ".join(["title LIKE ?"] * len(likes))
        chosen = f"(name IS NOT NULL OR {titled} OR replace(title, ?, '') GLOB '*[^ -~]*')"
        query = f"{columns} WHERE {condition} AND {chosen}"
        for row in connection.execute(query, (*values, *likes, LABEL_SEPARATOR)):
            if row[0] not in seen:
                seen.add(row[0])
                yield row
    query = f"{columns} WHERE {condition} AND number IN ({{}})"
    yield from rows_in(connection, query, sorted(numbers - seen), *values)


def _wordings(connection: sqlite3.Connection, matching: str) -> dict[int, set[str]]:
    found: defaultdict[int, set[str]] = defaultdict(set)
    query = (
        "SELECT DISTINCT cluster, words FROM mentions WHERE cluster IS NOT NULL AND number IN "
        "(SELECT rowid FROM mention_words WHERE mention_words MATCH ?)"
    )
    for cluster, wording in connection.execute(query, (matching,)):
        found[cluster].add(wording)
    return found


def _sentences(connection: sqlite3.Connection, words: Sequence[str], matching: str) -> dict[int, set[str]]:
    """The sentences that have one of the words, in the documents that fit best, by the clusters mentioned in them."""
    query = "SELECT rowid FROM document_words WHERE document_words MATCH ? ORDER BY rank, rowid LIMIT ?"
    documents = [number for (number,) in connection.execute(query, (matching, DOCUMENTS))]
    found: defaultdict[int, set[str]] = defaultdict(set)
    query = "SELECT number, id, text, fields FROM documents WHERE number IN ({})"
    of_document = "SELECT cluster, tokens, kind FROM mentions WHERE document = ? AND cluster IS NOT NULL"
    for number, id, text, fields in rows_in(connection, query, documents):
        document = stored_document(id, text, fields)
        sentence_of: list[str | None] = []
        for first, last in document.sentences:
            start, end = (document.offsets[first][0], document.offsets[last - 1][1]) if last > first else (0, 0)
            own = searched([text[start:end]])
            sentence_of += [own if any(f" {word}" in own for word in words) else None] * (last - first)
        for cluster, tokens, kind in connection.execute(of_document, (number,)):
            own_sentence = sentence_of[stored_mention(id, tokens, kind, cluster).start]
            if own_sentence is not None:
                found[cluster].add(own_sentence)
    return found

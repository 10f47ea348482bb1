"""Titles of event clusters: numbers of clusters in, labels with place and day out.

The documents of the clusters are read for it, since their dates and places are in the texts.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from cdcoref.collection.chosen_rows import rows_in, stored_documents
from cdcoref.corpus import EVENT, Corpus, Mention
from cdcoref.formats import stored_mention
from cdcoref.predict import CorpusCircumstances


def event_titles(connection: sqlite3.Connection, numbers: Sequence[int]) -> dict[int, str]:
    """The titles of those of the clusters that are events, by their numbers."""
    member: dict[int, Mention] = {}
    documents: set[int] = set()
    query = (
        "SELECT mentions.cluster, documents.number, documents.id, mentions.tokens, mentions.kind FROM mentions "
        "JOIN documents ON documents.number = mentions.document "
        f"WHERE mentions.cluster IN ({{}}) AND mentions.kind = '{EVENT}' ORDER BY mentions.document, mentions.place"
    )
    for cluster, document, id, tokens, kind in rows_in(connection, query, numbers):
        member[cluster] = stored_mention(id, tokens, kind, cluster)
        documents.add(document)
    known = CorpusCircumstances(_events_of(connection, sorted(documents)))
    return {cluster: known.label(own) for cluster, own in member.items()}


def _events_of(connection: sqlite3.Connection, documents: Sequence[int]) -> Corpus:
    """Documents with their event mentions, whose clusters are named by their numbers."""
    query = (
        "SELECT documents.id, mentions.tokens, mentions.kind, mentions.cluster FROM documents "
        "JOIN mentions ON mentions.document = documents.number "
        f"WHERE documents.number IN ({{}}) AND mentions.kind = '{EVENT}' AND mentions.cluster IS NOT NULL"
    )
    mentions = tuple(stored_mention(*row) for row in rows_in(connection, query, documents))
    return Corpus(tuple(stored_documents(connection, "number", documents)), mentions)

"""Titles of event clusters: numbers of clusters in, labels with place and day out.

The documents of the clusters are read for it, since their dates and places are in the texts.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from cdcoref.collection.chosen_rows import rows_in, stored_documents
from cdcoref.corpus import EVENT, Corpus
from cdcoref.formats import cluster_id, stated_facts, stored_mention
from cdcoref.reports import CorpusCircumstances


def event_titles(connection: sqlite3.Connection, numbers: Sequence[int]) -> dict[int, str]:
    """The titles of those of the clusters that are events, by their numbers."""
    query = f"SELECT DISTINCT document FROM mentions WHERE cluster IN ({{}}) AND kind = '{EVENT}'"
    documents = sorted({number for (number,) in rows_in(connection, query, numbers)})
    query = (
        "SELECT documents.id, tokens, mentions.kind, mentions.cluster FROM documents "
        "JOIN mentions ON mentions.document = documents.number "
        f"WHERE documents.number IN ({{}}) AND mentions.kind = '{EVENT}' AND mentions.cluster IS NOT NULL"
    )
    found = [(row[-1], stored_mention(*row)) for row in rows_in(connection, query, documents)]
    stated = {(EVENT, cluster_id(number)): facts for number, facts in stated_facts(connection).items()}
    mentions = tuple(mention for _, mention in found)
    events = Corpus(tuple(stored_documents(connection, "number", documents)), mentions, stated=stated)
    known = CorpusCircumstances(events)
    member = dict(found)
    return {number: known.label(member[number]) for number in numbers if number in member}

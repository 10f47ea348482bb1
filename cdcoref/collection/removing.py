"""Documents that are removed; the rest of their stories is clustered again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from cdcoref.collection.database import Database, no_document, numbers_of, stories_of
from cdcoref.collection.documents import delete_document
from cdcoref.collection.reclustering import recluster, tied
from cdcoref.collection.records import Report
from cdcoref.collection.stories import drop_empty_stories, place_stories


def remove_documents(database: Database, ids: Sequence[str]) -> Report:
    """Remove documents by id, all of them or none."""
    with database.writing() as connection:
        found = numbers_of(connection, ids)
        for id in ids:
            if id not in found:
                raise no_document(connection, id)
        numbers = [found[id] for id in dict.fromkeys(ids)]
        tied_before = tied(connection, stories_of(connection, numbers))
        removed = [delete_document(connection, number) for number in numbers]
        stories = place_stories(connection, {deleted.story for deleted in removed})
        stories |= drop_empty_stories(connection, tied_before)
        former = {m.cluster for deleted in removed for m in deleted.mentions if m.cluster is not None}
        return replace(recluster(connection, stories, former), removed=tuple(dict.fromkeys(ids)))

"""Documents removed from a collection: the rest of their stories is clustered again from what is stored.

What is removed is kept until the collection is rebuilt (:mod:`cdcoref.collection.restoring`).
"""

from __future__ import annotations

from collections.abc import Sequence

from cdcoref.collection.adding import drop_empty_stories
from cdcoref.collection.database import Database
from cdcoref.collection.documents import delete_document
from cdcoref.collection.queries import no_document
from cdcoref.collection.reclustering import recluster, tied_to_documents
from cdcoref.collection.records import Report
from cdcoref.collection.reports import changes_since, last_change
from cdcoref.collection.restoring import keep_document, new_removal
from cdcoref.collection.settings import stored_settings
from cdcoref.collection.subjects import place_stories


def remove_documents(database: Database, ids: Sequence[str]) -> Report:
    """Remove documents by id, all of them or none.

    Raises
    ------
    InputError
        If there is no such document, or the file cannot be written.
    """
    with database.writing() as connection:
        last = last_change(connection)
        removal = new_removal(connection)
        numbers = []
        for id in dict.fromkeys(ids):
            row = connection.execute("SELECT number FROM documents WHERE id = ?", (id,)).fetchone()
            if row is None:
                raise no_document(connection, id)
            keep_document(connection, row[0], removal)
            numbers.append(row[0])
        tied_before = tied_to_documents(connection, numbers)
        removed = [delete_document(connection, number) for number in numbers]
        stories = drop_empty_stories(connection, {deleted.story for deleted in removed})
        settings = stored_settings(connection)
        if settings is not None and settings.across_stories:
            stories |= place_stories(connection, stories)
        stories |= drop_empty_stories(connection, tied_before)
        former = {m.cluster for deleted in removed for m in deleted.mentions if m.cluster is not None}
        clustered = recluster(connection, stories, former)
        merged, split = changes_since(connection, last)
    return Report(removed=tuple(dict.fromkeys(ids)), stories=len(clustered), merged=merged, split=split)

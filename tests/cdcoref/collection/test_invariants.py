"""Whatever is done in whatever order: the tables agree, ids of clusters last, and a rebuild is all at once."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from cdcoref.collection import Collection


def check_tables(collection: Collection) -> None:
    """What is stored twice is the same twice."""
    connection = collection._database.connection

    def values(query: str) -> list[Any]:
        return connection.execute(query).fetchall()

    members = Counter(cluster for (cluster,) in values("SELECT cluster FROM mentions WHERE cluster IS NOT NULL"))
    assert dict(values("SELECT number, mentions FROM clusters WHERE mentions > 0")) == dict(members)
    assert not values("SELECT 1 FROM mentions WHERE (cluster IS NULL) != rejected")
    assert not values("SELECT 1 FROM clusters WHERE mentions > 0 AND merged_into IS NOT NULL")
    assert not values("SELECT 1 FROM stories WHERE number NOT IN (SELECT story FROM documents)")
    assert not values("SELECT 1 FROM documents WHERE story NOT IN (SELECT number FROM stories)")
    connection.execute("INSERT INTO document_words (document_words) VALUES ('integrity-check')")
    connection.execute("INSERT INTO mention_words (mention_words) VALUES ('integrity-check')")
    assert values("PRAGMA integrity_check") == [("ok",)]
    assert values("PRAGMA foreign_key_check") == []


def change(written: Any, collection: Collection, chance: random.Random, number: int) -> None:
    """Add, change, remove, correct or undo something."""
    ids = [document.id for document in collection.documents(limit=1000)]
    action = chance.random()
    if action < 0.5 or len(ids) < 3:
        sentences = written.FERRY if chance.random() < 0.5 else written.MUSEUM
        some = chance.sample(sentences, k=chance.randint(1, 2))
        id = chance.choice(ids) if ids and chance.random() < 0.3 else f"d{number}"
        collection.add(written.annotated(id, *some, f"Report {number} ends ."))
    elif action < 0.7:
        collection.remove(chance.sample(ids, k=chance.randint(1, 2)))
    elif action < 0.9:
        mentions = [m for m in collection.document(chance.choice(ids)).mentions if not m.rejected]
        same_kind = [m.id for m in mentions if mentions and m.kind == mentions[0].kind][:2]
        if len(same_kind) == 2 and not collection.corrections():
            collection.correct("same", same_kind)
        elif mentions:
            collection.correct("not-a-mention", [mentions[0].id])
    elif any(correction.undone is None for correction in collection.corrections()):
        collection.undo()


@pytest.mark.parametrize("seed", range(4))
def test_tables_agree_after_every_change_and_a_rebuild(written: Any, path: Path, tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    with Collection.create(path, "lemma") as collection:
        for number in range(25):
            before = {m.key: m.cluster for m in collection.corpus().mentions}
            documents = {d.id: d for d in collection.corpus().documents}
            change(written, collection, chance, number)
            check_tables(collection)
            untouched = {id for id, d in documents.items() if d in collection.corpus().documents}
            for mention in collection.corpus().mentions:
                if mention.document in untouched and before.get(mention.key) is not None:
                    collection.cluster(before[mention.key] or "")  # the id still leads to a cluster
        while any(correction.undone is None for correction in collection.corrections()):
            collection.undo()
        collection.rebuild()
        check_tables(collection)
        corpus = collection.corpus()
        with Collection.create(tmp_path / "other.cdcoref", "lemma") as other:
            other.add(corpus)
            assert written.clusters_of(other.corpus()) == written.clusters_of(corpus)
        names = {m.key: m.cluster for m in corpus.mentions}
        collection.rebuild()
        assert {m.key: m.cluster for m in collection.corpus().mentions} == names

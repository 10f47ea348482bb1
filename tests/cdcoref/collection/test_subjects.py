"""Entities that stories about one subject call by the same name are one cluster, as in a prediction."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cdcoref.collection import OPTIONS as COLLECTION_OPTIONS
from cdcoref.collection import Collection
from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.predict import Predictor

OPTIONS = replace(COLLECTION_OPTIONS, threshold=0)
SUBJECTS = {"a": "airport", "b": "airport", "c": "wheat", "d": "airport"}
"""What each story is about; three of them are about one subject."""


def report(name: str, number: int = 1, person: str = "Anna Berg") -> Corpus:
    """A document that names somebody: words of its subject, of its story, and its own."""
    words = {SUBJECTS[name]: 24, name: 30, f"{name}{number}": 140}
    own = (f"{word}x{n}" for word, count in words.items() for n in range(count))
    document = Document.from_sentences(f"{name}{number}", [["They", "saw", *person.split(), "before", *own]])
    entity = Mention(document.id, tuple(range(2, 2 + len(person.split()))), "entity")
    return Corpus((document,), (entity, Mention(document.id, (1,), "event")))


def reports(names: str, person: str = "Anna Berg") -> list[Corpus]:
    """Two documents of every story."""
    return [report(name, number, person) for number in (1, 2) for name in names]


def joined(parts: Sequence[Corpus]) -> Corpus:
    """Documents as one corpus."""
    return Corpus(
        tuple(document for part in parts for document in part.documents),
        tuple(mention for part in parts for mention in part.mentions),
    )


def together(collection: Collection) -> set[frozenset[str]]:
    """The documents of every cluster of entities."""
    clusters = [cluster for cluster in collection.corpus().clusters() if cluster[0].kind == "entity"]
    return {frozenset(mention.document for mention in cluster) for cluster in clusters}


def mention_of(collection: Collection, document: str) -> str:
    """The id of the person in a document."""
    return next(m.id for m in collection.document(document).mentions if m.kind == "entity")


def cluster_of(collection: Collection, document: str) -> str:
    """The id of that person's cluster."""
    return next(m.cluster or "" for m in collection.document(document).mentions if m.kind == "entity")


def sets(*groups: str) -> set[frozenset[str]]:
    """Clusters, each written as the ids of its documents."""
    return {frozenset(group.split()) for group in groups}


@pytest.fixture
def collection(path: Path, tiny_model_folder: Path) -> Iterator[Collection]:
    """An empty collection in which all mentions of a kind are one in a story, unless their names are in conflict."""
    with Collection.create(path, str(tiny_model_folder), OPTIONS) as made:
        yield made


def test_documents_one_after_the_other_are_linked_across_stories_as_in_a_prediction(
    written: Any, collection: Collection, predictor: Predictor
) -> None:
    """Events and other subjects are not."""
    for one in reports("cab"):
        collection.add(one, predictor)
    assert together(collection) == sets("a1 a2 b1 b2", "c1 c2")
    expected = predictor.predict(joined(reports("cab")), OPTIONS).corpus
    assert written.clusters_of(collection.corpus()) == written.clusters_of(expected)
    confidence = {(m.key, m.kind): m.confidence for m in expected.mentions}
    found = {(m.key, m.kind): m.confidence for m in collection.corpus().mentions}
    assert found == pytest.approx(confidence, abs=1e-4)
    page = collection.document("b1")
    assert ([one.id for one in page.story], [one.id for one in page.related]) == (["b2"], ["a1"])
    assert collection.document("c1").related == collection.document("b1", others=0).related == ()
    stories = [collection.document(id).summary.story for id in ("a1", "b1")]
    assert collection.cluster(cluster_of(collection, "b2")).stories == tuple(stories)
    for story in stories:
        assert cluster_of(collection, "b2") in {one.id for one in collection.clusters(story=story)}
    before = written.members(collection)
    again = collection.rebuild(predictor)
    assert (again.merged, again.split) == ((), ())
    assert written.members(collection) == before


def test_a_new_document_joins_two_stories_until_it_is_removed(collection: Collection, predictor: Predictor) -> None:
    """By a name that stands in it alone; the cluster keeps the older id, and the other comes back."""
    collection.add(joined([*reports("a"), *reports("b", "Berg")]), predictor)
    assert together(collection) == sets("a1 a2", "b1 b2")
    older, younger = (cluster_of(collection, name) for name in ("a1", "b1"))
    added = collection.add(report("b", 3), predictor)
    assert together(collection) == sets("a1 a2 b1 b2 b3")
    assert cluster_of(collection, "b1") == older
    assert added.merged == ((younger, older),)
    removed = collection.remove(["b3"])
    assert together(collection) == sets("a1 a2", "b1 b2")
    assert removed.stories == 2
    assert cluster_of(collection, "b1") == younger


def test_people_have_the_last_word(written: Any, collection: Collection, predictor: Predictor) -> None:
    """What they call different is, also after documents come and a rebuild; a third story goes with one of the two."""
    collection.add(joined(reports("abc")), predictor)
    before = written.members(collection)
    collection.correct("not-same", [mention_of(collection, "a1"), mention_of(collection, "b2")])
    apart = sets("a1 a2", "b1 b2", "c1 c2")
    assert together(collection) == apart
    collection.add(joined(reports("d")), predictor)
    assert together(collection) == sets("a1 a2 d1 d2", "b1 b2", "c1 c2")
    collection.remove(["d1", "d2"])
    assert together(collection) == apart
    collection.rebuild(predictor)
    assert together(collection) == apart
    collection.undo()
    assert written.members(collection) == before


def test_a_model_may_link_nothing_across_stories(path: Path, predictor: Predictor) -> None:
    """That holds when documents are added and removed."""
    model = copy.copy(predictor.model)
    model.settings = replace(model.settings, names_across_stories=False)
    within = Predictor(model)
    with Collection.create(path, "within") as collection:
        collection.add(joined(reports("ab")), within)
        assert together(collection) == sets("a1 a2", "b1 b2")
        collection.remove(["a2"])
        collection.add(report("a", 2), within)
        assert together(collection) == sets("a1 a2", "b1 b2")


def test_subjects_are_always_those_of_the_stories(written: Any, collection: Collection, predictor: Predictor) -> None:
    """And clusters are those of a rebuild."""
    chance = random.Random(1)
    connection = collection._database.connection
    for number in range(6):
        story, people = chance.choice("abcd"), chance.choices(("Anna Berg", "Berg"), k=2)
        collection.add(joined([report(story, 2 * number + n, person) for n, person in enumerate(people)]), predictor)
        if number in (3, 4):
            story = chance.choice(collection.documents(limit=100)).id[0]
            collection.remove([one.id for one in collection.documents(limit=100) if one.id.startswith(story)])
        subjects = dict(connection.execute("SELECT story, subject FROM subjects"))
        assert subjects.keys() == {story for (story,) in connection.execute("SELECT number FROM stories")}
        assert all(subjects[story] == subject for story, subject in subjects.items() if story in subjects.values())
    found = written.clusters_of(collection.corpus())
    collection.rebuild(predictor)
    assert written.clusters_of(collection.corpus()) == found

"""Collections among the formats: recognised, read like any other file, never written by a name."""

from __future__ import annotations

import gzip
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from cdcoref.collection import Collection
from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.errors import InputError
from cdcoref.formats import (
    FORMATS,
    ReadOptions,
    format_of,
    is_collection,
    read_collection,
    read_corpus,
    read_file,
    read_mention_table,
)
from cdcoref.scoring import score

RICH = Document.from_sentences(
    "días/1.txt",
    [["Ann", "left", "."], [], ["She", "“", "fell", "”"]],
    topic="5",
    subtopic="5_x",
    part="2",
    path="news/1.txt",
    hidden=frozenset({0}),
    annotated=frozenset({2}),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A collection of two documents."""
    other = Document.from_sentences("b", [["Ann", "fell", "."]])
    mentions = (
        Mention(RICH.id, (0,), "entity", id="1", tag="HUM"),
        Mention(RICH.id, (3, 5), "event", confidence=0.25),
        Mention("b", (0,), "entity"),
    )
    file = tmp_path / "a.cdcoref"
    with Collection.create(file, "lemma") as collection:
        collection.add(Corpus((RICH, other), mentions))
    return file


def test_a_collection_is_told_by_its_content(path: Path, tmp_path: Path) -> None:
    assert format_of(path).name == "collection"
    assert [format.name for format in FORMATS if format.recognise(path.read_bytes()[:4096])] == ["collection"]
    renamed = tmp_path / "a.txt"
    renamed.write_bytes(path.read_bytes())
    assert read_file(renamed) == read_collection(path)
    assert is_collection(renamed)
    renamed.write_text("no")
    assert not is_collection(renamed)


def test_it_is_read_like_any_other_file(path: Path) -> None:
    loaded = read_corpus([path])
    assert loaded.problems == ()
    corpus = loaded.corpus
    with Collection.open(path) as collection:
        assert corpus == collection.corpus()
    assert corpus.documents[0] == RICH
    assert [(m.tokens, m.kind, m.id, m.tag, m.confidence) for m in corpus.mentions] == [
        ((0,), "entity", "1", "HUM", None),
        ((3, 5), "event", None, None, 0.25),
        ((0,), "entity", None, None, None),
    ]
    table = read_mention_table(path)
    assert (len(table.documents), len(table.start)) == (2, 3)
    assert score(corpus, corpus).conll_f1 == 1.0
    assert read_file(path, ReadOptions(kind="entity")) == corpus


def test_a_rejected_mention_is_not_read(path: Path) -> None:
    with Collection.open(path) as collection:
        collection.correct("not-a-mention", ["m2"])
    assert [m.tokens for m in read_collection(path).mentions] == [(0,), (0,)]


def test_other_databases_and_compressed_ones_are_refused(path: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("CREATE TABLE x (y)")
    packed = tmp_path / "a.cdcoref.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    for file in (other, packed):
        with pytest.raises(InputError, match="not a collection"):
            read_file(file)
    with pytest.raises(InputError, match="cannot be read"):
        read_collection(tmp_path / "absent")


def test_a_collection_in_a_folder_of_documents_can_be_left_out(path: Path) -> None:
    (path.parent / "text.txt").write_text("A text.\n")
    loaded = read_corpus([path.parent], without=path)
    assert [d.id for d in loaded.corpus.documents] == ["text.txt"]
    assert loaded.problems == ()
    assert len(read_corpus([path.parent]).corpus.documents) == 3


def damaged(path: Path, change: str, column: str = "text TEXT") -> None:
    """Change a collection as no program would: a column may also be without a value."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("UPDATE sqlite_master SET sql = replace(sql, ?1 || ' NOT NULL', ?1)", (column,))
        connection.commit()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(change)
        connection.commit()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("UPDATE documents SET text = NULL", "the collection is damaged"),
        ("UPDATE mentions SET tokens = '[\"a\"]'", "the collection is damaged"),
        ("UPDATE documents SET fields = CAST(x'ff' AS TEXT)", "the collection is damaged"),
        ("DROP TABLE clusters", "the collection is damaged"),
        ("UPDATE mentions SET tokens = '[999]'", "ascending indices"),
    ],
)
def test_what_is_damaged_inside_is_said_in_one_sentence(path: Path, change: str, message: str) -> None:
    damaged(path, change)
    with pytest.raises(InputError, match=message):
        read_collection(path)
    with Collection.open(path) as collection, pytest.raises(InputError, match=message):
        collection.prediction()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("UPDATE clusters SET confidence = 'x'", "the confidence of cluster c[0-9]+ is damaged"),
        ("UPDATE documents SET story = 'x'", "the column documents.story has a value of another type"),
        ("UPDATE documents SET text = 'A'", "what is stored of document .* is damaged"),
        ("UPDATE mentions SET confidence = 'x'", "is damaged"),
    ],
)
def test_values_of_another_type_are_damage_in_what_is_shown_and_changed(path: Path, change: str, message: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(change)
    with Collection.open(path) as collection, pytest.raises(InputError, match=message):
        shown_and_changed(collection)


def shown_and_changed(collection: Collection) -> None:
    documents = [document.id for document in collection.documents()]
    for cluster in collection.clusters():
        collection.cluster(cluster.id)
    collection.remove(documents[:1])

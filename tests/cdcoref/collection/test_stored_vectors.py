"""Vectors are stored: no document is read alone twice, and what was stored without them gets them when it is needed."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Callable
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cdcoref.collection import STORING, Collection
from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.errors import InputError
from cdcoref.model import CorefModel
from cdcoref.predict import Predictor
from cdlm.settings import with_settings

TEXTS = {
    f"ferry{n}": f"The ferry Maren sank in a storm off Tresk. Police arrested the captain on Friday. He met {extra}.\n"
    for n, extra in enumerate(("sailors", "the weather man", "lawyers", "a judge"))
}


@pytest.fixture
def predictor(random_reader: Predictor) -> Predictor:
    return random_reader


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., Collection]:
    """Makes a collection with the model."""
    return lambda name="a", **options: Collection.create(tmp_path / f"{name}.cdcoref", "default", **options)


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The ids of the documents that are read alone."""
    ids: list[str] = []
    plain = CorefModel.reading_builder

    def noting(model: CorefModel, **how: Any) -> Any:
        sequences_of = plain(model, **how)

        def noted(document: Document) -> Any:
            ids.append(document.id)
            return sequences_of(document)

        return noted

    monkeypatch.setattr(CorefModel, "reading_builder", noting)
    return ids


def stored(collection: Collection) -> dict[str, bytes]:
    query = "SELECT id, packed FROM vectors JOIN documents ON documents.number = vectors.document"
    return dict(collection._database.connection.execute(query))


def test_storing(make: Callable[..., Collection], predictor: Predictor, monkeypatch: pytest.MonkeyPatch) -> None:
    """A document is compared with the stored vectors of another as with those that were read just now."""
    alone = with_settings(predictor.model.settings, {"vectors.min_probability": 0.99, "vectors.group_probability": 1.0})
    monkeypatch.setattr(predictor.model, "settings", alone)
    ids = ["ferry0", "ferry1"]
    found = []
    for name, parts in {"one by one": [[id] for id in ids], "at once": [ids]}.items():
        with make(name) as collection:
            for part in parts:
                collection.add({id: TEXTS[id] for id in part}, predictor)
            query = "SELECT logits FROM scores WHERE first = 1 AND second = 2"
            ((packed,),) = collection._database.connection.execute(query)
            found.append(zlib.decompress(packed))
    one, other = (np.frombuffer(packed, dtype=np.float32) for packed in found)
    np.testing.assert_allclose(one, other, rtol=1e-4)


@pytest.mark.parametrize("given", [False, True])
def test_documents_are_read_once(
    written: Any, make: Callable[..., Collection], predictor: Predictor, read: list[str], given: bool
) -> None:
    """Whether its mentions are given or found."""
    parts = {part.documents[0].id: part for part in written.reports(4)} if given else TEXTS
    with make() as collection:
        for id, part in parts.items():
            collection.add(part if given else {id: part}, predictor)
        assert read == list(parts)
        assert stored(collection).keys() == parts.keys()
        collection.rebuild(predictor)
        assert len(read) == 2 * len(parts)
        collection.remove(list(parts)[:1])
        assert stored(collection).keys() == parts.keys() - {read[0]}


def test_new_ones_are_compared_with_all(written: Any, make: Callable[..., Collection], predictor: Predictor) -> None:
    """Although it is read together with the nearest alone."""
    with make(max_pairs=1) as collection:
        for id, text in TEXTS.items():
            report = collection.add({id: text}, predictor)
        assert report.pairs == 1
        assert written.compared(collection) == set(combinations_with_replacement(sorted(TEXTS), 2))


def test_large_stories_compare_the_nearest(written: Any, make: Callable[..., Collection], predictor: Predictor) -> None:
    """In one of more than a hundred documents."""
    words = [["A", "ferry", "sank", "near", f"witness{n}", "and", f"witness{n + 1}", "."] for n in range(102)]
    documents = [Document.from_sentences(f"d{n}", [sentence]) for n, sentence in enumerate(words)]
    with make(max_pairs=2) as collection:
        for part in (documents[:99], *([document] for document in documents[99:])):
            collection.add(Corpus(tuple(part), tuple(Mention(d.id, (2,), "event") for d in part)), predictor)
        assert collection.counts().stories == 1
        found = Counter(max(pair, key=lambda id: int(id[1:])) for pair in written.compared(collection))
        assert [found[f"d{n}"] for n in (99, 100, 101)] == [99, 2, 2]


@pytest.mark.parametrize(
    "damage",
    [
        lambda packed: b"",
        lambda packed: packed[:-1],
        lambda packed: packed[:-2],
        lambda packed: packed + b"00",
        lambda packed: packed[:10],
        lambda packed: packed[:20] + b"\xff" + packed[21:],
    ],
)
def test_damage(make: Callable[..., Collection], predictor: Predictor, damage: Callable[[bytes], bytes]) -> None:
    with make() as collection:
        collection.add({"ferry0": TEXTS["ferry0"]}, predictor)
        before = collection.corpus()
        damaged = damage(stored(collection)["ferry0"])
        collection._database.connection.execute("UPDATE vectors SET packed = ?", (damaged,))
        with pytest.raises(InputError, match="stored vectors are damaged"):
            collection.add({"ferry1": TEXTS["ferry1"]}, predictor)
        assert collection.corpus() == before


def test_a_document_replaced_meanwhile(written: Any, make: Callable[..., Collection], predictor: Predictor) -> None:
    changed = "Nobody was hurt. " + TEXTS["ferry0"]
    meanwhile = [changed]

    def interrupted(stage: str, done: int, total: int) -> None:
        while stage == STORING and meanwhile:
            text = meanwhile.pop()
            with Collection.open(collection.path) as other:
                other.add({"ferry0": text}, predictor)

    with make("expected") as expected, make() as collection:
        for part in ({"ferry0": TEXTS["ferry0"]}, {"ferry0": changed}, {"ferry1": TEXTS["ferry1"]}):
            expected.add(part, predictor)
        collection.add({"ferry0": TEXTS["ferry0"]}, predictor)
        collection.add({"ferry1": TEXTS["ferry1"]}, predictor, progress=interrupted)
        assert not meanwhile
        assert written.clusters_of(collection.corpus()) == written.clusters_of(expected.corpus())
        query = "SELECT logits FROM scores ORDER BY first, second"
        rows = [c._database.connection.execute(query).fetchall() for c in (collection, expected)]
        assert rows[0] == rows[1]

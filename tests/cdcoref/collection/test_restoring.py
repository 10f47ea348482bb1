"""The removal of documents is undone: everything is as it was, and nothing is read again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cdcoref.collection import Collection
from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.errors import InputError
from cdcoref.formats import tokenise_text
from cdcoref.predict import Predictor

TABLES = {
    "documents": "number, id, content, source, given, story, added, text, fields, share, words",
    "mentions": "number, document, place, tokens, kind, words, found, rejected, cluster, confidence",
    "scores": "first, second, logits",
    "vectors": "document, packed",
    "left_out": "*",
    "copies": "*",
    "subjects": "story",
    "questions": "*",
    "checked": "*",
    "stories": "*",
}


def stored(collection: Collection) -> dict[str, Any]:
    """All that a reader can notice: rows in an order of their own."""
    connection = collection._database.connection
    found = {
        table: sorted(map(repr, connection.execute(f"SELECT {columns} FROM {table}")))
        for table, columns in TABLES.items()
    }
    found["clusters"] = sorted(
        connection.execute("SELECT number, kind, name, title, story, mentions, documents FROM clusters WHERE mentions")
    )
    return found


@pytest.fixture
def news(written: Any, lemma: Collection) -> Collection:
    """Six documents of two stories."""
    lemma.add(written.joined(*written.reports(6)))
    return lemma


@pytest.mark.parametrize("ids", [["ferry2"], ["ferry0", "ferry2", "ferry4"], ["museum1", "ferry4"]])
def test_everything_is_as_it_was(news: Collection, ids: list[str]) -> None:
    before, found = stored(news), news.search("captain")
    news.remove(ids)
    assert stored(news) != before
    assert {one.id for one in news.removed()} == set(ids)
    report = news.restore()
    assert set(report.restored) == set(ids)
    assert stored(news) == before
    assert news.search("captain") == found
    assert news.removed() == []


def test_with_vectors_and_scores_of_a_model(random_reader: Predictor, tmp_path: Path) -> None:
    predictor = random_reader
    texts = {
        f"ferry{n}": f"The ferry Maren sank off Tresk. Police arrested the captain on Friday. He met {who}.\n"
        for n, who in enumerate(("sailors", "lawyers", "a judge"))
    }
    with Collection.create(tmp_path / "a.cdcoref") as collection:
        for id, text in texts.items():
            collection.add({id: tokenise_text(text, id)}, predictor)
        before = stored(collection)
        assert before["vectors"]
        assert before["scores"]
        collection.remove(["ferry0"])
        collection.remove(["ferry2"])
        assert collection.restore(["ferry0"]).restored == ("ferry0",)
        assert collection.restore().restored == ("ferry2",)  # their scores too, whichever came back first
        assert stored(collection) == before


def test_corrections_apply_to_what_comes_back(news: Collection, mention_id: Callable[[str, str], str]) -> None:
    news.correct("same", [mention_id("ferry2", "ferry"), mention_id("museum1", "museum")])
    before = stored(news)
    news.remove(["ferry2"])
    news.restore()
    assert stored(news) == before


def test_documents_that_came_in_the_meantime_stay(written: Any, news: Collection) -> None:
    news.remove(["ferry0", "ferry2", "ferry4"])
    news.add(written.annotated("ferry6", *written.FERRY, "A new report ends ."))
    news.restore(["ferry2"])
    assert {one.id for one in news.documents()} == {"ferry2", "ferry6", "museum1", "museum3", "museum5"}
    assert [one.id for one in news.removed()] == ["ferry4", "ferry0"]
    news.add(written.annotated("other", *written.FERRY, "Report 4 ends ."))
    with pytest.raises(InputError, match="the document 'ferry4' has been added again as 'other'; nothing was changed"):
        news.restore(["ferry0", "ferry4"])
    assert len(news.documents()) == 6
    news.add(written.annotated("ferry0", "A text of the same name ."))
    with pytest.raises(InputError, match="the document 'ferry0' has been added again; nothing was changed"):
        news.restore(["ferry0"])


@example(["text", "one", "two", "three"], [{"three"}, {"one"}, {"two"}, {"text"}, {"three"}, {"one"}, {"two"}])
@settings(max_examples=3, deadline=None)
@given(
    order=st.permutations(["text", "one", "two", "three"]),
    steps=st.lists(st.sets(st.sampled_from(["text", "one", "two", "three"]), min_size=1, max_size=2), max_size=8),
)
def test_copies_do_not_depend_on_the_order_of_leaving_and_returning(order: list[str], steps: list[set[str]]) -> None:
    sentences = [[f"w{n}x{m}" for m in range(12)] for n in range(12)]
    kept = {"text": sentences, "one": sentences[:-1], "two": sentences[1:], "three": [*sentences[:5], *sentences[6:]]}
    documents = {id: Document.from_sentences(id, kept[id]) for id in order}
    with TemporaryDirectory() as folder, Collection.create(Path(folder) / "news.cdcoref", "lemma") as collection:
        for id, document in documents.items():
            collection.add(Corpus((document,), (Mention(id, (0,), "entity"),)))
        collection.rebuild()
        before, seen = stored(collection), {}
        for ids in [*steps, set(order)]:
            present = {one.id for one in collection.documents()}
            if len(ids) == len(order):
                collection.restore(sorted(ids - present)) if ids - present else None
            elif ids <= present:
                collection.remove(sorted(ids))
            elif ids.isdisjoint(present):
                collection.restore(sorted(ids))
            now = stored(collection)
            state = {table: now[table] for table in ("documents", "copies")}
            assert seen.setdefault(frozenset(one.id for one in collection.documents()), state) == state
        assert stored(collection) == before
        collection.rebuild()
        assert stored(collection) == before


def test_a_rebuild_erases_what_was_removed(news: Collection) -> None:
    news.remove(["ferry0"])
    news.rebuild()
    assert news.removed() == []
    connection = news._database.connection
    for table in ("documents", "mentions", "scores", "vectors", "left_out"):
        assert connection.execute(f"SELECT count(*) FROM removed_{table}").fetchone() == (0,)
    with pytest.raises(InputError, match="no document was removed since the collection was built"):
        news.restore()
    with pytest.raises(InputError, match="no document 'ferry0' was removed since the collection was built; add the"):
        news.restore(["ferry0"])
    with pytest.raises(InputError, match="must be a list of ids"):
        news.restore("ferry0")

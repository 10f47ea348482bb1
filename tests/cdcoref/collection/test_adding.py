"""Adding documents: known ones are left alone, changed ones replaced, ids of clusters last, all at once is the same."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cdcoref.collection import OPTIONS, Collection
from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.errors import InputError
from cdcoref.formats import read_corpus, tokenise_text
from cdcoref.predict import Predictor


def test_lines_that_a_site_puts_above_its_articles_do_not_make_a_story(lemma: Collection, predictor: Predictor) -> None:
    finder = Predictor(predictor.model, lemma=True)
    above = "Share this with Email Facebook Messenger Twitter Pinterest WhatsApp LinkedIn\n\n2 March 2024\n\n"
    reports = {
        "flood": "River bursts its banks in Torvald. The Ask flooded nine streets, and 300 people fled by boat.",
        "merger": "Bakers to merge. Brandt and Ovens, two makers of bread, agreed on a merger worth 40 million euros.",
        "verdict": "Smuggler jailed. A court in Lisse jailed Piet Kamp for smuggling cigarettes in coffins for years.",
        "storm": "Gale fells oaks in Brenn. Wind of 140 kilometres an hour closed a railway and two schools.",
    }
    lemma.add({id: above + text for id, text in reports.items() if id != "storm"}, finder)
    assert lemma.counts().stories == 3
    lemma.add({"storm": above + reports["storm"]}, finder)
    mentions = lemma.corpus().mentions
    assert mentions
    assert all(mention.start >= 9 for mention in mentions)  # behind the first line, of nine words
    assert lemma.counts().stories == 4
    report = lemma.rebuild(finder)
    assert (report.merged, report.split) == ((), ())
    assert [m.key for m in lemma.corpus().mentions] == [m.key for m in mentions]
    assert lemma.counts().stories == 4
    assert lemma.add({"storm": above + reports["storm"]}).known == {"storm": "storm"}


def test_the_same_content_is_known_whatever_its_id(written: Any, lemma: Collection) -> None:
    lemma.add(written.annotated("a", *written.FERRY))
    before = written.members(lemma)
    report = lemma.add(
        written.joined(
            written.annotated("a", *written.FERRY),
            written.annotated("b", *written.FERRY),
            written.annotated("c", *written.MUSEUM),
        )
    )
    assert report.added == ("c",)
    assert report.known == {"a": "a", "b": "a"}
    assert before.items() <= written.members(lemma).items()
    twice = lemma.add(
        written.joined(written.annotated("d", "Police saw it ."), written.annotated("e", "Police saw it ."))
    )
    assert (twice.added, twice.known) == (("d",), {"e": "d"})


def test_a_changed_document_replaces_its_earlier_self_and_ids_stay(written: Any, lemma: Collection) -> None:
    lemma.add(written.joined(*written.reports(2)))
    ids = {cluster.title: cluster.id for cluster in lemma.clusters(min_mentions=1)}
    report = lemma.add(written.annotated("ferry0", "News .", *written.FERRY))
    assert (report.added, report.replaced) == ((), ("ferry0",))
    assert {cluster.title: cluster.id for cluster in lemma.clusters(min_mentions=1)} == ids
    assert lemma.document("ferry0").document.tokens[0] == "News"
    assert [m.line for m in lemma.document("ferry0").mentions if m.text == "sank"] == [2]


def test_content_that_moves_on_from_id_to_id_is_not_lost(written: Any, lemma: Collection) -> None:
    lemma.add(written.joined(written.annotated("a", *written.FERRY), written.annotated("b", *written.MUSEUM)))
    moved = (
        written.annotated("a", "A storm came ."),
        written.annotated("b", *written.FERRY),
        written.annotated("c", *written.MUSEUM),
    )
    report = lemma.add(written.joined(*moved))
    assert (report.added, report.replaced, report.known) == (("c",), ("a", "b"), {})
    assert {d.id: d.tokens for d in lemma.corpus().documents} == {
        c.documents[0].id: c.documents[0].tokens for c in moved
    }


def text_file(written: Any, path: Path, text: str) -> Corpus:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    (document,) = read_corpus([path]).corpus.documents
    return Corpus((document,), written.annotated(document.id, *map(" ".join, _sentences(document))).mentions)


def _sentences(document: Document) -> list[tuple[str, ...]]:
    return [document.tokens[start:end] for start, end in document.sentences]


def test_documents_without_mentions_beside_annotated_ones_are_noted(written: Any, lemma: Collection) -> None:
    other = replace(written.annotated("b", *written.MUSEUM), mentions=())
    report = lemma.add(written.joined(written.annotated("a", *written.FERRY), other))
    assert [note[:44] for note in report.notes] == ["no mentions were detected in 1 document with"]


def test_texts_of_one_name_in_two_folders_are_two_documents(written: Any, lemma: Collection, tmp_path: Path) -> None:
    lemma.add(text_file(written, tmp_path / "monday" / "report.txt", "The ferry sank.\n"))
    report = lemma.add(text_file(written, tmp_path / "tuesday" / "report.txt", "The museum guard saw it.\n"))
    assert report.added == ("tuesday/report.txt",)
    changed = lemma.add(text_file(written, tmp_path / "tuesday" / "report.txt", "The museum guard saw them.\n"))
    assert changed.replaced == ("tuesday/report.txt",)
    assert lemma.counts().documents == 2


def test_two_documents_under_one_id_are_not_one(written: Any, lemma: Collection, tmp_path: Path) -> None:
    monday, tuesday = tmp_path / "monday" / "report.txt", tmp_path / "tuesday" / "report.txt"
    lemma.add(text_file(written, monday, "The ferry sank.\n"))
    before = lemma.corpus()
    changed = text_file(written, monday, "The ferry sank in the storm.\n")
    (text,) = changed.documents
    changed = Corpus((replace(text, id="monday/report.txt"),))
    other = Corpus((tokenise_text("Thieves stole a painting.\n", "report.txt"),))
    for both in ((changed, other), (other, changed)):
        with pytest.raises(
            InputError, match=r"would both have the id 'report\.txt' in the collection; give one of them"
        ):
            lemma.add(Corpus(written.joined(*both).documents, (Mention("report.txt", (0,), "entity"),)))
        assert lemma.corpus() == before
    # A text that is new gets another id, before and after the document that has this one.
    new = text_file(written, tuesday, "The museum guard saw it.\n")
    named = written.annotated("tuesday/report.txt", *written.MUSEUM)
    for both in ((new, named), (named, new)):
        report = lemma.add(written.joined(*both))
        assert set(report.added) == {"tuesday/report.txt", f"{tmp_path.name}/tuesday/report.txt"}
        lemma.remove(report.added)
    assert lemma.corpus() == before


def test_nothing_is_added_if_anything_is_wrong(written: Any, lemma: Collection) -> None:
    lemma.add(written.reports(1)[0])
    before = lemma.corpus()
    broken = Document("x", ("\ud800",), ((0, 1),), "\ud800", ((0, 1),))
    with pytest.raises(InputError, match="half of a surrogate pair"):
        lemma.add(written.joined(written.annotated("y", *written.MUSEUM), Corpus((broken,))))
    assert lemma.corpus() == before


SAILORS = "sailors who came home late, and of a cook who had stayed on land that week because his daughter was ill"
WEATHER = "weather: wind from the north, rain until noon, then clouds, and no sun before the middle of next month"
LAWYERS = "lawyers, each of whom had read the same forty pages and drawn from them what his client wished to hear"
TEXTS = {
    f"{name}{n}": f"{text} Paragraph {n} says more about {extra}.\n"
    for n, extra in enumerate((SAILORS, WEATHER, LAWYERS))
    for name, text in (
        ("ferry", "The ferry Maren sank in the storm off Tresk. Police arrested the captain of the ferry on Friday."),
        ("museum", "Thieves stole a Torvik painting from the Lindmere museum. A guard saw the thieves leave in a van."),
    )
}


def predicted(predictor: Predictor) -> Corpus:
    corpus = Corpus(tuple(tokenise_text(text, id) for id, text in TEXTS.items()))
    return predictor.predict(corpus, OPTIONS).corpus


def test_all_at_once_and_a_rebuild_are_what_is_predicted(
    written: Any, path: Path, predictor: Predictor, tiny_model_folder: Path, tmp_path: Path
) -> None:
    expected = predicted(predictor)
    confidence = {mention.key: mention.confidence for mention in expected.mentions}
    with Collection.create(path, str(tiny_model_folder)) as collection:
        report = collection.add(TEXTS, predictor)
        assert report.pairs == 6
        assert written.clusters_of(collection.corpus()) == written.clusters_of(expected)
    with Collection.create(tmp_path / "slow.cdcoref", str(tiny_model_folder)) as collection:
        for id, text in TEXTS.items():
            collection.add({id: text}, predictor)
        collection.rebuild(predictor)
        found = collection.corpus()
        assert written.clusters_of(found) == written.clusters_of(expected)
        assert {mention.key: mention.confidence for mention in found.mentions} == pytest.approx(confidence)
        assert {frozenset(story) for story in collection.prediction().story_documents} == {
            frozenset(id for id in TEXTS if id.startswith(name)) for name in ("ferry", "museum")
        }


def test_only_new_pairs_are_read(written: Any, path: Path, predictor: Predictor, tiny_model_folder: Path) -> None:
    to_read = []
    with Collection.create(path, str(tiny_model_folder), max_pairs=2) as collection:
        collection.add({id: text for id, text in TEXTS.items() if not id.endswith("2")}, predictor)
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("DELETE FROM scores")  # what is read again is stored again
        report = collection.add(
            {"ferry2": TEXTS["ferry2"]}, predictor, progress=lambda stage, done, total: to_read.append((stage, total))
        )
        assert (report.pairs, report.stories) == (2, 1)
        assert {total for stage, total in to_read if stage == "comparing"} == {5}  # three documents and two pairs
        pairs = {(one, other) for one, other in written.compared(collection) if one != other}
        assert pairs == {("ferry0", "ferry2"), ("ferry1", "ferry2")}


def test_a_story_that_got_no_document_is_untouched(path: Path, predictor: Predictor, tiny_model_folder: Path) -> None:
    with Collection.create(path, str(tiny_model_folder)) as collection:
        collection.add({id: text for id, text in TEXTS.items() if id != "ferry2"}, predictor)
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("UPDATE mentions SET confidence = 0.125")  # which clustering would change
        museum = {m.id: m for m in collection.document("museum0").mentions}
        assert collection.add({"ferry2": TEXTS["ferry2"]}, predictor).stories == 1
        assert {m.id: m for m in collection.document("museum0").mentions} == museum
        assert {m.confidence for m in museum.values()} == {0.125}
        assert 0.125 not in {m.confidence for m in collection.document("ferry0").mentions}


def test_another_model_is_refused(path: Path, predictor: Predictor, tiny_model_folder: Path) -> None:
    with Collection.create(path, str(tiny_model_folder)) as collection:
        collection.add({"ferry0": TEXTS["ferry0"]}, predictor)
        before = collection.corpus()
        other = Predictor(predictor.model.__class__.from_pretrained(tiny_model_folder))
        other.model.settings = replace(other.model.settings, temperature={"event": 2.0, "entity": 2.0})
        lemma = Predictor(predictor.model, lemma=True)
        for wrong in (other, lambda: other):
            with pytest.raises(InputError, match="made with another model"):
                collection.add({"ferry1": TEXTS["ferry1"]}, wrong)
        for wrong in (lemma, lambda: lemma):
            with pytest.raises(InputError, match="made with the model"):
                collection.add({"ferry1": TEXTS["ferry1"]}, wrong)
        assert collection.corpus() == before
        collection.rebuild(other)
        assert collection.add({"ferry1": TEXTS["ferry1"]}, other).added == ("ferry1",)


def test_the_model_is_loaded_when_it_is_needed(path: Path, tiny_model_folder: Path) -> None:
    with Collection.create(path, str(tiny_model_folder)) as collection:
        steps: list[str] = []
        collection.add(TEXTS, progress=lambda stage, done, total: steps.append(stage))
        assert list(dict.fromkeys(steps)) == ["finding mentions", "comparing", "storing"]
        assert collection.counts().mentions > 0
        with pytest.raises(InputError, match="this collection was made with the model"):
            Collection.create(path, "lemma")

"""Predictions as people and programs take them: clusters in order, counts, rows, data frames."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from referencing import Registry, Resource

from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.errors import InputError
from cdcoref.formats import SCHEMAS, json_schema, read_corpus, tokenise_text
from cdcoref.predict import Plan, Prediction
from cdcoref.reports import Counts, MentionRow, Results, Tally

FIRST = Document.from_sentences("a", [["Ann", "left", "."], ["She", "took", "it", "off", "."]])
SECOND = Document.from_sentences("b", [["Ann", "went", "."], ["Rain", "<b>", "."]])
MENTIONS = (
    Mention("a", (0,), "entity", "ann", confidence=0.5),
    Mention("a", (1,), "event", "left", confidence=0.9),
    Mention("a", (3,), "entity", "ann"),
    Mention("a", (4, 6), "event", "off", confidence=0.75),
    Mention("b", (0,), "entity", "ann", confidence=0.7),
    Mention("b", (1,), "event", "left", confidence=0.8),
    Mention("b", (3,), "event", None),
    Mention("a", (5,), "entity", "it"),
    Mention("a", (6,), "entity", "it"),
)
PREDICTION = Prediction(Corpus((FIRST, SECOND), MENTIONS), (("a", "b"),), Plan(2, 1, 2, 1, 0))


def test_clusters_across_documents_come_first_then_within_one_then_lone_mentions() -> None:
    clusters = PREDICTION.clusters(singletons=True)
    assert [(c.id, c.documents, len(c.mentions)) for c in clusters] == [
        ("left", 2, 2), ("ann", 2, 3), ("it", 1, 2), (None, 1, 1), ("off", 1, 1),
    ]  # fmt: skip
    assert clusters[1].confidence == pytest.approx(0.6)
    assert clusters[2].confidence is None
    assert PREDICTION.clusters() == clusters[:3]
    assert next(PREDICTION.each_cluster()) == clusters[0]


def test_most_documents_come_first_where_no_confidence_is_known() -> None:
    documents = tuple(Document.from_sentences(name, [["x"] * 9]) for name in "abc")
    large = [Mention("ab"[n % 2], (n // 2,), "event", "large") for n in range(8)]
    wide = [Mention(name, (8,), "event", "wide") for name in "abc"]
    prediction = Prediction(Corpus(documents, (*large, *wide)), (("a", "b", "c"),), PREDICTION.plan)
    assert [cluster.id for cluster in prediction.clusters()] == ["wide", "large"]


def test_counts_of_stories_add_up() -> None:
    counts = PREDICTION.counts()
    assert counts == Counts(documents=2, stories=1, mentions=9, across=2, within=1, singletons=2)
    tally = Tally()
    for document in PREDICTION.corpus.documents:  # a cluster in both is one cluster
        tally.add(PREDICTION.corpus.subset([document.id]), 0)
    tally.add(Corpus((replace(FIRST, id="c"),)), 1)
    assert tally.counts() == replace(counts, documents=3)


def test_rows() -> None:
    rows = list(PREDICTION.rows())
    first = MentionRow("left", "", "event", "left", "a", 1, 4, 8, 0.9, 2, 2, 1, "Ann left .", participants="Ann")
    first = first._replace(participants_stated="Ann (a:0-3); Ann (b:0-3)")
    assert rows[0] == first
    assert [row.text for row in rows] == ["left", "went", "Ann", "She", "Ann", "it", "off", "Rain", "took ... off"]
    assert (rows[8].start, rows[8].end, rows[8].line, rows[8].sentence) == (15, 26, 2, "She took it off .")
    assert rows[7].cluster is rows[7].confidence is None
    assert next(Results.of(PREDICTION.corpus).rows()).story is None


@pytest.mark.parametrize("path", [None, 3, ""])
def test_a_result_is_saved_under_a_name(path: Any) -> None:
    with pytest.raises(InputError, match="the output must be the name of a file or folder, not"):
        PREDICTION.save(path)


def test_folders_are_saved_as_they_are_asked_for(tmp_path: Path) -> None:
    PREDICTION.save(tmp_path / "pronouns")
    PREDICTION.save(tmp_path / "brat", folder_format="brat")
    assert sorted(file.name for file in (tmp_path / "brat").glob("*.ann")) == ["a.ann", "b.ann"]
    for name, options, message in (
        ("x", {"folder_format": "word"}, "cannot be 'word'; choose from text, brat, xmi"),
        ("x.html", {"folder_format": "brat"}, "is for an output folder"),
    ):
        with pytest.raises(InputError, match=message):
            PREDICTION.save(tmp_path / name, **options)  # type: ignore[arg-type]
        assert not (tmp_path / name).exists()
    with pytest.raises(InputError, match="the title must be a string, not 3"):
        PREDICTION.to_html(title=3)  # type: ignore[arg-type]


def test_a_data_frame() -> None:
    frame = PREDICTION.to_dataframe()
    assert list(frame.columns) == list(MentionRow._fields)
    assert len(frame) == 9
    assert frame.groupby("cluster")["document"].nunique().to_dict() == {"ann": 2, "it": 1, "left": 2, "off": 1}
    assert frame["confidence"].isna().sum() == 4
    assert str(frame["story"].dtype) == "Int64"
    empty = Prediction(Corpus(()), (), PREDICTION.plan).to_dataframe()
    assert (len(empty), list(empty.columns)) == (0, list(MentionRow._fields))


def test_without_pandas_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(InputError, match=r"pip install pandas$"):
        PREDICTION.to_dataframe()


def test_a_prediction_is_saved_by_the_end_of_the_name(tmp_path: Path) -> None:
    for name in ("x.html", "x.jsonl", "x.csv", "x.conllu"):
        PREDICTION.save(tmp_path / name)
    assert (tmp_path / "x.html").read_text() == PREDICTION.to_html()
    assert "<title>News</title>" in PREDICTION.to_html(title="News")
    saved = read_corpus([tmp_path / "x.jsonl"]).corpus
    assert saved.documents == PREDICTION.corpus.documents
    assert saved.by_document() == PREDICTION.corpus.by_document()
    assert PREDICTION.save(str(tmp_path / "x.conll"))[0].startswith("1 discontinuous mention")
    for name in ("x.doc", "x.html.gz", "x.cdcoref"):
        with pytest.raises(InputError, match=r"name must end in \.conll, .*\.csv, \.html, .*is a folder"):
            PREDICTION.save(tmp_path / name)
    PREDICTION.save(tmp_path / "texts")
    assert (tmp_path / "texts" / "a.txt").read_text() == PREDICTION.resolved_texts()["a"]


def test_a_prediction_as_json_follows_its_schema() -> None:
    registry = Registry().with_resources(
        (json_schema(name)["$id"], Resource.from_contents(json_schema(name))) for name in SCHEMAS
    )
    schema = json_schema("prediction")
    jsonschema.Draft202012Validator.check_schema(schema)
    named = replace(PREDICTION, corpus=replace(PREDICTION.corpus, names={("entity", "ann"): "Ann Lee"}), notes=("n",))
    for prediction in (named, Prediction(Corpus(()), (), PREDICTION.plan)):
        content = json.loads(prediction.to_json())
        jsonschema.Draft202012Validator(schema, registry=registry).validate(content)
        assert content == json.loads(prediction.to_json(indent=2))
    content = json.loads(named.to_json())
    (story,) = content["stories"]
    assert (story["number"], story["documents"]) == (1, ["a", "b"])
    assert [(c["id"], c["label"], c["named"], len(c["mentions"])) for c in content["clusters"][:2]] == [
        ("left", "Ann left", False, 2), ("ann", "Ann Lee", True, 3),
    ]  # fmt: skip
    text_of = {document["id"]: document["text"] for document in content["documents"]}
    for cluster in content["clusters"]:
        for mention in cluster["mentions"]:
            shown = " ".join(text_of[mention["document"]][mention["start"] : mention["end"]].split())
            assert shown == mention["text"] or "..." in mention["text"]


FIRE = "KALAMATA, Greece, Aug. 6, 2024 - A fire killed two people near Kalamata on Tuesday. Crews fought the fire."
BLAZE = "ATHENS, Greece, Aug. 7, 2024 - The blaze went on. A man died in it."


def fires() -> Prediction:
    """One event in two texts; one of them states its day and place."""
    documents = [tokenise_text(FIRE, "a"), tokenise_text(BLAZE, "b")]

    def mention(number: int, word: str, kind: str, cluster: str) -> Mention:
        document = documents[number]
        start = document.text.rindex(word)
        return Mention(document.id, ([a for a, _ in document.offsets].index(start),), kind, cluster, confidence=0.5)

    killed = Mention("a", (documents[0].tokens.index("killed"),), "event", "killing")
    mentions = (
        killed, mention(0, "people", "entity", "people"), mention(0, "fire", "event", "fire"),
        mention(1, "blaze", "event", "fire"), mention(1, "died", "event", "killing"),
        mention(1, "man", "entity", "man"),
    )  # fmt: skip
    corpus = Corpus(tuple(documents), mentions, names={("event", "fire"): "The great fire"})
    return Prediction(corpus, (("a", "b"),), Plan(2, 1, 2, 1, 0))


@pytest.mark.parametrize("name", ["x.json", "x.json.gz", "x.jsonl", "x.jsonl.gz"])
def test_json_is_read_back_as_it_was(name: str, tmp_path: Path) -> None:
    prediction = fires()
    assert prediction.save(tmp_path / name) == ()
    read = read_corpus([tmp_path / name]).corpus
    assert (read.documents, set(read.mentions), read.names) == (
        prediction.corpus.documents, set(prediction.corpus.mentions), prediction.corpus.names,
    )  # fmt: skip


def test_json_lines_have_the_words_that_state_circumstances(tmp_path: Path) -> None:
    prediction = fires()
    prediction.save(tmp_path / "x.jsonl")
    check = jsonschema.Draft202012Validator(json_schema("document"))
    known = {}
    for line in map(json.loads, (tmp_path / "x.jsonl").read_text(encoding="utf-8").splitlines()):
        check.validate(line)
        for event in line["clusters"]:
            for one in (event.get("when"), event.get("where"), *event.get("participants", ())):
                for stated in one["mentions"] if one else ():
                    assert line["text"][stated["start"] : stated["end"]] == stated["text"]
            known[line["id"], event["cluster"]] = event
    of = {cluster.id: cluster for cluster in prediction.clusters(singletons=True)}
    for id in ("a", "b"):
        assert known[id, "killing"]["when"]["value"] == str(of["killing"].when) == "2024-08-06"
        assert known[id, "killing"]["where"]["value"] == str(of["killing"].where)
        assert [one["label"] for one in known[id, "killing"]["participants"]] == ["people", "man"]
        assert known[id, "fire"]["name"] == "The great fire"
    assert [one["text"] for one in known["a", "killing"]["when"]["mentions"]] == ["Tuesday"]
    assert known["b", "killing"]["when"]["mentions"] == []
    assert ("a", "people") not in known


def test_tables_have_the_words_that_state_circumstances() -> None:
    rows = {(row.document, row.text): row for row in fires().rows()}
    start = FIRE.index("Tuesday")
    assert rows["b", "died"].when_stated == f"Tuesday (a:{start}-{start + 7})"
    assert rows["a", "killed"].where_stated.startswith("Kalamata (a:")
    assert rows["a", "killed"].participants_stated.split("; ")[0].startswith("people (a:")
    assert rows["a", "people"].when_stated == rows["a", "people"].participants_stated == ""


def test_a_part_of_a_prediction_keeps_the_numbers_of_stories() -> None:
    prediction = replace(PREDICTION, story_documents=(("a",), ("b",)))
    part = prediction.subset(["b"])
    assert part.numbered_stories() == {2: ("b",)}
    assert {mention.document for mention in part.corpus.mentions} == {"b"}


def test_the_stories_of_a_corpus_are_those_it_is_annotated_with() -> None:
    documents = (replace(FIRST, topic="1", subtopic="1a"), replace(SECOND, topic="1", subtopic="1b"))
    assert Results.of(Corpus(documents)) == Results(Corpus(documents), (("a",), ("b",)))
    topics = tuple(replace(document, subtopic=None) for document in documents)
    assert Results.of(Corpus(topics)).story_documents == (("a", "b"),)
    assert Results.of(Corpus((documents[0], SECOND))).story_documents == ()
    assert Results.of(PREDICTION) is PREDICTION
    numbered = replace(PREDICTION, story_numbers=(7,))
    assert numbered.numbered_stories() == {7: ("a", "b")}
    assert {row.story for row in numbered.rows()} == {7}


def test_lines_and_sentences_of_a_text() -> None:
    text = "One.\n\nTwo two.\nThree."
    document = Document("d", ("One.", "Two", "two.", "Three."), ((0, 1), (1, 3), (3, 4)), text,
                        ((0, 4), (6, 9), (10, 14), (15, 21)))  # fmt: skip
    corpus = Corpus((document,), tuple(Mention("d", (n,), "event") for n in range(4)))
    found = {row.text: (row.line, row.sentence) for row in Results.of(corpus).rows()}
    assert found == {"One.": (1, "One."), "Two": (3, "Two two."), "two.": (3, "Two two."), "Three.": (4, "Three.")}


def test_a_span_of_two_mentions_is_stated_once() -> None:
    document = Document.from_sentences("a", [["Ann", "and", "Bob", "came", "."], ["They", "sang", "."]])
    people = [("x", 0), ("y", 2), ("x", 5), ("y", 5)]
    mentions = [Mention("a", (token,), "entity", cluster) for cluster, token in people]
    rows = Results.of(Corpus((document,), (*mentions, Mention("a", (6,), "event", "z")))).rows()
    assert [row.participants_stated for row in rows if row.kind == "event"] == ["They (a:19-23)"]

"""The whole arrow from Python: places in the texts, options, order, a cache, many documents and a long one."""

from __future__ import annotations

import copy
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import cdcoref
from cdcoref.corpus import KINDS, Corpus, Document, Mention
from cdcoref.errors import InputError
from cdcoref.evaluation import evaluate
from cdcoref.formats import read_jsonl, tokenise_text
from cdcoref.linking import Comparison, all_pairs
from cdcoref.model import DEFAULT_MODEL, CorefModel, DetectorOptions, model_fingerprint
from cdcoref.predict import Plan, Prediction, PredictionOptions, Predictor, Topics, load
from cdcoref.reading import Readings
from cdlm.settings import with_settings

FERRY = "The ferry sank in the storm off Tresk. Nineteen people died, police said on Friday."
STORM = (
    "\n\n  A ferry sank on Friday.\r\n\tThe captain of the ferry was “held” by police 🚢 in Tresk…\n\nPolice said so."
)
OTHER = "Museum guards found the painting. The museum closed early, the guards said."


@pytest.fixture(scope="module")
def predictor(tiny_model_folder: Path) -> Predictor:
    return cdcoref.load(tiny_model_folder, device="cpu")


def choosy(predictor: Predictor, **settings: Any) -> Predictor:
    model = copy.copy(predictor.model)
    model.settings = with_settings(model.settings, settings)
    return Predictor(model)


def links(prediction: Prediction) -> set[frozenset[tuple[str, str, tuple[int, ...]]]]:
    return {
        frozenset((m.document, m.kind or "", m.tokens) for m in cluster) for cluster in prediction.corpus.clusters()
    }


# -- places ----------------------------------------------------------------------------------------------------------


def test_offsets_point_at_the_text(predictor: Predictor) -> None:
    texts = {"a": FERRY, "b": STORM, "c": OTHER}
    prediction = predictor.predict(texts, PredictionOptions(topics="none", threshold=0.95))
    clusters = prediction.clusters(singletons=True)
    shown = [m for cluster in clusters for m in cluster.mentions]
    assert len(shown) == len(prediction.corpus.mentions) > 10
    documents = {d.id: d for d in prediction.corpus.documents}
    tokens_at = {(m.document, documents[m.document].offsets[m.start][0]): m for m in prediction.corpus.mentions}
    for mention in shown:
        text = texts[mention.document]
        words = text[mention.start : mention.end]
        assert words == words.strip() != ""
        assert " ".join(words.split()) == mention.text
        assert mention.line == text[: mention.start].count("\n") + 1
        tokens = [documents[mention.document].tokens[t] for t in tokens_at[mention.document, mention.start].tokens]
        assert "".join(tokens) == "".join(words.split())
        assert mention.kind in KINDS
    assert {len(c.mentions) > 1 for c in clusters} == {True, False}
    assert all(len(c.mentions) > 1 for c in prediction.clusters())
    order = [(c.documents > 1, len(c.mentions) > 1) for c in clusters]
    assert order == sorted(order, reverse=True)


# -- little and nothing ----------------------------------------------------------------------------------------------


def test_little_and_nothing(predictor: Predictor) -> None:
    for texts in ([], [""], ["", " \n"]):
        prediction = predictor.predict(texts)
        assert prediction.clusters(singletons=True) == []
        assert (len(prediction.corpus.mentions), prediction.sequences) == (0, 0)
    one = predictor.predict([FERRY])
    assert one.plan.pairs == 0
    assert one.clusters(singletons=True)
    silent = Predictor(copy.deepcopy(predictor.model))
    assert silent.model.detector is not None
    nn.init.constant_(silent.model.detector.output.bias, -1e3)
    plans: list[Plan] = []
    nothing = silent.predict([FERRY, STORM, OTHER], announce=plans.append)
    assert nothing.corpus.mentions == ()
    assert nothing.clusters(singletons=True) == []
    assert plans == [nothing.plan]
    assert nothing.plan.documents == 3


def test_one_text_is_one_document(predictor: Predictor) -> None:
    assert predictor.predict(FERRY).corpus == predictor.predict([FERRY]).corpus


def test_a_series_keeps_its_index(predictor: Predictor) -> None:
    pandas = pytest.importorskip("pandas")
    texts = pandas.Series([FERRY, OTHER], index=[7, "b"])
    prediction = predictor.predict(texts)
    assert [(d.id, d.text) for d in prediction.corpus.documents] == [("7", FERRY), ("b", OTHER)]
    assert set(prediction.to_dataframe()["document"]) <= {"7", "b"}
    assert [d.id for d in predictor.predict(texts.reset_index(drop=True)).corpus.documents] == ["0", "1"]
    with pytest.raises(InputError, match="the id '7'"):
        predictor.predict(pandas.Series([FERRY, OTHER], index=[7, "7"]))
    with pytest.raises(InputError, match="one column of the table"):
        predictor.predict(pandas.DataFrame({"text": [FERRY]}))
    with pytest.raises(InputError, match="the text of '1' must be a string or a list of tokens, not float"):
        predictor.predict(pandas.Series([FERRY, float("nan")]))


def test_documents_without_words_are_no_stories(predictor: Predictor) -> None:
    texts = {"nothing": "", "a": FERRY, "blank": " \n", "b": STORM}
    prediction = predictor.predict(texts)
    assert [document.id for document in prediction.corpus.documents] == list(texts)
    assert {name for story in prediction.story_documents for name in story} == {"a", "b"}
    assert (prediction.plan.documents, prediction.plan.empty) == (4, 2)
    assert prediction.plan.stories == len(prediction.story_documents)
    counts = prediction.counts()
    assert (counts.documents, counts.empty, counts.stories) == (4, 2, len(prediction.story_documents))
    *_, (last, *_) = predictor.stream_subjects(prediction.corpus.subset(texts), PredictionOptions(find_mentions=True))
    assert [document.id for document in last.corpus.documents] == ["nothing", "blank"]
    together = predictor.predict(texts, PredictionOptions(topics="none"))
    assert together.story_documents == (tuple(texts),)


# -- options ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "settings", "message"),
    [
        ({"kind": "event"}, {}, "settings by name"),
        (None, {"kinds": "event"}, "no option 'kinds'; choose from .*kind, topics"),
        (None, {"kind": "events"}, "kind is 'events' and should be 'event', 'entity' or 'both'"),
        (None, {"threshold": 1.5}, "threshold is 1.5 and should be at most 1"),
        (None, {"max_pairs": 2.5}, "max_pairs is 2.5 and should be a whole number"),
        (None, {"max_pairs": 0}, "max_pairs is 0 and should be at least 1"),
        (None, {"topics": "gold"}, "topics is 'gold' and should be 'predicted', 'gold_subtopic', "),
        (None, {"batch_tokens": 0}, "batch_tokens is 0 and should be at least 1"),
    ],
)
def test_what_are_no_options(predictor: Predictor, options: Any, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        predictor.predict(["A ferry sank."], options, **settings)


def test_mentions_are_linked_within_groups(predictor: Predictor) -> None:
    texts = {"a": FERRY, "b": STORM, "c": OTHER, "d": OTHER.replace("early", "late")}
    found = predictor.predict(texts, PredictionOptions(threshold=0.0))
    assert {frozenset(group) for group in found.story_documents} == {frozenset("ab"), frozenset("cd")}
    for cluster in found.clusters(singletons=True):
        assert len({m.document in "ab" for m in cluster.mentions}) == 1
    assert (found.plan.stories, found.plan.pairs) == (2, 2)
    together = predictor.predict(texts, PredictionOptions(threshold=0.0, topics="none"))
    assert together.story_documents == (("a", "b", "c", "d"),)
    assert together.plan.pairs == 6
    with pytest.raises(InputError, match="'a' has no annotated subtopic"):
        predictor.predict(texts, PredictionOptions(topics="gold_subtopic"))
    documents = tuple(replace(d, topic="t", subtopic=d.id) for d in found.corpus.documents)
    alone = predictor.predict(Corpus(documents), PredictionOptions(threshold=0.0, topics="gold_subtopic"))
    assert alone.plan.pairs == 0
    assert predictor.predict(Corpus(documents), PredictionOptions(topics="gold_topic")).plan.pairs == 6


def test_confidence_is_the_mean_probability_of_the_links(predictor: Predictor) -> None:
    prediction = predictor.predict([FERRY, STORM, OTHER, FERRY + OTHER], PredictionOptions(topics="none"))
    corpus = prediction.corpus
    logits = Comparison(predictor.model, Readings(corpus), all_pairs(prediction.story_documents)).run(batch_tokens=4096)
    values = logits.probabilities(predictor.model.settings.temperature)
    probability = dict(zip(zip(logits.first.tolist(), logits.second.tolist(), strict=True), values, strict=True))
    number = {(m.key, m.kind): n for n, m in enumerate(corpus.mentions)}
    checked = 0
    for cluster in corpus.clusters():
        members = sorted(number[m.key, m.kind] for m in cluster)
        for one in members:
            others = [probability[min(one, o), max(one, o)] for o in members if o != one]
            if others:
                assert corpus.mentions[one].confidence == pytest.approx(np.mean(others), abs=1e-4)
                checked += 1
            else:
                assert (corpus.mentions[one].confidence or 0) >= 0.6  # that of the detector
        shown = [c for c in prediction.clusters(singletons=True) if len(c.mentions) == len(members)]
        pairs = [probability[pair] for pair in combinations(members, 2)]
        if pairs:
            assert any(c.confidence == pytest.approx(np.mean(pairs), abs=1e-4) for c in shown)
    assert checked > 4


# -- across stories --------------------------------------------------------------------------------------------------


def sightings() -> Corpus:
    """Three stories of two documents that name Anna Berg, two of them about one subject."""
    seen = {"a": ("Lund airport", 50), "c": ("wheat", 300), "b": ("Lund airport", 50)}
    texts = {
        story + report: f"They saw Anna Berg before the {where} closed {' '.join(f'{story}{n}x' for n in order)}"
        for story, (where, words) in seen.items()
        for report, order in (("1", range(words)), ("2", range(words)[::-1]))
    }
    documents = tuple(Document.from_sentences(name, [text.split()]) for name, text in texts.items())
    return Corpus(documents, tuple(Mention(name, (2, 3), "entity") for name in texts))


def documents_of(prediction: Prediction) -> set[frozenset[str]]:
    """The documents of every cluster."""
    return {frozenset(m.document for m in cluster.mentions) for cluster in prediction.clusters()}


APART = {frozenset({"a1", "a2"}), frozenset({"b1", "b2"}), frozenset({"c1", "c2"})}


def test_stories_about_one_subject_have_entities_of_one_name_in_common(predictor: Predictor) -> None:
    """Their stories follow each other."""
    options = PredictionOptions(threshold=0)
    prediction = predictor.predict(sightings(), options)
    assert prediction.story_documents == (("a1", "a2"), ("b1", "b2"), ("c1", "c2"))
    assert documents_of(prediction) == {frozenset({"a1", "a2", "b1", "b2"}), frozenset({"c1", "c2"})}
    streamed = [
        m
        for subject in predictor.stream_subjects(sightings(), options)
        for story in subject
        for m in story.corpus.mentions
    ]
    assert {(m.key, m.cluster) for m in streamed} == {(m.key, m.cluster) for m in prediction.corpus.mentions}


@pytest.mark.parametrize("topics", ["gold_topic", "none"])
def test_larger_groups_are_told_which_stories_are_in_them(predictor: Predictor, topics: Topics) -> None:
    """By the words of all documents; so the model can be wary of mentions of different stories without common names."""
    corpus = sightings()
    documents = tuple(replace(document, topic="all") for document in corpus.documents)
    events = replace(corpus, documents=documents, mentions=tuple(Mention(d.id, (1,), "event") for d in documents))
    options = PredictionOptions(threshold=0, topics=topics)
    assert documents_of(predictor.predict(events, options)) == {frozenset(one.id for one in documents)}
    wary = choosy(
        predictor, **{"vectors.combine.event.other_story": -100.0, "vectors.combine.entity.other_story": -100.0}
    )
    assert documents_of(wary.predict(events, options)) == APART
    assert len(documents_of(wary.predict(replace(events, mentions=corpus.mentions), options))) == 1


def test_annotated_groups_and_the_baseline_have_nothing_in_common(predictor: Predictor) -> None:
    corpus = sightings()
    documents = tuple(replace(document, topic=document.id[0]) for document in corpus.documents)
    options = PredictionOptions(threshold=0, topics="gold_topic")
    assert documents_of(predictor.predict(replace(corpus, documents=documents), options)) == APART
    assert documents_of(Predictor(predictor.model, lemma=True).predict(corpus)) == APART


# -- mentions that are given -----------------------------------------------------------------------------------------


def test_given_mentions_are_used_unless_told_otherwise(predictor: Predictor, sample: Path) -> None:
    given = read_jsonl(sample / "dev_tiny.jsonl")
    used = predictor.predict(given)
    assert [(m.key, m.kind, m.id, m.tag) for m in used.corpus.mentions] == [
        (m.key, m.kind, m.id, m.tag) for m in given.mentions
    ]
    assert used.notes == ()
    found = predictor.predict(given, PredictionOptions(find_mentions=True))
    assert {m.key for m in found.corpus.mentions} != {m.key for m in given.mentions}
    assert all(m.cluster for m in (*used.corpus.mentions, *found.corpus.mentions))


def test_documents_without_mentions_among_others_are_said(predictor: Predictor, sample: Path) -> None:
    given = read_jsonl(sample / "dev_tiny.jsonl")
    raw = predictor.predict({"raw": FERRY}).corpus.documents
    prediction = predictor.predict(Corpus((*given.documents, *raw), given.mentions))
    assert len(prediction.notes) == 1
    assert prediction.notes[0].startswith("no mentions were detected in 1 document without annotation, such as raw")
    assert (
        predictor.predict(Corpus((*given.documents, *raw), given.mentions), PredictionOptions(find_mentions=True)).notes
        == ()
    )


def test_mentions_are_detected_in_texts_beside_annotated_documents(predictor: Predictor, sample: Path) -> None:
    given = read_jsonl(sample / "dev_tiny.jsonl")
    found = predictor.predict({"raw": FERRY}).corpus
    both = Corpus((*given.documents, *found.documents), given.mentions, texts=frozenset({"raw"}))
    prediction = predictor.predict(both)
    assert {m.key for m in prediction.corpus.mentions} == {m.key for m in (*given.mentions, *found.mentions)}
    assert prediction.notes == ()


def test_mentions_without_a_kind_are_of_the_kind_that_is_asked_for(predictor: Predictor) -> None:
    document = Document.from_sentences("d", [["ferry", "sank", "ferry"]])
    corpus = Corpus((document,), (Mention("d", (0,)), Mention("d", (2,)), Mention("d", (1,), "event")))
    with pytest.raises(InputError, match="specify the kind of its mentions"):
        predictor.predict(corpus)
    entities = predictor.predict(corpus, PredictionOptions(kind="entity", threshold=0.0))
    assert [[m.text for m in c.mentions] for c in entities.clusters()] == [["ferry", "ferry"]]
    assert len(predictor.predict(corpus, PredictionOptions(kind="event")).corpus.mentions) == 3


def test_the_lemma_baseline_reads_a_model_when_it_must_find_mentions(
    monkeypatch: pytest.MonkeyPatch, tiny_model_folder: Path, tmp_path: Path
) -> None:
    read: list[Path] = []
    plain = CorefModel.from_pretrained

    def reading(folder: Path) -> CorefModel:
        read.append(folder)
        return plain(tiny_model_folder)

    monkeypatch.setattr(CorefModel, "from_pretrained", reading)
    baseline = load("lemma")
    document = Document.from_sentences("a", [["Ferries", "sank", "off", "ferry", "docks"]])
    given = Corpus((document,), (Mention("a", (0,), "entity", "x"), Mention("a", (3,), "entity", "x")))
    assert [len(cluster.mentions) for cluster in baseline.predict(given, cache=tmp_path / "cache").clusters()] == [2]
    assert evaluate(baseline, given)["parameters"] is None
    assert repr(baseline) == "<Predictor: lemma baseline>"
    assert not read
    assert baseline.predict([FERRY]).corpus.mentions
    assert baseline.predict(given, find_mentions=True).corpus.documents == given.documents
    assert read == [DEFAULT_MODEL]
    assert baseline.fingerprint == load(tiny_model_folder).fingerprint
    with pytest.raises(InputError, match="the device 'toaster' is not available here"):
        load("lemma", device="toaster")
    with pytest.raises(InputError, match="the model's mention detector has no style named 'people'"):
        load("lemma", style="people")


# -- a cache ---------------------------------------------------------------------------------------------------------


def test_a_second_run_computes_nothing(predictor: Predictor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {"a": FERRY, "b": STORM, "c": OTHER, "empty": ""}
    options = PredictionOptions(topics="none")
    first = predictor.predict(texts, options, cache=tmp_path / "cache")
    assert links(first) == links(predictor.predict(texts, options))

    def computed(*_: object, **__: object) -> None:
        raise AssertionError("this was kept")

    monkeypatch.setattr(CorefModel, "pair_logits", computed)
    monkeypatch.setattr(CorefModel, "read", computed)
    progress: list[tuple[str, int, int]] = []
    again = predictor.predict(texts, options, cache=tmp_path / "cache", progress=lambda *step: progress.append(step))
    assert again.corpus == first.corpus
    assert progress[-1][0] == "comparing"
    assert progress[-1][1] == progress[-1][2] == again.plan.pairs + 4
    # Names and another threshold cost nothing either.
    predictor.predict(list(texts.values()), replace(options, threshold=0.9), cache=tmp_path / "cache")
    with pytest.raises(AssertionError, match="this was kept"):
        predictor.predict([FERRY + " More."], options, cache=tmp_path / "cache")


def test_a_cache_changes_nothing_whatever_is_in_it(predictor: Predictor, tmp_path: Path) -> None:
    """Without a cache, with an empty one, with one of a part of the texts, and with all in it: the same file."""
    texts = {"a": FERRY, "b": STORM, "c": OTHER, "d": f"{OTHER} {FERRY}"}
    options = PredictionOptions(topics="none", pairs=True)
    some = {id: texts[id] for id in ("c", "d")}
    predictor.predict(some, options, cache=tmp_path / "partial")
    written = []
    for cache in (None, "cold", "cold", "partial"):
        prediction = predictor.predict(texts, options, cache=None if cache is None else tmp_path / cache)
        prediction.save(tmp_path / "p.jsonl")
        written.append(((tmp_path / "p.jsonl").read_bytes(), prediction.pairs))
    assert len(written[0][1] or ()) > 10
    assert all(one == written[0] for one in written[1:])


@pytest.mark.parametrize("topics", ["none", "predicted"])
def test_names_of_documents_do_not_matter(predictor: Predictor, topics: Topics) -> None:
    """Other names, in another alphabetical order, give the same clusters with the same confidence."""
    texts = {"a": FERRY, "b": STORM, "c": OTHER, "d": f"{OTHER} {FERRY}", "e": f"{STORM} {OTHER}"}
    other = dict(zip(texts, ("zoo/5", "ü 4", "Report", "2", "1"), strict=True))
    renamed = {other[id]: text for id, text in texts.items()}
    found = []
    for names, given in ((other, texts), ({id: id for id in other.values()}, renamed)):
        prediction = predictor.predict(given, PredictionOptions(topics=topics))
        found.append(
            {
                frozenset((names[m.document], m.kind, m.start, m.end) for m in cluster.mentions): cluster.confidence
                for cluster in prediction.clusters(singletons=True)
            }
        )
    assert any(len(cluster) > 1 for cluster in found[0])
    assert found[0].keys() == found[1].keys()
    assert all(found[0][cluster] == pytest.approx(found[1][cluster], abs=1e-5) for cluster in found[0])


def test_a_fingerprint_is_of_weights_and_settings(tiny_model_folder: Path) -> None:
    models = [CorefModel.from_pretrained(tiny_model_folder) for _ in range(4)]
    settings = models[1].settings
    models[1].settings = replace(settings, sequences=replace(settings.sequences, max_length=100))
    models[2].detector.output.bias.data += 1e-6
    models[3].inference_dtype = torch.bfloat16
    prints = [model_fingerprint(model) for model in models]
    assert len(set(prints)) == 4
    assert model_fingerprint(CorefModel.from_pretrained(tiny_model_folder)) == prints[0]


def test_a_model_is_hashed_once_for_all_its_caches(
    tiny_model_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hashed: list[CorefModel] = []
    monkeypatch.setattr(
        "cdcoref.model.model_fingerprint", lambda model: hashed.append(model) or model_fingerprint(model)
    )
    predictor = load(tiny_model_folder, device="cpu")
    for name in ("one", "one", "two"):
        predictor.predict([FERRY], cache=tmp_path / name)
    assert len(hashed) == 1
    sequences = replace(predictor.model.settings.sequences, max_length=100)
    predictor.model.settings = replace(predictor.model.settings, sequences=sequences)
    predictor.predict([FERRY], cache=tmp_path / "three")
    assert len(hashed) == 2


# -- loading ---------------------------------------------------------------------------------------------------------


def test_the_style_of_a_loaded_model(tiny_model: CorefModel, tmp_path: Path) -> None:
    model = copy.deepcopy(tiny_model)
    thresholds = {"dense": {"event": 0.2, "entity": 0.3}}
    model.replace_detector(DetectorOptions(1, ("salient", "dense"), "salient", thresholds))
    model.save_pretrained(tmp_path / "model", "card")
    assert load(tmp_path / "model", device="cpu").model.settings.detector.style == "salient"
    settings = load(tmp_path / "model", device="cpu", style="dense").model.settings
    assert settings.detector.style == "dense"
    assert settings.detection_threshold == thresholds["dense"]


def test_the_fingerprint_of_a_predictor_is_that_of_every_precision(tiny_model_folder: Path) -> None:
    """A collection that was made in one precision can be added to in another."""
    predictors = [load(tiny_model_folder, device="cpu", precision=name) for name in ("fp32", "bf16", "int8")]
    assert len({predictor.fingerprint for predictor in predictors}) == 1
    other = load(tiny_model_folder, device="cpu", precision="int8", style=None)
    other.model.detector.output.bias.data += 1
    assert Predictor(other.model).fingerprint != predictors[0].fingerprint


def test_names_that_clusters_came_with_are_not_given_to_others(predictor: Predictor) -> None:
    corpus = predictor.predict([FERRY, STORM]).corpus
    named = replace(corpus, names={(m.kind, m.cluster): "a name" for m in corpus.mentions if m.cluster})
    assert named.names
    assert predictor.predict(named, PredictionOptions(find_mentions=True)).corpus.names == {}


@pytest.mark.parametrize(("kind", "other"), [(None, "event"), ("event", "event")])
def test_a_mention_that_is_given_twice_is_linked_once(predictor: Predictor, kind: Any, other: Any) -> None:
    documents = predictor.predict([FERRY, STORM]).corpus.documents
    mentions = tuple(Mention(document.id, (token,), kind) for document in documents for token in (1, 2, 5))
    again = tuple(replace(mention, kind=other) for mention in mentions)
    once = predictor.predict(Corpus(documents, mentions), kind="event")
    twice = predictor.predict(Corpus(documents, (*mentions, *again)), kind="event")
    assert twice.notes == ("6 mentions given more than once; each is linked once",)
    assert twice.corpus.mentions == once.corpus.mentions


def test_a_notebook_completes_the_names_of_the_package() -> None:
    assert dir(cdcoref) == ["PredictionOptions", "load"]
    assert cdcoref.PredictionOptions is PredictionOptions


def test_texts_in_another_language_are_noted(predictor: Predictor) -> None:
    texts = {"de": "Die Fähre sank am Freitag vor Tresk, und neunzehn Menschen ertranken.", "en": "A ferry sank."}
    assert [note for note in predictor.predict(texts).notes if note.endswith("another language: de")]
    assert not predictor.predict({"en": texts["en"]}).notes


# -- near-duplicates -------------------------------------------------------------------------------------------------


INQUIRY = "The inquiry opens in May. Divers searched the wreck for two days, and the owners of the ferry paid for it."
REPORTS = (
    tokenise_text(f"{FERRY} {STORM} {INQUIRY} {OTHER}", "report"),
    tokenise_text(f"Ten of those who died when the ferry sank off Tresk were buried today. {OTHER}", "second"),
)


def republished(document: Document, id: str, gone: int, added: str = "") -> Document:
    """A document without a sentence, and with another at its end."""
    kept = [document.tokens[start:end] for n, (start, end) in enumerate(document.sentences) if n != gone]
    return Document.from_sentences(id, [*kept, *([added.split()] if added else [])])


def test_copies_are_read_like_any_document(predictor: Predictor) -> None:
    first, second = REPORTS
    copies = republished(first, "copy", 1), republished(first, "edited copy", 0, "Anna Berg met him .")
    documents = (copies[0], first, copies[1], second)
    words: list[int] = []

    def note(stage: str, done: int, total: int) -> None:
        words.append(total if stage == "finding mentions" else 0)

    prediction = predictor.predict(Corpus(documents), progress=note)
    assert prediction.copies() == {"report": ["copy", "edited copy"]}
    assert [document.copy_of for document in prediction.corpus.documents] == ["report", None, "report", None]
    assert (prediction.plan.documents, prediction.plan.copies) == (4, 2)
    assert max(words) == sum(len(d.tokens) for d in documents)
    alone = predictor.predict(Corpus((copies[1],)))
    assert {m.key for m in alone.corpus.mentions} == {
        m.key for m in prediction.corpus.mentions if m.document == "edited copy"
    }


def test_the_same_text_is_read_and_linked_once(predictor: Predictor) -> None:
    first, second = REPORTS
    repeats = [replace(first, id=id) for id in ("again", "once more")]
    words: list[int] = []

    def note(stage: str, done: int, total: int) -> None:
        words.append(total if stage == "finding mentions" else 0)

    alone = predictor.predict(Corpus((first, second))).corpus
    prediction = predictor.predict(Corpus((repeats[1], first, second, repeats[0])), progress=note)
    assert max(words) == len(first.tokens) + len(second.tokens)
    assert prediction.plan.documents == 4
    assert prediction.copies() == {"again": ["once more", "report"]}
    of = {name: {m.tokens for m in prediction.corpus.mentions if m.document == name} for name in ("again", "report")}
    assert of["again"] == of["report"] == {m.tokens for m in alone.mentions if m.document == "report"}
    for cluster in prediction.clusters():
        tokens = {(m.start, m.end) for m in cluster.mentions if m.document == "again"}
        for name in ("report", "once more"):
            assert {(m.start, m.end) for m in cluster.mentions if m.document == name} == tokens

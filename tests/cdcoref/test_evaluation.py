"""The protocol's numbers: their structure, known answers, and that they are the scores of what prediction gives."""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from cdcoref.corpora import CORPORA, AnnotatedCorpus
from cdcoref.corpus import KINDS, Corpus, Document, Mention
from cdcoref.errors import InputError
from cdcoref.evaluation import evaluate
from cdcoref.formats import read_jsonl
from cdcoref.linking import annotated_only, lemma_clusters
from cdcoref.model import CorefModel
from cdcoref.predict import PredictionOptions, Predictor
from cdcoref.scoring import METRICS, score
from cdcoref.stories import group_documents
from cdcoref.training import span_scores
from cdlm.settings import with_settings

SETTINGS = ["predicted", "gold_subtopic", "gold_topic"]


def corpus(clusters: Sequence[tuple[str, str, str, str]]) -> Corpus:
    """Documents of one word a mention: document, word, kind, cluster; a document's first letter is its subtopic."""
    names = sorted({row[0] for row in clusters})
    words = {name: [row[1] for row in clusters if row[0] == name] for name in names}
    documents = [Document.from_sentences(n, [[*words[n], "."]], topic="t", subtopic=n[0]) for n in names]
    place = dict.fromkeys(names, 0)
    mentions = []
    for name, _, kind, cluster in clusters:
        mentions.append(Mention(name, (place[name],), kind, cluster))
        place[name] += 1
    return Corpus(tuple(documents), tuple(mentions))


CROSSING = corpus(
    [
        ("a1", "ferry", "entity", "F"), ("a1", "sank", "event", "S"), ("a2", "ferry", "entity", "F"),
        ("a2", "sinking", "event", "T"), ("b1", "ferry", "entity", "F"), ("b1", "storm", "event", "S"),
    ]
)  # fmt: skip


@pytest.fixture
def lemma(tiny_model: CorefModel) -> Predictor:
    return Predictor(tiny_model, lemma=True)


@pytest.fixture
def dev(sample: Path) -> Corpus:
    """With subtopics, and one document's last sentence not annotated."""
    given = read_jsonl(sample / "dev_tiny.jsonl")
    documents = [replace(d, subtopic=f"{d.topic}_1") for d in given.documents]
    documents[1] = replace(documents[1], annotated=frozenset(range(len(documents[1].sentences) - 1)))
    return annotated_only(replace(given, documents=tuple(documents)))


def test_the_ceiling_is_what_groups_leave_of_the_gold_clusters(lemma: Predictor) -> None:
    entity = evaluate(lemma, CROSSING)["entity"]
    # One cluster of three mentions, cut into two and one.
    cut = entity["gold_subtopic"]["ceiling"]
    assert cut["recall"]["muc"] == pytest.approx(1 / 2)
    assert cut["recall"]["b3"] == pytest.approx((2 / 3 + 2 / 3 + 1 / 3) / 3)
    muc, b3 = 2 / 3, 2 * (5 / 9) / (1 + 5 / 9)
    similarity = 2 * 2 / (3 + 2)  # of the cluster of two with the whole; the single one has no partner
    assert cut["conll_f1"] == pytest.approx((muc + b3 + 2 * similarity / (1 + 2)) / 3)
    assert entity["gold_topic"]["ceiling"]["conll_f1"] == pytest.approx(1.0)
    # And the lemma baseline, which is right within subtopics, reaches it.
    assert entity["gold_subtopic"]["conll_f1"] == pytest.approx(cut["conll_f1"])
    assert entity["gold_topic"]["conll_f1"] == pytest.approx(1.0)


@pytest.mark.parametrize("mentions", ["gold", "predicted"])
def test_the_structure_of_the_results(tiny_model: CorefModel, dev: Corpus, mentions: str) -> None:
    progress: list[tuple[str, int, int]] = []
    results = evaluate(
        Predictor(tiny_model), dev, mentions=mentions, progress=lambda *step: progress.append(step)  # type: ignore[arg-type]
    )  # fmt: skip
    assert json.loads(json.dumps(results)) == results
    kinds = [*KINDS, "both"] if mentions == "predicted" else list(KINDS)
    own = {"mentions", "documents", "headline", "parameters", "seconds", *kinds}
    assert set(results) == own | ({"detection"} if mentions == "predicted" else set())
    assert (results["mentions"], results["documents"]) == (mentions, 2)
    assert results["parameters"] == tiny_model.parameter_count <= sum(p.numel() for p in tiny_model.parameters())
    for kind in kinds:
        assert list(results[kind]) == SETTINGS
        for scores in results[kind].values():
            assert set(scores) == {*METRICS, "conll_f1", "without_singletons", "lemma_baseline", "ceiling"}
            for table in (scores, scores["without_singletons"], scores["lemma_baseline"]):
                for name in METRICS:
                    assert set(table[name]) == {"recall", "precision", "f1"}
                    assert all(0 <= value <= 1 + 1e-9 for value in table[name].values())
                assert table["conll_f1"] == pytest.approx(sum(table[name]["f1"] for name in ("muc", "b3", "ceafe")) / 3)
            assert scores["conll_f1"] <= 1
    headline = results["headline"]
    kept = mentions == "gold"
    assert (headline["topics"], headline["singletons"]) == ("predicted", "keep" if kept else "remove")
    for kind in kinds:
        source = results[kind]["predicted"]
        expected = source if kept else source["without_singletons"]
        assert headline[kind] == {name: expected[name] for name in (*METRICS, "conll_f1")}
    assert progress[-1][0] == "comparing"
    assert progress[-1][1] == progress[-1][2]


def test_settings_and_kinds_that_are_not_annotated_are_left_out(lemma: Predictor) -> None:
    plain = replace(CROSSING, documents=tuple(replace(d, topic=None) for d in CROSSING.documents)).of_kind("event")
    results = evaluate(lemma, plain)
    assert list(results["event"]) == ["predicted", "gold_subtopic"]
    assert "entity" not in results
    assert "entity" not in results["headline"]
    with pytest.raises(InputError, match="no annotated mentions to score against"):
        evaluate(lemma, replace(CROSSING, mentions=()))


def by_hand(gold: Corpus, system: Corpus, kind: str, singletons: str) -> float | None:
    key, response = (
        [[(m.document, m.tokens, m.kind) for m in c] for c in side.of_kind(kind).clusters()] for side in (gold, system)
    )
    return score(key, response, singletons=singletons).conll_f1  # type: ignore[arg-type]


@pytest.mark.parametrize("setting", SETTINGS)
def test_gold_mentions_are_scored_as_predicted_clusters(tiny_model: CorefModel, dev: Corpus, setting: str) -> None:
    model = copy.copy(tiny_model)
    model.settings = with_settings(
        model.settings, {"vectors.combine.event.other_story": -1.0, "vectors.combine.entity.other_story": 1.0}
    )
    predictor = Predictor(model)
    results = evaluate(predictor, dev)
    system = predictor.predict(dev, PredictionOptions(topics=setting)).corpus  # type: ignore[arg-type]
    baseline = lemma_clusters(dev, group_documents(dev.documents, setting))  # type: ignore[arg-type]
    for kind in KINDS:
        scores = results[kind][setting]
        assert scores["conll_f1"] == pytest.approx(by_hand(dev, system, kind, "keep"))
        assert scores["without_singletons"]["conll_f1"] == pytest.approx(by_hand(dev, system, kind, "remove"))
        assert scores["lemma_baseline"]["conll_f1"] == pytest.approx(by_hand(dev, baseline, kind, "keep"))


def test_predicted_mentions_outside_annotated_sentences_are_dropped(tiny_model: CorefModel, dev: Corpus) -> None:
    predictor = Predictor(tiny_model)
    results = evaluate(predictor, dev, mentions="predicted")
    everything = predictor.predict(dev, PredictionOptions(topics="gold_topic", find_mentions=True)).corpus
    found = annotated_only(everything)
    assert len(found.mentions) < len(everything.mentions)
    system = predictor.predict(found, PredictionOptions(topics="gold_topic")).corpus
    for kind in (*KINDS, "both"):
        assert results[kind]["gold_topic"]["conll_f1"] == pytest.approx(by_hand(dev, system, kind, "keep"))
    for kind in KINDS:
        sides = dev.of_kind(kind).mentions, found.of_kind(kind).mentions
        for way, by_head in (("exact", False), ("last_word", True)):
            expected = dict(zip(("precision", "recall", "f1"), span_scores(*sides, by_head=by_head), strict=True))
            assert results["detection"][kind][way] == pytest.approx(expected)


def test_groups_limit_what_is_linked_and_not_what_is_computed(tiny_model: CorefModel) -> None:
    """A cluster that crosses subtopics can be found in its topic and not in its subtopics."""
    everything = replace(tiny_model.settings, distance_threshold={"event": 1.0, "entity": 1.0})
    model = CorefModel(tiny_model.encoder, tiny_model.tokenizer, everything)
    model.vector_scorer = tiny_model.vector_scorer
    entity = evaluate(Predictor(model.eval()), CROSSING)["entity"]
    assert entity["gold_topic"]["muc"]["recall"] == 1.0
    assert entity["gold_subtopic"]["muc"]["recall"] == 0.5


def of(name: str, corpus: Corpus) -> AnnotatedCorpus:
    return AnnotatedCorpus(corpus, CORPORA[name].info)


@pytest.mark.parametrize("model", ["lemma", "tiny"])
def test_without_links_across_documents_each_document_is_a_group(tiny_model: CorefModel, model: str) -> None:
    words = (("ferry", "entity"), ("sank", "event"), ("it", "entity"), ("storm", "event"))
    gold = corpus([(name, word, kind, f"{name}/{kind}") for name in ("a1", "a2", "b1") for word, kind in words])
    predictor = Predictor(tiny_model, lemma=model == "lemma")
    results = evaluate(predictor, of("gum", gold))
    assert results["headline"]["topics"] == "document"
    system = predictor.predict(replace(gold, documents=tuple(replace(d, topic=d.id) for d in gold.documents)),
                               PredictionOptions(topics="gold_topic")).corpus  # fmt: skip
    for kind in KINDS:
        assert list(results[kind]) == ["document"]
        scores = results[kind]["document"]
        assert scores["conll_f1"] == pytest.approx(by_hand(gold, system, kind, "keep"))
        assert scores["ceiling"]["conll_f1"] == pytest.approx(1.0)


def test_found_mentions_are_judged_for_exhaustive_kinds_alone(tiny_model: CorefModel, dev: Corpus) -> None:
    local = tuple(replace(m, cluster=f"{m.document}/{m.cluster}") for m in dev.mentions)
    gold = replace(dev, mentions=local)
    results = evaluate(Predictor(tiny_model), of("gum", gold), mentions="predicted")
    assert set(results["detection"]) == {"entity"}
    assert not {"event", "both"} & (results.keys() | results["headline"].keys())
    alone = evaluate(Predictor(tiny_model), of("litbank", gold.of_kind("entity")), mentions="predicted")
    assert alone["entity"] == results["entity"]
    with pytest.raises(InputError, match="cannot be scored on this corpus, since it annotates only some mentions"):
        evaluate(Predictor(tiny_model), of("gvc", dev.of_kind("event")), mentions="predicted")


def test_mentions_without_a_kind(lemma: Predictor, tiny_model: CorefModel) -> None:
    untold = replace(CROSSING, mentions=tuple(replace(m, kind=None) for m in CROSSING.of_kind("entity").mentions))
    results = evaluate(lemma, untold)
    assert list(results["unknown"]) == SETTINGS
    assert set(results["headline"]) == {"topics", "singletons", "unknown"}
    told = evaluate(lemma, CROSSING)["entity"]
    for setting in SETTINGS:
        assert results["unknown"][setting]["conll_f1"] == pytest.approx(told[setting]["conll_f1"])
    with pytest.raises(InputError, match="since its mentions have no kind; evaluate gold mentions"):
        evaluate(lemma, untold, mentions="predicted")
    with pytest.raises(InputError, match="neither an event nor an entity"):
        evaluate(Predictor(tiny_model), untold)


def test_without_annotated_singletons_the_headline_is_without_them(lemma: Predictor) -> None:
    info = replace(CORPORA["ecb"].info, singletons=False)
    results = evaluate(lemma, AnnotatedCorpus(CROSSING, info))
    assert results["headline"]["singletons"] == "remove"
    expected = results["entity"]["predicted"]["without_singletons"]
    assert results["headline"]["entity"]["conll_f1"] == expected["conll_f1"]

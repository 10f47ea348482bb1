"""Fitting the mention detector: it learns each style from the corpora that have it, and everything else stays."""

from __future__ import annotations

import copy
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from cdcoref.corpora import CORPORA, AnnotatedCorpus
from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.errors import InputError
from cdcoref.linking import find_mentions
from cdcoref.model import CorefModel, DetectorOptions
from cdcoref.training import DetectorTraining, fit_detector, tune_styles

NAMES = ["ferry", "storm", "police", "harbour"]
VERBS = ["sank", "left", "came", "hit"]


def corpus(name: str, mentions_of: dict[str, tuple[int, int, str]]) -> AnnotatedCorpus:
    """Sentences "the NAME VERB", each with the mentions that `mentions_of` names: start, end and kind."""
    sentences = [["the", noun, verb] for noun in NAMES for verb in VERBS]
    document = Document.from_sentences(name, sentences)
    mentions = [
        Mention(name, tuple(range(3 * n + start, 3 * n + end)), kind)
        for n in range(len(sentences))
        for start, end, kind in mentions_of.values()
    ]
    return AnnotatedCorpus(Corpus((document,), tuple(mentions)), CORPORA[name].info)


HEADS = corpus("ecb", {"noun": (1, 2, "entity"), "verb": (2, 3, "event")})
PHRASES = corpus("meantime", {"noun": (0, 2, "entity"), "verb": (2, 3, "event")})
STYLED = DetectorOptions(word_layers=2, styles=("salient", "phrases"), style="salient")


def fitted(model: CorefModel, parts: list[AnnotatedCorpus], options: DetectorOptions) -> tuple[CorefModel, list[str]]:
    changed = copy.deepcopy(model)
    said: list[str] = []
    settings = DetectorTraining(passes=60, step_words=24)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("cdcoref.training.detector.RATE", 1e-2)
        patch.setattr("cdcoref.training.detector.WORD_DROPOUT", 0.0)
        fit_detector(changed, parts, options, settings, seed=0, say=said.append)
    return changed, said


def places(model: CorefModel, part: AnnotatedCorpus) -> set[object]:
    return {(m.tokens, m.kind) for m in find_mentions(model, part.corpus, batch_tokens=512).mentions}


def test_each_style_is_learnt_from_its_corpus_and_nothing_else_changes(tiny_model: CorefModel, tmp_path: Path) -> None:
    model, said = fitted(tiny_model, [HEADS, PHRASES], STYLED)
    assert said[0].startswith("detector: ")
    for part, style in ((HEADS, "salient"), (PHRASES, "phrases")):
        gold = {(m.tokens, m.kind) for m in part.corpus.mentions}
        with model.in_style(style):
            found = places(model, part)
        assert len(gold & found) > 0.9 * len(gold | found)
    before = tiny_model.state_dict()
    for name, weight in model.state_dict().items():
        if not name.startswith("detector."):
            assert torch.equal(weight, before[name])
    model.save_pretrained(tmp_path / "model", "card")
    again = CorefModel.from_pretrained(tmp_path / "model")
    assert again.settings == model.settings
    assert places(again, HEADS) == places(model, HEADS)


def spelt(document: str, *, names: bool) -> AnnotatedCorpus:
    """Sentences "the NOUN VERB" in which the noun is an entity where it is spelt as a name."""
    nouns = [(noun, noun.capitalize()) for noun in NAMES]
    sentences = [["the", name if names else noun, verb] for noun, name in nouns for verb in VERBS]
    mentions = [Mention(document, (3 * n + 1,), "entity") for n in range(len(sentences))] if names else []
    corpus = Corpus((Document.from_sentences(document, sentences),), tuple(mentions))
    return AnnotatedCorpus(corpus, CORPORA["ecb"].info)


def test_the_detector_sees_spelling(tiny_model: CorefModel) -> None:
    names, nouns = spelt("names", names=True), spelt("nouns", names=False)
    model, _ = fitted(tiny_model, [names, nouns], DetectorOptions(word_layers=2))
    assert {tokens for tokens, _ in places(model, names)} == {m.tokens for m in names.corpus.mentions}
    assert not places(model, nouns)


def test_a_kind_that_nothing_teaches_is_not_found(tiny_model: CorefModel) -> None:
    model, _ = fitted(tiny_model, [HEADS.of_kind("entity")], DetectorOptions(word_layers=1))
    assert {kind for _, kind in places(model, HEADS)} == {"entity"}


def test_a_style_without_examples_is_refused(tiny_model: CorefModel) -> None:
    with pytest.raises(InputError, match="no training corpus is annotated in the style 'phrases'"):
        fitted(tiny_model, [HEADS], STYLED)


def test_a_corpus_without_annotated_sentences_is_refused(tiny_model: CorefModel) -> None:
    documents = tuple(replace(d, annotated=frozenset()) for d in HEADS.corpus.documents)
    bare = replace(HEADS, corpus=replace(HEADS.corpus, documents=documents))
    with pytest.raises(InputError, match="no sentence of the training corpora is annotated"):
        fitted(tiny_model, [bare], DetectorOptions(word_layers=1))


def test_thresholds_are_tuned_by_style(tiny_model: CorefModel) -> None:
    model, _ = fitted(tiny_model, [HEADS, PHRASES], STYLED)
    config = tune_styles(model, [HEADS, PHRASES])
    assert set(config.detector.thresholds) == {"salient", "phrases"}
    assert config.detection_threshold == config.detector.thresholds["salient"]
    assert config.in_style("phrases").detection_threshold == config.detector.thresholds["phrases"]
    only_heads = tune_styles(model, [HEADS])
    assert only_heads.detector.thresholds["salient"] == config.detector.thresholds["salient"]
    assert only_heads.detector.thresholds["phrases"] == {"event": 0.5, "entity": 0.5}

"""Fitting the mention detector: it learns each style from the corpora that have it, and everything else stays."""

from __future__ import annotations

import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from cdcoref.corpora import CORPORA, AnnotatedCorpus
from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.errors import InputError
from cdcoref.linking import find_mentions
from cdcoref.model import CorefModel, DetectorOptions, collate_readings
from cdcoref.training import DetectorTraining, fit_detector, span_targets, tune_styles

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
STYLED = DetectorOptions(word_layers=2, styles=("salient", "phrases"), style="salient", neighbours=True)


def fitted(model: CorefModel, parts: list[AnnotatedCorpus], options: DetectorOptions) -> tuple[CorefModel, list[str]]:
    changed = copy.deepcopy(model)
    said: list[str] = []
    settings = DetectorTraining(passes=60, step_words=24)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("cdcoref.training.detector.RATE", 1e-2)
        patch.setattr("cdcoref.training.detector.WORD_DROPOUT", 0.0)
        fit_detector(changed, parts, options, settings, batch_tokens=512, seed=0, say=said.append)
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


def test_a_style_that_it_does_not_have_changes_nothing(tiny_model: CorefModel) -> None:
    own = replace(PHRASES, info=replace(PHRASES.info, styles=()))
    model, _ = fitted(tiny_model, [own], DetectorOptions(word_layers=1))
    gold = {(m.tokens, m.kind) for m in PHRASES.corpus.mentions}
    with model.in_style("people"):
        assert len(gold & places(model, PHRASES)) > 0.9 * len(gold)


def test_the_same_seed_gives_the_same_detector(tiny_model: CorefModel) -> None:
    one, two = (fitted(tiny_model, [HEADS, PHRASES], STYLED)[0].state_dict() for _ in range(2))
    assert all(torch.equal(one[name], two[name]) for name in one)


def spelt(document: str, *, names: bool) -> AnnotatedCorpus:
    """Sentences "the NOUN VERB" in which the noun is an entity where it is spelt as a name."""
    nouns = [(noun, noun.capitalize()) for noun in NAMES]
    sentences = [["the", name if names else noun, verb] for noun, name in nouns for verb in VERBS]
    mentions = [Mention(document, (3 * n + 1,), "entity") for n in range(len(sentences))] if names else []
    corpus = Corpus((Document.from_sentences(document, sentences),), tuple(mentions))
    return AnnotatedCorpus(corpus, CORPORA["ecb"].info)


@pytest.mark.parametrize("spelling", [True, False])
def test_only_a_detector_that_is_told_spelling_sees_it(tiny_model: CorefModel, spelling: bool) -> None:
    names, nouns = spelt("names", names=True), spelt("nouns", names=False)
    model, _ = fitted(tiny_model, [names, nouns], DetectorOptions(word_layers=2, spelling=spelling))
    found, none = places(model, names), places(model, nouns)
    if spelling:
        assert {tokens for tokens, _ in found} == {m.tokens for m in names.corpus.mentions}
        assert not none
    else:
        assert found == none


def seen_at_first(
    model: CorefModel, part: AnnotatedCorpus, training: DetectorTraining, options: DetectorOptions
) -> Any:
    """What a detector is given and says in its first step: words, first and last words of spans, beginnings; logits.

    Also what it would say of the same spans among all words of the document, which is one sequence.
    """
    model = copy.deepcopy(model)
    first: list[Any] = []

    def see(detector: Any, given: Any, logits: torch.Tensor) -> None:
        if not first:
            (sequence,) = model.reading_builder()(part.corpus.documents[0])
            batch = collate_readings([sequence], 0)
            targets = span_targets(sequence, list(part.corpus.mentions), part.info, part.info.style)
            known = targets.weights.any(axis=1)
            with torch.no_grad():
                words = model.words_for_detector(batch)
                first.append(None)
                expected = detector(words, batch.span_starts, batch.span_ends, batch.begins)
                first[:] = [(given, logits.detach(), words, expected[torch.from_numpy(known)])]

    with torch.nn.modules.module.register_module_forward_hook(
        lambda module, *rest: see(module, *rest) if module is model.detector else None
    ):
        fit_detector(model, [part], options, training, batch_tokens=512, seed=0, say=str)
    return first[0]


def test_lower_case_of_what_is_seen_is_what_is_seen_of_lower_case(
    tiny_model: CorefModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cdcoref.training.detector.WORD_DROPOUT", 0.0)
    info, options = CORPORA["ecb"].info, DetectorOptions(word_layers=2, spelling=True)

    def words(sentence: str, share: float) -> torch.Tensor:
        document = Document.from_sentences("d", [sentence.split()])
        part = AnnotatedCorpus(Corpus((document,), (Mention("d", (1,), "entity"),)), info)
        monkeypatch.setattr("cdcoref.training.detector.LOWER_CASE", share)
        (given, *_) = seen_at_first(tiny_model, part, DetectorTraining(passes=1), options)
        return given[0]

    spelt, small = words("The Ferry sank 19 .", 0.0), words("the ferry sank 19 .", 0.0)
    assert not torch.allclose(spelt, small, atol=1e-3)
    torch.testing.assert_close(words("The Ferry sank 19 .", 1.0), small, atol=1e-3, rtol=1e-3)


def test_a_lesson_keeps_what_its_spans_are_judged_by(tiny_model: CorefModel, monkeypatch: pytest.MonkeyPatch) -> None:
    """The words of the annotated sentence, and the word on either side."""
    monkeypatch.setattr("cdcoref.training.detector.WORD_DROPOUT", 0.0)
    sentences = [["the", "ferry", "sank"], ["police", "came", "to", "the", "harbour"], ["a", "storm", "hit"]]
    document = Document.from_sentences("d", sentences, annotated=frozenset([1]))
    part = AnnotatedCorpus(Corpus((document,), (Mention("d", (7,), "entity"),)), CORPORA["ecb"].info)
    training = DetectorTraining(passes=1)
    options = DetectorOptions(word_layers=2, neighbours=True)
    given, logits, words, expected = seen_at_first(tiny_model, part, training, options)
    torch.testing.assert_close(given[0], words[2:9], atol=2e-3, rtol=2e-3)
    assert len(logits) == 5 + 4 + 3
    torch.testing.assert_close(logits, expected, atol=1e-2, rtol=1e-2)


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
    config = tune_styles(model, [HEADS, PHRASES], batch_tokens=512)
    assert set(config.detector.thresholds) == {"salient", "phrases"}
    assert config.detection_threshold == config.detector.thresholds["salient"]
    assert config.in_style("phrases").detection_threshold == config.detector.thresholds["phrases"]
    only_heads = tune_styles(model, [HEADS], batch_tokens=512)
    assert only_heads.detector.thresholds["salient"] == config.detector.thresholds["salient"]
    assert only_heads.detector.thresholds["phrases"] == {"event": 0.5, "entity": 0.5}


def test_thinning_keeps_the_sum_and_every_mention(tiny_model: CorefModel, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of spans of more than six words that are no mentions, a quarter count, four times as much."""
    model = copy.deepcopy(tiny_model)
    model.settings = replace(model.settings, detector_max_words=12)
    document = Document.from_sentences("d", [["w"] * 12 for _ in range(60)])
    mentions = tuple(Mention("d", tuple(range(12 * n, 12 * n + 9)), "entity") for n in range(60))
    part = AnnotatedCorpus(Corpus((document,), mentions), CORPORA["ecb"].info)
    lengths, labels, weights = [], [], []
    own = torch.nn.functional.binary_cross_entropy_with_logits

    def recorded(logits: torch.Tensor, truth: torch.Tensor, weight: torch.Tensor, **options: Any) -> torch.Tensor:
        labels.append(truth.any(dim=1))
        weights.append(weight[:, 1])
        return own(logits, truth, weight, **options)

    monkeypatch.setattr(torch.nn.functional, "binary_cross_entropy_with_logits", recorded)
    with torch.nn.modules.module.register_module_forward_pre_hook(
        lambda module, given: lengths.append(given[2] - given[1]) if module is model.detector else None
    ):
        fitted_by = DetectorTraining(passes=1)
        fit_detector(model, [part], DetectorOptions(word_layers=1), fitted_by, batch_tokens=512, seed=0, say=str)
    length, is_mention, weight = torch.cat(lengths), torch.cat(labels), torch.cat(weights)
    long = (length > 6) & ~is_mention
    assert is_mention.sum() == 60
    assert (weight[~long] == 1).all()
    assert (length[~long] <= 6).sum() == 60 * (12 + 11 + 10 + 9 + 8 + 7)
    assert (weight[long] == 4).all()
    there = 60 * (6 + 5 + 4 + 3 + 2 + 1) - 60
    assert 4 * int(long.sum()) == pytest.approx(there, rel=0.15)

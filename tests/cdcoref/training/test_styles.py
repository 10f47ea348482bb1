"""One corpus in another style, and which spans its annotation says something about."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from cdcoref.corpora import CORPORA, AnnotatedCorpus, annotated_corpora
from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.errors import InputError
from cdcoref.model import CorefModel, DetectorOptions
from cdcoref.training import DetectorTraining, fit_detector, in_style, span_targets, tune_styles

WORDS = ["on", "Friday", "night", "the", "owner", "of", "the", "ferry", ",", "who", "left", ",", "sank", "it"]
DOCUMENT = Document.from_sentences("d", [WORDS, ["never", "annotated"]], annotated=frozenset([0]))
MENTIONS = (
    Mention("d", (0, 1, 2), "entity", "night"),
    Mention("d", (3, 4, 5, 6, 7), "entity", "owner"),
    Mention("d", (6, 7), "entity", "ferry"),
    Mention("d", (9,), "entity", "owner"),
    Mention("d", (12,), "event", "sink"),
    Mention("d", (13,), "entity", "ferry"),
)


def part(name: str, **changes: object) -> AnnotatedCorpus:
    info = replace(CORPORA[name].info, **changes)  # type: ignore[arg-type]
    return AnnotatedCorpus(Corpus((DOCUMENT,), MENTIONS), info)


def targets(model: CorefModel, corpus: AnnotatedCorpus, style: str) -> tuple[Any, dict[tuple[int, int], int]]:
    (sequence,) = model.reading_builder()(DOCUMENT)
    found = span_targets(sequence, list(in_style(corpus, style).mentions), corpus.info, style)
    spans = zip(sequence.words[sequence.starts].tolist(), (sequence.words[sequence.ends - 1] + 1).tolist(), strict=True)
    return found, {span: number for number, span in enumerate(spans)}


def test_phrases_are_reduced_to_heads_without_prepositions_and_relative_pronouns() -> None:
    corpus = part("ecb")
    assert in_style(corpus, "salient") is corpus.corpus
    dense = in_style(corpus, "dense")
    assert [(m.tokens, m.kind, m.cluster) for m in dense.mentions] == [
        ((1, 2), "entity", "night"), ((4,), "entity", "owner"), ((7,), "entity", "ferry"), ((12,), "event", "sink"),
        ((13,), "entity", "ferry"),
    ]  # fmt: skip
    again = AnnotatedCorpus(dense, corpus.info)
    assert in_style(again, "dense") == dense


def test_what_is_annotated_completely_counts_in_the_annotated_sentences(tiny_model: CorefModel) -> None:
    found, place = targets(tiny_model, part("ecb"), "salient")
    assert found[1][[n for (start, _), n in place.items() if start < len(WORDS)]].all()
    assert not found[1][[n for (start, _), n in place.items() if start >= len(WORDS)]].any()
    positive = {span: found[0][n].tolist() for span, n in place.items() if found[0][n].any()}
    # The model's longest span has three words.
    assert positive == {(0, 3): [0, 1], (6, 8): [0, 1], (9, 10): [0, 1], (12, 13): [1, 0], (13, 14): [0, 1]}


def test_what_some_types_only_are_annotated_of_counts_beside_mentions(tiny_model: CorefModel) -> None:
    found, place = targets(tiny_model, part("litbank", dates=True), "dense")
    assert found[1][place[4, 5]].tolist() == [0, 1]
    assert found[1][place[3, 5]].tolist() == [0, 1]  # ends where a mention does
    assert found[1][place[7, 9]].tolist() == [0, 1]  # begins there
    assert not found[1][place[10, 11]].any()


def test_in_its_own_style_it_counts_everywhere(tiny_model: CorefModel) -> None:
    found, place = targets(tiny_model, part("litbank", dates=True), "people")
    assert found[1][place[10, 11]].tolist() == [0, 1]
    assert found[1][place[13, 14]].tolist() == [0, 1]
    assert found[0][place[13, 14]].tolist() == [0, 1]


def test_people_are_entities_of_some_types(tiny_model: CorefModel) -> None:
    tags = ("time", "person", "object", "person", "person", "place")
    tagged = tuple(replace(m, tag=tag) for m, tag in zip(MENTIONS, tags, strict=True))
    gum = part("gum")
    gum = replace(gum, corpus=replace(gum.corpus, mentions=tagged))
    assert [m.tokens for m in in_style(gum, "people").mentions] == [(3, 4, 5, 6, 7), (9,), (13,)]
    found, place = targets(tiny_model, gum, "people")
    assert {span for span, n in place.items() if found[0][n].any()} == {(9, 10), (13, 14)}
    assert found[1][place[0, 3], 1] == 1  # a date is none of them
    assert found[1][place[6, 8], 1] == 1  # nor is a thing


def test_dates_that_are_not_annotated_are_unknown(tiny_model: CorefModel) -> None:
    found, place = targets(tiny_model, part("meantime"), "dense")
    assert found[1][place[1, 2]].tolist() == [1, 0]
    assert found[1][place[0, 3]].tolist() == [1, 0]
    assert found[1][place[2, 3]].tolist() == [1, 1]


@pytest.mark.parametrize(("dates", "below"), [(True, False), (False, True)])
def test_a_threshold_is_not_tuned_by_dates_without_marks(tiny_model: CorefModel, dates: bool, below: bool) -> None:
    """A detector that finds more dates than mentions, less surely than one mention and more surely than the other."""
    model = copy.deepcopy(tiny_model)
    model.replace_detector(DetectorOptions(1, ("salient",), "salient"))
    words = ["ferry", "and", "Friday", "and", "Monday", "and", "Tuesday", "and", "storm"]
    document = Document.from_sentences("d", [words])
    mentions = (Mention("d", (0,), "entity"), Mention("d", (8,), "entity"))
    found = {(0, 1): 0.9, (8, 9): 0.3, (2, 3): 0.6, (4, 5): 0.6, (6, 7): 0.6}

    def told(_: object, given: tuple[torch.Tensor, ...], __: object) -> torch.Tensor:
        bounds = zip(given[1].tolist(), given[2].tolist(), strict=True)
        return torch.tensor([(0.001, found.get(span, 0.001)) for span in bounds]).logit()

    info = replace(CORPORA["ecb"].info, dates=dates)
    with model.detector.register_forward_hook(told):
        config = tune_styles(model, AnnotatedCorpus(Corpus((document,), mentions), info))
    assert (config.detection_threshold["entity"] < 0.3) is below
    assert config.detection_threshold["entity"] < 0.3 or config.detection_threshold["entity"] > 0.6


def test_what_a_discontinuous_mention_covers_is_unknown(tiny_model: CorefModel) -> None:
    corpus = part("ecb")
    mentions = (*MENTIONS, Mention("d", (10, 12), "event"))
    found, place = targets(tiny_model, replace(corpus, corpus=replace(corpus.corpus, mentions=mentions)), "salient")
    assert found[1][place[11, 12]].tolist() == [0, 1]
    assert found[1][place[9, 10]].tolist() == [1, 1]
    np.testing.assert_array_equal(found[1][place[9, 12]], [0, 1])


def test_a_corpus_of_unknown_style_is_of_the_style_in_use(tiny_model: CorefModel) -> None:
    (own,) = annotated_corpora(part("ecb").corpus)
    assert in_style(own, "dense") is own.corpus

    def fit(*parts: AnnotatedCorpus, style: str) -> None:
        options, training = DetectorOptions(1, ("salient", "dense"), style), DetectorTraining(passes=1)
        fit_detector(copy.deepcopy(tiny_model), parts, options, training, seed=0, say=str)

    for style, other in (("dense", "salient"), ("salient", "dense")):
        with pytest.raises(InputError, match=f"no training corpus is annotated in the style '{other}'"):
            fit(own, style=style)
    fit(own, part("ecb"), style="dense")  # ECB+ is an example of both
    fit(part("ecb"), style="salient")

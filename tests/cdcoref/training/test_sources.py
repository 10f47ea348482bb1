"""Groups of documents whose mentions may corefer, and shares of corpora."""

from __future__ import annotations

import copy
import json
import tomllib
from collections import Counter
from itertools import pairwise
from typing import Any

import pytest
import torch

from cdcoref.corpora import CORPORA, AnnotatedCorpus
from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.errors import InputError
from cdcoref.model import CorefModel, DetectorOptions
from cdcoref.training import PRESETS, DetectorTraining, TrainingConfig, fit_detector, linkable_groups
from cdlm.settings import as_toml, with_settings


def documents(groups: list[tuple[str | None, str | None]]) -> list[Document]:
    return [
        Document.from_sentences(f"d{n % 7}_{n}", [["ferry", f"w{n % 3}"]], topic=topic, subtopic=subtopic)
        for n, (topic, subtopic) in enumerate(groups)
    ]


def test_groups_are_single_documents_where_links_stay_within_them() -> None:
    corpus = Corpus(tuple(documents([("1", "a"), ("1", "a"), ("1", "b")])))
    ids = [d.id for d in corpus.documents]
    ecb, gum = (AnnotatedCorpus(corpus, CORPORA[name].info) for name in ("ecb", "gum"))
    for setting in ("predicted", "gold_subtopic", "gold_topic", "none"):
        assert linkable_groups(gum, setting) == [[id] for id in ids]
    assert linkable_groups(ecb, "gold_topic") == [ids]
    assert linkable_groups(ecb, "gold_subtopic") == [ids[:2], ids[2:]]


@pytest.mark.parametrize(("first", "second", "share"), [(7, 2, 0.5), (4, 3, 2.3), (2, 5, 0.0)])
def test_a_pass_sees_of_a_corpus_its_share(tiny_model: CorefModel, first: int, second: int, share: float) -> None:
    """The second corpus is not named, so that all of it is seen once. Documents are known by their lengths."""

    def part(name: str, count: int, shortest: int) -> AnnotatedCorpus:
        made = [Document.from_sentences(f"{name}{n}", [["ferry"] * (shortest + n)]) for n in range(count)]
        return AnnotatedCorpus(
            Corpus(tuple(made), tuple(Mention(d.id, (0,), "event") for d in made)), CORPORA[name].info
        )

    parts = [part("ecb", first, 2), part("meantime", second, 12)]

    def draw(seed: int, **settings: object) -> list[int]:
        model = copy.deepcopy(tiny_model)
        seen: list[int] = []
        training = DetectorTraining(passes=3, step_words=1, corpus_shares={"ecb": share}, **settings)  # type: ignore[arg-type]
        with torch.nn.modules.module.register_module_forward_pre_hook(
            lambda module, given: seen.append(len(given[0])) if module is model.detector else None
        ):
            fit_detector(model, parts, DetectorOptions(word_layers=1), training, seed=seed, say=str)
        return seen

    seen, count = draw(0), round(share * first)
    size = count + second
    assert len(seen) == 3 * size
    for start in range(0, len(seen), size):
        times = Counter(seen[start : start + size])
        assert [times[12 + n] for n in range(second)] == [1] * second
        assert all(times[2 + n] in (count // first, -(-count // first)) for n in range(first))
    if count % first:
        assert len({length for length in seen if length < 12}) > count % first  # not always the same ones
    if count > 2 and second > 1:
        assert any(one >= 12 > other for one, other in pairwise(seen[:size]))  # not one corpus after the other
    assert draw(0) == seen
    assert len(set(seen)) < 3 or draw(1) != seen


def test_shares_that_leave_nothing_are_refused(tiny_model: CorefModel) -> None:
    document = Document.from_sentences("d", [["ferry"]])
    part = AnnotatedCorpus(Corpus((document,), (Mention("d", (0,), "event"),)), CORPORA["ecb"].info)
    training = DetectorTraining(corpus_shares={"ecb": 0.0})
    with pytest.raises(InputError, match=r"^detector\.corpus_shares leaves nothing to learn from; raise the shares$"):
        fit_detector(copy.deepcopy(tiny_model), [part], DetectorOptions(), training, seed=0, say=str)


@pytest.mark.parametrize("preset", PRESETS)
def test_a_configuration_survives_json_and_toml(preset: str) -> None:
    config = PRESETS[preset]
    assert with_settings(TrainingConfig(), json.loads(json.dumps(config.to_dict()))) == config
    assert with_settings(TrainingConfig(), tomllib.loads(as_toml(config.to_dict()))) == config


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"colour": 1}, "there is no setting 'colour'; the settings are encoder, kind, int8, "),
        ({"epochs": 0}, "run.epochs is 0 and should be at least 1"),
        ({"both_orders": 1}, "model.both_orders is 1 and should be true or false"),
        ({"encoder": 5}, "encoder is 5 and should be text"),
        ({"kind": "all"}, "kind is 'all' and should be 'event', 'entity' or 'both'"),
        ({"context": "page"}, "model.sequences.context is 'page' and should be 'document' or 'sentence'"),
        ({"max_length": 8}, "model.sequences.max_length is 8 and should be at least 32"),
        ({"detector_max_length": 8}, "model.detector_max_length is 8 and should be at least 32"),
        ({"pair_features": ["moon"]}, "model.vectors.features has 'moon', which is no feature"),
        ({"step_pairs": 0}, "sampling.step_pairs is 0 and should be at least 1"),
        ({"temperature": {"event": 1.0}}, "model.temperature must have one number each for event and entity"),
        ({"negatives": float("inf")}, "sampling.negatives is inf and should be a finite number"),
        ({"bi_encoder.corpus_shares": 0.5}, "bi_encoder.corpus_shares is 0.5 and should be a JSON object"),
        ({"bi_encoder.corpus_shares.gum": -1}, "bi_encoder.corpus_shares.gum is -1 and should be at least 0"),
    ],
)
def test_wrong_settings_are_said(values: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as raised:
        with_settings(TrainingConfig(), values)
    assert str(raised.value).startswith(message)

"""Which documents are paired, against listing all pairs of documents; groups for scoring; and shares of corpora."""

from __future__ import annotations

import copy
from collections import Counter
from dataclasses import replace
from itertools import combinations, pairwise
from pathlib import Path

import pytest
import torch

from cdcoref.corpora import CORPORA, AnnotatedCorpus
from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.errors import InputError
from cdcoref.model import CorefConfig, CorefModel, DetectorOptions
from cdcoref.training import DetectorTraining, SamplingOptions, TrainingData, fit_detector, linkable_groups

LETTERS = "abcdefgh"


def documents(groups: list[tuple[str | None, str | None]]) -> list[Document]:
    return [
        Document.from_sentences(f"d{n % 7}_{n}", [["ferry", f"w{n % 3}"]], topic=topic, subtopic=subtopic)
        for n, (topic, subtopic) in enumerate(groups)
    ]


LAYOUTS = [
    "1a 1a 1b 2c 2c 2d 1a 2d",
    "1a 1a 2a 2b",  # a subtopic of two topics
    "1 1 2 2 2",  # topics alone
    "1a 1a -b -b -c 1b",  # subtopics, and topics of some
    "1a 1a",
    "1a 2b 3c",
]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_pairs_are_those_of_all_pairs(tiny_encoder: Path, layout: str) -> None:
    """Every document has one mention and a word of its own, by which it is known among the pieces of a sequence."""
    groups = [(own[0] if own[0] != "-" else None, own[1:] or None) for own in layout.split()]
    found = [replace(d, tokens=(LETTERS[n], "xyz")) for n, d in enumerate(documents(groups))]
    mentions = [Mention(d.id, tokens, "event", "c") for d in found for tokens in ((0,), (1,))]
    sampling = SamplingOptions(negatives=0.0, other_subtopics=1.0, detection_passes=0)
    model = CorefModel.from_encoder(tiny_encoder, CorefConfig(scorer_width=4, detector_width=0))
    training = TrainingData(model, Corpus(tuple(found), tuple(mentions)), sampling, 3, 1)
    read: list[tuple[str, ...]] = []
    for number in range(len(training)):
        for ids in training[number].inputs.input_ids:  # type: ignore[union-attr]
            pieces = model.tokenizer.convert_ids_to_tokens(ids.tolist())
            read.append(tuple(sorted(piece for piece in pieces if piece in LETTERS)))
    topic, subtopic = [d.topic for d in found], [d.subtopic for d in found]
    group: list[object] = list(subtopic if None not in subtopic else topic)
    expected = [
        (LETTERS[a], LETTERS[b])
        for a, b in combinations(range(len(found)), 2)
        if group[a] == group[b] or (topic[a] is not None and topic[a] == topic[b])
    ]
    assert sorted(own for own in read if len(own) == 2) == expected
    assert sorted(own for own in read if len(own) == 1) == [(letter,) for letter in LETTERS[: len(found)]]


def test_groups_are_single_documents_where_links_stay_within_them() -> None:
    corpus = Corpus(tuple(documents([("1", "a"), ("1", "a"), ("1", "b")])))
    ids = [d.id for d in corpus.documents]
    ecb, gum = (AnnotatedCorpus(corpus, CORPORA[name].info) for name in ("ecb", "gum"))
    for setting in ("predicted", "gold_subtopic", "gold_topic", "none"):
        assert linkable_groups(gum, setting) == [[id] for id in ids]
    assert linkable_groups(ecb, "gold_topic") == [ids]
    assert linkable_groups(ecb, "gold_subtopic") == [ids[:2], ids[2:]]


@pytest.mark.parametrize(
    ("first", "second", "share"), [(3, 4, 1.0), (7, 2, 0.5), (4, 3, 2.3), (5, 0, 3.0), (2, 5, 0.0), (1, 1, 4.0)]
)
def test_a_pass_sees_of_a_corpus_its_share_and_all_of_it_equally_often(
    tiny_model: CorefModel, first: int, second: int, share: float
) -> None:
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
            fit_detector(model, parts, DetectorOptions(word_layers=1), training, batch_tokens=512, seed=seed, say=str)
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
        fit_detector(copy.deepcopy(tiny_model), [part], DetectorOptions(), training, batch_tokens=64, seed=0, say=str)

"""Groups of documents whose mentions may corefer, and shares of corpora."""

from __future__ import annotations

import copy
from collections import Counter
from itertools import pairwise

import pytest
import torch

from cdcoref.corpora import CORPORA, AnnotatedCorpus
from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.errors import InputError
from cdcoref.model import CorefModel, DetectorOptions
from cdcoref.training import DetectorTraining, fit_detector, linkable_groups


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

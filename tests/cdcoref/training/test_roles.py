"""What corpora are used for: nothing that the heads are to find new is known to the encoder, nor is anything lost."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdcoref.corpora import CORPORA, AnnotatedCorpus, annotated_corpora
from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.training import PRESETS, CorpusRoles, with_genders_swapped
from tests.tables import cases

INVENTED = Path(__file__).parents[3] / "data" / "invented"


def part_of(name: str, *documents: tuple[str, str]) -> AnnotatedCorpus:
    """A corpus of documents of topics, each with one mention, that annotates all events."""
    made = tuple(Document.from_sentences(one, [["a", "fire"]], topic=topic) for one, topic in documents)
    (part,) = annotated_corpora(Corpus(made, tuple(Mention(one, (1,), "event") for one, _ in documents)))
    return replace(part, info=replace(part.info, name=name, exhaustive=("event",)))


@pytest.fixture
def parts() -> list[AnnotatedCorpus]:
    return [
        part_of("one", ("a", "1"), ("b", "2")),
        part_of("two", ("GUM_news_c", "1"), ("GUM_fiction_d", "2"), ("e", "2")),
        part_of("three", ("f", "1")),
    ]


def documents(parts: list[AnnotatedCorpus]) -> dict[str, list[str]]:
    return {part.info.name: [document.id for document in part.corpus.documents] for part in parts}


def test_who_learns_from_what(parts: list[AnnotatedCorpus]) -> None:
    roles = CorpusRoles(genres={"two": ("news",)}, topics_of_heads={"one": ("2",)}, only_detector=("three",))
    assert documents(roles.for_encoder(parts)) == {"one": ["a"], "two": ["GUM_news_c"]}
    assert documents(roles.for_contexts(parts)) == {"one": ["a", "b"], "two": ["GUM_news_c"]}
    assert documents(roles.for_heads(parts)) == {"one": ["b"], "two": ["GUM_news_c"]}
    assert documents(roles.for_detector(parts)) == {"one": ["b"], "two": ["GUM_news_c"], "three": ["f"]}


def test_what_is_chosen_on_which_dev_split(parts: list[AnnotatedCorpus]) -> None:
    roles = CorpusRoles(
        genres={"two": ("news",)}, epoch_choice=("one",), only_detector=("three",), only_weights=("two",)
    )
    assert list(documents(roles.to_choose_epoch(parts))) == ["one"]
    assert list(documents(roles.to_tune(parts))) == ["one"]
    assert documents(roles.to_weigh(parts))["two"] == ["GUM_news_c", "GUM_fiction_d", "e"]
    assert list(documents(roles.to_weigh(parts))) == ["one", "two"]
    assert list(documents(roles.to_tune_detector(parts))) == ["one", "three"]


def test_settings_of_other_corpora_are_left_out_and_what_nothing_teaches() -> None:
    default = PRESETS["small"]
    assert default.named_corpora == ("ecb", "gum", "gum-heads", "invented", "litbank", "meantime")
    assert default.for_corpora([CORPORA[name].info for name in default.named_corpora]) == default
    few = default.for_corpora([CORPORA[name].info for name in ("ecb", "litbank")])
    assert few.named_corpora == ("ecb", "litbank")
    assert few.bi_encoder.corpus_shares == {name: default.bi_encoder.corpus_shares[name] for name in ("ecb", "litbank")}
    assert few.model.vectors.learnt_shares == {"entity": {"all": 0.6}}  # no texts that the encoder does not see
    ecb = default.for_corpora([CORPORA["ecb"].info])
    assert ecb.model.detector.styles == ("salient", "dense")
    own = default.for_corpora([])
    assert own.corpora == CorpusRoles()
    assert (own.model.detector.styles, own.model.detector.style) == (("dense",), "dense")


def test_the_default_models_heads_learn_from_invented_texts_that_its_encoder_does_not_see() -> None:
    roles, topics_of_invented = PRESETS["small"].corpora, sorted(path.stem for path in INVENTED.glob("train/*.md"))
    invented = part_of("invented", *zip(topics_of_invented, topics_of_invented, strict=True))

    def topics(parts: list[AnnotatedCorpus]) -> set[str | None]:
        return {document.topic for part in parts for document in part.corpus.documents}

    of_encoder, of_heads = topics(roles.for_encoder([invented])), topics(roles.for_heads([invented]))
    assert of_encoder
    assert of_encoder.isdisjoint(of_heads)
    assert of_heads == set(roles.topics_of_heads["invented"])
    assert of_encoder | of_heads == set(topics_of_invented)


WORDS = (
    "He", "he", "SHE", "man", "Woman", "Mr.", "Paula", "James", "the", "Hale", ".", "her", "his", "him", "hers", "x",
)  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), cases(__file__, "swapped_genders.tsv", "text", "expected"))
def test_texts(text: str, expected: str) -> None:
    assert " ".join(with_genders_swapped(text.split())) == expected


@given(st.lists(st.sampled_from(WORDS)))
def test_a_word_stays_a_word_with_its_capital(words: list[str]) -> None:
    swapped = with_genders_swapped(words)
    assert len(swapped) == len(words)
    assert [word[:1].isupper() for word in swapped] == [word[:1].isupper() for word in words]

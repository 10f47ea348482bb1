"""What is to be read: known answers for every way of reading, and the order of magnitude of what is really read."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cdcoref.corpus import KINDS, Corpus, Document, Mention
from cdcoref.inputs import SequenceOptions
from cdcoref.model import CorefConfig, CorefModel, VectorOptions
from cdcoref.predict import Story, pieces_per_second, pieces_to_read
from cdcoref.predict.engines.estimate import MARKED_PIECES_A_WORD, PIECES_A_WORD, READ_PIECES_A_WORD, TIMES_READ

SENTENCES = [["one", "two", "three"], ["four", "five"], ["six", "seven", "eight", "nine"]]
WORDS = 9
AT_ONCE = SequenceOptions(documents="many", context="sentence")
WITH_VECTORS = CorefConfig(
    sequences=AT_ONCE,
    both_orders=False,
    vectors=VectorOptions(layers=2, pair_features=(), cross_encoder_kinds=("event",)),
)
ALONE = 2 * PIECES_A_WORD * 4 * WORDS
"""With vectors, every document is read twice alone: as by the encoder before it was fine-tuned, too."""


@pytest.fixture
def corpus() -> Corpus:
    """Four documents, in each an event in the second sentence and an entity in the third."""
    documents = tuple(Document.from_sentences(f"d{n}", SENTENCES) for n in range(4))
    mentions = [
        Mention(document.id, tokens, kind)
        for document in documents
        for tokens, kind in (((4,), "event"), ((5, 6), "entity"))
    ]
    return Corpus(documents, tuple(mentions))


def pieces(corpus: Corpus, settings: CorefConfig, *, find: bool = False, kinds: tuple[str, ...] = KINDS) -> float:
    stories = [Story(("d0", "d1", "d2")), Story(("d3",))]
    return pieces_to_read(settings, corpus, stories, find=find, lemma=False, kinds=kinds)


def test_lemmas_are_not_read(corpus: Corpus) -> None:
    for find, expected in ((False, 0.0), (True, ALONE)):
        assert pieces_to_read(WITH_VECTORS, corpus, [], find=find, lemma=True, kinds=KINDS) == expected


def test_only_sentences_with_mentions_are_read_together(corpus: Corpus) -> None:
    assert pieces(corpus, WITH_VECTORS) == pytest.approx(ALONE + READ_PIECES_A_WORD * 4 * 2)
    assert pieces(corpus, WITH_VECTORS, kinds=("entity",)) == pytest.approx(ALONE)
    without_kind = Corpus(corpus.documents, tuple(replace(mention, kind=None) for mention in corpus.mentions))
    assert pieces(without_kind, WITH_VECTORS) == pytest.approx(ALONE + READ_PIECES_A_WORD * 4 * 6)
    assert pieces(corpus, WITH_VECTORS, find=True) == pytest.approx(ALONE + READ_PIECES_A_WORD * 4 * WORDS)
    wider = replace(WITH_VECTORS, sequences=replace(AT_ONCE, context="document"))
    assert pieces(corpus, wider) == pytest.approx(ALONE + READ_PIECES_A_WORD * 4 * WORDS)
    assert pieces(corpus, replace(WITH_VECTORS, both_orders=True)) == pytest.approx(ALONE + READ_PIECES_A_WORD * 4 * 4)


def test_a_long_story_is_read_several_times(corpus: Corpus) -> None:
    long = replace(WITH_VECTORS, sequences=replace(AT_ONCE, max_length=32))
    read = READ_PIECES_A_WORD * WORDS
    assert pieces(corpus, long, find=True) == pytest.approx(ALONE + read + TIMES_READ * 3 * read)


def test_without_vectors_blocks_are_read_with_all_others(corpus: Corpus) -> None:
    longest = 32
    settings = CorefConfig(sequences=replace(AT_ONCE, max_length=longest), both_orders=False)
    one, story = MARKED_PIECES_A_WORD * 6, MARKED_PIECES_A_WORD * 18
    assert pieces(corpus, settings) == pytest.approx(one + story * max(1, story / (longest / 2) - 1))


def test_documents_read_in_pairs(corpus: Corpus) -> None:
    for orders in (1, 2):
        settings = CorefConfig(sequences=SequenceOptions(documents="two", context="sentence"), both_orders=orders == 2)
        assert pieces(corpus, settings) == pytest.approx(MARKED_PIECES_A_WORD * 6 * ((1 + 2 * orders) * 3 + 1))
        some = [Story(("d0", "d1", "d2"), (("d0", "d2"),))]
        read = pieces_to_read(settings, corpus, some, find=False, lemma=False, kinds=KINDS)
        assert read == pytest.approx(MARKED_PIECES_A_WORD * 6 * (3 + 2 * orders))


def test_the_rate_is_measured(tiny_model: CorefModel) -> None:
    assert 0 < pieces_per_second(tiny_model) < float("inf")

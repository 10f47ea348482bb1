"""What is drawn: related documents or unrelated ones, every set in its turn, the same from the same seed."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from cdlm.pretraining import IGNORED, Masking, TokenStore, TrainingSequences, Variant, prepare
from cdlm.sequences import SequenceFrame
from cdlm.tokens import Tokenizer

SIZES = (3, 4, 5, 3, 6)


@pytest.fixture(scope="module")
def store(word_tokenizer: Tokenizer, tmp_path_factory: pytest.TempPathFactory) -> TokenStore:
    """Five sets; document d of the store is so many words ``w<d>``, from 3 to 6."""
    numbers = iter(range(sum(SIZES)))
    sets = []
    for size in SIZES:
        members = [next(numbers) for _ in range(size)]
        sets.append(tuple(" ".join([f"w{n}"] * (3 + n % 4)) for n in members))
    return prepare([lambda _: iter(sets)], word_tokenizer, tmp_path_factory.mktemp("tokens"), longest=100)


def drawn(
    store: TokenStore,
    tokenizer: Tokenizer,
    variant: Variant = "cdlm",
    seed: int = 0,
    max_length: int = 100,
    count: int = 10,
) -> TrainingSequences:
    frame = SequenceFrame.of_tokenizer(tokenizer)
    return TrainingSequences(store, frame, max_length, Masking.of_tokenizer(tokenizer), variant, seed, count)


def test_every_set_is_drawn_before_any_again(store: TokenStore, word_tokenizer: Tokenizer) -> None:
    sequences = drawn(store, word_tokenizer)
    turns = [[store.set_of(sequences.documents(turn * 5 + n)[0]) for n in range(5)] for turn in range(4)]
    assert all(sorted(turn) == [0, 1, 2, 3, 4] for turn in turns)
    assert len({tuple(turn) for turn in turns}) > 1


def test_related_documents_are_all_of_one_set_in_any_order(store: TokenStore, word_tokenizer: Tokenizer) -> None:
    sequences = drawn(store, word_tokenizer)
    orders = set()
    for number in range(40):
        documents = sequences.documents(number)
        members = store.documents_of(store.set_of(documents[0]))
        assert sorted(documents) == list(members)
        orders.add(tuple(documents))
    assert len(orders) > 10


def test_unrelated_documents_are_each_of_another_set(store: TokenStore, word_tokenizer: Tokenizer) -> None:
    related, unrelated = drawn(store, word_tokenizer), drawn(store, word_tokenizer, "rand")
    seen: Counter[int] = Counter()
    for number in range(400):
        documents = unrelated.documents(number)
        assert len({store.set_of(d) for d in documents}) == len(documents)
        # As many as the set in its turn has, as far as there are so many sets.
        assert len(documents) == min(len(related.documents(number)), store.sets)
        seen.update(documents)
    assert set(seen) == set(range(store.documents))


def test_what_a_sequence_looks_like(store: TokenStore, word_tokenizer: Tokenizer) -> None:
    sequences = drawn(store, word_tokenizer)
    masked = sequences[0]
    ids = np.where(masked.labels == IGNORED, masked.input_ids, masked.labels)
    expected = ["[CLS]"]
    for document in sequences.documents(0):
        expected += ["<doc-s>", *[f"w{document}"] * (3 + document % 4), "</doc-s>"]
    assert word_tokenizer.tokens(ids.tolist()) == [*expected, "[SEP]"]

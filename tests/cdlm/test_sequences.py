"""The special tokens around documents, and what finds room between them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdlm.errors import InputError
from cdlm.sequences import SequenceFrame
from cdlm.tokens import Tokenizer

FRAME = SequenceFrame(first=1, last=2, document_start=3, document_end=4)


@pytest.mark.parametrize(
    ("max_length", "expected"),
    [
        (11, [1, 3, 10, 11, 4, 3, 12, 13, 14, 4, 2]),
        (10, [1, 3, 10, 11, 4, 3, 12, 13, 4, 2]),
        (8, [1, 3, 10, 11, 4, 2]),
        (9, [1, 3, 10, 11, 4, 3, 12, 4, 2]),
        (5, [1, 3, 10, 4, 2]),
    ],
)
def test_the_last_document_is_cut(max_length: int, expected: list[int]) -> None:
    assert FRAME.enclose([[10, 11], [12, 13, 14]], max_length) == expected


@given(st.lists(st.lists(st.integers(10, 20), max_size=8), max_size=6), st.integers(2, 40))
def test_a_sequence_is_never_too_long_and_always_closed(documents: list[list[int]], max_length: int) -> None:
    ids = FRAME.enclose(documents, max_length)
    assert len(ids) <= max_length
    assert (ids[0], ids[-1]) == (1, 2)
    assert ids.count(3) == ids.count(4)


def test_a_tokenizer_without_ends(word_tokenizer: Tokenizer) -> None:
    bare = Tokenizer(word_tokenizer.backend, {"unk_token": "[UNK]"})
    with pytest.raises(InputError, match="no token that begins"):
        SequenceFrame.of_tokenizer(bare)

"""Which sentences are read: context by distance, hidden sentences, long sentences and words that are cut."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import TYPE_CHECKING

import pytest

from cdcoref.corpus import Document, Mention
from cdcoref.inputs import DocumentPieces, SequenceBuilder, SequenceOptions

if TYPE_CHECKING:
    from cdlm.tokens import Tokenizer

LETTERS = "abcdefghijklmnopqrstuvwxyz"
OVERHEAD = 9
"""Word pieces of a sequence that are no text: [CLS], and two around each of two documents and two mentions."""


def prepared(
    builder: SequenceBuilder,
    sentences: Sequence[int],
    mentions: Sequence[tuple[int, ...]] = (),
    *,
    hidden: Sequence[int] = (),
    pieces: dict[int, int] | None = None,
) -> tuple[DocumentPieces, list[Mention]]:
    """A document whose sentences have the given numbers of words, and its mentions.

    The words of a sentence are one letter each, "a" in the first; each is one piece unless `pieces` differs.
    """
    tokens, lengths = count(), pieces or {}
    words = [
        [letter + "-" * (lengths.get(next(tokens), 1) - 1) for _ in range(size)]
        for letter, size in zip(LETTERS, sentences, strict=False)
    ]
    found = [Mention("d", tokens, "event") for tokens in mentions]
    return builder.prepare(Document.from_sentences("d", words, hidden=frozenset(hidden)), found), found


def shown(builder: SequenceBuilder, tokenizer: Tokenizer, *sides: tuple[DocumentPieces, Mention]) -> list:
    """The letters of the sentences that a sequence shows of each document."""
    (first, one), (second, other) = sides
    sequence = builder.build(first, one, second, other)
    assert len(sequence) <= builder.options.max_length
    text = " ".join(tokenizer.tokens(sequence.input_ids.tolist()))
    return ["".join(sorted(set(part.split()).intersection(LETTERS))) for part in text.split("<doc-s>")[1:]]


@pytest.mark.parametrize(
    ("sentences", "places", "hidden", "room", "expected"),
    [
        ([3] * 6, [(6,), (7,)], [0], 99, "bcdef"),
        ([3] * 4, [(1,), (2,)], [0, 2], 99, "abd"),  # a mention in a hidden sentence is shown where it stands
        ([10] * 9, [(45,), (46,)], [], 32, "def"),  # room for three sentences: the nearest are on either side
        ([5, 19, 10, 14], [(34,), (35,)], [], 41, "cd"),  # nothing stands in for a sentence that does not fit
        ([10] * 9, [(5,), (85,)], [], 43, "abhi"),
    ],
)
def test_context_that_is_far_from_mentions_goes_first(
    wordpiece: Tokenizer,
    sentences: list[int],
    places: list[tuple[int, ...]],
    hidden: list[int],
    room: int,
    expected: str,
) -> None:
    builder = SequenceBuilder(wordpiece, SequenceOptions(max_length=OVERHEAD + room))
    document, (one, other) = prepared(builder, sentences, places, hidden=hidden)
    assert shown(builder, wordpiece, (document, one), (document, other)) == [expected]
    only = SequenceBuilder(wordpiece, SequenceOptions("sentence", OVERHEAD + room))
    assert set(shown(only, wordpiece, (document, one), (document, other))[0]) == {
        LETTERS[document.unit_of(place)] for (place,) in places
    }


def test_a_long_sentence_is_cut_between_mentions(wordpiece: Tokenizer) -> None:
    mentions = [(n, n + 1, n + 2) for n in range(0, 60, 4)]
    builder = SequenceBuilder(wordpiece, SequenceOptions(max_length=OVERHEAD + 44))
    document, _ = prepared(builder, [60], mentions)
    assert not builder.notes
    assert [start for start, _ in document.units] == [0, *(end for _, end in document.units[:-1])]
    assert document.units[-1][1] == 60
    assert all(length <= 22 for length in document.lengths)
    cuts = {start for start, _ in document.units[1:]}
    assert not any(start < cut < end for cut in cuts for start, *_, end in ((m[0], m[-1] + 1) for m in mentions))


def test_a_word_of_too_many_pieces_keeps_its_first_ones_and_is_reported(wordpiece: Tokenizer) -> None:
    builder = SequenceBuilder(wordpiece, SequenceOptions(max_length=OVERHEAD + 60))
    document, _ = prepared(builder, [3], [(1,)], pieces={1: 500})
    assert len(document.pieces[1]) == 30
    assert builder.notes == ["d: token 1 (a-------------------...) has 500 word pieces; only the first 30 were read"]


def test_mentions_across_sentences_are_reported(wordpiece: Tokenizer) -> None:
    builder = SequenceBuilder(wordpiece, SequenceOptions())
    prepared(builder, [3, 3], [(2, 3), (0, 5), (1, 2)])
    assert len(builder.notes) == 2
    assert all(note.startswith("d: the mention at tokens ") for note in builder.notes)

"""Which sentences are read: context by distance, hidden sentences, windows that hold every pair once, cut words."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import TYPE_CHECKING

import pytest

from cdcoref.corpus import Document, Mention
from cdcoref.errors import InputError
from cdcoref.inputs import MarkedDocument, SequenceBuilder, SequenceOptions, packs

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

LETTERS = "abcdefghijklmnopqrstuvwxyz"
OVERHEAD = 5
"""Word pieces of a sequence that belong to no document: [CLS], and two around each of two documents."""


def marked(
    tokenizer: PreTrainedTokenizerFast,
    sentences: Sequence[int],
    mentions: Sequence[tuple[int, ...]] = (),
    *,
    max_length: int = 4096,
    hidden: Sequence[int] = (),
    pieces: dict[int, int] | None = None,
) -> tuple[MarkedDocument, list[str]]:
    """A document whose sentences have the given numbers of words, and what is noted when it is prepared.

    The words of a sentence are one letter each, "a" in the first; each is one piece unless `pieces` differs.
    """
    tokens, lengths = count(), pieces or {}
    words = [
        [letter + "-" * (lengths.get(next(tokens), 1) - 1) for _ in range(size)]
        for letter, size in zip(LETTERS, sentences, strict=False)
    ]
    document = Document.from_sentences("d", words, hidden=frozenset(hidden))
    builder = SequenceBuilder(tokenizer, SequenceOptions(max_length=max_length))
    found = [Mention("d", tokens, "event") for tokens in mentions]
    return builder.prepare(document, found, range(len(found))), builder.notes


def read(options: SequenceOptions, document: MarkedDocument) -> tuple[int, ...]:
    """The units read of a document alone, which has room for all but the 3 pieces around it."""
    (((_, units),),) = packs(options, [document])
    return units


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"marking": "some"}, "marking is 'some' and should be 'all' or 'pair'"),
        (
            {"context": "paragraph"},
            "context is 'paragraph' and should be 'document', 'sentence' or a number of sentences",
        ),
        ({"context": -1}, "context is -1 and should be 'document', 'sentence' or a number of sentences"),
        ({"context": 1.5}, "context is 1.5 and should be 'document', 'sentence' or a number of sentences"),
        ({"max_length": 31}, "max_length is 31 and should be at least 32"),
    ],
)
def test_wrong_options_are_refused(values: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=f"^{message}$"):
        SequenceOptions(**values)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("context", "expected"),
    [("sentence", (2,)), (0, (2,)), (1, (1, 2, 3)), (2, (1, 2, 3, 4)), ("document", (1, 2, 3, 4, 5))],
)
def test_context_is_sentences_around_mentions_without_hidden_ones(
    wordpiece: PreTrainedTokenizerFast, context: int | str, expected: tuple[int, ...]
) -> None:
    document, _ = marked(wordpiece, [3] * 6, [(6,)], hidden=[0])
    assert read(SequenceOptions(context=context), document) == expected  # type: ignore[arg-type]


def test_a_mention_in_a_hidden_sentence_is_read_where_it_stands(wordpiece: PreTrainedTokenizerFast) -> None:
    first, _ = marked(wordpiece, [3] * 4, [(1,)], hidden=[0, 2])
    assert read(SequenceOptions(), first) == (0, 1, 3)
    assert read(SequenceOptions(context=1), first) == (0, 1)
    last, _ = marked(wordpiece, [3] * 4, [(9,)], hidden=[0, 2])
    assert read(SequenceOptions(), last) == (1, 3)


def test_context_that_is_far_from_mentions_goes_first(wordpiece: PreTrainedTokenizerFast) -> None:
    document, _ = marked(wordpiece, [10] * 9, [(45,)], max_length=35)
    # Room for 32: the mention's sentence of 10 and its markers, and two more; the nearest are on either side.
    assert read(SequenceOptions(max_length=35), document) == (3, 4, 5)
    # Nothing further away is shown in place of a sentence that does not fit.
    unequal, _ = marked(wordpiece, [5, 19, 10, 10], [(34,)], max_length=43)
    assert read(SequenceOptions(max_length=43), unequal) == (2, 3)


def test_two_documents_share_the_room_by_need(wordpiece: PreTrainedTokenizerFast) -> None:
    options = SequenceOptions(max_length=OVERHEAD + 200)
    builder = SequenceBuilder(wordpiece, options)
    short, _ = marked(wordpiece, [8] * 2, [(0,)], max_length=options.max_length)
    long, _ = marked(wordpiece, [20] * 20, [(200,)], max_length=options.max_length)

    def shown(first: MarkedDocument, second: MarkedDocument) -> list[list[str]]:
        """The letters of the sentences that are shown of either document."""
        (sequence,) = builder.pair(first, second)
        text = " ".join(wordpiece.convert_ids_to_tokens(sequence.input_ids.tolist()))
        return [sorted(set(part.split()).intersection(LETTERS)) for part in text.split("<doc-s>")[1:]]

    one, other = shown(short, long)
    assert one == ["a", "b"]
    # What the short one leaves, 182, rounded down to 128: the mention's sentence (22) and five of 20.
    assert "".join(other) in (LETTERS[8:14], LETTERS[7:13])
    assert shown(long, short) == [other, one]
    one, other = shown(long, long)
    assert len(one) == len(other) == 4  # half each: 22 + 3 * 20 <= 100


def test_a_long_sentence_is_cut_between_mentions(wordpiece: PreTrainedTokenizerFast) -> None:
    mentions = [(n, n + 1, n + 2) for n in range(0, 60, 4)]
    document, notes = marked(wordpiece, [60], mentions, max_length=OVERHEAD + 44)
    assert not notes
    assert [start for start, _ in document.units] == [0, *(end for _, end in document.units[:-1])]
    assert document.units[-1][1] == 60
    assert len(document.units) > 3
    assert all(length <= 22 for length in document.lengths)
    cuts = {start for start, _ in document.units[1:]}
    assert not any(start < cut < end for cut in cuts for start, *_, end in ((m[0], m[-1] + 1) for m in mentions))


def test_a_cut_before_a_mention_leaves_no_part_that_is_too_long(wordpiece: PreTrainedTokenizerFast) -> None:
    """The part from the last place between mentions to a word of many pieces may itself be too long."""
    document, notes = marked(wordpiece, [4, 14], [(5, *range(6, 18))], max_length=OVERHEAD + 28, pieces={16: 8})
    assert all(length <= 14 for length in document.lengths)
    assert len(notes) == 1
    assert "tokens 5-17" in notes[0]


def test_a_word_of_too_many_pieces_keeps_its_first_ones_and_is_reported(wordpiece: PreTrainedTokenizerFast) -> None:
    document, notes = marked(wordpiece, [3], [(1,)], max_length=OVERHEAD + 60, pieces={1: 500})
    assert document.lengths[0] + document.lengths[-1] <= 60
    assert len(document.pieces[1]) == 28
    assert notes == ["d: token 1 (a-------------------...) has 500 word pieces; only the first 28 were read"]


def test_mentions_across_sentences_are_reported(wordpiece: PreTrainedTokenizerFast) -> None:
    document, notes = marked(wordpiece, [3, 3], [(2, 3), (0, 5), (1, 2)])
    assert document.unit_mentions == [[0, 1, 2], []]
    assert len(notes) == 2
    assert all(note.startswith("d: the mention at tokens ") for note in notes)


def test_more_mentions_at_one_word_than_can_be_marked_are_refused(wordpiece: PreTrainedTokenizerFast) -> None:
    crowd = [(0, *range(1, n)) for n in range(1, 14)]
    document, _ = marked(wordpiece, [20], crowd[:6], max_length=32)
    assert all(length <= (32 - OVERHEAD) // 2 for length in document.lengths)
    with pytest.raises(InputError, match="13 mentions begin at token 0"):
        marked(wordpiece, [20], crowd, max_length=32)


def test_mentions_are_in_the_order_of_their_places_and_keep_their_numbers(wordpiece: PreTrainedTokenizerFast) -> None:
    document, _ = marked(wordpiece, [6], [(4,), (0,), (0, 1), (0,)])
    assert [m.tokens for m in document.mentions] == [(0, 1), (0,), (0,), (4,)]
    assert document.numbers == (2, 1, 3, 0)


def test_empty_sentences_hold_no_mention(wordpiece: PreTrainedTokenizerFast) -> None:
    document, _ = marked(wordpiece, [0, 2, 0], [(0,), (1,)])
    assert [document.unit_mentions[u] for u, (start, end) in enumerate(document.units) if end > start] == [[0, 1]]

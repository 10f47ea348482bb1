"""Which sentences are read: context by distance, hidden sentences, windows that hold every pair once, cut words."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import pytest

from cdcoref.corpus import Document, Mention
from cdcoref.errors import InputError
from cdcoref.inputs import MarkedDocument, SequenceOptions
from cdcoref.inputs.windows import OVERHEAD, lay_out, window_pairs


def marked(
    sentences: Sequence[int],
    mentions: Sequence[tuple[int, ...]] = (),
    *,
    max_length: int = 4096,
    hidden: Sequence[int] = (),
    pieces: dict[int, int] | None = None,
) -> tuple[MarkedDocument, list[str]]:
    """A document whose sentences have the given numbers of words; each word is one piece unless `pieces` differs."""
    words = iter(range(sum(sentences)))
    document = Document.from_sentences(
        "d", [[f"w{next(words)}" for _ in range(n)] for n in sentences], hidden=frozenset(hidden)
    )
    lengths = pieces or {}
    found = [Mention("d", tokens, "event") for tokens in mentions]
    return lay_out(
        document,
        found,
        range(len(found)),
        [[t] * lengths.get(t, 1) for t in range(len(document.tokens))],
        max_length,
    )


def read(options: SequenceOptions, document: MarkedDocument, *numbers: int) -> list[tuple[int, ...]]:
    """The units read when some mentions are marked in one document."""
    return [one for one, _ in window_pairs(options, document, numbers, None, ())]


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
    context: int | str, expected: tuple[int, ...]
) -> None:
    document, _ = marked([3] * 6, [(6,)], hidden=[0])
    assert read(SequenceOptions(context=context), document, 0) == [expected]  # type: ignore[arg-type]


def test_a_mention_in_a_hidden_sentence_is_read_where_it_stands() -> None:
    document, _ = marked([3] * 4, [(1,), (9,)], hidden=[0, 2])
    assert read(SequenceOptions(), document, 0) == [(0, 1, 3)]
    assert read(SequenceOptions(context=1), document, 0) == [(0, 1)]
    assert read(SequenceOptions(), document, 1) == [(1, 3)]


def test_context_that_is_far_from_mentions_goes_first() -> None:
    document, _ = marked([10] * 9, [(45,)], max_length=OVERHEAD + 32)
    # Room for 32: the mention's sentence of 10 and its markers, and two more; the nearest are on either side.
    assert read(SequenceOptions(max_length=OVERHEAD + 32), document, 0) == [(3, 4, 5)]
    # Nothing further away is shown in place of a sentence that does not fit.
    unequal, _ = marked([5, 20, 10, 10], [(35,)], max_length=OVERHEAD + 40)
    assert read(SequenceOptions(max_length=OVERHEAD + 40), unequal, 0) == [(2, 3)]


def test_what_does_not_fit_is_split_and_every_two_sentences_meet_once() -> None:
    mentions = [(10 * n,) for n in range(9)]
    options = SequenceOptions(max_length=OVERHEAD + 60)
    document, _ = marked([10] * 9, mentions, max_length=options.max_length)
    pairs = window_pairs(options, document, range(9), None, ())
    met = [
        tuple(sorted((a, b)))
        for one, other in pairs
        for a, b in (((a, b) for a in one for b in other) if other else combinations(one, 2))
    ]
    assert sorted(met) == list(combinations(range(9), 2))
    assert all(sum(document.lengths[u] for u in (*one, *other)) <= 60 for one, other in pairs)


def test_two_documents_share_the_room_by_need() -> None:
    options = SequenceOptions(max_length=OVERHEAD + 200)
    short, _ = marked([8] * 2, [(0,)], max_length=options.max_length)
    long, _ = marked([20] * 20, [(200,)], max_length=options.max_length)
    ((one, other),) = window_pairs(options, short, [0], long, [0])
    assert one == (0, 1)
    # What the short one leaves, 182, rounded down to 128: the mention's sentence (22) and five of 20.
    assert other == (8, 9, 10, 11, 12, 13) or other == (7, 8, 9, 10, 11, 12)
    ((one, other),) = window_pairs(options, long, [0], long, [0])
    assert len(one) == len(other) == 4  # half each: 22 + 3 * 20 <= 100


def test_a_long_sentence_is_cut_between_mentions() -> None:
    mentions = [(n, n + 1, n + 2) for n in range(0, 60, 4)]
    document, notes = marked([60], mentions, max_length=OVERHEAD + 40)
    assert not notes
    assert [start for start, _ in document.units] == [0, *(end for _, end in document.units[:-1])]
    assert document.units[-1][1] == 60
    assert len(document.units) > 3
    assert all(length <= 20 for length in document.lengths)
    cuts = {start for start, _ in document.units[1:]}
    assert not any(start < cut < end for cut in cuts for start, *_, end in ((m[0], m[-1] + 1) for m in mentions))


def test_a_cut_before_a_mention_leaves_no_part_that_is_too_long() -> None:
    """The part from the last place between mentions to a word of many pieces may itself be too long."""
    document, notes = marked([4, 14], [(5, *range(6, 18))], max_length=OVERHEAD + 28, pieces={16: 8})
    assert all(length <= 14 for length in document.lengths)
    assert len(notes) == 1
    assert "tokens 5-17" in notes[0]


def test_a_word_of_too_many_pieces_keeps_its_first_ones_and_is_reported() -> None:
    document, notes = marked([3], [(1,)], max_length=OVERHEAD + 60, pieces={1: 500})
    assert document.lengths[0] + document.lengths[-1] <= 60
    assert len(document.pieces[1]) == 28
    assert notes == ["d: token 1 (w1...) has 500 word pieces; only the first 28 were read"]


def test_mentions_across_sentences_are_reported() -> None:
    document, notes = marked([3, 3], [(2, 3), (0, 5), (1, 2)])
    assert document.unit_mentions == [[0, 1, 2], []]
    assert len(notes) == 2
    assert all(note.startswith("d: the mention at tokens ") for note in notes)


def test_more_mentions_at_one_word_than_can_be_marked_are_refused() -> None:
    crowd = [(0, *range(1, n)) for n in range(1, 14)]
    document, _ = marked([20], crowd[:6], max_length=32)
    assert all(length <= (32 - OVERHEAD) // 2 for length in document.lengths)
    with pytest.raises(InputError, match="13 mentions begin at token 0"):
        marked([20], crowd, max_length=32)


def test_mentions_are_in_the_order_of_their_places_and_keep_their_numbers() -> None:
    document, _ = marked([6], [(4,), (0,), (0, 1), (0,)])
    assert [m.tokens for m in document.mentions] == [(0, 1), (0,), (0,), (4,)]
    assert document.numbers == (2, 1, 3, 0)


def test_empty_sentences_hold_no_mention() -> None:
    document, _ = marked([0, 2, 0], [(0,), (1,)])
    assert [document.unit_mentions[u] for u, (start, end) in enumerate(document.units) if end > start] == [[0, 1]]

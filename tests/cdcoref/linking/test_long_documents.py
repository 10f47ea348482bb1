"""A document of many windows: counted without being listed, and limited to its nearest windows."""

from __future__ import annotations

import pytest
from transformers import PreTrainedTokenizerFast

from cdcoref.corpus import Document, Mention
from cdcoref.inputs import MarkedDocument, SequenceBuilder, SequenceOptions

WORDS = ("ship", "storm", "island", "court", "minister", "museum", "guard", "election")


def builder_and_document(
    tokenizer: PreTrainedTokenizerFast, max_windows: int | None
) -> tuple[SequenceBuilder, MarkedDocument]:
    """Forty sentences; the one word of a sentence that is no filler comes again eight sentences later."""
    sentences = [[WORDS[n % len(WORDS)], "and", "the", "and", "the", "and", "the", "and"] for n in range(40)]
    document = Document.from_sentences("long", sentences)
    mentions = [Mention("long", (8 * n,), "event") for n in range(40)]
    builder = SequenceBuilder(tokenizer, SequenceOptions("all", "sentence", 32, max_windows))
    return builder, builder.prepare(document, mentions, range(40))


@pytest.mark.parametrize("max_windows", [None, 3])
def test_what_is_counted_is_what_is_built(wordpiece: PreTrainedTokenizerFast, max_windows: int | None) -> None:
    builder, document = builder_and_document(wordpiece, max_windows)
    other = SequenceBuilder(wordpiece, builder.options).prepare(document.document, document.mentions, document.numbers)
    for second in (None, other):
        built = list(builder.single(document) if second is None else builder.pair(document, second))
        extent = builder.extent(document, second)
        sequences, pieces = extent.sequences, extent.pieces
        # A window with a single mention has no pair of its own, and is counted but not built.
        missing = sequences - len(built)
        assert missing == (0 if second is not None else sum(len(u) == 1 for u in document.unit_mentions))
        assert pieces - sum(len(s) for s in built) <= missing * 32 + 2 * len(built)


def test_all_pairs_meet_once_without_a_limit(wordpiece: PreTrainedTokenizerFast) -> None:
    builder, document = builder_and_document(wordpiece, None)
    met = [tuple(sorted(s.mentions[pair].tolist())) for s in builder.single(document) for pair in s.pairs]
    assert sorted(met) == [(i, j) for i in range(40) for j in range(i + 1, 40)]
    assert builder.extent(document, None).pruned == 0


def test_a_limit_keeps_the_windows_that_share_words_and_says_what_it_left_out(
    wordpiece: PreTrainedTokenizerFast,
) -> None:
    builder, document = builder_and_document(wordpiece, 4)
    met = {tuple(sorted(s.mentions[pair].tolist())) for s in builder.single(document) for pair in s.pairs}
    assert met >= {(i, j) for i in range(40) for j in range(i + 8, 40, 8)}
    pruned = builder.extent(document, None).pruned
    assert len(met) + pruned == 40 * 39 // 2
    assert pruned > 500

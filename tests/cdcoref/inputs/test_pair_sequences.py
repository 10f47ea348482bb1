"""What the encoder reads: markers, global attention, spans and pairs; every pair once, nothing lost without a note."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations, product
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cdcoref.corpus import KINDS, Document, Mention
from cdcoref.errors import InputError
from cdcoref.inputs import Extent, MarkedDocument, PairSequence, SequenceBuilder, SequenceOptions
from cdlm.tokens import SPECIAL_TOKENS, WordPieces

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
SPECIAL = {"[CLS]", "<s>", *SPECIAL_TOKENS}


def document(text: str, name: str = "d", hidden: Iterable[int] = ()) -> Document:
    """Sentences are lines, words are separated by spaces; a letter is one piece."""
    return Document.from_sentences(name, [line.split() for line in text.splitlines()], hidden=frozenset(hidden))


def mentions(name: str, *places: tuple[int, ...], kind: str = "event") -> list[Mention]:
    return [Mention(name, place, kind) for place in places]


def shown(tokenizer: PreTrainedTokenizerFast, sequence: PairSequence) -> str:
    return " ".join(tokenizer.convert_ids_to_tokens(sequence.input_ids.tolist()))


def spans(tokenizer: PreTrainedTokenizerFast, sequence: PairSequence) -> list[str]:
    pieces = np.array(tokenizer.convert_ids_to_tokens(sequence.input_ids.tolist()))
    return [
        " ".join(pieces[sequence.span_tokens[sequence.span_of_token == span]]) for span in range(len(sequence.mentions))
    ]


def attending(tokenizer: PreTrainedTokenizerFast, sequence: PairSequence) -> str:
    pieces = tokenizer.convert_ids_to_tokens(sequence.input_ids.tolist())
    return " ".join(piece for piece, is_global in zip(pieces, sequence.is_global, strict=True) if is_global)


def test_two_documents_in_one_sequence(wordpiece: PreTrainedTokenizerFast) -> None:
    builder = SequenceBuilder(wordpiece, SequenceOptions())
    first = builder.prepare(document("a b c\nd", "1"), mentions("1", (1,), (3,)), [0, 1])
    second = builder.prepare(document("xyz u", "2"), mentions("2", (0,)), [2])
    (sequence,) = builder.pair(first, second)
    assert shown(wordpiece, sequence) == (
        "[CLS] <doc-s> a <m> b </m> c <m> d </m> </doc-s> <doc-s> <m> x ##y ##z </m> u </doc-s>"
    )
    assert attending(wordpiece, sequence) == "[CLS] <m> b </m> <m> d </m> <m> x ##y ##z </m>"
    assert spans(wordpiece, sequence) == ["b", "d", "x ##y ##z"]
    assert sequence.mentions.tolist() == [0, 1, 2]
    assert sequence.kinds.tolist() == [0, 0, 0]
    assert sequence.pairs.tolist() == [[0, 2], [1, 2]]
    assert len(sequence) == len(sequence.input_ids) == 19
    assert not builder.notes


@pytest.mark.parametrize(
    ("places", "text", "found"),
    [
        (((0, 1, 2), (1,)), "<m> a <m> b </m> c </m> d", ["a b c", "b"]),  # nested
        (((0, 1), (1, 2)), "<m> a <m> b </m> c </m> d", ["a b", "b c"]),  # crossing
        (((0, 2), (3,)), "<m> a b c </m> <m> d </m>", ["a c", "d"]),  # discontinuous
        (((0, 3), (1, 2)), "<m> a <m> b c </m> d </m>", ["a d", "b c"]),  # within the gap of another
        (((1, 2), (1, 2)), "a <m> <m> b c </m> </m> d", ["b c", "b c"]),  # equal
        (((0, 1), (0,), (0, 1, 2)), "<m> <m> <m> a </m> b </m> c </m> d", ["a b c", "a b", "a"]),  # one beginning
        (((0, 1, 2), (2,), (1, 2)), "<m> a <m> b <m> c </m> </m> </m> d", ["a b c", "b c", "c"]),  # one end
    ],
)
def test_markers_of_mentions_that_share_words(
    wordpiece: PreTrainedTokenizerFast, places: Sequence[tuple[int, ...]], text: str, found: list[str]
) -> None:
    builder = SequenceBuilder(wordpiece, SequenceOptions())
    (sequence,) = builder.single(builder.prepare(document("a b c d"), mentions("d", *places), range(len(places))))
    assert shown(wordpiece, sequence) == f"[CLS] <doc-s> {text} </doc-s>"
    assert spans(wordpiece, sequence) == found
    of_mention = {piece for span in found for piece in span.split()}
    expected = [p for p in f"[CLS] {text}".split() if p in of_mention | {"[CLS]", "<m>", "</m>"}]
    assert attending(wordpiece, sequence).split() == expected


def test_only_mentions_of_one_kind_are_paired(wordpiece: PreTrainedTokenizerFast) -> None:
    builder = SequenceBuilder(wordpiece, SequenceOptions())
    kinds = ["event", "entity", "event", None, "entity", None]
    found = [Mention("d", (number,), kind) for number, kind in enumerate(kinds)]
    (sequence,) = builder.single(builder.prepare(document("a b c d e f"), found, range(6)))
    assert sequence.kinds.tolist() == [0, 1, 0, -1, 1, -1]
    assert sequence.pairs.tolist() == [[0, 2], [1, 4], [3, 5]]


def test_nothing_to_compare_is_no_sequence(wordpiece: PreTrainedTokenizerFast) -> None:
    for marking in ("all", "pair"):
        builder = SequenceBuilder(wordpiece, SequenceOptions(marking=marking))  # type: ignore[arg-type]
        one = builder.prepare(document("a b", "1"), mentions("1", (0,)), [0])
        entity = builder.prepare(document("c", "2"), mentions("2", (0,), kind="entity"), [1])
        nothing = builder.prepare(document("c", "3"), [], [])
        empty = builder.prepare(document("", "4"), [], [])
        for first, second in ((one, None), (one, entity), (one, nothing), (nothing, one), (empty, empty)):
            assert list(builder.single(first) if second is None else builder.pair(first, second)) == []
            assert list(builder.candidates(first, second)) == []
            assert builder.extent(first, second) == Extent(0, 0)


def test_marking_one_pair_is_the_papers_layout(wordpiece: PreTrainedTokenizerFast) -> None:
    builder = SequenceBuilder(wordpiece, SequenceOptions(marking="pair"))
    first = builder.prepare(document("a b c", "1"), mentions("1", (0,), (2,)), [0, 1])
    second = builder.prepare(
        document("d e f", "2"), [*mentions("2", (0,)), *mentions("2", (1, 2), kind="entity")], [2, 3]
    )
    sequences = list(builder.pair(first, second))
    assert [shown(wordpiece, s) for s in sequences] == [
        "[CLS] <doc-s> <m> a </m> b c </doc-s> <doc-s> <m> d </m> e f </doc-s>",
        "[CLS] <doc-s> a b <m> c </m> </doc-s> <doc-s> <m> d </m> e f </doc-s>",
    ]
    for sequence in sequences:
        assert sequence.pairs.tolist() == [[0, 1]]
        assert len(sequence.mentions) == 2
    (within,) = builder.single(first)
    assert shown(wordpiece, within) == "[CLS] <doc-s> <m> a </m> b <m> c </m> </doc-s>"
    assert within.pairs.tolist() == [[0, 1]]


@pytest.mark.parametrize(
    ("context", "text"),
    [
        ("document", "a b <m> c </m> <m> d </m> e f"),
        (1, "b <m> c </m> <m> d </m> e"),
        ("sentence", "<m> c </m> <m> d </m>"),
    ],
)
def test_context(wordpiece: PreTrainedTokenizerFast, context: str, text: str) -> None:
    builder = SequenceBuilder(wordpiece, SequenceOptions(context=context))  # type: ignore[arg-type]
    prepared = builder.prepare(document("a\nb\nc\nd\ne\nf"), mentions("d", (2,), (3,)), [0, 1])
    (sequence,) = builder.single(prepared)
    assert shown(wordpiece, sequence) == f"[CLS] <doc-s> {text} </doc-s>"


def test_hidden_sentences_are_no_context(wordpiece: PreTrainedTokenizerFast) -> None:
    builder = SequenceBuilder(wordpiece, SequenceOptions())
    prepared = builder.prepare(document("h t t p\na b", hidden=[0]), mentions("d", (4,), (5,)), [0, 1])
    (sequence,) = builder.single(prepared)
    assert shown(wordpiece, sequence) == "[CLS] <doc-s> <m> a </m> <m> b </m> </doc-s>"


def test_text_like_a_marker_is_text(wordpiece: PreTrainedTokenizerFast) -> None:
    builder = SequenceBuilder(wordpiece, SequenceOptions())
    found = mentions("d", (1,), (2,))
    (sequence,) = builder.single(builder.prepare(document("<m> </doc-s> [CLS]"), found, [0, 1]))
    pieces = Counter(shown(wordpiece, sequence).split())
    assert (pieces["<m>"], pieces["</m>"], pieces["[CLS]"], pieces["</doc-s>"]) == (2, 2, 1, 1)
    assert sequence.input_ids[0] == wordpiece.cls_token_id


def test_byte_level_pieces(byte_bpe: PreTrainedTokenizerFast) -> None:
    builder = SequenceBuilder(byte_bpe, SequenceOptions())
    prepared = builder.prepare(document("the é the hat"), mentions("d", (0,), (1,), (3,)), [0, 1, 2])
    (sequence,) = builder.single(prepared)
    assert shown(byte_bpe, sequence) == ("<s> <doc-s> <m> Ġthe </m> <m> Ġ Ã © </m> Ġthe <m> Ġ h a t </m> </doc-s>")
    assert spans(byte_bpe, sequence) == ["Ġthe", "Ġ Ã ©", "Ġ h a t"]


def test_a_tokenizer_without_a_beginning_is_refused(wordpiece: PreTrainedTokenizerFast) -> None:
    from transformers import PreTrainedTokenizerFast as Fast

    headless = Fast(tokenizer_object=wordpiece.backend_tokenizer, unk_token="[UNK]", pad_token="[PAD]")
    with pytest.raises(InputError, match="neither a"):
        SequenceBuilder(headless, SequenceOptions())


def test_windows_of_one_document_share_no_text(wordpiece: PreTrainedTokenizerFast) -> None:
    """A sentence without mentions may be context of two windows that are read together; it is shown once."""
    lines = [" ".join(LETTERS[3 * n : 3 * n + 3]) for n in range(12)]
    found = mentions("d", *[(3 * n, 3 * n + 1, 3 * n + 2) for n in range(12) if n != 6])
    builder = SequenceBuilder(wordpiece, SequenceOptions(max_length=44))
    prepared = builder.prepare(document("\n".join(lines)), found, range(11))
    sequences = list(builder.single(prepared))
    assert sum("s" in shown(wordpiece, sequence).split() for sequence in sequences) > 2
    for sequence in sequences:
        assert max(Counter(p for p in shown(wordpiece, sequence).split() if p not in SPECIAL).values()) == 1


def test_features_stand_beside_their_pairs(wordpiece: PreTrainedTokenizerFast) -> None:
    options = SequenceOptions(features=("same_words", "same_words"))
    builder = SequenceBuilder(wordpiece, options)
    one = builder.prepare(document("a b c"), mentions("d", (0,), (1, 2)), [0, 1])
    other = builder.prepare(document("B c\nA"), mentions("d", (0, 1), (2,)), [2, 3])
    (sequence,) = builder.pair(one, other)
    names = [("a", "bc", "bc", "a")[n] for n in sequence.mentions]
    expected = [[float(names[i] == names[j])] * 2 for i, j in sequence.pairs]
    assert sequence.features.tolist() == expected
    assert {row[0] for row in expected} == {0.0, 1.0}
    (bare,) = SequenceBuilder(wordpiece, SequenceOptions()).pair(one, other)
    assert bare.features.shape == (len(bare.pairs), 0)


def test_a_feature_that_nobody_knows_is_refused() -> None:
    with pytest.raises(InputError, match="features has 'moon', which is no feature"):
        SequenceOptions(features=("moon",))


def test_rendered_windows_are_forgotten(wordpiece: PreTrainedTokenizerFast) -> None:
    """The most recently used ones of up to 200,000 word pieces are kept, and with them their documents."""
    options = SequenceOptions(max_length=200_000)
    builder = SequenceBuilder(wordpiece, options)
    documents = [
        builder.prepare(document(f"{letter}{'-' * 29_999} {'-' * 30_000}"), mentions("d", (0,), (1,)), range(2))
        for letter in "abcd"
    ]
    unused = [sys.getrefcount(documents[number]) for number in range(4)]
    for number, kept in ((0, [0]), (1, [0, 1]), (2, [0, 1, 2]), (0, [0, 1, 2]), (3, [0, 2, 3]), (1, [0, 1, 3])):
        (sequence,) = builder.single(documents[number])
        assert len(sequence) == 60_007
        (again,) = SequenceBuilder(wordpiece, options).single(documents[number])
        assert np.array_equal(sequence.input_ids, again.input_ids)
        assert [n for n in range(4) if sys.getrefcount(documents[n]) > unused[n]] == kept


# -- any documents, mentions and lengths -----------------------------------------------------------------------------


@st.composite
def documents(draw: st.DrawFn, name: str) -> tuple[Document, list[Mention]]:
    """Words of one to four pieces whose first letters are all different; mentions of any shape."""
    lengths = draw(st.lists(st.integers(0, 9), min_size=1, max_size=6).filter(lambda n: sum(n) <= len(LETTERS)))
    sizes = draw(st.lists(st.sampled_from([0, 0, 0, 1, 3]), min_size=sum(lengths), max_size=sum(lengths)))
    words = iter(LETTERS[n] + "x" * size for n, size in enumerate(sizes))
    hidden = draw(st.sets(st.integers(0, len(lengths) - 1), max_size=1))
    made = Document.from_sentences(name, [[next(words) for _ in range(n)] for n in lengths], hidden=frozenset(hidden))
    if not made.tokens:
        return made, []
    token = st.integers(0, len(made.tokens) - 1)
    contiguous = st.tuples(token, st.integers(1, 5)).map(
        lambda p: tuple(range(p[0], min(len(made.tokens), p[0] + p[1])))
    )
    scattered = st.sets(token, min_size=1, max_size=4).map(lambda tokens: tuple(sorted(tokens)))
    places = draw(st.lists(st.one_of(contiguous, contiguous, scattered), max_size=9))
    places = [p for n, p in enumerate(places) if sum(q[0] == p[0] for q in places[:n]) < 6]  # more cannot be marked
    kinds = draw(st.lists(st.sampled_from(KINDS), min_size=len(places), max_size=len(places)))
    return made, [Mention(name, place, kind) for place, kind in zip(places, kinds, strict=True)]


OPTIONS = st.builds(
    SequenceOptions,
    marking=st.sampled_from(["all", "all", "pair"]),
    context=st.sampled_from(["document", "sentence", 0, 1, 2]),
    max_length=st.integers(32, 90),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(first=documents("1"), second=documents("2"), options=OPTIONS)
def test_every_pair_is_scored_once_in_sequences_that_fit(
    wordpiece: PreTrainedTokenizerFast,
    first: tuple[Document, list[Mention]],
    second: tuple[Document, list[Mention]],
    options: SequenceOptions,
) -> None:
    builder = SequenceBuilder(wordpiece, options)
    one = builder.prepare(*first, range(len(first[1])))
    two = builder.prepare(*second, range(len(first[1]), len(first[1]) + len(second[1])))
    everything = [*first[1], *second[1]]
    groups = [
        (one, None, list(builder.single(one)), combinations(range(len(first[1])), 2)),
        (two, None, list(builder.single(two)), combinations(range(len(first[1]), len(everything)), 2)),
        (one, two, list(builder.pair(one, two)), product(range(len(first[1])), range(len(first[1]), len(everything)))),
    ]
    for left, right, sequences, pairs in groups:
        scored = Counter(
            tuple(sorted(sequence.mentions[pair].tolist())) for sequence in sequences for pair in sequence.pairs
        )
        assert scored == Counter(p for p in pairs if everything[p[0]].kind == everything[p[1]].kind)
        extent = builder.extent(left, right)
        counted, pieces = extent.sequences, extent.pieces
        assert len(sequences) <= counted
        if sequences and options.marking == "all":
            assert sum(map(len, sequences)) <= pieces
        for sequence in sequences:
            check(wordpiece, builder, sequence, [left, right or left], everything)
            if right is not None:
                assert all(i < len(first[1]) <= j for i, j in sequence.mentions[sequence.pairs])
            if options.marking == "pair":
                assert len(sequence.pairs) == 1
                assert len(sequence.mentions) == 2


def check(
    tokenizer: PreTrainedTokenizerFast,
    builder: SequenceBuilder,
    sequence: PairSequence,
    marked: list[MarkedDocument],
    everything: list[Mention],
) -> None:
    """Length, order of the text, markers, global attention and spans of one sequence."""
    pieces = tokenizer.convert_ids_to_tokens(sequence.input_ids.tolist())
    assert len(sequence) <= builder.options.max_length
    assert pieces[:2] == ["[CLS]", "<doc-s>"]
    assert pieces[-1] == "</doc-s>"
    for text in " ".join(pieces).split("<doc-s>")[1:]:
        letters = [p for p in text.split() if p not in SPECIAL and not p.startswith("##")]
        assert letters == sorted(set(letters), key=LETTERS.index)
        depth = 0
        for piece in text.split():
            depth += (piece == "<m>") - (piece == "</m>")
            assert depth >= 0
        assert depth == 0
    assert pieces.count("<m>") == len(sequence.mentions)
    own = set(sequence.span_tokens.tolist())
    is_special = [piece in ("[CLS]", "<m>", "</m>") for piece in pieces]
    assert sequence.is_global.tolist() == [special or place in own for place, special in enumerate(is_special)]
    to_pieces = WordPieces(tokenizer)
    for span, number in enumerate(sequence.mentions.tolist()):
        mention = everything[number]
        (home,) = {id(m): m for m in marked if m.document.id == mention.document}.values()
        words = [home.document.tokens[t] for t in mention.tokens]
        whole = [piece for word in to_pieces(words) for piece in word]
        found = sequence.input_ids[sequence.span_tokens[sequence.span_of_token == span]].tolist()
        assert found
        if found != whole:
            assert any(
                note.startswith(f"{mention.document}: the mention at tokens {mention.start}-{mention.end - 1}")
                for note in builder.notes
            ) or any(f"{mention.document}: token " in note for note in builder.notes)


def test_count_and_extent_agree_with_what_is_built(wordpiece: PreTrainedTokenizerFast) -> None:
    lines = "\n".join(" ".join(LETTERS[3 * n : 3 * n + 3]) for n in range(12))
    for max_length in (40, 64, 200):
        builder = SequenceBuilder(wordpiece, SequenceOptions(max_length=max_length, context="sentence"))
        first = builder.prepare(document(lines, "1"), mentions("1", *[(3 * n,) for n in range(12)]), range(12))
        second = builder.prepare(document(lines, "2"), mentions("2", *[(3 * n,) for n in range(6)]), range(12, 18))
        for one, other in ((first, None), (second, None), (first, second)):
            sequences = list(builder.single(one) if other is None else builder.pair(one, other))
            extent = builder.extent(one, other)
            counted, pieces = extent.sequences, extent.pieces
            ((ones, others),) = builder.candidates(one, other)
            assert builder.extent_of(one, ones, other, others) == extent
            assert counted == len(sequences)
            # A sequence of one document has one pair of separators less than what is reckoned.
            assert pieces - sum(map(len, sequences)) == (0 if other else 2 * len(sequences))
    pair = SequenceBuilder(wordpiece, SequenceOptions(marking="pair"))
    first = pair.prepare(document(lines, "1"), mentions("1", (0,), (5,), (9,)), range(3))
    assert pair.extent(first, None).sequences == len(list(pair.single(first))) == 3

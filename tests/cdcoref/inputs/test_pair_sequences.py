"""What the cross-encoder of the paper reads: two marked mentions, which attend globally, in sequences that fit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cdcoref.corpus import KINDS, Document, Mention
from cdcoref.inputs import PairSequence, SequenceBuilder, SequenceOptions
from cdlm.tokens import SPECIAL_TOKENS, Tokenizer, WordPieces

LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
SPECIAL = {"[CLS]", "<s>", *SPECIAL_TOKENS}
Place = tuple[int, ...]


def document(text: str, name: str = "d", hidden: Iterable[int] = ()) -> Document:
    """Sentences are lines, words are separated by spaces; a letter is one piece."""
    return Document.from_sentences(name, [line.split() for line in text.splitlines()], hidden=frozenset(hidden))


def within(tokenizer: Tokenizer, text: str, *places: Place, **options: str) -> PairSequence:
    """The sequence of two mentions of one document."""
    builder = SequenceBuilder(tokenizer, SequenceOptions(**options))  # type: ignore[arg-type]
    one, other = (Mention("d", place, "event") for place in places)
    prepared = builder.prepare(document(text), [one, other])
    return builder.build(prepared, one, prepared, other)


def pieces(tokenizer: Tokenizer, sequence: PairSequence) -> np.ndarray:
    return np.array(tokenizer.tokens(sequence.input_ids.tolist()))


def spans(tokenizer: Tokenizer, sequence: PairSequence) -> list[str]:
    read = pieces(tokenizer, sequence)
    return [" ".join(read[sequence.span_tokens[sequence.side == side]]) for side in (0, 1)]


def test_two_documents_are_the_papers_layout(wordpiece: Tokenizer) -> None:
    builder = SequenceBuilder(wordpiece, SequenceOptions())
    one, other = Mention("1", (1,), "entity"), Mention("2", (0,), "entity")
    first = builder.prepare(document("a b c\nd", "1"), [one])
    second = builder.prepare(document("xyz u", "2"), [other])
    sequence = builder.build(first, one, second, other)
    read = pieces(wordpiece, sequence)
    assert " ".join(read) == "[CLS] <doc-s> a <m> b </m> c d </doc-s> <doc-s> <m> x ##y ##z </m> u </doc-s>"
    assert " ".join(read[sequence.is_global]) == "[CLS] <m> b </m> <m> x ##y ##z </m>"
    assert spans(wordpiece, sequence) == ["b", "x ##y ##z"]
    assert KINDS[sequence.kind] == "entity"
    assert not builder.notes


@pytest.mark.parametrize(
    ("places", "text", "found"),
    [
        (((0, 1, 2), (1,)), "<m> a <m> b </m> c </m> d", ["a b c", "b"]),  # nested
        (((0, 1), (1, 2)), "<m> a <m> b </m> c </m> d", ["a b", "b c"]),  # crossing
        (((0, 2), (3,)), "<m> a b c </m> <m> d </m>", ["a c", "d"]),  # discontinuous
        (((0, 3), (1, 2)), "<m> a <m> b c </m> d </m>", ["a d", "b c"]),  # within the gap of another
        (((1, 2), (1, 2)), "a <m> <m> b c </m> </m> d", ["b c", "b c"]),  # equal
        (((0, 1), (0,)), "<m> <m> a </m> b </m> c d", ["a b", "a"]),  # one beginning
    ],
)
def test_nested_markers(wordpiece: Tokenizer, places: tuple[Place, Place], text: str, found: list[str]) -> None:
    sequence = within(wordpiece, "a b c d", *places)
    read = pieces(wordpiece, sequence)
    assert " ".join(read) == f"[CLS] <doc-s> {text} </doc-s>"
    assert spans(wordpiece, sequence) == found
    of_mention = {piece for span in found for piece in span.split()}
    expected = [p for p in f"[CLS] {text}".split() if p in of_mention | {"[CLS]", "<m>", "</m>"}]
    assert read[sequence.is_global].tolist() == expected


@pytest.mark.parametrize(
    ("context", "text"), [("document", "a b <m> c </m> <m> d </m> e f"), ("sentence", "<m> c </m> <m> d </m>")]
)
def test_context(wordpiece: Tokenizer, context: str, text: str) -> None:
    sequence = within(wordpiece, "a\nb\nc\nd\ne\nf", (2,), (3,), context=context)
    assert " ".join(pieces(wordpiece, sequence)) == f"[CLS] <doc-s> {text} </doc-s>"


def test_text_like_a_marker_is_text(wordpiece: Tokenizer) -> None:
    sequence = within(wordpiece, "<m> </doc-s> [CLS]", (1,), (2,))
    counts = Counter(pieces(wordpiece, sequence).tolist())
    assert (counts["<m>"], counts["</m>"], counts["[CLS]"], counts["</doc-s>"]) == (2, 2, 1, 1)
    assert sequence.input_ids[0] == wordpiece.first_id


def test_byte_level_pieces(byte_bpe: Tokenizer) -> None:
    sequence = within(byte_bpe, "the é the hat", (1,), (3,))
    assert " ".join(pieces(byte_bpe, sequence)) == "<s> <doc-s> Ġthe <m> Ġ Ã © </m> Ġthe <m> Ġ h a t </m> </doc-s>"
    assert spans(byte_bpe, sequence) == ["Ġ Ã ©", "Ġ h a t"]


@st.composite
def documents(draw: st.DrawFn, name: str) -> tuple[Document, list[Mention]]:
    """Words of one to four pieces whose first letters are all different; mentions of any shape."""
    lengths = draw(st.lists(st.integers(0, 9), min_size=1, max_size=6).filter(lambda n: 0 < sum(n) <= len(LETTERS)))
    sizes = draw(st.lists(st.sampled_from([0, 0, 0, 1, 3]), min_size=sum(lengths), max_size=sum(lengths)))
    words = iter(LETTERS[n] + "x" * size for n, size in enumerate(sizes))
    hidden = draw(st.sets(st.integers(0, len(lengths) - 1), max_size=1))
    made = Document.from_sentences(name, [[next(words) for _ in range(n)] for n in lengths], hidden=frozenset(hidden))
    token = st.integers(0, len(made.tokens) - 1)
    contiguous = st.tuples(token, st.integers(1, 5)).map(
        lambda p: tuple(range(p[0], min(len(made.tokens), p[0] + p[1])))
    )
    scattered = st.sets(token, min_size=1, max_size=4).map(lambda tokens: tuple(sorted(tokens)))
    places = draw(st.lists(st.one_of(contiguous, contiguous, scattered), min_size=1, max_size=4))
    return made, [Mention(name, place, "event") for place in places]


OPTIONS = st.builds(SequenceOptions, context=st.sampled_from(["document", "sentence"]), max_length=st.integers(32, 90))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(first=documents("1"), second=documents("2"), options=OPTIONS)
def test_sequences_fit_and_show_both_mentions(
    wordpiece: Tokenizer,
    first: tuple[Document, list[Mention]],
    second: tuple[Document, list[Mention]],
    options: SequenceOptions,
) -> None:
    builder = SequenceBuilder(wordpiece, options)
    sides = [(builder.prepare(*side), mention) for side in (first, second) for mention in side[1][:2]]
    to_pieces = WordPieces(wordpiece)
    for one, mention in sides:
        for two, other in sides:
            if mention is other or (one is not two and mention.document == other.document):
                continue
            sequence = builder.build(one, mention, two, other)
            read = pieces(wordpiece, sequence).tolist()
            assert len(sequence) <= options.max_length
            assert read.count("<m>") == 2
            for text in " ".join(read).split("<doc-s>")[1:]:
                letters = [p for p in text.split() if p not in SPECIAL and not p.startswith("##")]
                assert letters == sorted(set(letters), key=LETTERS.index)
                depths = np.cumsum([(piece == "<m>") - (piece == "</m>") for piece in text.split()])
                assert depths.min() >= 0 == depths[-1]
            own = set(sequence.span_tokens.tolist())
            special = [piece in ("[CLS]", "<m>", "</m>") for piece in read]
            assert sequence.is_global.tolist() == [mark or place in own for place, mark in enumerate(special)]
            for side, shown in enumerate((mention, other)):
                words = [(one, two)[side].document.tokens[token] for token in shown.tokens]
                whole = [piece for word in to_pieces(words) for piece in word]
                found = sequence.input_ids[sequence.span_tokens[sequence.side == side]].tolist()
                assert found
                assert found == whole or any(note.startswith(f"{shown.document}: ") for note in builder.notes)

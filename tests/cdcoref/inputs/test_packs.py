"""Packs: what fits is read at once, and otherwise every two documents that are to be compared meet in some sequence."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cdcoref.corpus import Document, Mention
from cdcoref.errors import InputError
from cdcoref.inputs import Candidates, MarkedDocument, Pack, SequenceBuilder, SequenceOptions, pack_length, packs

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast


def story(builder: SequenceBuilder, sizes: list[int]) -> list[MarkedDocument]:
    """Documents of so many sentences of three words, whose second word is an event."""
    documents, number = [], 0
    for place, size in enumerate(sizes):
        document = Document.from_sentences(f"d{place}", [["a", "b", "c"]] * size)
        mentions = [Mention(document.id, (3 * sentence + 1,), "event") for sentence in range(size)]
        documents.append(builder.prepare(document, mentions, range(number, number + size)))
        number += size
    return documents


def test_a_story_that_fits_is_one_sequence(wordpiece: PreTrainedTokenizerFast) -> None:
    builder = SequenceBuilder(wordpiece, SequenceOptions(documents="many"))
    documents = story(builder, [1, 1, 2])
    (pack,) = packs(builder.options, documents)
    (sequence,) = builder.pack(documents, pack[::-1])
    shown = " ".join(wordpiece.convert_ids_to_tokens(sequence.input_ids.tolist()))
    one = "<doc-s> a <m> b </m> c </doc-s>"
    assert shown == f"[CLS] <doc-s> a <m> b </m> c a <m> b </m> c </doc-s> {one} {one}"
    assert len(sequence) == pack_length(pack, documents) == 27
    assert sequence.mentions.tolist() == [2, 3, 1, 0]
    assert {frozenset(sequence.mentions[list(pair)].tolist()) for pair in sequence.pairs} == {
        frozenset(pair) for pair in combinations(range(4), 2)
    }


def test_a_story_without_documents_has_no_packs() -> None:
    assert list(packs(SequenceOptions(documents="many"), [])) == []


def test_one_pair_cannot_be_marked_in_many_documents() -> None:
    with pytest.raises(InputError, match="sequences of two documents"):
        SequenceOptions(documents="many", marking="pair")


@given(
    sizes=st.lists(st.integers(1, 9), min_size=1, max_size=12),
    length=st.integers(32, 90),
    wanted=st.none() | st.sets(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=12),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_documents_to_compare_meet(
    wordpiece: PreTrainedTokenizerFast, sizes: list[int], length: int, wanted: set[tuple[int, int]] | None
) -> None:
    builder = SequenceBuilder(wordpiece, SequenceOptions(documents="many", context="sentence", max_length=length))
    documents = story(builder, sizes)
    if wanted is not None:
        wanted = {(a, b) for a, b in wanted if a < b < len(sizes)}
    read: set[frozenset[int]] = set()
    alone: set[int] = set()
    for pack in packs(builder.options, documents, wanted):
        assert len({number for number, _ in pack}) == len(pack)
        for sequence in builder.pack(documents, pack):
            assert len(sequence) == pack_length(pack, documents) <= length
            assert np.all(sequence.pairs[:, 0] < sequence.pairs[:, 1])
            read.update(frozenset(sequence.mentions[pair].tolist()) for pair in sequence.pairs)
        alone.update(document.numbers[m] for number, window in pack for document in [documents[number]]
                     for unit in window for m in document.unit_mentions[unit])  # fmt: skip
    assert alone == set(range(sum(sizes)))
    document_of = np.repeat(np.arange(len(sizes)), sizes)
    for one, other in combinations(range(sum(sizes)), 2):
        pair = (int(document_of[one]), int(document_of[other]))
        if wanted is None or pair in wanted or pair[0] == pair[1]:
            assert frozenset((one, other)) in read


@given(
    sizes=st.lists(st.integers(1, 12), min_size=1, max_size=12),
    length=st.integers(64, 120),
    likely=st.lists(st.tuples(st.integers(0, 100), st.integers(0, 100), st.floats(0.1, 1)), max_size=60),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_candidates_meet(
    wordpiece: PreTrainedTokenizerFast, sizes: list[int], length: int, likely: list[tuple[int, int, float]]
) -> None:
    """Every mention is read; an excerpt is read with those it shares most candidates with, and not with all others."""
    builder = SequenceBuilder(wordpiece, SequenceOptions(documents="many", context="sentence", max_length=length))
    documents = story(builder, sizes)
    total = sum(sizes)
    known = [(a, b, w) for a, b, w in likely if a < b < total]
    columns = list(zip(*known, strict=True)) or [(), (), ()]
    candidates = Candidates(
        np.array(columns[0], dtype=np.int64), np.array(columns[1], dtype=np.int64), np.array(columns[2])
    )
    made = list(packs(builder.options, documents, None, candidates))
    read: set[frozenset[int]] = set()
    shown: list[int] = []
    for pack in made:
        (sequence,) = builder.pack(documents, pack) if pack_mentions(documents, pack) > 1 else (None,)
        shown += [documents[n].numbers[m] for n, window in pack for u in window for m in documents[n].unit_mentions[u]]
        if sequence is not None:
            assert len(sequence) == pack_length(pack, documents) <= length
            read.update(frozenset(sequence.mentions[pair].tolist()) for pair in sequence.pairs)
    assert set(shown) == set(range(total))
    degree = Counter(number for a, b, _ in known for number in (a, b))
    for a, b, _ in known:
        if all(degree[number] == 1 for number in (a, b)):
            assert frozenset((a, b)) in read
    again = list(packs(builder.options, documents, None, Candidates(*(array[::-1] for array in candidates))))
    assert again == made


def test_an_excerpt_is_read_with_as_many_others_as_the_options_allow(wordpiece: PreTrainedTokenizerFast) -> None:
    """A document in sixteen excerpts; each shares candidates with all others. By default four are read together."""
    read = []
    for limit in (1, 2, 4, None, 5):
        options = SequenceOptions(documents="many", context="sentence", max_length=100, max_windows=limit)
        documents = story(SequenceBuilder(wordpiece, options), [48])
        first, second = np.triu_indices(48, k=1)
        candidates = Candidates(first, second, np.ones(len(first)))
        read.append(sum(len(pack) > 1 or len(pack[0][1]) > 3 for pack in packs(options, documents, None, candidates)))
    assert read[2] == read.pop(3)
    assert read == sorted(set(read))


def pack_mentions(documents: list[MarkedDocument], pack: Pack) -> int:
    return sum(len(documents[number].unit_mentions[unit]) for number, window in pack for unit in window)

"""Finding mentions: which spans are candidates, which are taken, and where nothing may be found."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from cdcoref.corpus import KINDS, Corpus, Document, Mention
from cdcoref.inputs import ReadingBuilder
from cdcoref.linking import SpanScores, annotated_only, find_mentions, score_spans
from cdcoref.reading import Reading
from tests.tables import cases

if TYPE_CHECKING:
    from pathlib import Path

    from cdcoref.model import CorefModel
    from cdlm.tokens import Tokenizer

TEXT = [
    ["The", "ferry", "sank", "in", "the", "storm", "off", "Tresk", "on", "Friday"],
    ["Police", "said", "the", "captain", "of", "the", "ferry", "was", "in", "custody"],
    [],
    ["Divers", "found", "two", "bodies"],
    ["Nobody"],
]


def scores(*spans: tuple[int, int, float, float]) -> SpanScores:
    """Start, end, and the probabilities of event and entity."""
    table = np.array(spans).reshape(-1, 4)
    return SpanScores(table[:, 0].astype(int), table[:, 1].astype(int), table[:, 2:].astype(np.float32))


def found(document: Document, thresholds: tuple[float, float], *spans: tuple[int, int, float, float]) -> list[tuple]:
    chosen = scores(*spans).select(Reading(document), dict(zip(KINDS, thresholds, strict=True)))
    return [(m.kind, m.start, m.end, round(m.confidence or 0, 2)) for m in chosen]


DOCUMENT = Document.from_sentences("d", [[f"w{n}" for n in range(20)]])


def test_of_overlapping_spans_the_most_probable_is_taken() -> None:
    spans = [(0, 3, 0.1, 0.8), (2, 5, 0.9, 0.1), (4, 7, 0.1, 0.7), (7, 8, 0.6, 0.1), (1, 2, 0.55, 0.5)]
    assert found(DOCUMENT, (0.5, 0.5), *spans) == [
        ("event", 1, 2, 0.55), ("event", 2, 5, 0.9), ("event", 7, 8, 0.6),
    ]  # fmt: skip


def test_a_name_that_is_found_once_is_found_everywhere() -> None:
    words = [*["Jan", "van", "Berg", "and", "the", "Ula", "and"], *["Jan", "van", "Berg", "and", "Jan", "van"]]
    document = Document.from_sentences("d", [words])
    names = [("entity", 0, 3, 0.9), ("entity", 7, 10, 0.9)]
    assert found(document, (0.5, 0.5), (0, 3, 0.1, 0.9)) == names
    assert found(document, (0.5, 0.5), (0, 3, 0.1, 0.9), (9, 10, 0.1, 0.6)) == [names[0], ("entity", 9, 10, 0.6)]


def test_thresholds_are_of_the_kind_and_inclusive() -> None:
    spans = [(0, 1, 0.5, 0.1), (2, 3, 0.4999, 0.1), (4, 5, 0.1, 0.75), (6, 7, 0.1, 0.7)]
    assert found(DOCUMENT, (0.5, 0.75), *spans) == [("event", 0, 1, 0.5), ("entity", 4, 5, 0.75)]
    assert found(DOCUMENT, (0.9, 0.9), *spans) == []
    assert len(found(DOCUMENT, (0.0, 0.0), *spans)) == 4
    assert found(DOCUMENT, (0.5, 0.5)) == []


def test_punctuation_alone_is_no_mention() -> None:
    document = Document.from_sentences("d", [[".", "“", "Ann", "”", "—", "\u200b", "42"]])
    spans = [(0, 1, 0.1, 0.9), (1, 2, 0.9, 0.1), (1, 4, 0.1, 0.6), (4, 6, 0.8, 0.1), (6, 7, 0.1, 0.7)]
    assert found(document, (0.5, 0.5), *spans) == [("entity", 1, 4, 0.6), ("entity", 6, 7, 0.7)]


def test_equally_probable_spans_are_taken_from_the_left_shorter_first() -> None:
    spans = [(3, 5, 0.9, 0.0), (1, 4, 0.9, 0.0), (1, 2, 0.9, 0.0), (2, 4, 0.9, 0.0)]
    assert found(DOCUMENT, (0.5, 0.5), *spans) == [("event", 1, 2, 0.9), ("event", 2, 4, 0.9)]


@pytest.mark.parametrize(("words", "spans", "expected"), cases(__file__, "titles.tsv", "spans", "expected"))
def test_titles_are_not_beside_names(words: str, spans: list[tuple[int, int, float]], expected: list[str]) -> None:
    document = Document.from_sentences("d", [words.split()])
    chosen = found(document, (0.5, 0.5), *((start, end, 0.0, probability) for start, end, probability in spans))
    assert [" ".join(document.tokens[start:end]) for _, start, end, _ in chosen] == expected


@pytest.mark.parametrize(
    ("words", "span", "expected"),
    [
        ("Then Palmer Fire & Rescue put out a fire at a barn", (2, 3, 0.9, 0.0), []),
        ("Officials of the Leeds Fire Service met", (4, 5, 0.9, 0.0), []),
        ("Officials of the Leeds fire met", (4, 5, 0.9, 0.0), [("event", 4, 5, 0.9)]),
        ("It was bought by Orvik Inc. Hale said the deal was off", (5, 7, 0.0, 0.9), [("entity", 6, 7, 0.9)]),
        ("Posted on 5 May 2024", (0, 1, 0.9, 0.0), []),
        ("He played for AS Roma", (3, 5, 0.0, 0.9), [("entity", 3, 5, 0.9)]),
    ],
)
def test_words_inside_and_behind_names_of_organisations(
    words: str, span: tuple[int, int, float, float], expected: list[tuple[str, int, int, float]]
) -> None:
    assert found(Document.from_sentences("d", [words.split()]), (0.5, 0.5), span) == expected


def test_a_title_that_ends_a_sentence_belongs_to_no_name() -> None:
    document = Document.from_sentences("d", [["He", "is", "President"], ["Ann", "Hale", "left"]])
    assert [m[1:3] for m in found(document, (0.5, 0.5), (2, 3, 0.0, 0.9), (3, 5, 0.0, 0.8))] == [(2, 3), (3, 5)]


@given(
    st.lists(
        st.tuples(st.integers(0, 19), st.integers(1, 6), st.floats(0, 1, width=32), st.floats(0, 1, width=32)),
        max_size=40,
    )
)
def test_mentions_never_overlap_and_no_free_span_is_left_out(drawn: list[tuple[int, int, float, float]]) -> None:
    spans = [(start, min(20, start + length), a, b) for start, length, a, b in drawn]
    chosen = scores(*spans).select(Reading(DOCUMENT), dict.fromkeys(KINDS, 0.5))
    taken = [token for mention in chosen for token in mention.tokens]
    assert len(taken) == len(set(taken))
    assert taken == sorted(taken)
    for start, end, event, entity in spans:
        if max(event, entity) >= 0.5:
            assert set(range(start, end)) & set(taken)
    assert all((m.confidence or 0) >= 0.5 for m in chosen)


def test_candidates_are_all_spans_within_a_sentence(wordpiece: Tokenizer) -> None:
    document = Document.from_sentences("d", TEXT, hidden=frozenset([1]))
    for most in (1, 3, 50):
        (window,) = ReadingBuilder(wordpiece, 512, 4096, most)(document)
        candidates = {
            (int(window.words[s]), int(window.words[e - 1]) + 1)
            for s, e in zip(window.starts, window.ends, strict=True)
        }
        assert len(candidates) == len(window.starts)
        expected = {
            (start, end)
            for number, (first, last) in enumerate(document.sentences)
            if number != 1
            for start in range(first, last)
            for end in range(start + 1, min(last, start + most) + 1)
        }
        assert candidates == expected


def test_scores_are_the_detectors_probabilities(tiny_model: CorefModel) -> None:
    document = Document.from_sentences("d", TEXT)
    ((same, spans),) = score_spans(tiny_model, [document], batch_tokens=512, min_probability=0.0)
    assert same.document.tokens == document.tokens
    pieces = [tiny_model.tokenizer.ids(["[CLS]", "<doc-s>"])]
    places, position = [], 2
    for word in document.tokens:
        of_word = tiny_model.tokenizer.encode([" " + word])[0].ids
        places.append(range(position, position + len(of_word)))
        position += len(of_word)
        pieces.append(of_word)
    pieces.append(tiny_model.tokenizer.ids(["</doc-s>"]))
    ids = torch.tensor([[i for part in pieces for i in part]])
    is_global = torch.zeros_like(ids)
    is_global[0, 0] = 1
    with torch.inference_mode():
        hidden = tiny_model.encoder(ids, None, is_global).last_hidden_state[0]
        words = torch.stack([hidden[own].mean(0) for own in places])
        (seen,) = tiny_model.reading_builder()(same.document)
        known = (seen.spelling, seen.starts, seen.ends, seen.begins, seen.syntax)
        spelling, *spans_of_words = map(torch.from_numpy, known)
        logits = tiny_model.detector(torch.cat([words, spelling], dim=1), *spans_of_words)
        assert seen.starts.tolist() == spans.starts.tolist()
    np.testing.assert_allclose(spans.probabilities, logits.sigmoid(), atol=1e-5)
    assert len(spans.starts) == sum(n * min(3, n) - sum(range(min(3, n))) for n in map(len, TEXT))


def test_documents_come_back_in_order_however_they_are_batched(tiny_model: CorefModel) -> None:
    """Also where they are more sequences than are in memory at once."""
    rng = np.random.default_rng(5)
    words = np.array(["ferry", "storm", "police", "zq"])
    documents = [
        Document.from_sentences(str(n), [rng.choice(words, rng.integers(0, 30)).tolist() for _ in range(n % 4)])
        for n in range(12)
    ]
    once = list(score_spans(tiny_model, documents, batch_tokens=10_000))
    many = [replace(documents[n % 12], id=str(n)) for n in range(400)]
    read: list[int] = []
    again = list(score_spans(tiny_model, many, batch_tokens=2048, advance=read.append))
    assert [reading.document.id for reading, _ in once] == [d.id for d in documents]
    assert [reading.document.id for reading, _ in again] == [d.id for d in many]
    assert sum(read) == sum(len(d.tokens) for d in many)
    assert len(read) > 4
    for number, (_, two) in enumerate(again):
        one = once[number % 12][1]
        np.testing.assert_array_equal(one.starts, two.starts)
        np.testing.assert_allclose(one.probabilities, two.probabilities, atol=1e-5)


def test_found_mentions_stay_within_sentences_that_may_be_seen(tiny_model: CorefModel, sample: Path) -> None:
    from cdcoref.formats import read_text

    documents = [replace(read_text(path), hidden=frozenset([1])) for path in sorted(sample.glob("*.txt"))]
    old = Mention(documents[0].id, (0,), "event", cluster="of the input")
    corpus = find_mentions(tiny_model, Corpus(tuple(documents), (old,)), batch_tokens=2048)
    assert len(corpus.mentions) > 50
    assert {m.kind for m in corpus.mentions} == set(KINDS)
    assert old not in corpus.mentions
    sentence_of = {d.id: d.sentence_of_tokens() for d in documents}
    for mention in corpus.mentions:
        sentences = {sentence_of[mention.document][t] for t in mention.tokens}
        assert len(sentences) == 1
        assert sentences != {1}
        assert len(mention.tokens) <= tiny_model.settings.detector_max_words
        assert mention.cluster is None
        assert 0.6 <= (mention.confidence or 0) <= 1
    assert find_mentions(tiny_model, Corpus(()), batch_tokens=100).mentions == ()
    empty = Corpus((Document.from_sentences("e", []), Document.from_sentences("f", [[]])))
    assert find_mentions(tiny_model, empty, batch_tokens=100) == empty


def test_only_mentions_of_annotated_sentences_are_kept() -> None:
    sentences = [["a", "b"], ["c", "d"], ["e"]]
    some = Document.from_sentences("some", sentences, annotated=frozenset([1]))
    whole = Document.from_sentences("whole", sentences)
    none = Document.from_sentences("none", sentences, annotated=frozenset())
    mentions = tuple(Mention(d.id, (t,), "event") for d in (some, whole, none) for t in range(5))
    kept = annotated_only(Corpus((some, whole, none), mentions))
    assert [(m.document, m.tokens) for m in kept.mentions] == [
        ("some", (2,)), ("some", (3,)), *(("whole", (t,)) for t in range(5)),
    ]  # fmt: skip
    assert kept.documents == (some, whole, none)

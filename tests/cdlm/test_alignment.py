"""The attention analysis: scores against the formula on Hugging Face's attention, ranks, and which pairs are drawn."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from cdlm.alignment import MentionPair, PairReader, align, percentile_rank, sample_pairs
from cdlm.documents import AnnotatedDocument, MentionSpan
from cdlm.encoder import CDLMModel
from cdlm.errors import InputError
from cdlm.tokens import Tokenizer, load_tokenizer


def span(words: tuple[int, ...], cluster: str | None, kind: str = "event") -> MentionSpan:
    return MentionSpan(words, kind, cluster)


def document(name: str, group: str, first: int, mentions: tuple[MentionSpan, ...]) -> AnnotatedDocument:
    return AnnotatedDocument(name, group, tuple(f"w{first + n}" for n in range(10)), mentions)


DOCUMENTS = [
    document("a", "1", 0, (span((1,), "x"), span((3, 5), "y"), span((7,), None), span((2,), "x", "entity"))),
    document("b", "1", 10, (span((0,), "x"), span((4, 5), "z"), span((6,), "x", "entity"))),
    document("c", "2", 20, (span((2,), "x"), span((3,), None))),
]


@pytest.fixture
def reader(word_encoder: Path) -> PairReader:
    return PairReader(CDLMModel.from_pretrained(word_encoder), load_tokenizer(word_encoder))


def test_scores_follow_the_formula_on_full_attention(word_encoder: Path, reader: PairReader) -> None:
    """With a window over the whole text all attention is full, and another implementation's can be summed up."""
    pair = MentionPair((DOCUMENTS[0], DOCUMENTS[1]), (DOCUMENTS[0].mentions[1], DOCUMENTS[1].mentions[0]), 0, False)
    tokens = reader.tokens(pair)
    source = tokens.pieces(0, (3, 5))
    wide = CDLMModel(replace(reader.encoder.config, attention_window=(64, 64)))
    wide.load_state_dict(reader.encoder.state_dict())
    found = PairReader(wide, load_tokenizer(word_encoder)).attention(pair, tokens)
    # The last layer's input, from the model itself; its attention by hand.
    hidden: list[torch.Tensor] = []
    last = wide.encoder.layer[-1].attention.self
    hook = last.register_forward_pre_hook(lambda _, inputs: hidden.append(inputs[0]))
    is_global = torch.zeros(1, len(tokens.ids), dtype=torch.long)
    is_global[0, source] = 1
    with torch.inference_mode():
        wide(torch.tensor([tokens.ids]), None, is_global)
    hook.remove()
    length = len(tokens.ids)
    order = source + [place for place in range(length) if place not in source]  # global tokens come first
    states = torch.empty(length, 32)
    states[order] = hidden[0]

    def attention(query: torch.nn.Linear, key: torch.nn.Linear) -> torch.Tensor:
        queries, keys = (layer(states).view(length, 2, 16).transpose(0, 1) for layer in (query, key))
        return (queries @ keys.transpose(1, 2) / 4).softmax(-1)

    with torch.inference_mode():
        local, of_global = attention(last.query, last.key), attention(last.query_global, last.key_global)
    totals = np.array(
        [sum(float(local[k, i, j] + of_global[k, j, i]) for k in range(2) for j in source) for i in range(length)]
    )
    expected = np.exp(totals)
    expected[source] = 0
    np.testing.assert_allclose(found.scores, expected / expected.sum(), rtol=1e-4)


@pytest.mark.parametrize(
    ("target", "expected"),
    [([4], 100.0), ([0], 0.0), ([2], 50.0), ([3, 4], 100.0), ([0, 4], 50.0), ([0, 1, 2, 3, 4], 50.0)],
)
def test_percentile_ranks(target: list[int], expected: float) -> None:
    scores = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 9.0])  # the last is in another document
    assert percentile_rank(scores, target, [0, 1, 2, 3, 4]) == pytest.approx(expected)


def names(pair: MentionPair) -> tuple[str, ...]:
    return tuple(sorted(f"{d.id}{m.words}" for d, m in zip(pair.documents, pair.mentions, strict=True)))


def test_which_pairs_there_are() -> None:
    found: dict[tuple[str, bool], set[tuple[str, ...]]] = {}
    for pair in sample_pairs(DOCUMENTS, 1000):
        found.setdefault((pair.kind, pair.coreferent), set()).add(names(pair))
    assert found[("event", True)] == {("a(1,)", "b(0,)"), ("a(1,)", "c(2,)"), ("b(0,)", "c(2,)")}
    assert found[("entity", True)] == {("a(2,)", "b(6,)")}
    # Within a group alone; a singleton corefers with nothing, another singleton included.
    assert found[("event", False)] == {
        ("a(1,)", "b(4, 5)"), ("a(3, 5)", "b(0,)"), ("a(3, 5)", "b(4, 5)"), ("a(7,)", "b(0,)"), ("a(7,)", "b(4, 5)")
    }  # fmt: skip
    assert ("entity", False) not in found


def test_pairs_are_drawn_at_random_once_each() -> None:
    drawn = [sample_pairs(DOCUMENTS, 2, seed) for seed in range(200)]
    assert all(Counter((p.kind, p.coreferent) for p in pairs)["event", True] == 2 for pairs in drawn)
    assert all(len({names(p) for p in pairs if p.kind == "event" and p.coreferent}) == 2 for pairs in drawn)
    assert [names(p) for p in drawn[0]] == [names(p) for p in sample_pairs(DOCUMENTS, 2, 0)]
    every = [p for pairs in drawn for p in pairs]
    assert np.mean([p.source for p in every]) == pytest.approx(0.5, abs=0.06)
    assert np.mean([p.documents[0].id < p.documents[1].id for p in every]) == pytest.approx(0.5, abs=0.06)


def test_a_pair_as_one_sequence(reader: PairReader, word_tokenizer: Tokenizer) -> None:
    pair = MentionPair((DOCUMENTS[0], DOCUMENTS[1]), (DOCUMENTS[0].mentions[1], DOCUMENTS[1].mentions[0]), 0, False)
    tokens = reader.tokens(pair)
    words = word_tokenizer.tokens(tokens.ids)
    inside = [*DOCUMENTS[0].words, "</doc-s>", "<doc-s>", *DOCUMENTS[1].words]
    assert words == ["[CLS]", "<doc-s>", *inside, "</doc-s>", "[SEP]"]
    assert [words[place] for place in tokens.pieces(0, pair.mentions[0].words)] == ["w3", "w5"]
    assert [words[place] for place in tokens.pieces(1, pair.mentions[1].words)] == ["w10"]


def test_mean_ranks(reader: PairReader) -> None:
    pairs = sample_pairs(DOCUMENTS, 1000)
    told: list[tuple[int, int]] = []
    result = align(reader, pairs, lambda done, total: told.append((done, total)))
    ranks = [reader.attention(p, reader.tokens(p)).rank for p in pairs if p.kind == "event" and p.coreferent]
    cell = result.cells["event", True]
    assert (cell.mean, cell.pairs) == (pytest.approx(np.mean(ranks)), 3)
    assert cell.low <= cell.mean <= cell.high
    assert result.left_out == 0
    assert told[-1] == (len(pairs), len(pairs))


def test_pairs_beyond_the_window_are_left_out(reader: PairReader) -> None:
    pairs = sample_pairs(DOCUMENTS, 1000)
    long = AnnotatedDocument("long", "1", tuple("w1" for _ in range(130)), (span((0,), "x"),))
    too_long = MentionPair((DOCUMENTS[0], long), (DOCUMENTS[0].mentions[0], long.mentions[0]), 0, True)
    assert align(reader, [*pairs, too_long]).left_out == 1
    with pytest.raises(InputError, match="every pair of documents is too long"):
        align(reader, [too_long])

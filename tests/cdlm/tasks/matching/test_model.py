"""Sequences of pairs, and the model on them: what is read in which order, cut where, and kept in which folder."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import torch

from cdlm.errors import InputError
from cdlm.tasks import (
    Match,
    MatchModel,
    MatchScores,
    MatchSettings,
    TextPair,
    match_scores,
    predict_pairs,
    write_matches,
)
from cdlm.tasks.matching import PairBuilder

if TYPE_CHECKING:
    from cdlm.tokens import Tokenizer

PAIR = TextPair("p", "the ferry sank", "a <doc-s> sank")


def test_both_texts_stand_in_one_sequence(wordpiece: Tokenizer) -> None:
    sequence = PairBuilder(wordpiece, MatchSettings())(PAIR)
    names = wordpiece.tokens(sequence.input_ids.tolist())
    assert names[0] == "[CLS]"
    assert sequence.is_global.tolist() == [True] + [False] * (len(sequence) - 1)
    assert [names.count(mark) for mark in ("<doc-s>", "</doc-s>")] == [2, 2]
    first, second = (names.index("<doc-s>"), len(names) - 1 - names[::-1].index("<doc-s>"))
    assert names[first + 1 : names.index("</doc-s>")] == [p for ps in pieces(wordpiece, PAIR.first) for p in ps]
    assert names[second + 1 : -1] == [p for ps in pieces(wordpiece, PAIR.second) for p in ps]


def pieces(tokenizer: Tokenizer, text: str) -> list[list[str]]:
    return [encoded.tokens for encoded in tokenizer.encode(text.split())]


@pytest.mark.parametrize(
    ("lengths", "kept"),
    [((3, 4), (3, 4)), ((10, 30), (10, 21)), ((30, 10), (21, 10)), ((30, 30), (15, 16)), ((16, 15), (16, 15))],
)
def test_the_longer_text_is_cut_first(lengths: tuple[int, int], kept: tuple[int, int], wordpiece: Tokenizer) -> None:
    builder = PairBuilder(wordpiece, MatchSettings(max_length=36))
    pair = TextPair("p", "a " * lengths[0], "b " * lengths[1])
    names = wordpiece.tokens(builder(pair).input_ids.tolist())
    assert (names.count("a"), names.count("b")) == kept
    assert builder.cut == (lengths != kept)


@pytest.fixture(scope="module")
def model(tiny_encoder: Path) -> MatchModel:
    torch.manual_seed(0)
    return MatchModel.from_encoder(str(tiny_encoder), MatchSettings(max_length=100)).eval()


def test_predictions_do_not_depend_on_the_batch(model: MatchModel, text_pairs: list[TextPair]) -> None:
    told: list[tuple[str, int, int]] = []
    together = predict_pairs(model, text_pairs, precision="fp32", progress=lambda *one: told.append(one)).matches
    alone = predict_pairs(model, text_pairs, batch_tokens=1, precision="fp32").matches
    assert [match.id for match in together] == [pair.id for pair in text_pairs]
    for one, other in zip(together, alone, strict=True):
        assert one.probability == pytest.approx(other.probability, abs=1e-6)
    assert told == [("pairs", 27, 27)]


def test_in_both_orders_the_order_does_not_matter(model: MatchModel, text_pairs: list[TextPair]) -> None:
    settings = model.settings
    turned = [replace(pair, first=pair.second, second=pair.first) for pair in text_pairs]
    model.settings = replace(settings, both_orders=True)
    there, back = (predict_pairs(model, pairs, precision="fp32").matches for pairs in (text_pairs, turned))
    model.settings = settings
    one_way = predict_pairs(model, text_pairs, precision="fp32").matches
    for one, other in zip(there, back, strict=True):
        assert one.probability == pytest.approx(other.probability, abs=1e-6)
    assert [match.probability for match in there] != pytest.approx([match.probability for match in one_way], abs=1e-6)


def test_folders(model: MatchModel, text_pairs: list[TextPair], tmp_path: Path) -> None:
    model.save_pretrained(tmp_path / "model", "# A card\n")
    again = MatchModel.from_pretrained(tmp_path / "model")
    assert again.settings == model.settings
    assert predict_pairs(again, text_pairs, precision="fp32") == predict_pairs(model, text_pairs, precision="fp32")
    assert (tmp_path / "model" / "README.md").read_text() == "# A card\n"


def test_matches_are_written_as_json_lines(tmp_path: Path) -> None:
    write_matches([Match("p", 0.75), Match("q", 0.25)], tmp_path / "matches.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "matches.jsonl").read_text().splitlines()]
    assert lines == [{"id": "p", "label": 1, "probability": 0.75}, {"id": "q", "label": 0, "probability": 0.25}]
    with pytest.raises(InputError, match="cannot be written"):
        write_matches([], tmp_path / "absent" / "matches.jsonl")


def test_scores_by_hand() -> None:
    assert match_scores([1, 1, 1, 1, 0], [1, 1, 1, 0, 1]) == MatchScores(0.75, 0.75, 0.75, 0.6)
    assert match_scores([0, 0], [0, 0]) == MatchScores(0.0, 0.0, 0.0, 1.0)

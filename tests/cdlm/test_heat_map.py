"""The heat map: colours follow ranks, source and target are marked, and a PNG is whole or not there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cdlm.alignment import MentionPair, PairAttention, PairTokens
from cdlm.documents import AnnotatedDocument, MentionSpan
from cdlm.errors import InputError
from cdlm.heat_map import SOURCE, TARGET, caption, heat_text, word_ranks, write_png


@pytest.fixture
def attention() -> PairAttention:
    documents = tuple(AnnotatedDocument(name, "g", tuple(f"{name}{n}" for n in range(4))) for name in "ab")
    mentions = tuple(MentionSpan((word,), "event", "x") for word in (1, 3))
    pair = MentionPair((documents[0], documents[1]), (mentions[0], mentions[1]), 0, True)
    tokens = PairTokens(list(range(12)), ([(2, 3), (3, 4), (4, 5), (5, 6)], [(8, 9), (9, 10), (10, 11), (11, 13)]))
    return PairAttention(pair, tokens, np.array([0, 0, 4, 0, 2, 3, 0, 0, 1, 2, 3, 9, 5], float), 87.5)


def test_words_are_ranked_by_their_mean_score(attention: PairAttention) -> None:
    assert word_ranks(attention, 0).tolist() == [87.5, 12.5, 37.5, 62.5]
    assert word_ranks(attention, 1).tolist() == [12.5, 37.5, 62.5, 87.5]


def test_the_terminal_shows_all_words(attention: PairAttention) -> None:
    text = heat_text(attention)
    assert text.plain.split("\n") == [
        "a (source)", "a0 a1 a2 a3 ", "", "b (target)", "b0 b1 b2 b3 ", "",
        "source 'a1', target 'b3': percentile rank 87.5",
    ]  # fmt: skip
    styles = {text.plain[span.start : span.end]: str(span.style) for span in text.spans}
    assert styles["a1"] == f"black on rgb({','.join(map(str, SOURCE))})"
    assert styles["b3"].startswith("underline")
    assert styles["b0"] == "black on rgb(255,255,255)"


def test_a_png(attention: PairAttention, tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    write_png(attention, tmp_path / "map.png")
    with image.open(tmp_path / "map.png") as picture:
        assert picture.format == "PNG"
        colours = {colour for _, colour in picture.getcolors(1 << 16)}
    assert {SOURCE, TARGET} <= colours
    with pytest.raises(InputError, match="cannot be written"):
        write_png(attention, tmp_path / "absent" / "map.png")


def test_the_frame_is_closed_though_a_word_follows(attention: PairAttention, tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    pair = replace(attention.pair, mentions=(attention.pair.mentions[0], MentionSpan((1,), "event", "x")))
    write_png(replace(attention, pair=pair), tmp_path / "map.png")
    with image.open(tmp_path / "map.png") as picture:
        heights = (np.asarray(picture.convert("RGB")) == TARGET).all(-1).sum(0)
    assert (heights == heights.max()).sum() == 4  # two pixels on either side


def test_the_caption(attention: PairAttention) -> None:
    assert caption(attention) == "source 'a1', target 'b3': percentile rank 87.5"

"""The heat map: colours follow ranks, source and target are marked, and an SVG holds the same."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from cdlm.alignment import MentionPair, PairAttention, PairTokens
from cdlm.documents import AnnotatedDocument, MentionSpan
from cdlm.errors import InputError
from cdlm.heat_map import SOURCE, heat_text, word_ranks, write_svg


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


def test_an_svg(attention: PairAttention, tmp_path: Path) -> None:
    write_svg(attention, tmp_path / "map.svg")
    picture = ElementTree.parse(tmp_path / "map.svg")
    text = "".join(picture.getroot().itertext()).replace("\u00a0", " ")
    assert "b (target)" in text
    assert "percentile rank 87.5" in text
    assert "#{:02x}{:02x}{:02x}".format(*SOURCE) in (tmp_path / "map.svg").read_text()
    with pytest.raises(InputError, match="cannot be written"):
        write_svg(attention, tmp_path / "absent" / "map.svg")

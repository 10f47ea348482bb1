"""Which quotation each token of a document stands in."""

from __future__ import annotations

import pytest

from cdcoref.corpus import Document
from cdcoref.reading import Reading


@pytest.mark.parametrize(
    ("sentences", "numbers"),
    [
        (["“ I left , ” he said . “ Why ? ”"], [1, 1, 1, 1, 1, 0, 0, 0, 2, 2, 2, 2]),
        (['" Go " said she , " now "'], [1, 1, 1, 0, 0, 0, 2, 2, 2]),
        (["`` Go '' said she"], [1, 1, 1, 0, 0]),
        (["“ I left .", "He stayed .", "“ And then ”", "he wept"], [1] * 4 + [1] * 3 + [2] * 4 + [0, 0]),
        (["he left ”"], [0, 0, 0]),
        (["“ he", *["left"] * 15], [1, 1] + [1] * 12 + [0] * 3),
        (["Anna 's ' old ' ship"], [0] * 6),
    ],
)
def test_quotations(sentences: list[str], numbers: list[int]) -> None:
    document = Document.from_sentences("d", [sentence.split() for sentence in sentences])
    assert Reading(document).quotations == numbers

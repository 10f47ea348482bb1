"""Which quotation each token of a document stands in."""

from __future__ import annotations

import pytest

from cdcoref.corpus import Document
from cdcoref.reading import Reading
from tests.tables import cases


@pytest.mark.parametrize(("sentences", "numbers"), cases(__file__, "quotations.tsv", "sentences", "numbers"))
def test_quotations(sentences: list[str], numbers: list[int]) -> None:
    document = Document.from_sentences("d", [sentence.split() for sentence in sentences])
    assert Reading(document).quotations == numbers

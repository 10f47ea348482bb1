"""The label of a cluster: its most frequent wording, and the fullest form of a name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdcoref.reports import cluster_label
from tests.tables import cases


@pytest.mark.parametrize(("wordings", "label"), cases(__file__, "labels.tsv", "wordings"))
def test_labels(wordings: list[str], label: str) -> None:
    assert cluster_label(wordings) == label


@given(st.data(), st.lists(st.sampled_from(["a", "b", "B", "Lark", "LARK", "Sea Lark", "Old Lark", "it"]), min_size=1))
def test_the_order_of_mentions_does_not_matter(data: st.DataObject, wordings: list[str]) -> None:
    assert cluster_label(data.draw(st.permutations(wordings))) == cluster_label(wordings)


@given(st.lists(st.text("aB 'é", max_size=8).map(lambda text: " ".join(text.split())), min_size=1, max_size=9))
def test_a_label_is_a_wording_or_one_without_its_article(wordings: list[str]) -> None:
    assert any(wording.endswith(cluster_label(wordings)) for wording in wordings)

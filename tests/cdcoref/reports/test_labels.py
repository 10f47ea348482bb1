"""The label of a cluster: its most frequent wording, and the fullest form of a name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdcoref.reports import cluster_label


@pytest.mark.parametrize(
    ("wordings", "label"),
    [
        (["Lark", "Lark", "her", "her", "her", "Sea Lark"], "Sea Lark"),
        (["Lark", "the Sea Lark"], "the Sea Lark"),
        (["Lindsay", "Lindsay", "Lindsay Lohan"], "Lindsay Lohan"),
        (["Rohm", "Rohm", "Rohm", "Ida Rohm", "Ida Rohm", "Transport Minister Rohm"], "Ida Rohm"),
        (["Rohm", "Ida Rohm", "Minister Ida Rohm"], "Minister Ida Rohm"),
        (["Tresk", "Tresk", "University of Tresk"], "University of Tresk"),
        (["LARK", "Lark", "Lark", "SEA LARK", "Sea Lark", "Sea Lark"], "Sea Lark"),
        # No name, another name, a name's possessive, a name with a number, or more than a name.
        (["ferry", "ferry", "passenger ferry"], "ferry"),
        (["Lark", "Lark", "Skylark"], "Lark"),
        (["Lark", "Lark", "Sea Lark's"], "Lark"),
        (["Boeing", "Boeing", "Boeing 737"], "Boeing"),
        (["Lark", "Lark", "the sunken Lark"], "Lark"),
        (["Vell", "Vell", "Officer In Charge Of The Night Tomas Vell"], "Vell"),
        (["The Lark", "The Lark", "it"], "The Lark"),
        # A name rather than what it is, unless it is rare among the others.
        (["coach", "coach", "coach", "Roarke", "Declan Roarke"], "Declan Roarke"),
        (["city", "city", "Bergen"], "Bergen"),
        (["city", "city", "city", "Bergen"], "city"),
        (["residents", "residents", "Families"], "residents"),
        (["ferry Maren", "Maren"], "ferry Maren"),
        # Equally often: the longest, the first in the alphabet, the spelling in small letters.
        (["dead", "fatal", "loss"], "fatal"),
        (["suspended", "cancelled"], "cancelled"),
        (["Fishermen", "fishermen"], "fishermen"),
        (["SANTOS", "Santos"], "Santos"),
        (["he"], "he"),
        (["1998", "then"], "1998"),
    ],
)
def test_labels(wordings: list[str], label: str) -> None:
    assert cluster_label(wordings) == label


@given(st.data(), st.lists(st.sampled_from(["a", "b", "B", "Lark", "LARK", "Sea Lark", "Old Lark", "it"]), min_size=1))
def test_the_order_of_mentions_does_not_matter(data: st.DataObject, wordings: list[str]) -> None:
    assert cluster_label(data.draw(st.permutations(wordings))) == cluster_label(wordings)


@given(st.lists(st.text("aB 'é", max_size=8).map(lambda text: " ".join(text.split())), min_size=1, max_size=9))
def test_a_label_is_a_wording_or_one_without_its_article(wordings: list[str]) -> None:
    assert any(wording.endswith(cluster_label(wordings)) for wording in wordings)

"""Which mentions cannot be one by what they, and the words beside them, state.

`conflicts.tsv` has two mentions, whole or in brackets in their sentence, and whether they are in conflict.
"""

from __future__ import annotations

from cdcoref.corpus import Document, Mention
from cdcoref.language import StatedFacts, in_conflict, mention_words
from tests.tables import rows_of


def stated(text: str) -> StatedFacts:
    """What a mention states, of a sentence after another that ends with a number."""
    before, _, rest = (text if "[" in text else f"[{text}]").partition("[")
    words, _, after = rest.partition("]")
    document = Document.from_sentences("d", [["It", "was", "12"], f"{before} {words} {after}".split()])
    start = 3 + len(before.split())
    return mention_words(document, Mention("d", tuple(range(start, start + len(words.split()))), "entity")).stated


def test_conflicts() -> None:
    for row in rows_of(__file__, "conflicts.tsv"):
        one, other = stated(row["one"]), stated(row["other"])
        assert in_conflict(one, other) is in_conflict(other, one) is (row["conflict"] == "yes"), row

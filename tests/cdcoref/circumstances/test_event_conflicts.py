"""Which events cannot be one by their circumstances."""

from __future__ import annotations

import numpy as np

from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.reading import Readings
from tests.tables import rows_of


def corpus(*texts: str) -> Corpus:
    """Documents of sentences that end with " / "; a word with * before it is an event."""
    documents, mentions = [], []
    for number, text in enumerate(texts):
        id = f"{number}"
        words = [sentence.split() for sentence in text.split(" / ")]
        document = Document.from_sentences(id, [[word.removeprefix("*") for word in own] for own in words])
        documents.append(document)
        flat = [word for own in words for word in own]
        mentions += [Mention(id, (place,), "event") for place, word in enumerate(flat) if word.startswith("*")]
    return Corpus(tuple(documents), tuple(mentions))


def test_which_of_two_events_conflict_and_agree() -> None:
    """`pairs_of_events.tsv`: the first two events of some texts; the answer does not depend on their order."""
    one, other = np.array([0]), np.array([1])
    for row in rows_of(__file__, "pairs_of_events.tsv"):
        tables = Readings(corpus(*row["texts"].split(" || "))).circumstance_tables
        holds = tables.conflicts if row["kind"] == "conflict" else tables.agree
        assert holds(one, other).tolist() == holds(other, one).tolist() == [row["holds"] == "yes"], row


def test_tables_agree_with_places() -> None:
    names = ["Peru", "Chile", "Lima", "Arequipa", "Ohio", "Nevada", "Detroit", "Chicago", "Norway", "Oslo"]
    own = corpus(*(f"A *fire began in {name} ." for name in names))
    tables = Readings(own).circumstance_tables
    places = [one.where[0].place for one in Readings(own).circumstances]
    first, second = np.triu_indices(len(names), 1)
    expected = [places[one].excludes(places[other]) for one, other in zip(first, second, strict=True)]
    assert tables.conflicts(first, second).tolist() == expected

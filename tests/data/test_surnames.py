"""The model that ships, on twenty short articles with two people of one surname each, and twenty with two of one office
or of one town."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import pytest

import cdcoref
from cdcoref.predict import Predictor

COUPLES = Path(__file__).parent / "surnames" / "couples.md"
"""Articles in which every mention of a person is marked by hand: `[Mr. Vane|o]`."""
OFFICES_AND_TOWNS = Path(__file__).parent / "surnames" / "offices_and_towns.md"
"""Articles with two who hold one office, with a town and a club or an institution of its name, with two hospitals; most
mentions of them are marked in the same way."""
HOMONYMS = Path(__file__).parent / "surnames" / "homonyms.md"
"""Articles with two people, or a person and a thing, of one name, and others with two that were taken for one."""
ACROSS = Path(__file__).parent / "surnames" / "across.md"
"""Documents, a line each, in which a name means two people, or a person and a company or a town."""
Person = tuple[str, str]


def marked(text: str) -> tuple[str, list[tuple[int, str]]]:
    """A text without its marks; the end of each mention, and whom it means."""
    plain, ends = "", []
    for part in re.split(r"(\[[^]]+\|\w+\])", text):
        words, _, who = part.strip("[]").rpartition("|") if part.startswith("[") else (part, "", "")
        plain += words
        if who:
            ends.append((len(plain), who))
    return plain, ends


class Marked:
    """What the model that ships makes of articles in which mentions are marked.

    Attributes
    ----------
    texts, marks, missed
        How many articles and marks there are, and how many of the marks are in no mention.
    clusters
        By article and mark, the clusters that hold it.
    held
        By cluster, the marks that it holds.
    """

    def __init__(self, model: Predictor, path: Path) -> None:
        found = {name: marked(text) for name, text in re.findall(r"# (\w+)\n(.+)\n", path.read_text())}
        prediction = model.predict({name: text for name, (text, _) in found.items()}, kind="entity")
        mentions = prediction.corpus.by_document()
        self.texts, self.marks, self.missed = len(found), 0, 0
        self.clusters: defaultdict[Person, set[str | None]] = defaultdict(set)
        self.held: defaultdict[str | None, set[str]] = defaultdict(set)
        for document in prediction.corpus.documents:
            last = {end: token for token, (_, end) in enumerate(document.offsets)}
            for end, who in found[document.id][1]:
                self.marks += 1
                own = [mention for mention in mentions[document.id] if last[end] in mention.tokens]
                self.missed += not own
                for mention in own:
                    self.clusters[document.id, who].add(mention.cluster)
                    self.held[mention.cluster].add(who)

    @property
    def mixed(self) -> int:
        """How many clusters hold two."""
        return sum(len(held) > 1 for held in self.held.values())

    @property
    def divided(self) -> int:
        """How many are in several clusters."""
        return sum(len(held) > 1 for held in self.clusters.values())


def test_marked_people_of_one_surname_are_two_clusters(default_model: Predictor) -> None:
    """Before first names stated a gender, 2 clusters held two people, and 3 people were in two clusters."""
    found = Marked(default_model, COUPLES)
    assert (found.texts, len(found.clusters), found.marks) == (20, 43, 151)
    assert found.missed <= 1  # which depends on the processor
    assert found.mixed <= 1
    assert found.divided <= 2  # 1 in bf16, 2 in int8


def test_towns_and_clubs_offices_and_hospitals_are_two_clusters(default_model: Predictor) -> None:
    """Before offices and nationalities counted, and the ends of names, 8 clusters held two, and 13 were divided."""
    found = Marked(default_model, OFFICES_AND_TOWNS)
    assert (found.texts, len(found.clusters), found.marks) == (20, 41, 149)
    assert found.missed <= 4
    assert found.mixed <= 5
    assert found.divided <= 9


CASES_ACROSS = dict(re.findall(r"# (\w+)\n((?:.+\n)+)", ACROSS.read_text()))


@pytest.mark.parametrize("case", CASES_ACROSS)
def test_one_name_of_two(case: str) -> None:
    found = [marked(text) for text in CASES_ACROSS[case].splitlines()]
    texts = {str(number): text for number, (text, _) in enumerate(found)}
    mentions = cdcoref.load("small").predict(texts, kind="entity").corpus
    ends = {
        (document.id, document.offsets[mention.end - 1][1]): mention.cluster
        for document in mentions.documents
        for mention in mentions.by_document()[document.id]
    }
    of_marks = {(who, ends[str(number), end]) for number, (_, marks) in enumerate(found) for end, who in marks}
    assert len(of_marks) == len(dict(of_marks)) == len({cluster for _, cluster in of_marks})


def test_what_the_grammar_keeps_from_being_one(default_model: Predictor) -> None:
    """Ages, jobs, "its", subject and object, an organisation and a person, a possessor."""
    found = Marked(default_model, HOMONYMS)
    assert (found.texts, len(found.clusters), found.marks, found.missed) == (7, 14, 26, 0)
    assert (found.mixed, found.divided) == (0, 0)

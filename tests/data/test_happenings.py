"""Happenings of one kind are apart where their circumstances are, alone and among other texts: the default model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from pathlib import Path

import pytest

import cdcoref
from cdcoref.corpora import CorpusFolder
from cdcoref.predict import Prediction, Predictor

QUAKES = {
    "peru": """Quake damages homes in southern Peru

LIMA, March 11 (Orbis) - An earthquake of magnitude 6.4 struck near Arequipa in southern Peru on Tuesday, killing three
people, the civil defence institute said.

The quake destroyed 120 houses. It came five days after an earthquake in Japan that killed 18 people.
""",
    "japan": """Strong quake shakes northern Japan

TOKYO, March 6 (Orbis) - A strong earthquake shook the city of Aomori in northern Japan on Thursday, killing 18 people,
police said.

The quake damaged 2,000 houses. It was the strongest in the region since 2011, when an earthquake off Sendai killed
15,000 people.
""",
}
STRIKES = {
    "france": """Train drivers in France begin two-day strike

PARIS, Dec. 4 (Orbis) - Train drivers in France began a two-day strike on Wednesday over pensions.

The strike is the first since 2022, when a strike lasted nine days.
""",
    "canada": """Rail strike halts grain shipments in Canada

WINNIPEG, Dec. 3 (Orbis) - A strike of 3,200 railway workers in Canada stopped grain shipments on Tuesday.

The workers began the strike a day before a strike of train drivers in France.
""",
}
CRASH = """Bus crash kills {deaths} in {country}

{dateline}, {date} - A bus crashed into a ravine near {town} on {day}, killing {deaths} passengers, police said.

The driver survived. The injured were taken to a hospital. The crash happened in fog.
"""
CRASHES = {
    "peru": CRASH.format(
        deaths="eight", country="Peru", dateline="CUSCO, Peru", town="Cusco", date="July 2, 2019", day="Tuesday"
    ),
    "kenya": CRASH.format(
        deaths="five", country="Kenya", dateline="NAKURU, Kenya", town="Nakuru", date="July 6, 2019", day="Saturday"
    ),
}
BRIDGE = """Footbridge falls in {town}

{dateline}, {date} - A footbridge collapsed on {day} in {town}, {harm}, officials said. The bridge was built in {year}.

Police closed the road and rescuers searched the river for victims. The mayor said an investigation had begun.
"""
BRIDGES = {
    "france": BRIDGE.format(
        town="Lyon",
        dateline="LYON, France",
        date="March 3, 2021",
        day="Wednesday",
        harm="killing two people",
        year=1962,
    ),
    "japan": BRIDGE.format(
        town="Osaka", dateline="OSAKA, Japan", date="March 9, 2021", day="Tuesday", harm="injuring twelve", year=1975
    ),
}
SAMPLE = Path(__file__).resolve().parents[2] / "data" / "sample"


@pytest.fixture(scope="module", params=["alone", "among the sample"])
def others(request: pytest.FixtureRequest) -> Mapping[str, str]:
    if request.param == "alone":
        return {}
    return {path.name: path.read_text() for path in sorted(SAMPLE.glob("*.txt"))}


def happenings(prediction: Prediction, words: set[str]) -> set[frozenset[tuple[str, str, int]]]:
    """The clusters with mentions of these words in the texts of a case: their documents, words and number there."""

    def found() -> Iterator[frozenset[tuple[str, str, int]]]:
        for cluster in prediction.clusters(singletons=True):
            if cluster.kind == "event":
                yield frozenset(
                    (mention.document, mention.text.casefold(), texts[mention.document][: mention.start].count("\n"))
                    for mention in cluster.mentions
                    if mention.document in CASES and mention.text.casefold() in words
                )

    texts = {document.id: document.text for document in prediction.corpus.documents}
    return {one for one in found() if one}


CASES = QUAKES.keys() | STRIKES.keys()


def test_three_quakes(default_model: Predictor, others: Mapping[str, str], computed: Path) -> None:
    prediction = default_model.predict({**QUAKES, **others}, cache=computed)
    quakes = happenings(prediction, {"quake", "earthquake"})
    peru, japan = (next(one for one in quakes if (name, "quake", 0) in one) for name in ("peru", "japan"))
    assert peru == {("peru", "quake", 0), ("peru", "earthquake", 2), ("peru", "quake", 5)}
    assert {("japan", "quake", 0), ("japan", "earthquake", 2)} <= japan
    assert {("japan", "earthquake", 5)} in quakes
    deaths = happenings(prediction, {"killing", "killed"})
    assert {("peru", "killing", 2)} in deaths
    assert {("japan", "killed", 6)} in deaths or {("japan", "killed", 5)} in deaths


def test_three_strikes(default_model: Predictor, others: Mapping[str, str], computed: Path) -> None:
    strikes = happenings(default_model.predict({**STRIKES, **others}, cache=computed), {"strike"})
    france, canada = (next(one for one in strikes if (name, "strike", 0) in one) for name in ("france", "canada"))
    assert france != canada
    assert ("canada", "strike", 2) in canada
    assert ("france", "strike", 2) in france
    assert not any(name == "canada" and line == 0 for name, _, line in france)


CASES_BY_HAND = CorpusFolder.parse(f"invented:{Path(__file__).parent / 'happenings'}").read("dev").corpus
"""Ten happenings, each told by three outlets, and others of their kind: the answers were written before."""
RIGHT = {"small": {"robberies"}, "base": {"awards", "convictions", "elections", "launches", "storms"}}
"""The cases in which every pair of annotated mentions is right: of `small`, and those that only `base` gets right."""


def disagreements(prediction: Prediction, topic: str) -> int:
    """Pairs of annotated mentions of a topic that are together in one of key and prediction and apart in the other.

    A mention that was not found is in no cluster.
    """
    found = {(one.document, one.end): one.cluster for one in prediction.corpus.mentions if one.kind == "event"}
    names = {document.id for document in CASES_BY_HAND.documents if document.topic == topic}
    own = [one for one in CASES_BY_HAND.mentions if one.document in names]
    key = [(one.cluster, found.get((one.document, one.end), str(one))) for one in own]
    return sum((one[0] == other[0]) != (one[1] == other[1]) for one, other in combinations(key, 2))


@pytest.mark.parametrize("model", RIGHT)
def test_happenings_of_one_kind(model: str) -> None:
    predictor = cdcoref.load(model, precision="fp32")  # so that the answer does not depend on the processor
    for topic in RIGHT[model]:
        texts = {document.id: document.text for document in CASES_BY_HAND.documents if document.topic == topic}
        assert len(texts) > 1
        assert disagreements(predictor.predict(texts), topic) == 0, topic


@pytest.mark.parametrize("texts", [CRASHES, BRIDGES])
@pytest.mark.parametrize("model", RIGHT)
def test_nothing_of_two_places_is_one(model: str, texts: Mapping[str, str]) -> None:
    clusters = cdcoref.load(model, precision="fp32").predict(texts, topics="none").clusters()
    assert clusters
    for cluster in clusters:
        assert len({mention.document for mention in cluster.mentions}) == 1, [m.text for m in cluster.mentions]


@pytest.mark.parametrize(
    "text",
    [
        "A blaze broke out in a mill in Leeds. A second blaze broke out in a mill in Hull.",
        "A quake struck Limon on Monday. Another quake struck the port on Tuesday.",
        "Thieves robbed a bank in Ghent on Saturday. On Monday thieves robbed a second bank in the same street.",
    ],
)
@pytest.mark.parametrize("model", RIGHT)
def test_a_second_happening_is_another(model: str, text: str) -> None:
    prediction = cdcoref.load(model, precision="fp32").predict({"a": text})
    for cluster in prediction.clusters():
        if cluster.kind == "event":
            assert len({mention.start > text.index(". ") for mention in cluster.mentions}) == 1, cluster


def test_unrelated_texts_take_no_cluster_of_the_sample_apart(default_model: Predictor, computed: Path) -> None:
    sample = {path.name: path.read_text() for path in sorted(SAMPLE.glob("*.txt"))}
    unrelated = {document.id: document.text for document in CASES_BY_HAND.documents if document.topic == "transfers"}

    def clusters(texts: Mapping[str, str]) -> set[frozenset[tuple[str, int, int]]]:
        found = default_model.predict(texts, cache=computed).clusters()
        return {frozenset((one.document, one.start, one.end) for one in cluster.mentions) for cluster in found}

    alone = clusters(sample)
    assert alone
    together = clusters({**sample, **unrelated})
    assert all(any(own <= other for other in together) for own in alone)

"""When and where an event was, and what it is called: every view and export gives the same answers."""

from __future__ import annotations

import csv
import json
import re
from calendar import monthrange
from collections.abc import Callable
from cProfile import Profile
from dataclasses import replace
from pathlib import Path
from pstats import Stats
from typing import Any, NamedTuple

import pytest

from cdcoref.corpus import EVENT, Corpus, Document, Mention
from cdcoref.formats import read_jsonl, tokenise_text
from cdcoref.predict import Plan, Prediction
from cdcoref.reports import ranked_clusters, stories_of
from cdcoref.views import event_circumstances, write_csv, write_json_lines

TEXTS = {
    "fire.txt": (
        "A fire broke out near Kalamata on Tuesday. A march led from Pylos to Patras. "
        "Talks were held in Oslo on 3 May.",
        {"date": "2025-08-08"},
    ),
    "later.txt": (
        "The blaze near Kalamata is out. The march ended in Patras last week. "
        "Talks were held in Bergen on 4 May. The vote in Quito took place from Monday to Wednesday.",
        {"date": "2025-08-10"},
    ),
    "undated.txt": ("ATHENS, Aug. 6 - The quake struck at night. The quake was felt in Pylos on Aug. 5.", {}),
    "no-day.txt": ("The vote took place in Lima.", {}),
    "weekday.txt": ("A storm hit the coast on Friday.", {}),
    "unknown.txt": ("The defeat was clear.", {}),
    "unknown-too.txt": ("Nobody doubts the election.", {}),
    "other.txt": ("Fires burn each summer. The blaze in Greece last month was the worst.", {"date": "2025-09-02"}),
}
WORDS = {
    "fire": (("fire.txt", "fire"), ("later.txt", "blaze"), ("other.txt", "blaze")),
    "election": (("unknown.txt", "defeat"), ("unknown-too.txt", "election")),
    "march": (("fire.txt", "march"), ("later.txt", "march")),
    "talks": (("later.txt", "Talks"), ("fire.txt", "Talks")),
    "vote": (("later.txt", "vote"), ("no-day.txt", "vote")),
    "storm": (("weekday.txt", "storm"), ("weekday.txt", "hit")),
    "quake": (("undated.txt", "quake"), ("undated.txt", "felt")),
}
STORIES = (
    ("later.txt", "fire.txt", "undated.txt", "no-day.txt", "weekday.txt", "unknown.txt", "unknown-too.txt"),
    ("other.txt",),
)
PARTLY = ("timelines",)
"""Views that show only some of the events."""


class Told(NamedTuple):
    """What a view says of an event; None for what it does not say."""

    name: str | None = None
    label: str | None = None
    when: str | None = None
    where: str | None = None


def written_by_hand() -> Prediction:
    documents = {
        id: replace(tokenise_text(text, id), metadata=metadata, found=frozenset())
        for id, (text, metadata) in TEXTS.items()
    }
    mentions = []
    for cluster, words in WORDS.items():
        for id, word in words:
            place = documents[id].tokens.index(word)
            mentions.append(Mention(id, (place,), EVENT, cluster))
    return Prediction(Corpus(tuple(documents.values()), tuple(mentions)), STORIES, Plan(4, 2, 4, 1, 0))


@pytest.fixture(params=["by hand", "by hand, in another order", "sample"])
def corpus(request: pytest.FixtureRequest, sample: Path) -> Prediction:
    """Predictions whose events have a day, a week, no day, no year, one place or two."""
    if request.param == "sample":
        gold = read_jsonl(sample / "gold.jsonl")
        stories: dict[str, list[str]] = {}
        for document in gold.documents:
            stories.setdefault(document.id.partition("_")[0], []).append(document.id)
        return Prediction(gold, tuple(map(tuple, stories.values())), Plan(0, 0, 0, 0, 0))
    known = written_by_hand()
    if request.param == "by hand":
        return known
    return replace(known, corpus=replace(known.corpus, mentions=known.corpus.mentions[::-1]))


def in_python(prediction: Prediction, folder: Path) -> dict[str, Told]:
    return {
        one.id: Told(None, one.label, str(one.when or ""), str(one.where or ""))
        for one in prediction.clusters(singletons=True)
        if one.kind == EVENT and one.id is not None
    }


def in_json(prediction: Prediction, folder: Path) -> dict[str, Told]:
    clusters = json.loads(prediction.to_json())["clusters"]
    return {
        one["id"]: Told(None, one["label"], _value(one["when"]), _value(one["where"]))
        for one in clusters
        if one["kind"] == EVENT
    }


def in_json_lines(prediction: Prediction, folder: Path) -> dict[str, Told]:
    write_json_lines(prediction, folder / "x.jsonl")
    found: dict[str, Told] = dict.fromkeys(_events(prediction.corpus), Told(when="", where=""))
    for line in (folder / "x.jsonl").read_text(encoding="utf-8").splitlines():
        for one in json.loads(line).get("clusters", ()):
            found[one["cluster"]] = Told(when=_value(one.get("when")), where=_value(one.get("where")))
    return found


def in_csv(prediction: Prediction, folder: Path) -> dict[str, Told]:
    write_csv(prediction, folder / "x.csv")
    with (folder / "x.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["kind"] == EVENT]
    return {row["cluster"]: Told(when=row["when"], where=row["where"]) for row in rows}


def in_page(prediction: Prediction, folder: Path) -> dict[str, Told]:
    data = json.loads(re.findall(r"<script[^>]*json[^>]*>(.*?)</script>", prediction.to_html(), re.DOTALL)[0])
    return {name: Told(label=label) for name, kind, label, _ in data["clusters"] if kind == EVENT}


def in_timelines(prediction: Prediction, folder: Path) -> dict[str, Told]:
    stories = stories_of(prediction.corpus, prediction.numbered_stories())
    return {
        one.cluster or "": Told(one.label, None, str(one.when or ""), one.where)
        for story in stories
        for one in (*story.timeline, *story.one_source)
    }


VIEWS: dict[str, Callable[[Prediction, Path], dict[str, Told]]] = {
    "JSON": in_json,
    "JSON lines": in_json_lines,
    "CSV": in_csv,
    "page": in_page,
    "timelines": in_timelines,
}


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_gives_the_same_answers(corpus: Prediction, tmp_path: Path, view: str) -> None:
    expected, found = in_python(corpus, tmp_path), VIEWS[view](corpus, tmp_path)
    several = {members[0].cluster for members in ranked_clusters(corpus.corpus, singletons=False)}
    assert found.keys() >= (set() if view in PARTLY else several & expected.keys()), "none is missing"
    assert len(found) > 1
    for cluster, told in found.items():
        known = expected[cluster]
        name = (known.label or "").partition(" · ")[0]
        for shown, right in zip(told, (name, known.label, known.when, known.where), strict=True):
            assert shown is None or _days(shown) == _days(right or ""), (cluster, told, known)


def test_what_the_answers_are(tmp_path: Path) -> None:
    found = {cluster: (one.when, one.where) for cluster, one in in_python(written_by_hand(), tmp_path).items()}
    assert found == {
        "fire": ("2025-08-05", "Kalamata, Greece"),
        "election": ("", ""),
        "march": ("2025-W31", "Patras, Greece"),
        "talks": ("2025-05-04", "Bergen, Norway"),
        "vote": ("2025-08-04/2025-08-06", "Lima, Peru"),
        "storm": ("XXXX-WXX-5", ""),
        "quake": ("XXXX-08-05", "Pylos"),
    }


def _value(circumstance: dict[str, Any] | None) -> str:
    return "" if circumstance is None else str(circumstance["value"])


def _days(period: str) -> str:
    """The first and the last day of a period; of a single day, that day."""
    if re.fullmatch(r"\d{4}", period):
        return f"{period}-01-01/{period}-12-31"
    if month := re.fullmatch(r"(\d{4})-(\d\d)", period):
        return f"{period}-01/{period}-{monthrange(int(month[1]), int(month[2]))[1]:02d}"
    return period


def _events(corpus: Corpus) -> set[str]:
    return {mention.cluster for mention in corpus.mentions if mention.kind == EVENT and mention.cluster is not None}


def test_the_work_grows_with_the_number_of_documents_that_tell_of_an_event() -> None:
    def calls(count: int) -> int:
        words = "A ferry sank off Oslo on 5 March 2024 ."
        documents = [Document.from_sentences(f"d{number}", [words.split()]) for number in range(count)]
        mentions = [Mention(document.id, (2,), "event", "sinking") for document in documents]
        corpus = Corpus(tuple(documents), tuple(mentions))
        with Profile() as profile:
            found = event_circumstances(corpus)
        assert [len(own[0]["where"]["mentions"]) for own in found.values()] == [1] * count
        return Stats(profile).total_calls  # type: ignore[attr-defined]

    calls(1)  # fills the caches
    assert calls(60) < 2.2 * calls(30)

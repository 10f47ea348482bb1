"""Stories, days and places of events are corrected like clusters: obeyed, undone, and kept through rebuilds."""

from __future__ import annotations

from typing import Any

import pytest

from cdcoref.collection import Collection, correction_lines
from cdcoref.corpus import Corpus
from cdcoref.errors import InputError

Stories = dict[int, list[str]]


def stories(collection: Collection) -> Stories:
    return {number: [d.id for d in s.corpus.documents] for s in collection.stories() if (number := s.number)}


@pytest.fixture
def news(lemma: Collection, written: Any) -> Collection:
    reports = written.reports(6)
    documents = tuple(report.documents[0] for report in reports)
    lemma.add(Corpus(documents, tuple(mention for report in reports for mention in report.mentions)))
    return lemma


FERRY, MUSEUM = ["ferry0", "ferry2", "ferry4"], ["museum1", "museum3", "museum5"]


@pytest.mark.parametrize(
    ("action", "ids", "expected"),
    [
        ("join-stories", ["s1", "s2"], {1: sorted([*FERRY, *MUSEUM], key=lambda id: id[-1])}),
        ("split-story", ["ferry0", "ferry2"], {1: ["ferry4"], 2: MUSEUM, 3: ["ferry0", "ferry2"]}),
        ("move-document", ["ferry2", "ferry4", "s2"], {1: ["ferry0"], 2: ["museum1", "ferry2", *MUSEUM[1:], "ferry4"]}),
    ],
)
def test_stories_obey_and_are_restored(news: Collection, action: Any, ids: list[str], expected: Stories) -> None:
    expected = {number: sorted(documents, key=lambda id: id[-1]) for number, documents in expected.items()}
    before, clusters = stories(news), news.corpus()
    assert before == {1: FERRY, 2: MUSEUM}
    made = news.correct(action, ids)
    assert stories(news) == expected
    assert any("more document" in note for note in made.notes)
    news.rebuild()
    assert sorted(stories(news).values()) == sorted(expected.values())
    news.undo()
    assert stories(news) == before
    assert news.corpus() == clusters
    news.redo()
    assert sorted(stories(news).values()) == sorted(expected.values())


def test_a_story_has_the_title_that_somebody_gave_it(news: Collection) -> None:
    before = [story.title for story in news.stories()]
    news.correct("rename", ["s1"], name=" The  ferry ")
    assert [news.story(number).title for number in (1, 2)] == ["The ferry", before[1]]
    news.correct("rename", ["2"], name="The museum")
    news.rebuild()
    assert sorted(story.title for story in news.stories()) == ["The ferry", "The museum"]
    news.undo()
    news.undo()
    assert [story.title for story in news.stories()] == before
    news.redo()
    news.correct("join-stories", ["1", "s2"])
    assert [story.title for story in news.prediction().stories] == ["The ferry"]


def test_corrections_of_stories_last(news: Collection, written: Any) -> None:
    news.correct("move-document", ["ferry2", "museum1"])
    moved = {tuple(documents) for documents in stories(news).values()}
    news.remove(["ferry2"])
    news.add(written.reports(3)[2])  # the same text again
    assert {frozenset(documents) for documents in stories(news).values()} == {frozenset(d) for d in moved}
    changed = written.annotated("ferry2", *written.FERRY, "Report 2 ends late .")
    news.add(changed)  # its next version
    assert {frozenset(documents) for documents in stories(news).values()} == {frozenset(d) for d in moved}
    news.add(written.annotated("ferry6", *written.FERRY, "Report 6 ends ."))
    assert sorted(stories(news)) == [1, 2]


def test_what_contradicts_is_refused(news: Collection) -> None:
    news.correct("join-stories", ["s1", "s2"])
    with pytest.raises(InputError, match="this contradicts an earlier correction; undo correction 1 first"):
        news.correct("split-story", ["museum1"])
    news.correct("split-story", ["museum3"])
    assert sorted(map(len, stories(news).values())) == [1, 5]


@pytest.mark.parametrize(
    ("action", "ids", "name", "message"),
    [
        ("join-stories", ["s1", "ferry2"], None, "give two or more different stories, such as s3, to join them"),
        ("split-story", ["ferry0", "museum1"], None, "give documents of one story, to split them from it"),
        ("split-story", ["s1"], None, "these are all documents of the story; give only some of them"),
        ("move-document", ["ferry0"], None, "give documents, followed by the story to move them to"),
        ("move-document", ["ferry0", "s1"], None, "'ferry0' is already in that story"),
        ("move-document", ["s9", "s1"], None, "there is no story s9 in the collection"),
        ("rename", ["s1"], " ", "a story's title must have 1 to 200 characters"),
        ("rename", ["s9"], "Ferry", "there is no story s9 in the collection"),
        ("rename-story", ["s1", "s2"], "Ferry", "give the one story to rename, such as s3"),
        ("day", ["c3"], "some day", "'some day' is not a day; give it as 2024-03-05"),
        *(("day", ["c3"], day, "not a day") for day in ("2024-13", "1999-2001", "9" * 20, "2_024")),
        *(("day", ["c3"], day, "is no range of days") for day in ("2024-03-08/2024-03-05", "2024-03-05 to 2024-03-08")),
        ("day", ["c3", "c4"], "2024-03-05", "give one event that has this day, such as c3"),
        ("place", ["c1"], "Tresk", "c1 is not an event; only an event has a place"),
        ("place", ["c3"], " ", "the place of an event must have 1 to 200 characters"),
    ],
)
def test_what_makes_no_sense_is_refused(news: Collection, action: Any, ids: Any, name: Any, message: str) -> None:
    before = news.corpus(), stories(news)
    with pytest.raises(InputError, match=message):
        news.correct(action, ids, name=name)
    assert (news.corpus(), stories(news), news.corrections()) == (*before, [])


def test_the_day_and_the_place_of_an_event(news: Collection) -> None:
    event = next(cluster for cluster in news.clusters(kind="event") if "sank" in cluster.title)
    stated = (("day", "5 March 2024"), ("place", "Tresk harbour"))
    made = [news.correct(action, [event.id], name=name) for action, name in stated]
    assert [line.partition("  ")[2][27:] for line in correction_lines(made)] == [
        f"day: {event.id} is '2024-03-05'",
        f"place: {event.id} is 'Tresk harbour'",
    ]
    title = f"{event.title.partition(' · ')[0]} · Tresk harbour · 5 March 2024"

    def shown() -> tuple[str, Any]:
        told = next(e for story in news.stories() for e in story.timeline if e.cluster == event.id)
        return news.cluster(event.id).summary.title, (str(told.when), told.where)

    assert shown() == (title, ("2024-03-05", "Tresk harbour"))
    assert {str(s.when) for s in news.stories() if any(e.cluster == event.id for e in s.timeline)} == {"2024-03-05"}
    news.rebuild()
    assert shown() == (title, ("2024-03-05", "Tresk harbour"))
    assert news.prediction().corpus.stated == {("event", event.id): {"day": "2024-03-05", "place": "Tresk harbour"}}
    for day in ("2024-03", "2024-03-05/2024-03-08", "unknown"):
        news.correct("day", [event.id], name=day)
        told = next(e for story in news.stories() for e in story.timeline if e.cluster == event.id)
        assert (None if told.when is None else str(told.when)) == (None if day == "unknown" else day)
        news.undo()
    news.undo()
    news.undo()
    assert news.cluster(event.id).summary == event
    assert news.corpus().stated == Corpus(()).stated

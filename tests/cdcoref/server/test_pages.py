"""Pages and forms without a script: what they show, what they change, and what they say of what is wrong."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cdcoref.collection import Collection
from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.formats import read_corpus

LABEL = r'<bdi class="label">([^<]*?)(?: · [^<]*)?</bdi>'
"""The name of a cluster in a list; that of an event may be followed by its place and day."""


def text_of(page: str) -> str:
    """The words of a page, without its marks."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


def test_the_start(steady: Any) -> None:
    page = steady.html("/")
    words = text_of(page)
    assert "documents 4" in words
    assert "stories 2" in words
    titles = re.findall(LABEL, page)
    assert titles[0] == "ferry"
    assert set(titles) >= {"Maren", "captain", "storm sank ferry Maren", "storm"}
    assert "thieves stole painting" not in titles
    assert 'value="sank' not in page
    events = re.findall(LABEL, steady.html("/?kind=event"))
    assert events == ["police arrested captain", "storm sank ferry Maren"]
    assert "thieves stole painting" in steady.html("/?kind=event&singletons=1")
    found = re.findall(LABEL, steady.html("/?query=MAR"))
    assert found[0] == "Maren", "the others are in one sentence with it"
    assert "museum" not in found
    assert "No cluster matches." in steady.html("/?query=zebra")
    assert "No cluster matches." in steady.html("/?page=99&kind=nonsense")
    page = steady.html("/search?query=storm+fer")
    assert "<mark>storm</mark>" in page
    assert "inquiry" not in page
    assert "No cluster or document contains all of these words." in steady.html("/search?query=zebra")
    assert "Enter some words." in steady.html("/search")


def test_a_cluster_in_time_order(steady: Any) -> None:
    ferry = steady.cluster("ferry")
    page = steady.html(f"/clusters/{ferry}")
    assert re.findall(r"<article.*?<bdi[^>]*>(.*?)</bdi>", page, re.DOTALL) == [
        "2024-03-05 storm.txt", "2024-03-06 inquiry.txt", "harbour.txt",
    ]  # fmt: skip
    words = text_of(page)
    assert "Documents are ordered by date; those without a known date come last" in words
    assert "5 March 2024" in words
    assert "4 mentions in 3 documents" in words
    assert "A storm sank the ferry Maren on Tuesday ." in words
    mention = steady.id("harbour.txt", "ferry")
    assert f'id="{mention}"' in steady.html(f"/clusters/{ferry}?mention={mention}")
    for wrong in ("/clusters/c999", "/clusters/x", "/clusters/c0", "/clusters/c1/x", "/clusters/m1"):
        assert steady.get(wrong).status_code == 404


def test_a_document(steady: Any) -> None:
    page = steady.html("/document?id=harbour.txt")
    assert "The ferry Maren sank in the storm off Tresk ." in re.sub(r"<[^>]+>", "", page)
    assert f'href="/clusters/{steady.cluster("sank")}?mention={steady.id("harbour.txt", "sank")}' in page
    assert "In the same story" in page
    assert steady.get("/document?id=none").status_code == 404
    assert "There is no document &#39;none&#39; in the collection." in steady.get("/document?id=none").text
    assert steady.get("/document").status_code == 404


def test_stories(steady: Any) -> None:
    listed = steady.html("/stories")
    assert "2 stories" in listed
    assert 'href="/stories/1"' in listed
    story = steady.html("/stories/1")
    assert f'<a href="/clusters/{steady.cluster("sank")}"><bdi>storm sank ferry Maren</bdi></a>' in story
    assert "Timeline" in story
    assert '"><bdi class="label">A storm sank the ferry Maren on Tuesday .</bdi></a>' in story
    assert steady.get("/stories/99").status_code == 404
    answer = steady.get("/api/stories").json()
    assert answer["total"] == 2
    assert answer["stories"][0] == steady.get("/api/stories/1").json()
    assert answer["stories"][0]["documents"][0] == "2024-03-05 storm.txt"
    assert steady.get("/api/stories/99").status_code == 404


def test_corrections_and_undoing(client: Any) -> None:
    captain, police = sorted((client.cluster("captain"), client.cluster("Police")))
    back = f"/clusters/{captain}"
    answer = client.send("/corrections", action="same", id=[captain, police], back=back)
    assert (answer.status_code, answer.headers["location"]) == (303, f"{back}?done=1")
    merged = text_of(client.html(answer.headers["location"]))
    assert "“ Police ”" in merged.partition("are the same.")[0]
    assert f"merged “ Police ” {police} into captain {captain} Undo" in merged
    assert "✓ checked" in merged
    assert client.get(f"/clusters/{police}").headers["location"] == back  # the merged cluster leads to the older one
    answer = client.send("/corrections/undo", number="1", back=back)
    assert answer.headers["location"] == f"{back}?undone=1"
    assert "Undone: " in client.html(answer.headers["location"])
    assert client.get(f"/clusters/{police}").status_code == 200
    ferry = client.cluster("ferry")
    one, other = client.id("harbour.txt", "ferry"), client.id("2024-03-05 storm.txt", "ferry")
    for action, ids in (("split", [one]), ("not-same", [one, other]), ("not-a-mention", [other])):
        answer = client.send("/corrections", action=action, id=ids, back=f"/clusters/{ferry}#top")
        assert answer.status_code == 303, answer.text
    answer = client.send("/corrections", action="rename", id=ferry, name="  The  Maren ", back="/")
    assert "is named “ The Maren ”" in text_of(client.html(answer.headers["location"]))
    assert "The Maren" in client.html(f"/clusters/{ferry}")
    listed = text_of(client.html("/corrections"))
    assert "4 in force, 5 in total" in listed
    assert "corrections in force 4" in text_of(client.html("/"))
    assert "is split from its cluster" in listed
    assert "is not a mention" in listed
    assert client.send("/corrections/undo").headers["location"] == "/?undone=5"
    rejected = client.html("/document?id=2024-03-05+storm.txt")
    assert "Not mentions" in rejected
    assert [c["action"] for c in client.get("/api/corrections").json()] == [
        "same", "split", "not-same", "not-a-mention", "rename",
    ]  # fmt: skip


def test_stories_and_circumstances_are_corrected(client: Any) -> None:
    sank = client.cluster("sank")
    for action, name, said in (("day", "2024-03-04", "has the day 2024-03-04"), ("place", "Oslo", "happened in Oslo")):
        answer = client.send("/corrections", action=action, id=sank, name=name, back=f"/clusters/{sank}")
        assert f"{sank} {said}" in text_of(client.html(answer.headers["location"]))
    assert "Oslo" in client.html("/stories/1")
    joined = client.send("/corrections", action="join-stories", id=["s1", "s2"], back="/stories")
    page = client.html(joined.headers["location"])
    assert "are one" in text_of(page)
    assert "1 story" in page
    client.send("/corrections/undo")
    assert "2 stories" in client.html("/stories")
    split = client.send("/corrections", action="split-story", id=["harbour.txt", ""], back="/stories")
    assert "harbour.txt is a story of its own" in text_of(client.html(split.headers["location"]))
    moved = client.send("/corrections", action="move-document", id=["harbour.txt", "s2"], back="/stories")
    assert "harbour.txt is moved to the story of" in text_of(client.html(moved.headers["location"]))
    assert client.html("/corrections").count("harbour.txt") >= 2
    assert client.send("/corrections", action="join-stories", id=["s1", "s99"], back="/stories").status_code == 422


def test_a_document_is_removed(client: Any) -> None:
    name = "2024-03-05 storm.txt"
    page = client.html("/document?id=2024-03-05+storm.txt")
    assert "The file that it came from is kept" in text_of(page)
    ferry = client.cluster("ferry")
    client.send("/corrections", action="not-a-mention", id=[client.id(name, "storm")])
    answer = client.send("/documents/remove", id=name, back="/document?id=2024-03-05+storm.txt")
    assert (answer.status_code, answer.headers["location"]) == (303, "/documents?removed=1")
    listed = client.html(answer.headers["location"])
    assert "The document was removed from the collection." in text_of(listed)
    assert name not in listed
    assert client.get("/document?id=2024-03-05+storm.txt").status_code == 404
    assert "3 mentions in 2 documents" in text_of(client.html(f"/clusters/{ferry}"))
    again = client.send("/documents/remove", id=name, back="/documents")
    assert again.status_code == 404
    assert "There is no document" in again.text
    for number in ("x", "9" * 30):
        assert "was removed" not in client.html(f"/documents?removed={number}")


def test_what_is_wrong_with_a_form_is_said_and_the_form_stays(steady: Any) -> None:
    ferry = steady.cluster("ferry")
    back = f"/clusters/{ferry}"
    one = steady.id("harbour.txt", "ferry")
    answer = steady.send("/corrections", action="not-same", id=[one], back=back)
    assert answer.status_code == 422
    assert "Give exactly two mentions that are not the same." in answer.text
    assert f'value="{one}" checked' in answer.text
    answer = steady.send("/corrections", action="rename", id=[ferry], name="x" * 201, back=back)
    assert "A cluster&#39;s name must have 1 to 200 characters." in answer.text
    assert f'value="{"x" * 201}"' in answer.text
    assert '<details id="rename" open>' in answer.text
    for fields in (
        {"action": "harm", "id": [one]},
        {"id": [one]},
        {"action": "same"},
        {"action": "split", "id": ["x"]},
    ):
        assert steady.send("/corrections", back=back, **fields).status_code == 422
    for number in ("7", "x", "-1", "9" * 30):
        assert steady.send("/corrections/undo", number=number, back="/corrections").status_code == 422
    assert steady.get("/api/corrections").json() == []


def test_a_form_leads_back_only_to_this_site(client: Any) -> None:
    ferry = client.cluster("ferry")
    others = ("http://evil.example/", "//evil.example", "/\\evil.example", "javascript:1", "x", "")
    for number, back in enumerate(others, start=1):
        answer = client.send("/corrections", action="rename", id=ferry, name="x", back=back)
        assert answer.headers["location"] == f"/?done={number}"


def test_mentions_are_moved_to_another_cluster(client: Any) -> None:
    ferry, captain = client.cluster("ferry"), client.cluster("captain")
    back = f"/clusters/{ferry}"
    ids = [client.id("harbour.txt", "ferry"), client.id("2024-03-05 storm.txt", "ferry")]
    assert 'value="move" data-key="v"' in client.html(back)
    answer = client.send("/corrections", action="move", id=ids, back=back)
    address = answer.headers["location"]
    assert (answer.status_code, address) == (303, f"{back}/move?mentions={','.join(ids)}")
    page = client.html(address)
    assert "Into which cluster do “ ferry ”, “ ferry ” go?" in text_of(page)
    titles = re.findall(LABEL, page)
    assert "captain" in titles
    assert not {"ferry", "storm sank ferry Maren"} & set(titles)
    found = client.html(f"{address}&query=mus")
    assert f'value="{",".join(ids)}"' in found
    assert re.findall(LABEL, found)[0] == "museum"
    answer = client.send("/corrections", action="move", id=[*ids, captain], back=back)
    assert answer.headers["location"] == f"{back}?done=1"
    said = text_of(client.html(answer.headers["location"]))
    assert f"are moved into {captain} ." in said
    assert f"moved from ferry {ferry} into captain {captain} : “ ferry ”" in said
    with Collection.open(client.path) as collection:
        assert {collection.mention(id).cluster for id in ids} == {captain}
    client.send("/corrections/undo")
    with Collection.open(client.path) as collection:
        assert {collection.mention(id).cluster for id in ids} == {ferry}
    assert "Select the mentions to move." in client.send("/corrections", action="move", back=back).text


def test_pages_of_lists(tmp_path: Path, start: Callable[..., Any], written: Any) -> None:
    path = tmp_path / "many.cdcoref"
    corpora = [written.annotated(f"{n:03}.txt", f"The ferry sank near isle {n} .") for n in range(120)]
    with Collection.create(path, "lemma") as collection:
        collection.add(written.joined(*corpora))
    client = start(path)
    page = client.html("/documents")
    assert page.count('class="entry') == 50
    assert "119.txt" in page
    assert 'rel="prev"' not in page
    last = client.html("/documents?page=3")
    assert last.count('class="entry') == 20
    assert "000.txt" in last
    assert 'href="/documents?page=2"' in last
    assert 'rel="next"' not in last
    for odd in ("0", "-1", "x", "9" * 40, ""):
        assert client.get(f"/documents?page={odd}").status_code == 200
    ferry = client.cluster("ferry")
    page = client.html(f"/clusters/{ferry}")
    assert page.count("<article") == 24
    assert 'href="/clusters/c1?page=2"' in page.replace(ferry, "c1")
    mention = client.id("100.txt", "ferry")
    around = client.html(f"/clusters/{ferry}?mention={mention}")
    assert f'class="mention item here" id="{mention}"' in around
    assert "Page 5" in around
    found = client.html("/search?query=isle")
    assert found.count("<mark>isle</mark>") == 50
    assert "page=2" in found


def test_nothing_at_all(tmp_path: Path, start: Callable[..., Any]) -> None:
    path = tmp_path / "empty.cdcoref"
    Collection.create(path, "lemma").close()
    client = start(path)
    for address in ("/", "/documents", "/questions", "/corrections", "/add", "/download", "/search?query=x", "/jobs/1"):
        assert client.get(address).status_code == (404 if "jobs" in address else 200)
    assert "There are no documents yet." in client.html("/")
    assert "There is nothing to check." in client.html("/questions")


@pytest.mark.parametrize("kind", ["html", "csv", "jsonl", "conll", "conllu", "spacy"])
def test_downloads(steady: Any, tmp_path: Path, kind: str) -> None:
    assert f'href="/api/export/{kind}"' in steady.html("/download")
    answer = steady.get(f"/api/export/{kind}")
    assert answer.status_code == 200
    assert answer.headers["content-disposition"] == f'attachment; filename="news.{kind}"'
    assert len(answer.content) > 100
    if kind in ("jsonl", "spacy", "conll"):
        file = tmp_path / f"x.{kind}"
        file.write_bytes(answer.content)
        corpus = read_corpus([file]).corpus
        with Collection.open(steady.path) as collection:
            assert len(corpus.mentions) == len(collection.corpus().mentions)


HOSTILE = [
    "<script>window.harmed = 1</script>",
    "\"'><svg onload=window.harmed=1>",
    "{{ 7 * 7 }}{% raw %}",
    "a\tb &amp; <b>",
    "../../etc/passwd",
    "?id=x&y#z",
    "turned \u202egro.live around",
]


def test_hostile_words_are_only_shown(tmp_path: Path, start: Callable[..., Any]) -> None:
    path = tmp_path / "<b>'x'.cdcoref"
    documents, mentions = [], []
    for text in HOSTILE:
        words = tuple(text.split(" "))
        documents.append(Document.from_sentences(text, [words, ("It", "sank")]))
        mentions.append(Mention(text, tuple(range(len(words))), "entity"))
    with Collection.create(path, "lemma") as collection:
        collection.add(Corpus(tuple(documents), tuple(mentions)))
        clusters = {c.title: c.id for c in collection.clusters(min_mentions=1)}
    client = start(path)
    for text in HOSTILE:
        page = client.get("/document", params={"id": text})
        assert page.status_code == 200
        shown = " ".join(text.split())
        for content in (page.text, client.html(f"/clusters/{clusters[shown]}"), client.html("/?singletons=1")):
            assert "<svg o" not in content
            assert "<script>" not in content
            assert "<b>" not in content
        assert shown in text_of(page.text)
        name = f"{text}'\"<i>"
        answer = client.send("/corrections", action="rename", id=clusters[shown], name=name, back="/corrections")
        content = client.html(answer.headers["location"])
        assert "<i>" not in content
        assert " ".join(name.split()) in text_of(content)
        found = client.get("/search", params={"query": text})
        assert "<svg o" not in found.text
        assert "<script>" not in found.text

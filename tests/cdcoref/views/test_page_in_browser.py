"""The page in a real browser: every control, by mouse and by keyboard, on a screen and on a phone, on paper."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.formats import tokenise_text
from cdcoref.predict import Prediction
from tests.cdcoref.views.conftest import NO_PLAN, mention_of

pytestmark = pytest.mark.slow

Open = Callable[..., Page]
LABELS = "#cluster-list .choice .label"


def labels(page: Page) -> list[str]:
    return page.locator(LABELS).all_inner_texts()


def choose(page: Page, label: str) -> None:
    page.locator("#cluster-list .choice", has=page.locator(f"bdi:text-is('{label}')")).click()


def focused(page: Page) -> str:
    return str(page.evaluate("document.activeElement.id || document.activeElement.innerText"))


# -- lists -------------------------------------------------------------------------------------------------------------


def test_clusters_across_documents_come_first(open_page: Open, news: Prediction) -> None:
    page = open_page(news)
    assert labels(page) == ["ferry Maren sank in fog", "Ann Dahl", "ferry Maren", "painting stolen", "the painting"]
    assert page.locator("#cluster-list .heading").all_inner_texts() == ["Across documents\n3", "Within one document\n2"]
    first = page.locator("#cluster-list .choice").first
    assert first.locator(".meta").inner_text().split("\n") == ["3 mentions in 2 documents", "confidence 0.80"]
    assert first.locator(".kind").inner_text() == "event"
    assert page.locator(".top p").inner_text() == (
        "2 stories · 13 mentions · 3 clusters across documents · 2 within one document"
    )
    assert page.title() == page.locator("h1").inner_text() == "3 documents"


def test_filters_and_order(open_page: Open, news: Prediction) -> None:
    page = open_page(news)
    found = page.locator("#found")
    expect(found).to_have_text("5 of 5 clusters")
    page.get_by_label("Events").check()
    assert labels(page) == ["ferry Maren sank in fog", "painting stolen"]
    page.get_by_label("Entities").check()
    assert labels(page) == ["Ann Dahl", "ferry Maren", "the painting"]
    assert page.locator("#texts a.m", has_text="sinks").count() == 0
    page.get_by_label("All").check()
    assert page.locator("#texts a.m", has_text="sinks").count() == 1
    page.locator("#least").fill("2")
    assert labels(page) == ["ferry Maren sank in fog", "Ann Dahl", "ferry Maren"]
    page.locator("#least").fill("")
    page.locator("#singles").check()
    assert "swam" in labels(page)
    expect(found).to_have_text("6 of 6 clusters")
    page.locator("#singles").uncheck()
    for order, expected in {
        "unsure": ["ferry Maren", "ferry Maren sank in fog", "Ann Dahl", "painting stolen", "the painting"],
        "name": ["Ann Dahl", "ferry Maren", "ferry Maren sank in fog", "painting stolen", "the painting"],
        "size": ["ferry Maren sank in fog", "Ann Dahl", "ferry Maren", "painting stolen", "the painting"],
        "rank": ["ferry Maren sank in fog", "Ann Dahl", "ferry Maren", "painting stolen", "the painting"],
    }.items():
        page.locator("#order").select_option(order)
        assert labels(page) == expected, order
    page.locator("#query").fill("SANK maren")
    expect(page.locator(LABELS)).to_have_text(["ferry Maren sank in fog", "ferry Maren"])
    assert page.locator("#cluster-list .heading").all_inner_texts() == ["Best matches first\n2"]
    for nothing in ("sank painting", "aren", "?"):
        page.locator("#query").fill(nothing)
        expect(found).to_have_text("No cluster matches.")
    page.locator("#query").fill("dáhl")
    expect(page.locator(LABELS)).to_have_text(["Ann Dahl"])
    page.keyboard.press("Enter")  # sends no form
    expect(found).to_have_text("1 of 5 clusters")


def test_documents_by_story(open_page: Open, news: Prediction) -> None:
    page = open_page(news)
    page.get_by_role("tab", name="Documents").click()
    assert page.locator("#document-list .row").all_inner_texts() == [
        "Story 1\n2", "harbour.txt\n3 clusters shared with other documents",
        "inquiry.txt\n3 clusters shared with other documents", "Story 2\n1",
        "museum.txt\n0 clusters shared with other documents",
    ]  # fmt: skip
    expect(page.locator("#cluster-filters")).to_be_hidden()
    page.locator("#query").fill("painting")
    expect(page.locator("#document-list .choice")).to_have_count(1)
    page.locator("#document-list .choice").click()
    expect(page.locator("#current")).to_have_text("museum.txt (3 of 3)")
    assert page.url.endswith("#d2")
    page.locator("#query").fill("nowhere")
    expect(page.locator("#found")).to_have_text("No document matches.")
    page.get_by_role("tab", name="Documents").press("ArrowLeft")
    assert focused(page) == "tab-stories"
    page.keyboard.press("ArrowLeft")
    assert focused(page) == "tab-clusters"
    expect(page.locator("#panel-clusters")).to_be_visible()


def test_a_story(open_page: Open, news: Prediction) -> None:
    page = open_page(news)
    page.locator("#tab-stories").click()
    expect(page.locator("#found")).to_have_text("2 stories")
    page.locator("#story-list .choice").first.click()
    assert page.evaluate("location.hash") == "#s0"
    story = page.locator("#story-content")
    expect(story.locator("h3.part").first).to_have_text("Documents")
    expect(story.locator(".card h4").first).to_have_text("ferry Maren sank in fog")
    page.locator("#query").fill("nothing of the kind")
    expect(page.locator("#found")).to_have_text("No story matches.")
    story.locator(".card h4 a").first.click()
    assert page.evaluate("location.hash") == "#c0"
    page.go_back()
    expect(story.locator("h2")).to_be_visible()
    assert not Axe().run(page).response["violations"]
    page.keyboard.press("Escape")
    assert page.evaluate("location.hash") in ("", "#")


def test_a_list_by_keyboard(open_page: Open, news: Prediction) -> None:
    page = open_page(news)
    page.locator("#cluster-list").focus()
    for key, active in (
        ("ArrowDown", "0"), ("ArrowDown", "1"), ("End", "4"), ("ArrowUp", "3"), ("Home", "0"), ("PageDown", "4"),
        ("PageUp", "0"), ("ArrowUp", "0"),
    ):  # fmt: skip
        page.keyboard.press(key)
        assert page.locator("#cluster-list").get_attribute("aria-activedescendant") == f"cluster-list-{active}"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator("#cluster-label")).to_have_text("Ann Dahl")
    chosen = page.locator("#cluster-list [aria-selected=true]")
    assert (chosen.get_attribute("aria-posinset"), chosen.get_attribute("aria-setsize")) == ("2", "5")


# -- a cluster, there and back -----------------------------------------------------------------------------------------


def test_a_cluster_side_by_side(open_page: Open, news: Prediction) -> None:
    page = open_page(news)
    choose(page, "ferry Maren sank in fog")
    assert page.locator(".card h3").all_inner_texts() == ["harbour.txt", "inquiry.txt"]
    assert page.locator(".card .sentence").all_inner_texts() == [
        "Ferry sinks0.90", "The ferry Maren sank0.80 in fog.", "The sinking0.70 of the Maren is looked into.",
    ]  # fmt: skip
    left, right = (page.locator(".card").nth(n).bounding_box() for n in (0, 1))
    assert left is not None
    assert right is not None
    assert left["y"] == right["y"]
    assert left["x"] + left["width"] < right["x"]
    assert page.locator(".head p").all_inner_texts()[1:] == [
        "Also mentioned as sinks, sank, sinking", "Cluster name: sinking",
    ]  # fmt: skip
    expect(page.locator("#place")).to_have_text("1 of 5")
    expect(page.locator("#previous-cluster")).to_be_disabled()
    page.locator("#next-cluster").click()
    expect(page.locator("#cluster-label")).to_have_text("Ann Dahl")
    page.locator("#previous-cluster").click()
    expect(page.locator("#cluster-label")).to_have_text("ferry Maren sank in fog")


def test_to_a_mention_and_back(open_page: Open, news: Prediction) -> None:
    page = open_page(news)
    choose(page, "ferry Maren sank in fog")
    page.locator(".sentence a.m", has_text="sank").click()
    assert focused(page) == "sank"
    assert page.locator("#texts a.on").all_inner_texts() == ["sinks", "sank", "sinking"]
    assert page.locator("#texts a.here").all_inner_texts() == ["sank"]
    expect(page.locator("#step")).to_have_text("2 of 3")
    page.locator("#next-mention").click()
    assert page.locator("#texts a.here").all_inner_texts() == ["sinking"]
    expect(page.locator("#next-mention")).to_be_disabled()
    page.locator("#previous-mention").click()
    expect(page.locator("#step")).to_have_text("2 of 3")
    expect(page.locator("#back")).to_have_text("Back to “ferry Maren sank in fog”")
    page.locator("#back").click()
    expect(page.locator("#cluster-label")).to_have_text("ferry Maren sank in fog")
    page.locator(".sentence", has_text="looked into").click(position={"x": 300, "y": 10})  # beside its mention
    assert page.locator("#texts a.here").all_inner_texts() == ["sinking"]
    page.go_back()
    expect(page.locator("#cluster-label")).to_have_text("ferry Maren sank in fog")
    page.locator("#to-texts").click()
    expect(page.locator("#texts")).to_be_visible()
    page.locator("#texts a.m", has_text="Ann Dahl").first.click()
    expect(page.locator("#cluster-label")).to_have_text("Ann Dahl")
    page.locator(".card h3 a").last.click()
    assert page.url.endswith("#d1")


def test_single_keys(open_page: Open, news: Prediction) -> None:
    page = open_page(news)
    page.keyboard.press("j")
    expect(page.locator("#cluster-label")).to_have_text("ferry Maren sank in fog")
    page.keyboard.press("j")
    expect(page.locator("#cluster-label")).to_have_text("Ann Dahl")
    page.keyboard.press("k")
    expect(page.locator("#cluster-label")).to_have_text("ferry Maren sank in fog")
    page.keyboard.press("k")  # there is none before it
    page.keyboard.press("n")
    assert page.locator("#texts a.here").all_inner_texts() == ["sinks"]
    page.keyboard.press("n")
    assert focused(page) == "sank"
    page.keyboard.press("p")
    assert focused(page) == "sinks"
    page.keyboard.press("Escape")
    expect(page.locator("#cluster")).to_be_visible()
    page.keyboard.press("Escape")
    assert focused(page) == "cluster-list"
    page.keyboard.press("/")
    page.keyboard.type("njk?")
    assert page.locator("#query").input_value() == "njk?"
    page.keyboard.press("Escape")
    assert page.locator("#query").input_value() == ""


def test_tab_goes_from_mention_to_mention(open_page: Open, news: Prediction) -> None:
    page = open_page(news)
    page.locator("#texts").focus()
    page.keyboard.press("Tab")
    assert focused(page) == "sinks"
    tip = page.locator("#tip")
    assert tip.inner_text().split("\n") == [
        "ferry Maren sank in fog",
        "event",
        "3 mentions in 2 documents",
        "confidence 0.90",
    ]
    assert page.locator("a[aria-describedby=tip]").inner_text() == "sinks"
    page.keyboard.press("Escape")
    expect(tip).to_be_hidden()
    page.keyboard.press("Tab")
    assert focused(page) == "ferry Maren"
    page.keyboard.press("Enter")
    expect(page.locator("#cluster-label")).to_have_text("ferry Maren")


def test_an_address_opens_what_it_says(open_page: Open, news: Prediction) -> None:
    page = open_page(news, at="#c1")
    expect(page.locator("#cluster-label")).to_have_text("Ann Dahl")
    page = open_page(news, at="#m5")  # `swam`, which is alone
    assert page.locator("#texts a.here").count() == 1
    page.get_by_label("Events").check()
    page.evaluate("location.hash = '#m1'")  # not of that kind
    expect(page.locator("#texts a.here")).to_have_count(1)
    assert page.get_by_label("All").is_checked()


# -- what is in texts --------------------------------------------------------------------------------------------------


def test_nested_overlapping_and_broken_mentions(open_page: Open) -> None:
    words = ["The", "captain", "of", "the", "old", "ferry", "took", "all", "of", "it", "off", "again"]
    first = Document.from_sentences("a", [words])
    second = Document.from_sentences("b", [["captain", "ferry", "took", "off", "again", "old"]])
    spans = [
        ("captain", (0, 1, 2, 3, 4, 5), "entity"), ("ferry", (3, 4, 5), "entity"), ("old", (4, 5, 6), "event"),
        ("took", (6, 10), "event"), ("again", (11,), "event"), ("again", (11,), "entity"),
    ]  # fmt: skip
    mentions = [Mention("a", tokens, kind, name) for name, tokens, kind in spans]
    others = [("captain", 0, "entity"), ("ferry", 1, "entity"), ("took", 2, "event"), ("again", 4, "event")]
    others += [("again", 4, "entity"), ("old", 5, "event")]
    mentions += [Mention("b", (token,), kind, name) for name, token, kind in others]
    page = open_page(Corpus((first, second), tuple(mentions)))
    paragraph = page.locator("#texts p.text").first
    assert paragraph.inner_text() == " ".join(words)
    segments = paragraph.locator("a.m")
    shown = [(n.inner_text(), len((n.get_attribute("data-m") or "").split())) for n in segments.all()]
    assert shown == [
        ("The captain of ", 1), ("the ", 2), ("old ferry", 3), (" ", 1), ("took", 2), ("off", 1), ("again", 2)
    ]  # fmt: skip
    positions = "n => getComputedStyle(n).backgroundPositionY.split(', ')"
    lines = [n.evaluate(positions) for n in segments.all()]
    assert [len(line) for line in lines] == [1, 2, 3, 1, 2, 1, 2]
    assert lines[0][0] == lines[1][1] == lines[2][2]  # the captain's line is straight
    assert len(set(lines[2])) == 3
    segments.nth(2).click()
    expect(page.locator("#choose")).to_be_visible()
    assert page.locator("#choices .label").all_inner_texts() == [
        "the old ferry",
        "old ferry took",
        "The captain of the old ferry",
    ]
    page.locator("#choices a").nth(2).click()
    expect(page.locator("#choose")).to_be_hidden()
    expect(page.locator("#cluster")).to_be_visible()
    assert page.locator(".sentence").first.locator("a.m").all_inner_texts() == ["The captain of the old ferry"]
    page.go_back()
    page.locator("#texts a.m", has_text="off").click()
    expect(page.locator(".head")).to_contain_text("took … off")
    page.locator(".sentence a.m", has_text="off").click()
    assert page.locator("#texts a.here").all_inner_texts() == ["took", "off"]


def test_right_to_left(open_page: Open) -> None:
    hebrew = Document.from_sentences("ספינה.txt", [["הספינה", "טבעה", "ביום", "שלישי", "."]])
    arabic = Document.from_sentences("خبر.txt", [["غرقت", "السفينة", "يوم", "الثلاثاء", "."]])
    latin = Document.from_sentences("ship.txt", [["The", "ship", "sank", "."]])
    mentions = tuple(Mention(d.id, (t,), "event", "x") for d, t in ((hebrew, 1), (arabic, 0), (latin, 2)))
    page = open_page(Corpus((hebrew, arabic, latin), mentions))
    direction = "n => getComputedStyle(n).direction"
    assert [n.evaluate(direction) for n in page.locator("#texts p.text").all()] == ["rtl", "rtl", "ltr"]
    assert [n.evaluate(direction) for n in page.locator("#texts h2").all()] == ["rtl", "rtl", "ltr"]
    page.locator("#cluster-list .choice").click()
    assert [n.evaluate(direction) for n in page.locator(".sentence").all()] == ["rtl", "rtl", "ltr"]
    assert page.locator(".sentence a.m").all_inner_texts() == ["טבעה", "غرقت", "sank"]


def test_a_long_sentence_is_cut_around_its_mentions(open_page: Open) -> None:
    long = Document.from_sentences("a", [["word"] * 400 + ["ferry"] + ["word"] * 400])
    short = Document.from_sentences("b", [["ferry"]])
    page = open_page(Corpus((long, short), (Mention("a", (400,), "entity", "f"), Mention("b", (0,), "entity", "f"))))
    page.locator("#cluster-list .choice").click()
    sentence = page.locator(".sentence").first.inner_text()
    assert sentence.startswith("… word")
    assert sentence.endswith("word …")
    assert " ferry " in sentence
    assert len(sentence) < 500


# -- screens and paper -------------------------------------------------------------------------------------------------


def test_on_a_phone_one_thing_at_a_time(open_page: Open, news: Prediction) -> None:
    page = open_page(news, size="phone")
    expect(page.locator(".side")).to_be_visible()
    expect(page.locator("#main")).to_be_hidden()
    choose(page, "ferry Maren sank in fog")
    expect(page.locator(".side")).to_be_hidden()
    above, below = (page.locator(".card").nth(n).bounding_box() for n in (0, 1))
    assert above is not None
    assert below is not None
    assert above["x"] == below["x"]
    assert above["y"] < below["y"]
    page.locator(".sentence a.m").last.tap()
    assert page.locator("#texts a.here").all_inner_texts() == ["sinking"]
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.locator("#reader .home").tap()
    expect(page.locator(".side")).to_be_visible()
    page.get_by_role("tab", name="Documents").tap()
    page.locator("#document-list .choice").last.tap()
    expect(page.locator("#texts")).to_be_visible()
    expect(page.locator("#texts h2", has_text="museum.txt")).to_be_in_viewport()


@pytest.mark.parametrize(("size", "colours"), [("desktop", "dark"), ("phone", "light")])
def test_accessible(open_page: Open, news: Prediction, size: str, colours: str) -> None:
    page = open_page(news, size=size, color_scheme=colours)
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (int(background.split("(")[1].split(",")[0]) < 128) == (colours == "dark")
    for at in ("", "#c1", "#m1", "#d1", "#s1"):
        page.evaluate(f"location.hash = '{at}'")
        assert Axe().run(page).response["violations"] == []
    page.keyboard.press("?")
    assert Axe().run(page).response["violations"] == []


def test_printed_is_what_one_looks_at_whole(open_page: Open, news: Prediction) -> None:
    page = open_page(news)
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect(page.locator(".app")).to_be_hidden()
    printed = page.locator("#print").inner_text()
    assert "ferry Maren sank in fog (event): 3 mentions in 2 documents, confidence 0.80" in printed
    for words in ("She swam ashore.", "Ann Dahl spoke for an hour.", "No ferry carried the painting."):
        assert words in printed
    assert page.locator("#print a.m", has_text="sank").get_attribute("data-number") == "1"
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("#print").inner_text() == ""
    page.evaluate("location.hash = '#c1'")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("#print .card").count() == 2
    assert page.locator("#print .text").count() == 0
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.pdf().startswith(b"%PDF-")


def test_the_skip_link(open_page: Open, news: Prediction) -> None:
    page = open_page(news)
    page.keyboard.press("Tab")
    assert focused(page) == "skip"
    page.keyboard.press("Enter")
    assert focused(page) == "texts"


def test_nothing_at_all(open_page: Open) -> None:
    page = open_page(Corpus(()))
    assert page.title() == "0 documents"
    expect(page.locator("#found")).to_have_text("No cluster matches.")
    page.get_by_role("tab", name="Documents").click()
    page = open_page(Corpus((Document.from_sentences("empty.txt", []),)))
    expect(page.locator("#texts")).to_contain_text("This document is empty.")
    page.keyboard.press("j")
    page.keyboard.press("n")


@pytest.mark.parametrize(("width", "colours"), [(390, "dark"), (1440, "light")])
def test_a_story_at_every_width(open_page: Open, width: int, colours: str) -> None:
    texts = {
        "first.txt": "The reactor in Athens was decommissioned on 5 March 2024. It cost 31 million euros.",
        "second.txt": "On 5 March 2024 engineers decommissioned the reactor in Athens. It cost 47 million euros.",
    }
    documents = [
        replace(tokenise_text(text, id), metadata={"source": source, "title": f"{source}: reactor is decommissioned"})
        for (id, text), source in zip(texts.items(), ("Meridian Wire", "Daily Lantern"), strict=True)
    ]
    mentions = [
        mention_of(document, words, kind, words, 0.9)
        for document in documents
        for words, kind in (("decommissioned", "event"), ("reactor", "entity"), ("cost", "event"))
    ]
    stories = (tuple(texts),)
    page = open_page(Prediction(Corpus(tuple(documents), tuple(mentions)), stories, NO_PLAN), color_scheme=colours)
    page.set_viewport_size({"width": width, "height": 800})
    page.get_by_role("tab", name="Stories").click()
    page.locator("#story-list .choice").click()
    story = page.locator("#story")
    expect(story.locator(".plain li").first).to_have_text(
        re.compile("Meridian Wire: reactor is decommissioned +5 March 2024 · Meridian Wire")
    )
    expect(story.locator(".events .quoted").first).to_contain_text("Meridian Wire")
    expect(story.locator(".events strong")).to_have_text(["31 million euros", "47 million euros"])
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    broken = (
        "node => { const r = document.createRange(); r.selectNodeContents(node); return r.getClientRects().length; }"
    )
    assert story.locator(".events h4 .name", has_text="decommissioned").first.evaluate(broken) == 1
    assert story.locator(".bar").is_visible() == (width < 760)
    assert Axe().run(page).response["violations"] == []

"""A served collection in a real browser: every control by mouse and by keyboard, without scripts, on a phone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, expect

from cdcoref.collection import Collection
from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.formats import tokenise_text, write_corpus

pytestmark = pytest.mark.slow

SIZES = {"desktop": (1280, 800), "tablet": (800, 900), "phone": (390, 844)}
Start = Callable[..., Any]
Open = Callable[..., Page]


@pytest.fixture
def open_at(browser: Browser) -> Iterator[Open]:
    """Open a page of a client's server, and make sure at the end that it asked nobody else and had no error."""
    contexts: list[BrowserContext] = []
    wrong: list[str] = []
    requests: list[tuple[str, str]] = []

    def open_at(client: Any, address: str = "/", *, size: str = "desktop", **options: Any) -> Page:
        width, height = SIZES[size]
        context = browser.new_context(
            viewport={"width": width, "height": height}, has_touch=size == "phone", is_mobile=size == "phone", **options
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(15_000)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda message: wrong.append(message.text))
        page.on("dialog", lambda dialog: wrong.append(f"a dialog: {dialog.message}"))
        page.on("request", lambda request: requests.append((request.url, client.server.address)))
        page.goto(client.server.address + address)
        return page

    yield open_at
    for context in contexts:
        context.close()
    # What is refused, and what a test breaks off, is told by the browser too.
    assert [what for what in wrong if not re.search(r"the server responded with a status of 4|ERR_FAILED", what)] == []
    assert [url for url, own in requests if not url.startswith((f"{own}/", "data:"))] == []


def path_of(page: Page) -> str:
    """The address of a page, without the server and what was done."""
    return re.sub(r"^https?://[^/]+|[?&](un)?done=\d+", "", page.url)


def titles(page: Page) -> list[str]:
    return page.locator(".entry .label").all_inner_texts()


def press(page: Any, key: str) -> None:
    """Press a key when the script of the page has run, which handles it."""
    page.wait_for_load_state()
    page.keyboard.press(key)


# -- lists -------------------------------------------------------------------------------------------------------------


def test_filters_and_search(steady: Any, open_at: Open) -> None:
    page = open_at(steady)
    assert titles(page)[0] == "ferry"
    page.get_by_label("Events").check()
    expect(page).to_have_url(re.compile("kind=event"))
    assert titles(page)[0].startswith("police arrested captain")
    press(page, "/")
    page.keyboard.type("storm")
    press(page, "Enter")
    expect(page.locator("h1")).to_have_text("Results for “storm”")
    assert page.locator("mark").first.inner_text() == "storm"
    page.get_by_role("link", name="harbour.txt").click()
    assert path_of(page) == "/document?id=harbour.txt"


# -- a document and its clusters ---------------------------------------------------------------------------------------


def test_nested_overlapping_and_right_to_left(tmp_path: Path, start: Start, open_at: Open) -> None:
    path = tmp_path / "x.cdcoref"
    words = ["The", "captain", "of", "the", "old", "ferry", "took", "it", "off", "now"]
    documents = (
        Document.from_sentences("nested", [words]),
        Document.from_sentences("ספינה.txt", [["הספינה", "טבעה", "ביום", "שלישי", "."]]),
    )
    mentions = [
        Mention("nested", (0, 1, 2, 3, 4, 5), "entity"), Mention("nested", (4, 5), "entity"),
        Mention("nested", (5, 6), "event"), Mention("nested", (6, 8), "event"), Mention("ספינה.txt", (1,), "event"),
    ]  # fmt: skip
    with Collection.create(path, "lemma") as collection:
        collection.add(Corpus(documents, tuple(mentions)))
    client = start(path)
    page = open_at(client, "/document?id=nested")
    assert page.locator("#text a.m").all_inner_texts() == ["The captain of the ", "old ", "ferry", " ", "took", "off"]
    ferry = page.locator("#text a.m", has_text="ferry").first
    assert ferry.locator(".u").count() == 3
    lines = ferry.locator(".u").evaluate_all("nodes => nodes.map((n) => n.getBoundingClientRect().bottom)")
    assert lines == sorted(lines, reverse=True)
    assert len(set(lines)) == 3
    ferry.click()
    assert page.locator("#choices .label").all_inner_texts() == [
        "old ferry", "ferry took", "The captain of the old ferry",
    ]  # fmt: skip
    page.locator("#choose button").click()
    ferry.click()
    page.locator("#choices a").nth(2).click()
    expect(page.locator("h1 bdi")).to_have_text("The captain of the old ferry")
    page.goto(f"{client.server.address}/documents")
    page.get_by_role("link", name="ספינה.txt").click()
    direction = "n => getComputedStyle(n).direction"
    assert page.locator("#text p").evaluate(direction) == "rtl"
    page.locator("#text a.m").click()
    assert page.locator(".sentence").evaluate(direction) == "rtl"


# -- corrections -------------------------------------------------------------------------------------------------------


def test_after_a_change_undo_is_in_view_and_the_place_is_kept(client: Any, open_at: Open) -> None:
    page = open_at(client, f"/clusters/{client.cluster('ferry')}")
    page.set_viewport_size({"width": 800, "height": 320})
    for key in ("j", "j", "j", "x", "t"):
        press(page, key)
    expect(page.locator(".notice")).to_contain_text("is split from its cluster.")
    kept = "document.activeElement === document.querySelectorAll('.item.current input')[0]"
    assert page.evaluate(kept)
    assert page.evaluate("[...document.querySelectorAll('.item')].findIndex((one) => one.matches('.current'))") == 2
    undo = page.locator(".notice").get_by_role("button", name="Undo")
    expect(undo).to_be_in_viewport()
    undo.focus()
    press(page, "Enter")
    expect(page.locator(".notice")).to_contain_text("Undone:")
    expect(page.locator(".mention")).to_have_count(4)
    assert page.evaluate(kept)


def test_corrections_by_keyboard(client: Any, open_at: Open) -> None:
    ferry = client.cluster("ferry")
    page = open_at(client, f"/clusters/{ferry}")
    for key in ("j", "x", "j", "x"):
        press(page, key)
    expect(page.locator("#chosen")).to_have_text("2 selected")
    press(page, "d")
    expect(page.locator(".notice")).to_contain_text("are not the same.")
    expect(page.locator(".mention")).not_to_have_count(4)
    press(page, "u")
    expect(page.locator(".notice")).to_contain_text("Undone:")
    expect(page.locator(".mention")).to_have_count(4)
    for key in ("j", "j", "k", "x", "t"):
        press(page, key)
    expect(page.locator(".mention")).to_have_count(3)
    for key in ("n", "x", "m"):
        press(page, key)
    expect(page.locator(".notice")).to_contain_text("is not a mention.")
    expect(page.locator(".mention")).to_have_count(2)
    press(page, "r")
    page.keyboard.type("The “Maren” & <b>co</b>")
    press(page, "Enter")
    expect(page.locator("h1 bdi")).to_have_text("The “Maren” & <b>co</b>")
    press(page, "s")
    expect(page.locator("h1")).to_contain_text("Which cluster is the same as")
    page.get_by_label("Words of the other cluster").fill("mar")
    page.get_by_role("button", name="Find").click()
    press(page, "j")
    page.get_by_role("button", name="Same as Maren").click()
    expect(page.locator(".notice")).to_contain_text("are the same.")
    assert page.locator(".mention").count() > 2
    page.locator(".sections").get_by_role("link", name="Corrections").click()
    expect(page.locator(".entry")).to_have_count(5)
    page.locator(".entry", has_text="is not a mention").get_by_role("button", name="Undo").click()
    expect(page.locator(".entry.undone")).to_have_count(2)


@pytest.fixture
def asked(tmp_path: Path, tiny_model_folder: Path, start: Start) -> Any:
    """A collection read by a model, which has questions."""
    path = tmp_path / "news.cdcoref"
    texts = {
        "a.txt": "The ferry sank in the storm off Tresk.\nNineteen people died, police said on Friday.",
        "b.txt": "Storm sinks ferry\n\nA ferry carrying passengers sank on Friday off Tresk.",
    }
    titles = {"a.txt": {"title": "Ferry lost off Tresk", "date": "2024-03-08", "source": "Harbour Post"}}
    read = [replace(tokenise_text(text, id), metadata=titles.get(id, {})) for id, text in texts.items()]
    with Collection.create(path, str(tiny_model_folder)) as collection:
        collection.add(Corpus(tuple(read)))
        assert len(collection.least_sure(100)) > 4
    return start(path)


def test_what_to_check_next(asked: Any, open_at: Open) -> None:
    page = open_at(asked, "/questions")
    places = {" ".join(words.split()) for words in page.locator(".question .place").all_inner_texts()}
    assert places == {"Ferry lost off Tresk · 8 March 2024 · Harbour Post", "b.txt"}
    first = page.locator(".question").first
    pair = first.locator("input[name=id]").evaluate_all("nodes => nodes.map((n) => n.value)")
    first.get_by_role("button", name="Not the same").click()
    expect(page.locator(".notice")).to_contain_text("are not the same.")
    press(page, "u")
    expect(page.locator(".notice")).to_contain_text("Undone:")
    assert first.locator("input[name=id]").evaluate_all("nodes => nodes.map((n) => n.value)") == pair
    press(page, "s")
    expect(page.locator(".notice")).to_contain_text("are the same.")
    press(page, "j")
    press(page, "j")
    second = page.locator(".question.current")
    pair = second.locator("input[name=id]").evaluate_all("nodes => nodes.map((n) => n.value)")
    press(page, "d")
    expect(page.locator(".notice")).to_contain_text("are not the same.")
    with Collection.open(asked.path) as collection:
        made = collection.corrections()
        assert [(c.action, bool(c.undone)) for c in made] == [("not-same", True), ("same", False), ("not-same", False)]
        assert {m.words for m in made[2].mentions} == {collection.mention(id).text for id in pair}
    page.locator(".question .place a").first.click()
    expect(page.locator("#text a.here").first).to_be_in_viewport()


# -- adding and downloading --------------------------------------------------------------------------------------------


def test_files_are_dropped_and_chosen(client: Any, open_at: Open, written: Any, tmp_path: Path) -> None:
    write_corpus(written.annotated("new.txt", "The ferry Maren sank again ."), tmp_path / "new.jsonl")
    page = open_at(client, "/add")
    page.locator("#files").set_input_files(tmp_path / "new.jsonl")
    expect(page.locator("#state")).to_have_text("1 file")
    transfer = page.evaluate_handle(
        "() => { const all = new DataTransfer(); all.items.add(new File(['{\"x'], '<img src=x>.jsonl')); return all; }"
    )
    page.dispatch_event("#drop", "dragenter", {"dataTransfer": transfer})
    expect(page.locator("#drop")).to_have_class("drop over")
    page.dispatch_event("#drop", "dragleave", {"dataTransfer": transfer})
    expect(page.locator("#drop")).to_have_class("drop")
    page.dispatch_event("body", "dragover", {"dataTransfer": transfer})
    page.dispatch_event("body", "drop", {"dataTransfer": transfer})
    expect(page.locator("#state")).to_have_text("2 files")
    assert page.locator("#list li").all_inner_texts() == ["new.jsonl", "<img src=x>.jsonl"]
    page.get_by_label("add it under a new name").check()
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.locator(".state")).to_have_text("Added", timeout=240_000)
    expect(page.locator(".job")).to_contain_text("documents: 1 added")
    expect(page.locator(".problems li")).to_contain_text("<img src=x>.jsonl")
    page.get_by_role("link", name="new.txt").click()
    expect(page.locator("#text")).to_contain_text("The ferry Maren sank again .")


# -- harm --------------------------------------------------------------------------------------------------------------


def test_no_other_script_can_run(steady: Any, browser: Browser, expect_no_script_runs: Callable[[Page], None]) -> None:
    page = browser.new_page()
    page.goto(f"{steady.server.address}/")
    expect_no_script_runs(page)
    page.close()


def test_a_page_of_another_site_can_do_nothing(client: Any, browser: Browser, tmp_path: Path) -> None:
    """A form, a script and a frame of a page that lies elsewhere."""
    (tmp_path / "evil.html").write_text(
        f"""<form id="f" method="post" action="{client.server.address}/corrections/undo"><input name="secret"></form>
        <iframe id="i" src="{client.server.address}/"></iframe>"""
    )
    ferry = client.cluster("ferry")
    client.send("/corrections", action="rename", id=ferry, name="kept")
    page = browser.new_page()
    page.goto((tmp_path / "evil.html").as_uri())
    answers = page.evaluate(
        """(address) => Promise.all([
            fetch(address + '/api/clusters').then((a) => a.text(), () => 'failed'),
            fetch(address + '/api/corrections/1/undo', {method: 'POST', mode: 'no-cors', body: '{}'})
                .then(() => '', () => 'failed'),
        ])""",
        client.server.address,
    )
    assert answers[0] == "failed"
    page.evaluate("document.getElementById('f').submit()")
    expect(page.locator(".lead")).to_have_text("Requests from pages of other sites are refused.")
    page.close()
    assert [bool(c["undone"]) for c in client.get("/api/corrections").json()] == [False]


# -- looks -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("size", "colours"), [("desktop", "light"), ("tablet", "light"), ("phone", "dark")])
def test_accessible_and_never_wider_than_the_screen(asked: Any, open_at: Open, size: str, colours: str) -> None:
    cluster, beside = (one["id"] for one in asked.get("/api/clusters?min_mentions=1").json()["clusters"][:2])
    answer = asked.send("/corrections", action="rename", id=cluster, name="x" * 120, back=f"/clusters/{cluster}")
    page = open_at(asked, answer.headers["location"], size=size, color_scheme=colours)
    background = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    assert (int(background.split("(")[1].split(",")[0]) < 128) == (colours == "dark")
    addresses = (
        "/", f"/clusters/{cluster}?done=1", f"/clusters/{cluster}/same", f"/clusters/{beside}",
        "/document?id=a.txt", "/documents", "/questions",
        "/corrections", "/add", "/download", "/search?query=ferry", "/help", "/nothing",
    )  # fmt: skip
    for address in addresses:
        page.goto(asked.server.address + address)
        assert page.evaluate("document.documentElement.scrollWidth") <= SIZES[size][0], address
        if size != "tablet" and address not in ("/documents", "/help", "/nothing", "/download"):
            assert Axe().run(page).response["violations"] == [], address
    press(page, "?")
    assert Axe().run(page).response["violations"] == []

"""A page of documents that mean harm does nothing but show them, and a page of very many draws only what is in view."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from cdcoref.corpus import KINDS, Corpus, Document, Mention
from cdcoref.predict import Plan, Prediction
from cdcoref.views import write_page

Open = Callable[..., Page]

HOSTILE = [
    "<script>window.harmed = 1</script>",
    "</script><script>window.harmed = 1</script>",
    "<!--<script>",
    "--></script><img src=x onerror='window.harmed = 1'>",
    "<img src=x onerror=window.harmed=1>",
    "\"'><svg onload=window.harmed=1>",
    "]]><![CDATA[",
    "{{ 7 * 7 }}{% raw %}",
    "${window.harmed = 1}`",
    "\\u003cscript\\u003e",
    "javascript:window.harmed=1",
    "&lt;b&gt; &amp; &#60;",
    "line separator \u2028 and \u2029",
    "bell \x07 and nought \x00",
    "turned \u202egro.live around",
    "half a character \ud83d",
]


def test_hostile_text_is_only_shown(open_page: Open) -> None:
    """Every text is the name of two documents, words in them, and the name of a cluster."""
    documents, mentions = [], []
    for text in HOSTILE:
        words = tuple(text.split(" "))
        for n in range(2):
            documents.append(Document.from_sentences(f"{text}{n}", [words, ("It", "sank")], topic=text))
            mentions.append(Mention(f"{text}{n}", tuple(range(len(words))), "entity", text))
    page = open_page(Corpus(tuple(documents), tuple(mentions)))
    content = "nodes => nodes.map(n => n.textContent.replaceAll('\\0', '\\ufffd'))"
    for number in range(len(HOSTILE)):
        page.evaluate(f"location.hash = '#c{number}'")
        [name] = page.locator(".head .id bdi").evaluate_all(content)
        text = next(t for t in HOSTILE if _kept(t) == name)
        assert page.locator(".head h2").evaluate_all(content) == [" ".join(_kept(text).split())]
        assert page.locator(".card h3").evaluate_all(content) == [f"{name}0", f"{name}1"]
        if number % 4:
            continue
        page.locator(".sentence a.m").first.click()
        assert page.locator("#texts a.here").evaluate_all(content)[0] == name
        assert page.locator("#current bdi").evaluate_all(content) == [f"{name}0"]
        page.mouse.move(0, 0)  # the text may have been scrolled until the mention is where the click was
        page.locator("#texts a.here").first.hover()
        expect(page.locator("#tip")).to_be_visible()
    page.locator("#query").fill("sank")
    page.get_by_role("tab", name="Documents").click()
    expect(page.locator("#found")).to_have_text(f"{2 * len(HOSTILE)} of {2 * len(HOSTILE)} documents")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate("window.harmed") is None
    assert page.locator("img, svg, iframe, object, embed, base, link, form:not(#filters, dialog > form)").count() == 0
    assert page.locator("script").count() == 2


def _kept(text: str) -> str:
    """The text with what HTML or UTF-8 cannot hold replaced."""
    return text.replace("\ud83d", "\ufffd").replace("\x00", "\ufffd")


def test_no_other_script_can_run(
    browser: Browser, news: Prediction, tmp_path: Path, expect_no_script_runs: Callable[[Page], None]
) -> None:
    write_page(news, tmp_path / "page.html")
    page = browser.new_page()
    page.goto((tmp_path / "page.html").as_uri())
    expect_no_script_runs(page)
    page.close()


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of 30 documents of 10 stories with 1,500 mentions."""
    chance = random.Random(5)
    words = ["ferry", "sank", "storm", "captain", "police", "island", "museum", "painting", "guard", "coast"]
    documents, mentions = [], []
    for number in range(30):
        sentences = [chance.choices(words, k=12) for _ in range(12)]
        document = Document.from_sentences(f"{number:04}.txt", sentences, subtopic=str(number % 10))
        documents.append(document)
        for start in range(0, 100, 2):
            kind = chance.choice(KINDS)
            name = f"{kind}{number % 10}_{chance.randrange(100)}"
            mentions.append(Mention(document.id, (start, start + 1)[: chance.randint(1, 2)], kind, name))
    groups = tuple(tuple(d.id for d in documents if d.subtopic == str(story)) for story in range(10))
    page = tmp_path_factory.mktemp("archive") / "page.html"
    write_page(Prediction(Corpus(tuple(documents), tuple(mentions)), groups, Plan(30, 10, 3, 0, 0)), page)
    return page


def test_a_large_page_draws_what_is_in_view(open_page: Open, archive: Path) -> None:
    page = open_page(archive)
    assert page.locator(".top p").inner_text().startswith("10 stories · 1,500 mentions")

    def elements() -> int:
        return int(page.evaluate("document.querySelectorAll('*').length"))

    assert elements() < 2_500
    list_of_clusters, texts = page.locator("#cluster-list"), page.locator("#texts")
    for _ in range(10):
        for area in (list_of_clusters, texts):
            area.evaluate("node => { node.scrollTop += 800; return new Promise(requestAnimationFrame); }")
    filled = "node => { const box = node.getBoundingClientRect(); return [0.1, 0.5, 0.9].every((part) => "
    filled += "document.elementFromPoint(box.x + box.width / 2, box.y + box.height * part).closest('.row')); }"
    texts.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert texts.evaluate(filled)
    assert list_of_clusters.evaluate(filled)
    assert elements() < 2_500
    list_of_clusters.focus()
    page.keyboard.press("End")
    last = page.locator("#cluster-list .choice.active")
    assert last.get_attribute("aria-posinset") == last.get_attribute("aria-setsize")
    expect(last).to_be_in_viewport()
    page.evaluate("location.hash = '#m1000'")
    expect(page.locator("#texts a.here").first).to_be_in_viewport()
    page.evaluate("location.hash = '#d29'")
    expect(page.locator("#current")).to_have_text("0029.txt (30 of 30)")
    page.locator("#query").fill("nothing of the kind")
    expect(page.locator("#found")).to_have_text("No cluster matches.")


def test_texts_stay_where_they_are_while_heights_become_known(open_page: Open, archive: Path) -> None:
    page = open_page(archive)
    texts = page.locator("#texts")
    for start in (6_000, 12_000):
        texts.evaluate("(node, top) => { node.scrollTop = top; return new Promise(requestAnimationFrame); }", start)
        first = "node => [...node.querySelectorAll('.row')].find((row) => row.getBoundingClientRect().bottom > 150)"
        place = f"node => {{ const row = ({first})(node); return [row.dataset.row, row.getBoundingClientRect().top]; }}"
        before = texts.evaluate(place)
        for _ in range(3):  # up, where heights are only guessed
            texts.evaluate("node => { node.scrollTop -= 40; return new Promise(requestAnimationFrame); }")
        texts.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        moved = texts.locator(f"[data-row='{before[0]}']").evaluate("row => row.getBoundingClientRect().top")
        assert moved - before[1] == pytest.approx(120, abs=3)


def test_a_cluster_of_very_many_documents_comes_in_portions(open_page: Open) -> None:
    documents = tuple(Document.from_sentences(f"{n}.txt", [["The", "ferry", "sank"]]) for n in range(300))
    page = open_page(Corpus(documents, tuple(Mention(d.id, (2,), "event", "sank") for d in documents)))
    page.locator("#cluster-list .choice").click()
    assert page.locator(".card").count() < 200
    for _ in range(30):
        page.locator("#cluster-scroll").evaluate("node => { node.scrollTop = node.scrollHeight; }")
        page.wait_for_timeout(30)
    expect(page.locator(".card")).to_have_count(300)
    page.locator(".card").last.locator("a.m").click()
    expect(page.locator("#step")).to_have_text("300 of 300")

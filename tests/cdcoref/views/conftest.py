"""What the tests of pages share: a real browser, and corpora written by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.formats import tokenise_text
from cdcoref.predict import Plan, Prediction
from cdcoref.views import write_page

SIZES = {"desktop": (1280, 800), "phone": (390, 844)}
NO_PLAN = Plan(0, 0, 0, 0, 0)

TEXTS = {
    "harbour.txt": "Ferry sinks\n\nThe ferry Maren sank in fog. Ann Dahl, 40, was on the ferry. She swam ashore.",
    "inquiry.txt": "The sinking of the Maren is looked into. Ann Dahl spoke for an hour.",
    "museum.txt": "A painting was stolen. The theft was at night. 🚢 No ferry carried the painting.",
}
CLUSTERS: dict[str, tuple[str, list[tuple[str, str, float]]]] = {
    "sinking": (
        "event",
        [("harbour.txt", "sinks", 0.9), ("harbour.txt", "sank", 0.8), ("inquiry.txt", "sinking", 0.7)],
    ),
    "maren": ("entity", [("harbour.txt", "ferry Maren", 0.7), ("inquiry.txt", "Maren", 0.6)]),
    "dahl": (
        "entity",
        [("harbour.txt", "Ann Dahl", 0.95), ("harbour.txt", "She", 0.55), ("inquiry.txt", "Ann Dahl", 0.9)],
    ),
    "theft": ("event", [("museum.txt", "stolen", 0.4), ("museum.txt", "theft", 0.4)]),
    "painting": ("entity", [("museum.txt", "A painting", 0.8), ("museum.txt", "the painting", 0.8)]),
    "swim": ("event", [("harbour.txt", "swam", 0.5)]),
}


def mention_of(document: Document, words: str, kind: str, cluster: str | None, confidence: float | None) -> Mention:
    """The mention that is the first occurrence of some words."""
    start = document.text.index(words)
    tokens = tuple(n for n, (first, last) in enumerate(document.offsets) if first < start + len(words) and last > start)
    return Mention(document.id, tokens, kind, cluster, confidence=confidence)


@pytest.fixture(scope="session")
def news() -> Prediction:
    """Two documents of one story and one of another; clusters across documents, within one, and a singleton."""
    documents = {name: tokenise_text(text, name) for name, text in TEXTS.items()}
    mentions = [
        mention_of(documents[name], words, kind, cluster, confidence)
        for cluster, (kind, members) in CLUSTERS.items()
        for name, words, confidence in members
    ]
    corpus = Corpus(tuple(documents.values()), tuple(mentions))
    return Prediction(corpus, (("harbour.txt", "inquiry.txt"), ("museum.txt",)), NO_PLAN)


Open = Callable[..., Page]


@contextmanager
def pages(browser: Browser, folder: Path) -> Iterator[Open]:
    """Write a page, open it, and make sure at the end that it asked nothing of a network and had no error.

    A page that is written already is given by its path.
    """
    contexts = []
    opened: set[str] = set()
    wrong: list[str] = []
    requests: list[str] = []

    def open_page(source: Prediction | Corpus | Path, *, size: str = "desktop", at: str = "", **options: Any) -> Page:
        if isinstance(source, Path):
            file = source
        else:
            file = folder / "page.html"
            write_page(source, file)
        opened.add(file.as_uri())
        width, height = SIZES[size]
        context = browser.new_context(
            viewport={"width": width, "height": height}, has_touch=size == "phone", is_mobile=size == "phone", **options
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda message: wrong.append(message.text))
        page.on("dialog", lambda dialog: wrong.append(f"a dialog: {dialog.message}"))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(f"{file.as_uri()}{at}")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert wrong == []
    assert {url.partition("#")[0] for url in requests} <= opened


@pytest.fixture
def open_page(browser: Browser, tmp_path: Path) -> Iterator[Open]:
    """Open pages for one test, as :func:`pages` does."""
    with pages(browser, tmp_path) as open_page:
        yield open_page


@pytest.fixture(scope="module")
def open_shared_page(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Open]:
    """Open pages for all tests of a file, as :func:`pages` does."""
    with pages(browser, tmp_path_factory.mktemp("shared")) as open_page:
        yield open_page

"""Measure a page of many documents in a browser: its size, the time to its first list, and to the results of a query.

The documents are those of Invented Texts with their annotated mentions. Needs Chromium and the extra `test`.

    python scripts/benchmark.py page --documents 500
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from cdcoref.corpora import CorpusFolder
from cdcoref.views import write_page

INVENTED = Path(__file__).resolve().parents[2] / "data" / "invented"
SHOWN = """() => new Promise((done) => {
  const look = () => {
    const there = document.querySelector("#cluster-list .choice") && document.querySelector("#texts .text");
    if (there) requestAnimationFrame(() => done(performance.now()));
    else requestAnimationFrame(look);
  };
  look();
})"""
SEARCH = """(query) => new Promise((done) => {
  const start = performance.now();
  const found = document.getElementById("found");
  const seen = () => requestAnimationFrame(() => done(performance.now() - start));
  new MutationObserver(seen).observe(found, { childList: true });
  const field = document.getElementById("query");
  field.value = query;
  field.dispatchEvent(new Event("input"));
})"""


def write(documents: int, path: Path) -> str:
    """Write a page with the first documents of Invented Texts, and say how many documents and mentions it has."""
    corpus = CorpusFolder.parse(f"invented:{INVENTED}").read("train").corpus
    part = corpus.subset(document.id for document in corpus.documents[:documents])
    write_page(part, path)
    return f"{len(part.documents):,} documents, {len(part.mentions):,} mentions"


def main() -> None:
    """Write a page, open it, print times."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=2000, help="how many documents (default: 2000)")
    parser.add_argument("--times", type=int, default=5, help="how often the page is opened (default: 5)")
    parser.add_argument("--query", default="fire police", help="what is searched for (default: fire police)")
    arguments = parser.parse_args()
    browser_path = shutil.which("chromium") or shutil.which("google-chrome")
    if browser_path is None:
        raise SystemExit("benchmark.py page: no browser was found; install chromium")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = Path(folder) / "page.html"
        print(f"{write(arguments.documents, path)}: {path.stat().st_size / 1e6:.1f} MB")
        browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox", "--disable-gpu"])
        times = [measure(browser.new_page(), path, arguments.query) for _ in range(arguments.times)]
        browser.close()
    for name in times[0]:
        own = [one[name] for one in times]
        print(f"{name}: median {statistics.median(own):,.0f}, slowest {max(own):,.0f}")


def measure(page: Page, path: Path, query: str) -> dict[str, float]:
    """Open the page once; milliseconds."""
    page.goto(path.as_uri(), wait_until="commit")
    shown = page.evaluate(SHOWN)
    searched = [page.evaluate(SEARCH, words) for words in (query, query[:-1])]
    page.close()
    return {"first render, ms": shown, "first search, ms": searched[0], "next search, ms": searched[1]}


if __name__ == "__main__":
    main()

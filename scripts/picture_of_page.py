"""Take the pictures of the documents: a page or an address of `cdcoref serve` in, a PNG of it in a real browser out.

    python scripts/picture_of_page.py /tmp/demo.html --cluster 1 --size 1080x700 -o data/page.png
    python scripts/picture_of_page.py /tmp/news.html --story 5 --size 390x760 --dark -o docs/story-phone.png
    python scripts/picture_of_page.py http://127.0.0.1:8321/questions --press j,j,s --size 800x600 -o docs/serve.png

The first is the page of `cdcoref demo`, the others are of tests/data/newsroom. Needs Chromium and the extra `test`.
"""

from __future__ import annotations

import argparse
import io
import shutil
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

COLOURS = 64


def main() -> None:
    """Open the page, choose a cluster or a story, and save a screenshot."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("page", help="the page, or an address that begins with http://")
    parser.add_argument("-o", "--output", type=Path, required=True, help="the picture")
    parser.add_argument("--cluster", type=int, help="number of the cluster to choose")
    parser.add_argument("--story", type=int, help="number of the story to choose")
    parser.add_argument("--press", default="", help="keys to press one after the other, separated by commas")
    parser.add_argument("--size", default="1080x610", help="width and height in pixels (default: 1080x610)")
    parser.add_argument("--dark", action="store_true", help="in dark colours")
    arguments = parser.parse_args()
    browser_path = next(filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "google-chrome"))), None)
    if browser_path is None:
        raise SystemExit("picture_of_page.py: no browser was found; install chromium")
    address = arguments.page if arguments.page.startswith("http://") else Path(arguments.page).resolve().as_uri()
    width, height = map(int, arguments.size.split("x"))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(
            viewport={"width": width, "height": height}, color_scheme="dark" if arguments.dark else "light"
        )
        page.goto(address)
        if arguments.story is not None:
            page.locator("#tab-stories").click()
            page.locator("#story-list .choice").nth(arguments.story - 1).click()
        if arguments.cluster is not None:
            page.locator("#cluster-list .choice").nth(arguments.cluster - 1).click()
        for key in filter(None, arguments.press.split(",")):
            page.keyboard.press(key)
        page.mouse.move(0, 0)
        page.wait_for_timeout(2000)  # until what scrolls or fades has come to rest
        picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
        browser.close()
    picture.quantize(COLOURS, dither=Image.Dither.NONE).save(arguments.output, optimize=True)
    print(f"{arguments.output}: {arguments.output.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()

"""Take the README's picture: a page of `cdcoref predict -o PAGE.html` in, a PNG of it in a real browser out.

    cdcoref demo --no-open -o /tmp/demo.html && python scripts/picture_of_page.py /tmp/demo.html

Needs Chromium and the extra `test`.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

from playwright.sync_api import sync_playwright

PICTURE = Path(__file__).resolve().parent.parent / "data" / "page.png"


def main() -> None:
    """Open the page, choose a cluster, and save a screenshot."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("page", type=Path, help="the page")
    parser.add_argument("-o", "--output", type=Path, default=PICTURE, help="the picture (default: data/page.png)")
    parser.add_argument("--cluster", type=int, default=2, help="number of the cluster to choose (default: 2)")
    parser.add_argument("--size", default="1080x610", help="width and height in pixels (default: 1080x610)")
    arguments = parser.parse_args()
    browser_path = shutil.which("chromium") or shutil.which("google-chrome")
    if browser_path is None:
        raise SystemExit("picture_of_page.py: no browser was found; install chromium")
    width, height = map(int, arguments.size.split("x"))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": width, "height": height}, color_scheme="light")
        page.goto(arguments.page.resolve().as_uri())
        page.locator("#cluster-list .choice").nth(arguments.cluster - 1).click()
        page.mouse.move(0, 0)
        page.screenshot(path=arguments.output)
        browser.close()
    print(f"{arguments.output}: {arguments.output.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()

"""``cdcoref demo``: the sample included in cdcoref, predicted and shown as a page."""

from __future__ import annotations

import webbrowser
from importlib.resources import as_file, files
from pathlib import Path
from typing import Annotated

import typer

from cdcoref.cli.progress import StageProgress
from cdcoref.errors import InputError
from cdlm.files import check_writable
from cdlm.printing import say

EXAMPLES = ("cdcoref demo", "cdcoref demo --no-open -o page.html")


def demo(
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="HTML page to write; an existing file is replaced.")
    ] = Path("cdcoref-demo.html"),
    open_page: Annotated[
        bool, typer.Option("--open/--no-open", help="Open the page in a browser, or only print its path.")
    ] = True,
) -> None:
    """Run cdcoref on seven sample texts and view the result in a browser."""
    if output.suffix != ".html":
        raise InputError("the page's name must end in .html", output)
    check_writable(output)
    from cdcoref.formats import read_corpus
    from cdcoref.predict import load
    from cdcoref.views import summary, write_page

    with as_file(files("cdcoref") / "sample") as folder:
        loaded = read_corpus(sorted(folder.glob("*.txt")))
    if loaded.problems or not loaded.corpus.documents:
        raise InputError("the sample is missing from this installation; reinstall cdcoref")
    predictor = load()
    with StageProgress() as progress:
        prediction = predictor.predict(loaded.corpus, progress=progress.update)
    write_page(prediction, output, title="The sample: two stories in seven texts")
    say("cdcoref", summary(prediction.counts()))
    print(output.resolve())
    if open_page and not webbrowser.open(output.resolve().as_uri()):
        say("cdcoref", "no browser was found; open this file in one")

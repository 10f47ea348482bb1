"""``cdcoref demo``: the sample included in cdcoref, predicted and shown as a page."""

from __future__ import annotations

import webbrowser
from importlib.resources import as_file, files
from pathlib import Path

from cdcoref.cli.messages import StageProgress, say
from cdcoref.cli.option_groups import option
from cdcoref.errors import InputError
from cdlm.files import check_writable

EXAMPLES = ("cdcoref demo", "cdcoref demo --no-open -o page.html")


def demo(
    output: Path = option(
        Path("cdcoref-demo.html"),
        "HTML page to write; an existing file is replaced.",
        "-o",
        "--output",
        metavar="FILE",
    ),
    open_page: bool = option(True, "Open the page in a browser, or only print its path.", "--open/--no-open"),
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
    say(summary(prediction.counts()))
    print(output.resolve())
    if open_page and not webbrowser.open(output.resolve().as_uri()):
        say("no browser was found; open this file in one")

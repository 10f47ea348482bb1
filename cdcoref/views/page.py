"""Results as one self-contained HTML page. Its content security policy lets only its script run; text from documents is
never part of the HTML: the script puts it on the page as text."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from cdcoref import __version__
from cdcoref.corpus import Corpus
from cdcoref.reports import Results
from cdcoref.views.page_data import page_data
from cdlm.output_file import output_file
from cdlm.printing import counted

if TYPE_CHECKING:
    from jinja2 import Environment

SCRIPTS = (
    *("data.js", "virtual_list.js", "text.js", "search.js", "clusters.js", "reader.js", "cluster.js", "stories.js"),
    "main.js",
)
"""The parts of the script, in order; they share one scope."""
_SURROGATE = re.compile("[\ud800-\udfff]")
"""What UTF-8 cannot encode."""


def write_page(source: Results | Corpus, path: str | Path, *, title: str | None = None) -> None:
    """Write a page that can be opened in a browser, shared and archived."""
    page = page_html(source, title=title)
    with output_file(path) as file:
        file.write(page)


def page_html(source: Results | Corpus, *, title: str | None = None) -> str:
    """The HTML of the page that :func:`write_page` writes."""
    results = Results.of(source)
    counts = results.counts()
    summary = (
        counted(counts.stories, "story", "stories") if counts.stories else "",
        counted(counts.mentions, "mention"),
        f"{counted(counts.across, 'cluster')} across documents",
        f"{counts.within:,} within one document",
    )
    environment = _environment()
    style = shared_style() + environment.get_template("page.css").render()
    parts = "\n".join(environment.get_template(name).render() for name in SCRIPTS)
    script = f"(() => {{\n'use strict';\n{parts}\n}})();\n"
    page = environment.get_template("page.html").render(
        title=title or counted(counts.documents, "document"),
        summary=" · ".join(filter(None, summary)),
        data=page_data(results),
        style=environment.filters["own"](style),
        script=environment.filters["own"](script),
        style_hash=_hash(style),
        script_hash=_hash(script),
        version=__version__,
    )
    return _SURROGATE.sub("\ufffd", page)


def shared_style() -> str:
    """The style sheet of what all pages share: colours, controls, marks of kinds, mentions, cards, dialogs."""
    return _environment().get_template("base.css").render()


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    # Only the style and the script, which are files of this package, are trusted.
    environment = Environment(
        loader=PackageLoader("cdcoref.views"), autoescape=True, undefined=StrictUndefined, keep_trailing_newline=True
    )
    environment.filters["own"] = Markup
    environment.policies["json.dumps_kwargs"] = {"ensure_ascii": False, "separators": (",", ":")}
    return environment


def _hash(text: str) -> str:
    """A source expression of a content security policy that allows exactly this script or style."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"

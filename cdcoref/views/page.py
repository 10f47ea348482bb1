"""A prediction as one HTML page: clusters on the left, texts on the right, in a self-contained file.

In: a :class:`cdcoref.predict.Prediction`, or a corpus whose mentions have clusters. Out: a file that holds its data as
JSON, its style and its script, and uses no network; its content security policy lets only that script run. Text from
documents is never part of the HTML: the script puts it on the page as text.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from cdcoref import __version__
from cdcoref.corpus import Corpus
from cdcoref.formats import output_file
from cdcoref.predict import Counts, Prediction, corpus_and_stories
from cdcoref.views.page_data import page_data, without_surrogates
from cdlm.printing import counted

if TYPE_CHECKING:
    from jinja2 import Environment

SCRIPTS = (
    *("data.js", "virtual_list.js", "text.js", "search.js", "clusters.js", "reader.js", "cluster.js", "stories.js"),
    "main.js",
)
"""The parts of the script, in order; they share one scope."""


def write_page(source: Prediction | Corpus, path: str | Path, *, title: str | None = None) -> None:
    """Write a page that can be opened in a browser, shared and archived.

    Parameters
    ----------
    source
        Documents, mentions and clusters. The stories of a corpus are its subtopics, or else its topics.
    path
        The file to write.
    title
        Its title; by default the number of documents.

    Raises
    ------
    InputError
        If the file cannot be written. An existing file is then left unchanged.
    """
    with output_file(path) as file:
        file.write(page_html(source, title=title))


def page_html(source: Prediction | Corpus, *, title: str | None = None) -> str:
    """The HTML of the page that :func:`write_page` writes."""
    corpus, stories = corpus_and_stories(source)
    counts = Counts.of(corpus, len(stories))
    environment = _environment()
    style = shared_style() + environment.get_template("page.css").render()
    parts = "\n".join(environment.get_template(name).render() for name in SCRIPTS)
    script = f"(() => {{\n'use strict';\n{parts}\n}})();\n"
    return environment.get_template("page.html").render(
        title=without_surrogates(title or counted(counts.documents, "document")),
        summary=_summary(counts),
        data=page_data(corpus, stories),
        style=environment.filters["own"](style),
        script=environment.filters["own"](script),
        style_hash=_hash(style),
        script_hash=_hash(script),
        version=__version__,
    )


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


def _summary(counts: Counts) -> str:
    parts = [
        counted(counts.stories, "story", "stories") if counts.stories else "",
        counted(counts.mentions, "mention"),
        f"{counted(counts.across, 'cluster')} across documents",
        f"{counts.within:,} within one document",
    ]
    return " · ".join(filter(None, parts))

"""The page as a file, without a browser: what is in it, and that nothing in it can be taken for anything else."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.predict import Prediction
from cdcoref.views import page_html, write_page


class Parts(HTMLParser):
    """The tags of a page, and what stands in its scripts and styles."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.raw: dict[str, str] = {}
        self._inside = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag in ("script", "style"):
            self._inside = f"{tag} {dict(attrs).get('id') or ''}".strip()

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.raw[self._inside] = self.raw.get(self._inside, "") + data


def data_of(html: str) -> dict[str, Any]:
    return json.loads(Parts(html).raw["script data"])  # type: ignore[no-any-return]


def test_the_data(news: Prediction) -> None:
    data = data_of(page_html(news))
    assert data["clusters"] == [
        ["sinking", "event", "ferry Maren sank in fog", 80],
        ["dahl", "entity", "Ann Dahl", 80], ["maren", "entity", "ferry Maren", 65],
        ["theft", "event", "painting stolen", 40], ["painting", "entity", "the painting", 80],
        ["swim", "event", "swam", 50],
    ]  # fmt: skip
    name, story, text, borders, *about = data["documents"][2]
    assert about == ["", "", "", []]
    assert (name, story) == ("museum.txt", 2)
    in_units = text.encode("utf-16-le")

    def words(start: int, end: int) -> str:
        return in_units[2 * start : 2 * end].decode("utf-16-le")

    assert [words(*borders[n : n + 2]) for n in (0, 2)] == ["A painting was stolen.", "The theft was at night."]
    columns = data["mentions"]
    found = {
        words(columns["start"][n], columns["end"][n]) for n, d in enumerate(columns["document"]) if d == 2
    }  # fmt: skip
    assert found == {"A painting", "stolen", "theft", "the painting"}


def test_stories_are_reported(news: Prediction) -> None:
    data = data_of(page_html(news))
    first, second = data["stories"]
    assert [number for number, *_ in first["documents"]] == [0, 1]
    (label, about, cluster, sentence, document, _) = first["timeline"][0]
    assert (label, data["clusters"][cluster][0]) == ("ferry Maren sank in fog", "sinking")
    assert "2 documents" in about
    assert sentence in " ".join(data["documents"][document][2].split())
    assert second["about"][0] == "Story 2"


def test_a_corpus_has_a_page_too(news: Prediction, tmp_path: Path) -> None:
    write_page(news.corpus, tmp_path / "x.html", title='<Ships> & "more"')
    html = (tmp_path / "x.html").read_text(encoding="utf-8")
    assert "<title>&lt;Ships&gt; &amp; &#34;more&#34;</title>" in html
    assert [document[1] for document in data_of(html)["documents"]] == [0, 0, 0]
    assert data_of(html)["stories"] == []
    assert not re.search(r"\d stor(y|ies)", html.partition("<script")[0])


def test_nothing_comes_from_elsewhere(news: Prediction) -> None:
    html = page_html(news)
    parts = Parts(html)
    for tag, attributes in parts.tags:
        assert tag not in {"link", "img", "iframe", "base", "object"}
        assert not {"src", "srcset", "style", "onclick", "onload"} & set(attributes)
        assert (attributes.get("href") or "#").startswith("#")
    assert not re.search(r"url\(|@import|https?://", parts.raw["style"] + parts.raw["script"])
    [policy] = [a["content"] for t, a in parts.tags if a.get("http-equiv") == "Content-Security-Policy"]
    assert policy is not None
    for name, directive in (("script", "script-src"), ("style", "style-src")):
        digest = base64.b64encode(hashlib.sha256(parts.raw[name].encode()).digest()).decode()
        assert f"{directive} 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy


@given(st.lists(st.text(st.characters(exclude_categories=())), min_size=3, max_size=3))
def test_any_text_is_data_and_nothing_else(texts: list[str]) -> None:
    text, name, cluster = texts
    whole = ((0, len(text)),)
    document = Document(name, (text,), ((0, 1),), text, whole) if text else Document(name, (), (), "", ())
    mentions = (Mention(name, (0,), "event", cluster),) if text else ()
    html = page_html(Corpus((document,), mentions))
    plain = page_html(Corpus((Document.from_sentences("a", [["b"]]),)))
    assert [tag for tag, _ in Parts(html).tags] == [tag for tag, _ in Parts(plain).tags]
    data = data_of(html.encode().decode())
    expected = re.sub("[\ud800-\udfff]", "\ufffd", text)
    assert data["documents"][0][:1] == [re.sub("[\ud800-\udfff]", "\ufffd", name)]
    assert data["documents"][0][2] == expected
    if text:
        units = len(expected.encode("utf-16-le")) // 2
        assert (data["mentions"]["start"], data["mentions"]["end"]) == ([0], [units])
        assert data["clusters"][0][0] == re.sub("[\ud800-\udfff]", "\ufffd", cluster)


def test_discontinuous_mentions_keep_their_parts() -> None:
    document = Document.from_sentences("a", [["took", "it", "off"]])
    data = data_of(page_html(Corpus((document,), (Mention("a", (1,), "entity"), Mention("a", (0, 2), "event")))))
    assert data["mentions"]["parts"] == [[0, [[0, 4], [8, 11]]]]
    assert (data["mentions"]["start"], data["mentions"]["end"]) == ([0, 5], [11, 7])


def test_the_page_has_what_is_known_about_documents() -> None:
    metadata = {"title": "Ferry sinks", "date": "2024-03-05", "source": "AP", "author": ["A. Lee", "B. Ray"]}
    first = replace(Document.from_sentences("a", [["It", "sank", "."]]), metadata={**metadata, "url": "https://x.y/"})
    second = replace(Document.from_sentences("b", [["Ferry", "sinks"]]), metadata={**metadata, "url": "javascript:1"})
    documents = data_of(page_html(Corpus((first, second))))["documents"]
    about = "2024-03-05 · AP · A. Lee, B. Ray"
    assert [entry[4:] for entry in documents] == [["Ferry sinks", about, "https://x.y/", []], ["", about, "", []]]

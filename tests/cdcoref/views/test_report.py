"""The report in Markdown: what it says of stories and clusters."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.errors import InputError
from cdcoref.formats import read_corpus, tokenise_text
from cdcoref.predict import Plan, Prediction
from cdcoref.views import story_report, write_report, write_result

TEXTS = {
    "a": (
        "Mr. Vell left Athens on 5 March 2024. He fled by ferry.",
        {"title": "Vell flees", "source": "AP", "date": "2024-03-06"},
    ),
    "b": (
        "Tomas Vell fled from Athens. The flight was long.",
        {"url": "https://x.y/b", "author": "Ann Lee", "title": "The *end* | of it"},
    ),
}
MENTIONS = (
    ("a", "Mr. Vell", "entity", "vell"), ("a", "He", "entity", "vell"), ("b", "Tomas Vell", "entity", "vell"),
    ("a", "left", "event", "flight"), ("a", "fled", "event", "flight"), ("b", "fled", "event", "flight"),
    ("b", "flight", "event", "flight"), ("a", "Athens", "entity", "athens"), ("b", "Athens", "entity", "athens"),
    ("a", "ferry", "entity", "alone"),
)  # fmt: skip


@pytest.fixture
def news() -> Prediction:
    """Two documents of one story: somebody flees from a city."""
    documents = {
        id: replace(tokenise_text(text, id), metadata=metadata, found=frozenset())
        for id, (text, metadata) in TEXTS.items()
    }
    mentions = []
    for id, words, kind, cluster in MENTIONS:
        document = documents[id]
        start = document.text.index(words)
        tokens = [n for n, (a, b) in enumerate(document.offsets) if a < start + len(words) and b > start]
        mentions.append(Mention(id, tuple(tokens), kind, cluster, confidence=0.5))
    corpus = Corpus(tuple(documents.values()), tuple(mentions))
    return Prediction(corpus, (("a", "b"),), Plan(2, 1, 2, 1, 0))


def test_a_report_of_a_story(news: Prediction, tmp_path: Path) -> None:
    write_report(news, tmp_path / "x.md")
    text = (tmp_path / "x.md").read_text()
    assert "## Story 1: Vell flees" in text
    assert "| 2024-03-06 | AP | Vell flees | a |" in text
    assert "\nWho: Tomas Vell  \nWhen: 5 March 2024\n" in text
    assert (
        "### Timeline\n\n- **Mr. Vell left Athens** (5 March 2024; 2 documents)  \n"
        "  “Mr. Vell left Athens on 5 March 2024.” (a)\n" in text
    )
    assert "**Tomas Vell**" in text or "**Mr. Vell**" in text
    assert "alone" not in text
    assert read_corpus([tmp_path]).corpus.documents == ()
    with pytest.raises(InputError, match="a report that cdcoref wrote"):
        raise InputError(read_corpus([tmp_path / "x.md"]).problems[0])
    rest = "\n".join(story_report(Corpus(news.corpus.documents, news.corpus.mentions)))
    assert "## Documents: Vell flees" in rest
    assert "## Documents: The \\*end\\* \\| of it" in "\n".join(story_report(news.corpus.subset(["b"])))
    assert "### Where documents disagree" not in text


def test_a_report_shows_entities_as_the_text_has_them() -> None:
    from markdown_it import MarkdownIt

    document = tokenise_text("It sank.", "a&amp;b")
    report = "\n".join(story_report(Corpus((replace(document, metadata={"title": "A &amp; B"}),))))
    page = MarkdownIt("commonmark").enable("table").render(report)
    assert "A &amp;amp; B" in page
    assert "a&amp;amp;b" in page


@pytest.mark.parametrize("name", ["x.json", "x.jsonl", "x.jsonl.gz"])
def test_what_is_read_back_has_the_same_stories_and_report(news: Prediction, tmp_path: Path, name: str) -> None:
    write_result(news, tmp_path / name)
    again = read_corpus(tmp_path / name).corpus
    report = "\n".join(story_report(again))
    assert report == "\n".join(story_report(news))
    assert "# 2 documents in 1 story" in report


def test_a_report_shows_where_documents_disagree(tmp_path: Path) -> None:
    documents = [tokenise_text(f"The storm killed {number} people.", f"{number}.txt") for number in (31, 47)]
    mentions = [Mention(document.id, (2,), "event", "killing") for document in documents]
    corpus = Corpus(tuple(documents), tuple(mentions))
    text = "\n".join(story_report(Prediction(corpus, (("31.txt", "47.txt"),), Plan(2, 1, 2, 1, 0))))
    assert (
        "### Where documents disagree\n\n- **storm killed 31 people**: number\n"
        "    - 31 people: “The storm killed 31 people.” (31.txt)\n"
        "    - 47 people: “The storm killed 47 people.” (47.txt)"
    ) in text
    apart = "\n".join(story_report(corpus))
    assert "disagree" not in apart, "documents of no known story are not compared"
    assert "Where:" not in apart


@pytest.mark.parametrize("name", ["x.md", "x.md.gz"])
def test_it_is_written_by_the_end_of_its_name(news: Prediction, tmp_path: Path, name: str) -> None:
    assert write_result(news, tmp_path / name) == ()
    assert (tmp_path / name).stat().st_size > 100
    assert write_result(Corpus(()), tmp_path / name) == ()


@example(words="", id="")
@given(st.text(max_size=8), st.text(max_size=8))
def test_any_words_are_written(words: str, id: str) -> None:
    document = Document.from_sentences(id, [[words, words]])
    corpus = Corpus((document,), tuple(Mention(id, (n,), "entity", words) for n in range(2)))
    assert list(story_report(corpus))

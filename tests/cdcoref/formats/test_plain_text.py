"""Plain text to tokens and sentences, with offsets into the text as it was given."""

from __future__ import annotations

from html import unescape
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdcoref.corpus import Document
from cdcoref.errors import InputError
from cdcoref.formats import read_text, tokenise_text
from tests.tables import cases

LONGEST_SENTENCE = 200
"""In tokens."""


def sentences(text: str) -> list[str]:
    document = tokenise_text(text, "d")
    return [" ".join(document.tokens[start:end]) for start, end in document.sentences]


def check_consistency(document: Document) -> None:
    """Offsets point at the tokens, in order, and sentences cover them."""
    assert [document.text[start:end] for start, end in document.offsets] == list(document.tokens)
    borders = [border for offset in document.offsets for border in offset]
    assert borders == sorted(borders)
    assert all(token.strip() for token in document.tokens)
    assert [n for start, end in document.sentences for n in range(start, end)] == list(range(len(document.tokens)))
    assert all(0 < end - start <= LONGEST_SENTENCE for start, end in document.sentences)


@given(st.text(alphabet=st.sampled_from("aB.?!\"' \n\t\r-(),1é漢\u00a0\u200b😀"), max_size=200))
def test_every_text_gets_consistent_offsets(text: str) -> None:
    document = tokenise_text(text, "d")
    check_consistency(document)
    # Nothing but white space is outside of the tokens.
    covered = {n for start, end in document.offsets for n in range(start, end)}
    assert all(text[n].isspace() for n in range(len(text)) if n not in covered)


def test_words_of_news_text() -> None:
    document = tokenise_text("Sgt. O'Neil didn't see the U.S. ex-minister's $5.2 million—or 6.1-magnitude quake.", "d")
    assert " ".join(document.tokens) == (
        "Sgt. O'Neil did n't see the U.S. ex-minister 's $ 5.2 million — or 6.1-magnitude quake ."
    )


@pytest.mark.parametrize(("text", "expected"), cases(__file__, "sentences.tsv", "expected"))
def test_sentences_by_rule(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


def test_blank_line_and_headline_end_a_sentence() -> None:
    text = "Bridge falls into canal\nA bridge fell on Monday\nand nobody was hurt\n\nNext story"
    assert sentences(text) == ["Bridge falls into canal", "A bridge fell on Monday and nobody was hurt", "Next story"]


def test_line_breaks_forced_by_the_page_do_not_end_a_sentence() -> None:
    text = (
        "Strike ends\n"
        "Drivers of the eastern bus company will go back to work on Monday, said\n"
        "Maria Gallo, who leads the union, after eleven hours of talks that were\n"
        "held in a hotel near the depot.\n"
    )
    assert [s.split()[0] for s in sentences(text)] == ["Strike", "Drivers"]


def test_line_breaks_of_long_lines_end_a_sentence() -> None:
    line = "The council of the town voted on a plan for the old harbour that had been in the making for years " * 2
    assert len(sentences(f"Council votes\n{line}\nAnother line without a full stop\n{line}")) == 4


def test_long_sentence_is_cut_after_a_comma_else_at_the_bound() -> None:
    words = ["word"] * 1000
    assert {end - start for start, end in tokenise_text(" ".join(words), "d").sentences} == {LONGEST_SENTENCE}
    words[149] = "word,"
    first = tokenise_text(" ".join(words), "d").sentences[0]
    assert first == (0, 151)  # the comma is a token of its own


def test_windows_line_ends_and_lone_carriage_returns_keep_offsets() -> None:
    document = tokenise_text("Head line\r\n\r\nA man left.\r\nHe fell.", "d")
    check_consistency(document)
    assert len(document.sentences) == 3
    assert document.line_of(document.offsets[-1][0]) == 4


def test_large_documents_are_linear() -> None:
    # Each of these takes minutes where one step is quadratic.
    for text in ("word " * 60_000, "(" * 100_000, "a.b(" * 100_000, "\n" * 300_000, "A b\n" * 20_000, "é" * 300_000):
        check_consistency(tokenise_text(text, "d"))


def test_a_named_pipeline_finds_the_sentences(tmp_path: Path) -> None:
    import spacy

    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer", config={"punct_chars": [";"]})
    nlp.to_disk(tmp_path / "pipeline")
    document = tokenise_text("one. two; three\n\nfour", "d", str(tmp_path / "pipeline"))
    assert [document.tokens[start:end] for start, end in document.sentences] == [
        ("one", ".", "two", ";"),
        ("three",),
        ("four",),
    ]


def test_a_pipeline_that_is_not_installed_is_said() -> None:
    with pytest.raises(InputError, match="python -m spacy download xx_no_such_pipeline"):
        tokenise_text("text", "d", "xx_no_such_pipeline")


@pytest.mark.parametrize(("name", "content", "what"), cases(__file__, "no_prose.tsv", "content"))
def test_annotation_and_markup_are_no_prose(tmp_path: Path, name: str, content: str, what: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(InputError, match=what):
        read_text(tmp_path / name)


@pytest.mark.parametrize("content", cases(__file__, "prose.tsv", "content"))
def test_a_stray_tag_is_prose(tmp_path: Path, content: str) -> None:
    (tmp_path / "x.txt").write_text(content)
    assert read_text(tmp_path / "x.txt").tokens


@pytest.mark.parametrize(("text", "words"), cases(__file__, "markup.tsv", "words"))
def test_tags_are_no_words_and_entities_are_characters(tmp_path: Path, text: str, words: list[str]) -> None:
    (tmp_path / "a.txt").write_bytes(text.encode())
    document = read_text(tmp_path / "a.txt")
    assert document.text == text + "\n"
    assert [document.text[start:end] for start, end in document.offsets] == words
    assert document.tokens == tuple(unescape(unescape(word)) for word in words)

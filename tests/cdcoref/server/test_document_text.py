"""A document as paragraphs of links and text; snippets and days."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cdcoref.collection import Collection, DocumentPage
from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.formats import tokenise_text
from cdcoref.server.document_text import day, document_address, paragraphs, snippet_parts
from cdcoref.server.downloads import KINDS_OF_FILES
from cdcoref.views import result_suffixes


@pytest.fixture
def page_of(tmp_path: Path) -> Any:
    """A document's page, of a collection with it and its mentions."""

    def page_of(document: Document, *mentions: Mention) -> DocumentPage:
        with Collection.create(tmp_path / "x.cdcoref", "lemma") as collection:
            collection.add(Corpus((document,), mentions))
            return collection.document(document.id)

    return page_of


def test_lines_are_paragraphs_and_nothing_is_lost(page_of: Any) -> None:
    text = "  A headline\n\nThe ferry sank.  It was\nold; the captain said so. 🚢 Then\r\nno more.\n\n"
    document = tokenise_text(text, "a")
    tokens = {word: n for n, word in enumerate(document.tokens)}
    mentions = (
        Mention("a", (tokens["ferry"],), "entity", confidence=0.9),
        Mention("a", (tokens["old"],), None),
        Mention("a", (tokens["captain"], tokens["said"], tokens["so"]), "event"),
        Mention("a", (tokens["captain"],), "entity"),
    )
    found = paragraphs(page_of(document, *mentions))
    lines = ["".join(piece.text for piece in paragraph.pieces) for paragraph in found]
    assert [line.strip() for line in lines] == [
        "A headline", "The ferry sank.  It was", "old; the captain said so. 🚢 Then", "no more.",
    ]  # fmt: skip
    marked = [(p.text, p.lines[-1].kind, len(p.lines)) for paragraph in found for p in paragraph.pieces if p.lines]
    assert marked == [("ferry", "entity", 1), ("old", "other", 1), ("captain", "entity", 2), (" said so", "event", 1)]
    assert [paragraph.depth for paragraph in found] == [0, 1, 2, 0]
    captain = next(p for paragraph in found for p in paragraph.pieces if p.text == "captain")
    assert [line.level for line in captain.lines] == [1, 0]
    assert captain.anchors == captain.mentions
    assert next(p for paragraph in found for p in paragraph.pieces if p.text == " said so").anchors == ()


def test_mentions_across_lines_and_sentences(page_of: Any) -> None:
    document = Document.from_sentences("a", [["The", "old"], ["ferry", "sank"]])
    mention = Mention("a", (1, 2), "entity")
    one, other = paragraphs(page_of(document, mention))
    assert [(p.text, len(p.lines)) for p in (*one.pieces, *other.pieces)] == [
        ("The ", 0), ("old", 1), ("ferry", 1), (" sank", 0),
    ]  # fmt: skip
    assert [p.anchors for p in (*one.pieces, *other.pieces) if p.mentions] == [one.pieces[1].mentions, ()]


def test_a_document_of_many_mentions_in_one_line(page_of: Any) -> None:
    document = Document.from_sentences("a", [[f"w{n}" for n in range(4000)]])
    mentions = [Mention("a", tuple(range(n, n + 3)), "entity") for n in range(0, 3997)]
    (paragraph,) = paragraphs(page_of(document, *mentions))
    assert "".join(piece.text for piece in paragraph.pieces) == document.text
    assert 3 <= paragraph.depth <= 5


def test_empty_documents(page_of: Any) -> None:
    assert paragraphs(page_of(Document("a", (), (), "", ()))) == []
    assert paragraphs(page_of(Document("b", (), (), " \n \n", ()))) == []


def test_snippets_days_and_addresses() -> None:
    assert snippet_parts("a \x02b\x03 c \x02d\x03") == [("a ", False), ("b", True), (" c ", False), ("d", True)]
    assert snippet_parts("\x03a\x02b") == [("ab", False)]
    assert day("2024-12-01") == "1 December 2024"
    assert document_address("a b/&?#.txt") == "/document?id=a+b%2F%26%3F%23.txt"
    assert document_address("a", "m3") == "/document?id=a&mention=m3#m3"


def test_every_kind_of_file_is_offered() -> None:
    assert {f".{kind}" for kind in KINDS_OF_FILES} == set(result_suffixes())

"""A document's page: its text as paragraphs of links and text; snippets, days and addresses; files that are offered."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib import import_module

import lxml.html
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdcoref.collection import Collection
from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.formats import tokenise_text
from cdcoref.views import result_suffixes
from tests.cdcoref.server.conftest import Client, served


@dataclass
class Piece:
    """Words, the kind and level of the line of each mention that covers them, and the ids of mentions."""

    text: str
    lines: tuple[tuple[str, int], ...] = ()
    mentions: tuple[str, ...] = ()
    anchors: tuple[str, ...] = ()


TEXT = "  A headline\n\nThe ferry sank.  It was\nold; the captain said so. 🚢 Then\r\nno more.\n\n"
HOSTILE = "a b/&?#.txt"


def collected() -> Corpus:
    """Documents of one case each, and their mentions."""
    lines = tokenise_text(TEXT, "lines")
    tokens = {word: n for n, word in enumerate(lines.tokens)}
    across = Document.from_sentences("across", [["The", "old"], ["ferry", "sank"]])
    many = Document.from_sentences("many", [[f"w{n}" for n in range(1500)]])
    marked = tokenise_text("It saw a \x02zebra\x03 and \x03one\x02 more.", HOSTILE)
    dated = replace(marked, metadata={"date": "2024-12-01"})
    empty = (Document("empty", (), (), "", ()), Document("blank", (), (), " \n \n", ()))
    mentions = (
        Mention("lines", (tokens["ferry"],), "entity", confidence=0.9),
        Mention("lines", (tokens["old"],), None),
        Mention("lines", (tokens["captain"], tokens["said"], tokens["so"]), "event"),
        Mention("lines", (tokens["captain"],), "entity"),
        Mention("across", (1, 2), "entity"),
        *(Mention("many", tuple(range(n, n + 3)), "entity") for n in range(1498)),
        Mention(HOSTILE, (0,), "entity"),
    )
    return Corpus((lines, across, many, dated, *empty), mentions)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """All of these documents, served."""
    path = tmp_path_factory.mktemp("texts") / "x.cdcoref"
    with Collection.create(path, "lemma") as collection:
        collection.add(collected())
    with served(path) as client:
        yield client


def paragraphs(client: Client, id: str) -> list[tuple[int, list[Piece]]]:
    """The paragraphs of a document's page, each with how many lines there are below each other."""
    found = []
    for paragraph in lxml.html.fromstring(client.html(f"/document?id={id}")).xpath("//p[starts-with(@class, 'text')]"):
        pieces = [Piece(paragraph.text)] if paragraph.text else []
        anchors: list[str] = []
        for part in paragraph:
            if part.get("class") == "anchor":
                anchors.append(part.get("id"))
            else:
                styles = [span.get("class").split() for span in part.iter("span")]
                lines = tuple((kind, int(level[1:])) for _, kind, _, level in styles)
                mentions = tuple(part.get("data-mentions").split())
                pieces.append(Piece(part.text_content(), lines, mentions, tuple(anchors)))
                anchors = []
            if part.tail:
                pieces.append(Piece(part.tail))
        found.append((int(paragraph.get("class").removeprefix("text d")), pieces))
    return found


def test_lines_are_paragraphs_and_nothing_is_lost(client: Client) -> None:
    found = paragraphs(client, "lines")
    lines = ["".join(piece.text for piece in pieces) for _, pieces in found]
    assert [line.strip() for line in lines] == [
        "A headline", "The ferry sank.  It was", "old; the captain said so. 🚢 Then", "no more.",
    ]  # fmt: skip
    pieces = [piece for _, pieces in found for piece in pieces if piece.lines]
    assert [(p.text, p.lines) for p in pieces] == [
        ("ferry", (("entity", 0),)),
        ("old", (("other", 0),)),
        ("captain", (("event", 1), ("entity", 0))),
        (" said so", (("event", 1),)),
    ]
    assert [depth for depth, _ in found] == [0, 1, 2, 0]
    assert pieces[2].anchors == pieces[2].mentions
    assert pieces[3].anchors == ()


def test_mentions_across_lines_and_sentences(client: Client) -> None:
    (_, one), (_, other) = paragraphs(client, "across")
    assert [(p.text, len(p.lines)) for p in (*one, *other)] == [("The ", 0), ("old", 1), ("ferry", 1), (" sank", 0)]
    assert [p.anchors for p in (*one, *other) if p.mentions] == [one[1].mentions, ()]


def test_a_document_of_many_mentions_in_one_line(client: Client) -> None:
    ((depth, pieces),) = paragraphs(client, "many")
    assert "".join(piece.text for piece in pieces) == " ".join(f"w{n}" for n in range(1500))
    assert 3 <= depth <= 5
    assert max(len(piece.lines) for piece in pieces) == 3


def test_empty_documents(client: Client) -> None:
    for id in ("empty", "blank"):
        assert paragraphs(client, id) == []
        assert "This document is empty." in client.html(f"/document?id={id}")


def test_snippets_days_and_addresses(client: Client) -> None:
    (snippet,) = lxml.html.fromstring(client.html("/search?query=zebra")).xpath("//p[@class='snippet']")
    assert [(part.tag, part.text, part.tail) for part in snippet] == [("mark", "zebra", " and one more.")]
    assert snippet.text == "It saw a "
    page = client.html("/documents")
    assert '<time datetime="2024-12-01">1 December 2024</time>' in page
    assert 'href="/document?id=a+b%2F%26%3F%23.txt"' in page
    mention = client.id(HOSTILE, "It")
    with Collection.open(client.path) as collection:
        cluster = collection.mention(mention).cluster
    address = f"/document?id=a+b%2F%26%3F%23.txt&amp;mention={mention}#{mention}"
    assert f'href="{address}"' in client.html(f"/clusters/{cluster}")


def test_every_kind_of_file_is_offered(client: Client) -> None:
    links = lxml.html.fromstring(client.html("/download")).xpath("//ul//a[@download]")
    assert {link.get("href").removeprefix("/api/export/") for link in links} == {s[1:] for s in result_suffixes()}
    assert {link.text_content() for link in links} == set(result_suffixes())


marked_text = import_module("cdcoref.server.document_text").marked_text
RANGES = st.tuples(st.integers(0, 30), st.integers(1, 12)).map(lambda place: (place[0], place[0] + place[1]))


def test_nested_and_overlapping() -> None:
    text = "The captain of the old ferry sank it"
    nested = [[(0, 28)], [(15, 28)], [(19, 33)]]
    assert marked_text(text, 0, len(text), nested) == [
        ("The captain of ", ((0, 2),)), ("the ", ((1, 0), (0, 2))), ("old ferry", ((1, 0), (2, 1), (0, 2))),
        (" sank", ((2, 1),)), (" it", ()),
    ]  # fmt: skip


def test_parts_and_a_stretch() -> None:
    assert marked_text("took it off now", 5, 15, [[(0, 4), (8, 11)]]) == [
        ("it ", ()), ("off", ((0, 0),)), (" now", ()),
    ]  # fmt: skip
    assert marked_text("", 0, 0, []) == []


@given(st.lists(RANGES, max_size=8), RANGES)
def test_the_text_is_kept_and_mentions_share_no_line(ranges: list[tuple[int, int]], stretch: tuple[int, int]) -> None:
    text = "".join(chr(97 + n % 26) for n in range(50))
    start, end = stretch
    runs = marked_text(text, start, end, [[part] for part in ranges])
    assert "".join(words for words, _ in runs) == text[start:end]
    at = start
    for words, marks in runs:
        covering = {n for n, (first, last) in enumerate(ranges) if first <= at < last}
        assert {number for number, _ in marks} == covering
        levels = [level for _, level in marks]
        assert levels == sorted(set(levels))
        at += len(words)

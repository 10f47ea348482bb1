"""Texts with mentions replaced: which word takes a pronoun's place, and what stays as it is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.errors import InputError
from cdcoref.formats import read_corpus, tokenise_text
from cdcoref.views import resolved_texts, write_resolved


def marked(*texts: str, names: Mapping[str, str] | None = None) -> Corpus:
    """Documents in which ``[words]c`` is an entity mention of cluster c."""
    documents, mentions = [], []
    for number, text in enumerate(texts):
        plain, spans, start = "", [], 0
        for piece in text.split("["):
            words, closing, rest = piece.partition("]")
            if closing:
                spans.append((len(plain), len(plain) + len(words), rest[0]))
                plain += words + rest[1:]
            else:
                plain += piece
        document = tokenise_text(plain, str(number))
        documents.append(document)
        for start, end, cluster in spans:
            tokens = [n for n, (a, b) in enumerate(document.offsets) if a < end and b > start]
            mentions.append(Mention(document.id, tuple(tokens), "entity", cluster))
    return Corpus(tuple(documents), tuple(mentions), names={("entity", c): name for c, name in (names or {}).items()})


@pytest.mark.parametrize(
    ("text", "resolved"),
    [
        (
            "[Ann Lee]a left. [She]a fell, and [her]a dog saw [her]a.",
            "Ann Lee left. Ann Lee fell, and Ann Lee's dog saw Ann Lee.",
        ),
        ("[Ann]a gave [her]a the book that was [hers]a.", "Ann gave Ann the book that was Ann's."),
        ("[Ann]a hurt [herself]a. [I]a fell, said [Ann]a.", "Ann hurt herself. I fell, said Ann."),
        (
            "A [ferry]f sank. [It]f burnt, and [its]f crew swam.",
            "A ferry sank. The ferry burnt, and the ferry's crew swam.",
        ),
        ("[A boy]b ran. [He]b fell.", "A boy ran. The boy fell."),
        (
            "[The passengers]p swam. [They]p lost [their]p bags.",
            "The passengers swam. The passengers lost the passengers' bags.",
        ),
        (
            "[Prosecutors]p came. [They]p left. A man saw [them]p.",
            "Prosecutors came. The prosecutors left. A man saw the prosecutors.",
        ),
        ("[He]x left, and [his]x dog.", "He left, and his dog."),
        ("[Ann]a left, [who]a fell. [She]s left.", "Ann left, who fell. She left."),
        (
            "The [Saudis]s left. [They]s took [their]s oil. The [Saudis]s smiled.",
            "The Saudis left. The Saudis took the Saudis' oil. The Saudis smiled.",
        ),
        (
            "THE [PLANT]p TO CLOSE IN TRESK.\nThe [plant]p is old. [It]p made steel.",
            "THE PLANT TO CLOSE IN TRESK.\nThe plant is old. The plant made steel.",
        ),
        (
            '[Ann Lee]a left. "[She]a was ill," said Bo. "I saw [her]a dog."',
            'Ann Lee left. "[Ann Lee] was ill," said Bo. "I saw [Ann Lee\'s] dog."',
        ),
        (
            "[Solveig Aas]s won. [Her]s party and [Bay Foods]b won. [Its]b plants stay.",
            "Solveig Aas won. Solveig Aas's party and Bay Foods won. Bay Foods' plants stay.",
        ),
        ("[James]j left. [His]j dog fell.", "James left. James's dog fell."),
    ],
)
def test_pronouns(text: str, resolved: str) -> None:
    assert resolved_texts(marked(text))["0"] == resolved


@pytest.mark.parametrize(
    ("text", "resolved"),
    [
        (
            "[Tomas Vell]v left. The [captain]v fell. [Vell]v's dog ran.",
            "Tomas Vell left. Tomas Vell fell. Tomas Vell's dog ran.",
        ),
        ("[Tomas Vell]v left. [The captain's]v dog fell.", "Tomas Vell left. Tomas Vell's dog fell."),
        (
            "[The ferry]f sank. [The ferry]f burnt. The [ship]f was old.",
            "The ferry sank. The ferry burnt. The ferry was old.",
        ),
        ("[Tomas Vell]v left. [The captain of [the ferry]f]v fell.", "Tomas Vell left. Tomas Vell fell."),
        (
            "The [coach]v [Tomas Vell]v left. Police saw [Tomas Vell]v, the [captain]v. A [sailor]v fell.",
            "The coach Tomas Vell left. Police saw Tomas Vell, the captain. A sailor fell.",
        ),
        (
            "[Bay Foods]b grew. The two [companies]b said [Bay]b Foods grew. Our [Bay Foods]b is the [leader]b.",
            "Bay Foods grew. The two companies said Bay Foods grew. Our Bay Foods is the leader.",
        ),
        (
            "The passenger [ferry]f sank. [Sea Lark]f burnt. The [ferry]f was old.",
            "The passenger ferry sank. Sea Lark burnt. Sea Lark was old.",
        ),
    ],
)
def test_all_mentions(text: str, resolved: str) -> None:
    corpus = marked(text.replace("[The captain of [the ferry]f]v", "[The captain of the ferry]v"))
    assert resolved_texts(corpus, "all")["0"] == resolved


def test_names_come_from_all_documents_and_from_people() -> None:
    corpus = marked("[He]v was held. [The captain]v fell.", "[Tomas Vell]v left. [Tomas Vell]v swam.")
    assert resolved_texts(corpus)["0"] == "Tomas Vell was held. The captain fell."
    named = marked("[He]v was held. [The captain]v fell.", names={"v": "Captain Vell"})
    assert resolved_texts(named)["0"] == "Captain Vell was held. The captain fell."


def test_events_and_gaps_stay() -> None:
    document = Document.from_sentences("a", [["It", "happened", ";", "it", "was", "it"]])
    events = tuple(Mention("a", (n,), "event", "c") for n in (0, 3))
    broken = (Mention("a", (3, 5), "entity", "c"), Mention("a", (5,), "entity", "c"))
    assert resolved_texts(Corpus((document,), events + broken))["a"] == document.text
    with pytest.raises(InputError, match="choose pronouns or all"):
        resolved_texts(Corpus((document,)), "none")  # type: ignore[arg-type]


def test_a_folder_of_texts(tmp_path: Path) -> None:
    corpus = marked("[Ann]a left. [She]a fell.", "Nobody.")
    folder = tmp_path / "texts"
    for replaced in ("pronouns", "all"):  # a folder that cdcoref wrote is replaced
        write_resolved(corpus, folder, replaced)  # type: ignore[arg-type]
        assert {path.name: path.read_text() for path in folder.glob("*.txt")} == {
            "0.txt": "Ann left. Ann fell.",
            "1.txt": "Nobody.",
        }
    assert [json.loads(line)["file"] for line in (folder / ".cdcoref.jsonl").open()] == ["0.txt", "1.txt"]
    assert len(read_corpus([folder]).corpus.documents) == 2
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "precious.txt").write_text("x")
    with pytest.raises(InputError, match="did not write"):
        write_resolved(corpus, tmp_path / "own")
    assert [path.name for path in (tmp_path / "own").iterdir()] == ["precious.txt"]
    with pytest.raises(InputError, match="this is a file"):
        write_resolved(corpus, tmp_path / "own" / "precious.txt")

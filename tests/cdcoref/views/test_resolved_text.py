"""Texts with pronouns replaced: which word takes a pronoun's place, and what stays as it is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.errors import InputError
from cdcoref.formats import read_corpus, tokenise_text
from cdcoref.views import resolved_texts, write_resolved
from tests.tables import cases


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


@pytest.mark.parametrize(("text", "resolved"), cases(__file__, "pronouns.tsv", "text", "resolved"))
def test_pronouns(text: str, resolved: str) -> None:
    assert resolved_texts(marked(text))["0"] == resolved


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


def test_empty_nodes_without_a_form_are_not_in_the_text(tmp_path: Path) -> None:
    rows = ("1 Ann 1", "2 left 0", "2.1 _ 1", "3 . 0", "", "0.1 _ 1", "1 Ran 0", "2 _ 1", "2.1 she 1", "2.2 _ 1")
    lines = [row and row.replace(" ", "\t", 1).split(" ")[0] + "\t_" * 7 for row in rows]
    cells = ["" if not row else "\tEntity=(e1-person-1-)" if row.endswith("1") else "\t_" for row in rows]
    head = "# newdoc id = a\n# global.Entity = eid-etype-head-other\n"
    (tmp_path / "a.conllu").write_text(head + "\n".join(map("".join, zip(lines, cells, strict=True))) + "\n\n")
    assert resolved_texts(read_corpus([tmp_path / "a.conllu"]).corpus) == {"a": "Ann left .\nRan _ Ann"}


def test_a_folder_of_texts(tmp_path: Path) -> None:
    corpus = marked("[Ann]a left. [She]a fell.", "Nobody.")
    folder = tmp_path / "texts"
    for _ in range(2):  # a folder that cdcoref wrote is replaced
        write_resolved(corpus, folder)
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

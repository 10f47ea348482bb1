"""MEANTIME as it is distributed: which mentions count, their clusters across documents, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from cdcoref.corpora import CORPORA
from cdcoref.corpus import ENTITY, EVENT, Mention
from cdcoref.errors import InputError

MEANTIME = CORPORA["meantime"]

SENTENCES = (
    "Harbour firm buys tug",
    "May 3 , 2011",
    "It paid little .",
    "Nobody knew .",
    "They know .",
    "So ?",
    "It ran .",
)


def cat_xml(mentions: str, relations: str = "") -> str:
    """A document of seven sentences; tokens are numbered from 1."""
    token = 0
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<Document doc_name="x.txt" doc_id="1" url="http://x.example">']
    for sentence, words in enumerate(SENTENCES):
        for word in words.split():
            token += 1
            lines.append(f'<token t_id="{token}" sentence="{sentence}" number="{token}">{word}</token>')
    return "\n".join([*lines, f"<Markables>{mentions}</Markables>", f"<Relations>{relations}</Relations></Document>"])


def mention(id: int, tag: str, *tokens: int) -> str:
    return f'<{tag} m_id="{id}">' + "".join(f'<token_anchor t_id="{t}"/>' for t in tokens) + f"</{tag}>\n"


def refers(target: int, *sources: int) -> str:
    inside = "".join(f'<source m_id="{s}"/>' for s in sources)
    return f'<REFERS_TO r_id="{target}00">{inside}<target m_id="{target}"/></REFERS_TO>\n'


FIRST = cat_xml(
    mention(1, "ENTITY_MENTION", 2, 1)  # anchors in any order
    + mention(2, "EVENT_MENTION", 3)
    + mention(3, "ENTITY_MENTION", 9)
    + mention(4, "EVENT_MENTION", 10)
    + mention(5, "TIMEX3", 5, 6, 7, 8)
    + mention(6, "ENTITY_MENTION", 5)  # in the dateline
    + mention(7, "EVENT_MENTION", 21)  # in the seventh sentence
    + mention(8, "ENTITY_MENTION", 13)  # refers to nothing
    + '<ENTITY m_id="50" TAG_DESCRIPTOR="firm" ent_type="ORG" instance_id="ORG1"/>'
    + '<EVENT m_id="51" TAG_DESCRIPTOR="buying" class="OTHER"/>',
    refers(50, 1, 3) + refers(51, 2, 4) + '<TLINK r_id="9"><source m_id="2"/><target m_id="5"/></TLINK>',
)
SECOND = cat_xml(mention(1, "ENTITY_MENTION", 1) + '<ENTITY m_id="9" ent_type="ORG" instance_id="ORG1"/>', refers(9, 1))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The dev split, in the folder of the archive."""
    root = tmp_path / "meantime_newsreader_english_oct15"
    topic = root / "intra_cross-doc_annotation" / "corpus_gm"
    topic.mkdir(parents=True)
    (topic / "10_First.xml").write_text(FIRST)
    (topic / "9_Second.xml").write_text(SECOND)
    return root


def test_documents_and_mentions(folder: Path) -> None:
    corpus = MEANTIME.read(folder, "dev")
    assert [document.id for document in corpus.documents] == ["10_First", "9_Second"]
    first = corpus.documents[0]
    assert (first.topic, first.subtopic, first.annotated) == ("gm", "gm", {0, 2, 3, 4, 5})
    assert " ".join(first.tokens[slice(*first.sentences[1])]) == "May 3 , 2011"
    assert corpus.mentions == (
        Mention("10_First", (0, 1), ENTITY, "ORG1", "1", "ORG"),
        Mention("10_First", (2,), EVENT, "10_First/51", "2", "OTHER"),
        Mention("10_First", (8,), ENTITY, "ORG1", "3", "ORG"),
        Mention("10_First", (9,), EVENT, "10_First/51", "4", "OTHER"),
        Mention("10_First", (12,), ENTITY, None, "8"),
        Mention("9_Second", (0,), ENTITY, "ORG1", "1", "ORG"),
    )


def test_the_folder_of_topics_may_be_given(folder: Path) -> None:
    assert MEANTIME.read(folder / "intra_cross-doc_annotation", "dev") == MEANTIME.read(folder, "dev")
    (folder / "intra_cross-doc_annotation" / "corpus_gm").rename(folder / "gm")
    assert len(MEANTIME.read(folder, "dev").documents) == 2


def test_splits_are_those_whose_topics_are_there(folder: Path) -> None:
    assert MEANTIME.splits(folder) == ["dev"]
    with pytest.raises(InputError, match="does not hold the train split of MEANTIME, only dev; expected corpus_airbus"):
        MEANTIME.read(folder, "train")


DAMAGE = {
    "a huge number": (lambda text: text.replace('sentence="0"', f'sentence="{"1" * 5000}"', 1), "no sentence number"),
    "no anchor's name": (lambda text: text.replace('<token_anchor t_id="9"', "<token_anchor"), "which does not exist"),
    "no such instance": (lambda text: text.replace('<target m_id="50"', '<target m_id="77"'), "relation 5000 refers"),
    "no target": (lambda text: text.replace('<target m_id="50"/>', ""), "relation 5000 refers"),
    "NAF": (lambda text: '<NAF version="v3"><text/></NAF>', "this is NAF, which has no links across documents"),
    "entities": (
        lambda text: text.replace("<Document", '<!DOCTYPE d [<!ENTITY e "x">]>\n<Document', 1),
        "declares a document type or entities, which MEANTIME never does",
    ),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_damaged_files_are_one_sentence(folder: Path, damage: str) -> None:
    edit, message = DAMAGE[damage]
    path = folder / "intra_cross-doc_annotation" / "corpus_gm" / "10_First.xml"
    path.write_text(edit(FIRST))
    with pytest.raises(InputError, match=message) as caught:
        MEANTIME.read(folder, "dev")
    assert caught.value.path == str(path)
    assert "\n" not in str(caught.value)

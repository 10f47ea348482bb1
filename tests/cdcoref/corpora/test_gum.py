"""GUM: types and kinds, mentions as their heads, the two forms of a folder, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from cdcoref.corpora import CORPORA
from cdcoref.corpus import ENTITY, EVENT, Mention
from cdcoref.errors import InputError

HEADS = CORPORA["gum-heads"]
GUM = CORPORA["gum"]

HEADER = "# newdoc id = {id}\n# global.Entity = GRP-etype-infstat-salience-centering-minspan-link-identity\n"
WORDS = (
    ("The", "(1-person-new-nnnnn-cf1-2,3,5-coref"),
    ("harbour", ""),
    ("master", ""),
    ("of", ""),
    ("Odde", "(2-place-new-nnnnn-cf2-1-sgl)1)"),
    ("missed", ""),
    ("the", "(3-event-new-nnnnn-cf3-2-coref"),
    ("launch", "3)"),
    (".", ""),
)
MORE = (
    ("He", "(1-person-giv-nnnnn-cf1-1-ana)"),
    ("wrote", ""),
    ("of", "(4-abstract-new-nnnnn-cf2-3-sgl"),
    ("the", "(3-event-giv-nnnnn-cf3-2-coref"),
    ("launch", "3)4)"),
)


def conllu(id: str = "GUM_news_tug", header: str = HEADER) -> str:
    """Two sentences; the second has a word that is left out in the text."""
    lines = [header.format(id=id).rstrip("\n")]
    for sentence in (WORDS, MORE):
        for number, (word, entity) in enumerate(sentence, 1):
            misc = f"Entity={entity}|X=y" if entity else "_"
            lines.append("\t".join([str(number), word, *["_"] * 7, misc]))
            if word == "wrote":
                lines.append("\t".join(["2.1", "spoke", *["_"] * 7, "CopyOf=2"]))
        lines.append("")
    return "\n".join([*lines, ""])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "dev").mkdir()
    (tmp_path / "dev" / "GUM_news_tug.conllu").write_text(conllu())
    return tmp_path


ID = "GUM_news_tug"


def test_mentions_and_kinds(folder: Path) -> None:
    corpus = GUM.read(folder, "dev")
    (document,) = corpus.documents
    assert (document.id, document.topic, document.subtopic, document.annotated) == (ID, ID, ID, None)
    assert document.tokens == tuple(word for word, _ in WORDS + MORE)  # without the word that is left out
    assert document.sentences == ((0, 9), (9, 14))
    assert {(m.tokens, m.kind, m.cluster, m.tag) for m in corpus.mentions} == {
        ((0, 1, 2, 3, 4), ENTITY, f"{ID}/1", "person"),
        ((4,), ENTITY, f"{ID}/2", "place"),
        ((6, 7), EVENT, f"{ID}/3", "event"),
        ((9,), ENTITY, f"{ID}/1", "person"),
        ((11, 12, 13), ENTITY, f"{ID}/4", "abstract"),
        ((12, 13), EVENT, f"{ID}/3", "event"),
    }


def test_mentions_as_heads(folder: Path) -> None:
    corpus = HEADS.read(folder, "dev")
    assert set(corpus.mentions) == {
        Mention(ID, (1, 2, 4), ENTITY, f"{ID}/1", tag="person"),
        Mention(ID, (4,), ENTITY, f"{ID}/2", tag="place"),
        Mention(ID, (7,), EVENT, f"{ID}/3", tag="event"),
        Mention(ID, (9,), ENTITY, f"{ID}/1", tag="person"),
        Mention(ID, (13,), ENTITY, f"{ID}/4", tag="abstract"),  # the same word as an event is another mention
        Mention(ID, (13,), EVENT, f"{ID}/3", tag="event"),
    }
    assert corpus.notes == ()


def test_of_two_mentions_with_one_head_the_shorter_keeps_it(folder: Path) -> None:
    path = folder / "dev" / "GUM_news_tug.conllu"
    path.write_text(path.read_text().replace("(3-event-giv", "(5-object-giv").replace("3)4)", "5)4)"))
    corpus = HEADS.read(folder, "dev")
    assert [m.cluster for m in corpus.mentions if m.tokens == (13,)] == [f"{ID}/5"]
    assert corpus.notes == ("omitted: 1 mention, since a shorter one has the same head",)


def test_the_form_of_universal_dependencies(tmp_path: Path) -> None:
    second = conllu("GUM_bio_hull", "# newdoc id = {id}\n")
    (tmp_path / "en_gum-ud-dev.conllu").write_text(conllu() + second)
    (tmp_path / "en_gum-ud-train.conllu").write_text(conllu("GUM_news_keel"))
    assert GUM.splits(tmp_path) == ["train", "dev"]
    corpus = GUM.read(tmp_path, "dev")
    assert [document.id for document in corpus.documents] == [ID, "GUM_bio_hull"]
    assert len(corpus.mentions) == 12
    with pytest.raises(InputError, match=r"does not hold the test split of GUM, only train and dev; expected test/\*"):
        GUM.read(tmp_path, "test")


WRONG_HEAD = r"line 3: a mention of 5 words begins here with the head '"
DAMAGE = {
    "no types": (HEADER.rpartition("GRP")[2].strip(), "", "a mention of 'GUM_news_tug' has no type"),
    "a mention at a word that is left out": ("CopyOf=2", "Entity=(9-person-1)", r"line 15: .* at an empty node"),
    "heads of letters": ("-2,3,5-", "-a,b-", f"{WRONG_HEAD}a,b"),
    "heads from 0": ("-2,3,5-", "-0-", f"{WRONG_HEAD}0"),
    "heads beyond": ("-2,3,5-", "-6-", f"{WRONG_HEAD}6"),
    "huge heads": ("-2,3,5-", f"-{'9' * 5000}-", f"{WRONG_HEAD}9+"),
    "no heads": ("minspan", "other", "line 7: a mention of 1 word begins here with no minspan or head"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_damaged_files_are_one_sentence(folder: Path, damage: str) -> None:
    old, new, message = DAMAGE[damage]
    path = folder / "dev" / "GUM_news_tug.conllu"
    path.write_text(conllu().replace(old, new))
    with pytest.raises(InputError, match=message) as caught:
        HEADS.read(folder, "dev")
    assert caught.value.path == str(path)
    assert "\n" not in str(caught.value)

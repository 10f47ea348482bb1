"""LitBank as it is distributed: both of its forms say the same, splits by work, and what is refused."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from cdcoref.corpora import CORPORA, SPLITS
from cdcoref.corpus import ENTITY, Corpus, Mention
from cdcoref.errors import InputError

LITBANK = CORPORA["litbank"]
DEV = {"711", "730", "73", "74", "766", "768", "76", "77", "78", "805"}
TEST = {"829", "84", "876", "8867", "932", "940", "95", "969", "974", "9830"}
"""The numbers of the last twenty works, as `ls` sorts them."""

TEXT = "The old pilot 's boat .\nHe sold it , the boat of Nan .\n"
ANN = """T1\tNOM_PER 0 16\tThe old pilot 's
T2\tNOM_VEH 0 21\tThe old pilot 's boat
T4\tPRON_PER 24 26\tHe
T10\tpilot-0 0 16\tThe old pilot 's
T11\tthe_old_boat-1 0 21\tThe old pilot 's boat
T12\tpilot-0 24 26\tHe
T13\tthe_old_boat-1 32 34\tit
T14\tthe_old_boat-1 37 52\tthe boat of Nan
R1\tappos Arg1:T13 Arg2:T14
T15\tNan-2 49 52\tNan
#1\tAnnotatorNotes T15\tsee above
"""
CELLS = ["(0|(1", "", "", "0)", "1)", "", "(0)", "", "(1)", "", "(1", "", "", "(2)|1)", ""]


def conll(name: str) -> str:
    lines = [f"#begin document ({name}); part 0"]
    cells = iter(CELLS)
    for sentence in TEXT.rstrip("\n").split("\n"):
        for number, word in enumerate(sentence.split()):
            lines.append("\t".join([name, "0", str(number), word, *["_"] * 8, next(cells)]))
        lines.append("")
    return "\n".join([*lines, "#end document", ""])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A repository with one work of every split, in both forms."""
    for form in ("brat", "conll"):
        (tmp_path / "coref" / form).mkdir(parents=True)
    for name in ("9999_the_pilot_brat", "711_the_boat_brat", "829_nan_brat"):
        (tmp_path / "coref" / "brat" / f"{name}.txt").write_text(TEXT)
        (tmp_path / "coref" / "brat" / f"{name}.ann").write_text(ANN)
        (tmp_path / "coref" / "conll" / f"{name}.conll").write_text(conll(name))
    return tmp_path


def clusters(corpus: Corpus) -> set[frozenset[object]]:
    return {frozenset(mention.key for mention in cluster) for cluster in corpus.clusters()}


def test_both_forms_say_the_same(folder: Path) -> None:
    from_conll, from_brat = (LITBANK.read(folder / "coref" / form, "train") for form in ("conll", "brat"))
    assert LITBANK.read(folder, "train") == from_conll == LITBANK.read(folder / "coref", "train")  # notes apart
    for corpus in (from_conll, from_brat):
        (document,) = corpus.documents
        assert (document.id, document.topic, document.subtopic) == ("litbank_9999_the_pilot",) * 3
        assert document.tokens == tuple(TEXT.split())
        assert document.sentences == ((0, 6), (6, 15))
        assert {m.kind for m in corpus.mentions} == {ENTITY}
        assert [note.rpartition(": ")[2] for note in corpus.notes] == [
            "the folder holds 1 of the 80 works in LitBank's train split"
        ]
    assert clusters(from_conll) == clusters(from_brat)
    assert len(from_brat.mentions) == 6


def test_categories_are_tags(folder: Path) -> None:
    mentions = LITBANK.read(folder / "coref" / "brat", "dev").mentions
    id = "litbank_711_the_boat"
    assert mentions[:4] == (
        Mention(id, (0, 1, 2, 3), ENTITY, f"{id}/0", tag="NOM_PER"),
        Mention(id, (0, 1, 2, 3, 4), ENTITY, f"{id}/1", tag="NOM_VEH"),
        Mention(id, (6,), ENTITY, f"{id}/0", tag="PRON_PER"),
        Mention(id, (8,), ENTITY, f"{id}/1"),
    )


def test_splits_are_by_work(folder: Path) -> None:
    assert LITBANK.splits(folder) == ["train", "dev", "test"]
    ids = {split: [d.id for d in LITBANK.read(folder, split).documents] for split in SPLITS}
    assert ids == {"train": ["litbank_9999_the_pilot"], "dev": ["litbank_711_the_boat"], "test": ["litbank_829_nan"]}
    shutil.rmtree(folder / "coref" / "conll")
    (folder / "coref" / "brat" / "829_nan_brat.ann").unlink()
    assert LITBANK.splits(folder) == ["train", "dev"]
    with pytest.raises(InputError, match="does not hold the test split of LitBank, only train and dev; expected"):
        LITBANK.read(folder, "test")


def test_the_shared_split_is_this_one(shared: Path, tmp_path: Path) -> None:
    """Of works with the numbers of the JSON lines and of the test split, all are read, each in its split."""
    numbers = {
        split: {json.loads(line)["id"].split("_")[1] for line in (shared / f"corpora/litbank/{split}.jsonl").open()}
        for split in ("train", "dev")
    }
    assert numbers["dev"] == DEV
    for number in numbers["train"] | DEV | TEST:
        (tmp_path / f"{number}_nan_brat.conll").write_text(conll(number))
    for split in SPLITS:
        corpus = LITBANK.read(tmp_path, split)
        assert {d.id for d in corpus.documents} == {f"litbank_{n}_nan" for n in numbers.get(split, TEST)}
        assert corpus.notes == ()


def test_ranges_within_tokens_are_widened(folder: Path) -> None:
    path = folder / "coref" / "brat" / "711_the_boat_brat.ann"
    path.write_text("T1\tnan-7 49 51\tNa\nT2\tnan-7 0 3;8 13\tThe pilot\n")
    corpus = LITBANK.read(folder / "coref" / "brat", "dev")
    assert [m.tokens for m in corpus.mentions] == [(0, 2), (13,)]
    assert corpus.notes[0] == f"{path}: 1 mention extended to whole tokens"


BRAT_DAMAGE = {
    "cut off": (ANN[:8], "line 1: expected 'T1<TAB>label start end<TAB>text'"),
    "no cluster's name": ("T1\tpilot 0 3\tThe\n", "line 1: 'pilot' is neither a category"),
    "categories alone": ("T1\tNOM_PER 0 3\tThe\n", "no mention has a cluster; use LitBank's folder coref"),
    "another text": (ANN.replace("\tThe old pilot 's\n", "\tThe new pilot 's\n", 1), "line 1: the text has .The old p"),
}


@pytest.mark.parametrize("damage", BRAT_DAMAGE)
def test_damaged_annotations_are_one_sentence(folder: Path, damage: str) -> None:
    text, message = BRAT_DAMAGE[damage]
    path = folder / "coref" / "brat" / "711_the_boat_brat.ann"
    path.write_text(text)
    with pytest.raises(InputError, match=message) as caught:
        LITBANK.read(folder / "coref" / "brat", "dev")
    assert caught.value.path == str(path)
    assert "\n" not in str(caught.value)


def test_a_missing_text_is_said(folder: Path) -> None:
    (folder / "coref" / "brat" / "711_the_boat_brat.txt").unlink()
    with pytest.raises(InputError, match=r"711_the_boat_brat\.txt: the file does not exist"):
        LITBANK.read(folder / "coref" / "brat", "dev")

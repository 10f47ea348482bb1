"""LitBank as it is distributed: a topic a work, splits by work."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cdcoref.corpora import CORPORA, SPLITS
from cdcoref.corpus import ENTITY
from cdcoref.errors import InputError

LITBANK = CORPORA["litbank"]
DEV = {"711", "730", "73", "74", "766", "768", "76", "77", "78", "805"}
TEST = {"829", "84", "876", "8867", "932", "940", "95", "969", "974", "9830"}
"""The numbers of the last twenty works, as `ls` sorts them."""

TEXT = "The old pilot 's boat .\nHe sold it , the boat of Nan .\n"
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
    """A repository with one work of every split."""
    (tmp_path / "coref" / "conll").mkdir(parents=True)
    for name in ("9999_the_pilot_brat", "711_the_boat_brat", "829_nan_brat"):
        (tmp_path / "coref" / "conll" / f"{name}.conll").write_text(conll(name))
    return tmp_path


def test_a_work_is_a_topic_of_its_own(folder: Path) -> None:
    corpus = LITBANK.read(folder / "coref" / "conll", "train")
    assert LITBANK.read(folder, "train") == corpus == LITBANK.read(folder / "coref", "train")  # notes apart
    (document,) = corpus.documents
    assert (document.id, document.topic, document.subtopic) == ("litbank_9999_the_pilot",) * 3
    assert document.tokens == tuple(TEXT.split())
    assert document.sentences == ((0, 6), (6, 15))
    assert {m.kind for m in corpus.mentions} == {ENTITY}
    assert sorted(len(cluster) for cluster in corpus.clusters()) == [1, 2, 3]
    assert [note.rpartition(": ")[2] for note in corpus.notes] == [
        "the folder holds 1 of the 80 works in LitBank's train split"
    ]


def test_splits_are_by_work(folder: Path) -> None:
    assert LITBANK.splits(folder) == ["train", "dev", "test"]
    ids = {split: [d.id for d in LITBANK.read(folder, split).documents] for split in SPLITS}
    assert ids == {"train": ["litbank_9999_the_pilot"], "dev": ["litbank_711_the_boat"], "test": ["litbank_829_nan"]}
    (folder / "coref" / "conll" / "829_nan_brat.conll").unlink()
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

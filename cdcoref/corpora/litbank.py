"""The reader of LitBank's coreference (Bamman et al. 2020): its repository in, a Corpus out.

LitBank defines no splits; here they follow the alphabetical order of the names.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from cdcoref.corpus import ENTITY, Corpus, Document, Mention
from cdcoref.formats import read_conll

WORKS = {"train": 80, "dev": 10, "test": 10}
DEV = frozenset({"711", "730", "73", "74", "766", "768", "76", "77", "78", "805"})
"""Project Gutenberg numbers of the works, with which file names begin."""
TEST = frozenset({"829", "84", "876", "8867", "932", "940", "95", "969", "974", "9830"})
_NUMBER = re.compile(r"(\d+)_")


def read_litbank(root: Path, split: str, files: Sequence[Path]) -> Corpus:
    """Read a split; notes report an incomplete one."""
    documents: list[Document] = []
    mentions: list[Mention] = []
    notes: list[str] = []
    for path in files:
        id = f"litbank_{path.stem.removesuffix('_brat')}"
        work = _renamed(read_conll(path, kind=ENTITY, ids="local"), id)
        documents.extend(work.documents)
        mentions.extend(work.mentions)
        notes.extend(work.notes)
    if len(files) < WORKS[split]:
        notes.append(f"{root}: the folder holds {len(files)} of the {WORKS[split]} works in LitBank's {split} split")
    return Corpus(tuple(documents), tuple(mentions), tuple(notes))


def litbank_files(root: Path, split: str) -> list[Path]:
    """The files of a split."""
    for folder in (root / "coref" / "conll", root / "conll", root):
        files = [path for path in sorted(folder.glob("*.conll")) if _NUMBER.match(path.name)]
        if files:
            split_of = {**dict.fromkeys(DEV, "dev"), **dict.fromkeys(TEST, "test")}
            return [path for path in files if split_of.get(path.name.partition("_")[0], "train") == split]
    return []


def _renamed(work: Corpus, id: str) -> Corpus:
    """The document of a file (or its parts), with this id, as a topic of its own."""
    names = {d.id: id if place == 0 else f"{id} {d.id}" for place, d in enumerate(work.documents)}
    return Corpus(
        tuple(replace(d, id=names[d.id], topic=id, subtopic=id) for d in work.documents),
        tuple(replace(m, document=names[m.document]) for m in work.mentions),
    )

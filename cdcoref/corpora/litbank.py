"""The reader of LitBank's coreference (Bamman et al. 2020) as distributed: its repository in, a Corpus out.

The folder is the repository, its folder ``coref``, or one of the two formats in that: ``conll`` (preferred) or
``brat``. Links stay within a work, so every document is a topic and a subtopic of its own. LitBank defines no splits;
here they follow the alphabetical order of the names, as ``ls`` sorts them: 80 works for train, 10 for dev, 10 for test.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from cdcoref.corpora.brat import read_brat
from cdcoref.corpora.splits import SPLITS, missing_split
from cdcoref.corpus import ENTITY, Corpus, Document, Mention
from cdcoref.formats import read_conll

TITLE = "LitBank"
WORKS = {"train": 80, "dev": 10, "test": 10}
DEV = frozenset({"711", "730", "73", "74", "766", "768", "76", "77", "78", "805"})
"""Project Gutenberg numbers of the works, with which file names begin."""
TEST = frozenset({"829", "84", "876", "8867", "932", "940", "95", "969", "974", "9830"})
_FORMS = (("conll", ".conll"), ("brat", ".ann"))
_NUMBER = re.compile(r"(\d+)_")


def litbank_splits(root: Path) -> list[str]:
    """The splits with at least one work in the folder."""
    return [split for split in SPLITS if _works(root, split)]


def read_litbank(root: Path, split: str) -> Corpus:
    """Read one split.

    Returns
    -------
    Corpus
        Its notes report an incomplete split.

    Raises `InputError` if the folder holds no work of the split, or a file is not in the format that its name
    indicates.
    """
    files = _works(root, split)
    if not files:
        wanted = "NUMBER_title_brat.conll, or .ann with .txt, in it or in its folder coref/conll or coref/brat"
        raise missing_split(TITLE, split, root, litbank_splits(root), wanted)
    documents: list[Document] = []
    mentions: list[Mention] = []
    notes: list[str] = []
    for path in files:
        id = f"litbank_{path.stem.removesuffix('_brat')}"
        if path.suffix == ".ann":
            work = read_brat(path.with_suffix(".txt"), path, id, ENTITY)
        else:
            work = _renamed(read_conll(path, kind=ENTITY, ids="local"), id)
        documents.extend(work.documents)
        mentions.extend(work.mentions)
        notes.extend(work.notes)
    if len(files) < WORKS[split]:
        notes.append(f"{root}: the folder holds {len(files)} of the {WORKS[split]} works in LitBank's {split} split")
    return Corpus(tuple(documents), tuple(mentions), tuple(notes))


def _works(root: Path, split: str) -> list[Path]:
    """The files of a split, in the first available format."""
    for form, suffix in _FORMS:
        for folder in (root / "coref" / form, root / form, root):
            found = [path for path in sorted(folder.glob(f"*{suffix}")) if _NUMBER.match(path.name)]
            if found:
                return [path for path in found if _split_of(path) == split]
    return []


def _split_of(path: Path) -> str:
    match = _NUMBER.match(path.name)
    number = match[1] if match else ""
    return "dev" if number in DEV else "test" if number in TEST else "train"


def _renamed(work: Corpus, id: str) -> Corpus:
    """The document of a file (or its parts), with this id, as a topic of its own."""
    names = {d.id: id if place == 0 else f"{id} {d.id}" for place, d in enumerate(work.documents)}
    return Corpus(
        tuple(replace(d, id=names[d.id], topic=id, subtopic=id) for d in work.documents),
        tuple(replace(m, document=names[m.document]) for m in work.mentions),
    )

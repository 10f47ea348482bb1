"""The readers of GUM and LitBank, whose links stay within documents: CoNLL-U and CoNLL in, a Corpus out."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from cdcoref.corpora.splits import together
from cdcoref.corpus import ENTITY, EVENT, Corpus, Mention
from cdcoref.errors import InputError
from cdcoref.formats import ReadOptions, read_conll, read_corefud
from cdlm.printing import counted


def read_gum(root: Path, split: str, files: Sequence[Path], *, heads: bool = False) -> Corpus:
    """Read a split; every document is a topic of its own, and a mention's tag is its type (``person``, ``place`` ...).

    `heads` reduces mentions to their heads, which may be discontinuous (``Sydney`` and ``Australia``).
    """
    read = []
    left_out = 0
    for path in files:
        whole = read_corefud(path, empty_nodes=False)
        untyped = next((m for m in whole.mentions if m.tag is None), None)
        if untyped is not None:
            message = f"a mention of {untyped.document!r} has no type; '# global.Entity' should name etype"
            raise InputError(message, path)
        kinds = tuple(replace(m, kind=EVENT if m.tag == "event" else ENTITY) for m in whole.mentions)
        kept = _heads(kinds, read_corefud(path, heads=True, empty_nodes=False).mentions) if heads else list(kinds)
        left_out += len(kinds) - len(kept)
        read.append(Corpus(tuple(replace(d, topic=d.id, subtopic=d.id) for d in whole.documents), tuple(kept)))
    notes = (f"omitted: {counted(left_out, 'mention')}, since a shorter one has the same head",) if left_out else ()
    return replace(together(read), notes=notes)


def _heads(whole: tuple[Mention, ...], heads: tuple[Mention, ...]) -> list[Mention]:
    owner: dict[object, int] = {}
    for number in sorted(range(len(whole)), key=lambda n: len(whole[n].tokens)):
        owner.setdefault((*heads[number].key, whole[number].kind), number)
    return [replace(whole[number], tokens=heads[number].tokens) for number in sorted(owner.values())]


WORKS = {"train": 80, "dev": 10, "test": 10}
DEV = frozenset({"711", "730", "73", "74", "766", "768", "76", "77", "78", "805"})
"""Project Gutenberg numbers of the works, with which file names begin."""
TEST = frozenset({"829", "84", "876", "8867", "932", "940", "95", "969", "974", "9830"})
_NUMBER = re.compile(r"(\d+)_")


def read_litbank(root: Path, split: str, files: Sequence[Path]) -> Corpus:
    """Read a split; notes report an incomplete one."""
    works = (
        _renamed(read_conll(path, ReadOptions(kind=ENTITY, ids="local")), f"litbank_{path.stem.removesuffix('_brat')}")
        for path in files
    )
    note = f"{root}: the folder holds {len(files)} of the {WORKS[split]} works in LitBank's {split} split"
    return replace(together(works), notes=(note,) if len(files) < WORKS[split] else ())


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
    renamed = work.with_ids(names)
    return replace(renamed, documents=tuple(replace(d, topic=id, subtopic=id) for d in renamed.documents))

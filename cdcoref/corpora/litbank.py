"""The reader of LitBank's coreference (Bamman et al. 2020) as distributed: its repository in, a Corpus out.

The folder is the repository, its folder ``coref``, or one of the two formats in that: ``conll`` (preferred) or
``brat``. Links stay within a work, so every document is a topic and a subtopic of its own. LitBank defines no splits;
here they follow the alphabetical order of the names, as ``ls`` sorts them: 80 works for train, 10 for dev, 10 for test.

In brat, the text has one sentence per line, its tokens separated by spaces. ``T491<TAB>Pip-1 10 12<TAB>My`` annotates
characters 10 to 12; several ranges are separated by ``;``. Every mention is annotated twice: by its category
(``PRON_PER``) and by the name of its cluster, which ends in a number. Relations and notes are not read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from cdcoref.corpora.splits import text_lines
from cdcoref.corpus import ENTITY, Corpus, Document, Mention
from cdcoref.errors import InputError
from cdcoref.formats import BRAT_MENTION, annotated_ranges, read_conll
from cdlm.printing import counted

WORKS = {"train": 80, "dev": 10, "test": 10}
DEV = frozenset({"711", "730", "73", "74", "766", "768", "76", "77", "78", "805"})
"""Project Gutenberg numbers of the works, with which file names begin."""
TEST = frozenset({"829", "84", "876", "8867", "932", "940", "95", "969", "974", "9830"})
_FORMS = (("conll", ".conll"), ("brat", ".ann"))
_NUMBER = re.compile(r"(\d+)_")
_TOKEN = re.compile(r"[^ \t\r\n]+")
_CATEGORY = re.compile(r"(PROP|NOM|PRON)_[A-Z]+")
_CLUSTER = re.compile(r".+-\d+")


def read_litbank(root: Path, split: str, files: Sequence[Path]) -> Corpus:
    """Read a split; notes report an incomplete one."""
    documents: list[Document] = []
    mentions: list[Mention] = []
    notes: list[str] = []
    for path in files:
        id = f"litbank_{path.stem.removesuffix('_brat')}"
        if path.suffix == ".ann":
            work = read_brat(path.with_suffix(".txt"), path, id)
        else:
            work = _renamed(read_conll(path, kind=ENTITY, ids="local"), id)
        documents.extend(work.documents)
        mentions.extend(work.mentions)
        notes.extend(work.notes)
    if len(files) < WORKS[split]:
        notes.append(f"{root}: the folder holds {len(files)} of the {WORKS[split]} works in LitBank's {split} split")
    return Corpus(tuple(documents), tuple(mentions), tuple(notes))


def litbank_files(root: Path, split: str) -> list[Path]:
    """The files of a split, in the first available format."""
    for form, suffix in _FORMS:
        for folder in (root / "coref" / form, root / form, root):
            found = [path for path in sorted(folder.glob(f"*{suffix}")) if _NUMBER.match(path.name)]
            if found:
                split_of = {**dict.fromkeys(DEV, "dev"), **dict.fromkeys(TEST, "test")}
                return [path for path in found if split_of.get(path.name.partition("_")[0], "train") == split]
    return []


def _renamed(work: Corpus, id: str) -> Corpus:
    """The document of a file (or its parts), with this id, as a topic of its own."""
    names = {d.id: id if place == 0 else f"{id} {d.id}" for place, d in enumerate(work.documents)}
    return Corpus(
        tuple(replace(d, id=names[d.id], topic=id, subtopic=id) for d in work.documents),
        tuple(replace(m, document=names[m.document]) for m in work.mentions),
    )


def read_brat(text: Path, annotation: Path, id: str) -> Corpus:
    """Read one document; a note counts ranges that were extended to whole tokens."""
    document = _spaced_text(text, id)
    clustered: list[tuple[tuple[int, ...], str]] = []
    categories: dict[tuple[int, ...], str] = {}
    extended = 0
    for number, line in text_lines(annotation):
        if not line.startswith("T"):
            continue
        match = BRAT_MENTION.fullmatch(line)
        if match is None:
            raise InputError("expected 'T1<TAB>label start end<TAB>text', as in brat", annotation, number)
        ranges = annotated_ranges(document, match, annotation, number)
        tokens = tuple(sorted({token for part in ranges.values() for token in part}))
        covered = [(document.offsets[part[0]][0], document.offsets[part[-1]][1]) for part in ranges.values() if part]
        extended += sum(place not in ranges for place in covered)
        label = match[2]
        if _CATEGORY.fullmatch(label):
            categories[tokens] = label
        elif _CLUSTER.fullmatch(label):
            clustered.append((tokens, label))
        else:
            message = f"{label!r} is neither a category (PROP_PER) nor the name of a cluster (Pip-1)"
            raise InputError(message, annotation, number)
    if categories and not clustered:
        raise InputError("no mention has a cluster; use LitBank's folder coref, not its folder entities", annotation)
    mentions = (
        Mention(id, tokens, ENTITY, f"{id}/{label.rpartition('-')[2]}", tag=categories.get(tokens))
        for tokens, label in sorted(set(clustered))
    )
    notes = (f"{annotation}: {counted(extended, 'mention')} extended to whole tokens",) if extended else ()
    return Corpus((document,), tuple(mentions), notes)


def _spaced_text(path: Path, id: str) -> Document:
    """A text with a sentence per line and spaces between tokens, as a document and topic of its own."""
    text = "".join(line + "\n" for _, line in text_lines(path))
    places: list[tuple[int, int]] = []
    sentences: list[tuple[int, int]] = []
    for line in re.finditer(r"[^\n]+", text):
        found = [match.span() for match in _TOKEN.finditer(text, line.start(), line.end())]
        if found:
            sentences.append((len(places), len(places) + len(found)))
            places += found
    words = tuple(text[start:end] for start, end in places)
    return Document(id, words, tuple(sentences), text, tuple(places), topic=id, subtopic=id, path=str(path))

"""A folder of brat in and out: ``.txt`` files with ``.ann`` files beside them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from cdcoref.corpus import KINDS, Corpus, Document, Mention, tokens_between
from cdcoref.errors import InputError
from cdcoref.formats.chains import UNKNOWN_KIND, Link, chains_of, merged, parts_by_line
from cdcoref.formats.folders import as_recorded, check_characters, file_names, recorded, write_folder
from cdcoref.formats.format import Format, ReadOptions, table_reader
from cdcoref.formats.jsonl_parsing import Remarks
from cdcoref.formats.plain_text import text_content, tokenise_text

EQUIVALENCE = "Coref"
"""The type of the equivalences that are written."""
CONFIGURATION = "\n".join(
    (
        *("[entities]", *KINDS, UNKNOWN_KIND, ""),
        *("[relations]", f"{EQUIVALENCE} Arg1:<ENTITY>, Arg2:<ENTITY>, <REL-TYPE>:symmetric-transitive", ""),
        *("[events]", "", "[attributes]", ""),
    )
)
"""``annotation.conf``, with which brat shows and edits a folder."""
_MENTION = re.compile(r"(T[0-9]+)\t(\S+) ([0-9]{1,9} [0-9]{1,9}(?:;[0-9]{1,9} [0-9]{1,9})*)\t(.*)")
_GROUP = re.compile(r"\*\t\S+((?: T[0-9]+)+)\s*")
_RELATION = re.compile(r"R[0-9]+\t(\S+) \S+:(T[0-9]+) \S+:(T[0-9]+)\s*")
_NOTE = re.compile(r"#[0-9]+\t\S+ (T[0-9]+)\t(.*)")
_ON_ONE_LINE = str.maketrans({"\\": "\\\\", "\n": "\\n", "\r": "\\r"})
_BEGINNING = re.compile(rb"(?:\xef\xbb\xbf)?T[0-9]+\t\S+ [0-9]+ [0-9]+(?:;[0-9]+ [0-9]+)*\t")


def write_brat(corpus: Corpus, folder: str | Path) -> tuple[str, ...]:
    """Write a folder that brat can show and edit."""
    check_characters(corpus, re.compile("\0"), "a NUL character, which brat cannot have")
    files = file_names((document.id for document in corpus.documents), ".txt")
    annotations = {id: f"{name.removesuffix('.txt')}.ann" for id, name in files.items()}
    mentions = corpus.by_document()
    contents = [(files[document.id], document.text) for document in corpus.documents]
    for document in corpus.documents:
        lines = _lines(document, mentions[document.id])
        contents.append((annotations[document.id], "".join(f"{line}\n" for line in lines)))
    write_folder(folder, corpus, annotations, [*contents, ("annotation.conf", CONFIGURATION)])
    return ()


def _lines(document: Document, mentions: Sequence[Mention]) -> list[str]:
    spans: list[str] = []
    groups: list[str] = []
    notes: list[str] = []
    number = 0
    for chain in chains_of(mentions):
        names = []
        for mention in chain:
            number += 1
            parts = parts_by_line(document, mention)
            places = ";".join(f"{start} {end}" for start, end in parts)
            words = " ".join(document.text[start:end] for start, end in parts)
            spans.append(f"T{number}\t{mention.kind or UNKNOWN_KIND} {places}\t{words}")
            if mention.cluster is not None:
                notes.append(f"#{len(notes) + 1}\tAnnotatorNotes T{number}\t{mention.cluster.translate(_ON_ONE_LINE)}")
            names.append(f"T{number}")
        if len(names) > 1:
            groups.append(f"*\t{EQUIVALENCE} {' '.join(names)}")
    return [*spans, *groups, *notes]


def _name(line: str) -> str:
    return re.sub(r"\\(.)", lambda match: {"n": "\n", "r": "\r"}.get(match[1], match[1]), line)


def read_brat_file(path: Path, options: ReadOptions) -> Corpus:
    """Read an ``.ann`` file and the ``.txt`` file beside it as one document."""
    stem = path.name.removesuffix(".gz").removesuffix(".ann")
    beside = path.with_name(f"{stem}.txt")
    if not beside.exists():
        raise InputError(f"the text {beside.name}, to which this annotation belongs, is not beside it", path)
    text = text_content(beside, options.encoding).decode()
    known = recorded(path)
    # When a text is read, a line break is added to its end, and a byte order mark is removed from its beginning.
    if known is not None and _bare(known.documents[0].text) == _bare(text):
        [document] = known.documents
    else:
        id = (options.id or path.name).removesuffix(".gz").removesuffix(".ann")
        document = tokenise_text(text, f"{id}.txt", options.pipeline, path=str(beside))
    links: dict[str, Link] = {}
    labels: dict[str, str] = {}
    groups: list[list[str]] = []
    remarks = Remarks()
    for number, line in enumerate(text_content(path).decode().split("\n"), start=1):
        line = line.removesuffix("\r")
        if match := _MENTION.fullmatch(line):
            links[match[1]] = _link(document, match, path, number)
        elif match := _GROUP.fullmatch(line):
            groups.append(match[1].split())
        elif match := _RELATION.fullmatch(line):
            if options.joins(match[1], partial(remarks.add, line=number)):
                groups.append([match[2], match[3]])
        elif match := _NOTE.fullmatch(line):
            labels[match[1]] = _name(match[2])
        elif line.strip() and not re.match(r"[TREAMN#*][0-9]*\t", line):
            raise InputError("the line is not an annotation of brat", path, number)
    named = {name: Link(link.tokens, link.kind, labels.get(name), link.tag) for name, link in links.items()}
    try:
        chains = merged(named, groups)
    except InputError as error:
        raise InputError(error.message, path) from None
    return replace(as_recorded(path, document, chains), notes=tuple(remarks.notes(str(path))))


def _bare(text: str) -> str:
    return text.removeprefix("\ufeff").removesuffix("\n")


def _link(document: Document, match: re.Match[str], path: Path, line: int) -> Link:
    parts: list[str] = []
    tokens: set[int] = set()
    for part in match[3].split(";"):
        start, end = map(int, part.split())
        if end > len(document.text):
            message = f"characters {start} to {end} go beyond the text; the .txt belongs to another .ann"
            raise InputError(message, path, line)
        parts.append(document.text[start:end])
        tokens.update(tokens_between(document, start, end))
    words = " ".join(parts)
    if words.split() != match[4].split():
        message = f"the text has {words[:40]!r} there, not {match[4][:40]!r}; the .txt belongs to another .ann"
        raise InputError(message, path, line)
    if not tokens:
        raise InputError("the annotation overlaps no token", path, line)
    kind = match[2].lower()
    tag = None if kind in (*KINDS, UNKNOWN_KIND) else match[2]
    return Link(tuple(sorted(tokens)), kind if kind in KINDS else None, None, tag)


BRAT = Format(
    name="brat",
    suffixes=(".ann",),
    recognise=lambda start: _BEGINNING.match(start) is not None,
    read=read_brat_file,
    read_table=table_reader(read_brat_file),
)

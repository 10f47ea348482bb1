"""WebAnno TSV 3 in and out: a file for each document, whose coreference chains INCEpTION and WebAnno show and edit.

A link's ``referenceType`` has the kind and the cluster of the mention (see `chains`). Other layers are not read.
Characters are counted as in Java, in UTF-16 units.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.errors import InputError
from cdcoref.formats.chains import Link, as_recorded, chains_of, filled_gaps, label_of, parsed_label
from cdcoref.formats.encodings import Utf16Units
from cdcoref.formats.folders import check_characters, file_names, written_folder
from cdcoref.formats.format import Format, ReadOptions, table_reader
from cdcoref.formats.output_file import output_file
from cdcoref.formats.plain_text import text_content

LAYER = "de.tudarmstadt.ukp.dkpro.core.api.coref.type.CoreferenceLink"
_MAGIC = b"#FORMAT=WebAnno TSV 3"
_ESCAPED = re.compile(r"->|[\\\[\]|_;\t\n*]")
_ESCAPES = {"\t": r"\t", "\n": r"\n"}
_UNESCAPED = re.compile(r"\\(->|.)", re.DOTALL)
_UNESCAPES = {"t": "\t", "n": "\n"}
_PLACE = re.compile(r"([0-9]{1,9})-([0-9]{1,9})(\.[0-9]{1,9})?")
_OFFSETS = re.compile(r"([0-9]{1,9})-([0-9]{1,9})")
_CHAIN = re.compile(r".*->([0-9]{1,9})-([0-9]{1,9})", re.DOTALL)
_NUMBER = re.compile(r"(.*)\[([0-9]{1,9})\]", re.DOTALL)


def write_webanno(corpus: Corpus, folder: str | Path) -> tuple[str, ...]:
    """Write a folder of WebAnno TSV 3 files.

    Returns
    -------
    tuple
        A sentence if discontinuous mentions were extended.

    Raises
    ------
    InputError
        If a text or the name of a cluster has a NUL character, the folder cannot be written, or it holds files that
        cdcoref did not write. It is then left as it was.
    """
    check_characters(corpus, re.compile("\0"), "a NUL character, which WebAnno TSV cannot have")
    files = file_names((document.id for document in corpus.documents), ".tsv")
    unbroken, notes = filled_gaps(corpus)
    mentions = unbroken.by_document()
    with written_folder(folder, corpus, files) as new:
        for document in corpus.documents:
            with output_file(new / files[document.id]) as file:
                for line in _lines(document, mentions[document.id]):
                    file.write(f"{line}\n")
    return notes


def _lines(document: Document, mentions: Sequence[Mention]) -> Iterator[str]:
    yield _MAGIC.decode() + ".3"
    yield f"#T_CH={LAYER}|referenceRelation|referenceType"
    cells: dict[int, list[tuple[str, str]]] = {}
    for chain, members in enumerate(chains_of(mentions), start=1):
        for link, mention in enumerate(members, start=1):
            label = _ESCAPED.sub(lambda match: _ESCAPES.get(match[0], f"\\{match[0]}"), label_of(mention))
            for token in mention.tokens:
                cells.setdefault(token, []).append((f"*->{chain}-{link}", f"{label}[{chain}]"))
    units = Utf16Units(document.text)
    for sentence, (first, last) in enumerate((one for one in document.sentences if one[0] < one[1]), start=1):
        text = document.text[document.offsets[first][0] : document.offsets[last - 1][1]]
        yield ""
        yield f"#Text={_escaped_text(text)}"
        for number, token in enumerate(range(first, last), start=1):
            start, end = document.offsets[token]
            own = cells.get(token, [])
            relations, types = ("|".join(part) or "_" for part in (zip(*own, strict=True) if own else ("", "")))
            word = _escaped_text(document.text[start:end])
            yield f"{sentence}-{number}\t{units(start)}-{units(end)}\t{word}\t{relations}\t{types}\t"


def _escaped_text(text: str) -> str:
    return re.sub(r"[\\\t\n\r]", lambda match: {"\r": r"\r", "\\": r"\\"}.get(match[0]) or _ESCAPES[match[0]], text)


def _unescaped(value: str) -> str:
    return _UNESCAPED.sub(lambda match: {**_UNESCAPES, "r": "\r"}.get(match[1], match[1]), value)


def _split(cell: str) -> list[str]:
    """The annotations that are stacked in a cell."""
    return re.split(r"(?<!\\)\|", cell)


@dataclass(slots=True)
class _Read:
    """A file that is being read: the lines of text with where they begin, tokens, and links by chain and number."""

    texts: list[str] = field(default_factory=list)
    words: list[tuple[int, int, str]] = field(default_factory=list)
    sentences: list[int] = field(default_factory=list)
    links: dict[tuple[str, int], list[int]] = field(default_factory=dict)
    labels: dict[tuple[str, int], str] = field(default_factory=dict)


def read_webanno(path: Path, options: ReadOptions) -> Corpus:
    """Read a WebAnno TSV 3 file as one document.

    Raises `InputError` if the file cannot be read, or a line is not as WebAnno writes it; the message gives the line.
    """
    read = _Read()
    columns: list[int] = []
    width = 3
    for number, line in enumerate(text_content(path, options.encoding).decode().split("\n"), start=1):
        line = line.rstrip("\r")
        if line.startswith("#T_"):
            layer, _, features = line.partition("=")[2].partition("|")
            names = features.split("|")
            if line.startswith("#T_CH=") and {"referenceRelation", "referenceType"} <= set(names) and layer:
                columns += [width + names.index(name) for name in ("referenceRelation", "referenceType")]
            width += len(names)
        elif line.startswith("#Text="):
            more = read.texts and len(read.sentences) > 0 and read.sentences[-1] == len(read.words)
            if more:  # a sentence over several lines
                read.texts[-1] += "\n" + _unescaped(line.removeprefix("#Text="))
            else:
                read.texts.append(_unescaped(line.removeprefix("#Text=")))
                read.sentences.append(len(read.words))
        elif line.strip() and not line.startswith("#"):
            _read_token(read, line.split("\t"), columns, path, number)
    document = _document(read, path, options.id or path.name)
    chains: dict[str, list[Link]] = {}
    for (chain, link), tokens in sorted(read.links.items(), key=lambda entry: entry[0]):
        kind, cluster, tag = parsed_label(read.labels.get((chain, link)))
        chains.setdefault(chain, []).append(Link(tuple(sorted(set(tokens))), kind, cluster, tag))
    return as_recorded(path, document, list(chains.values())).with_kind(options.kind)


def _read_token(read: _Read, cells: list[str], columns: Sequence[int], path: Path, line: int) -> None:
    place = _PLACE.fullmatch(cells[0])
    offsets = _OFFSETS.fullmatch(cells[1]) if len(cells) > 2 else None
    if place is None or offsets is None or not read.sentences:
        raise InputError("expected the number, the characters and the words of a token", path, line)
    if place[3] is None:  # what is annotated below a token counts for the token
        read.words.append((int(offsets[1]), int(offsets[2]), _unescaped(cells[2])))
    token = len(read.words) - 1
    for layer, (relation, type) in enumerate(zip(columns[::2], columns[1::2], strict=True)):
        if max(relation, type) >= len(cells) or cells[relation] in ("_", ""):
            continue
        types = {}
        for value in _split(cells[type]):
            if found := _NUMBER.fullmatch(value):
                types[found[2]] = "" if found[1] == "*" else _unescaped(found[1])
        for value in _split(cells[relation]):
            found = _CHAIN.fullmatch(value)
            if found is None:
                raise InputError(f"{value!r} is no link of a chain, such as *->1-2", path, line)
            key = f"{layer}-{found[1]}", int(found[2])
            read.links.setdefault(key, []).append(token)
            read.labels.setdefault(key, types.get(found[1], ""))


def _document(read: _Read, path: Path, id: str) -> Document:
    """The document, whose text is put together from its sentences; what was between them is not in the file."""
    pieces: list[str] = []
    at = 0
    ends = [*read.sentences[1:], len(read.words)] if read.sentences else []
    for text, first, last in zip(read.texts, read.sentences, ends, strict=True):
        if first == last:
            continue
        start = read.words[first][0]
        pieces.append("\n" * max(0, start - at) + text)
        at = max(at, start) + len(text.encode("utf-16-le")) // 2
    text = "".join(pieces)
    encoded = text.encode("utf-16-le")
    offsets = []
    for start, end, _ in read.words:
        before = len(encoded[: 2 * start].decode("utf-16-le", "ignore"))
        offsets.append((before, before + len(encoded[2 * start : 2 * end].decode("utf-16-le", "ignore"))))
    sentences = [(first, last) for first, last in zip(read.sentences, ends, strict=True) if first < last]
    words = tuple(word for _, _, word in read.words)
    if any(text[start:end].split() != word.split() for (start, end), word in zip(offsets, words, strict=True)):
        raise InputError("the tokens are not where the characters of the text say; export the document again", path)
    return Document(id.removesuffix(".tsv"), words, tuple(sentences), text, tuple(offsets), path=str(path))


WEBANNO = Format(
    name="WebAnno TSV",
    suffixes=(),  # .tsv is that of tables
    recognise=lambda start: start.startswith(_MAGIC),
    read=read_webanno,
    read_table=table_reader(read_webanno),
)

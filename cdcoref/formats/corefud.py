"""CorefUD files (CoNLL-U with `Entity=` in the last column): files in, a corpus out, and back. See `corefud_parsing`.

Documents, parts, sentences, tokens, discontinuous mentions, kinds and clusters are read back as they were written, even
clusters that span documents: their names are stored as `crossdoc` in the attribute `other`, which other programs
ignore, so that for them coreference ends with the document. CorefUD has no topics, mention ids, confidences or
annotated sentences, no documents without words, and not all crossing mentions within a cluster. Written files have no
syntax; the last word of a mention is given as its head.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import groupby, pairwise
from operator import itemgetter
from pathlib import Path
from typing import NoReturn
from urllib.parse import quote

from cdcoref.corpus import EVENT, Corpus, Document, Mention
from cdcoref.errors import InputError
from cdcoref.formats.corefud_parsing import (
    ATTRIBUTES,
    CROSS_DOCUMENT,
    KIND,
    Brackets,
    FoundMention,
    begins_with_conllu,
    read_corefud_table,
)
from cdcoref.formats.document_names import DocumentKey, document_ids, document_keys, key_to_column
from cdcoref.formats.format import Format, ReadOptions
from cdcoref.formats.mention_table import beginning
from cdcoref.formats.output_file import output_file
from cdcoref.formats.word_escapes import escape
from cdlm.printing import counted

TYPES = {
    *("person", "place", "organization", "animal", "plant", "object", "substance", "time", "number", "abstract"),
    *("event", "other"),
}
"""The entity types of CorefUD."""

_HEAD = re.compile(r"[0-9]{1,6}(,[0-9]{1,6})*")


def read_corefud(path: str | Path, *, kind: str | None = None, heads: bool = False, empty_nodes: bool = True) -> Corpus:
    """Read a CorefUD file, plain or gzipped.

    Parameters
    ----------
    path
        The file.
    kind
        The kind of all mentions without one: CorefUD has types, and kinds only if `write_corefud` wrote the file.
    heads
        Whether to reduce mentions to their heads: the words whose indices, from 1, are in the attribute `minspan` (GUM)
        or `head` (CorefUD).
    empty_nodes
        Whether empty nodes (words that the text omits) are tokens.

    Returns
    -------
    Corpus
        Cluster names are preceded by the document id, unless `write_corefud` wrote them. A mention's tag is its type
        (`etype`).

    Raises
    ------
    InputError
        If the file is not CoNLL-U, a bracket is unmatched, a mention lacks the head that `heads` needs, or a mention
        begins or ends at an empty node that is not a token.
    """
    sentences: dict[int, dict[int, list[str]]] = {}

    def add(document: int, sentence: int, word: str) -> None:
        sentences.setdefault(document, {}).setdefault(sentence, []).append(word)

    found: list[FoundMention] = []
    table = read_corefud_table(path, add, found.append, empty_nodes=empty_nodes)
    ids = document_ids(table.documents, str(path))
    documents = [
        Document.from_sentences(id, sentences.get(number, {}).values(), part=key.part, path=str(path))
        for number, (id, key) in enumerate(zip(ids, table.documents, strict=True))
    ]
    mentions = []
    for document, mention in zip(table.document.tolist(), found, strict=True):
        name = mention.cross_document
        mentions.append(
            Mention(
                ids[document],
                _head_of(mention, str(path)) if heads else tuple(mention.tokens),
                mention.kind or kind,
                f"{ids[document]}/{mention.name}" if name is None else name,
                tag=mention.type,
            )
        )
    return Corpus(tuple(documents), tuple(mentions))


def _head_of(mention: FoundMention, path: str) -> tuple[int, ...]:
    numbers = sorted(set(map(int, mention.head.split(",")))) if _HEAD.fullmatch(mention.head) else []
    if not numbers or numbers[0] < 1 or numbers[-1] > len(mention.tokens):
        shown = f"the head {mention.head[:40]!r}" if mention.head else "no minspan or head"
        message = f"a mention of {counted(len(mention.tokens), 'word')} begins here with {shown}"
        raise InputError(f"{message}; expected the indices of words of the mention, from 1", path, mention.line)
    return tuple(mention.tokens[number - 1] for number in numbers)


def write_corefud(corpus: Corpus, path: str | Path) -> None:
    """Write a corpus as CorefUD, gzipped if the name ends in `.gz`.

    Parameters
    ----------
    corpus
        The corpus. A cluster gets an id per document (`e1`, `e2`, ...), besides its name in the corpus.
    path
        The file; it is replaced once everything is written.

    Raises
    ------
    InputError
        If a document has no words, mentions of a cluster cross, or the file cannot be written.
    """
    first = 1
    with output_file(path) as file:
        found = corpus.by_document()
        for key, document in zip(document_keys(corpus.documents), corpus.documents, strict=True):
            if not document.tokens:
                raise InputError(f"document {document.id!r} has no words, which CorefUD cannot express", document.path)
            named, first = _named(found[document.id], first)
            for line in _lines(key, document, _cells(document, named)):
                file.write(line + "\n")


Named = list[tuple[str, str, Mention]]
"""Mentions with the id of their cluster in the document and with their attributes."""


def _named(mentions: list[Mention], first: int) -> tuple[Named, int]:
    """The mentions of a document with cluster ids from `e{first}` on, and the next free number."""
    numbers: dict[object, tuple[int, str]] = {}
    named = []
    for mention in sorted(mentions, key=beginning):
        key = object() if mention.cluster is None else (mention.kind, mention.cluster)
        etype = mention.tag if mention.tag in TYPES else EVENT if mention.kind == EVENT else ""
        # In CorefUD a cluster has one type: that of its first mention.
        number, etype = numbers.setdefault(key, (first + len(numbers), etype))
        other = {} if mention.kind is None else {KIND: mention.kind}
        if mention.cluster is not None:
            other[CROSS_DOCUMENT] = quote(mention.cluster, safe="", errors="surrogatepass").replace("-", "%2D")
        values = (f"e{number}", etype, str(len(mention.tokens)), ",".join(f"{k}:{v}" for k, v in other.items()))
        named.append((values[0], "-".join(values[1:]), mention))
    return named, first + len(numbers)


def _cells(document: Document, named: Named) -> dict[int, str]:
    """The values of `Entity=`, by token."""
    ends: dict[int, list[tuple[int, str]]] = {}
    begins: dict[int, list[tuple[int, str]]] = {}
    words: dict[int, list[str]] = {}
    for name, attributes, mention in named:
        pieces = list(_pieces(mention.tokens))
        for number, (start, last) in enumerate(pieces, 1):
            piece = name if len(pieces) == 1 else f"{name}[{number}/{len(pieces)}]"
            if start == last:
                words.setdefault(start, []).append(f"({piece}-{attributes})")
            else:
                begins.setdefault(start, []).append((-last, f"({piece}-{attributes}"))
                ends.setdefault(last, []).append((-start, f"{piece})"))
    cells = {}
    for token in ends.keys() | begins.keys() | words.keys():
        closing, opening = (
            "".join(text for _, text in sorted(table.get(token, []), key=itemgetter(0))) for table in (ends, begins)
        )
        whole = "".join(words.get(token, []))
        # CorefUD's order: ends, then beginnings; whole mentions after beginnings, or before ends if there are none.
        cells[token] = closing + opening + whole if opening else whole + closing
    _check(document, named, cells)
    return cells


def _pieces(tokens: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """First and last token of each contiguous part of a mention."""
    for _, run in groupby(enumerate(tokens), key=lambda entry: entry[1] - entry[0]):
        part = [token for _, token in run]
        yield part[0], part[-1]


def _check(document: Document, named: Named, cells: dict[int, str]) -> None:
    """Reject crossing mentions of a cluster, whose brackets would be paired differently on reading."""

    def fail(message: str, line: int) -> NoReturn:
        raise InputError(
            f"mentions of one cluster cross in document {document.id!r}, which CorefUD cannot express; use JSON lines",
            document.path,
        )

    brackets = Brackets(fail)
    found = Counter(
        (mention.name, tuple(mention.tokens))
        for token, text in sorted(cells.items())
        for mention in brackets.take(text, token, 0, ATTRIBUTES)
    )
    if found != Counter((name, mention.tokens) for name, _, mention in named):
        fail("", 0)


def _lines(key: DocumentKey, document: Document, cells: dict[int, str]) -> Iterator[str]:
    id = key_to_column(key)
    yield f"# newdoc id = {id}"
    yield f"# global.Entity = {'-'.join(ATTRIBUTES)}"
    for number, (start, end) in enumerate(document.sentences, 1):
        if start == end:
            continue
        words = [escape(word) for word in document.tokens[start:end]]
        touches = [first[1] == second[0] for first, second in pairwise(document.offsets[start:end])]
        spaces = ["" if touching else " " for touching in touches]
        yield f"# sent_id = {id}-{number}"
        yield "# text = " + "".join(word + space for word, space in zip(words, [*spaces, ""], strict=True))
        for place, word in enumerate(words):
            misc = [f"Entity={cells[start + place]}"] if start + place in cells else []
            if place < len(touches) and touches[place]:
                misc.append("SpaceAfter=No")
            yield "\t".join([str(place + 1), word, *["_"] * 7, "|".join(misc) or "_"])
        yield ""


def _read(path: Path, options: ReadOptions) -> Corpus:
    return read_corefud(path, kind=options.kind)


def _write(corpus: Corpus, path: Path, layout: str | None) -> tuple[str, ...]:
    written = corpus.subset(document.id for document in corpus.documents if document.tokens)
    write_corefud(written, path)
    empty = len(corpus.documents) - len(written.documents)
    return (f"{counted(empty, 'document')} without tokens omitted, since CorefUD has none",) if empty else ()


COREFUD = Format(
    name="CorefUD",
    suffixes=(".conllu",),
    recognise=begins_with_conllu,
    read=_read,
    read_table=lambda path, _: read_corefud_table(path),
    write=_write,
)

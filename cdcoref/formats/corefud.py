"""CorefUD: CoNLL-U files whose last column (MISC) carries coreference as `Entity=`, as a corpus or a mention table.

https://ufal.mff.cuni.cz/corefud: `(e5-person-1-` begins a mention of cluster e5, `e5)` ends it, `(e5-person-1-)` is a
mention of one word, several stand side by side without a separator; `e5[1/2]` is the first of two pieces of a
discontinuous mention. The comment `# global.Entity = eid-etype-head-other` says which of the attributes between the
hyphens is the cluster (`eid`, or `GRP` in other corpora; the first by default). Tokens are words and empty nodes;
ranges of multiword tokens are not tokens. A cluster's name means something within one document only (`# newdoc`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.errors import InputError
from cdcoref.formats.line_chunks import line_chunks
from cdcoref.formats.mention_table import DocumentKey, DocumentRow, MentionTable, MentionTableBuilder

LONGEST_LINE = 1 << 24
"""Bytes of the longest line that is accepted."""

COLUMNS = 10
TAB = b"\t"

_NEWDOC = re.compile(rb"#\s*newdoc(?:\s+id\s*=\s*(.*))?\s*$")
_ATTRIBUTES = re.compile(rb"#\s*global\.Entity\s*=\s*(\S+)")
_ENTITY = re.compile(r"(?:^|\|)Entity=([^|]*)")
_BRACKET = re.compile(r"(\()?([^()]+)(\))?")
_HEAD = re.compile(r"\d{1,6}(,\d{1,6})*")
_PIECE = re.compile(r"(.*)\[(\d{1,6})/(\d{1,6})\]$")

OnWord = Callable[[int, int, str], None]
"""Called with the number of the document, the number of the sentence in the file, and the word."""


def read_corefud_table(path: str | Path, on_word: OnWord | None = None) -> MentionTable:
    """Read the mentions of a CorefUD file, plain or gzipped.

    Parameters
    ----------
    path
        The file.
    on_word
        What else to do with every word and empty node.

    Raises
    ------
    InputError
        If the file is not CoNLL-U, or a bracket has no partner.
    """
    return _Reader(str(path), on_word).read_file()


def read_corefud(path: str | Path, *, kind: str | None = None, heads: bool = False, empty_nodes: bool = True) -> Corpus:
    """Read a CorefUD file, plain or gzipped.

    Parameters
    ----------
    path
        The file.
    kind
        The kind of all its mentions, since CorefUD's types of entities are others.
    heads
        Whether a mention is its head alone: the words of it that the attribute `minspan` (GUM) or `head` (CorefUD)
        counts from 1.
    empty_nodes
        Whether empty nodes are tokens: words that the text leaves out.

    Returns
    -------
    Corpus
        The cluster's name has the document's before it. A mention's tag is its type (`etype`).

    Raises
    ------
    InputError
        If the file is not CoNLL-U, a bracket has no partner, `heads` are asked for and a mention has none, or a
        mention begins or ends at an empty node that is no token.
    """
    sentences: dict[int, dict[int, list[str]]] = {}

    def add(document: int, sentence: int, word: str) -> None:
        sentences.setdefault(document, {}).setdefault(sentence, []).append(word)

    reader = _Reader(str(path), add, empty_nodes)
    table = reader.read_file()
    ids = [key.name for key in table.documents]
    documents = [
        Document.from_sentences(id, sentences.get(number, {}).values(), path=str(path)) for number, id in enumerate(ids)
    ]
    mentions = []
    for row in range(len(table.document)):
        id = ids[int(table.document[row])]
        tokens = table.gaps.get(row) or tuple(range(int(table.start[row]), int(table.end[row])))
        mention = reader.mentions[row]
        if heads:
            tokens = _head_of(tokens, mention, str(path))
        cluster = f"{id}/{table.names[int(table.cluster[row])]}"
        mentions.append(Mention(id, tokens, kind, cluster, tag=mention.type or None))
    return Corpus(tuple(documents), tuple(mentions))


@dataclass(slots=True)
class _Open:
    """A mention that has begun; `type` and `head` are as its first bracket says them, empty where it does not."""

    order: int
    line: int
    start: int
    type: str = ""
    head: str = ""
    earlier: list[int] = field(default_factory=list)  # tokens of the pieces before
    piece: int = 1
    pieces: int = 1


def _head_of(tokens: tuple[int, ...], mention: _Open, path: str) -> tuple[int, ...]:
    numbers = list(map(int, mention.head.split(","))) if _HEAD.fullmatch(mention.head) else []
    if not numbers or not 1 <= min(numbers) <= max(numbers) <= len(tokens):
        shown = f"{mention.head!r} is" if mention.head else "no minspan or head is"
        message = f"{shown} given for the head of a mention of {len(tokens)} words that begins here"
        raise InputError(f"{message}; expected the number of a word of it", path, mention.line)
    return tuple(tokens[number - 1] for number in sorted(set(numbers)))


class _Reader:
    """Attributes: `mentions` has the mentions in the order of the table's rows, where words are collected too."""

    def __init__(self, path: str, on_word: OnWord | None, empty_nodes: bool = True) -> None:
        self._path = path
        self._on_word = on_word
        self._empty_nodes = empty_nodes
        self._builder = MentionTableBuilder(path)
        self._builder.table.local_clusters = True
        self._document: DocumentRow | None = None
        self._open: dict[str, list[_Open]] = {}
        self._waiting: dict[str, list[_Open]] = {}  # discontinuous mentions between two of their pieces
        self._attribute = 0
        self._type = self._head = -1
        self.mentions: list[_Open] = []
        self._sentence = 0
        self._order = 0

    def read_file(self) -> MentionTable:
        """Read the whole file into a table."""
        for first, chunk in line_chunks(self._path, LONGEST_LINE):
            self._read(chunk[:-1].split(b"\n"), first)
        self._end_document()
        return self._builder.finish()

    def _read(self, lines: list[bytes], first: int) -> None:
        """Take some lines, the first of which has that number in the file."""
        only_mentions = self._on_word is None
        for number, line in enumerate(lines, first):
            if line[:1].isdigit():
                if only_mentions and b"Entity=" not in line and self._document is not None:
                    # Most lines by far: a word (or a range of words) that no mention begins or ends at.
                    if line.count(b"\t") != COLUMNS - 1:
                        self._fail_columns(line, number)
                    self._document.tokens += b"-" not in line[: line.index(b"\t")]
                else:
                    self._word(line, number)
            elif line[:1] == b"#":
                self._comment(line, number)
            elif not line.strip():
                self._sentence += 1
            else:
                self._fail_columns(line, number)

    def _fail(self, message: str, line: int) -> NoReturn:
        raise InputError(message, self._path, line)

    def _fail_columns(self, line: bytes, number: int) -> NoReturn:
        self._fail(
            f"the line has {line.count(TAB) + 1} tab-separated columns, the first of which begins with "
            f"{line[:1].decode(errors='replace')!r}; a word of CoNLL-U has {COLUMNS} and begins with its number",
            number,
        )

    def _comment(self, line: bytes, number: int) -> None:
        if match := _NEWDOC.match(line):
            self._end_document()
            name = (match[1] or b"").decode().strip()
            self._begin_document(name, number)
        elif match := _ATTRIBUTES.match(line):
            names = match[1].decode().split("-")
            self._attribute = max(0, _place(names, "eid", "GRP"))
            self._type, self._head = _place(names, "etype"), _place(names, "minspan", "head")

    def _begin_document(self, name: str, number: int) -> None:
        row = DocumentRow(line=number)
        self._builder.begin_document(DocumentKey(name or f"document {len(self._builder.table.documents) + 1}"), row)
        self._document = row

    def _end_document(self) -> None:
        lines = [mention.line for table in (self._open, self._waiting) for stack in table.values() for mention in stack]
        if lines:
            self._fail("a mention begins here and never ends in its document; close its bracket", min(lines))
        self._open.clear()
        self._waiting.clear()
        self._document = None

    def _word(self, line: bytes, number: int) -> None:
        columns = line.rstrip(b"\r").split(b"\t")
        if len(columns) != COLUMNS:
            self._fail_columns(line, number)
        if b"-" in columns[0]:
            return
        if b"." in columns[0] and not self._empty_nodes:
            if b"Entity=" in columns[9]:
                self._fail("a mention begins or ends at an empty node, which is no word of the text", number)
            return
        if self._document is None:
            self._begin_document("", number)
        assert self._document is not None
        if self._on_word is not None:
            self._on_word(len(self._builder.table.documents) - 1, self._sentence, columns[1].decode())
        if b"Entity=" in columns[9] and (entity := _ENTITY.search(columns[9].decode())):
            self._brackets(entity[1], self._document.tokens, number)
        self._document.tokens += 1

    def _brackets(self, text: str, token: int, line: int) -> None:
        at = 0
        while at < len(text):
            match = _BRACKET.match(text, at)
            if match is None or not (match[1] or match[3]):
                self._fail(f"Entity={text[:60]} cannot be read; each mention needs a bracket and a name", line)
            at = match.end()
            opens, inside, closes = match.groups()
            if opens:
                attributes = inside.split("-")
                name = attributes[min(self._attribute, len(attributes) - 1)]
                self._begin_mention(name, token, line, attributes)
            else:
                name = inside.split("-")[0]
            if closes:
                self._end_mention(name, token, line)

    def _begin_mention(self, name: str, token: int, line: int, attributes: list[str]) -> None:
        piece = _PIECE.match(name)
        if piece is None or int(piece[2]) == 1:
            cluster, pieces = (name, 1) if piece is None else (piece[1], int(piece[3]))
            type, head = (attributes[n] if 0 <= n < len(attributes) else "" for n in (self._type, self._head))
            mention = _Open(self._order, line, token, type, head, pieces=pieces)
            self._order += 1
        else:
            cluster = piece[1]
            stack = self._waiting.get(cluster, [])
            number = int(piece[2])
            found = [m for m in stack if m.piece == number - 1 and m.pieces == int(piece[3])]
            if not found:
                self._fail(f"{name} continues a mention whose piece before was not found", line)
            mention = found[-1]
            stack.remove(mention)
            mention.start, mention.piece = token, number
        self._open.setdefault(cluster, []).append(mention)

    def _end_mention(self, name: str, token: int, line: int) -> None:
        piece = _PIECE.match(name)
        cluster = piece[1] if piece else name
        stack = self._open.get(cluster)
        if not stack:
            self._fail(f"a mention of {cluster} ends here that has not begun; open its bracket", line)
        mention = stack.pop()
        mention.earlier.extend(range(mention.start, token + 1))
        if mention.piece < mention.pieces:
            self._waiting.setdefault(cluster, []).append(mention)
            return
        tokens = tuple(sorted(set(mention.earlier)))
        self._builder.add_tokens(tokens, self._builder.cluster(cluster, cluster), mention.order)
        if self._on_word is not None:
            self.mentions.append(mention)


def _place(names: list[str], *wanted: str) -> int:
    """Where the first of the wanted attributes that there is stands among the names; -1 for none."""
    return next((names.index(name) for name in wanted if name in names), -1)

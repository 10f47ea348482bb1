"""CorefUD, parsed: CoNLL-U lines with coreference as `Entity=` in the last column (MISC) in, a `MentionTable` out.
https://ufal.mff.cuni.cz/corefud: `(e5-person-1-` begins a mention of cluster e5, `e5)` ends it, `e5[1/2]` is the first
of its two parts. `# global.Entity` names the attributes; `other` may hold `crossdoc:NAME` and `kind:event`."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, NoReturn
from urllib.parse import unquote

from cdcoref.corpus import KINDS
from cdcoref.errors import InputError
from cdcoref.formats.lines import line_chunks
from cdcoref.formats.mention_table import (
    KIND_NUMBERS,
    DocumentKey,
    DocumentRow,
    EmptyNode,
    MentionTable,
    MentionTableBuilder,
    column_to_key,
    unescape,
)
from cdlm.printing import counted

COLUMNS = 10
ATTRIBUTES = ("eid", "etype", "head", "other")
"""The attributes of a mention: the default on reading, and those written."""
TYPE_FIRST = ("etype", "eid")
"""The first attributes of GUM up to 2.7, which has no `global.Entity`: `(person-1` to `person-1)` is a mention of
cluster 1."""
TYPES = {
    *("person", "place", "organization", "animal", "plant", "object", "substance", "time", "number", "abstract"),
    *("event", "other"),
}
"""The entity types of CorefUD."""
CROSS_DOCUMENT, KIND = "crossdoc", "kind"
"""The names in `other` for the name of a cluster across documents, and for a mention's kind."""
_COMMENT = re.compile(
    rb"#\s*(?:(?:newdoc|newpar)(?:\s+id\s*=.*)?\s*$|(?:global\.\w+|sent_id|text|generator)\s*=)", re.ASCII
)
_FIRST_WORD = re.compile(rb"\d+(?:[-.]\d+)?(?:\t[^\t]+){9}\r?$")
_NEWDOC = re.compile(rb"#\s*newdoc(?:\s+id\s*=\s*(.*))?\s*$")
_GLOBAL_ENTITY = re.compile(rb"#\s*global\.Entity\s*=\s*(\S+)")
_NO_SPACE = re.compile(rb"(?:^|\|)SpaceAfter=No(?:\||$)")
_ENTITY = re.compile(r"(?:^|\|)Entity=([^|]*)")
_LINKS = re.compile(r"(?:^|(?<=\|))(Bridge|SplitAnte)=([^|]+)")
_TYPE_FIRST = re.compile(r"\([A-Za-z_]+-[0-9]+(?=[-()]|$)")
_TYPE_ALONE = re.compile(rf"\((?:{'|'.join(sorted(TYPES))})(?=[()]|$)", re.IGNORECASE)
_BRACKET = re.compile(r"(\()?([^()]+)(\))?")
_PIECE = re.compile(r"(.*)\[([0-9]{1,6})/([0-9]{1,6})\]")


class Word(NamedTuple):
    """A word or an empty node."""

    document: int
    sentence: int
    """The index of the document, and that of the sentence in the file."""
    form: str
    space_after: bool
    """Whether white space follows in the text."""
    links: tuple[tuple[str, str], ...] = ()
    """Bridging and split antecedents of the entity that begins here: ``Bridge`` or ``SplitAnte``, and the value."""


def begins_with_conllu(start: bytes) -> bool:
    """Whether a file begins with a comment or a word of CoNLL-U."""
    for line in start.split(b"\n"):
        if _COMMENT.match(line):
            return True
        if line.strip() and not line.startswith(b"#"):
            return _FIRST_WORD.match(line) is not None
    return False


@dataclass(slots=True)
class FoundMention:
    """A mention that has begun."""

    attributes: dict[str, str]
    """The attributes of its first bracket, by name."""
    order: int
    line: int
    """The index of that bracket in the file, and its line."""
    name: str
    """The cluster, as named in the brackets."""
    tokens: list[int] = field(default_factory=list)
    """The tokens of the parts that have ended."""
    start: int = 0
    """The first token of the part that has begun."""
    piece: int = 1
    pieces: int = 1
    """The number of that part, from 1, and the number of parts."""

    @property
    def type(self) -> str | None:
        """Its type in CorefUD."""
        return self.attributes.get("etype") or self.attributes.get("entity") or None

    @property
    def head(self) -> str:
        """The indices of the words of its head, from 1, as given by GUM (`minspan`) or CorefUD (`head`)."""
        return self.attributes.get("minspan") or self.attributes.get("head") or ""

    @property
    def kind(self) -> str | None:
        """Its kind, if `other` contains one."""
        kind = self._other().get(KIND)
        return kind if kind in KINDS else None

    @property
    def cross_document(self) -> str | None:
        """The name of its cluster across documents, if `other` contains one."""
        name = self._other().get(CROSS_DOCUMENT)
        return None if name is None else unquote(name, errors="replace")

    def _other(self) -> dict[str, str]:
        other = self.attributes.get("other")
        return dict(pair.partition(":")[::2] for pair in other.split(",")) if other else {}


class Brackets:
    """Matches the brackets of one document; `fail` raises the error for a message and a line."""

    def __init__(self, fail: Callable[[str, int], NoReturn], order: int = 0) -> None:
        self._fail = fail
        self.order = order  # of the first mention
        # Of each cluster the mentions with an open part, in the order in which these parts began.
        self._open: dict[str, list[FoundMention]] = {}
        # Discontinuous mentions between two of their parts, by their cluster and the parts that have ended.
        self._waiting: dict[tuple[str, int, int], list[FoundMention]] = {}

    def take(self, text: str, token: int, line: int, names: Sequence[str]) -> Iterator[FoundMention]:
        """Parse the value of `Entity=` at a token, given the names of the attributes; yields the mentions that end."""
        cluster = next((names.index(name) for name in ("eid", "GRP") if name in names), 0)
        at = 0
        while at < len(text):
            match = _BRACKET.match(text, at)
            if match is None or not (match[1] or match[3]):
                self._fail(f"Entity={text[:60]} cannot be parsed; each mention needs a bracket and a name", line)
            at = match.end()
            opens, inside, closes = match.groups()
            values = inside.split("-")
            name = values[min(cluster, len(values) - 1)]
            if not name:
                self._fail(f"Entity={text[:60]} cannot be parsed; each mention needs a bracket and a name", line)
            if opens:
                self._begin(name, dict(zip(names, values, strict=False)), token, line)
            if closes and (mention := self._end(name, token, line)):
                yield mention

    def finish(self) -> None:
        """Reject mentions that have not ended."""
        stacks = (*self._open.values(), *self._waiting.values())
        lines = [mention.line for stack in stacks for mention in stack]
        if lines:
            self._fail("the mention that begins here does not end in its document; close its bracket", min(lines))

    def _begin(self, name: str, attributes: dict[str, str], token: int, line: int) -> None:
        cluster, number, pieces = _piece(name)
        if number == 1:
            mention = FoundMention(attributes, self.order, line, cluster, pieces=pieces)
            self.order += 1
        else:
            waiting = self._waiting.get((cluster, number - 1, pieces))
            if not waiting:
                self._fail(f"{name[:60]} continues a mention whose previous part is missing", line)
            mention = waiting.pop()
        mention.start, mention.piece = token, number
        self._open.setdefault(cluster, []).append(mention)

    def _end(self, name: str, token: int, line: int) -> FoundMention | None:
        cluster, number, pieces = _piece(name)
        stack = self._open.get(cluster)
        if not stack:
            self._fail(f"a mention of {cluster[:60]} ends here but does not begin; open its bracket", line)
        same = (n for n in range(len(stack) - 1, -1, -1) if (stack[n].piece, stack[n].pieces) == (number, pieces))
        mention = stack.pop(next(same, -1))  # without one with such a part, the one whose part began last
        mention.tokens.extend(range(mention.start, token + 1))
        if mention.piece < mention.pieces:
            self._waiting.setdefault((cluster, mention.piece, mention.pieces), []).append(mention)
            return None
        mention.tokens = sorted(set(mention.tokens))
        return mention


def _piece(name: str) -> tuple[str, int, int]:
    """The cluster, the number of the part, and the number of parts."""
    match = _PIECE.fullmatch(name)
    return (match[1], int(match[2]), int(match[3])) if match else (name, 1, 1)


def read_corefud_table(
    path: str | Path, words: list[Word] | None = None, *, empty_nodes: bool = True
) -> tuple[MentionTable, list[FoundMention]]:
    """Read mentions as a table and as found; adds to `words`. Empty nodes are tokens if `empty_nodes`."""
    reader = _Reader(str(path), words, empty_nodes)
    for first, chunk in line_chunks(path):
        reader.read(chunk[:-1].split(b"\n"), first)
    return reader.finish(), reader.mentions


class _Reader:
    def __init__(self, path: str, words: list[Word] | None, empty_nodes: bool) -> None:
        self._path = path
        self._words = words
        self.mentions: list[FoundMention] = []
        self._empty_nodes = empty_nodes
        self._builder = MentionTableBuilder(path)
        self._builder.table.local_clusters = True
        self._document: DocumentRow | None = None
        self._brackets = Brackets(self._fail)
        self._attributes: Sequence[str] = ()  # until a comment or the first mention shows them
        self._sentence = 0
        self._first_sentence = 0  # of the document
        self._multiword = b"", True  # of a multiword token, the number of the last word and whether a space follows

    def read(self, lines: list[bytes], first: int) -> None:
        """Parse lines; `first` is the number of the first one in the file."""
        for number, line in enumerate(lines, first):
            if line[:1].isdigit():
                self._word(line, number)
            elif match := _NEWDOC.match(line):
                self._begin_document((match[1] or b"").decode().strip(), number)
            elif match := _GLOBAL_ENTITY.match(line):
                self._attributes = match[1].decode().split("-")
            elif line[:1] == b"#":
                continue
            elif not line.strip():
                self._sentence += 1
                self._multiword = b"", True
            else:
                self._fail_columns(line, number)

    def finish(self) -> MentionTable:
        self._brackets.finish()
        return self._builder.finish()

    def _fail(self, message: str, line: int) -> NoReturn:
        raise InputError(message, self._path, line)

    def _fail_columns(self, line: bytes, number: int) -> NoReturn:
        columns = line.count(b"\t") + 1
        self._fail(
            f"the line has {counted(columns, 'tab-separated column')} and begins with "
            f"{line[:20].decode(errors='replace')!r}; a word in CoNLL-U has {COLUMNS} and begins with its number",
            number,
        )

    def _begin_document(self, name: str, number: int) -> None:
        self._brackets.finish()
        self._brackets = Brackets(self._fail, self._brackets.order)
        unnamed = sum(not key.name for key in self._builder.table.documents)
        key = column_to_key(name) if name else DocumentKey("", str(unnamed))  # the file's, as in CoNLL
        self._document = DocumentRow(line=number)
        self._first_sentence = self._sentence
        self._builder.begin_document(key, self._document)

    def _word(self, line: bytes, number: int) -> None:
        columns = line.rstrip(b"\r").split(b"\t")
        if len(columns) != COLUMNS:
            self._fail_columns(line, number)
        spaced = _NO_SPACE.search(columns[9]) is None
        if b"-" in columns[0]:
            if _ENTITY.search(columns[9].decode()):
                self._fail(
                    "a mention begins or ends at a multiword token; put its bracket at one of the token's words", number
                )
            self._multiword = columns[0].partition(b"-")[2], spaced
            return
        if b"." in columns[0] and not self._empty_nodes:
            if b"Entity=" in columns[9]:
                self._fail("a mention begins or ends at an empty node, which is not a word of the text", number)
            return
        if self._document is None:
            self._begin_document("", number)
        assert self._document is not None
        if b"." in columns[0]:
            found = () if columns[8] == b"_" else tuple(columns[8].decode().split("|"))
            sentence = self._sentence - self._first_sentence
            self._document.empty_nodes.append(EmptyNode(self._document.tokens, sentence, columns[0].decode(), found))
        elif columns[0] == self._multiword[0]:
            spaced = self._multiword[1]
        if self._words is not None:
            links = tuple(_LINKS.findall(columns[9].decode()))
            document = len(self._builder.table.documents) - 1
            self._words.append(Word(document, self._sentence, unescape(columns[1].decode()), spaced, links))
        if b"Entity=" in columns[9] and (entity := _ENTITY.search(columns[9].decode())):
            if not self._attributes:
                if _TYPE_ALONE.match(entity[1]):
                    self._fail(
                        f"Entity={entity[1][:60]} has a type but no cluster; add a comment such as "
                        "# global.Entity = eid-etype, and a cluster to each mention",
                        number,
                    )
                self._attributes = TYPE_FIRST if _TYPE_FIRST.match(entity[1]) else ATTRIBUTES
            for mention in self._brackets.take(entity[1], self._document.tokens, number, self._attributes):
                self._add(mention)
        self._document.tokens += 1

    def _add(self, mention: FoundMention) -> None:
        table = self._builder.table
        kind, name = mention.kind, mention.cross_document
        key: object = mention.name
        if name is not None:
            table.local_clusters = False
            key = kind, name
        elif "GRP" in self._attributes or self._attributes == TYPE_FIRST:  # these numbers restart in each document
            key = len(table.documents), mention.name
        number = self._builder.cluster(key, mention.name if name is None else name)
        self._builder.add_tokens(tuple(mention.tokens), number, mention.order, KIND_NUMBERS[kind])
        self.mentions.append(mention)

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
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from operator import itemgetter
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import quote

from cdcoref.corpus import EVENT, Corpus, Document, Mention, unbroken_parts
from cdcoref.errors import InputError
from cdcoref.formats.conll_columns import DocumentKey, document_ids, document_keys, escape, key_to_column
from cdcoref.formats.corefud_parsing import (
    ATTRIBUTES,
    CROSS_DOCUMENT,
    KIND,
    TYPES,
    Brackets,
    FoundMention,
    Word,
    begins_with_conllu,
    read_corefud_table,
)
from cdcoref.formats.format import Format, lost_of_documents
from cdcoref.formats.mention_table import DocumentRow, beginning
from cdcoref.formats.output_file import output_file
from cdlm.printing import counted

LAYOUT = "corefud"
"""The metadata of a document in which is kept what only CorefUD has."""
SENTENCE_IDS, EMPTY_NODES, HEADS, MULTIWORD = "sentence_ids", "empty_nodes", "heads", "multiword_tokens"
LINKS = "links"
"""In it: the names of sentences; the dependencies of empty nodes, by token; the heads of mentions, by their tokens; the
last token and the form of multiword tokens, by the first; and `LINKS`, bridging and split antecedents, by the token
at which the attribute stands: its name, the clusters from and to which it goes, and what follows."""
_LINK = re.compile(r"([^<,]+)<([^:,]+)((?::[^,]*)?)")

_HEAD = re.compile(r"[0-9]{1,6}(,[0-9]{1,6})*")


def read_corefud(path: str | Path, *, kind: str | None = None, heads: bool = False, empty_nodes: bool = True) -> Corpus:
    """Read a CorefUD file, plain or gzipped.

    CorefUD has types, which are tags, and kinds only if `write_corefud` wrote the file: `kind` is that of other
    mentions. Cluster names are preceded by the document id, unless `write_corefud` wrote them. `heads` reduces mentions
    to the words whose indices, from 1, are in the attribute `minspan` (GUM) or `head`. Empty nodes are tokens if
    `empty_nodes`. Raises `InputError` if the file is not CoNLL-U, a bracket is unmatched, a mention lacks the head that
    `heads` needs, or a mention begins or ends at an empty node that is not a token.
    """
    words: dict[int, dict[int, list[Word]]] = {}

    def add(word: Word) -> None:
        words.setdefault(word.document, {}).setdefault(word.sentence, []).append(word)

    found: list[FoundMention] = []
    table = read_corefud_table(path, add, found.append, empty_nodes=empty_nodes)
    ids = document_ids(table.documents, str(path))
    heads_of: dict[int, dict[str, str]] = {}
    for number, mention in zip(table.document.tolist(), found, strict=True):
        if mention.head not in ("", str(len(mention.tokens))):
            heads_of.setdefault(number, {})[_place(mention.tokens)] = mention.head
    mentions = []
    clusters: dict[int, dict[str, str]] = {}
    for document, mention in zip(table.document.tolist(), found, strict=True):
        name = mention.cross_document
        cluster = f"{ids[document]}/{mention.name}" if name is None else name
        clusters.setdefault(document, {})[mention.name] = cluster
        mentions.append(
            Mention(
                ids[document],
                _head_of(mention, str(path)) if heads else tuple(mention.tokens),
                mention.kind or kind,
                cluster,
                tag=mention.type,
            )
        )
    documents = []
    for number, (id, (key, row)) in enumerate(zip(ids, table.documents.items(), strict=True)):
        sentences = list(words.get(number, {}).values())
        layout = {HEADS: heads_of.get(number), LINKS: _links(sentences, clusters.get(number, {}))}
        documents.append(_document(id, key, row, sentences, layout, str(path)))
    return Corpus(tuple(documents), tuple(mentions))


def _document(
    id: str, key: DocumentKey, row: DocumentRow, sentences: list[list[Word]], layout: dict[str, Any], path: str
) -> Document:
    """A document with its original spaces, and what a corpus has no place for as metadata."""
    tokens: list[str] = []
    ranges: list[tuple[int, int]] = []
    offsets: list[tuple[int, int]] = []
    text = ""
    empty = {node.token for node in row.empty_nodes}
    multiword: dict[str, tuple[int, str]] = {}
    begun: tuple[int, str] | None = None
    for sentence in sentences:
        start = len(tokens)
        spaced = True
        text += "\n" if ranges else ""
        for number, word in enumerate(sentence):
            if number:
                text += " " if spaced else ""
            if len(tokens) not in empty or not number:  # around an empty node, the text is as without it
                spaced = word.space_after
            if word.multiword:
                begun = len(tokens), word.multiword
            if begun is not None and word.ends_multiword:
                multiword[str(begun[0])] = len(tokens), begun[1]
                begun = None
            offsets.append((len(text), len(text) + len(word.form)))
            tokens.append(word.form)
            text += word.form
        ranges.append((start, len(tokens)))
        begun = None
    layout = {name: value for name, value in layout.items() if value}
    names = [sentence[0].sentence_id for sentence in sentences]
    if any(names) and names != [_sentence_id(key_to_column(key), number) for number in range(1, len(names) + 1)]:
        layout[SENTENCE_IDS] = names
    if row.empty_nodes:
        layout[EMPTY_NODES] = {str(node.token): "|".join(node.dependencies) for node in row.empty_nodes}
    if multiword:
        layout[MULTIWORD] = {first: list(rest) for first, rest in multiword.items()}
    metadata = {LAYOUT: layout} if layout else {}
    return Document(id, tuple(tokens), tuple(ranges), text, tuple(offsets), part=key.part, path=path, metadata=metadata)


def _links(sentences: list[list[Word]], clusters: Mapping[str, str]) -> dict[str, list[list[str]]]:
    """The links between entities of a document, with the names of their clusters, by token."""
    links: dict[str, list[list[str]]] = {}
    for token, word in enumerate(word for sentence in sentences for word in sentence):
        for attribute, value in word.links:
            for start, end, relation in _LINK.findall(value):
                if start in clusters and end in clusters:
                    links.setdefault(str(token), []).append([attribute, clusters[start], clusters[end], relation])
    return links


def _link_attributes(document: Document, named: Named) -> dict[int, list[str]]:
    """The links of a document as attributes, by token; those of clusters that it no longer has are left out."""
    ids = {mention.cluster: name for name, _, mention in named if mention.cluster is not None}
    stored = _layout_of(document, LINKS)
    attributes: dict[int, dict[str, list[str]]] = {}
    for token, links in stored.items() if isinstance(stored, Mapping) else ():
        for link in links if isinstance(links, list) and str(token).isdecimal() else ():
            match link:
                case [str(name), str(start), str(end), str(relation)] if start in ids and end in ids:
                    values = attributes.setdefault(int(token), {}).setdefault(name, [])
                    values.append(f"{ids[start]}<{ids[end]}{relation}")
    return {token: [f"{name}={','.join(of)}" for name, of in names.items()] for token, names in attributes.items()}


def _sentence_id(document: str, number: int) -> str:
    """The name of a sentence that has none."""
    return f"{document}-{number}"


def _place(tokens: Iterable[int]) -> str:
    """The tokens of a mention as the name of a head."""
    return ",".join(map(str, tokens))


def _layout_of(document: Document, name: str) -> Any:
    """What a document's metadata has of its CorefUD file under a name, which may have been changed since."""
    layout = document.metadata.get(LAYOUT)
    return layout.get(name) if isinstance(layout, Mapping) else None


def _head_of(mention: FoundMention, path: str) -> tuple[int, ...]:
    numbers = sorted(set(map(int, mention.head.split(",")))) if _HEAD.fullmatch(mention.head) else []
    if not numbers or numbers[0] < 1 or numbers[-1] > len(mention.tokens):
        shown = f"the head {mention.head[:40]!r}" if mention.head else "no minspan or head"
        message = f"a mention of {counted(len(mention.tokens), 'word')} begins here with {shown}"
        raise InputError(f"{message}; expected the indices of words of the mention, from 1", path, mention.line)
    return tuple(mention.tokens[number - 1] for number in numbers)


def write_corefud(corpus: Corpus, path: str | Path) -> None:
    """Write a corpus as CorefUD, gzipped if the name ends in `.gz`.

    A cluster gets an id per document (`e1`, `e2`, ...), besides its name in the corpus. Raises `InputError` if a
    document has no words, mentions of a cluster cross, or the file cannot be written.
    """
    first = 1
    with output_file(path) as file:
        found = corpus.by_document()
        for key, document in zip(document_keys(corpus.documents), corpus.documents, strict=True):
            if not document.tokens:
                raise InputError(f"document {document.id!r} has no words, which CorefUD cannot express", document.path)
            named, first = _with_cluster_ids(found[document.id], first, _layout_of(document, HEADS))
            for line in _lines(key, document, _cells(document, named), _link_attributes(document, named)):
                file.write(line + "\n")


Named = list[tuple[str, str, Mention]]
"""Mentions with the id of their cluster in the document and with their attributes."""


def _with_cluster_ids(mentions: list[Mention], first: int, heads: Any) -> tuple[Named, int]:
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
        head = heads.get(_place(mention.tokens)) if isinstance(heads, Mapping) else None
        head = head if isinstance(head, str) and _HEAD.fullmatch(head) else str(len(mention.tokens))
        values = (f"e{number}", etype, head, ",".join(f"{k}:{v}" for k, v in other.items()))
        named.append((values[0], "-".join(values[1:]), mention))
    return named, first + len(numbers)


def _cells(document: Document, named: Named) -> dict[int, str]:
    """The values of `Entity=`, by token."""
    ends: dict[int, list[tuple[int, str]]] = {}
    begins: dict[int, list[tuple[int, str]]] = {}
    words: dict[int, list[str]] = {}
    for name, attributes, mention in named:
        pieces = [(part[0], part[-1]) for part in unbroken_parts(mention.tokens)]
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


def _lines(
    key: DocumentKey, document: Document, cells: dict[int, str], links: Mapping[int, list[str]]
) -> Iterator[str]:
    id = key_to_column(key)
    yield f"# newdoc id = {id}"
    yield f"# global.Entity = {'-'.join(ATTRIBUTES)}"
    names = _layout_of(document, SENTENCE_IDS)
    if not (isinstance(names, list | tuple) and len(names) == len(document.sentences)):
        names = []
    empty = _layout_of(document, EMPTY_NODES)
    empty = empty if isinstance(empty, Mapping) else {}
    multiword = _multiword_tokens(document)
    for number, (start, end) in enumerate(document.sentences, 1):
        if start == end:
            continue
        touches = [one[1] == next[0] for one, next in pairwise(document.offsets[start:end])] + [False]
        name = names[number - 1] if names else None
        yield f"# sent_id = {escape(name) if isinstance(name, str) and name else _sentence_id(id, number)}"
        text = ""
        lines = []
        place = empties = inside = 0
        for token, touching in zip(range(start, end), touches, strict=True):
            word = escape(document.tokens[token])
            misc = [f"Entity={cells[token]}"] if token in cells else []
            misc += links.get(token, [])
            dependencies = empty.get(str(token))
            if isinstance(dependencies, str):
                empties += 1
                columns = [f"{place}.{empties}", word, *["_"] * 6, escape(dependencies) if dependencies else "_"]
            else:
                place, empties = place + 1, 0
                columns = [str(place), word, *["_"] * 7]
                if token in multiword:
                    last, form = multiword[token]
                    inside = last + 1
                    behind = place + sum(not isinstance(empty.get(str(t)), str) for t in range(token + 1, inside))
                    closed = touches[last - start]
                    spacing = "SpaceAfter=No" if closed else "_"
                    lines.append("\t".join([f"{place}-{behind}", escape(form), *["_"] * 7, spacing]))
                    text += escape(form) + ("" if closed else " ")
                elif token >= inside:
                    text += word + ("" if touching else " ")
                if touching and token + 1 != inside:
                    misc.append("SpaceAfter=No")
            lines.append("\t".join([*columns, "|".join(sorted(misc)) or "_"]))
        yield f"# text = {text.rstrip()}"
        yield from lines
        yield ""


def _multiword_tokens(document: Document) -> dict[int, tuple[int, str]]:
    """By its first token, the last token and the form of each multiword token that is inside one sentence."""
    stored = _layout_of(document, MULTIWORD)
    sentence_of = document.sentence_of_tokens()
    found: dict[int, tuple[int, str]] = {}
    following = 0
    for first, rest in sorted(stored.items(), key=_number_first) if isinstance(stored, Mapping) else ():
        match rest:
            case [int(last), str(form)] if (
                str(first).isdecimal() and form and following <= int(first) <= last < len(document.tokens)
            ):
                if sentence_of[int(first)] == sentence_of[last]:
                    found[int(first)] = last, form
                    following = last + 1
    return found


def _number_first(entry: tuple[Any, Any]) -> int:
    return int(entry[0]) if str(entry[0]).isdecimal() else -1


def _write(corpus: Corpus, path: Path, layout: str | None) -> tuple[str, ...]:
    written = corpus.subset(document.id for document in corpus.documents if document.tokens)
    write_corefud(written, path)
    empty = len(corpus.documents) - len(written.documents)
    notes = (f"omitted: {counted(empty, 'document')} without tokens, since CorefUD has none",) if empty else ()
    return (*notes, *lost_of_documents(written, "CorefUD"))


COREFUD = Format(
    name="CorefUD",
    suffixes=(".conllu",),
    recognise=begins_with_conllu,
    read=lambda path, options: read_corefud(path, kind=options.kind),
    read_table=lambda path, _: read_corefud_table(path),
    write=_write,
    omits=("confidence",),
    kept_metadata=frozenset([LAYOUT]),
)

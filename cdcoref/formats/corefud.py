"""CorefUD files (CoNLL-U with `Entity=` in the last column): files in, a corpus out, and back."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise
from operator import itemgetter
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import quote

from cdcoref.corpus import EVENT, Corpus, Document, Mention, unbroken_parts
from cdcoref.errors import InputError
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
from cdcoref.formats.mention_table import (
    DocumentKey,
    DocumentRow,
    beginning,
    document_ids,
    document_keys,
    escape,
    key_to_column,
)
from cdlm.output_file import output_file
from cdlm.printing import counted

LAYOUT = "corefud"
"""The metadata of a document in which is kept what only CorefUD has."""
EMPTY_NODES, LINKS = "empty_nodes", "links"
"""In it: the dependencies of empty nodes, by token; bridging and split antecedents, by the token at which the attribute
stands: its name, the clusters from and to which it goes, and what follows."""
_LINK = re.compile(r"([^<,]+)<([^:,]+)((?::[^,]*)?)")
_HEAD = re.compile(r"[0-9]{1,6}(,[0-9]{1,6})*")
Named = list[tuple[str, str, Mention]]
"""Mentions with the id of their cluster in the document and with their attributes."""


def read_corefud(
    path: str | Path, *, kind: str | None = None, heads: bool = False, empty_nodes: bool = True, id: str | None = None
) -> Corpus:
    """Read a CorefUD file, plain or gzipped; a document without a name gets the name `id`, or else that of the file.

    CorefUD has types, which are tags, and kinds only if `write_corefud` wrote the file: `kind` is that of other
    mentions. Cluster names are preceded by the document id, unless `write_corefud` wrote them. `heads` reduces mentions
    to the words whose indices, from 1, are in the attribute `minspan` (GUM) or `head`. Empty nodes are tokens if
    `empty_nodes`.
    """
    every_word: list[Word] = []
    table, found = read_corefud_table(path, every_word, empty_nodes=empty_nodes)
    words: dict[int, dict[int, list[Word]]] = {}
    for word in every_word:
        words.setdefault(word.document, {}).setdefault(word.sentence, []).append(word)
    unnamed = id or Path(path).name
    ids = document_ids((key if key.name else key._replace(name=unnamed) for key in table.documents), str(path))
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
        links = _links(sentences, clusters.get(number, {}))
        documents.append(_document(id, key, row, sentences, links, str(path)))
    return Corpus(tuple(documents), tuple(mentions))


def _document(
    id: str, key: DocumentKey, row: DocumentRow, sentences: list[list[Word]], links: dict[str, Any], path: str
) -> Document:
    """A document with its original spaces, and what a corpus has no place for as metadata."""
    tokens: list[str] = []
    ranges: list[tuple[int, int]] = []
    offsets: list[tuple[int, int]] = []
    text = ""
    empty = {node.token for node in row.empty_nodes}
    for sentence in sentences:
        start = len(tokens)
        spaced = True
        text += "\n" if ranges else ""
        for number, word in enumerate(sentence):
            if number:
                text += " " if spaced else ""
            if len(tokens) not in empty or not number:  # around an empty node, the text is as without it
                spaced = word.space_after
            offsets.append((len(text), len(text) + len(word.form)))
            tokens.append(word.form)
            text += word.form
        ranges.append((start, len(tokens)))
    layout: dict[str, Any] = {LINKS: links} if links else {}
    if row.empty_nodes:
        layout[EMPTY_NODES] = {str(node.token): "|".join(node.dependencies) for node in row.empty_nodes}
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


def write_corefud(corpus: Corpus, path: str | Path) -> tuple[str, ...]:
    """Write a corpus as CorefUD, with cluster ids for each document and names; returns a sentence for each loss."""
    written = corpus.subset(document.id for document in corpus.documents if document.tokens)
    first = 1
    with output_file(path) as file:
        mentions = written.by_document()
        for key, document in zip(document_keys(written.documents), written.documents, strict=True):
            named, first = _with_cluster_ids(mentions[document.id], first)
            for line in _lines(key, document, _cells(document, named), _link_attributes(document, named)):
                file.write(line + "\n")
    empty = len(corpus.documents) - len(written.documents)
    notes = (f"omitted: {counted(empty, 'document')} without tokens, since CorefUD has none",) if empty else ()
    return (*notes, *lost_of_documents(written, "CorefUD"))


def _with_cluster_ids(mentions: list[Mention], first: int) -> tuple[Named, int]:
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
    empty = _layout_of(document, EMPTY_NODES)
    empty = empty if isinstance(empty, Mapping) else {}
    for number, (start, end) in enumerate(document.sentences, 1):
        if start == end:
            continue
        touches = [one[1] == next[0] for one, next in pairwise(document.offsets[start:end])] + [False]
        yield f"# sent_id = {id}-{number}"
        text = ""
        lines = []
        place = empties = 0
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
                text += word + ("" if touching else " ")
                if touching:
                    misc.append("SpaceAfter=No")
            lines.append("\t".join([*columns, "|".join(sorted(misc)) or "_"]))
        yield f"# text = {text.rstrip()}"
        yield from lines
        yield ""


COREFUD = Format(
    name="CorefUD",
    suffixes=(".conllu",),
    recognise=begins_with_conllu,
    read=lambda path, options: read_corefud(path, kind=options.kind, id=options.id),
    read_table=lambda path, _: read_corefud_table(path)[0],
    write=lambda corpus, path, _: write_corefud(corpus, path),
    omits=("confidence",),
    kept_metadata=frozenset([LAYOUT]),
)

"""spaCy Docs to documents and back; ``.spacy`` files (:class:`spacy.tokens.DocBin`) in and out. ``doc.spans[kind]`` has
the mentions: ``kb_id_`` is the cluster, ``id_`` the id, ``label_`` the tag. The tokens of a discontinuous mention are
in ``attrs["tokens"]``. ``doc.user_data["cdcoref"]`` has the document's other attributes."""

from __future__ import annotations

import gzip
import re
import zlib
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import ConfigDict, NonNegativeInt

from cdcoref.corpus import ENTITY, KINDS, Corpus, Document, Mention
from cdcoref.errors import InputError
from cdcoref.facts import parse_of_doc
from cdcoref.formats.chains import UNKNOWN_KIND
from cdcoref.formats.format import Format, ReadOptions, check_corpus, table_reader
from cdcoref.formats.jsonl import document_fields
from cdcoref.formats.jsonl_parsing import DocumentAttributes, document_attributes
from cdcoref.formats.lines import whole_file
from cdcoref.formats.plain_text import tokenise_text
from cdcoref.language import head_span
from cdlm.output_file import write_bytes
from cdlm.packed import DAMAGE, most_unpacked, too_much, unpacked_size
from cdlm.printing import counted

if TYPE_CHECKING:
    from spacy.tokens import Doc
    from spacy.vocab import Vocab

USER_DATA = "cdcoref"

_WITHOUT_SPACE = re.compile(r"\S+")


def read_docbin(path: str | Path, _: ReadOptions | None = None) -> Corpus:
    """Read a ``.spacy`` file, plain or gzipped, as a corpus."""
    from spacy.tokens import DocBin
    from spacy.vocab import Vocab

    data = whole_file(path)
    if unpacked_size(data, most_unpacked()) > most_unpacked():
        raise too_much(path)
    try:
        docs = list(DocBin().from_bytes(data).get_docs(Vocab()))
        corpus = corpus_of(docs, mentions=True, prefix=f"{Path(path).name}-")
    except InputError as error:
        raise InputError(error.message, path) from None
    except DAMAGE:  # what spaCy raises depends on the damage
        raise InputError("the file is not a valid spaCy DocBin", path) from None
    return replace(corpus, documents=tuple(replace(d, path=d.path or str(path)) for d in corpus.documents))


def write_docbin(corpus: Corpus, path: str | Path) -> None:
    """Write a corpus as a ``.spacy`` file, from which :func:`read_docbin` reads the same corpus.

    White space beyond single spaces becomes white-space tokens, as in spaCy's own tokenisers, and sentences without
    tokens are omitted. The file is gzipped if its name ends in ``.gz``.
    """
    from spacy.tokens import DocBin

    data = DocBin(attrs=["ORTH", "SENT_START"], docs=docs_of(corpus), store_user_data=True).to_bytes()
    write_bytes(path, gzip.compress(data, mtime=0) if str(path).endswith(".gz") else data)


def checked_docs(docs: object) -> list[Doc]:
    """Docs as a list; what is none, or a single one, is refused with an `InputError`."""
    from spacy.tokens import Doc

    if isinstance(docs, Doc):
        raise InputError("give a list of Docs, not a single Doc: coreference across documents needs several")
    found: list[Any] = list(docs) if isinstance(docs, Iterable) else [docs]
    for doc in found:
        if not isinstance(doc, Doc):
            raise InputError(f"give spaCy Docs, such as those of nlp.pipe(texts), not {type(doc).__name__}")
    return found


def docs_of(corpus: Corpus) -> list[Doc]:
    """The documents of a corpus as Docs, with its mentions in them."""
    check_corpus(corpus)
    from spacy.vocab import Vocab

    vocab = Vocab()
    docs = [_doc(document, vocab) for document in corpus.documents]
    annotate(docs, corpus)
    return docs


def corpus_of(docs: Sequence[Doc], *, mentions: bool = False, prefix: str = "") -> Corpus:
    """The Docs as a corpus, without white-space tokens; a token with white space inside counts as several words.

    Docs without sentence boundaries are split by rules. Docs made from documents keep their ids; others get ``"1"``,
    ``"2"``, ... in order, after the prefix. `mentions` is whether spans are mentions, as described at the top of this
    file.
    """
    documents: list[Document] = []
    found: list[Mention] = []
    for number, doc in enumerate(checked_docs(docs), start=1):
        words = _words(doc)
        documents.append(_document(doc, f"{prefix}{number}", words))
        if mentions:
            found += sorted(_mentions(doc, documents[-1].id, words), key=lambda m: m.tokens)
    return Corpus(tuple(documents), tuple(found))


def named_entities(docs: Sequence[Doc], corpus: Corpus) -> tuple[Mention, ...]:
    """The named entities (``doc.ents``) of Docs as mentions in the documents made from them."""
    found = []
    for doc, document in zip(docs, corpus.documents, strict=True):
        numbers = _numbers(_words(doc))
        for span in doc.ents:
            tokens = tuple(n for place in range(span.start, span.end) for n in numbers.get(place, ()))
            if tokens:
                found.append(Mention(document.id, tokens, ENTITY, tag=span.label_ or None))
    return tuple(found)


def annotate(docs: Sequence[Doc], corpus: Corpus) -> None:
    """Add the mentions of a corpus to the Docs from which its documents were made, in the same order.

    The groups ``"event"`` and ``"entity"`` are always replaced, ``"mention"`` only if a mention has no kind. Where
    several mentions are parts of one merged token ("the mayor of Oslo"), the token is the one that has its head.
    """
    docs = checked_docs(docs)
    check_corpus(corpus)
    if len(docs) != len(corpus.documents):
        raise InputError(
            f"there are {counted(len(docs), 'Doc')} and {counted(len(corpus.documents), 'document')}; give the Docs "
            "from which the documents were made"
        )
    from spacy.tokens import Span, SpanGroup

    by_document = corpus.by_document()
    for doc, document in zip(docs, corpus.documents, strict=True):
        places = [word.place for word in _words(doc)]
        groups: dict[str, list[Mention]] = {kind: [] for kind in KINDS}
        for mention in by_document[document.id]:
            groups.setdefault(mention.kind or UNKNOWN_KIND, []).append(mention)
        for name, found in groups.items():
            members = _expressible(found, document, places)
            spans = [
                Span(
                    doc,
                    places[mention.start],
                    places[mention.end - 1] + 1,
                    label=mention.tag or mention.kind or "",
                    kb_id=mention.cluster or "",
                    span_id=mention.id or "",
                )
                for mention in members
            ]
            attributes: dict[str, Any] = {"confidence": [mention.confidence for mention in members]}
            broken = {n: mention for n, mention in enumerate(members) if not mention.contiguous}
            if broken:
                attributes["tokens"] = {
                    str(n): sorted({places[token] for token in mention.tokens}) for n, mention in broken.items()
                }
            doc.spans[name] = SpanGroup(doc, name=name, spans=spans, attrs=attributes)


def _expressible(mentions: Sequence[Mention], document: Document, places: Sequence[int]) -> list[Mention]:
    """The mentions of a document without those that would be the same span of the Doc as another, of other words."""
    same: dict[frozenset[int], list[Mention]] = {}
    for mention in mentions:
        same.setdefault(frozenset(places[token] for token in mention.tokens), []).append(mention)
    left_out: set[tuple[int, ...]] = set()
    for span, own in same.items():
        if len({mention.tokens for mention in own}) > 1:
            start, end = bisect_left(places, min(span)), bisect_right(places, max(span))
            head = start + head_span(document.tokens[start:end])[0]
            chosen = next((mention for mention in own if head in mention.tokens), own[0])
            left_out |= {mention.tokens for mention in own if mention.tokens != chosen.tokens}
    return [mention for mention in mentions if mention.tokens not in left_out]


class _Word(NamedTuple):
    """A token of a document: the index of the Doc's token that it is or is part of, and its characters in the text."""

    place: int
    start: int
    end: int


def _words(doc: Doc) -> list[_Word]:
    """The tokens of the document. Merged tokens of a Doc ("big bad wolf") are several, since they are several words."""
    known = _known(doc).get("places")
    if known is not None:
        return [_Word(place, doc[place].idx, doc[place].idx + len(doc[place])) for place in known]
    return [
        _Word(token.i, token.idx + part.start(), token.idx + part.end())
        for token in doc
        for part in _WITHOUT_SPACE.finditer(token.text)
    ]


def _numbers(words: Sequence[_Word]) -> dict[int, list[int]]:
    """By the index of a Doc's token, the document's tokens that it consists of."""
    numbers: dict[int, list[int]] = {}
    for number, word in enumerate(words):
        numbers.setdefault(word.place, []).append(number)
    return numbers


def _document(doc: Doc, id: str, words: Sequence[_Word]) -> Document:
    offsets = tuple((word.start, word.end) for word in words)
    if doc.has_annotation("SENT_START"):
        sentence_of = {token.i: n for n, sentence in enumerate(doc.sents) for token in sentence}
        of_token = [sentence_of[word.place] for word in words]
    else:
        rules = tokenise_text(doc.text, id)
        starts = [rules.offsets[first][0] for first, _ in rules.sentences]
        of_token = [bisect_right(starts, start) for start, _ in offsets]
    sentences = [[n for n, _ in group] for _, group in groupby(enumerate(of_token), key=lambda entry: entry[1])]
    known, parse = _known(doc), None
    if doc.has_annotation("DEP") and doc.has_annotation("TAG") and doc.lang_ == "en":
        parse = parse_of_doc(doc, [word.place for word in words]).packed()
    attributes, entities = document_attributes(known), known.get("entities", {})
    return Document(
        known.get("id", id),
        tuple(entities.get(f"{start}-{end}", doc.text[start:end]) for start, end in offsets),
        tuple((tokens[0], tokens[-1] + 1) for tokens in sentences),
        doc.text,
        offsets,
        parse=parse,
        **attributes | {"metadata": _with_lists(attributes["metadata"])},
    )


def _with_lists(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _with_lists(one) for name, one in value.items()}
    return [_with_lists(one) for one in value] if isinstance(value, list | tuple) else value


class _Known(DocumentAttributes):
    """What a Doc stores of the document that it was made from."""

    model_config = ConfigDict(strict=False)

    places: list[NonNegativeInt] | None = None
    entities: dict[str, str] | None = None


def _known(doc: Doc) -> dict[str, Any]:
    """The fields of `_Known` that a Doc stores; a `ValueError` if one makes no sense."""
    known = _Known.model_validate(doc.user_data.get(USER_DATA) or {})
    places, found, metadata = known.places or [], known.found or [], known.metadata or {}
    if places != sorted({*places}) or places[-1:] >= [len(doc)] or not {*found} <= metadata.keys():
        raise ValueError("places or found")
    return known.model_dump(exclude_none=True)


def _doc(document: Document, vocab: Vocab) -> Doc:
    from spacy.tokens import Doc

    words: list[str] = []
    places: list[int] = []
    spaces: list[bool] = []
    starts: list[bool | int | None] = []
    plain = True  # no token looks like a gap or like several words, and no gap like a token
    sentence_starts = {first for first, last in document.sentences if first < last}
    end = 0
    for number, (first, last) in enumerate([*document.offsets, (len(document.text), 0)]):
        gap = document.text[end:first]
        if words and gap.startswith(" "):
            spaces[-1], gap = True, gap[1:]
        if gap:
            followed = len(gap) > 1 and gap.endswith(" ")
            words.append(gap[:-1] if followed else gap)
            plain = plain and gap.isspace()
            spaces.append(followed)
            starts.append(False)
        if number < len(document.tokens):
            shown = document.text[first:last]
            if not shown:
                message = f"token {number} of document {document.id!r} is empty, which spaCy cannot express"
                raise InputError(f"{message}; use JSON lines", document.path)
            places.append(len(words))
            words.append(shown)
            spaces.append(False)
            starts.append(number in sentence_starts)
            plain = plain and shown.split() == [shown]
        end = last
    doc = Doc(vocab, words=words, spaces=spaces, sent_starts=starts) if words else Doc(vocab)
    kept = [n for n, (first, last) in enumerate(document.sentences) if first < last]
    hidden = frozenset(new for new, n in enumerate(kept) if n in document.hidden)
    annotated = document.annotated and frozenset(new for new, n in enumerate(kept) if n in document.annotated)
    known = document_fields(replace(document, hidden=hidden, annotated=annotated), ())
    for name in ("text", "tokens", "offsets", "sentences", "mentions"):
        del known[name]
    if not plain:
        known["places"] = places
    spelled = zip(document.offsets, document.tokens, strict=True)
    if entities := {f"{a}-{b}": token for (a, b), token in spelled if document.text[a:b] != token}:
        known["entities"] = entities  # "&amp;" in the text, which is the token "&"
    doc.user_data[USER_DATA] = known
    return doc


def _mentions(doc: Doc, document: str, words: Sequence[_Word]) -> Iterator[Mention]:
    numbers = _numbers(words)
    for name in (*KINDS, UNKNOWN_KIND):
        group = doc.spans.get(name)
        if group is None:
            continue
        confidences = group.attrs.get("confidence") or [None] * len(group)
        broken = group.attrs.get("tokens") or {}
        for n, span in enumerate(group):
            inside = broken.get(str(n), range(span.start, span.end))
            tokens = tuple(n for place in inside for n in numbers.get(place, ()))
            if tokens:
                kind = name if name != UNKNOWN_KIND else None
                tag = span.label_ if span.label_ not in (kind, "") else None
                sure = None if confidences[n] is None else float(confidences[n])
                yield Mention(document, tokens, kind, span.kb_id_ or None, span.id_ or None, tag, sure)


def _recognise(start: bytes) -> bool:
    """Whether a file begins like a DocBin: a zlib stream of a msgpack map whose first key is its version."""
    if not start.startswith(b"\x78"):
        return False
    try:
        beginning = zlib.decompressobj().decompress(start, 16)
    except zlib.error:
        return False
    return beginning[1:].startswith(b"\xa7version")


DOCBIN = Format(
    name="spaCy's DocBin",
    suffixes=(".spacy",),
    recognise=_recognise,
    read=read_docbin,
    read_table=table_reader(read_docbin),
    write=lambda corpus, path, _: write_docbin(corpus, path),
    metadata=True,
)

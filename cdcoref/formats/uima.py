"""UIMA CAS XMI in and out: a file for each document with DKPro's coreference chains, for INCEpTION.

A file ``TypeSystem.xml`` beside it, as INCEpTION exports one, is used when a file is read.
"""

from __future__ import annotations

import io
import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain, pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

from cdcoref.corpus import Corpus, Document, Mention, tokens_between
from cdcoref.errors import InputError, first_line
from cdcoref.formats.chains import Link, chains_of, filled_gaps, label_of, parsed_label
from cdcoref.formats.folders import as_recorded, check_characters, file_names, write_folder
from cdcoref.formats.format import Format, ReadOptions, table_reader
from cdcoref.formats.lines import whole_file
from cdcoref.formats.packed import DAMAGE
from cdcoref.formats.plain_text import tokenise_text
from cdlm.extras import optional_module

TYPE_SYSTEM = "TypeSystem.xml"
_COREFERENCE = "de.tudarmstadt.ukp.dkpro.core.api.coref.type."
_SEGMENTATION = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type."
_BEGINNING = re.compile(rb"\s*(?:<\?xml[^>]*\?>\s*)?<(?:\w+:)?XMI\s[^>]*http://www\.omg\.org/XMI")
_NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


def write_xmi(corpus: Corpus, folder: str | Path) -> tuple[str, ...]:
    """Write a folder of XMI files with their type system; returns a sentence if mentions were extended over gaps."""
    cassis = _cassis()
    check_characters(corpus, _NO_XML, "a control character, which XML cannot have")
    files = file_names((document.id for document in corpus.documents), ".xmi")
    unbroken, notes = filled_gaps(corpus)
    mentions = unbroken.by_document()
    types = _type_system()
    cases = ((files[d.id], _cas(cassis, types, d, mentions[d.id]).to_xmi(pretty_print=True)) for d in corpus.documents)
    write_folder(folder, corpus, files, chain(cases, [(TYPE_SYSTEM, types.to_xml())]))
    return notes


def _cas(cassis: ModuleType, types: Any, document: Document, mentions: Sequence[Mention]) -> Any:
    cas = cassis.Cas(typesystem=types, sofa_string=document.text, sofa_mime="text/plain")
    token, sentence = (types.get_type(f"{_SEGMENTATION}{name}") for name in ("Token", "Sentence"))
    link, chain = (types.get_type(f"{_COREFERENCE}{name}") for name in ("CoreferenceLink", "CoreferenceChain"))
    for first, last in document.sentences:
        if first < last:
            cas.add(sentence(begin=document.offsets[first][0], end=document.offsets[last - 1][1]))
    for start, end in document.offsets:
        cas.add(token(begin=start, end=end))
    for members in chains_of(mentions):
        links = [
            link(
                begin=document.offsets[mention.start][0],
                end=document.offsets[mention.end - 1][1],
                referenceType=label_of(mention),
            )
            for mention in members
        ]
        for one, following in pairwise(links):
            one.next = following
        cas.add_all(links)
        cas.add(chain(first=links[0]))
    return cas


def read_xmi(path: Path, options: ReadOptions) -> Corpus:
    """Read an XMI file as one document; without tokens in it, its text is tokenised like plain text."""
    cassis = _cassis(path)
    beside = path.with_name(TYPE_SYSTEM)
    try:
        types = _type_system() if not beside.is_file() else cassis.load_typesystem(io.BytesIO(whole_file(beside)))
        cas = cassis.load_cas_from_xmi(io.BytesIO(whole_file(path)), typesystem=types, lenient=True)
        text = cas.sofa_string or ""
        document = _document(cas, text, path, options)
        chains = [_links(document, chain) for chain in _select(cas, f"{_COREFERENCE}CoreferenceChain")]
    except InputError as error:
        raise InputError(error.message, path) from None
    except DAMAGE as error:
        raise InputError(f"the XMI cannot be read ({first_line(error)})", path) from error
    return as_recorded(path, document, [chain for chain in chains if chain])


def _select(cas: Any, name: str) -> list[Any]:
    return list(cas.select(name)) if cas.typesystem.contains_type(name) else []


def _document(cas: Any, text: str, path: Path, options: ReadOptions) -> Document:
    id = (options.id or path.name).removesuffix(".xmi")
    tokens = sorted((one.begin, one.end) for one in _select(cas, f"{_SEGMENTATION}Token"))
    if not tokens:
        return tokenise_text(text, id, options.pipeline, path=str(path))
    if tokens[0][0] < 0 or tokens[-1][1] > len(text) or any(a[1] > b[0] for a, b in pairwise(tokens)):
        raise InputError("the tokens overlap or go beyond the text")
    ends = [end for _, end in tokens]
    firsts = {bisect_right(ends, one.begin) for one in _select(cas, f"{_SEGMENTATION}Sentence")}
    starts = sorted({0} | (firsts - {len(tokens)}))
    sentences = tuple(zip(starts, [*starts[1:], len(tokens)], strict=True))
    words = tuple(text[start:end] for start, end in tokens)
    return Document(id, words, sentences, text, tuple(tokens), path=str(path))


def _links(document: Document, chain: Any) -> list[Link]:
    links = []
    seen: set[int] = set()
    link = chain.first
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        tokens = tokens_between(document, link.begin, link.end)
        if link.end > len(document.text) or not tokens:
            raise InputError(f"a link from character {link.begin} to {link.end} has no token")
        kind, cluster, tag = parsed_label(link.referenceType)
        links.append(Link(tuple(tokens), kind, cluster, tag))
        link = link.next
    return links


def _cassis(path: Path | None = None) -> ModuleType:
    return optional_module("cassis", "UIMA CAS XMI", "dkpro-cassis", path, extra="annotation")


@lru_cache(maxsize=1)
def _type_system() -> Any:
    from cassis.typesystem import load_dkpro_core_typesystem

    return load_dkpro_core_typesystem()


XMI = Format(
    name="UIMA CAS XMI",
    suffixes=(".xmi",),
    recognise=lambda start: _BEGINNING.match(start) is not None,
    read=read_xmi,
    read_table=table_reader(read_xmi),
)

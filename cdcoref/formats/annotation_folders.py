"""Folders of annotation tools in and out: brat, UIMA CAS XMI, and tasks of Label Studio and Prodigy."""

import io
import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

from cdcoref.corpus import EVENT, KINDS, Corpus, Document, Mention, tokens_between
from cdcoref.errors import InputError, first_line
from cdcoref.formats.chains import (
    UNKNOWN_KIND,
    Link,
    chains_of,
    filled_gaps,
    kind_and_tag,
    label_of,
    merged,
    parsed_label,
    parts_by_line,
)
from cdcoref.formats.folders import as_recorded, check_characters, file_names, recorded, write_folder
from cdcoref.formats.format import Format, ReadOptions, table_reader
from cdcoref.formats.jsonl_parsing import Remarks
from cdcoref.formats.lines import whole_file
from cdcoref.formats.plain_text import text_content, tokenise_text
from cdlm.extras import optional_module
from cdlm.packed import DAMAGE

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
_GROUP = re.compile(r"\*\t\S+((?: [TE][0-9]+)+)\s*")
_RELATION = re.compile(r"R[0-9]+\t(\S+) \S+:([TE][0-9]+) \S+:([TE][0-9]+)\s*")
_EVENT = re.compile(r"(E[0-9]+)\t[^\s:]+:(T[0-9]+)(?:\s.*)?")
"""An event, and its trigger, which is the mention."""
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
    triggers: dict[str, str] = {}
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
        elif match := _EVENT.fullmatch(line):
            triggers[match[1]] = match[2]
        elif match := _NOTE.fullmatch(line):
            labels[match[1]] = re.sub(r"\\(.)", lambda mark: {"n": "\n", "r": "\r"}.get(mark[1], mark[1]), match[2])
        elif line.strip() and not re.match(r"[TREAMN#*][0-9]*\t", line):
            raise InputError("the line is not an annotation of brat", path, number)
    links |= {name: replace(links[name], kind=EVENT) for name in triggers.values() if name in links}
    groups = [[triggers.get(name, name) for name in group] for group in groups]
    # A note at a mention of a type that is not cdcoref's may be any remark.
    own = {name for name, link in links.items() if known or not link.tag}
    named = links | {name: replace(links[name], cluster=label) for name, label in labels.items() if name in own}
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
    kind, tag = kind_and_tag(match[2])
    return Link(tuple(sorted(tokens)), kind, None, tag)


BRAT = Format("brat", (".ann",), read_brat_file, _BEGINNING.match, table_reader(read_brat_file))

RELATION = "coref"
LABEL_STUDIO_PROJECT = "config.xml"
_LABELS = "".join(f'<Label value="{kind}"/>' for kind in (*KINDS, UNKNOWN_KIND))
_PROJECT = (
    f'<View><Labels name="label" toName="text">{_LABELS}</Labels><Relations><Relation value="{RELATION}"/></Relations>'
    '<Text name="text" value="$text"/></View>\n'
)


def write_label_studio(corpus: Corpus, folder: str | Path) -> tuple[str, ...]:
    """Write a folder with the tasks of Label Studio, its mentions as predictions; a sentence if gaps were filled."""
    tasks, notes = _tasks(corpus, _label_studio)
    text = json.dumps(tasks, ensure_ascii=False, indent=1)
    contents = [("tasks.json", f"{text}\n"), (LABEL_STUDIO_PROJECT, _PROJECT)]
    write_folder(folder, corpus, dict.fromkeys((document.id for document in corpus.documents), "tasks.json"), contents)
    return notes


def write_prodigy(corpus: Corpus, folder: str | Path) -> tuple[str, ...]:
    """Write a folder with the tasks of Prodigy's ``rel.manual``; a sentence if gaps were filled."""
    tasks, notes = _tasks(corpus, _prodigy)
    contents = [("tasks.jsonl", "".join(json.dumps(task, ensure_ascii=False) + "\n" for task in tasks))]
    write_folder(folder, corpus, dict.fromkeys((document.id for document in corpus.documents), "tasks.jsonl"), contents)
    return notes


def _tasks(corpus: Corpus, task: Callable[..., dict[str, Any]]) -> tuple[list[dict[str, Any]], tuple[str, ...]]:
    unbroken, notes = filled_gaps(corpus)
    mentions = unbroken.by_document()
    return [task(document, mentions[document.id]) for document in corpus.documents], notes


def _known(document: Document) -> dict[str, Any]:
    plain = {name: value for name, value in document.metadata.items() if isinstance(value, str | int | float)}
    return {**plain, "id": document.id}


def _spans(document: Document, mentions: Sequence[Mention]) -> Iterator[list[dict[str, Any]]]:
    for chain in chains_of(mentions):
        yield [
            {
                "start": document.offsets[mention.start][0],
                "end": document.offsets[mention.end - 1][1],
                "token_start": mention.start,
                "token_end": mention.end - 1,
                "label": mention.kind or UNKNOWN_KIND,
                **({} if mention.cluster is None else {"cluster": mention.cluster}),
            }
            for mention in chain
        ]


def _prodigy(document: Document, mentions: Sequence[Mention]) -> dict[str, Any]:
    text = document.text
    tokens = [
        {"text": text[start:end], "start": start, "end": end, "id": n, "ws": text[end : end + 1] == " "}
        for n, (start, end) in enumerate(document.offsets)
    ]
    chains = list(_spans(document, mentions))
    relations = [
        {"head": a["token_end"], "child": b["token_end"], "head_span": a, "child_span": b, "label": RELATION}
        for chain in chains
        for b, a in pairwise(chain)
    ]
    spans = sorted((span for chain in chains for span in chain), key=lambda span: (span["start"], span["end"]))
    task = {"text": text, "meta": _known(document), "tokens": tokens, "spans": spans}
    return task | {"relations": relations, "answer": "accept"}


def _label_studio(document: Document, mentions: Sequence[Mention]) -> dict[str, Any]:
    results: list[dict[str, Any]] = []
    for chain in _spans(document, mentions):
        names = [f"m{len(results) + number}" for number in range(len(chain))]
        for name, span in zip(names, chain, strict=True):
            place = {"start": span["start"], "end": span["end"]}
            value = {**place, "text": document.text[span["start"] : span["end"]], "labels": [span["label"]]}
            region = {"id": name, "type": "labels", "from_name": "label", "to_name": "text", "value": value}
            results.append(region | ({"meta": {"text": [span["cluster"]]}} if "cluster" in span else {}))
        results += [
            {"type": "relation", "from_id": other, "to_id": one, "direction": "right", "labels": [RELATION]}
            for one, other in pairwise(names)
        ]
    predictions = [{"model_version": "cdcoref", "result": results}]
    return {"data": {**_known(document), "text": document.text}, "predictions": predictions}


TYPE_SYSTEM = "TypeSystem.xml"
_COREFERENCE = "de.tudarmstadt.ukp.dkpro.core.api.coref.type."
_SEGMENTATION = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type."
_XMI_BEGINNING = re.compile(rb"\s*(?:<\?xml[^>]*\?>\s*)?<(?:\w+:)?XMI\s[^>]*http://www\.omg\.org/XMI")
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
    write_folder(folder, corpus, files, [*cases, (TYPE_SYSTEM, types.to_xml())])
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


XMI = Format("UIMA CAS XMI", (".xmi",), read_xmi, _XMI_BEGINNING.match, table_reader(read_xmi))

"""The readers of ECB+ and of the English MEANTIME: folders of the XML of the CAT annotation tool in, a Corpus out."""

import csv
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from xml.etree.ElementTree import Element

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import ParseError, parse

from cdcoref.corpora.splits import is_number, text_lines, together
from cdcoref.corpus import ENTITY, EVENT, Corpus, Document, Mention
from cdcoref.errors import InputError


def parse_document(path: Path, corpus: str) -> Element:
    """The root element of a document."""
    try:
        root = parse(path, forbid_dtd=True).getroot()
    except ParseError as error:
        line = error.position[0] if error.position else None
        message = f"the XML is malformed or truncated ({error.msg}); download the file again"
        raise InputError(message, path, line) from error
    except DefusedXmlException as error:
        message = f"the XML declares a document type or entities, which {corpus} never does; the file is rejected"
        raise InputError(message, path) from error
    except (LookupError, ValueError, OSError) as error:  # an encoding that is unknown or wrong
        raise InputError(f"the file cannot be read ({error})", path) from error
    if root is None or root.tag != "Document":
        is_naf = root is not None and root.tag == "NAF"
        hint = "; this is NAF, which has no links across documents: use the CAT files" if is_naf else ""
        raise InputError(f"this is not a document of {corpus}: its root element is not <Document>{hint}", path)
    return root


def read_tokens(path: Path, root: Element) -> tuple[dict[str, int], list[tuple[int, list[str]]]]:
    """The index of every token id, and the sentences as (number, words)."""
    numbers: dict[str, int] = {}
    sentences: list[tuple[int, list[str]]] = []
    for token in root.iterfind("token"):
        name, sentence = token.get("t_id"), token.get("sentence", "")
        if name is None or not is_number(sentence):
            raise InputError(f"a token ({token.text!r}) has no t_id or no sentence number", path)
        if name in numbers:
            raise InputError(f"two tokens have the t_id {name}", path)
        numbers[name] = len(numbers)
        if not sentences or sentences[-1][0] != int(sentence):
            sentences.append((int(sentence), []))
        sentences[-1][1].append("".join((token.text or "").split()) or "_")
    if not numbers:
        raise InputError("this document has no tokens", path)
    return numbers, sentences


def anchored_tokens(path: Path, markable: Element, numbers: dict[str, int]) -> tuple[int, ...]:
    """The tokens that a markable is anchored to, ascending; none for an instance, which represents a cluster."""
    anchors = [anchor.get("t_id", "") for anchor in markable.iterfind("token_anchor")]
    missing = [t for t in anchors if t not in numbers]
    if missing:
        raise InputError(f"mention {markable.get('m_id', '')} points to token {missing[0]}, which does not exist", path)
    return tuple(sorted({numbers[t] for t in anchors}))


SENTENCES_FILE = "ECBplus_coreference_sentences.csv"
LONGEST_CELL = 1 << 17
"""In characters; the limit is the process's, and other readers of CSV have another."""
# The paper writes 13-17, but ECB+ has no topics 15 and 17: it has 43 topics, 25 of them for training.
TOPICS: dict[str, tuple[int, ...]] = {
    "train": (1, 3, 4, *range(6, 12), 13, 14, 16, 19, 20, 22, *range(24, 34)),
    "dev": (2, 5, 12, 18, 21, 23, 34, 35),
    "test": tuple(range(36, 46)),
}
_FILE_NAME = re.compile(r"(\d+)_(\d+)(ecb|ecbplus)\.xml")


def read_ecb(root: str | Path, split: str | Iterable[int] = "train") -> Corpus:
    """Read ``"train"``, ``"dev"``, ``"test"`` or topics of ECB+.

    Only documents with at least one listed sentence are read. A mention's cluster is the instance that its
    ``CROSS_DOC_COREF`` relation points to, otherwise its ``INTRA_DOC_COREF`` relation, otherwise none (a singleton);
    ``ACTION*`` and ``NEG*`` markables are events, all others entities. The tokenised URL in sentence 0 of the
    ``ecbplus`` documents is marked as hidden. `root` holds the list of sentences and, directly or in ``ECB+``, the
    topics' folders.
    """
    root = Path(root)
    topics_folder = _topics_folder(root)
    listed = _read_listed_sentences(root)
    wanted = TOPICS[split] if isinstance(split, str) and split in TOPICS else split
    if isinstance(wanted, str):
        raise InputError(f"ECB+ has no split named {split!r}; choose one of {', '.join(TOPICS)}")
    read = []
    for topic in wanted:
        folder = topics_folder / str(topic)
        if not folder.is_dir():
            name = f"the {split} split" if isinstance(split, str) else "this selection"
            raise InputError(f"topic {topic} is missing, so {name} cannot be read; expected its folder here", folder)
        for path in sorted(folder.glob("*.xml"), key=_document_order):
            match = _FILE_NAME.fullmatch(path.name)
            if match is None:
                raise InputError("the name is not that of an ECB+ document, such as 1_10ecbplus.xml", path)
            sentences = listed.get(path.stem)
            if sentences:
                read.append(_read_document(path, str(topic), match[3], sentences))
    return together(read)


def ecb_files(root: Path, split: str) -> list[Path]:
    """The folders of the topics of a split, if all are there."""
    folders = [_topics_folder(root) / str(topic) for topic in TOPICS[split]]
    return folders if all(folder.is_dir() for folder in folders) else []


def _document_order(path: Path) -> tuple[str, int, str]:
    match = _FILE_NAME.fullmatch(path.name)
    return (match[3], int(match[2]), path.name) if match else ("", 0, path.name)


def _topics_folder(root: Path) -> Path:
    if not root.is_dir():
        raise InputError("this is not a folder; give the folder of ECB+ that holds its topics' folders", root)
    for folder in (root / "ECB+", root):
        if any(child.is_dir() and child.name.isdecimal() for child in folder.glob("*")):
            return folder
    raise InputError("neither this folder nor its subfolder ECB+ holds the folders of ECB+'s topics (1, 2, ...)", root)


def _read_listed_sentences(root: Path) -> dict[str, frozenset[int]]:
    """The listed sentences of every document, by the stem of its file name."""
    path = next((p for p in (root / SENTENCES_FILE, root.parent / SENTENCES_FILE) if p.is_file()), None)
    if path is None:
        raise InputError(
            f"{SENTENCES_FILE} is missing; it lists the annotated sentences and is part of ECB+ 1.0",
            root / SENTENCES_FILE,
        )
    listed: dict[str, set[int]] = {}
    for number, line in text_lines(path):
        try:
            csv.field_size_limit(LONGEST_CELL)
            cells = [cell.strip() for row in csv.reader([line]) for cell in row]
        except csv.Error as error:
            raise InputError(f"the line is not CSV ({error})", path, number) from None
        if (number == 1 and cells[:1] == ["Topic"]) or not any(cells):
            continue
        if len(cells) != 3 or not is_number(cells[0]) or not is_number(cells[2]):
            raise InputError("expected three cells: topic number, document, sentence number", path, number)
        listed.setdefault(f"{cells[0]}_{cells[1]}", set()).add(int(cells[2]))
    return {name: frozenset(sentences) for name, sentences in listed.items()}


def _read_document(path: Path, topic: str, component: str, listed: frozenset[int]) -> Corpus:
    root = parse_document(path, "ECB+")
    numbers, sentences = read_tokens(path, root)
    names = [name for name, _ in sentences]
    position = {name: index for index, name in enumerate(names)}
    hidden = {position[0]} if component == "ecbplus" and 0 in position else set()
    document = Document.from_sentences(
        path.stem,
        [words for _, words in sentences],
        topic=topic,
        subtopic=f"{topic}_{component}",
        path=str(path),
        hidden=frozenset(hidden),
        annotated=frozenset(position[s] for s in listed if s in position),
    )
    clusters = _read_relations(path, root)
    sentence_of = document.sentence_of_tokens()
    mentions = []
    for markable in root.iterfind("Markables/*"):
        tokens = anchored_tokens(path, markable, numbers)
        if tokens and sentence_of[tokens[0]] in (document.annotated or ()):
            mention_id = markable.get("m_id", "")
            kind = EVENT if markable.tag.startswith(("ACTION", "NEG")) else ENTITY
            mentions.append(
                Mention(document.id, tokens, kind, clusters.get(mention_id), id=mention_id, tag=markable.tag)
            )
    mentions.sort(key=lambda m: (m.tokens, m.kind or "", int(m.id) if m.id and m.id.isdecimal() else 0))
    return Corpus((document,), tuple(mentions))


def _read_relations(path: Path, root: Element) -> dict[str, str]:
    """The cluster name of every mention id in a relation; cross-document relations take precedence."""
    instances = {
        markable.get("m_id", ""): markable.get("instance_id")
        for markable in root.iterfind("Markables/*")
        if markable.find("token_anchor") is None
    }
    clusters: dict[str, str] = {}
    for tag in ("INTRA_DOC_COREF", "CROSS_DOC_COREF"):
        for relation in root.iterfind(f"Relations/{tag}"):
            name: str | None = f"{path.stem}_{relation.get('r_id')}"
            if tag == "CROSS_DOC_COREF":
                target = relation.find("target")
                name = (instances.get(target.get("m_id", "")) if target is not None else None) or relation.get("note")
            if not name:
                raise InputError(f"relation {relation.get('r_id')} has no target instance", path)
            for source in relation.iterfind("source"):
                clusters[source.get("m_id", "")] = name
    return clusters


MEANTIME = "MEANTIME"
MEANTIME_TOPICS = {"train": ("airbus", "apple"), "dev": ("gm",), "test": ("stock",)}
CROSS_DOCUMENT_FOLDER = "intra_cross-doc_annotation"
ANNOTATED_SENTENCES = frozenset({0, 2, 3, 4, 5})
_KINDS = {"EVENT_MENTION": EVENT, "ENTITY_MENTION": ENTITY}


def meantime_files(root: Path, split: str) -> list[Path]:
    """The files of a split, if all of its topics are in the folder."""
    parents = (root / CROSS_DOCUMENT_FOLDER, root)
    candidates = [[parent / name for parent in parents for name in (f"corpus_{t}", t)] for t in MEANTIME_TOPICS[split]]
    topics = [next((folder for folder in of if any(folder.glob("*.xml"))), None) for of in candidates]
    return [path for folder in topics if folder for path in sorted(folder.glob("*.xml"))] if all(topics) else []


def read_meantime(root: Path, split: str, files: Sequence[Path]) -> Corpus:
    """Read a split.

    A mention's cluster is the instance that its ``REFERS_TO`` relation points to, named by the corpus' own
    ``instance_id`` if it has one, otherwise within the document; without such a relation it is a singleton. Topic and
    subtopic are the topic's folder: it holds many stories, which the corpus does not tell apart.
    """
    return together(_read_article(path, path.parent.name.removeprefix("corpus_")) for path in files)


def _read_article(path: Path, topic: str) -> Corpus:
    root = parse_document(path, MEANTIME)
    numbers, sentences = read_tokens(path, root)
    document = Document.from_sentences(
        path.stem,
        [words for _, words in sentences],
        topic=topic,
        subtopic=topic,
        path=str(path),
        annotated=frozenset(place for place, (number, _) in enumerate(sentences) if number in ANNOTATED_SENTENCES),
    )
    instances = _instances(path, root)
    sentence_of = document.sentence_of_tokens()
    mentions = []
    for markable in root.iterfind("Markables/*"):
        kind = _KINDS.get(markable.tag)
        tokens = anchored_tokens(path, markable, numbers) if kind else ()
        if kind and tokens and sentence_of[tokens[0]] in (document.annotated or ()):
            id = markable.get("m_id", "")
            cluster, tag = instances.get(id, (None, None))
            mentions.append(Mention(document.id, tokens, kind, cluster, id, tag))
    mentions.sort(key=lambda m: (m.tokens, m.kind or "", m.cluster or ""))
    return Corpus((document,), tuple(mentions))


def _instances(path: Path, root: Element) -> dict[str, tuple[str, str | None]]:
    """The instance of every mention id in a relation: its name, and its type or class."""
    markables = {markable.get("m_id"): markable for markable in root.iterfind("Markables/*")}
    instances: dict[str, tuple[str, str | None]] = {}
    for relation in root.iterfind("Relations/REFERS_TO"):
        target = relation.find("target")
        instance = markables.get(target.get("m_id")) if target is not None else None
        if instance is None:
            raise InputError(
                f"relation {relation.get('r_id')} refers to an instance that is not among the markables", path
            )
        name = instance.get("instance_id") or f"{path.stem}/{instance.get('m_id')}"
        tag = instance.get("ent_type") or instance.get("class") or None
        for source in relation.iterfind("source"):
            instances[source.get("m_id", "")] = name, tag
    return instances

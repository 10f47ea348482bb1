"""The reader of the English MEANTIME (Minard et al. 2016) as distributed: a folder of CAT XML in, a Corpus out.

The annotation covers the title (sentence 0) and the four sentences after the dateline (2 to 5).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cdcoref.corpora.cat_xml import anchored_tokens, parse_document, read_tokens
from cdcoref.corpus import ENTITY, EVENT, Corpus, Document, Mention
from cdcoref.errors import InputError

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

TITLE = "MEANTIME"
TOPICS = {"train": ("airbus", "apple"), "dev": ("gm",), "test": ("stock",)}
CROSS_DOCUMENT_FOLDER = "intra_cross-doc_annotation"
ANNOTATED = frozenset({0, 2, 3, 4, 5})
_KINDS = {"EVENT_MENTION": EVENT, "ENTITY_MENTION": ENTITY}


def meantime_files(root: Path, split: str) -> list[Path]:
    """The files of a split, if all of its topics are in the folder."""
    topics = [_topic_folder(root, topic) for topic in TOPICS[split]]
    return [path for folder in topics if folder for path in sorted(folder.glob("*.xml"))] if all(topics) else []


def read_meantime(root: Path, split: str, files: Sequence[Path]) -> Corpus:
    """Read a split.

    A mention's cluster is the instance that its ``REFERS_TO`` relation points to, named by the corpus' own
    ``instance_id`` if it has one, otherwise within the document; without such a relation it is a singleton. Topic and
    subtopic are the topic's folder: it holds many stories, which the corpus does not tell apart.
    """
    read = [_read_document(path, path.parent.name.removeprefix("corpus_")) for path in files]
    return Corpus(tuple(document for document, _ in read), tuple(m for _, mentions in read for m in mentions))


def _topic_folder(root: Path, topic: str) -> Path | None:
    parents = (root / CROSS_DOCUMENT_FOLDER, root)
    candidates = (parent / name for parent in parents for name in (f"corpus_{topic}", topic))
    return next((folder for folder in candidates if any(folder.glob("*.xml"))), None)


def _read_document(path: Path, topic: str) -> tuple[Document, list[Mention]]:
    root = parse_document(path, TITLE)
    numbers, sentences = read_tokens(path, root)
    document = Document.from_sentences(
        path.stem,
        [words for _, words in sentences],
        topic=topic,
        subtopic=topic,
        path=str(path),
        annotated=frozenset(place for place, (number, _) in enumerate(sentences) if number in ANNOTATED),
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
    return document, mentions


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

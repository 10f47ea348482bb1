"""Files that were sent to a server: their documents, under names that people know."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath

from cdcoref.corpus import Corpus
from cdcoref.formats import LoadedCorpus, ReadOptions, read_corpus

LONGEST_NAME = 400
Uploads = Mapping[Path, str]
"""Files: where each was stored, and what its sender called it."""


def clean_name(name: str) -> str:
    """The name of an upload as the name of a document: without control characters, and not too long.

    >>> clean_name("C:\\\\news\\\\a.txt"), clean_name("../b/./c.txt"), clean_name(" ")
    ('news/a.txt', 'b/c.txt', 'document')
    """
    shown = "".join(character if character.isprintable() else " " for character in name.replace("\\", "/"))
    parts = [part for part in shown.split("/") if part.strip() not in ("", ".", "..") and not part.endswith(":")]
    kept = "/".join(parts).strip()
    return kept[-LONGEST_NAME:] or "document"


def read_uploads(names: Uploads, options: ReadOptions) -> LoadedCorpus:
    """Read files, whose documents and problems have the names that their senders gave them."""
    loaded = read_corpus(names, options, names=names)

    def renamed(sentence: str) -> str:
        for path, name in names.items():
            sentence = sentence.replace(str(path), name)
        return sentence

    documents = (replace(d, path=None) if Path(d.path or "") in names else d for d in loaded.corpus.documents)
    corpus = replace(loaded.corpus, documents=tuple(documents), notes=tuple(map(renamed, loaded.corpus.notes)))
    return replace(loaded, corpus=corpus, problems=tuple(map(renamed, loaded.problems)))


def unused_names(corpus: Corpus, taken: Callable[[str], bool]) -> Corpus:
    """The corpus with a number in the ids of documents that are taken: ``a.txt`` becomes ``a (2).txt``."""
    own = {document.id for document in corpus.documents}
    names: dict[str, str] = {}
    for id in sorted(own):
        name, number = id, 1
        while taken(name) or (name != id and name in own):
            number += 1
            path = PurePosixPath(id)
            name = f"{id.removesuffix(path.suffix)} ({number}){path.suffix}"
        if name != id:
            names[id] = name
            own.add(name)
    return corpus.with_ids(names)

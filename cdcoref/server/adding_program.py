"""The program that adds documents for a server: a request a line on standard input, answers as lines of JSON."""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, TextIO

from cdcoref.corpus import Corpus
from cdcoref.errors import InputError
from cdcoref.formats import LoadedCorpus, read_corpus

if TYPE_CHECKING:
    from cdcoref.formats import LoadedCorpus
    from cdcoref.predict import Predictor

LONGEST_NAME = 400


@dataclass(frozen=True, slots=True)
class Upload:
    """A file: where it was stored, and what its sender called it."""

    path: Path
    name: str


def clean_name(name: str) -> str:
    """The name of an upload as the name of a document: without control characters, and not too long.

    >>> clean_name("C:\\\\news\\\\a.txt"), clean_name("../b/./c.txt"), clean_name(" ")
    ('news/a.txt', 'b/c.txt', 'document')
    """
    shown = "".join(character if character.isprintable() else " " for character in name.replace("\\", "/"))
    parts = [part for part in shown.split("/") if part.strip() not in ("", ".", "..") and not part.endswith(":")]
    kept = "/".join(parts).strip()
    return kept[-LONGEST_NAME:] or "document"


def read_uploads(uploads: Sequence[Upload], **options: Any) -> LoadedCorpus:
    """Read files, whose documents and problems have the names of the uploads; options as in `read_corpus`."""
    names = {upload.path: upload.name for upload in uploads}
    loaded = read_corpus(names, names=names, with_clusters=False, **options)

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
    documents = tuple(replace(d, id=names.get(d.id, d.id)) for d in corpus.documents)
    mentions = tuple(replace(m, document=names.get(m.document, m.document)) for m in corpus.mentions)
    return replace(corpus, documents=documents, mentions=mentions)


ANSWER_EVERY = 0.1
"""Seconds between two answers of one stage."""

Answer = Callable[[dict[str, Any]], None]


class Adder:
    """Adds documents to a collection; keeps its model."""

    def __init__(self, settings: dict[str, Any], answer: Answer) -> None:
        self._settings = settings
        self._answer = answer
        self._shown = 0.0
        self._stage = ""
        self._predictor: Predictor | None = None
        self._model = ""

    def add(self, uploads: list[Upload], keep_both: bool, encoding: str | None) -> dict[str, Any]:
        """Add the documents in files; what became of it."""
        from cdcoref.collection import Collection, work_lines
        from cdcoref.predict import LEMMA

        problems: list[str] = []
        try:
            with Collection.open(self._settings["collection"]) as collection:
                kind = None if collection.options.kind == "both" else collection.options.kind
                self._progress("reading the files", 0, 0)
                every_kind = kind is None and collection.model != LEMMA
                loaded = read_uploads(uploads, kind=kind, encoding=encoding, every_kind=every_kind)
                problems += [*loaded.problems, *loaded.corpus.notes]
                corpus = loaded.corpus
                if not corpus.documents:
                    return {"error": "there was no document to add", "problems": problems}
                came = [document.id for document in corpus.documents]
                if keep_both:
                    corpus = unused_names(corpus, partial(_is_there, collection))
                report = collection.add(
                    corpus,
                    partial(self._loaded, collection.model),
                    batch_tokens=self._settings["batch_tokens"],
                    progress=self._progress,
                )
        except InputError as error:
            return {"error": error.message, "problems": problems}
        came_as = {document.id: id for document, id in zip(corpus.documents, came, strict=True)}
        report = replace(report, known={came_as[id]: there for id, there in report.known.items()})
        return {"report": asdict(report), "summary": [*work_lines(report), *report.notes], "problems": problems}

    def _loaded(self, model: str) -> Predictor:
        from cdcoref.predict import load

        if self._predictor is None or self._model != model:
            self._progress("loading the model", 0, 0)
            self._predictor = load(model, device=self._settings["device"], precision=self._settings["precision"])
            self._model = model
        return self._predictor

    def _progress(self, stage: str, done: int, total: int) -> None:
        now = time.monotonic()
        if stage != self._stage or now - self._shown >= ANSWER_EVERY:
            self._stage, self._shown = stage, now
            self._answer({"stage": stage, "done": done, "total": total})


def _is_there(collection: Any, id: str) -> bool:
    try:
        collection.document(id, others=0)
    except InputError:
        return False
    return True


def answer_requests(settings: dict[str, Any], requests: Iterable[str], out: TextIO) -> None:
    """Add the files of each request, a line of JSON, and write a line of JSON with the result."""

    def answer(fields: dict[str, Any]) -> None:
        out.write(json.dumps(fields, default=list) + "\n")
        out.flush()

    adder = Adder(settings, answer)
    for line in requests:
        request = json.loads(line)
        uploads = [Upload(Path(path), name) for path, name in request["files"]]
        answer(adder.add(uploads, request["keep_both"], request["encoding"]))


def main() -> None:
    """Answer requests until standard input ends."""
    settings = json.loads(sys.argv[1])
    # Whatever a library prints must not be taken for an answer.
    with suppress(BrokenPipeError), os.fdopen(os.dup(1), "w", encoding="utf-8") as out:  # the server may be gone
        os.dup2(2, 1)
        answer_requests(settings, sys.stdin, out)
    shutil.rmtree(settings["uploads"], ignore_errors=True)


if __name__ == "__main__":
    main()

"""Build the files of data/sample from its annotated source.

In: ``data/sample/annotation/STORY_N.md``, a text with its mentions marked as ``[words](kind:cluster)``. Out: the texts
(``STORY_N.txt``), the gold clusters of the two stories (``gold.conll``, ``gold.jsonl``), with the tokens of ``cdcoref
predict``, and two tiny corpora as a person would write them (``train_tiny.jsonl``, ``dev_tiny.jsonl``), with mentions
as character ranges. A cluster's name is unique within its story.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.errors import InputError
from cdcoref.formats import output_file, tokenise_text, write_conll, write_jsonl

SAMPLE = Path(__file__).resolve().parent.parent / "data" / "sample"
GOLD = ("ferry", "museum")
TINY = {"train_tiny.jsonl": ("fire", "strike"), "dev_tiny.jsonl": ("bridge",)}

MARK = re.compile(r"\[([^\[\]]+)\]\((event|entity):(\w+)\)")


@dataclass(frozen=True, slots=True)
class Span:
    """A marked mention: character range in the text without marks, kind, and name of the cluster."""

    start: int
    end: int
    kind: str
    cluster: str
    line: int


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A text without its marks, and the mentions that they marked."""

    path: Path
    story: str
    text: str
    spans: tuple[Span, ...]


def read_marked(path: Path) -> MarkedText:
    """Read one source file.

    Raises
    ------
    InputError
        If a square bracket is not part of a mark.
    """
    source = path.read_text(encoding="utf-8")
    story = path.stem.rpartition("_")[0]
    text, position = "", 0
    spans: list[Span] = []
    for mark in MARK.finditer(source):
        text += source[position : mark.start()]
        line = source.count("\n", 0, mark.start()) + 1
        spans.append(Span(len(text), len(text) + len(mark[1]), mark[2], f"{story}:{mark[3]}", line))
        text += mark[1]
        position = mark.end()
    text += source[position:]
    if stray := re.search(r"[\[\]]", text):
        line = text.count("\n", 0, stray.start()) + 1
        raise InputError("a bracket is not part of a mark; write [words](event:name) or (entity:name)", path, line)
    return MarkedText(path, story, text, tuple(spans))


def read_stories(folder: Path, stories: Iterable[str]) -> list[MarkedText]:
    """The texts of some stories, in order."""
    return [read_marked(path) for story in stories for path in sorted(folder.glob(f"{story}_*.md"))]


def to_tokens(marked: MarkedText) -> tuple[Document, list[Mention]]:
    """The text as ``cdcoref predict`` tokenises it, and its mentions as tokens.

    Raises
    ------
    InputError
        If a mention does not begin and end where a token does.
    """
    document = tokenise_text(marked.text, f"{marked.path.stem}.txt")
    first = {start: number for number, (start, _) in enumerate(document.offsets)}
    last = {end: number for number, (_, end) in enumerate(document.offsets)}
    mentions = []
    for span in marked.spans:
        if span.start not in first or span.end not in last:
            words = marked.text[span.start : span.end]
            raise InputError(f"the mention {words!r} begins or ends within a token; move it", marked.path, span.line)
        tokens = tuple(range(first[span.start], last[span.end] + 1))
        mentions.append(Mention(document.id, tokens, span.kind, span.cluster))
    return document, mentions


def gold_corpus(texts: Iterable[MarkedText]) -> Corpus:
    """Documents and mentions of several texts; the story is topic and subtopic of its documents."""
    documents: list[Document] = []
    mentions: list[Mention] = []
    for marked in texts:
        document, found = to_tokens(marked)
        documents.append(replace(document, topic=marked.story, subtopic=marked.story))
        mentions.extend(found)
    return Corpus(tuple(documents), tuple(mentions))


def handwritten_line(marked: MarkedText) -> str:
    """One document in JSON lines, with only what a person has to write."""
    fields = {
        "id": marked.path.stem,
        "topic": marked.story,
        "text": marked.text.strip(),
        "mentions": [
            {"start": span.start, "end": span.end, "kind": span.kind, "cluster": span.cluster} for span in marked.spans
        ],
    }
    return json.dumps(fields, ensure_ascii=False)


def build(output: Path, annotation: Path = SAMPLE / "annotation") -> None:
    """Write all files of the sample to a folder."""
    texts = read_stories(annotation, GOLD)
    for marked in texts:
        with output_file(output / f"{marked.path.stem}.txt") as file:
            file.write(marked.text)
    corpus = gold_corpus(texts)
    write_conll(corpus, output / "gold.conll")
    write_jsonl(corpus, output / "gold.jsonl")
    for name, stories in TINY.items():
        with output_file(output / name) as file:
            for marked in read_stories(annotation, stories):
                to_tokens(marked)
                file.write(handwritten_line(marked) + "\n")


def main() -> None:
    """Build the sample, or exit with one sentence on what is wrong with its source."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, default=SAMPLE, help="folder to write to (default: data/sample)")
    output = parser.parse_args().output
    try:
        build(output)
    except InputError as error:
        raise SystemExit(f"build_sample.py: {error}") from None


if __name__ == "__main__":
    main()

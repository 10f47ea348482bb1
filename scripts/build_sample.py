"""Build the files of data/sample from its annotated source.

In: ``data/sample/annotation/STORY_N.md``, a text with its mentions marked as ``[words](kind:cluster)``. Out: the texts
(``STORY_N.txt``), the gold clusters of the two stories (``gold.conll``, ``gold.jsonl``), with the tokens of ``cdcoref
predict``, and two tiny corpora as a person would write them (``train_tiny.jsonl``, ``dev_tiny.jsonl``), with mentions
as character ranges. A cluster's name is unique within its story.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from cdcoref.corpora import MarkedText
from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.errors import InputError
from cdcoref.formats import write_conll, write_jsonl
from cdlm.output_file import output_file

SAMPLE = Path(__file__).resolve().parent.parent / "data" / "sample"
GOLD = ("ferry", "museum")
TINY = {"train_tiny.jsonl": ("fire", "strike"), "dev_tiny.jsonl": ("bridge",)}


def read_stories(folder: Path, stories: Iterable[str]) -> list[MarkedText]:
    """The texts of some stories, in order.

    Raises
    ------
    InputError
        If a square bracket in them is not part of a mark.
    """
    paths = (path for story in stories for path in sorted(folder.glob(f"{story}_*.md")))
    return [MarkedText.of(path.read_text(encoding="utf-8"), path) for path in paths]


def story_of(marked: MarkedText) -> str:
    """The story that the name of a text's file begins with."""
    return marked.path.stem.rpartition("_")[0]


def gold_corpus(texts: Iterable[MarkedText]) -> Corpus:
    """Documents and mentions of several texts; the story is topic and subtopic of its documents."""
    documents: list[Document] = []
    mentions: list[Mention] = []
    for marked in texts:
        story = story_of(marked)
        document, found = marked.tokenised(f"{marked.path.stem}.txt", story)
        documents.append(replace(document, topic=story, subtopic=story))
        mentions.extend(found)
    return Corpus(tuple(documents), tuple(mentions))


def handwritten_line(marked: MarkedText) -> str:
    """One document in JSON lines, with only what a person has to write."""
    story = story_of(marked)
    fields = {
        "id": marked.path.stem,
        "topic": story,
        "text": marked.text.strip(),
        "mentions": [
            {"start": span.start, "end": span.end, "kind": span.kind, "cluster": f"{story}:{span.cluster}"}
            for span in marked.spans
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
                marked.tokenised(marked.path.stem, story_of(marked))
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

"""Tasks for Label Studio and Prodigy out, in which people correct mentions and links; `json_layouts` reads them back.

A folder has one file of tasks, for Label Studio beside the configuration of its project. Mentions of one cluster in a
document are linked one to the next, and each has the name of its cluster, which mentions of several documents share.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from cdcoref.corpus import KINDS, Corpus, Document, Mention
from cdcoref.formats.chains import UNKNOWN_KIND, chains_of, filled_gaps
from cdcoref.formats.folders import written_folder
from cdcoref.formats.output_file import output_file

RELATION = "coref"
LABEL_STUDIO_PROJECT = "config.xml"
_LABELS = "".join(f'<Label value="{kind}"/>' for kind in (*KINDS, UNKNOWN_KIND))
_PROJECT = (
    f'<View><Labels name="label" toName="text">{_LABELS}</Labels><Relations><Relation value="{RELATION}"/></Relations>'
    '<Text name="text" value="$text"/></View>\n'
)


def write_label_studio(corpus: Corpus, folder: str | Path) -> tuple[str, ...]:
    """Write a folder with the tasks of Label Studio, its mentions as predictions; a sentence if gaps were filled."""
    unbroken, notes = filled_gaps(corpus)
    mentions = unbroken.by_document()
    tasks = [_label_studio(document, mentions[document.id]) for document in corpus.documents]
    with written_folder(folder, corpus, {document.id: "tasks.json" for document in corpus.documents}) as new:
        with output_file(new / "tasks.json") as file:
            file.write(json.dumps(tasks, ensure_ascii=False, indent=1) + "\n")
        with output_file(new / LABEL_STUDIO_PROJECT) as file:
            file.write(_PROJECT)
    return notes


def write_prodigy(corpus: Corpus, folder: str | Path) -> tuple[str, ...]:
    """Write a folder with the tasks of Prodigy's ``rel.manual``; a sentence if gaps were filled."""
    unbroken, notes = filled_gaps(corpus)
    mentions = unbroken.by_document()
    with (
        written_folder(folder, corpus, {document.id: "tasks.jsonl" for document in corpus.documents}) as new,
        output_file(new / "tasks.jsonl") as file,
    ):
        for document in corpus.documents:
            file.write(json.dumps(_prodigy(document, mentions[document.id]), ensure_ascii=False) + "\n")
    return notes


def _known(document: Document) -> dict[str, Any]:
    """The id of a document and its metadata that are plain values."""
    plain = {name: value for name, value in document.metadata.items() if isinstance(value, str | int | float)}
    return {**plain, "id": document.id}


def _spans(document: Document, mentions: Sequence[Mention]) -> Iterator[list[dict[str, Any]]]:
    """The mentions of each cluster as spans."""
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
    tokens = [
        {
            "text": document.text[start:end],
            "start": start,
            "end": end,
            "id": n,
            "ws": document.text[end : end + 1] == " ",
        }
        for n, (start, end) in enumerate(document.offsets)
    ]
    chains = list(_spans(document, mentions))
    relations = [
        {
            "head": other["token_end"],
            "child": one["token_end"],
            "head_span": other,
            "child_span": one,
            "label": RELATION,
        }
        for chain in chains
        for one, other in pairwise(chain)
    ]
    spans = sorted((span for chain in chains for span in chain), key=lambda span: (span["start"], span["end"]))
    task = {"text": document.text, "meta": _known(document), "tokens": tokens, "spans": spans}
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

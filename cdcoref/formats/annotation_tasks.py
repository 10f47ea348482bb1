"""Tasks for Label Studio and Prodigy out, in which people correct mentions; `json_layouts` reads them back."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from cdcoref.corpus import KINDS, Corpus, Document, Mention
from cdcoref.formats.chains import UNKNOWN_KIND, chains_of, filled_gaps
from cdcoref.formats.folders import write_folder

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
    """The task of each document, and a sentence if gaps were filled."""
    unbroken, notes = filled_gaps(corpus)
    mentions = unbroken.by_document()
    return [task(document, mentions[document.id]) for document in corpus.documents], notes


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

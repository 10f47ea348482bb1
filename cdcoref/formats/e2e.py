"""The JSON lines of end-to-end coreference models (e2e-coref and its successors): a corpus in, files out.

Lee et al. 2017, https://github.com/kentonl/e2e-coref. What is written also has ``topic`` and ``subtopic``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.formats.chains import chains_of, filled_gaps
from cdcoref.formats.format import Format, ReadOptions, lost_of_documents
from cdcoref.formats.json_layouts import E2E_FIELDS
from cdcoref.formats.jsonl import JSONL, read_jsonl_table
from cdcoref.formats.mention_table import MentionTable, beginning
from cdcoref.formats.output_file import output_file
from cdlm.printing import counted

_BEGINNING = re.compile(rb"\s*(?:\[\s*)?\{\s*\"")
_FIELDS = re.compile(rb'(?<!\\)"doc_key"\s*:|(?<!\\)"sentences"\s*:\s*\[\s*\[\s*"')
"""Fields that only this layout has: in the JSON lines of `jsonl`, sentences are ranges of numbers."""


def write_e2e(corpus: Corpus, path: str | Path) -> tuple[str, ...]:
    """Write a corpus in the layout of end-to-end coreference models, gzipped if the name ends in `.gz`.

    A mention without a cluster is a cluster of its own. What is returned is a sentence for each kind of information
    lost.
    """
    unbroken, gaps = filled_gaps(corpus)
    mentions = unbroken.by_document()
    with output_file(path) as file:
        for document in corpus.documents:
            file.write(json.dumps(_line(document, mentions[document.id]), ensure_ascii=False) + "\n")
    across = sum(len({mention.document for mention in cluster}) > 1 for cluster in corpus.clusters())
    what = counted(across, "cluster of several documents", "clusters of several documents")
    notes = (f"{what} cut into one for each document, since the layout has none",) if across else ()
    return (*notes, *gaps, *lost_of_documents(corpus, "the layout", topics=False))


def _line(document: Document, mentions: Sequence[Mention]) -> dict[str, Any]:
    clusters = chains_of(sorted(mentions, key=beginning))
    sentences = [document.tokens[start:end] for start, end in document.sentences]
    fields: dict[str, Any] = {
        "doc_key": document.id,
        "sentences": sentences,
        "speakers": [["-"] * len(words) for words in sentences],
        "clusters": [[(mention.start, mention.end - 1) for mention in cluster] for cluster in clusters],
    }
    fields |= {name: value for name, value in document.metadata.items() if name not in E2E_FIELDS}
    fields |= {name: getattr(document, name) for name in ("topic", "subtopic") if getattr(document, name) is not None}
    return fields


def _read_table(path: Path, options: ReadOptions) -> MentionTable:
    table = read_jsonl_table(path)
    table.local_clusters = True
    return table


E2E = Format(
    name="JSON lines of end-to-end coreference",
    suffixes=(".jsonlines",),
    recognise=lambda start: _BEGINNING.match(start) is not None and _FIELDS.search(start) is not None,
    read=JSONL.read,
    read_table=_read_table,
    write=lambda corpus, path, layout: write_e2e(corpus, path),
    omits=("kind", "confidence"),
    metadata=True,
)

"""The hash under which what was computed of a document is kept."""

from __future__ import annotations

from dataclasses import replace

from cdcoref.corpus import Document, Mention
from cdcoref.linking import document_hash


def test_the_hash_of_a_document_is_that_of_what_a_model_sees() -> None:
    document = Document.from_sentences("d", [["a", "b"], ["c"]])
    mention = Mention("d", (0,), "event", cluster="1")
    base = document_hash(document, [mention])
    same = replace(document, id="e", path="x", topic="t", subtopic="s", annotated=frozenset([0]))
    assert document_hash(same, (replace(mention, document="e", cluster="2", id="7", tag="X", confidence=0.5),)) == base
    others = [
        (Document.from_sentences("d", [["a", "b", "c"]]), [mention]),
        (Document.from_sentences("d", [["a", "b"], ["d"]]), [mention]),
        (replace(document, hidden=frozenset([1])), [mention]),
        (document, []),
        (document, [mention, mention]),
        (document, [replace(mention, kind="entity")]),
        (document, [replace(mention, tokens=(0, 1))]),
    ]
    assert len({base, *(document_hash(d, m) for d, m in others)}) == len(others) + 1

"""The quick reading of JSON lines for scoring against the reading as a corpus."""

from __future__ import annotations

from pathlib import Path

import pytest

from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.formats import DocumentKey, MentionTable, read_mention_table, table_of_corpus, write_jsonl


def content(table: MentionTable) -> tuple:
    """The table without its path and the numbers of clusters, which are arbitrary."""
    rows = zip(
        table.document.tolist(),
        table.start.tolist(),
        table.end.tolist(),
        table.kind.tolist(),
        [table.names[number] for number in table.cluster.tolist()],
        strict=True,
    )
    documents = [(key, row.topic, row.subtopic, row.tokens) for key, row in table.documents.items()]
    return documents, sorted(rows), sorted(table.gaps.values()), len(set(table.cluster.tolist()))


@pytest.fixture
def corpus() -> Corpus:
    documents = (
        Document.from_sentences("x", [["a", "b", "c"], ["d"]], topic="1", subtopic="1_a"),
        Document.from_sentences("x; part 001", [["a"]], part="1"),
        Document.from_sentences("empty", []),
    )
    mentions = (
        Mention("x", (0, 1), "event", "7"),
        Mention("x", (0, 2), "event", "7"),
        Mention("x", (3,), "entity", "7"),
        Mention("x", (3,)),
        Mention("x; part 001", (0,), "event", "7"),
        Mention("x; part 001", (0,)),
    )
    return Corpus(documents, mentions)


def test_equals_the_table_of_the_corpus(tmp_path: Path, corpus: Corpus) -> None:
    path = tmp_path / "x.jsonl.gz"
    write_jsonl(corpus, path)
    table = read_mention_table(path)
    assert content(table) == content(table_of_corpus(corpus, "x"))
    assert list(table.documents) == [DocumentKey("x"), DocumentKey("x", "1"), DocumentKey("empty")]
    assert content(table)[3] == 4  # events 7, entities 7, and two without a name
    assert list(table.gaps.values()) == [(0, 2)]

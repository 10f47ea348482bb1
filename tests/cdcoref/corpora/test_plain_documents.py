"""What the language model is told of an annotated corpus: no hidden sentence, and mentions at their new places."""

from __future__ import annotations

from pathlib import Path

from cdcoref.corpora import documents_of, plain_documents
from cdcoref.corpus import Corpus, Document, Mention
from cdlm.documents import AnnotatedDocument, MentionSpan


def test_hidden_sentences_are_left_out() -> None:
    document = Document.from_sentences(
        "d", [["http", "url"], ["One", "two"], ["x"], ["three"]], topic="1", subtopic="1_a", hidden=frozenset({0, 2})
    )
    mentions = (
        Mention("d", (1,), "event", "E1"),
        Mention("d", (2, 5), "entity", "E2"),
        Mention("d", (3, 4), "event", "E3"),
        Mention("d", (5,), "event"),
    )
    assert plain_documents(Corpus((document,), mentions)) == [
        AnnotatedDocument(
            "d",
            "1_a",
            ("One", "two", "three"),
            (MentionSpan((0, 2), "entity", "E2"), MentionSpan((2,), "event", None)),
            topic="1",
        )
    ]


def test_the_group_is_the_subtopic_or_else_the_topic_or_the_document() -> None:
    documents = tuple(
        Document.from_sentences(name, [["a"]], topic=topic, subtopic=subtopic)
        for name, topic, subtopic in (("a", "1", "1_x"), ("b", "1", None), ("c", None, None))
    )
    assert [document.group for document in plain_documents(Corpus(documents))] == ["1_x", "1", "c"]


def test_ecb(mini_ecb: Path) -> None:
    for topic in (5, 12, 18, 21, 23, 34, 35):
        (mini_ecb / "ECB+" / str(topic)).mkdir()
    documents = {document.id: document for document in documents_of("ecb", mini_ecb, "dev")}
    assert {document.group for document in documents.values()} == {"2_ecb", "2_ecbplus"}
    second = documents["2_1ecbplus"]
    assert second.words[0] == "Jackman"
    # The mention in the URL is left out with it, and the others are found again.
    assert [second.words[mention.words[0]] for mention in second.mentions] == ["the", ",", "a"]

"""Annotated corpora for the language model: a corpus' name, folder and split in, plain documents with mentions out."""

from __future__ import annotations

from pathlib import Path

from cdcoref.corpora.corpus_registry import CorpusFolder
from cdcoref.corpus import Corpus, Document, Mention
from cdlm.documents import AnnotatedDocument, MentionSpan


def documents_of(corpus: str, folder: str | Path, split: str) -> list[AnnotatedDocument]:
    """Read a split of a known corpus; documents of one subtopic are related."""
    return plain_documents(CorpusFolder(corpus, Path(folder)).read(split).corpus)


def plain_documents(corpus: Corpus) -> list[AnnotatedDocument]:
    """The documents of a corpus without their hidden sentences and the mentions in these."""
    mentions = corpus.by_document()
    return [_plain(document, mentions[document.id]) for document in corpus.documents]


def _plain(document: Document, mentions: list[Mention]) -> AnnotatedDocument:
    sentences = document.sentence_of_tokens()
    visible = [token for token, sentence in enumerate(sentences) if sentence not in document.hidden]
    place = {token: word for word, token in enumerate(visible)}
    spans = tuple(
        MentionSpan(tuple(place[token] for token in mention.tokens), mention.kind or "", mention.cluster)
        for mention in mentions
        if all(token in place for token in mention.tokens)
    )
    group = document.subtopic or document.topic or document.id
    words = tuple(document.tokens[token] for token in visible)
    return AnnotatedDocument(document.id, group, words, spans, document.topic)

"""One story alone: what its clusters depend on, and on what they do not."""

from __future__ import annotations

from cdcoref.corpus import KINDS, Corpus, Document, Mention
from cdcoref.linking import LinkingOptions, link_story
from cdcoref.model import CorefModel
from cdcoref.reading import Readings

LINES = (
    "The ferry sank in the storm off Tresk on Friday",
    "A ferry carrying passengers sank",
    "The captain of the ferry was held by police",
)


def story(names: str = "abc") -> Corpus:
    documents = tuple(Document.from_sentences(name, [line.split()]) for name, line in zip(names, LINES, strict=True))
    mentions = tuple(Mention(d.id, (token,), KINDS[token % 2]) for d in documents for token in range(len(d.tokens)))
    return Corpus(documents, mentions)


def links(corpus: Corpus) -> set[frozenset[tuple[object, ...]]]:
    places = {d.id: d.tokens for d in corpus.documents}
    return {frozenset((places[m.document], m.tokens, m.kind) for m in cluster) for cluster in corpus.clusters()}


def test_nothing_is_left_of_one_story_when_the_next_comes(tiny_model: CorefModel) -> None:
    first = link_story(tiny_model, Readings(story()), LinkingOptions())
    link_story(tiny_model, Readings(story("xyz")), LinkingOptions(threshold=0.1))
    again = link_story(tiny_model, Readings(story()), LinkingOptions())
    assert again.corpus == first.corpus
    assert links(link_story(tiny_model, Readings(story("zyx")), LinkingOptions()).corpus) == links(first.corpus)


def test_only_the_given_pairs_of_documents_are_compared(tiny_model: CorefModel) -> None:
    linked = link_story(tiny_model, Readings(story()), LinkingOptions(threshold=0.0), pairs=[("a", "c")])
    together = {frozenset(m.document for m in cluster) for cluster in linked.corpus.clusters()}
    assert not any("b" in documents and len(documents) > 1 for documents in together)
    assert any(documents == {"a", "c"} for documents in together)

"""What copies share with their originals: the mentions of an original in, the same mentions of its copies out.

A copy is not read where another text has the same sentences. There its mentions are those of the other text, each in
the same cluster and with the same confidence; :func:`cdcoref.stories.own_part` is what is left to read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.stories import Sources, sentence_sources


def copied_mentions(
    copy: Document, sources: Sources, documents: Mapping[str, Document], mentions: Mapping[str, Sequence[Mention]]
) -> list[tuple[Mention, Mention]]:
    """The mentions that a copy shares with other texts.

    Parameters
    ----------
    copy
        A document that is a near-duplicate of another.
    sources
        Where its sentences are read (see :func:`cdcoref.stories.sentence_sources`).
    documents, mentions
        The documents of `sources` and their mentions, by id.

    Returns
    -------
    list
        Each mention whose tokens are all in sentences that the copy has, and the same mention of the copy.
    """
    place: dict[str, dict[int, int]] = {}
    for own, (id, theirs) in sources.items():
        shift = copy.sentences[own][0] - documents[id].sentences[theirs][0]
        place.setdefault(id, {}).update((token, token + shift) for token in range(*documents[id].sentences[theirs]))
    return [
        (mention, replace(mention, document=copy.id, tokens=tuple(tokens[token] for token in mention.tokens)))
        for id, tokens in place.items()
        for mention in mentions[id]
        if all(token in tokens for token in mention.tokens)
    ]


def without_copied(copy: Document, sources: Sources, mentions: Sequence[Mention]) -> list[Mention]:
    """The mentions that begin in sentences of a copy's own, and not in what was read again as context."""
    sentence_of = copy.sentence_of_tokens()
    return [mention for mention in mentions if sentence_of[mention.start] not in sources]


def with_copies(story: Corpus, documents: Sequence[Document]) -> Corpus:
    """A linked story with the copies of its documents, which were not read, or only in part.

    Parameters
    ----------
    story
        The documents that were read, and their mentions.
    documents
        All documents of the story, in order; every copy names its original.
    """
    by_id = {document.id: document for document in documents}
    original_of = {document.id: document.copy_of for document in documents if document.copy_of is not None}
    if not original_of:
        return replace(story, documents=tuple(documents))
    sources = sentence_sources(by_id, original_of)
    read = story.by_document()
    own = {id: without_copied(by_id[id], sources.get(id, {}), mentions) for id, mentions in read.items()}
    found: list[Mention] = []
    for document in documents:
        mentions = own.get(document.id, [])
        if document.id in sources:
            copied = [mention for _, mention in copied_mentions(document, sources[document.id], by_id, own)]
            mentions = sorted([*mentions, *copied], key=lambda mention: (mention.start, mention.end))
        found += mentions
    return replace(story, documents=tuple(documents), mentions=tuple(found))

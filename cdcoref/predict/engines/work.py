"""A collection divided into tasks: stories, and the documents that are searched for mentions together."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.linking import DocumentPair, LinkedStory, MentionVectors

WORDS_AT_ONCE = 50_000
"""Small stories are searched for mentions together, up to this many words at a time."""

Progress = Callable[[str, int, int], None]
"""Called with a stage, the amount done, and the total."""


@dataclass(frozen=True, slots=True)
class Story:
    """Documents that are linked with each other: about the same story, or of one annotated topic.

    Attributes
    ----------
    documents
        Their ids.
    pairs
        The pairs of them to compare; None: all.
    stories
        Where they are not grouped by their words: the number of the story that each would be grouped into by them.
    """

    documents: tuple[str, ...]
    pairs: tuple[DocumentPair, ...] | None = None
    stories: tuple[int, ...] | None = None

    def read(self, without: Collection[str]) -> Story:
        """The story without the given documents; no pair may contain them."""
        kept = [place for place, name in enumerate(self.documents) if name not in without]
        stories = None if self.stories is None else tuple(self.stories[place] for place in kept)
        return Story(tuple(self.documents[place] for place in kept), self.pairs, stories)

    def pair_count(self) -> int:
        """Number of pairs of documents to compare."""
        return len(self.documents) * (len(self.documents) - 1) // 2 if self.pairs is None else len(self.pairs)

    def cost(self) -> int:
        """Number of pairs of documents to compare, where each document with itself counts as one."""
        return self.pair_count() + len(self.documents)


@dataclass(frozen=True, slots=True)
class Mentions:
    """The mentions of a document, and their vectors where the document was read for them; None: not yet."""

    mentions: Sequence[Mention]
    vectors: MentionVectors | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """A story's documents and mentions, and the mentions' vectors; None: not read yet."""

    corpus: Corpus
    vectors: MentionVectors | None = None

    def of_kind(self, kind: str) -> Part:
        """The mentions of one kind; mentions without a kind count as of this kind."""
        own = [number for number, mention in enumerate(self.corpus.mentions) if mention.kind in (None, kind)]
        chosen = tuple(replace(self.corpus.mentions[number], kind=kind) for number in own)
        return Part(replace(self.corpus, mentions=chosen), self.vectors and self.vectors.take(own))


@dataclass(frozen=True, slots=True)
class Chunk:
    """Stories whose documents are searched for mentions together.

    Attributes
    ----------
    first
        Number of the first story within the collection.
    stories
        The stories.
    documents
        Their documents, story by story.
    """

    first: int
    stories: tuple[Story, ...]
    documents: tuple[Document, ...]

    def words(self) -> int:
        """Number of words in the documents."""
        return sum(len(document.tokens) for document in self.documents)

    def parts(self, mentions: Mapping[str, Mentions]) -> Iterator[tuple[int, Story, Part]]:
        """Number, story, and its documents with their mentions, for every story."""
        documents = iter(self.documents)
        for number, story in enumerate(self.stories, start=self.first):
            own = tuple(next(documents) for _ in story.documents)
            found = [mentions[document.id] for document in own]
            vectors = [one.vectors for one in found if one.vectors is not None]
            yield (
                number,
                story,
                Part(
                    Corpus(own, tuple(mention for one in found for mention in one.mentions)),
                    MentionVectors.joined(vectors) if len(vectors) == len(found) else None,
                ),
            )


def chunks(corpus: Corpus, stories: Sequence[Story]) -> Iterator[Chunk]:
    """The stories in order, in chunks of at most `WORDS_AT_ONCE` words; a larger story is a chunk of its own."""
    documents = {document.id: document for document in corpus.documents}
    chunk: list[Story] = []
    first = size = 0

    def made() -> Chunk:
        return Chunk(first, tuple(chunk), tuple(documents[name] for story in chunk for name in story.documents))

    for number, story in enumerate(stories):
        words = sum(len(documents[name].tokens) for name in story.documents)
        if chunk and size + words > WORDS_AT_ONCE:
            yield made()
            chunk, first, size = [], number, 0
        chunk.append(story)
        size += words
    if chunk:
        yield made()


def given_mentions(corpus: Corpus) -> dict[str, Mentions]:
    """The mentions that a collection comes with, by document, in their order."""
    numbers = corpus.mention_numbers()
    return {name: Mentions([corpus.mentions[n] for n in own]) for name, own in numbers.items()}


def with_unique_cluster_ids(story: LinkedStory, number: int) -> LinkedStory:
    """The story with its number in front of its clusters' names, which makes them unique across stories."""
    mentions = tuple(replace(m, cluster=f"{number}_{m.cluster}") for m in story.corpus.mentions)
    return replace(story, corpus=replace(story.corpus, mentions=mentions))

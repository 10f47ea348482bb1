"""The vocabulary of every other file: documents, the mentions in them, and which mentions corefer."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise
from typing import Any

from cdcoref.errors import InputError, check_ids

EVENT = "event"
ENTITY = "entity"
KINDS = (EVENT, ENTITY)
PEOPLE = "people"
STYLES = ("salient", "dense", "phrases", PEOPLE)
"""What counts as a mention.

``salient``: events, and the names and nouns of their participants, places and times, as in ECB+. ``dense``: the names
and nouns of everything that is referred to, without prepositions and relative pronouns. ``phrases``: as dense, but
whole noun phrases. ``people``: people, organisations and places alone, as whole noun phrases, as in LitBank.
"""


@dataclass(frozen=True, slots=True)
class Document:
    """One tokenised document.

    `id`: Unique in its corpus.
    `tokens`: The words, in order.
    `sentences`: Token ranges ``(start, end)``, end exclusive, in order; together they cover all tokens.
    `text`: The original text.
    `offsets`: Character range ``(start, end)`` in `text` of every token.
    `topic`, `subtopic`: Annotated groups of documents, if the corpus has them. A subtopic's name is unique across
        topics.
    `part`: CoNLL part; ``"0"`` if the document is not split.
    `path`: The file it was read from.
    `hidden`: Sentences that an encoder must not see as context (ECB+ keeps a document's URL in sentence 0, which would
        reveal its subtopic).
    `annotated`: Sentences in which mentions were annotated; None if all were. In others the absence of a mention means
        nothing.
    `metadata`: What is known about the text: ``"title"``, ``"date"``, ``"url"``, ``"source"``, ``"author"``, and any
        other field that came with it. Values are those of JSON.
    `found`: The names of metadata that were found in the text or in the name of its file; the others were stated.
    `copy_of`: Of a document that was found to be a near-duplicate of another, the id of the other, which is the longer
        one.
    `story`: Of a prediction or a collection, the number of its story; documents without words have none.
    `parse`: Its parse as :meth:`cdcoref.facts.Parse.packed` makes it; None if it has not been parsed.
    """

    id: str
    tokens: tuple[str, ...]
    sentences: tuple[tuple[int, int], ...]
    text: str
    offsets: tuple[tuple[int, int], ...]
    topic: str | None = None
    subtopic: str | None = None
    part: str = "0"
    path: str | None = None
    hidden: frozenset[int] = frozenset()
    annotated: frozenset[int] | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict, hash=False)
    found: frozenset[str] = frozenset()
    copy_of: str | None = None
    story: int | None = field(default=None, compare=False)
    parse: bytes | None = field(default=None, compare=False, repr=False)

    @classmethod
    def from_sentences(cls, id: str, sentences: Iterable[Sequence[str]], **fields: object) -> Document:
        """Build a document whose text is its tokens joined by spaces, one sentence per line."""
        tokens: list[str] = []
        ranges: list[tuple[int, int]] = []
        offsets: list[tuple[int, int]] = []
        lines: list[str] = []
        position = 0
        for sentence in sentences:
            start = len(tokens)
            for token in sentence:
                offsets.append((position, position + len(token)))
                position += len(token) + 1
                tokens.append(token)
            ranges.append((start, len(tokens)))
            lines.append(" ".join(sentence))
            if not sentence:
                position += 1
        return cls(id, tuple(tokens), tuple(ranges), "\n".join(lines), tuple(offsets), **fields)  # type: ignore[arg-type]

    def sentence_of_tokens(self) -> list[int]:
        """The sentence number of every token."""
        numbers: list[int] = []
        for number, (start, end) in enumerate(self.sentences):
            numbers.extend([number] * (end - start))
        return numbers

    def sentence_at(self, token: int) -> tuple[int, int]:
        """The tokens of the sentence in which a token is: the first, and the one behind the last."""
        return self.sentences[bisect_right(self.sentences, token, key=lambda bounds: bounds[0]) - 1]

    def sentence_text(self, token: int) -> str:
        """The sentence in which a token is, in one line."""
        return self.passage(*self.sentence_at(token))

    def passage(self, start: int, end: int) -> str:
        """The text from one token to before another, in one line."""
        return " ".join(self.text[self.offsets[start][0] : self.offsets[end - 1][1]].split())

    def line_of(self, character: int) -> int:
        """The line (from 1) of `text` in which a character offset lies."""
        return self.text.count("\n", 0, character) + 1


@dataclass(frozen=True, slots=True)
class Mention:
    """A set of tokens of one document that refers to an event or an entity.

    `document`: The document's id.
    `tokens`: Token indices in the document, ascending, without repetition; not necessarily contiguous.
    `kind`: ``"event"``, ``"entity"``, or None if the source does not state it.
    `cluster`: Name of the cluster, unique in the corpus (two mentions are coreferent if and only if their kinds and
        cluster names are equal); None if unknown, which is treated as a singleton.
    `id`: The source's own name for the mention.
    `tag`: The source's own class for it, such as ``"ACTION_OCCURRENCE"``.
    `confidence`: For a predicted mention, the calibrated probability (0 to 1) that it belongs to its cluster.
    """

    document: str
    tokens: tuple[int, ...]
    kind: str | None = None
    cluster: str | None = None
    id: str | None = None
    tag: str | None = None
    confidence: float | None = None

    @property
    def start(self) -> int:
        """First token."""
        return self.tokens[0]

    @property
    def end(self) -> int:
        """One past the last token."""
        return self.tokens[-1] + 1

    @property
    def contiguous(self) -> bool:
        """Whether the tokens are one unbroken span."""
        return self.end - self.start == len(self.tokens)

    @property
    def place(self) -> tuple[str, tuple[int, ...]]:
        """The document and the tokens."""
        return self.document, self.tokens

    @property
    def key(self) -> tuple[str, tuple[int, ...], str | None]:
        """What makes two mentions the same mention: the document, the tokens and the kind.

        An event and an entity on the same tokens are two mentions. If a mention of the key or of the response has no
        kind (as in CoNLL), `cdcoref.scoring` compares only the `place`, on both sides.
        """
        return self.document, self.tokens, self.kind


ClusterKey = tuple[str | None, str]
"""What identifies a cluster: the kind of its mentions, and its name in the corpus."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """Documents and the mentions in them."""

    documents: tuple[Document, ...]
    mentions: tuple[Mention, ...] = ()
    notes: tuple[str, ...] = field(default=(), compare=False)
    """What a reader had to leave out or change, one sentence each."""
    names: Mapping[ClusterKey, str] = field(default_factory=dict, hash=False)
    """What people call clusters; most have no such name."""
    stated: Mapping[ClusterKey, Mapping[str, str]] = field(default_factory=dict, hash=False)
    """What people state of events, instead of texts: ``"day"`` (ISO 8601, a range, or unknown) and ``"place"``."""
    titles: Mapping[str, str] = field(default_factory=dict, compare=False)
    """What people call stories, by the id of a document of each; the last of several counts."""
    texts: frozenset[str] = field(default=frozenset(), compare=False)
    """Ids of documents from files that cannot hold mentions; theirs are detected, whatever other documents have."""

    def __post_init__(self) -> None:
        lengths: dict[str, int] = {}
        for document in self.documents:
            if document.id in lengths:
                raise InputError(f"two documents have the id {document.id!r}; ids must be unique", document.path)
            lengths[document.id] = len(document.tokens)
        for mention in self.mentions:
            length = lengths.get(mention.document)
            if length is None:
                raise InputError(f"a mention is in document {mention.document!r}, which is not in the corpus")
            tokens = mention.tokens
            ascending = all(a < b for a, b in pairwise(tokens))
            if not tokens or not ascending or tokens[0] < 0 or tokens[-1] >= length:
                raise InputError(
                    f"a mention of document {mention.document!r} has tokens {tokens}; they must be ascending indices "
                    f"from 0 to {length - 1}"
                )

    def of_kind(self, kind: str) -> Corpus:
        """The same documents with the mentions of one kind; ``"both"`` keeps all."""
        if kind == "both":
            return self
        return replace(self, mentions=tuple(m for m in self.mentions if m.kind == kind))

    def with_kind(self, kind: str | None) -> Corpus:
        """The corpus with a kind for the mentions that have none; None changes nothing."""
        if kind is None:
            return self
        return replace(
            self,
            mentions=tuple(m if m.kind else replace(m, kind=kind) for m in self.mentions),
            names={(own or kind, cluster): name for (own, cluster), name in self.names.items()},
        )

    def with_ids(self, new: Mapping[str, str]) -> Corpus:
        """The corpus in which some documents have another id; for those not stated it stays."""
        return replace(
            self,
            documents=tuple(replace(d, id=new.get(d.id, d.id)) for d in self.documents),
            mentions=tuple(replace(m, document=new.get(m.document, m.document)) for m in self.mentions),
            titles={new.get(id, id): title for id, title in self.titles.items()},
            texts=frozenset(new.get(id, id) for id in self.texts),
        )

    def with_clusters(self, cluster: Callable[[Mention], str | None]) -> Corpus:
        """The corpus in which the cluster of each mention is what a function makes of it."""
        return replace(self, mentions=tuple(replace(m, cluster=cluster(m)) for m in self.mentions))

    def with_prefix(self, prefix: str) -> Corpus:
        """The corpus in which a prefix precedes the names of clusters."""
        return self.with_clusters(lambda m: m.cluster and f"{prefix}{m.cluster}")

    def name_of(self, mention: Mention) -> str | None:
        """The name that people gave to the cluster of a mention; None if they gave none."""
        return None if mention.cluster is None else self.names.get((mention.kind, mention.cluster))

    def copies(self) -> dict[str, list[str]]:
        """The documents that have near-duplicates, by id, and the ids of the near-duplicates of each."""
        found: dict[str, list[str]] = {}
        for document in self.documents:
            if document.copy_of is not None:
                found.setdefault(document.copy_of, []).append(document.id)
        return found

    def subset(self, documents: Iterable[str]) -> Corpus:
        """The corpus restricted to some of the documents, by id."""
        check_ids("documents", documents)
        wanted = set(documents)
        return replace(
            self,
            documents=tuple(d for d in self.documents if d.id in wanted),
            mentions=tuple(m for m in self.mentions if m.document in wanted),
        )

    def mention_numbers(self) -> dict[str, list[int]]:
        """The numbers of every document's mentions (including documents without any), in ascending order."""
        numbers: dict[str, list[int]] = {document.id: [] for document in self.documents}
        for number, mention in enumerate(self.mentions):
            numbers[mention.document].append(number)
        return numbers

    def by_document(self) -> dict[str, list[Mention]]:
        """The mentions of every document (including those without any), sorted by position."""
        table: dict[str, list[Mention]] = {d.id: [] for d in self.documents}
        for mention in self.mentions:
            table[mention.document].append(mention)
        for mentions in table.values():
            mentions.sort(key=lambda m: (m.start, m.end, m.tokens, m.kind or ""))
        return table

    def clusters(self) -> list[list[Mention]]:
        """Clusters in the order of their first mention; a mention without a cluster name is a cluster of its own."""
        members: dict[object, list[Mention]] = {}
        for number, mention in enumerate(self.mentions):
            name = number if mention.cluster is None else (mention.kind, mention.cluster)
            members.setdefault(name, []).append(mention)
        return list(members.values())


def character_parts(mention: Mention, document: Document) -> list[tuple[int, int]]:
    """Character ranges of the unbroken parts of a mention, in order; a contiguous mention has one."""
    offsets = document.offsets
    if mention.contiguous:
        return [(offsets[mention.start][0], offsets[mention.end - 1][1])]
    return [(offsets[part[0]][0], offsets[part[-1]][1]) for part in unbroken_parts(mention.tokens)]


def tokens_between(document: Document, start: int, end: int) -> range:
    """The tokens that overlap a range of characters."""
    first = bisect_right(document.offsets, start, key=lambda offset: offset[1])
    return range(first, max(first, bisect_left(document.offsets, end, key=lambda offset: offset[0])))


def unbroken_parts(tokens: Iterable[int]) -> list[list[int]]:
    """The runs of consecutive tokens among ascending ones."""
    parts = groupby(enumerate(tokens), key=lambda entry: entry[1] - entry[0])
    return [[token for _, token in part] for _, part in parts]


def mention_text(mention: Mention, document: Document) -> str:
    """The words of a mention as they appear in the text, its parts joined by ``" ... "``."""
    parts = character_parts(mention, document)
    return " ... ".join(" ".join(document.text[start:end].split()) for start, end in parts)


def confidence_text(confidence: float) -> str:
    """A confidence with two digits; what would round to 1 is not certain.

    >>> confidence_text(0.984), confidence_text(0.9996)
    ('0.98', '0.99+')
    """
    shown = f"{confidence:.2f}"
    return "0.99+" if shown == "1.00" else shown

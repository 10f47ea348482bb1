"""A corpus together with a description of its annotation, and its counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from cdcoref.corpora.splits import together
from cdcoref.corpus import KINDS, Corpus


@dataclass(frozen=True, slots=True)
class CorpusInfo:
    """The description of a corpus."""

    name: str
    title: str
    """Its name in the registry, and in print."""
    kinds: tuple[str, ...]
    """The kinds of mention that are annotated; only these are linked and scored."""
    exhaustive: tuple[str, ...]
    """The kinds whose mentions in the annotated sentences are all annotated, on which detectors are trained."""
    cross_document: bool
    """Whether links across documents are annotated; if not, two mentions of different documents may corefer."""
    sentences: str
    """Which sentences are annotated, in words; `Document.annotated` has their numbers."""
    citation: str
    licence: str
    source: str
    singletons: bool = True
    styles: tuple[str, ...] = ()
    """The styles (:data:`cdcoref.corpus.STYLES`) that a mention detector learns from it, its own first."""
    selective: tuple[str, ...] = ()
    """The kinds whose mentions are annotated for some types only: others may be mentions in another style."""
    people: tuple[str, ...] = ()
    """The types of people, organisations and places, if it is an example of the style ``people``."""
    dates: bool = True
    """Whether dates are annotated, as mentions in one piece."""

    @property
    def style(self) -> str:
        """The style in which the corpus is annotated; empty if it is unknown."""
        return self.styles[0] if self.styles else ""


@dataclass(frozen=True, slots=True)
class AnnotatedCorpus:
    """Documents and mentions of one corpus, and its description."""

    corpus: Corpus
    info: CorpusInfo

    def of_kind(self, kind: str) -> AnnotatedCorpus:
        """The same documents with one kind of mention, as if no other were annotated; ``"both"`` keeps all."""
        if kind == "both":
            return self
        info = replace(
            self.info,
            kinds=tuple(k for k in self.info.kinds if k == kind),
            exhaustive=tuple(k for k in self.info.exhaustive if k == kind),
        )
        return AnnotatedCorpus(self.corpus.of_kind(kind), info)


Corpora = Corpus | AnnotatedCorpus | Sequence[Corpus | AnnotatedCorpus]
"""One or more corpora, with or without a description."""


def annotated_corpora(corpora: Corpora) -> tuple[AnnotatedCorpus, ...]:
    """One or more corpora, each with its description.

    A corpus without a description is a user's own: links cross documents, and every mention of the kinds that occur in
    it is annotated (in the sentences that `Document.annotated` lists).
    """
    described = []
    for corpus in (corpora,) if isinstance(corpora, Corpus | AnnotatedCorpus) else corpora:
        if isinstance(corpus, Corpus):
            kinds = tuple(kind for kind in KINDS if any(m.kind == kind for m in corpus.mentions))
            about = ("own", "this corpus", kinds, kinds, True, "as each document says", "unpublished", "unstated", "")
            corpus = AnnotatedCorpus(corpus, CorpusInfo(*about))
        described.append(corpus)
    return tuple(described)


def joined(corpora: Sequence[AnnotatedCorpus]) -> Corpus:
    """All documents and mentions as one corpus, in which clusters of different corpora have different names."""
    if len(corpora) == 1:
        return corpora[0].corpus
    return together(part.corpus.with_prefix(f"{number}:") for number, part in enumerate(corpora))


def licences(parts: Sequence[AnnotatedCorpus]) -> str:
    """One sentence naming the known corpora and their licences, for a model card; empty if there are none."""
    known = {part.info.title: part.info for part in parts if part.info.source}
    if not known:
        return ""
    named = "; ".join(f"{info.title} ({info.citation}), {info.licence}" for info in known.values())
    return f"Trained and tuned on: {named}.\n"


UNKNOWN = "unknown"
"""Represents the kind of mentions without one."""


@dataclass(frozen=True, slots=True)
class CorpusStatistics:
    """Counts, of mentions and clusters by kind; `clusters` have two or more mentions, as the paper counts them."""

    topics: int
    documents: int
    sentences: int
    annotated_sentences: int
    mentions: dict[str, int]
    clusters: dict[str, int]
    cross_document_clusters: dict[str, int]
    singletons: dict[str, int]


def corpus_statistics(corpus: Corpus) -> CorpusStatistics:
    """Count the contents of a corpus."""
    mentions = Counter(m.kind or UNKNOWN for m in corpus.mentions)
    sizes = [(c[0].kind or UNKNOWN, len(c), len({mention.document for mention in c})) for c in corpus.clusters()]
    clusters = Counter(kind for kind, size, _ in sizes if size > 1)
    crossing = Counter(kind for kind, _, documents in sizes if documents > 1)
    singletons = Counter(kind for kind, size, _ in sizes if size == 1)
    sentences = [len(d.sentences) for d in corpus.documents]
    annotated = [len(d.sentences) if d.annotated is None else len(d.annotated) for d in corpus.documents]
    return CorpusStatistics(
        len({d.topic for d in corpus.documents if d.topic is not None}),
        len(corpus.documents),
        sum(sentences),
        sum(annotated),
        dict(mentions),
        dict(clusters),
        {kind: crossing[kind] for kind in clusters},
        dict(singletons),
    )

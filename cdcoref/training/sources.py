"""What the stages of training read from annotated corpora: sentences, groups of documents, shares of a corpus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, TypeVar

import numpy as np
from numpy.typing import NDArray

from cdcoref.corpora import AnnotatedCorpus
from cdcoref.corpus import Corpus, Document
from cdcoref.errors import InputError
from cdcoref.inputs import ReadingBuilder, ReadingSequence
from cdcoref.stories import Setting, group_documents
from cdlm.validation import number

T = TypeVar("T")

Shares = Mapping[str, Annotated[float, number(0, most=10**6)]]
"""By corpus, how much of it is seen; 1 where a corpus is not named."""


def annotated_sequences(document: Document, builder: ReadingBuilder) -> list[ReadingSequence]:
    """The sequences of a document that contain an annotated sentence."""
    return [
        sequence
        for sequence in builder(document)
        if document.annotated is None or in_annotated(document, sequence.words).any()
    ]


def in_annotated(document: Document, tokens: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which tokens of a document are in annotated sentences. *Shape:* (tokens,)"""
    if document.annotated is None:
        return np.ones(len(tokens), dtype=bool)
    return np.isin(np.array(document.sentence_of_tokens(), dtype=np.int64)[tokens], list(document.annotated))


def linkable_groups(part: AnnotatedCorpus, setting: Setting = "predicted") -> list[list[str]]:
    """The groups of documents, by id, whose mentions may corefer: each document alone if links across documents are not
    annotated, otherwise as :func:`cdcoref.stories.group_documents` finds them."""
    if not part.info.cross_document:
        return [[document.id] for document in part.corpus.documents]
    return group_documents(part.corpus.documents, setting)


def widest_setting(corpus: Corpus) -> Setting:
    """Annotated topics, where every document has one; their sibling stories are the hardest to tell apart."""
    return "gold_topic" if all(document.topic is not None for document in corpus.documents) else "predicted"


def story_setting(corpus: Corpus) -> Setting:
    """The finest groups that are annotated for every document: subtopics, else topics, else none but the predicted."""
    return (
        "gold_subtopic"
        if all(document.subtopic is not None for document in corpus.documents)
        else widest_setting(corpus)
    )


def cluster_numbers(corpus: Corpus, cross_document: bool = True) -> NDArray[np.int64]:
    """The number of the cluster of every mention; without links between documents, a name holds within its document.

    *Shape:* (mentions,)
    """
    names: dict[object, int] = {}
    keys = (
        number if m.cluster is None else (None if cross_document else m.document, m.kind, m.cluster)
        for number, m in enumerate(corpus.mentions)
    )
    return np.array([names.setdefault(key, len(names)) for key in keys], dtype=np.int64)


def drawn(size: int, count: int, rng: np.random.Generator) -> list[int]:
    """`count` of the numbers below `size`, drawn without replacement, ascending."""
    return sorted(rng.permutation(size)[:count].tolist())


def drawn_by_share(
    items: Sequence[Sequence[T]],
    parts: Sequence[AnnotatedCorpus],
    shares: Mapping[str, float],
    passes: int,
    rng: np.random.Generator,
    setting: str,
) -> list[list[T]]:
    """Pass by pass, what is seen of corpora, in random order: of each its share, equally often whatever is in it.

    `shares` is by corpus what a pass sees of its `items`; 2 reads each twice. `setting` names it in messages.
    """
    counts = [round(shares.get(part.info.name, 1.0) * len(own)) for own, part in zip(items, parts, strict=True)]
    if any(items) and not any(counts):
        raise InputError(f"{setting} leaves nothing to learn from; raise the shares")
    seen: list[list[T]] = []
    for _ in range(passes):
        one: list[T] = []
        for own, count in zip(items, counts, strict=True):
            left = count
            while left > 0:
                one += [own[place] for place in rng.permutation(len(own))[:left].tolist()]
                left -= len(own)
        seen.append([one[place] for place in rng.permutation(len(one)).tolist()])
    return seen


def check_weights(weights: Mapping[str, float], parts: Sequence[AnnotatedCorpus], setting: str) -> None:
    """Refuse a weight for a corpus that is not trained on, and weights of 0 for all corpora that are."""
    names = {part.info.name for part in parts}
    for name in weights:
        if name not in names:
            known = ", ".join(sorted(names))
            raise InputError(f"{setting} has a weight for {name!r}, but the training corpora are {known}")
    if names and not any(weights.get(name, 1.0) for name in names):
        raise InputError(f"{setting} is 0 for every training corpus, so nothing would be learnt")

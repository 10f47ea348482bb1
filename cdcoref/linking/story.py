"""One story's documents in, its clusters out. Stories are independent: no state outlives the call.

Everything that a story needs is in the arguments, so stories can be linked one after the other, in parallel or on
several machines, and the largest story determines how much memory is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from cdcoref.corpus import KINDS, Corpus
from cdcoref.linking.clusters import cluster_mentions
from cdcoref.linking.comparison import Comparison
from cdcoref.linking.store import ResultStore
from cdcoref.linking.tied_documents import DocumentPair
from cdcoref.linking.vectors import MentionVectors
from cdcoref.model import CorefModel


@dataclass(frozen=True, slots=True)
class LinkingOptions:
    """How the mentions of a story are linked.

    Attributes
    ----------
    threshold
        Clusters are merged while the probability that their mentions corefer is above it; None: the model's own.
    max_windows
        Compare each part of a document that is too long for one sequence with at most this many other parts; None:
        as the model does.
    batch_tokens
        Word pieces that the encoder reads at once.
    candidates
        Read each mention together with at most so many others and those that have it among theirs (see
        :class:`cdcoref.model.VectorOptions`); 0: with all; None: the model's own.
    marking
        Mark all mentions of a sequence (``"all"``), or one pair of candidates at a time, as in the paper (``"pair"``);
        None: as the model does.
    """

    threshold: float | None = None
    max_windows: int | None = None
    batch_tokens: int = 8192
    candidates: int | None = None
    marking: Literal["all", "pair"] | None = None


@dataclass(frozen=True, slots=True)
class LinkedStory:
    """The result of linking a story.

    Attributes
    ----------
    corpus
        The story's documents, and its mentions with cluster and confidence, in the order given.
    sequences
        Number of sequences that had to be read.
    notes
        One sentence for everything that could not be taken into account.
    """

    corpus: Corpus
    sequences: int = 0
    notes: tuple[str, ...] = ()


def link_story(
    model: CorefModel,
    story: Corpus,
    options: LinkingOptions,
    *,
    pairs: Sequence[DocumentPair] | None = None,
    vectors: MentionVectors | None = None,
    story_of: Mapping[str, int] | None = None,
    store: ResultStore | None = None,
    advance: Callable[[float], None] = lambda pairs: None,
) -> LinkedStory:
    """Decide which mentions of a story corefer.

    Parameters
    ----------
    model
        Compares the mentions.
    story
        Documents about the same story, and the mentions in them (see :func:`cdcoref.linking.find_mentions`).
    options
        See :class:`LinkingOptions`.
    pairs
        The pairs of documents to compare; None: all. Each document is compared with itself in any case.
    vectors
        Of the mentions, where they are known already; None: documents are read for them, if the model has vectors.
    story_of
        The story of each document by its words, by id, if the documents are a larger group than a story (see
        :class:`cdcoref.model.VectorOptions`); None: they are one.
    store
        Where results are looked up and stored.
    advance
        Called repeatedly with the number of document pairs, or the share of one, done since the last call.

    Raises
    ------
    InputError
        If a mention has no kind, or more mentions begin at one word than can be marked.
    """
    comparison = Comparison(
        model,
        story,
        pairs,
        max_windows=options.max_windows,
        marking=options.marking,
        candidates=options.candidates,
        vectors=vectors,
    )
    logits = comparison.run(batch_tokens=options.batch_tokens, store=store, advance=advance)
    settings = model.settings
    if story_of is not None:
        logits = logits.across_stories(story, story_of, settings.vectors.combine)
    if options.threshold is not None:
        settings = replace(settings, distance_threshold=dict.fromkeys(KINDS, 1.0 - options.threshold))
    clustered = cluster_mentions(story, logits, settings)
    return LinkedStory(clustered, comparison.extent.sequences, tuple(comparison.notes))

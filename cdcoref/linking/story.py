"""One story's documents in, its clusters out. Stories are independent: no state outlives the call.

Everything that a story needs is in the arguments, so that stories can be linked one after the other, side by side or on
other machines, and the memory that is needed is that of the largest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from cdcoref.corpus import KINDS, Corpus
from cdcoref.linking.clusters import cluster_mentions
from cdcoref.linking.comparison import Comparison, DocumentPair, all_pairs
from cdcoref.linking.store import ResultStore
from cdcoref.model import CorefModel


@dataclass(frozen=True, slots=True)
class LinkingOptions:
    """How the mentions of a story are linked.

    Attributes
    ----------
    threshold
        Clusters are merged while the probability that their mentions corefer is above it; None: the model's own.
    max_windows
        Read each part of a document that is too long for one sequence with at most so many other parts; None: with
        all.
    batch_tokens
        Word pieces that the encoder reads at once.
    """

    threshold: float | None = None
    max_windows: int | None = None
    batch_tokens: int = 8192


@dataclass(frozen=True, slots=True)
class LinkedStory:
    """What was linked.

    Attributes
    ----------
    corpus
        The story's documents, and its mentions with cluster and confidence, in the order in which they were given.
    sequences
        How many sequences had to be read together.
    notes
        One sentence for whatever could not be taken into account.
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
    store: ResultStore | None = None,
    advance: Callable[[float], None] = lambda pairs: None,
) -> LinkedStory:
    """Decide which mentions of a story are the same.

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
    store
        Where results are looked up and kept.
    advance
        Called with the number of pairs of documents done, or the share of one, again and again.

    Raises
    ------
    InputError
        If a mention has no kind, or more mentions begin at one word than can be marked.
    """
    if pairs is None:
        pairs = all_pairs([[document.id for document in story.documents]])
    comparison = Comparison(model, story, pairs, max_windows=options.max_windows)
    logits = comparison.run(batch_tokens=options.batch_tokens, store=store, advance=advance)
    settings = model.settings
    if options.threshold is not None:
        settings = replace(settings, distance_threshold=dict.fromkeys(KINDS, 1.0 - options.threshold))
    clustered = cluster_mentions(story, logits, settings)
    return LinkedStory(clustered, comparison.extent.sequences, tuple(comparison.notes))

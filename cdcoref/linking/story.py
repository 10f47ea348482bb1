"""One story's documents in, its clusters out. Stories are independent: no state outlives the call.

Everything that a story needs is in the arguments, so stories can be linked one after the other, in parallel or on
several machines, and the largest story determines how much memory is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from cdcoref.corpus import Corpus
from cdcoref.linking.clusters import clusters_by_kind, with_clusters
from cdcoref.linking.comparison import Comparison
from cdcoref.linking.linking_options import LinkingOptions
from cdcoref.linking.links import ComparedPairs
from cdcoref.linking.pair_logits import DocumentPair
from cdcoref.linking.store import ResultStore
from cdcoref.model import CorefModel
from cdcoref.reading import Readings


@dataclass(frozen=True, slots=True)
class LinkedStory:
    """The result of linking a story.

    `readings`: What is known of the story's documents, and its mentions with cluster and confidence, in the order
        given.
    `sequences`: Number of sequences that had to be read.
    `notes`: One sentence for everything that could not be taken into account.
    `pairs`: The pairs that were compared, by the numbers of the mentions, if the options ask for them.
    """

    readings: Readings
    sequences: int = 0
    notes: tuple[str, ...] = ()
    pairs: ComparedPairs | None = None

    @property
    def corpus(self) -> Corpus:
        """Its documents and mentions."""
        return self.readings.corpus

    def with_corpus(self, corpus: Corpus) -> LinkedStory:
        """The same with other names of clusters, or other documents."""
        return replace(self, readings=self.readings.with_corpus(corpus))


def link_story(
    model: CorefModel,
    story: Readings,
    options: LinkingOptions,
    *,
    pairs: Sequence[DocumentPair] | None = None,
    story_of: Mapping[str, int] | None = None,
    store: ResultStore | None = None,
    advance: Callable[[float], None] = lambda pairs: None,
) -> LinkedStory:
    """Decide which mentions of a story corefer.

    `story`: Documents about the same story, and the mentions in them (see :func:`cdcoref.linking.read`).
    `pairs`: The pairs of documents to compare; None: all. Each document is compared with itself in any case.
    `story_of`: The story of each document by its words, by id, if the documents are a larger group than a story (see
        :class:`cdcoref.model.VectorOptions`); None: they are one.
    `advance`: Called repeatedly with the number of document pairs, or the share of one, done since the last call.
    """
    comparison = Comparison(model, story, pairs, options)
    logits = comparison.run(batch_tokens=options.batch_tokens, store=store, advance=advance)
    settings = model.settings
    if story_of is not None:
        logits = logits.across_stories(story, story_of, settings.vectors.combine)
    clusters = clusters_by_kind(story, logits, options.configure(settings))
    pairs_kept = ComparedPairs.of(links for _, links in clusters.values()) if options.pairs else None
    linked = story.with_corpus(with_clusters(story.corpus, clusters))
    return LinkedStory(linked, comparison.sequences, tuple(comparison.notes), pairs_kept)

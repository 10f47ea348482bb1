"""Comparing documents: a story and the pairs of documents to compare in, a logit for every pair of mentions out.

Mentions of the same kind are compared within every document and across every given pair of documents. How documents
are read follows from the model's configuration: in pairs, as in the paper, or many at once. Either way the result does
not depend on the order of the input.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import combinations

import numpy as np

from cdcoref.corpus import KINDS, Corpus
from cdcoref.errors import InputError
from cdcoref.linking.document_pairs import DocumentPair, DocumentPairs
from cdcoref.linking.pair_logits import PairLogits
from cdcoref.linking.store import ResultStore
from cdcoref.linking.story_packs import StoryPacks
from cdcoref.model import CorefModel
from cdcoref.sequences import Extent, MarkedDocument


def all_pairs(groups: Iterable[Sequence[str]]) -> list[DocumentPair]:
    """Every pair of documents within a group, by id."""
    return [pair for group in groups for pair in combinations(sorted(group), 2)]


class Comparison:
    """The work of comparing the documents of a story, whose size is known before it is done.

    Parameters
    ----------
    model
        The model whose encoder and pair scorer are used.
    corpus
        Documents and the mentions to compare; every mention has a kind.
    pairs
        Pairs of documents to compare, by id; None: all. Every document is also compared with itself. A model that reads
        many documents at once compares some other pairs as well.
    max_windows
        See :class:`cdcoref.sequences.SequenceOptions`.
    """

    def __init__(
        self,
        model: CorefModel,
        corpus: Corpus,
        pairs: Sequence[DocumentPair] | None,
        *,
        max_windows: int | None = None,
    ) -> None:
        for mention in corpus.mentions:
            if mention.kind not in KINDS:
                raise InputError(
                    f"a mention in {mention.document!r} is neither an event nor an entity; specify the kind of its "
                    "mentions"
                )
        self.corpus = corpus
        self._builder = model.pair_builder(max_windows)
        numbers: dict[str, list[int]] = {d.id: [] for d in corpus.documents}
        for number, mention in enumerate(corpus.mentions):
            numbers[mention.document].append(number)
        marked: dict[str, MarkedDocument] = {}
        for document in sorted(corpus.documents, key=lambda d: d.id):
            own = numbers[document.id]
            own.sort(key=lambda n: (corpus.mentions[n].tokens, corpus.mentions[n].kind or ""))
            if own:
                marked[document.id] = self._builder.prepare(document, [corpus.mentions[n] for n in own], own)
        if pairs is not None:
            pairs = [pair for pair in pairs if pair[0] in marked and pair[1] in marked]
        self._reading: DocumentPairs | StoryPacks
        if model.settings.sequences.documents == "many":
            self._reading = StoryPacks(model, self._builder, marked, pairs)
        else:
            across = all_pairs([list(marked)]) if pairs is None else pairs
            self._reading = DocumentPairs(model, self._builder, marked, [*((name, name) for name in marked), *across])

    @cached_property
    def extent(self) -> Extent:
        """Number of sequences to read, of their word pieces (roughly), and of window pairs left out."""
        return self._reading.extent()

    @property
    def notes(self) -> list[str]:
        """One sentence for each mention that had to be cut, and one for the pruned windows of long documents."""
        pruned = self.extent.pruned
        if not pruned:
            return self._builder.notes
        subject = "1 pair" if pruned == 1 else f"{pruned} pairs"
        return [*self._builder.notes, f"the limit on windows left {subject} of windows of long documents uncompared"]

    def run(
        self,
        *,
        batch_tokens: int,
        store: ResultStore | None = None,
        advance: Callable[[float], None] = lambda pairs: None,
    ) -> PairLogits:
        """Compare the documents.

        Parameters
        ----------
        batch_tokens
            Word pieces that the encoder reads at once.
        store
            Where results are looked up and stored.
        advance
            Called repeatedly with the number of document pairs, or the share of one, done since the last call.
        """
        numbers = [np.zeros((0, 2), dtype=np.int32)]
        logits = [np.zeros(0, dtype=np.float32)]
        for pair, values in self._reading.run(batch_tokens, store, advance):
            numbers.append(np.sort(pair, axis=1).astype(np.int32))
            logits.append(values)
        pairs = np.concatenate(numbers)
        kind_of = np.array([KINDS.index(m.kind or "") for m in self.corpus.mentions], dtype=np.int8)
        kinds = kind_of[pairs[:, 0]]
        return PairLogits(len(kind_of), pairs[:, 0].copy(), pairs[:, 1].copy(), kinds, np.concatenate(logits))

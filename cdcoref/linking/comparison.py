"""Comparing documents: a corpus and the pairs of documents to compare in, a logit for every pair of mentions out.

Mentions of one kind are compared, within every document and across every pair of documents that is given. Across
documents the logit is the mean over both orders of the two (or, where the model's configuration says so, that of one
order which does not depend on the files' names), so the order of the input does not matter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from cdcoref.clustering import PairScores
from cdcoref.corpus import KINDS, Corpus
from cdcoref.engines import ResultCache, document_hash
from cdcoref.errors import InputError
from cdcoref.model import CorefModel, collate, token_batches
from cdcoref.sequences import Integers, MarkedDocument, PairSequence, SequenceBuilder

SEQUENCES_AT_ONCE = 512
"""Sequences that are sorted by length together, and kept in a cache together."""

Matrix = NDArray[np.float32]
DocumentPair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class PairLogits:
    """Logits of pairs of mentions; a pair that was not compared is not there.

    Attributes
    ----------
    size
        Number of mentions of the corpus.
    first, second
        Numbers of the two mentions, the smaller first. *Shape:* (pairs,)
    kinds
        Their kind, as a position in `KINDS`. *Shape:* (pairs,)
    logits
        *Shape:* (pairs,)
    """

    size: int
    first: Integers
    second: Integers
    kinds: Integers
    logits: Matrix

    def probabilities(self, temperature: Mapping[str, float]) -> NDArray[np.float64]:
        """Calibrated probabilities of coreference. *Shape:* (pairs,)"""
        divisor = np.array([temperature[kind] for kind in KINDS])
        scaled = self.logits.astype(np.float64) / divisor[self.kinds]
        return 0.5 * (1.0 + np.tanh(0.5 * scaled))

    def scores(self, temperature: Mapping[str, float], kind: str) -> PairScores:
        """The probabilities of one kind's pairs, for clustering."""
        chosen = self.kinds == KINDS.index(kind)
        values = self.probabilities(temperature)[chosen]
        return PairScores(self.size, self.first[chosen], self.second[chosen], values)

    def within(self, groups: Sequence[Sequence[str]], corpus: Corpus) -> PairLogits:
        """The pairs whose documents are in one group."""
        group_of = {name: number for number, group in enumerate(groups) for name in group}
        of_mention = np.array([group_of[m.document] for m in corpus.mentions], dtype=np.int64)
        chosen = of_mention[self.first] == of_mention[self.second] if len(self.first) else slice(None)
        return PairLogits(self.size, self.first[chosen], self.second[chosen], self.kinds[chosen], self.logits[chosen])


def all_pairs(groups: Iterable[Sequence[str]]) -> list[DocumentPair]:
    """Every pair of documents within a group, by id."""
    return [pair for group in groups for pair in combinations(sorted(group), 2)]


class Comparison:
    """The work of comparing the documents of a corpus: it can be sized up before it is done.

    Parameters
    ----------
    model
        Whose encoder and pair scorer are used.
    corpus
        Documents and the mentions to compare; every mention has a kind.
    pairs
        Pairs of documents to compare, by id; every document is also compared with itself.
    max_windows
        See :class:`cdcoref.sequences.windows.SequenceOptions`.
    """

    def __init__(
        self, model: CorefModel, corpus: Corpus, pairs: Sequence[DocumentPair], *, max_windows: int | None = None
    ) -> None:
        for mention in corpus.mentions:
            if mention.kind not in KINDS:
                raise InputError(
                    f"a mention in {mention.document!r} is neither an event nor an entity; say which with --kind"
                )
        self.model = model
        self.corpus = corpus
        options = replace(model.settings.sequence_options(), max_windows=max_windows)
        self._builder = SequenceBuilder(model.tokenizer, options)
        numbers: dict[str, list[int]] = {d.id: [] for d in corpus.documents}
        for number, mention in enumerate(corpus.mentions):
            numbers[mention.document].append(number)
        self._marked: dict[str, MarkedDocument] = {}
        self._numbers: dict[str, Integers] = {}
        for document in sorted(corpus.documents, key=lambda d: d.id):
            own = numbers[document.id]
            own.sort(key=lambda n: (corpus.mentions[n].tokens, corpus.mentions[n].kind or ""))
            if own:
                mentions = [corpus.mentions[n] for n in own]
                self._marked[document.id] = self._builder.prepare(document, mentions, range(len(own)))
                self._numbers[document.id] = np.array(own, dtype=np.int64)
        self.pairs: list[DocumentPair] = [(name, name) for name in self._marked]
        self.pairs += [p for p in pairs if p[0] in self._marked and p[1] in self._marked]

    @property
    def notes(self) -> list[str]:
        """One sentence for each mention that had to be cut, and for what was left out of long documents."""
        if not self._builder.pruned:
            return self._builder.notes
        pruned = f"{self._builder.pruned} pairs of windows of long documents were not compared, because of --max-pairs"
        return [*self._builder.notes, pruned]

    def size(self) -> tuple[int, int]:
        """Number of sequences, and about how many word pieces they have."""
        sequences = pieces = 0
        for one, other in self.pairs:
            found = self._builder.count(*self._both((one, other)))
            sequences += self._orders((one, other)) * found[0]
            pieces += self._orders((one, other)) * found[1]
        return sequences, pieces

    def run(
        self,
        *,
        batch_tokens: int,
        cache: ResultCache | None = None,
        advance: Callable[[int], None] = lambda sequences: None,
    ) -> PairLogits:
        """Compare.

        Parameters
        ----------
        batch_tokens
            Word pieces that the encoder reads at once.
        cache
            Where results are kept and looked up.
        advance
            Called with the number of sequences done, again and again.
        """
        numbers = [np.zeros((0, 2), dtype=np.int64)]
        logits = [np.zeros(0, dtype=np.float32)]
        for (one, other), matrix in self._matrices(batch_tokens, cache, advance):
            rows, columns = np.nonzero(~np.isnan(matrix))
            pair = np.stack([self._numbers[one][rows], self._numbers[other][columns]], axis=1)
            numbers.append(np.sort(pair, axis=1))
            logits.append(matrix[rows, columns])
        pairs = np.concatenate(numbers)
        kind_of = np.array([KINDS.index(m.kind or "") for m in self.corpus.mentions], dtype=np.int64)
        kinds = kind_of[pairs[:, 0]] if len(pairs) else pairs[:, 0]
        return PairLogits(len(kind_of), pairs[:, 0], pairs[:, 1], kinds, np.concatenate(logits))

    def _matrices(
        self, batch_tokens: int, cache: ResultCache | None, advance: Callable[[int], None]
    ) -> Iterator[tuple[DocumentPair, Matrix]]:
        """For every pair of documents the mean logits of their mentions; NaN where two are not comparable."""
        hashes = {
            name: document_hash(marked.document, marked.mentions) for name, marked in self._marked.items() if cache
        }
        todo: list[tuple[DocumentPair, bytes]] = []
        waiting: list[tuple[int, bool, PairSequence]] = []
        for pair in self.pairs:
            key = b""
            if cache is not None:
                key = cache.key(
                    "pair",
                    str(self._builder.options.max_windows),
                    hashes[pair[0]],
                    hashes[pair[1]] if pair[0] != pair[1] else "itself",
                )
                found = cache.get(key)
                if found is not None:
                    advance(self._orders(pair) * self._builder.count(*self._both(pair))[0])
                    yield pair, found
                    continue
            waiting.extend((len(todo), flipped, s) for flipped, s in self._sequences(pair))
            todo.append((pair, key))
            if len(waiting) >= SEQUENCES_AT_ONCE:
                yield from self._finish(todo, waiting, batch_tokens, cache, advance)
                todo, waiting = [], []
        yield from self._finish(todo, waiting, batch_tokens, cache, advance)

    def _finish(
        self,
        todo: Sequence[tuple[DocumentPair, bytes]],
        waiting: Sequence[tuple[int, bool, PairSequence]],
        batch_tokens: int,
        cache: ResultCache | None,
        advance: Callable[[int], None],
    ) -> Iterator[tuple[DocumentPair, Matrix]]:
        shapes = [(len(self._numbers[one]), len(self._numbers[other])) for (one, other), _ in todo]
        totals = [np.zeros(shape, dtype=np.float32) for shape in shapes]
        counts = [np.zeros(shape, dtype=np.float32) for shape in shapes]
        for positions in token_batches([len(s) for _, _, s in waiting], batch_tokens):
            chosen = [waiting[p] for p in positions]
            logits = pair_logits(self.model, [s for _, _, s in chosen])
            for (number, flipped, sequence), values in zip(chosen, logits, strict=True):
                places = sequence.mentions[sequence.pairs]
                rows, columns = places[:, int(flipped)], places[:, 1 - int(flipped)]
                totals[number][rows, columns] += values
                counts[number][rows, columns] += 1
            advance(len(chosen))
        with np.errstate(invalid="ignore"):
            matrices = [total / count for total, count in zip(totals, counts, strict=True)]
        if cache is not None:
            cache.put({key: matrix for (_, key), matrix in zip(todo, matrices, strict=True)})
        for (pair, _), matrix in zip(todo, matrices, strict=True):
            yield pair, matrix

    def _both(self, pair: DocumentPair) -> tuple[MarkedDocument, MarkedDocument | None]:
        return self._marked[pair[0]], None if pair[0] == pair[1] else self._marked[pair[1]]

    def _orders(self, pair: DocumentPair) -> int:
        return 2 if pair[0] != pair[1] and self.model.settings.both_orders else 1

    def _sequences(self, pair: DocumentPair) -> Iterator[tuple[bool, PairSequence]]:
        """The sequences of a pair, each with whether its second document stands first."""
        one, other = self._both(pair)
        if other is None:
            yield from ((False, s) for s in self._builder.single(one))
            return
        second_first = _content(other) < _content(one)
        if self.model.settings.both_orders or not second_first:
            yield from ((False, s) for s in self._builder.pair(one, other))
        if self.model.settings.both_orders or second_first:
            yield from ((True, s) for s in self._builder.pair(other, one))


def _content(marked: MarkedDocument) -> tuple[object, ...]:
    """All that a sequence shows of a document, which settles who stands first whatever the names."""
    document = marked.document
    places = [(mention.tokens, mention.kind or "") for mention in marked.mentions]
    return document.tokens, document.sentences, sorted(document.hidden), places


def pair_logits(model: CorefModel, sequences: Sequence[PairSequence]) -> list[Matrix]:
    """Logits of the pairs of every sequence. *Shape* of each: (pairs,)"""
    batch = collate(sequences, model.encoder.config.pad_token_id)
    with model.inference():
        logits = model.pair_logits({name: tensor.to(model.device) for name, tensor in batch.items()})
    return np.split(logits.float().cpu().numpy(), np.cumsum([len(s.pairs) for s in sequences])[:-1])

"""Fitting the bi-encoder's heads on a finished encoder: the scorer of antecedents, then the scorer of pairs, by a few
thousand steps of small networks. None of them looks at dev."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from cdcoref.corpora import AnnotatedCorpus
from cdcoref.corpus import KINDS
from cdcoref.errors import InputError
from cdcoref.linking import ReadMentions, comparison_features, read_vectors
from cdcoref.model import ALL, CorefModel, KindScorer, VectorOptions
from cdcoref.reading import Readings
from cdcoref.training.antecedent_training import AntecedentTraining, fit_antecedents, swapped
from cdcoref.training.sources import (
    READ_TOKENS,
    ReadWords,
    Shares,
    cluster_numbers,
    linkable_groups,
    read_words,
    widest_setting,
)
from cdlm.gradients import optimise
from cdlm.runs import Say
from cdlm.validation import Checked, Count, number

COREFERENT = 0.25
"""Share of the pairs of a step that are drawn from the coreferent ones."""
FEW_PAIRS = 200
"""A feature that fewer pairs show is not learnt; it has the weight that its table states."""


@dataclass(frozen=True, slots=True)
class VectorTraining(Checked):
    """How the heads are fitted."""

    scorer_steps: Count = 3000
    scorer_pairs: Count = 1024
    scorer_rate: Annotated[float, number(0, most=1)] = 1e-3
    """Steps of the scorer, pairs a step (a quarter of them coreferent, and weighted accordingly), and the largest
    learning rate."""
    corpus_weights: Shares = field(default_factory=dict)
    """By corpus, how often its pairs are drawn relative to those of others; 1 where a corpus is not named."""
    unseen: tuple[str, ...] = ()
    """The corpora that the encoder was not trained on, for the networks that learn vectors from these alone."""
    antecedents: AntecedentTraining = field(default_factory=AntecedentTraining)
    """How the scorer of antecedents is trained."""


def fit_vectors(
    model: CorefModel,
    parts: Sequence[AnnotatedCorpus],
    options: VectorOptions,
    training: VectorTraining,
    *,
    seed: int,
    say: Say,
) -> None:
    """Give a model a fitted bi-encoder; an `InputError` if a kind has no coreferent mentions to learn from."""
    torch.manual_seed(seed)
    model.eval()
    model.add_vectors(options)
    rng = np.random.default_rng(seed)
    learning = options.antecedents or options.learnt
    words = [read_words(model, part.corpus) for part in parts] if learning else []
    if options.antecedents:
        also = [swapped(part) for part in parts]  # so that occupations state no gender
        swapped_words = [read_words(model, part.corpus) for part in also]
        fit_antecedents(model, [*parts, *also], [*words, *swapped_words], training.antecedents, rng=rng, say=say)
    examples = [(part.info.name, pair_examples(model, part)) for part in parts]
    assert model.vector_scorer is not None
    for kind in KINDS:
        sources = [
            _Source(name, pairs[kind], words[n] if options.learnt else None, training.corpus_weights.get(name, 1.0))
            for n, (name, pairs) in enumerate(examples)
            if len(pairs[kind].labels) and training.corpus_weights.get(name, 1.0)
        ]
        if any(source.pairs.labels.any() for source in sources):
            scorer = model.vector_scorer.of_kind(kind)
            steps = (1 + len(scorer.shares)) * training.scorer_steps
            say(f"vectors: fitting the {kind} scorer in {steps:,} steps")  # which may take minutes
            losses = _fit_scorer(scorer, kind, sources, training, model.settings.vectors.prior, rng)
            figures = " and ".join(f"{loss:.3f}" for loss in losses)
            say(f"vectors: {kind} scorer, loss {figures} over the last tenth of its steps")


@dataclass(frozen=True, slots=True)
class PairExamples:
    """Pairs of mentions of one kind to learn from.

    `numbers`: The two mentions of each, as places in the corpus. *Shape:* (pairs, 2)
    `features`: What the scorer compares besides learnt vectors. *Shape:* (pairs, :attr:`VectorOptions.pair_width`)
    `labels`: Whether the two corefer. *Shape:* (pairs,)
    """

    numbers: NDArray[np.int64]
    features: NDArray[np.float32]
    labels: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class _Source:
    """A corpus to draw pairs from: its name and pairs, the words of its mentions for learnt vectors, and its weight."""

    name: str
    pairs: PairExamples
    words: ReadWords | None
    weight: float

    def drawn(self, count: int, rng: np.random.Generator) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
        """Places of pairs, `COREFERENT` of them coreferent at least, and how much each counts to undo that."""
        labels = self.pairs.labels
        coreferent = np.flatnonzero(labels)
        chosen = rng.choice(coreferent, round(COREFERENT * count)) if len(coreferent) else coreferent
        places = np.concatenate([chosen, rng.integers(len(labels), size=count - len(chosen))])
        share = len(chosen) / max(1, count)
        rate = len(coreferent) / len(labels)
        coreferent_weight, other_weight = rate / (share + (1 - share) * rate) if rate else 1.0, 1 / (1 - share)
        return places, np.where(labels[places], coreferent_weight, other_weight).astype(np.float32)


def pair_examples(model: CorefModel, part: AnnotatedCorpus) -> dict[str, PairExamples]:
    """The features and labels of every pair of mentions of one topic, by kind. The corpus is read once for them."""
    corpus = part.corpus
    readings = Readings(corpus, read_vectors(model, corpus, batch_tokens=READ_TOKENS))
    options = model.settings.vectors
    is_pronoun = readings.pronouns(options.with_antecedents)
    labels = cluster_numbers(corpus)
    found: dict[str, PairExamples] = {}
    groups = [set(group) for group in linkable_groups(part, widest_setting(corpus))]
    for kind in KINDS:
        numbers, features = [np.zeros((0, 2), dtype=np.int64)], [np.zeros((0, options.pair_width), np.float32)]
        same = [np.zeros(0, dtype=bool)]
        for group in groups:
            own = [
                n for n, m in enumerate(corpus.mentions) if m.kind == kind and m.document in group and not is_pronoun[n]
            ]
            if len(own) > 1:
                mentions = ReadMentions.of(readings.take(own, documents=group))
                pairs = np.stack(np.triu_indices(len(own), 1), -1)
                numbers.append(np.array(own)[pairs])
                features.append(comparison_features(options, mentions, pairs))
                of_own = labels[own]
                same.append(of_own[pairs[:, 0]] == of_own[pairs[:, 1]])
        found[kind] = PairExamples(np.concatenate(numbers), np.concatenate(features), np.concatenate(same))
    return found


def _fit_scorer(
    scorer: KindScorer,
    kind: str,
    sources: Sequence[_Source],
    training: VectorTraining,
    prior: Sequence[float],
    rng: np.random.Generator,
) -> list[float]:
    """Train the networks of a scorer, one after the other; the mean loss of the last tenth of the steps of each."""
    features = np.concatenate([source.pairs.features for source in sources])
    # Rare are features that too few pairs show, or show below 0 if any do; of a small corpus, less has to do.
    few = min(FEW_PAIRS, len(features) // 50)
    above, below = (features > 0).sum(axis=0), (features < 0).sum(axis=0)
    rare = (above < few) | ((below > 0) & (below < few))
    scorer.standardise(torch.from_numpy(features), torch.from_numpy(rare), torch.tensor(prior))
    scorer.train()
    losses = [_fit_network(scorer, sources, training, rng)]
    for name in scorer.shares:
        own = [source for source in sources if name == ALL or source.name in training.unseen]
        if not any(source.pairs.labels.any() for source in own):
            raise InputError(f"vectors.unseen names no corpus with coreferent mentions of the kind {kind}")
        losses.append(_fit_network(scorer, own, training, rng, name))
    scorer.eval()
    return losses


def _fit_network(
    scorer: KindScorer,
    sources: Sequence[_Source],
    training: VectorTraining,
    rng: np.random.Generator,
    name: str | None = None,
) -> float:
    """Train one network of a scorer: the first, or one with learnt vectors, and what these come from."""
    networks = [scorer.layers] if name is None else [scorer.projection_of(name), scorer.network_of(name)]
    parameters = [weight for network in networks for weight in network.parameters()]
    optimiser = torch.optim.AdamW(parameters, lr=training.scorer_rate, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, training.scorer_rate, total_steps=training.scorer_steps)
    shares = np.array([source.weight for source in sources])
    losses: list[float] = []
    for _ in range(training.scorer_steps):
        counts = rng.multinomial(training.scorer_pairs, shares / shares.sum())
        parts = [_batch(source, int(n), scorer, rng, name) for source, n in zip(sources, counts, strict=True) if n]
        features, labels, weights, *vectors = (torch.cat(tables) for tables in zip(*parts, strict=True))
        standard = scorer.standardised(features)
        logits = scorer.layers(standard) if name is None else scorer.by_vectors(name, standard, *vectors)
        loss = nn.functional.binary_cross_entropy_with_logits(logits, labels, weight=weights)
        losses.append(optimise(loss, parameters, optimiser, schedule))
    last = losses[-max(1, len(losses) // 10) :]
    return sum(last) / len(last)


def _batch(
    source: _Source, count: int, scorer: KindScorer, rng: np.random.Generator, name: str | None
) -> tuple[Tensor, ...]:
    """Pairs of one corpus: features, labels and weights, and the learnt vectors of both mentions, if wanted."""
    places, weights = source.drawn(count, rng)
    device = scorer.mean.device
    labels = source.pairs.labels[places].astype(np.float32)
    tables = tuple(torch.from_numpy(table).to(device) for table in (source.pairs.features[places], labels, weights))
    if name is None:
        return tables
    assert source.words is not None
    words = source.words.mean, source.words.last
    numbers = torch.from_numpy(source.pairs.numbers[places])
    projection = scorer.projection_of(name)
    return *tables, *(projection(*(table[own].float().to(device) for table in words)) for own in numbers.unbind(dim=1))

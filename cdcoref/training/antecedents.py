"""Training the scorer of antecedents: annotated corpora and an encoder that does not change in, a fitted head out.

Every document is read once; what the encoder says of its mentions is kept, and a small network learns from it which of
the mentions around a pronoun is its antecedent. Links across documents are not needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import torch
from torch import Tensor, nn

from cdcoref.corpora import AnnotatedCorpus
from cdcoref.corpus import ENTITY, Corpus, Document
from cdcoref.linking import Anaphora, anaphora, mention_traits
from cdcoref.model import CorefModel, antecedent_loss, collate_readings, token_batches
from cdlm.runs import Say
from cdlm.validation import Count, check_fields, number


@dataclass(frozen=True, slots=True)
class AntecedentTraining:
    """How the scorer of antecedents is trained.

    Attributes
    ----------
    passes
        How often the documents are seen, each of which is a batch.
    rate, decay
        The largest learning rate, and the weight decay.
    pronouns
        Pronouns of a document that are seen each time at most, drawn at random.
    """

    passes: Count = 6
    rate: Annotated[float, number(0, most=1)] = 1e-3
    decay: Annotated[float, number(0, most=1)] = 0.05
    pronouns: Count = 60

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True, slots=True)
class _Example:
    """The pronouns of a document: what is known, what the encoder says of all mentions, and what is right."""

    known: Anaphora
    mean: Tensor
    last: Tensor
    right: Tensor

    def pronouns(self, limit: int, rng: np.random.Generator) -> tuple[np.ndarray, list[int]]:
        """Pairs of at most so many pronouns, and the candidates of each."""
        sizes = np.array(self.known.sizes)
        chosen = rng.permutation(len(sizes))[:limit]
        ends = sizes.cumsum()
        pairs = np.concatenate([np.arange(ends[n] - sizes[n], ends[n]) for n in chosen])
        return pairs, sizes[chosen].tolist()


def fit_antecedents(
    model: CorefModel,
    parts: Sequence[AnnotatedCorpus],
    training: AntecedentTraining,
    *,
    batch_tokens: int,
    rng: np.random.Generator,
    say: Say,
) -> None:
    """Train the model's scorer of antecedents; everything else in it stays as it is.

    Parameters
    ----------
    model
        Has such a scorer, untrained.
    parts
        Training corpora; every mention of an entity in them counts, also one that is alone in its cluster.
    training
        See :class:`AntecedentTraining`.
    batch_tokens
        Word pieces that the encoder reads at once.
    rng
        What is drawn.
    say
        Is told how well the head fits.
    """
    scorer = model.antecedent_scorer
    assert scorer is not None
    examples = [one for part in parts for one in _examples(model, part.corpus, batch_tokens)]
    steps = training.passes * len(examples)
    if not steps:
        say("antecedents: no pronouns to learn from")
        return
    optimiser = torch.optim.AdamW(scorer.parameters(), lr=training.rate, weight_decay=training.decay)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, training.rate, total_steps=steps)
    scorer.train()
    mean_loss = 0.0
    for _ in range(training.passes):
        losses = []
        for place in rng.permutation(len(examples)).tolist():
            example = examples[place]
            pairs, sizes = example.pronouns(training.pronouns, rng)
            known = example.known
            vectors = scorer.mentions(example.mean.float().to(model.device), example.last.float().to(model.device))
            tables = (known.classes, known.known, known.pronouns[pairs], known.candidates[pairs], known.pairs[pairs])
            logits = scorer(vectors, *(torch.from_numpy(table).to(model.device) for table in tables))
            loss = antecedent_loss(logits, example.right[torch.from_numpy(pairs)].to(model.device), sizes)
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(scorer.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            losses.append(float(loss.detach()))
        mean_loss = sum(losses) / len(losses)
    scorer.eval()
    count = sum(len(example.known.sizes) for example in examples)
    say(f"antecedents: {count} pronouns in {len(examples)} documents, loss {mean_loss:.3f} in the last pass")


def _examples(model: CorefModel, corpus: Corpus, batch_tokens: int) -> Iterator[_Example]:
    """The documents that have pronouns with candidates."""
    assert model.antecedent_scorer is not None
    seen = mention_traits(corpus)
    own: dict[str, list[int]] = {}
    for number_, mention in enumerate(corpus.mentions):
        if mention.kind == ENTITY:
            own.setdefault(mention.document, []).append(number_)
    for document in corpus.documents:
        mentions = own.get(document.id, [])
        known = anaphora([seen[n] for n in mentions])
        if not known.sizes:
            continue
        words = _normalised_words(model, document, batch_tokens)
        tokens = [list(corpus.mentions[n].tokens) for n in mentions]
        clusters = [corpus.mentions[n].cluster for n in mentions]
        right = [
            clusters[p] is not None and clusters[p] == clusters[c]
            for p, c in zip(known.pronouns.tolist(), known.candidates.tolist(), strict=True)
        ]
        yield _Example(
            known,
            torch.stack([words[own_tokens].mean(dim=0) for own_tokens in tokens]).half(),
            torch.stack([words[own_tokens[-1]] for own_tokens in tokens]).half(),
            torch.tensor(right),
        )


def _normalised_words(model: CorefModel, document: Document, batch_tokens: int) -> Tensor:
    """What the encoder says of the words of a document, normalised; zeros for what it does not read."""
    assert model.antecedent_scorer is not None
    sequences = list(model.reading_builder()(document))
    assert model.vector_head is not None
    words = torch.zeros(len(document.tokens), model.encoder.config.hidden_size * model.vector_head.layers)
    for positions in token_batches([len(s) for s in sequences], batch_tokens):
        chosen = [sequences[p] for p in positions]
        batch = collate_readings(chosen, model.encoder.config.pad_token_id)
        batch = {name: tensor.to(model.device) for name, tensor in batch.items()}
        with model.inference():
            masks = batch["attention_mask"], batch["global_attention_mask"]
            states = model.encoder(batch["input_ids"], *masks, output_hidden_states=True).hidden_states
        with torch.no_grad():
            gathered = model.antecedent_scorer.norm(model.gathered_words(states or (), batch)).cpu()
        words[torch.from_numpy(np.concatenate([s.words for s in chosen]))] = gathered.clone()
    return words

"""What the encoder says of the mentions of a corpus, for heads that learn from it: a corpus in, two tables out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from cdcoref.corpus import Corpus, Document
from cdcoref.language import last_word
from cdcoref.model import CorefModel, collate_readings, token_batches

DOCUMENTS_AT_ONCE = 64
"""Documents whose sequences are sorted by length together."""


@dataclass(frozen=True, slots=True)
class ReadWords:
    """The words of mentions, as :meth:`cdcoref.model.CorefModel.normalised_layers` gives them, in half precision.

    `mean`, `last`: The mean of every mention's words, and the last of them or of those of its head, as the model's
        options say (:class:`cdcoref.model.VectorOptions`). *Shape:* (mentions, width)
    """

    mean: Tensor
    last: Tensor


def read_words(
    model: CorefModel,
    corpus: Corpus,
    *,
    batch_tokens: int,
    progress: Callable[[str, int, int], None] = lambda stage, done, total: None,
) -> ReadWords:
    """Read every document of a corpus by itself; zeros for what the encoder does not read."""
    width = model.word_layer_width
    numbers = corpus.mention_numbers()
    mean, last = (torch.zeros(len(corpus.mentions), width, dtype=torch.float16) for _ in range(2))
    with_mentions = [document for document in corpus.documents if numbers[document.id]]
    for start in range(0, len(with_mentions), DOCUMENTS_AT_ONCE):
        block = with_mentions[start : start + DOCUMENTS_AT_ONCE]
        for document, words in zip(block, _words(model, block, width, batch_tokens), strict=True):
            for number in numbers[document.id]:
                own = list(corpus.mentions[number].tokens)
                mean[number] = words[own].mean(dim=0).half()
                place = last_word(document, corpus.mentions[number], model.settings.vectors.last_word)
                last[number] = words[place].half()
        progress("reading", start + len(block), len(with_mentions))
    return ReadWords(mean, last)


def _words(model: CorefModel, documents: Sequence[Document], width: int, batch_tokens: int) -> list[Tensor]:
    """What the encoder says of the words of each document. *Shape of each:* (words, width)"""
    build = model.reading_builder(syntax=False)
    found = [torch.zeros(len(document.tokens), width) for document in documents]
    sequences = [(place, sequence) for place, document in enumerate(documents) for sequence in build(document)]
    for positions in token_batches([len(sequence) for _, sequence in sequences], batch_tokens):
        chosen = [sequences[position] for position in positions]
        batch = collate_readings([sequence for _, sequence in chosen], model.encoder.config.pad_token_id)
        with model.inference():
            layers = model.normalised_layers(batch.to(model.device)).cpu()
        sizes = [len(sequence.words) for _, sequence in chosen]
        for (place, sequence), rows in zip(chosen, layers.split(sizes), strict=True):
            found[place][torch.from_numpy(sequence.words)] = rows
    return found

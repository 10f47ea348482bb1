"""What the encoder says of the mentions of a corpus, for heads that learn from it: a corpus in, two tables out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from cdcoref.corpus import Corpus, Document
from cdcoref.language import last_word
from cdcoref.model import CorefModel, collate_readings, token_batches


@dataclass(frozen=True, slots=True)
class ReadWords:
    """The words of mentions, as :meth:`cdcoref.model.CorefModel.normalised_layers` gives them, in half precision.

    Attributes
    ----------
    mean, last
        The mean of every mention's words, and the last of them or of those of its head, as the model's options say
        (:class:`cdcoref.model.VectorOptions`). *Shape:* (mentions, width)
    """

    mean: Tensor
    last: Tensor


def read_words(model: CorefModel, corpus: Corpus, *, batch_tokens: int) -> ReadWords:
    """Read every document of a corpus, alone; zeros for what the encoder does not read."""
    width = model.word_layer_width
    numbers = corpus.mention_numbers()
    mean, last = (torch.zeros(len(corpus.mentions), width, dtype=torch.float16) for _ in range(2))
    for document in corpus.documents:
        if numbers[document.id]:
            words = _words(model, document, width, batch_tokens)
            for number in numbers[document.id]:
                own = list(corpus.mentions[number].tokens)
                mean[number] = words[own].mean(dim=0).half()
                place = last_word(document, corpus.mentions[number], model.settings.vectors.last_word)
                last[number] = words[place].half()
    return ReadWords(mean, last)


def _words(model: CorefModel, document: Document, width: int, batch_tokens: int) -> Tensor:
    sequences = list(model.reading_builder()(document))
    words = torch.zeros(len(document.tokens), width)
    for positions in token_batches([len(s) for s in sequences], batch_tokens):
        chosen = [sequences[p] for p in positions]
        batch = collate_readings(chosen, model.encoder.config.pad_token_id)
        with model.inference():
            layers = model.normalised_layers(batch.to(model.device)).cpu()
        words[torch.from_numpy(np.concatenate([s.words for s in chosen]))] = layers
    return words

"""How long stories will take: their documents and mentions in, word pieces that the encoder is to read out.

It is an estimate of what is about to be read, made before anything is read; it is good to some tens of percent.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence

from cdcoref.corpus import Corpus, Document
from cdcoref.model import CorefConfig, CorefModel
from cdcoref.predict.engines.work import Story

PIECES_A_WORD = 1.3
READ_PIECES_A_WORD = 1.5
MARKED_PIECES_A_WORD = 1.8
"""Word pieces of a word of news: as it is; with the markers of those of its mentions that are read together as
candidates; with those of all mentions. Measured on the dev splits of ECB+, GVC and MEANTIME and on Reuters texts."""
TIMES_READ = 2.5
"""How often an excerpt of a story that does not fit into one sequence is read with others, candidates being known."""


def pieces_to_read(
    settings: CorefConfig, corpus: Corpus, stories: Sequence[Story], *, find: bool, lemma: bool, kinds: Collection[str]
) -> float:
    """Roughly how many word pieces are read for stories.

    Parameters
    ----------
    settings
        The model's.
    corpus, stories
        Documents with their mentions, and the stories that they form.
    find
        Whether mentions are to be found.
    lemma
        Whether mentions are linked by their head lemmas, for which nothing is read.
    kinds
        The kinds of mention that are linked.
    """
    has_vectors = settings.vectors.layers > 0
    alone = find or (has_vectors and not lemma)
    # With vectors, both the encoder and what it was before fine-tuning read every document.
    readings = (2 if has_vectors else 1) if alone else 0
    pieces = readings * PIECES_A_WORD * sum(len(document.tokens) for document in corpus.documents)
    if lemma:
        return pieces
    together = set(kinds) & set(settings.vectors.cross_encoder_kinds) if has_vectors else set(kinds)
    words = _words_shown(corpus, together, everything=find or settings.sequences.context != "sentence")
    sizes = [sum(words[name] for name in story.documents) for story in stories]
    orders = 2 if settings.both_orders else 1
    if settings.sequences.documents == "two":
        return pieces + MARKED_PIECES_A_WORD * sum(_in_pairs(story, words, orders) for story in stories)
    a_word = READ_PIECES_A_WORD if has_vectors else MARKED_PIECES_A_WORD
    return pieces + orders * sum(_at_once(a_word * size, settings.sequences.max_length, has_vectors) for size in sizes)


def _words_shown(corpus: Corpus, kinds: Collection[str], *, everything: bool) -> Mapping[str, int]:
    """Words of the sentences that have mentions of some kinds, by document; or of all sentences."""
    if not kinds:
        return {document.id: 0 for document in corpus.documents}
    if everything:
        return {document.id: len(document.tokens) for document in corpus.documents}
    mentions = corpus.by_document()
    return {
        document.id: _words_of_sentences(
            document, {m.tokens[0] for m in mentions[document.id] if m.kind is None or m.kind in kinds}
        )
        for document in corpus.documents
    }


def _words_of_sentences(document: Document, tokens: Collection[int]) -> int:
    """Words of the sentences that hold some of a document's tokens."""
    sentence_of = document.sentence_of_tokens()
    shown = {sentence_of[token] for token in tokens}
    return sum(end - start for number, (start, end) in enumerate(document.sentences) if number in shown)


def _in_pairs(story: Story, words: Mapping[str, int], orders: int) -> int:
    """Words that are read of a story whose documents are read two at a time, and each by itself."""
    size = sum(words[name] for name in story.documents)
    if story.pairs is None:
        return (1 + orders * (len(story.documents) - 1)) * size
    return size + orders * sum(words[one] + words[other] for one, other in story.pairs)


def _at_once(pieces: float, longest: int, has_candidates: bool) -> float:
    """Word pieces that are read of a story whose documents are read many at a time; see `cdcoref.inputs.packs`."""
    if pieces <= longest:
        return pieces
    blocks = pieces / (longest / 2)
    return pieces * (TIMES_READ if has_candidates else max(1.0, blocks - 1))


def pieces_per_second(model: CorefModel) -> float:
    """How many word pieces per second the encoder reads on this machine, measured on an artificial batch."""
    import torch

    length = min(256, model.settings.sequences.max_length)
    ids = torch.full((8, length), 5, device=model.device)
    marked = (torch.arange(length, device=model.device) % 3 == 0).long().expand(8, -1)
    best = float("inf")
    with model.inference():
        for _ in range(3):
            started = time.perf_counter()
            model.encoder(ids, torch.ones_like(ids), marked).last_hidden_state.sum().item()
            best = min(best, time.perf_counter() - started)
    return ids.numel() / best

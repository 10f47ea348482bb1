"""Fitting a mention detector on a finished encoder: annotated corpora in, a detector out. Each corpus teaches the
styles of annotation that it is an example of (:mod:`cdcoref.training.styles`). Nothing looks at dev."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from cdcoref.corpora import AnnotatedCorpus
from cdcoref.corpus import KINDS, Mention
from cdcoref.errors import InputError
from cdcoref.facts import with_parses
from cdcoref.inputs import OF_CAPITALS, SPELLING, ReadingSequence
from cdcoref.model import CorefModel, DetectorOptions, collate_readings, token_batches
from cdcoref.training.sources import READ_TOKENS, Shares, drawn_by_share
from cdcoref.training.styles import in_style, span_targets, teaches
from cdlm.gradients import optimise
from cdlm.printing import counted
from cdlm.runs import Say
from cdlm.validation import Checked, Count

LONG = 6
"""Spans of more words are hardly ever mentions, and are the most of all spans."""
LONG_SPANS = 0.25
"""Of those that are no mentions, the share from which it learns, drawn at random; they count so much more."""
RATE, DECAY = 2e-3, 0.05
"""The largest learning rate, and the weight decay."""
WORD_DROPOUT = 0.1
"""Share of what the encoder says of a word that is hidden at every step."""
LOWER_CASE = 0.2
"""Share of the sequences that are presented as if they were in lower case, so that mentions are found in texts that
are; it matters only to a detector that sees how words are spelt."""
MOST_WORDS = 200_000
"""Words of a corpus that are read at most, whole sequences drawn at random."""


@dataclass(frozen=True, slots=True)
class DetectorTraining(Checked):
    """How the detector is fitted."""

    passes: Count = 3
    """How often it sees the training corpora."""
    step_words: Count = 1200
    """Words of a step."""
    corpus_shares: Shares = field(default_factory=dict)
    """By corpus, the share of it that an epoch sees; 2 reads each twice. 1 where a corpus is not named."""


def fit_detector(
    model: CorefModel,
    parts: Sequence[AnnotatedCorpus],
    options: DetectorOptions,
    training: DetectorTraining,
    *,
    seed: int,
    say: Say,
) -> None:
    """Give a model another mention detector, fitted; its thresholds, those of the one before, are to be tuned again."""
    for style in options.styles:
        if not any(teaches(part.info, style, options) for part in parts):
            raise InputError(f"no training corpus is annotated in the style {style!r}")
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    model.eval()
    model.replace_detector(options)
    options = model.settings.detector
    lessons = [_lessons(model, part, options, rng) for part in parts]
    if not any(lessons):
        raise InputError("no sentence of the training corpora is annotated, so the mention detector cannot learn")
    epochs = drawn_by_share(lessons, parts, training.corpus_shares, training.passes, rng, "detector.corpus_shares")
    # A kind that nothing teaches in a style is trained as absent, so that none is found.
    every = [lesson for part in lessons for lesson in part]
    taught = torch.stack([lesson.labels.any(dim=0) for lesson in every]).any(dim=0)
    for lesson in every:
        lesson.weights[:, ~taught] = 1.0
    seen = torch.cat([lesson.words[::10] for lesson in every]).float()
    model.required_detector().standardise(seen.to(model.device))
    detector = model.required_detector()
    steps_of_epochs = [list(_steps(drawn, training.step_words)) for drawn in epochs]
    parameters = list(detector.parameters())
    optimiser = torch.optim.AdamW(parameters, lr=RATE, weight_decay=DECAY)
    # A tenth of the steps is warmup; of ten, that is none, and the schedule would divide by its length.
    steps = max(11, sum(map(len, steps_of_epochs)))
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, total_steps=steps, pct_start=0.1)
    detector.train()
    for own_steps in steps_of_epochs:
        losses = [optimise(_loss(model, step, rng), parameters, optimiser, schedule) for step in own_steps]
    detector.eval()
    spans = sum(len(lesson.starts) for lesson in every)
    corpora = counted(len(parts), "corpus", "corpora")
    loss = sum(losses) / len(losses)
    say(f"detector: {counted(spans, 'span')} of {corpora}; loss {loss:.3f} nats a mention in the last pass")


@dataclass(frozen=True, slots=True)
class _Lesson:
    words: Tensor
    """*Shape:* (words, layers * width), fp16"""
    begins: Tensor
    """Whether a sentence begins with a word. *Shape:* (words,)"""
    starts: Tensor
    ends: Tensor
    """*Shape:* (spans,)"""
    syntax: Tensor
    """Their syntactic features. *Shape:* (spans, `SYNTAX_FEATURES`)"""
    labels: Tensor
    weights: Tensor
    """*Shape:* (spans, styles * kinds)"""


def _lessons(
    model: CorefModel, part: AnnotatedCorpus, options: DetectorOptions, rng: np.random.Generator
) -> list[_Lesson]:
    """What one corpus teaches: its sequences with an annotated sentence, in random order."""
    builder = model.reading_builder()
    taught = {
        style: in_style(part, style).by_document() if teaches(part.info, style, options) else None
        for style in options.styles
    }
    found: list[_Lesson] = []
    sequences = [sequence for document in with_parses(part.corpus.documents) for sequence in builder(document)]
    drawn = (sequences[place] for place in rng.permutation(len(sequences)).tolist())
    waiting: list[tuple[ReadingSequence, NDArray[np.float32], NDArray[np.float32]]] = []
    words = 0
    for sequence in drawn:
        if words > MOST_WORDS:
            break
        labels, weights = _targets(sequence, part, taught)
        long = (sequence.ends - sequence.starts > LONG) & ~labels.any(axis=1)
        factor = np.where(long, (rng.random(len(long)) < LONG_SPANS) / LONG_SPANS, 1.0)
        weights = weights * factor[:, None].astype(np.float32)
        if weights.any():
            waiting.append((sequence, labels, weights))
            words += len(sequence.words)
    for positions in token_batches([len(sequence) for sequence, _, _ in waiting], READ_TOKENS):
        chosen = [waiting[position] for position in positions]
        batch = collate_readings([sequence for sequence, _, _ in chosen], model.encoder.config.pad_token_id)
        with model.inference():
            seen = model.words_for_detector(batch.to(model.device)).half().cpu()
        tables = seen.split([len(sequence.words) for sequence, _, _ in chosen])
        found += [_lesson(table, *known) for table, known in zip(tables, chosen, strict=True)]
    return found


def _targets(
    sequence: ReadingSequence, part: AnnotatedCorpus, taught: Mapping[str, Mapping[str, list[Mention]] | None]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    nothing = np.zeros((len(sequence.starts), len(KINDS)), dtype=np.float32)
    of_styles = [
        (nothing, nothing)
        if mentions is None
        else span_targets(sequence, mentions[sequence.document.id], part.info, style)
        for style, mentions in taught.items()
    ]
    labels, weights = (np.concatenate(tables, axis=1) for tables in zip(*of_styles, strict=True))
    return labels, weights


def _lesson(
    words: Tensor, sequence: ReadingSequence, labels: NDArray[np.float32], weights: NDArray[np.float32]
) -> _Lesson:
    """Only the words and spans that something is known of, and the words beside these spans."""
    spans = np.flatnonzero(weights.any(axis=1))
    covered = np.zeros(len(sequence.words) + 1, dtype=np.int64)
    np.add.at(covered, sequence.starts[spans], 1)
    np.add.at(covered, sequence.ends[spans], -1)
    known = covered[:-1].cumsum() > 0
    kept = np.flatnonzero(known | np.append(known[1:], False) | np.append(False, known[:-1]))
    begins = sequence.begins[kept]
    begins[:1] = True  # the word before it is not kept
    renumbered = np.full(len(sequence.words), -1, dtype=np.int64)
    renumbered[kept] = np.arange(len(kept))
    return _Lesson(
        words[torch.from_numpy(kept)].clone(),
        torch.from_numpy(begins),
        torch.from_numpy(renumbered[sequence.starts[spans]]),
        torch.from_numpy(renumbered[sequence.ends[spans] - 1] + 1),
        torch.from_numpy(sequence.syntax[spans]),
        torch.from_numpy(labels[spans]),
        torch.from_numpy(weights[spans]),
    )


def _loss(model: CorefModel, step: Sequence[_Lesson], rng: np.random.Generator) -> Tensor:
    """Cross-entropy summed over the spans of a step, divided by its mentions."""
    tables = [lesson.words for lesson in step]
    of_capitals = torch.tensor([False] * (tables[0].shape[1] - len(SPELLING)) + list(OF_CAPITALS))
    tables = [words.masked_fill(of_capitals, 0.0) if rng.random() < LOWER_CASE else words for words in tables]
    words = torch.cat(tables).to(model.device).float()
    bounds = np.cumsum([0, *(len(lesson.words) for lesson in step)]).tolist()
    starts = torch.cat([lesson.starts + bound for lesson, bound in zip(step, bounds, strict=False)]).to(model.device)
    ends = torch.cat([lesson.ends + bound for lesson, bound in zip(step, bounds, strict=False)]).to(model.device)
    # What is dropped becomes the mean, which the detector's standardisation turns into zero.
    detector = model.required_detector()
    mean = detector.mean_of_words
    words = mean + nn.functional.dropout(words - mean, WORD_DROPOUT)
    begins = torch.cat([lesson.begins for lesson in step]).to(model.device)
    syntax = torch.cat([lesson.syntax for lesson in step]).to(model.device)
    logits = detector(words, starts, ends, begins, syntax)
    labels = torch.cat([lesson.labels for lesson in step]).to(model.device)
    weights = torch.cat([lesson.weights for lesson in step]).to(model.device)
    losses = nn.functional.binary_cross_entropy_with_logits(logits, labels, weights, reduction="sum")
    return losses / (labels * weights).sum().clamp(min=1)


def _steps(drawn: Sequence[_Lesson], words: int) -> Iterator[list[_Lesson]]:
    step: list[_Lesson] = []
    size = 0
    for lesson in drawn:
        step.append(lesson)
        size += len(lesson.words)
        if size >= words:
            yield step
            step, size = [], 0
    if step:
        yield step

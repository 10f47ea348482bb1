"""Logits in, evidence and answer out, in two steps: first the evidence, then the answer in the same paragraphs.

HotpotQA's evidence is always in two paragraphs. So, as in Longformer's Appendix D after Groeneveld et al. 2020, the
sentences are chosen under that constraint, and the answer is taken from the same two paragraphs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cdlm.tasks.qa.model import QALogits
from cdlm.tasks.qa.questions import TITLE, Question
from cdlm.tasks.qa.scores import Prediction
from cdlm.tasks.qa.sequences import ANSWER_TYPES, SPAN_TYPE, QASequence

PARAGRAPHS_OF_EVIDENCE = 2


def decode(question: Question, sequence: QASequence, logits: QALogits, max_answer_tokens: int) -> Prediction:
    """Evidence and answer of one question, from logits on the CPU."""
    evidence = choose_evidence(sequence, logits)
    facts = tuple((question.paragraphs[paragraph].title, sentence) for paragraph, sentence in evidence)
    kind = int(logits.types.argmax())
    if kind != SPAN_TYPE:
        return Prediction(ANSWER_TYPES[kind], facts)
    chosen = {paragraph for paragraph, _ in evidence}
    return Prediction(choose_span(question, sequence, logits, chosen, max_answer_tokens), facts)


def choose_evidence(sequence: QASequence, logits: QALogits) -> list[tuple[int, int]]:
    """Paragraph and sentence numbers of the evidence, in the order of the text.

    A sentence is ranked by the sum of its own logit and its paragraph's. The best sentence and the best of another
    paragraph determine the two paragraphs; every other sentence in these with a positive logit is evidence too. If
    there is only one paragraph, all evidence is in that one.
    """
    own = _array(logits.sentences)
    if not len(own):
        return []
    ranked = own + _array(logits.paragraphs)[sequence.end_paragraphs]
    best: list[int] = []
    for place in np.argsort(-ranked, kind="stable"):
        if sequence.end_paragraphs[place] not in sequence.end_paragraphs[best]:
            best.append(int(place))
        if len(best) == PARAGRAPHS_OF_EVIDENCE:
            break
    inside = np.isin(sequence.end_paragraphs, sequence.end_paragraphs[best])
    kept = (inside & (own > 0)) | np.isin(np.arange(len(own)), best)
    return [(int(sequence.end_paragraphs[n]), int(sequence.end_sentences[n])) for n in np.flatnonzero(kept)]


def choose_span(
    question: Question, sequence: QASequence, logits: QALogits, paragraphs: set[int], max_answer_tokens: int
) -> str:
    """The text of the best span within one sentence or title of the paragraphs; empty if there is no text."""
    starts, ends = _array(logits.starts), _array(logits.ends)
    best, span = -np.inf, None
    places = sequence.text_places
    # Runs of tokens of the same sentence or title.
    borders = np.flatnonzero(np.any(np.diff(places[:, :2], axis=0) != 0, axis=1)) + 1
    for run in np.split(np.arange(len(places)), borders):
        if not len(run) or int(places[run[0], 0]) not in paragraphs:
            continue
        sums = starts[run][:, None] + ends[run][None, :]
        length = np.arange(len(run))[None, :] - np.arange(len(run))[:, None]
        sums[(length < 0) | (length >= max_answer_tokens)] = -np.inf
        first, last = np.unravel_index(int(sums.argmax()), sums.shape)
        if sums[first, last] > best:
            best, span = sums[first, last], (run[first], run[last])
    if span is None:
        return ""
    paragraph, sentence, start, _ = places[span[0]]
    text = question.paragraphs[paragraph].title
    if sentence != TITLE:
        text = question.paragraphs[paragraph].sentences[sentence]
    return text[start : places[span[1], 3]].strip()


def _array(tensor: object) -> NDArray[np.float64]:
    return np.asarray(tensor, dtype=np.float64)

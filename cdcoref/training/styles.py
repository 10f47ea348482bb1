"""One annotated corpus in, its mentions as another style of annotation (:data:`cdcoref.corpus.STYLES`) has them out,
and what can be learnt from them: a corpus says nothing of what only another style annotates."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from cdcoref.corpora import AnnotatedCorpus, Corpora, CorpusInfo, annotated_corpora
from cdcoref.corpus import ENTITY, KINDS, PEOPLE, Corpus, Mention
from cdcoref.inputs import ReadingSequence
from cdcoref.language import head_span, is_date, is_relative_pronoun
from cdcoref.linking import score_spans
from cdcoref.model import CorefConfig, CorefModel, DetectorOptions
from cdcoref.training.sources import READ_TOKENS, in_annotated
from cdcoref.training.tuning import DETECTION_THRESHOLDS, detected, span_scores


def in_style(part: AnnotatedCorpus, style: str) -> Corpus:
    """The corpus with its mentions as a style has them; in its own style, or one that it cannot have, as it is.

    Dense: entities are their heads (:func:`cdcoref.language.head_span`), each once, without relative pronouns. People:
    entities of the types that the corpus counts among these.
    """
    if style == part.info.style or not part.info.styles:
        return part.corpus
    if style == PEOPLE:
        people = (m for m in part.corpus.mentions if m.kind == ENTITY and m.tag in part.info.people)
        return replace(part.corpus, mentions=tuple(people))
    documents = {document.id: document for document in part.corpus.documents}
    found: dict[object, Mention] = {}
    for mention in sorted(part.corpus.mentions, key=lambda m: len(m.tokens)):
        words = [documents[mention.document].tokens[token] for token in mention.tokens]
        if mention.kind == ENTITY:
            if len(words) == 1 and is_relative_pronoun(words[0]):
                continue
            mention = replace(mention, tokens=mention.tokens[slice(*head_span(words))])
        found.setdefault((mention.key, mention.kind), mention)
    return replace(part.corpus, mentions=tuple(sorted(found.values(), key=lambda m: (m.document, m.tokens))))


def teaches(info: CorpusInfo, style: str, options: DetectorOptions) -> bool:
    """Whether a corpus is an example of a style of a detector; one whose style is unknown is of the style in use."""
    return style in (info.styles or (options.style,))


def complete(info: CorpusInfo, kind: str, style: str) -> bool:
    """Whether every mention of a kind that there is in a style is annotated."""
    return kind in info.exhaustive and (style == info.style or kind not in info.selective)


def span_targets(
    sequence: ReadingSequence, mentions: list[Mention], info: CorpusInfo, style: str
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Whether each candidate span of a sequence is a mention in a style, and how much that counts; 0: unknown.

    *Shape* of each: (spans, kinds)
    A kind that is annotated completely counts in all annotated sentences; of another, only spans that begin or end
    where a mention does. What overlaps a discontinuous mention, or a date if dates are not annotated, is unknown.
    """
    document = sequence.document
    starts, ends = sequence.words[sequence.starts], sequence.words[sequence.ends - 1] + 1
    labels = np.zeros((len(starts), len(KINDS)), dtype=np.float32)
    weights = np.zeros_like(labels)
    place = {span: number for number, span in enumerate(zip(starts.tolist(), ends.tolist(), strict=True))}
    begins, stops = np.zeros(len(document.tokens) + 1, dtype=bool), np.zeros(len(document.tokens) + 1, dtype=bool)
    unknown: dict[str, NDArray[np.bool_]] = {kind: np.zeros(len(document.tokens), dtype=bool) for kind in KINDS}
    for mention in mentions:
        kind = mention.kind or ""
        if not mention.contiguous:
            unknown[kind][mention.start : mention.end] = True
            continue
        begins[mention.start] = stops[mention.end] = True
        number = place.get((mention.start, mention.end))
        if number is not None:
            labels[number, KINDS.index(kind)] = 1
    if not info.dates and style != PEOPLE:
        for token, word in enumerate(document.tokens):
            unknown[ENTITY][token] |= is_date(word)
    near = begins[starts] | stops[ends]
    for column, kind in enumerate(KINDS):
        whole = complete(info, kind, style)
        if kind in info.kinds or whole:
            weights[:, column] = 1.0 if whole else near
        before = np.concatenate([[0], unknown[kind].cumsum()])
        weights[before[ends] > before[starts], column] = 0.0
    weights[~in_annotated(document, starts)] = 0.0
    return labels, weights


def judged(mentions: Iterable[Mention], part: AnnotatedCorpus, kind: str) -> list[Mention]:
    """Spans of a kind that the annotation of a corpus can confirm or refute, without dates if it has none."""
    documents = {document.id: document for document in part.corpus.documents}

    def dated(mention: Mention) -> bool:
        return any(is_date(documents[mention.document].tokens[token]) for token in mention.tokens)

    return [m for m in mentions if m.kind == kind and (part.info.dates or kind != ENTITY or not dated(m))]


def tune_styles(model: CorefModel, dev: Corpora) -> CorefConfig:
    """Choose the thresholds of each style: the best mean F1 on corpora that annotate all its mentions, or 0.5."""
    parts = annotated_corpora(dev)
    thresholds = {style: dict.fromkeys(KINDS, 0.5) for style in model.settings.detector.styles}
    for style, of_style in thresholds.items():
        examples = []
        with model.in_style(style):
            for part in (part for part in parts if teaches(part.info, style, model.settings.detector)):
                spans = list(score_spans(model, part.corpus.documents, batch_tokens=READ_TOKENS))
                examples.append((part, in_style(part, style), spans))
        for kind in KINDS:
            own = [example for example in examples if complete(example[0].info, kind, style)]
            if own:
                results = [
                    sum(
                        span_scores(
                            judged(gold.mentions, part, kind),
                            judged(detected(gold, spans, {**of_style, kind: threshold}).mentions, part, kind),
                        )[2]
                        for part, gold, spans in own
                    )
                    for threshold in DETECTION_THRESHOLDS
                ]
                of_style[kind] = DETECTION_THRESHOLDS[int(np.argmax(results))]
    detector = replace(model.settings.detector, thresholds=thresholds)
    return replace(model.settings, detector=detector).in_style(detector.style)

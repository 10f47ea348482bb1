"""What a model needs beside its weights: how it is built, how it reads, and what was tuned on dev."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

from cdcoref.corpus import ENTITY, EVENT, KINDS, STYLES
from cdcoref.errors import InputError
from cdcoref.inputs import ContextOptions, Length, SequenceOptions
from cdcoref.language import FEATURES, check_features
from cdlm.validation import (
    Checked,
    Count,
    Flag,
    Index,
    Probability,
    check_fields,
    number,
    shown,
    validated,
    whole_number,
)

Probabilities = Mapping[str, Probability]


def _per_kind(value: float) -> dict[str, float]:
    return dict.fromkeys(KINDS, value)


Weight = Annotated[float, number(-100, most=100)]


@dataclass(frozen=True)
class DetectorOptions:
    """What the mention detector sees, and what it takes for a mention."""

    word_layers: Count = 4
    """How many of the encoder's last layers it sees, means over the word pieces of each word."""
    styles: tuple[str, ...] = ("dense",)
    """The styles of annotation (:data:`cdcoref.corpus.STYLES`) that it distinguishes."""
    style: str = "dense"
    """The one in use."""
    thresholds: Mapping[str, Probabilities] = field(default_factory=dict)
    """Per style and kind: the least probability at which a span counts as a mention."""

    def __post_init__(self) -> None:
        check_fields(self)
        if not set(self.styles) <= set(STYLES) or len(set(self.styles)) < len(self.styles):
            raise InputError(f"styles must be some of {', '.join(STYLES)}, each once")
        if self.style not in self.styles:
            raise InputError(f"style is {self.style!r} and should be one of the styles")
        for style, thresholds in self.thresholds.items():
            if style not in self.styles or set(thresholds) != set(KINDS):
                raise InputError(
                    f"thresholds must have one number each for {' and '.join(KINDS)}, for some of the styles"
                )


SYMMETRIC_SIMILARITIES = ("mention", "sentence", "document", "context")
"""The vectors whose cosines are similarities of two mentions: their own, those of their sentences, of their documents,
and of the rest of their sentences."""
CONTEXT_SIMILARITIES = ("to_context", "to_opening")
"""What a mention is compared with that stands around the other: the rest of its sentence, and the first sentence of its
document. The cosines of both ways are two similarities, the lower one first."""
SIMILARITIES = (*SYMMETRIC_SIMILARITIES, *CONTEXT_SIMILARITIES, "story")
"""What can be compared of two mentions as wholes; the last is how likely their documents tell one story
(:class:`cdcoref.stories.DocumentVectors`)."""
ALL, UNSEEN = LEARNT = ("all", "unseen")
"""The networks with learnt vectors: one learns from all corpora, the other from those that the encoder was not trained
on. An encoder is more certain about texts that it was trained on than about others."""
ANAPHORS = ("", "he", "she", "it", "they", "i", "we", "you", "who", "that", "there")
"""Classes of pronouns (:class:`cdcoref.language.words.MentionWords`); the empty one is no pronoun."""


@dataclass(frozen=True)
class Combination(Checked):
    """How the logits of cross-encoder and bi-encoder become one logit for two mentions of a kind."""

    cross_encoder_weight: Weight = 0.5
    bi_encoder_weight: Weight = 0.5
    bias: Weight = 0.0
    """The logit of two mentions of different documents that the cross-encoder read is the weighted sum of both logits,
    plus the bias."""
    cross_encoder_weight_within: Weight = 0.5
    bi_encoder_weight_within: Weight = 0.5
    bias_within: Weight = 0.0
    """The same for two mentions of one document."""
    unread_weight: Weight = 1.0
    unread_bias: Weight = 0.0
    """The logit of a pair that the cross-encoder did not read is the bi-encoder's times this factor, plus the bias."""
    antecedent_weight: Weight = 1.0
    """The log-odds that a pronoun refers to what its antecedent refers to are multiplied by this factor. It calibrates
    them, since a scorer trained on few pronouns is overconfident; it changes no antecedent."""
    other_story: Weight = 0.0
    """Added to the logit of two mentions whose documents belong to different predicted stories; not to that of two
    entities whose names share a word. It counts only where larger groups of documents are linked: annotated topics, or
    all documents."""


@dataclass(frozen=True)
class Combinations(Checked):
    """How logits are combined for each kind of mention."""

    event: Combination = field(default_factory=Combination)
    entity: Combination = field(default_factory=Combination)
    """See :class:`Combination`."""

    def of_kind(self, kind: str) -> Combination:
        """That of one kind."""
        return self.event if kind == EVENT else self.entity

    def with_kind(self, kind: str, combination: Combination) -> Combinations:
        """The options with another combination for one kind."""
        return Combinations(combination, self.entity) if kind == EVENT else Combinations(self.event, combination)


@dataclass(frozen=True)
class VectorOptions:
    """How the bi-encoder compares mentions, which pairs the cross-encoder reads, and how both are combined."""

    layers: Index = 0
    """How many of the encoder's last layers the bi-encoder's heads see; 0: the model has no bi-encoder, and its
    cross-encoder reads every pair."""
    pair_features: tuple[str, ...] = tuple(FEATURES)
    """What is known about a pair besides the text (see :mod:`cdcoref.language.pair_features`)."""
    similarities: tuple[str, ...] = SYMMETRIC_SIMILARITIES[:3]
    """What else is compared, of `SIMILARITIES`. The last is how similar two documents are."""
    vector_width: Count = 96
    """Units of the first hidden layer of the networks that score pairs."""
    learnt: Index = 0
    """Width of the vectors that the scorer also learns for mentions; 0: it learns none."""
    learnt_shares: Mapping[str, Probabilities] = field(default_factory=lambda: {ENTITY: {ALL: 0.5}})
    """By kind of mention, the shares of the networks with learnt vectors in the logit, by their names in `LEARNT`,
    together at most 1; the network without them has the rest. A network that is not named is not trained."""
    antecedents: Index = 0
    """Width of the vectors by which a pronoun's antecedent is chosen, whose cluster the pronoun joins (see
    :class:`cdcoref.model.AntecedentScorer`). 0: pronouns are compared as other mentions are."""
    antecedent_width: Count = 128
    """Units of the first hidden layer of the network that scores antecedents."""
    candidates: Index = 20
    """How many candidates a mention, or a group of them, has: the most probable ones by the bi-encoder, and those that
    have it among theirs; 0: all others, and mentions form no groups."""
    min_probability: Probability = 0.05
    """The bi-encoder's mean probability below which the mentions of two groups are not read."""
    group_probability: Probability = 1.0
    """The least mean probability, by the bi-encoder, of the mentions of a group; the cross-encoder reads one pair of
    mentions of two groups. 1: every mention is a group."""
    combine: Combinations = field(default_factory=Combinations)
    """Per kind: how the logits of cross-encoder and bi-encoder become one."""

    def __post_init__(self) -> None:
        check_fields(self)
        check_features(self.pair_features)
        if not set(self.learnt_shares) <= set(KINDS):
            raise InputError(f"learnt_shares must be some of {', '.join(KINDS)}")
        for kind, shares in self.learnt_shares.items():
            if not set(shares) <= set(LEARNT) or sum(shares.values()) > 1:
                raise InputError(
                    f"learnt_shares of {kind} must be numbers for some of {', '.join(LEARNT)}, together at most 1"
                )
        if self.min_probability >= self.group_probability:
            raise InputError("min_probability must be less than group_probability")
        unknown = [name for name in self.similarities if name not in SIMILARITIES]
        if unknown or not self.similarities:
            given = repr(unknown[0]) if unknown else "nothing"
            raise InputError(f"similarities has {given}; choose from {', '.join(SIMILARITIES)}")

    @property
    def with_antecedents(self) -> tuple[str, ...]:
        """The kinds of mention whose pronouns have antecedents."""
        return KINDS if self.antecedents else ()

    @property
    def evidence(self) -> tuple[bool, ...]:
        """Which of the numbers that are compared of a pair never lower its probability the higher they are."""
        evidence = [FEATURES[name].evidence for name in self.pair_features]
        return (*evidence, *[False] * (self.pair_width - len(evidence)))

    @property
    def prior(self) -> tuple[float, ...]:
        """What a value of 1 of each of these numbers adds to the logit where training is too short to learn it."""
        priors = [FEATURES[name].prior for name in self.pair_features]
        return (*priors, *[0.0] * (self.pair_width - len(priors)))

    @property
    def pair_width(self) -> int:
        """Numbers that the bi-encoder's scorer compares of a pair, besides learnt vectors."""
        return len(self.pair_features) + sum(2 if name in CONTEXT_SIMILARITIES else 1 for name in self.similarities)


REMOVED = (
    *("sequences.marking", "sequences.max_windows", "sequences.features", "sequences.documents", "mention_vector"),
    *("vectors.earlier_rank", "vectors.cross_encoder_kinds", "vectors.last_word", "vectors.antecedent_kinds"),
    *("vectors.antecedent_features", "detector.spelling", "detector.neighbours", "detector.syntax", "linkage"),
)
"""Settings that models of earlier versions state, and that no longer change anything."""


@dataclass(frozen=True)
class CorefConfig:
    """What a model needs beside its weights: how it is built, how it reads, and what was tuned on dev."""

    sequences: SequenceOptions = field(default_factory=SequenceOptions)
    """How sequences of two marked mentions are built."""
    both_orders: Flag = True
    """Whether a pair's probability is the mean over both orders of its two documents. Otherwise the document whose text
    sorts first comes first. Either way the order of the files does not matter."""
    scorer_width: Index = 0
    """Units of the hidden layer of the paper's pair scorer, which reads two marked mentions together; 0: the model has
    none, and a bi-encoder."""
    detector_width: Index = 256
    detector_max_words: Annotated[int, whole_number(1, 1000)] = 16
    detector_max_length: Length = 256
    """Units of the detector's hidden layer (0: the model has no detector and links annotated mentions only), words of
    the longest mention that it can find, and word pieces of the unmarked text that it reads at once."""
    cannot_links: Flag = True
    """Whether cannot-links divide clusters, and two of several mentions each may be farther from each other
    (:mod:`cdcoref.linking.clusters`). Otherwise clusters are those of the linkage alone, as in the paper."""
    names_across_stories: Flag = True
    """Whether entities of different stories about one subject are one if they have the same name
    (:mod:`cdcoref.linking.full_names`). The paper links nothing across stories."""
    distance_threshold: Probabilities = field(default_factory=lambda: _per_kind(0.5))
    """Per kind: clusters are merged while their distance is below it."""
    temperature: Mapping[str, Annotated[float, number(0.01, most=100)]] = field(default_factory=lambda: _per_kind(1.0))
    """Per kind: logits are divided by it before they become probabilities."""
    detection_threshold: Probabilities = field(default_factory=lambda: _per_kind(0.5))
    """Per kind: the least probability at which a span counts as a mention, in the detector's style in use."""
    detector: DetectorOptions = field(default_factory=DetectorOptions)
    """What the detector sees, and the styles of annotation that it distinguishes."""
    vectors: VectorOptions = field(default_factory=VectorOptions)
    """How the bi-encoder compares mentions, if there is one."""
    contexts: ContextOptions = field(default_factory=ContextOptions)
    """The cross-encoder that reads the contexts of two candidates by the encoder's upper layers, if there is one."""
    fitted_in_int8: Flag = False
    """Whether the encoder computed in eight bits when the heads were fitted. If so, the precision ``"auto"`` is int8 on
    processors with VNNI that have no AMX."""

    def __post_init__(self) -> None:
        check_fields(self)
        for name in ("distance_threshold", "temperature", "detection_threshold"):
            if set(getattr(self, name)) != set(KINDS):
                raise InputError(f"{name} must have one number each for {' and '.join(KINDS)}")
        if self.scorer_width and (self.contexts.rank or self.vectors.layers):
            raise InputError(
                "a model with scorer_width reads every pair, as in the paper; set contexts.rank and vectors.layers to 0"
            )

    def in_style(self, style: str) -> CorefConfig:
        """The configuration with another style of annotation in use, and its thresholds."""
        if style not in self.detector.styles:
            known = ", ".join(self.detector.styles)
            raise InputError(f"the model's mention detector has no style named {style!r}; it has {known}")
        detector = replace(self.detector, style=style)
        thresholds = detector.thresholds.get(style, self.detection_threshold)
        return replace(self, detector=detector, detection_threshold=thresholds)

    @classmethod
    def from_dict(cls, values: object, path: Path | None = None) -> CorefConfig:
        """Read what :meth:`to_dict` wrote; an unknown or invalid entry raises `InputError`."""
        if not isinstance(values, Mapping):
            raise InputError(f"cdcoref is {shown(values)} and should be a JSON object", path)
        if values.get("linkage", "average") != "average":
            raise InputError(f"cdcoref.linkage is {shown(values['linkage'])}; only 'average' is supported", path)
        return validated(cls, _without(values, REMOVED), path, within="cdcoref.", others="forbid")

    def to_dict(self) -> dict[str, Any]:
        """The configuration as plain values, for JSON."""
        return asdict(self)


def _without(values: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    kept = {name: value for name, value in values.items() if name not in names}
    for name, value in kept.items():
        if isinstance(value, Mapping):
            kept[name] = _without(value, [inner[len(name) + 1 :] for inner in names if inner.startswith(f"{name}.")])
    return kept

"""What a training run depends on: every setting with its default, and the presets."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from cdcoref.corpus import EVENT, KINDS
from cdcoref.inputs import SequenceOptions
from cdcoref.model import (
    ANTECEDENT_FEATURES,
    SIMILARITIES,
    Combination,
    Combinations,
    CorefConfig,
    DetectorOptions,
    VectorOptions,
)
from cdcoref.training.data import SamplingOptions
from cdcoref.training.detector import DetectorTraining
from cdcoref.training.vectors import VectorTraining
from cdlm.runs import RunOptions
from cdlm.validation import check_fields

VECTORS = VectorOptions(
    layers=4,
    similarities=SIMILARITIES,
    learnt=64,
    last_word="head",
    antecedents=64,
    antecedent_kinds=KINDS,
    antecedent_features=tuple(ANTECEDENT_FEATURES),
    cross_encoder_kinds=(EVENT,),
    combine=Combinations(Combination(other_story=-2.0), Combination(other_story=-2.0)),
)
"""Of models trained now. The defaults of :class:`VectorOptions` are those of models saved without these settings."""


@dataclass(frozen=True)
class TrainingConfig:
    """Everything that a run depends on besides the corpus; it is written beside the weights.

    Attributes
    ----------
    encoder
        Folder or hub name of a Longformer, BERT, RoBERTa or MPNet checkpoint, ``"minilm"``, ``"mpnet"`` or
        ``"default"``; see :func:`cdlm.starting_encoders.encoder_folder`.
    kind
        The mentions to train on: ``"event"``, ``"entity"``, or ``"both"`` from one encoder pass.
    model
        The model's own configuration: how it is built and reads. Its thresholds and temperatures are tuned on dev.
    sampling
        What is sampled from the corpus, and how large batches are.
    run
        How the run is optimised, evaluated and saved.
    vectors
        How the heads are fitted that compare mentions which were read apart, after the run; only if `model.vectors` has
        layers.
    detector
        How the mention detector is fitted anew after the run; only if `model.detector` has layers.

    Raises
    ------
    InputError
        If a value is of the wrong type or out of range.
    """

    encoder: str = "minilm"
    kind: Literal["event", "entity", "both"] = "both"
    model: CorefConfig = field(
        default_factory=lambda: CorefConfig(
            SequenceOptions(context="sentence", max_length=512),
            linkage="mixed",
            vectors=VECTORS,
            detector=DetectorOptions(word_layers=4, neighbours=True),
        )
    )
    sampling: SamplingOptions = field(default_factory=SamplingOptions)
    run: RunOptions = field(default_factory=lambda: RunOptions(epochs=2, head_learning_rate=5e-4))
    vectors: VectorTraining = field(default_factory=VectorTraining)
    detector: DetectorTraining = field(default_factory=DetectorTraining)

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of mention that are trained."""
        return KINDS if self.kind == "both" else (self.kind,)

    def to_dict(self) -> dict[str, Any]:
        """The configuration as plain values, for JSON."""
        return asdict(self)


PRESETS: dict[str, TrainingConfig] = {
    # For the embedded encoder, chosen on dev.
    "small": TrainingConfig(),
    "paper": TrainingConfig(
        encoder="biu-nlp/cdlm",
        kind="event",
        model=CorefConfig(
            SequenceOptions(marking="pair", context="document", max_length=4096),
            both_orders=False,
            detector_width=0,
            cannot_links=False,
            names_across_stories=False,
        ),
        sampling=SamplingOptions(
            negatives=20.0, other_subtopics=1.0, detection_passes=0, batch_tokens=16_384, step_pairs=128
        ),
        run=RunOptions(
            epochs=10,
            learning_rate=1e-5,
            head_learning_rate=1e-5,
            warmup=0.0,
            weight_decay=0.0,
            attention_dropout=0.1,
            accumulation=32,
            precision="fp16",
            gradient_checkpointing=True,
        ),
    ),
}
"""Configurations to start from: ``"small"`` for the embedded encoder, chosen on dev, and ``"paper"``.

``"paper"`` is what the CDLM paper states (section 3.2, Appendix C.1): CDLM, whole documents, one candidate pair per
sequence, sums of token vectors, one hidden layer of 1024 with tanh, 10 epochs, 128 pairs per step, average linkage,
gold mentions of one kind; all pairs of a topic that corefer, and negatives drawn at random from all pairs of a topic.

Where the paper is silent:

- 20 negatives per positive, as in the code of Cattan et al. 2020, whose protocol the paper names. They draw by topic,
  here from all topics at once. Of entities ECB+ has 12.7 per positive, and all but those that fill no step are used.
- AdamW without weight decay, at 1e-5 for encoder and head, no warmup, linear decay: the authors' released code.

That code differs from the paper, which counts here: it trains on all pairs of a topic; a step sums the mean losses of 9
batches of 16 pairs; its schedule counts batches where it takes steps, so that the rate falls by a ninth only; gradients
are clipped after every batch instead of every step; a token ``<g>`` stands in place of ``[CLS]``, and markers around
every sentence.
"""

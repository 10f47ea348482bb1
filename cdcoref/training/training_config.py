"""What a training run depends on: every setting with its default, what each corpus is used for, and the presets."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from cdcoref.corpora import AnnotatedCorpus, CorpusInfo
from cdcoref.corpus import KINDS, Document
from cdcoref.model import ALL, CorefConfig
from cdcoref.training.bi_encoder_data import BiEncoderTraining
from cdcoref.training.cross_encoder_data import ContextTraining
from cdcoref.training.data import SamplingOptions
from cdcoref.training.detector import DetectorTraining
from cdcoref.training.vector_training import VectorTraining
from cdlm.runs import RunOptions
from cdlm.settings import read_toml, with_settings
from cdlm.validation import Checked, Flag

Names = tuple[str, ...]


@dataclass(frozen=True)
class CorpusRoles(Checked):
    """What each corpus is used for, by its name. Without any setting, every corpus is used for everything."""

    genres: Mapping[str, Names] = field(default_factory=dict)
    """By corpus, the genres of the documents that are trained on; all of a corpus that is not named. A document's genre
    is the second part of its id, as in GUM: ``GUM_news_homeopathic``."""
    topics_of_heads: Mapping[str, Names] = field(default_factory=dict)
    """By corpus, the topics on which the heads are fitted after the run. The encoder learns from the corpus's other
    topics, so that the heads see texts that it was not trained on."""
    epoch_choice: Names = ()
    """The corpora on whose dev splits the best epoch is chosen; none: all."""
    only_detector: Names = ()
    """The corpora from which only the mention detector learns, and on whose dev splits only its thresholds are
    chosen."""
    only_weights: Names = ()
    """The corpora on whose dev splits only the weights of cross-encoder and bi-encoder are chosen."""

    @property
    def configured(self) -> set[str]:
        """The corpora for which there is a setting."""
        return {name for setting in vars(self).values() for name in setting}

    def for_corpora(self, names: Collection[str]) -> CorpusRoles:
        """The roles without the settings for other corpora."""
        kept: dict[str, Any] = {}
        for setting, value in vars(self).items():
            if isinstance(value, Mapping):
                kept[setting] = {name: part for name, part in value.items() if name in names}
            else:
                kept[setting] = tuple(name for name in value if name in names)
        return CorpusRoles(**kept)

    def for_encoder(self, parts: Sequence[AnnotatedCorpus]) -> list[AnnotatedCorpus]:
        """What the encoder is trained on, with its pair scorer if it has one."""
        return self._of_topics(self.for_contexts(parts), of_heads=False)

    def for_heads(self, parts: Sequence[AnnotatedCorpus]) -> list[AnnotatedCorpus]:
        """What the bi-encoder and the scorer of antecedents are fitted on."""
        return [part for part in self.for_detector(parts) if part.info.name not in self.only_detector]

    def for_contexts(self, parts: Sequence[AnnotatedCorpus]) -> list[AnnotatedCorpus]:
        """What the cross-encoder of upper layers is trained on: the topics of the encoder, and those of the heads."""
        return [part for part in self._of_genres(parts) if part.info.name not in self.only_detector]

    def for_detector(self, parts: Sequence[AnnotatedCorpus]) -> list[AnnotatedCorpus]:
        """What the detector is fitted on after the run."""
        return self._of_topics(self._of_genres(parts), of_heads=True)

    def to_choose_epoch(self, dev: Sequence[AnnotatedCorpus]) -> list[AnnotatedCorpus]:
        """The dev splits on which the best epoch is chosen."""
        return [part for part in self.to_tune(dev) if not self.epoch_choice or part.info.name in self.epoch_choice]

    def to_tune(self, dev: Sequence[AnnotatedCorpus]) -> list[AnnotatedCorpus]:
        """The dev splits on which thresholds and temperatures are chosen, and which are scored."""
        return [part for part in dev if part.info.name not in (*self.only_detector, *self.only_weights)]

    def to_weigh(self, dev: Sequence[AnnotatedCorpus]) -> list[AnnotatedCorpus]:
        """The dev splits on which the weights of cross-encoder and bi-encoder are chosen."""
        return [part for part in dev if part.info.name not in self.only_detector]

    def to_tune_detector(self, dev: Sequence[AnnotatedCorpus]) -> list[AnnotatedCorpus]:
        """The dev splits on which the thresholds of the detector's styles are chosen."""
        return [part for part in dev if part.info.name not in self.only_weights]

    def _of_topics(self, parts: Sequence[AnnotatedCorpus], *, of_heads: bool) -> list[AnnotatedCorpus]:
        topics = self.topics_of_heads
        return _only(parts, lambda name, d: name not in topics or (d.topic in topics[name]) == of_heads)

    def _of_genres(self, parts: Sequence[AnnotatedCorpus]) -> list[AnnotatedCorpus]:
        genres = self.genres
        return _only(parts, lambda name, d: name not in genres or "".join(d.id.split("_")[1:2]) in genres[name])


def _only(parts: Sequence[AnnotatedCorpus], chosen: Callable[[str, Document], bool]) -> list[AnnotatedCorpus]:
    """The corpora with those documents that are chosen, by the name of the corpus."""
    return [
        replace(part, corpus=part.corpus.subset(d.id for d in part.corpus.documents if chosen(part.info.name, d)))
        for part in parts
    ]


@dataclass(frozen=True)
class TrainingConfig(Checked):
    """What a run depends on besides the corpora. Defaults are those of the parts: start from one of `PRESETS`."""

    encoder: str = "minilm"
    """Folder or hub name of a Longformer, BERT, RoBERTa or MPNet checkpoint, ``"minilm"``, ``"mpnet"``,
    ``"base"`` or ``"small"``; see :func:`cdlm.starting_encoders.encoder_folder`."""
    kind: Literal["event", "entity", "both"] = "both"
    """The mentions to train on: ``"event"``, ``"entity"``, or ``"both"`` from one encoder pass."""
    int8: Flag = False
    """Whether the encoder's weights are rounded to 8 bits before heads are fitted, and the model is stored so, in a
    quarter of the space."""
    corpora: CorpusRoles = field(default_factory=CorpusRoles)
    """What each corpus is used for."""
    model: CorefConfig = field(default_factory=CorefConfig)
    """The model's own configuration: how it is built and reads. Its thresholds and temperatures are tuned on dev."""
    sampling: SamplingOptions = field(default_factory=SamplingOptions)
    """Which pairs the cross-encoder of the paper learns from."""
    bi_encoder: BiEncoderTraining = field(default_factory=BiEncoderTraining)
    """What an encoder that is trained as a bi-encoder reads, and by which losses it learns."""
    run: RunOptions = field(default_factory=RunOptions)
    """How the run is optimised, evaluated and saved."""
    contexts: ContextTraining = field(default_factory=ContextTraining)
    """How the cross-encoder of the encoder's upper layers is trained after the run; only if `model.contexts` has a
    rank."""
    vectors: VectorTraining = field(default_factory=VectorTraining)
    """How the bi-encoder's heads are fitted after the run; only if `model.vectors` has layers."""
    detector: DetectorTraining = field(default_factory=DetectorTraining)
    """How the mention detector is fitted anew after the run; only if `model.detector` has layers."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of mention that are trained."""
        return KINDS if self.kind == "both" else (self.kind,)

    @property
    def named_corpora(self) -> tuple[str, ...]:
        """The corpora for which there is a setting, by name, sorted."""
        weighted = (name for weights in self.corpus_weights.values() for name in weights)
        return tuple(sorted({*self.corpora.configured, *self.vectors.unseen, *self.bi_encoder.lengths, *weighted}))

    @property
    def corpus_weights(self) -> dict[str, Mapping[str, float]]:
        """By the name of a setting that weighs corpora, the weight of each."""
        return {
            "bi_encoder.corpus_shares": self.bi_encoder.corpus_shares,
            "contexts.corpus_shares": self.contexts.corpus_shares,
            "vectors.corpus_weights": self.vectors.corpus_weights,
            "vectors.antecedents.corpus_shares": self.vectors.antecedents.corpus_shares,
            "detector.corpus_shares": self.detector.corpus_shares,
        }

    def for_corpora(self, infos: Sequence[CorpusInfo]) -> TrainingConfig:
        """The configuration for corpora (none: one's own), without settings for others and what none teaches."""
        names = {info.name for info in infos}

        def kept(part: Any, *tables: str) -> Any:
            """A part of the configuration whose tables have only these corpora."""
            named = {table: getattr(part, table).items() for table in tables}
            return replace(part, **{table: {n: v for n, v in items if n in names} for table, items in named.items()})

        vectors, model = self.vectors, self.model
        unseen = tuple(name for name in vectors.unseen if name in names)
        if not unseen:
            shares = {kind: {ALL: of[ALL]} for kind, of in model.vectors.learnt_shares.items() if ALL in of}
            model = replace(model, vectors=replace(model.vectors, learnt_shares=shares))
        taught = {style for info in infos for style in info.styles} or {model.detector.style}
        styles = tuple(style for style in model.detector.styles if style in taught)
        style = model.detector.style if model.detector.style in styles else styles[0]
        antecedents = kept(vectors.antecedents, "corpus_shares")
        return replace(
            self,
            corpora=self.corpora.for_corpora(names),
            model=replace(model, detector=replace(model.detector, styles=styles, style=style)),
            bi_encoder=kept(self.bi_encoder, "corpus_shares", "lengths"),
            contexts=kept(self.contexts, "corpus_shares"),
            vectors=replace(kept(vectors, "corpus_weights"), unseen=unseen, antecedents=antecedents),
            detector=kept(self.detector, "corpus_shares"),
        )

    def to_dict(self) -> dict[str, Any]:
        """The configuration as plain values, for JSON."""
        return asdict(self)


def _preset(path: Path) -> TrainingConfig:
    """The settings of a file, over those of the preset that it is based on, if it names one."""
    values = read_toml(path)
    start = values.pop("based_on", None)
    return with_settings(TrainingConfig() if start is None else _preset(path.with_name(f"{start}.toml")), values, path)


PRESETS: Mapping[str, TrainingConfig] = {
    path.stem: _preset(path) for path in sorted((Path(__file__).parent / "presets").glob("*.toml"))
}
"""By name, the settings in ``cdcoref/training/presets``; each file states what differs from the defaults, or from the
preset that it is based on."""

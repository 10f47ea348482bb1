"""What each corpus is used for: annotated corpora in, those that a part of training reads out."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from cdcoref.corpora import AnnotatedCorpus
from cdlm.validation import check_fields

Names = tuple[str, ...]


@dataclass(frozen=True)
class CorpusRoles:
    """What each corpus is used for, by its name. Without any setting, every corpus is used for everything."""

    genres: Mapping[str, Names] = field(default_factory=dict)
    """By corpus, the genres of the documents that are trained on; all of a corpus that is not named. A document's genre
    is the second part of its id, as in GUM: ``GUM_news_homeopathic``."""
    topics_of_heads: Mapping[str, Names] = field(default_factory=dict)
    """By corpus, the topics from which the heads learn that are fitted after the run. The encoder learns from the
    corpus' other topics, so that the heads see texts that it does not know by heart."""
    epoch_choice: Names = ()
    """The corpora on whose dev splits the best epoch is chosen; none: all."""
    only_detector: Names = ()
    """The corpora from which only the detector learns that is fitted after the run, and on whose dev splits only its
    thresholds are chosen."""
    only_weights: Names = ()
    """The corpora on whose dev splits only the weights of cross-encoder and bi-encoder are chosen."""

    def __post_init__(self) -> None:
        check_fields(self)

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
        found = []
        for part in self.for_contexts(parts):
            heads = self.topics_of_heads.get(part.info.name)
            if heads is not None:
                part = _of_documents(part, [d.id for d in part.corpus.documents if d.topic not in heads])
            found.append(part)
        return found

    def for_heads(self, parts: Sequence[AnnotatedCorpus]) -> list[AnnotatedCorpus]:
        """What the bi-encoder and the scorer of antecedents are fitted on."""
        return [part for part in self.for_detector(parts) if part.info.name not in self.only_detector]

    def for_contexts(self, parts: Sequence[AnnotatedCorpus]) -> list[AnnotatedCorpus]:
        """What the cross-encoder of upper layers is trained on: the topics of the encoder, and those of the heads."""
        return [part for part in self._of_genres(parts) if part.info.name not in self.only_detector]

    def for_detector(self, parts: Sequence[AnnotatedCorpus]) -> list[AnnotatedCorpus]:
        """What the detector is fitted on after the run."""
        found = []
        for part in self._of_genres(parts):
            heads = self.topics_of_heads.get(part.info.name)
            if heads is not None:
                part = _of_documents(part, [d.id for d in part.corpus.documents if d.topic in heads])
            found.append(part)
        return found

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

    def _of_genres(self, parts: Sequence[AnnotatedCorpus]) -> list[AnnotatedCorpus]:
        found = []
        for part in parts:
            genres = self.genres.get(part.info.name)
            if genres is not None:
                part = _of_documents(part, [d.id for d in part.corpus.documents if _genre(d.id) in genres])
            found.append(part)
        return found


def _of_documents(part: AnnotatedCorpus, ids: Sequence[str]) -> AnnotatedCorpus:
    return replace(part, corpus=part.corpus.subset(ids))


def _genre(document: str) -> str:
    return "".join(document.split("_")[1:2])

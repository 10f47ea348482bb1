"""How a prediction is made. The command line, collections, the server and Python all state it with these options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, get_args

from cdcoref.errors import InputError, check_whole
from cdcoref.linking import LinkingOptions, check_choice

Kinds = Literal["event", "entity", "both"]
Topics = Literal["predicted", "gold_subtopic", "gold_topic", "none"]
Engine = Literal["local", "ray"]
OF_LOAD = ("device", "precision", "style", "model")
"""Arguments of :func:`cdcoref.load`, not of a prediction."""


@dataclass(frozen=True, slots=True)
class PredictionOptions(LinkingOptions):
    """How a prediction is made: :class:`cdcoref.linking.LinkingOptions`, and what is linked, where."""

    kind: Kinds = "both"
    """``"event"``, ``"entity"``, or ``"both"``."""
    topics: Topics = "predicted"
    """Mentions are linked only within groups of documents: predicted from the text (``"predicted"``), annotated, or one
    group of all documents (``"none"``)."""
    max_pairs: int | None = None
    """Compare each document with at most this many others of its story, the most similar by TF-IDF; None: with all."""
    find_mentions: bool | Literal["event", "entity"] = False
    """Detect mentions even if the documents have annotated ones; a kind: only those of it, beside the annotated ones of
    the other kind."""
    engine: Engine = "local"
    """Where stories are linked: in this process, one after the other (``"local"``), or on the workers of a Ray cluster
    (``"ray"``). The result is the same."""
    ray_address: str | None = None
    """Address of the cluster (see :class:`cdcoref.predict.RayEngine`). None: the environment variable ``RAY_ADDRESS``,
    or a cluster on this machine."""
    across_stories: bool = True
    """Whether entities of different predicted stories about one subject are one if they bear the same name (see
    :mod:`cdcoref.linking.full_names`). The lemma baseline links nothing across stories, nor does a model whose
    configuration has no `names_across_stories`."""

    def __post_init__(self) -> None:
        LinkingOptions.__post_init__(self)
        check_choice("kind", self.kind, Kinds)
        check_choice("topics", self.topics, Topics)
        check_choice("engine", self.engine, Engine)
        if self.max_pairs is not None:
            check_whole("max_pairs", self.max_pairs)
        if self.max_pairs is not None and self.max_pairs < 1:
            raise InputError(f"the limit on pairs must be 1 or more, not {self.max_pairs}")
        if self.ray_address is not None and self.engine != "ray":
            raise InputError("a Ray address was given, but the engine is local; choose the engine ray")

    @classmethod
    def with_settings(cls, options: PredictionOptions | None, settings: Mapping[str, Any]) -> PredictionOptions:
        """The options, or the default ones, with some of their values replaced."""
        if options is not None and not isinstance(options, cls):
            advice = f"kind={options!r}" if options in get_args(Kinds) else "settings by name, such as kind='event'"
            raise InputError(f"options must be PredictionOptions, not {options!r}; pass {advice}")
        names = [field.name for field in fields(cls)]
        if unknown := [name for name in settings if name not in names]:
            where = "it is an argument of cdcoref.load" if unknown[0] in OF_LOAD else f"choose from {', '.join(names)}"
            raise InputError(f"a prediction has no option {unknown[0]!r}; {where}")
        return replace(options or cls(), **settings)

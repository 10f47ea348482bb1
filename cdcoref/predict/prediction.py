"""How a prediction is made, and its result: clusters and stories, and the files and pages made from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from cdcoref import linking, views
from cdcoref.errors import InputError, check_path, check_text
from cdcoref.linking import LinkingOptions
from cdcoref.reports import Results
from cdlm.printing import counted
from cdlm.validation import Count, any_of

Kinds = Literal["event", "entity", "both"]
Topics = Literal["predicted", "gold_subtopic", "gold_topic", "none"]
Engine = Literal["local", "ray"]
OF_LOAD = ("device", "precision", "style", "model")
"""Arguments of :func:`cdcoref.load`, not of a prediction."""
Progress = Callable[[str, int, int], None]
"""Called with a stage, the amount done, and the total."""


def summed(progress: Progress, stage: str, total: int) -> Callable[[float], None]:
    """What adds up what is done of a stage, step by step, and reports the sum."""
    done = 0.0

    def advance(more: float) -> None:
        nonlocal done
        done += more
        progress(stage, int(done + 1e-6), total)

    return advance


@dataclass(frozen=True, slots=True)
class PredictionOptions(LinkingOptions):
    """How a prediction is made: :class:`cdcoref.linking.LinkingOptions`, and what is linked, where."""

    kind: Kinds = "both"
    """``"event"``, ``"entity"``, or ``"both"``."""
    topics: Topics = "predicted"
    """Mentions are linked only within groups of documents: predicted from the text (``"predicted"``), annotated, or one
    group of all documents (``"none"``)."""
    max_pairs: Count | None = None
    """Compare each document with at most this many others of its story, the most similar by TF-IDF; None: with all."""
    find_mentions: Annotated[bool | Literal["event", "entity"], any_of("true, false, event or entity")] = False
    """Detect mentions even if the documents have annotated ones; a kind: only those of it, beside the annotated ones of
    the other kind."""
    engine: Engine = "local"
    """Where stories are linked: in this process, one after the other (``"local"``), or on the workers of a Ray cluster
    (``"ray"``). The result is the same."""
    ray_address: str | None = None
    """Address of the cluster (see :class:`cdcoref.predict.RayEngine`). None: the environment variable ``RAY_ADDRESS``,
    or a cluster on this machine."""

    def __post_init__(self) -> None:
        LinkingOptions.__post_init__(self)
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


@dataclass(frozen=True, slots=True)
class Plan:
    """The work ahead once documents are grouped.

    Numbers of documents, of stories, and of documents in the largest story; of document pairs to compare, and of those
    pruned because of `max_pairs`; of documents without words, which are no stories; and of near-duplicates.
    """

    documents: int
    stories: int
    largest: int
    pairs: int
    pruned: int
    empty: int = 0
    copies: int = 0


@dataclass(frozen=True, slots=True)
class Story:
    """Documents that are linked with each other, by id: about the same story, or of one annotated topic.

    `pairs`: Those of them to compare; None: all. `stories`: Where they are not grouped by their words: the number of
    the story that each would be grouped into by them.
    """

    documents: tuple[str, ...]
    pairs: tuple[linking.DocumentPair, ...] | None = None
    stories: tuple[int, ...] | None = None

    def pair_count(self) -> int:
        """Number of pairs of documents to compare."""
        return len(self.documents) * (len(self.documents) - 1) // 2 if self.pairs is None else len(self.pairs)

    def cost(self) -> int:
        """Number of pairs of documents to compare, where each document with itself counts as one."""
        return self.pair_count() + len(self.documents)


@dataclass(frozen=True, repr=False)
class Prediction(Results):
    """A prediction.

    The confidence of a mention is the mean calibrated probability that it corefers with the other mentions of its
    cluster that are of its story (without others, that it is a mention at all). Mentions were linked within stories,
    and entities across them by name. `sequences` with two mentions were read.
    """

    plan: Plan
    sequences: int = 0

    def __repr__(self) -> str:
        counts = self.counts()
        clusters = f"{counted(counts.across, 'cluster')} across documents, {counts.within:,} within one document"
        documents, mentions = counted(counts.documents, "document"), counted(counts.mentions, "mention")
        return f"<Prediction: {documents}, {mentions}, {clusters}, {counted(counts.singletons, 'singleton')}>"

    def save(
        self, path: str | Path, *, layout: str | None = None, folder_format: views.FolderFormat | None = None
    ) -> tuple[str, ...]:
        """Write documents, mentions and clusters in the format that the file's name ends in, as ``predict -o`` does.

        `path`: A file, unchanged if it cannot be written (`InputError`), or a folder, whose name has no suffix.
        `folder_format`: Of the files of a folder: ``"text"`` (with pronouns replaced; the default), ``"brat"``,
            ``"xmi"``, ``"label-studio"`` or ``"prodigy"``.
        `layout`: As in :func:`cdcoref.formats.write_corpus`.

        Returns a sentence for each kind of information that the format cannot express.
        """
        check_path("the output", path)
        return views.write_result(self, Path(path), layout, folder_format=folder_format)

    def to_html(self, *, title: str | None = None) -> str:
        """The page that ``predict -o x.html`` writes, as a string; its title is by default the number of documents."""
        if title is not None:
            check_text("the title", title)
        return views.page_html(self, title=title)

    def to_json(self, *, indent: int | None = None) -> str:
        """Stories, clusters and documents as one JSON object, of the schema ``json_schema("prediction")``."""
        return views.json_text(self, indent=indent)

    def resolved_texts(self) -> dict[str, str]:
        """The texts by id, with pronouns replaced by the names of their clusters."""
        return views.resolved_texts(self)

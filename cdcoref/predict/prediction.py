"""The result of a prediction: clusters and stories, the work that was done, and the files and pages made from them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from cdcoref.errors import check_path, check_text
from cdcoref.reports import Results
from cdlm.printing import counted

if TYPE_CHECKING:
    from cdcoref.views import FolderFormat


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
        self,
        path: str | Path,
        *,
        layout: str | None = None,
        folder_format: FolderFormat | None = None,
        replaced: Literal["pronouns", "all"] | None = None,
    ) -> tuple[str, ...]:
        """Write documents, mentions and clusters in the format that the file's name ends in, as ``predict -o`` does.

        `path`: A file, unchanged if it cannot be written (`InputError`), or a folder, whose name has no suffix.
        `folder_format`: Of the files of a folder: ``"text"`` (with mentions replaced; the default), ``"brat"``,
            ``"xmi"``, ``"label-studio"`` or ``"prodigy"``.
        `layout`: As in :func:`cdcoref.formats.write_corpus`. `replaced`: As in :func:`cdcoref.views.resolved_texts`.

        Returns a sentence for each kind of information that the format cannot express.
        """
        from cdcoref.views import write_result

        check_path("the output", path)
        return write_result(self, Path(path), layout, folder_format=folder_format, replaced=replaced)

    def to_html(self, *, title: str | None = None) -> str:
        """The page that ``predict -o x.html`` writes, as a string; its title is by default the number of documents."""
        from cdcoref.views import page_html

        if title is not None:
            check_text("the title", title)
        return page_html(self, title=title)

    def to_json(self, *, indent: int | None = None) -> str:
        """Stories, clusters and documents as one JSON object, in one line without an `indent`.

        Its JSON Schema is ``cdcoref.formats.json_schema("prediction")``.
        """
        from cdcoref.views import json_text

        return json_text(self, indent=indent)

    def resolved_texts(self, replaced: Literal["pronouns", "all"] = "pronouns") -> dict[str, str]:
        """The texts by id, with pronouns or all mentions of entities replaced by the names of their clusters."""
        from cdcoref.views import resolved_texts

        return resolved_texts(self, replaced)

    def _repr_html_(self) -> str:
        """What a notebook shows: counts, the first clusters and the first texts with their mentions."""
        from cdcoref.views import notebook_view

        return notebook_view(self)

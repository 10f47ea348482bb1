"""Where documents of a story disagree, with the labels and sentences that readers see."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from cdcoref.corpus import Mention
from cdcoref.reports.stated_circumstances import contradicted_circumstances
from cdcoref.reports.stated_numbers import contradicted_numbers
from cdcoref.reports.stated_people import contradicted_ages, contradicted_names
from cdcoref.reports.stated_values import StoryContext


@dataclass(frozen=True, slots=True)
class Statement:
    """What a document states in a sentence: the value in short, empty if the sentence is all there is."""

    document: str
    value: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Different statements of documents about an event, or about a person or an office.

    `cluster`: its name in the corpus; None if it is no mention. `label`: what happened, in the words of the
    documents.
    `about`: what differs: ``"number"``, ``"day"``, ``"place"``, ``"age"`` or ``"name"``.
    `statements`: one for each value, in the order of the story.
    """

    cluster: str | None
    label: str
    about: str
    statements: tuple[Statement, ...]


def disagreements(story: StoryContext, label: Callable[[Sequence[Mention]], str]) -> Iterator[Disagreement]:
    """What the documents of a story disagree about."""
    for contradictions in (contradicted_numbers, contradicted_circumstances, contradicted_names, contradicted_ages):
        for found in contradictions(story):
            statements = (
                Statement(value.document, value.text, story.documents[value.document].sentence_text(value.token))
                for value in found.stated
            )
            cluster = found.members[0].cluster if found.members else None
            yield Disagreement(cluster, found.label or label(found.members), found.about, tuple(statements))

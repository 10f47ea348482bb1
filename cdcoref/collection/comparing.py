"""Stories in, the scores of their pairs of documents out: one story after the other, so that few are held in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from cdcoref.collection.reader import Reader
from cdcoref.collection.stored_logits import DocumentPair, DocumentScores
from cdcoref.corpus import Corpus

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cdcoref.linking import MentionVectors
    from cdcoref.predict import Progress


@dataclass(frozen=True)
class StoryReading:
    """A story, or what of it is to be compared.

    Attributes
    ----------
    corpus, pairs, vectors, known
        As :meth:`cdcoref.collection.reader.Reader.scores` takes them.
    """

    corpus: Corpus
    pairs: Sequence[DocumentPair] | None
    vectors: Mapping[str, MentionVectors]
    known: Mapping[str, int]


def compare_stories(
    reader: Reader, stories: Iterable[StoryReading], work: int, progress: Progress
) -> tuple[dict[DocumentPair, DocumentScores], list[str]]:
    """The scores of the documents of all stories, and a sentence for whatever was left out.

    Parameters
    ----------
    work
        How many documents and pairs of documents there are in all stories.

    Raises
    ------
    InputError
        As :meth:`cdcoref.collection.reader.Reader.scores`.
    """
    scores: dict[DocumentPair, DocumentScores] = {}
    notes: list[str] = []
    done = 0
    for story in stories:
        count = len(story.corpus.documents)
        own, sentences = reader.scores(
            story.corpus, story.pairs, story.vectors, story.known, partial(_advance, progress, done, work)
        )
        scores |= own
        notes += sentences
        done += count + (count * (count - 1) // 2 if story.pairs is None else len(story.pairs))
    return scores, notes


def _advance(progress: Progress, before: int, work: int, stage: str, done: int, total: int) -> None:
    """Tell how much of all stories is done, where one story's reader tells of that story."""
    progress(stage, before + done, work)

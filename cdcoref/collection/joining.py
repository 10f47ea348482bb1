"""Clusters of stories in, those of entities that stories about one subject call by the same name joined out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from cdcoref.collection.stored_story import StoredStory

SHARED = 1e-3
"""What the same name counts beside probabilities where people divide a cluster: what was compared counts more."""


class SubjectNames:
    """The names of entities in stories that are clustered together."""

    def __init__(self, stories: Sequence[StoredStory], subject_of: Mapping[int, int]) -> None:
        self._stories = stories
        self._ends = np.cumsum([0, *(len(story.numbers) for story in stories)]).tolist()
        by_subject: defaultdict[int, list[int]] = defaultdict(list)
        for place, story in enumerate(stories):
            if story.number in subject_of:
                by_subject[subject_of[story.number]].append(place)
        self._subjects = [places for places in by_subject.values() if len(places) > 1]

    def joined(self, labels: np.ndarray) -> np.ndarray:
        """The labels of mentions after clusters of the same name have become one; before, no stories share one.

        *Shapes:* (mentions,)
        """
        from cdcoref.linking import joined_by_name

        labels = labels.copy()
        for places in self._subjects:
            own = []
            for place in places:
                story = self._stories[place]
                clusters = labels[self._of_story(place)].tolist()
                named = zip(story.corpus.mentions, clusters, strict=True)
                mentions = tuple(replace(mention, cluster=str(label)) for mention, label in named)
                own.append(story.readings.with_corpus(replace(story.corpus, mentions=mentions)))
            for place, corpus in zip(places, joined_by_name(own), strict=True):
                labels[self._of_story(place)] = [int(mention.cluster or 0) for mention in corpus.mentions]
        return labels

    def shared(self, members: np.ndarray, joined: np.ndarray) -> np.ndarray:
        """`SHARED` for mentions of different stories that :meth:`joined` put into one cluster, 0 for others.

        *Shapes:* (members,), (mentions,) to (members, members)
        """
        story = np.searchsorted(self._ends, members, side="right")
        same = (story[:, None] != story) & (joined[members][:, None] == joined[members])
        return SHARED * same.astype(np.float64)

    def _of_story(self, place: int) -> slice:
        return slice(self._ends[place], self._ends[place + 1])

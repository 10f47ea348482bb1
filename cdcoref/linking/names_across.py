"""Entities that stories about one subject call by the same name: linked stories in, with clusters in common out.

Mentions are compared within stories. What stands in another story about the same subject (:mod:`cdcoref.stories`) under
the same name is the same person, place or organisation nearly always, and then both clusters become one. Not if two
clusters of a story bear the name; not by a single word that the story also writes in lower case ("Police"), or that
belongs to different full names ("Esther Williams", "Robin Williams"); and never where two years, amounts or full names
would come together that cannot (:func:`cdcoref.language.in_conflict`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

from cdcoref.corpus import ENTITY, Corpus, Document, Mention
from cdcoref.language import StatedFacts, in_conflict
from cdcoref.reading import Readings
from cdcoref.stories import DocumentVectors, subjects

Name = tuple[str, ...]


@dataclass(slots=True)
class _Cluster:
    """What one story says of one entity: its names, and what cannot be another's."""

    story: int
    label: str
    names: set[Name] = field(default_factory=set)
    stated: set[StatedFacts] = field(default_factory=set)

    @property
    def full_names(self) -> set[Name]:
        return {name for name in self.names if len(name) > 1}

    def agrees(self, other: _Cluster, name: Name) -> bool:
        """Whether a name that both bear may mean the same."""
        if any(in_conflict(mine, theirs) for mine in self.stated for theirs in other.stated):
            return False
        mine, theirs = self.full_names, other.full_names
        if len(name) > 1 or not mine or not theirs:
            return True
        return any(set(one) <= set(two) or set(two) <= set(one) for one in mine for two in theirs)


def joined_by_name(stories: Sequence[Readings]) -> list[Corpus]:
    """Give clusters of entities that bear the same name the same label.

    Parameters
    ----------
    stories
        Stories about one subject. Every mention has a cluster, and no two stories share one.

    Returns
    -------
    list
        Their documents and mentions; clusters that became one have the label of the first of them. Which ones become
        one does not depend on the order of the stories.
    """
    if len(stories) < 2:
        return [story.corpus for story in stories]
    clusters = [cluster for number, story in enumerate(stories) for cluster in _named_clusters(number, story)]
    joined = {cluster.label: {cluster.label: cluster} for cluster in clusters}
    for name, bearers in _bearers(clusters).items():
        for one, other in combinations(bearers, 2):
            if joined[one.label] is not joined[other.label] and one.agrees(other, name):
                together = joined[one.label] | joined[other.label]
                joined.update(dict.fromkeys(together, together))
    place = {cluster.label: number for number, cluster in enumerate(clusters)}
    label_of = {}
    for together in {id(together): together for together in joined.values()}.values():
        if _is_possible(together):
            label_of.update(dict.fromkeys(together, min(together, key=place.__getitem__)))
    return [_relabelled(story.corpus, label_of) for story in stories]


def joined_across_stories(readings: Readings, stories: Sequence[Sequence[str]]) -> Corpus:
    """As :func:`joined_by_name`, for all stories of a corpus: those about each subject are joined with each other.

    Parameters
    ----------
    readings
        Documents and mentions, each with a cluster of one story.
    stories
        The ids of the documents of each.
    """
    corpus = readings.corpus
    by_subject: defaultdict[int, list[Readings]] = defaultdict(list)
    for number, story in zip(subjects(DocumentVectors(corpus.documents), stories), stories, strict=True):
        by_subject[number].append(readings.with_corpus(corpus.subset(story)))
    joined = [story for own in by_subject.values() for story in joined_by_name(own)]
    return replace(corpus, mentions=tuple(mention for story in joined for mention in story.mentions))


def _named_clusters(number: int, story: Readings) -> Iterator[_Cluster]:
    uncapitalised = {token for document in story.corpus.documents for token in document.tokens if token.islower()}
    clusters: dict[str, _Cluster] = {}
    for mention in story.corpus.mentions:
        if mention.kind == ENTITY and mention.cluster is not None:
            cluster = clusters.setdefault(mention.cluster, _Cluster(number, mention.cluster))
            reading = story[mention.document]
            if any(stated := reading.facts(mention).words.stated):
                cluster.stated.add(stated)
            name = reading.name(mention)
            begins = _begins_sentence(reading.document, mention)
            if len(name) > 1 or (name and name[0] not in uncapitalised and not begins):
                cluster.names.add(name)
    yield from clusters.values()


def _begins_sentence(document: Document, mention: Mention) -> bool:
    """Whether a mention is one word that begins a sentence, and may have its capital for that."""
    return len(mention.tokens) == 1 and any(start == mention.start for start, _ in document.sentences)


def _bearers(clusters: Sequence[_Cluster]) -> dict[Name, list[_Cluster]]:
    """The clusters that bear each name, of stories in which no other does."""
    found: defaultdict[Name, list[_Cluster]] = defaultdict(list)
    for cluster in clusters:
        for name in cluster.names:
            found[name].append(cluster)
    count = {name: Counter(cluster.story for cluster in bearers) for name, bearers in found.items()}
    return {name: [one for one in bearers if count[name][one.story] == 1] for name, bearers in found.items()}


def _is_possible(together: Mapping[str, _Cluster]) -> bool:
    """Whether no two of the clusters that would become one are in conflict, or of one story."""
    clusters = list(together.values())
    if len({cluster.story for cluster in clusters}) < len(clusters):
        return False
    return not any(
        in_conflict(mine, theirs)
        for one, other in combinations(clusters, 2)
        for mine in one.stated
        for theirs in other.stated
    )


def _relabelled(story: Corpus, label_of: Mapping[str, str]) -> Corpus:
    mentions = (
        replace(mention, cluster=label_of.get(mention.cluster, mention.cluster)) if mention.cluster else mention
        for mention in story.mentions
    )
    return replace(story, mentions=tuple(mentions))

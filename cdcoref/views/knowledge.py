"""Clusters in, what a knowledge graph or a report says of each out: its name, its type, when and where it was, and who
appears with it.

Only clusters of several mentions are included; a single mention adds nothing that its sentence does not say.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from cdcoref.circumstances import places_named
from cdcoref.corpus import ENTITY, EVENT, Corpus, Mention, mention_text
from cdcoref.language import TITLES
from cdcoref.reports import ClusterPeriod, ClusterPlace, Results, ranked_clusters, sentences_together

_OF_PEOPLE = frozenset(("he", "him", "his", "himself", "she", "her", "hers", "herself"))
_OF_THINGS = frozenset(("it", "its", "itself"))


@dataclass(frozen=True, slots=True)
class KnownCluster:
    """The facts about a cluster."""

    id: str
    """Its name among all clusters, such as ``"event:sinking"``."""
    kind: str | None
    label: str
    """Its kind, and what people call it or its most frequent wording."""
    type: str
    """Its type in schema.org: ``"Event"``, ``"Person"``, ``"Place"`` or ``"Thing"``."""
    mentions: tuple[Mention, ...]
    when: ClusterPeriod | None = None
    where: ClusterPlace | None = None
    """Of an event, as in :class:`cdcoref.reports.PredictedCluster`; None if unknown."""

    def documents(self) -> list[str]:
        """The ids of the documents in which it is mentioned, each once."""
        return list(dict.fromkeys(mention.document for mention in self.mentions))


def known_clusters(results: Results) -> list[KnownCluster]:
    """The facts about clusters of several mentions, ranked as everywhere."""
    documents = {document.id: document for document in results.corpus.documents}
    found = []
    for members in ranked_clusters(results.corpus, singletons=False):
        wordings = [mention_text(mention, documents[mention.document]) for mention in members]
        label = results.circumstances.name(members[0])
        kind = members[0].kind
        own = results.circumstances.of(members[0])
        found.append(
            KnownCluster(
                f"{kind or 'mention'}:{members[0].cluster}",
                kind,
                label,
                "Event" if kind == EVENT else _type(label, wordings),
                tuple(members),
                own.when,
                own.where,
            )
        )
    return found


def appearances(corpus: Corpus, clusters: Iterable[KnownCluster]) -> Counter[tuple[str, str]]:
    """The number of sentences that mention both an entity and an event, by the ids of both."""
    found = list(clusters)
    entities, events = ({c.id: c.mentions for c in found if c.kind == kind} for kind in (ENTITY, EVENT))
    return sentences_together({document.id: document for document in corpus.documents}, entities, events)


def _type(label: str, wordings: Sequence[str]) -> str:
    """What an entity is, as far as its words say without doubt: pronouns and titles of people, names of places."""
    words = [wording.split() for wording in wordings]
    titled = any(len(own) > 1 and own[0].casefold().rstrip(".") in TITLES and own[1][:1].isupper() for own in words)
    pronouns = {wording.casefold() for wording in wordings}
    if pronouns.isdisjoint(_OF_THINGS) and (titled or not pronouns.isdisjoint(_OF_PEOPLE)):
        return "Person"
    return "Place" if label[:1].isupper() and places_named(label.split()) else "Thing"

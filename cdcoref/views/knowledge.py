"""What a knowledge graph or a report says of clusters: their names among all, their types, and who appears with whom.

Only clusters of several mentions are included; a single mention adds nothing that its sentence does not say.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from cdcoref.circumstances import places_named
from cdcoref.corpus import ENTITY, EVENT, Corpus
from cdcoref.language import TITLES
from cdcoref.reports import PredictedCluster, sentences_together

_OF_PEOPLE = frozenset(("he", "him", "his", "himself", "she", "her", "hers", "herself"))
_OF_THINGS = frozenset(("it", "its", "itself"))


def key_of(cluster: PredictedCluster) -> str:
    """The name of a cluster among all, such as ``"event:sinking"``."""
    return f"{cluster.kind or 'mention'}:{cluster.id}"


def appearances(corpus: Corpus, clusters: Iterable[PredictedCluster]) -> Counter[tuple[str, str]]:
    """The number of sentences that mention both an entity and an event, by the keys of both."""
    found = list(clusters)
    entities, events = ({key_of(c): c.members for c in found if c.kind == kind} for kind in (ENTITY, EVENT))
    return sentences_together({document.id: document for document in corpus.documents}, entities, events)


def type_of(cluster: PredictedCluster) -> str:
    """Its type in schema.org, as far as words say without doubt: "Event", "Person", "Place" or "Thing"."""
    if cluster.kind == EVENT:
        return "Event"
    wordings = {mention.text for mention in cluster.mentions}
    words = [wording.split() for wording in wordings]
    titled = any(len(own) > 1 and own[0].casefold().rstrip(".") in TITLES and own[1][:1].isupper() for own in words)
    pronouns = {wording.casefold() for wording in wordings}
    if pronouns.isdisjoint(_OF_THINGS) and (titled or not pronouns.isdisjoint(_OF_PEOPLE)):
        return "Person"
    return "Place" if cluster.name[:1].isupper() and places_named(cluster.name.split()) else "Thing"

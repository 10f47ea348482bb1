"""Names that people gave to clusters, in JSON lines: each line has those of the clusters that it mentions.

``"clusters": [{"cluster": "c3", "kind": "event", "name": "The mill fire"}]``; the kind is left out where the mentions
have none. The field also has the circumstances of events, which are written for other programs and not read: they are
found again in the texts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from cdcoref.corpus import ClusterKey, Mention

FIELD = "clusters"


def names_entry(
    mentions: Sequence[Mention], names: Mapping[ClusterKey, str], clusters: Sequence[Mapping[str, Any]] = ()
) -> dict[str, Any]:
    """The field with the names of the clusters of some mentions; none if nothing is known of them.

    `clusters` has what else is known of some of them: objects with ``cluster`` and ``kind``.
    """
    if not names and not clusters:
        return {}
    known = {(one["kind"], one["cluster"]): one for one in clusters}
    keys = dict.fromkeys((mention.kind, mention.cluster) for mention in mentions if mention.cluster is not None)
    entries = [
        {
            "cluster": cluster,
            **({} if kind is None else {"kind": kind}),
            **({"name": names[kind, cluster]} if (kind, cluster) in names else {}),
            **known.get((kind, cluster), {}),
        }
        for kind, cluster in keys
        if (kind, cluster) in names or (kind, cluster) in known
    ]
    return {FIELD: entries} if entries else {}


def joined_names(parts: Iterable[Mapping[ClusterKey, str]]) -> tuple[dict[ClusterKey, str], tuple[str, ...]]:
    """The names in several lines or files, and a sentence for each cluster with more than one; the first is kept."""
    names: dict[ClusterKey, str] = {}
    notes: dict[ClusterKey, str] = {}
    for part in parts:
        for key, name in part.items():
            if names.setdefault(key, name) != name:
                notes[key] = f"cluster {key[1]!r} is named {names[key]!r} and {name!r}; the first name is kept"
    return names, tuple(notes.values())

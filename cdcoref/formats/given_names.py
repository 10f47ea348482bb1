"""Names that people gave to clusters, in JSON lines: each line has those of the clusters that it mentions.

``"clusters": [{"cluster": "c3", "kind": "event", "name": "The mill fire"}]``; the kind is left out where the mentions
have none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from cdcoref.corpus import KINDS, ClusterKey, Mention
from cdcoref.errors import InputError

FIELD = "clusters"


def given_names(fields: Mapping[str, Any], path: str, number: int) -> dict[ClusterKey, str]:
    """The names in a line.

    Parameters
    ----------
    fields
        Of the line.
    path, number
        The file and the line's number, for errors.

    Raises
    ------
    InputError
        If an entry is not as described at the top of this file.
    """
    entries = fields.get(FIELD)
    if entries is None:
        return {}
    names: dict[ClusterKey, str] = {}
    for entry in entries if isinstance(entries, list) else [None]:
        known = entry if isinstance(entry, dict) else {}
        cluster, kind, name = known.get("cluster"), known.get("kind"), known.get("name")
        cluster = str(cluster) if type(cluster) is int else cluster
        if not isinstance(cluster, str) or not isinstance(name, str) or kind not in (None, *KINDS):
            raise InputError(
                f"{FIELD!r} must be a list of objects with a 'cluster', its 'name', and its 'kind' if it has one",
                path,
                number,
            )
        names[kind, cluster] = name
    return names


def names_entry(mentions: Sequence[Mention], names: Mapping[ClusterKey, str]) -> dict[str, Any]:
    """The field with the names of the clusters of some mentions; none if they have no names."""
    if not names:
        return {}
    keys = dict.fromkeys((mention.kind, mention.cluster) for mention in mentions if mention.cluster is not None)
    entries = [
        {"cluster": cluster, **({} if kind is None else {"kind": kind}), "name": names[kind, cluster]}
        for kind, cluster in keys
        if (kind, cluster) in names
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

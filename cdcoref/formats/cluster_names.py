"""Files that are read together share the names of their clusters; which equal names cannot be meant to be one cluster.

A cluster is its kind and its name. An equal kind and name in two files is the same cluster, except where it is not
known or not believable that it was meant, which is an error that names both files:

- One file gives the name with a kind and another without: whether it is the same cluster cannot be known.
- Both files number their clusters from 0 or 1 on without a gap (`0, 1, 2, ...`, `event_0, event_1, ...`), five numbers
  or more in each: then each file was numbered alone, and an equal number means nothing. Numbers that were given over
  all files leave gaps in all but the first of them.

An event and an entity of one name are two clusters, in one file and in several. Names that mean something within one
document only (CorefUD) have the document's id before them when they come here and are never shared.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from cdcoref.corpus import Corpus
from cdcoref.errors import InputError

FEWEST_NUMBERS = 5
"""With fewer clusters in a file, their numbers may be without a gap by chance."""

_NUMBERED = re.compile(r"(.*?)(0|[1-9][0-9]{0,14})", re.DOTALL)


class ClusterNames:
    """The names of the clusters of the files that have been read."""

    def __init__(self) -> None:
        self._kinds: dict[str, dict[bool, Path]] = {}  # name: the first file that has it with a kind, and without
        self._numbered: dict[str, Path] = {}  # what stands before the number: the first file with such names

    def add(self, corpus: Corpus, path: Path) -> None:
        """Take the names of one more file.

        Raises
        ------
        InputError
            If a name is that of an earlier file and that cannot be meant; nothing is taken then.
        """
        named = {
            (mention.cluster, mention.kind is not None) for mention in corpus.mentions if mention.cluster is not None
        }
        for name, has_kind in sorted(named):
            earlier = self._kinds.get(name, {})
            if (not has_kind) in earlier and has_kind not in earlier:
                here, there = ("a kind", "none") if has_kind else ("no kind", "one")
                raise InputError(
                    f"cluster {name!r} has {here} here and {there} in {earlier[not has_kind]}, so whether it is the "
                    "same cluster cannot be known; say the kind of the mentions of both files, or rename it",
                    path,
                )
        numbered = _numbered_alone(name for name, _ in named)
        for prefix in sorted(numbered):
            if prefix in self._numbered:
                raise InputError(
                    f"the clusters are numbered from {prefix}{numbered[prefix]} on here and in "
                    f"{self._numbered[prefix]}, so equal numbers cannot mean the same cluster; rename those of one "
                    "file, or join both files into one if they are meant",
                    path,
                )
        for name, has_kind in named:
            self._kinds.setdefault(name, {}).setdefault(has_kind, path)
        for prefix in numbered:
            self._numbered[prefix] = path


def _numbered_alone(names: Iterable[str]) -> dict[str, int]:
    """What stands before the numbers of names that are numbered from 0 or 1 on without a gap, and the first number."""
    numbers: dict[str, set[int]] = {}
    for name in names:
        if match := _NUMBERED.fullmatch(name):
            numbers.setdefault(match[1], set()).add(int(match[2]))
    return {
        prefix: min(found)
        for prefix, found in numbers.items()
        if len(found) >= FEWEST_NUMBERS and min(found) <= 1 and max(found) - min(found) == len(found) - 1
    }

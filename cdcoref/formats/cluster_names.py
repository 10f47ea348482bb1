"""The names of clusters across files: which equal names are one cluster, and which cannot be intended.

A cluster is identified by its kind and its name. Files read together form one corpus, so an equal kind and name in two
files is the same cluster. Two cases are errors, because this is uncertain or implausible:

- One file gives the name with a kind, another without: whether it is the same cluster cannot be known.
- Both files number their clusters consecutively from 0 or 1 (`0, 1, 2, ...`, `event_0, event_1, ...`), with at least
  five numbers in each. Each file was then numbered on its own, and equal numbers do not mean the same cluster: numbers
  assigned across files would leave gaps in all files but the first.

An event cluster and an entity cluster of the same name are two clusters, within a file and across files. Names that are
local to a document (CorefUD) or to a file (CoNLL) carry its id as a prefix and are never shared.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from cdcoref.corpus import Corpus
from cdcoref.errors import InputError

FEWEST_NUMBERS = 5
"""With fewer clusters in a file, their numbers may be consecutive by chance."""

_NUMBERED = re.compile(r"(.*?)(0|[1-9][0-9]{0,14})", re.DOTALL)


class ClusterNames:
    """The cluster names of the files read so far."""

    def __init__(self) -> None:
        # By name: the first file that has it with a kind, and the first without.
        self._kinds: dict[str, dict[bool, Path]] = {}
        self._numbered: dict[str, Path] = {}  # by prefix: the first file with consecutive numbers

    def add(self, corpus: Corpus, path: Path, *, numbers_are_shared: bool = False) -> None:
        """Add the names of another file; its numbers may be known to be shared with earlier files.

        Raises `InputError` if a name shared with an earlier file cannot be intended; nothing is added then.
        """
        named = {
            (mention.cluster, mention.kind is not None) for mention in corpus.mentions if mention.cluster is not None
        }
        for name, has_kind in sorted(named):
            earlier = self._kinds.get(name, {})
            if (not has_kind) in earlier and has_kind not in earlier:
                here, there = ("a kind", "none") if has_kind else ("no kind", "a kind")
                raise InputError(
                    f"cluster {name!r} has {here} here and {there} in {earlier[not has_kind]}, so whether they are the "
                    "same cluster is unclear; give both files kinds, or rename one of the clusters",
                    path,
                )
        numbered = {} if numbers_are_shared else _numbered_alone(name for name, _ in named)
        for prefix in sorted(numbered):
            if prefix in self._numbered:
                raise InputError(
                    f"clusters are numbered consecutively from {prefix}{numbered[prefix]} both here and in "
                    f"{self._numbered[prefix]}, so equal numbers cannot be the same cluster; rename the clusters of "
                    "one file, or merge the files if the numbers are meant to be shared",
                    path,
                )
        for name, has_kind in named:
            self._kinds.setdefault(name, {}).setdefault(has_kind, path)
        for prefix in numbered:
            self._numbered[prefix] = path


def _numbered_alone(names: Iterable[str]) -> dict[str, int]:
    """The prefixes of names that are numbered consecutively from 0 or 1, and their first number."""
    numbers: dict[str, set[int]] = {}
    for name in names:
        if match := _NUMBERED.fullmatch(name):
            numbers.setdefault(match[1], set()).add(int(match[2]))
    return {
        prefix: min(found)
        for prefix, found in numbers.items()
        if len(found) >= FEWEST_NUMBERS and min(found) <= 1 and max(found) - min(found) == len(found) - 1
    }

"""Vectors of mentions, as one pass of the encoder over each document gives them, in half precision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Halves = NDArray[np.float16]
Vectors = NDArray[np.float32]


OWN = ("mention", "context", "learnt", "anaphora")
"""The tables that have a row for each mention."""
SHARED = {"sentence": "sentence", "document": "document", "opening": "document"}
"""The tables whose rows mentions share, and what there is a row for."""


@dataclass(frozen=True, slots=True)
class MentionVectors:
    """Vectors of mentions: tables by name, in half precision. Those of a sentence or a document are kept once.

    `own`: The tables of `OWN`. ``"mention"`` has the mean over the words of each mention, of length 1 or 0,
        ``"context"`` the same over the other words of its sentence; ``"learnt"`` the scorer's own vectors, zeros for
        those that its kind does not have; ``"anaphora"`` what finds the antecedents of pronouns (see
        :class:`cdcoref.model.AntecedentScorer`). The last two have no columns if the model has no head for them.
        *Shape* of each: (mentions, columns)
    `shared`: The tables of `SHARED`: means over the words of each sentence, of each document, and of the first sentence
        of each document. *Shape* of each: (sentences or documents, width)
    `rows`: For ``"sentence"`` the sentence that each mention begins in, for ``"document"`` its document, as rows of the
        shared tables. *Shape* of each: (mentions,)
    """

    own: Mapping[str, Halves]
    shared: Mapping[str, Halves]
    rows: Mapping[str, Integers]

    def __len__(self) -> int:
        return len(self.own["mention"])

    @classmethod
    def none(cls, width: int) -> MentionVectors:
        """Those of no mention."""
        none, nothing = np.zeros((0, width), dtype=np.float16), np.zeros(0, dtype=np.int64)
        own = {"mention": none, "context": none, "learnt": none[:, :0], "anaphora": none[:, :0]}
        return cls(own, dict.fromkeys(SHARED, none), {"sentence": nothing, "document": nothing})

    @classmethod
    def joined(cls, parts: Sequence[MentionVectors]) -> MentionVectors:
        """The vectors of several documents' mentions, one after the other."""
        rows = {}
        for name in dict.fromkeys(SHARED.values()):
            before = np.cumsum([0, *(len(part.shared[name]) for part in parts)])
            rows[name] = np.concatenate([part.rows[name] + n for part, n in zip(parts, before, strict=False)])
        return cls(
            {name: np.concatenate([part.own[name] for part in parts]) for name in OWN},
            {name: np.concatenate([part.shared[name] for part in parts]) for name in SHARED},
            rows,
        )

    def take(self, numbers: Sequence[int] | Integers) -> MentionVectors:
        """Those of some mentions."""
        own = {name: table[numbers] for name, table in self.own.items()}
        return MentionVectors(own, self.shared, {name: rows[numbers] for name, rows in self.rows.items()})

    def compact(self) -> MentionVectors:
        """The same without the vectors of sentences and documents in which none of the mentions stands."""
        used = {name: np.unique(rows, return_inverse=True) for name, rows in self.rows.items()}
        shared = {name: table[used[SHARED[name]][0]] for name, table in self.shared.items()}
        return MentionVectors(self.own, shared, {name: rows for name, (_, rows) in used.items()})

    def of_one_document(self, document: int = 0) -> MentionVectors:
        """The same as mentions of one document, whose parts were several so far.

        `document`: The row whose vectors are those of the whole document.
        """
        one = {name: self.shared[name][document : document + 1] for name in ("document", "opening")}
        rows = {**self.rows, "document": np.zeros_like(self.rows["document"])}
        return MentionVectors(self.own, {**self.shared, **one}, rows)

    def table(self, name: str) -> tuple[Halves, Integers]:
        """Rows of what is compared, and those of mentions.

        `name`: One of :data:`cdcoref.model.SYMMETRIC_SIMILARITIES` or :data:`cdcoref.model.CONTEXT_SIMILARITIES`.
        """
        name = name.removeprefix("to_")
        if name in OWN:
            return self.own[name], np.arange(len(self))
        return self.shared[name], self.rows[SHARED[name]]

    def packed(self) -> Vectors:
        """As one array. *Shape:* (mentions, all of them)"""
        shared = [self.shared[name][self.rows[of]] for name, of in SHARED.items()]
        mention, context, *others = (self.own[name] for name in OWN)
        return np.concatenate([mention, context, *shared, *others], axis=1).astype(np.float32)

    @classmethod
    def unpacked(cls, array: Vectors, width: int, learnt: int) -> MentionVectors:
        """What :meth:`packed` packed; `width` is the encoder's, `learnt` that of learnt vectors."""
        ends = [*(width * n for n in range(1, 6)), 5 * width + learnt]
        mention, context, *tables = np.split(array.astype(np.float16), ends, axis=1)
        each, others = dict(zip(SHARED, tables, strict=False)), tables[len(SHARED) :]
        first = {name: _first_of_equal(each[name]) for name in dict.fromkeys(SHARED.values())}
        return cls(
            dict(zip(OWN, (mention, context, *others), strict=True)),
            {name: table[first[SHARED[name]]] for name, table in each.items()},
            {name: np.cumsum(new) - 1 for name, new in first.items()},
        )


def _first_of_equal(rows: Halves) -> NDArray[np.bool_]:
    """Which rows differ from the one before. *Shape:* (rows, columns) in, (rows,) out"""
    return np.concatenate([np.ones(min(1, len(rows)), dtype=bool), (rows[1:] != rows[:-1]).any(axis=1)])

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

    def packed(self) -> NDArray[np.uint8]:
        """Those of the mentions of one document as bytes."""
        compact = self.compact()
        tables = [*(compact.own[name] for name in OWN), *(compact.shared[name] for name in SHARED)]
        mention, _, learnt, anaphora, sentence, document, _ = tables
        shape = (*mention.shape, learnt.shape[1], anaphora.shape[1], len(sentence), len(document))
        numbers = np.array([*shape, *compact.rows["sentence"].tolist()], dtype="<i4")
        return np.frombuffer(b"".join([numbers.tobytes(), *(t.astype("<f2").tobytes() for t in tables)]), np.uint8)

    @classmethod
    def unpacked(cls, packed: bytes | NDArray[np.uint8]) -> MentionVectors:
        """What :meth:`packed` packed; a `ValueError` for anything else."""
        count, width, learnt, anaphora, sentences, documents = shape = np.frombuffer(packed, "<i4", 6).tolist()
        if min(shape) < 0:
            raise ValueError("a size is negative")
        sentence_of = np.frombuffer(packed, "<i4", count, 4 * len(shape)).astype(np.int64)
        values = np.frombuffer(packed, "<f2", offset=4 * (len(shape) + count)).astype(np.float16)
        shapes = [(count, columns) for columns in (width, width, learnt, anaphora)]
        shapes += [(rows, width) for rows in (sentences, documents, documents)]
        *tables, rest = np.split(values, np.cumsum([rows * columns for rows, columns in shapes]))
        if len(rest) or (count and not (documents and 0 <= sentence_of.min() <= sentence_of.max() < sentences)):
            raise ValueError("there are more numbers, or rows that are not there")
        named = dict(zip((*OWN, *SHARED), map(np.reshape, tables, shapes), strict=True))
        return cls(
            {name: named[name] for name in OWN},
            {name: named[name] for name in SHARED},
            {"sentence": sentence_of, "document": np.zeros(count, dtype=np.int64)},
        )

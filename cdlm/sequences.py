"""Documents that are read together (paper, section 2.2): their token ids in, one sequence out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cdlm.errors import InputError
from cdlm.tokens import DOC_END, DOC_START

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

ENDS = 2
"""Special tokens around a sequence."""
MARKERS = 2
"""Special tokens around a document."""


@dataclass(frozen=True)
class SequenceFrame:
    """The special tokens of a sequence of documents: ``[CLS] <doc-s> ... </doc-s> <doc-s> ... </doc-s> [SEP]``."""

    first: int
    last: int
    document_start: int
    document_end: int

    @classmethod
    def of_tokenizer(cls, tokenizer: PreTrainedTokenizerFast) -> SequenceFrame:
        """The frame in the ids of a tokenizer that knows the special tokens of `cdlm.tokens`.

        Raises
        ------
        InputError
            If the tokenizer has no token to begin or to end a sequence with.
        """
        first = tokenizer.bos_token_id if tokenizer.cls_token_id is None else tokenizer.cls_token_id
        last = tokenizer.eos_token_id if tokenizer.sep_token_id is None else tokenizer.sep_token_id
        if first is None or last is None:
            raise InputError("the tokenizer has no token that begins a sequence, or none that ends one")
        words = tokenizer.get_vocab()
        return cls(first, last, words[DOC_START], words[DOC_END])

    def around(self, documents: Iterable[Sequence[int]], max_length: int) -> list[int]:
        """Concatenate documents until the sequence is full; the last that finds room may be cut.

        Parameters
        ----------
        max_length
            Tokens of the sequence at most, special tokens included.
        """
        ids = [self.first]
        for document in documents:
            kept = document[: max(0, max_length - len(ids) - 1 - MARKERS)]
            if not len(kept):
                break
            ids.append(self.document_start)
            ids.extend(kept)
            ids.append(self.document_end)
        ids.append(self.last)
        return ids

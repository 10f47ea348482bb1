"""Words in, word-piece ids out: the tokenizer with the special tokens of cross-document sequences.

``<doc-s>`` and ``</doc-s>`` enclose a document (paper, section 2.1), ``<m>`` and ``</m>`` a mention (section 3.2).
Documents come pre-split into words, and every word has at least one piece, so that a mention's words can be found again
among the pieces.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from cdlm.errors import InputError

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

DOC_START = "<doc-s>"
DOC_END = "</doc-s>"
MENTION_START = "<m>"
MENTION_END = "</m>"
SPECIAL_TOKENS = (DOC_START, DOC_END, MENTION_START, MENTION_END)

TOKENIZER_FILES = ("tokenizer.json", "vocab.txt", "vocab.json", "sentencepiece.bpe.model")

CACHED_WORDS = 200_000
"""A word cache is emptied beyond this size; ECB+ has some 15,000 different words."""


def add_special_tokens(tokenizer: PreTrainedTokenizerFast) -> int:
    """Add the special tokens that the tokenizer does not know yet; those it knows keep their ids.

    Returns
    -------
    int
        How many were added. The embedding table must have ``len(tokenizer)`` rows afterwards.
    """
    known = tokenizer.get_vocab()
    missing = [token for token in SPECIAL_TOKENS if token not in known]
    return tokenizer.add_special_tokens({"extra_special_tokens": missing}, replace_extra_special_tokens=False)


def load_tokenizer(name_or_folder: str | Path) -> PreTrainedTokenizerFast:
    """Read a tokenizer from a folder or from the hub, with the special tokens added.

    Raises
    ------
    InputError
        If there is no tokenizer there, or none that the fast implementation can read.
    """
    from transformers import AutoTokenizer, PreTrainedTokenizerFast

    folder = Path(name_or_folder)
    if folder.is_dir() and not any((folder / name).is_file() for name in TOKENIZER_FILES):
        # transformers would make up a tokenizer that knows no word.
        raise InputError("no tokenizer could be read here: there is no tokenizer.json", folder)
    try:
        tokenizer = AutoTokenizer.from_pretrained(str(name_or_folder), use_fast=True)
    except (OSError, ValueError) as error:
        first_line = str(error).strip().split("\n")[0]
        raise InputError(f"no tokenizer could be read here ({first_line})", name_or_folder) from error
    if not isinstance(tokenizer, PreTrainedTokenizerFast):
        raise InputError("the tokenizer has no fast version (tokenizer.json); save one there", name_or_folder)
    # A saved tokenizer may carry the truncation of the task it was trained for.
    tokenizer.backend_tokenizer.no_truncation()
    tokenizer.backend_tokenizer.no_padding()
    add_special_tokens(tokenizer)
    return tokenizer


@dataclass(frozen=True, slots=True)
class SpecialPieces:
    """The ids of the pieces that a sequence consists of beside its words."""

    cls: int
    doc_start: int
    doc_end: int
    mention_start: int
    mention_end: int

    @classmethod
    def of(cls, tokenizer: PreTrainedTokenizerFast) -> SpecialPieces:
        """Look them up.

        Raises
        ------
        InputError
            If nothing can begin a sequence.
        """
        start = tokenizer.cls_token_id if tokenizer.cls_token_id is not None else tokenizer.bos_token_id
        if start is None:
            raise InputError("the tokenizer has neither a [CLS] nor a beginning-of-sequence token")
        ids = tokenizer.get_vocab()
        return cls(int(start), *(ids[token] for token in SPECIAL_TOKENS))


class WordPieces:
    """Turns words into lists of piece ids, remembering words that it has seen.

    A word is encoded as it would be after a space: byte-level BPE (RoBERTa) marks that in the piece, WordPiece (BERT)
    ignores it. Text that looks like a special token is text: ``<m>`` in a document does not become a marker.

    Parameters
    ----------
    tokenizer
        A fast tokenizer with an unknown token.
    """

    def __init__(self, tokenizer: PreTrainedTokenizerFast) -> None:
        self.tokenizer = tokenizer
        self._pieces: dict[str, list[int]] = {}

    def __call__(self, words: Iterable[str]) -> list[list[int]]:
        """Return the piece ids of each word; a word without any piece becomes the unknown token."""
        words = list(words)
        new = [word for word in dict.fromkeys(words) if word not in self._pieces]
        if len(self._pieces) + len(new) > CACHED_WORDS:
            self._pieces.clear()
            new = list(dict.fromkeys(words))
        if new:
            encoded = self.tokenizer(
                [" " + word for word in new],
                add_special_tokens=False,
                return_attention_mask=False,
                return_token_type_ids=False,
                split_special_tokens=True,
            )["input_ids"]
            unknown = [self.tokenizer.unk_token_id]
            self._pieces.update((word, ids or unknown) for word, ids in zip(new, encoded, strict=True))
        return [list(self._pieces[word]) for word in words]

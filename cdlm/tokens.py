"""The tokenizer with the special tokens of cross-document sequences.

``<doc-s>`` and ``</doc-s>`` enclose a document (paper, section 2.1), ``<m>`` and ``</m>`` a mention (section 3.2).
Documents are split into words. Every word has at least one piece, so that the words of a mention can be located.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cdlm.errors import InputError, first_line

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


def add_special_tokens(tokenizer: PreTrainedTokenizerFast, tokens: Sequence[str] = SPECIAL_TOKENS) -> int:
    """Add the special tokens that the tokenizer does not have yet, and mark all of them as special.

    A token without the mark, since it was added as an ordinary one or is listed in ``added_tokens.json`` alone, would
    also be found in text that spells it. Returns the number of tokens added, for which the encoder needs embeddings.
    """
    before = len(tokenizer)
    marked = set(tokenizer.all_special_tokens)
    unmarked = [token for token in tokens if token not in marked]
    if unmarked:
        tokenizer.add_special_tokens({"extra_special_tokens": unmarked}, replace_extra_special_tokens=False)
    return len(tokenizer) - before


def load_tokenizer(folder: str | Path) -> PreTrainedTokenizerFast:
    """Read a tokenizer from the folder of a model, with the special tokens added.

    Raises `InputError` if there is no tokenizer, it cannot be read, it has no fast implementation, its ids are not
    consecutive from 0, or it has no token for unknown words or for the beginning of a sequence.
    """
    from transformers import AutoTokenizer, PreTrainedTokenizerFast
    from transformers.utils import logging

    folder = Path(folder)
    if not any((folder / name).is_file() for name in TOKENIZER_FILES):
        # transformers would create a tokenizer with an empty vocabulary.
        raise InputError("the folder has no tokenizer (tokenizer.json)", folder)
    verbosity = logging.get_verbosity()
    logging.set_verbosity_error()  # a type of model that it does not know is no fault of its tokenizer
    try:
        tokenizer = AutoTokenizer.from_pretrained(
            str(folder), use_fast=True, local_files_only=True, trust_remote_code=False
        )
        if not isinstance(tokenizer, PreTrainedTokenizerFast):
            raise InputError("the tokenizer has no fast version (tokenizer.json); save one there")
        # A saved tokenizer may carry the truncation of the task it was trained for.
        tokenizer.backend_tokenizer.no_truncation()
        tokenizer.backend_tokenizer.no_padding()
        known = tokenizer.get_vocab()
        if max(known.values(), default=-1) >= len(known):
            raise InputError(f"the tokenizer has {len(known)} tokens, but ids beyond {len(known) - 1}")
        add_special_tokens(tokenizer)
        if tokenizer.unk_token_id is None:
            raise InputError("the tokenizer has no token for unknown words")
        SpecialPieces.of(tokenizer)
        WordPieces(tokenizer)(["word"])
    except InputError as error:
        raise InputError(error.message, folder) from error
    except Exception as error:
        # A damaged tokenizer.json raises Exception itself, a damaged tokenizer_config.json almost any type.
        raise InputError(
            f"the tokenizer cannot be read: one of its files is damaged ({first_line(error)})", folder
        ) from error
    finally:
        logging.set_verbosity(verbosity)
    return tokenizer


@dataclass(frozen=True, slots=True)
class SpecialPieces:
    """The ids of the pieces in a sequence that are not part of words."""

    cls: int
    doc_start: int
    doc_end: int
    mention_start: int
    mention_end: int

    @classmethod
    def of(cls, tokenizer: PreTrainedTokenizerFast) -> SpecialPieces:
        """Look them up in a tokenizer that has the special tokens."""
        start = tokenizer.cls_token_id if tokenizer.cls_token_id is not None else tokenizer.bos_token_id
        if start is None:
            raise InputError("the tokenizer has neither a [CLS] nor a beginning-of-sequence token")
        others: Any = tokenizer.convert_tokens_to_ids(list(SPECIAL_TOKENS))
        return cls(int(start), *others)


class WordPieces:
    """Turns words into lists of piece ids, caching the words it has seen.

    A word is encoded as if after a space: byte-level BPE (RoBERTa) marks that in the piece, WordPiece (BERT) ignores
    it. Text that looks like a special token stays text: ``<m>`` in a document does not become a marker. The tokenizer
    must be a fast one with an unknown token.
    """

    def __init__(self, tokenizer: PreTrainedTokenizerFast) -> None:
        self.tokenizer = tokenizer
        self._pieces: dict[str, list[int]] = {}

    def __call__(self, words: Iterable[str]) -> list[list[int]]:
        """The piece ids of each word; a word without any piece becomes the unknown token."""
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

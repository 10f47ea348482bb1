"""The tokenizer with special tokens: ``<doc-s>`` and ``</doc-s>`` around a document (paper, section 2.1), ``<m>`` and
``</m>`` around a mention (section 3.2). Every word has at least one piece, so that words can be located."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import tokenizers

from cdlm.errors import InputError, first_line

DOC_START = "<doc-s>"
DOC_END = "</doc-s>"
MENTION_START = "<m>"
MENTION_END = "</m>"
SPECIAL_TOKENS = (DOC_START, DOC_END, MENTION_START, MENTION_END)

TOKENIZER_FILE = "tokenizer.json"
SETTINGS_FILE = "tokenizer_config.json"
TOKENIZER_FILES = (TOKENIZER_FILE, "vocab.txt", "vocab.json", "sentencepiece.bpe.model")
_ROLES = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")
_EXTRA = "extra_special_tokens"

CACHED_WORDS = 200_000
"""A word cache is emptied beyond this size; ECB+ has some 15,000 different words."""


class Tokenizer:
    """A tokenizer of the library ``tokenizers``, and what ``tokenizer_config.json`` says of its tokens.

    `settings` are those of that file: ``cls_token`` and the like name tokens, ``extra_special_tokens`` lists others.
    `first_id` and `last_id` are of the tokens that begin and end a sequence, `mask_id` of the one that hides others,
    `unknown_id` of the one for words without a piece; None if there is none. transformers, which takes as long to
    import as a short text to predict, reads the same two files.
    """

    def __init__(self, backend: tokenizers.Tokenizer, settings: Mapping[str, Any]) -> None:
        self.backend = backend
        self.settings = dict(settings)
        for role in _ROLES:
            if isinstance(token := self.settings.get(role), dict):  # as older files have it
                self.settings[role] = token["content"]
        extra = self.settings.pop(_EXTRA, ())
        self.add_special_tokens([self.settings[role] for role in _ROLES if self.settings.get(role) is not None])
        self.settings[_EXTRA] = []
        self.add_special_tokens(extra)
        self.first_id, self.last_id = self._id("cls_token", "bos_token"), self._id("sep_token", "eos_token")
        self.mask_id, self.unknown_id = self._id("mask_token"), self._id("unk_token")

    def __len__(self) -> int:
        return self.backend.get_vocab_size()

    def add_special_tokens(self, tokens: Sequence[str]) -> int:
        """Add those of the tokens that there are not yet, mark all as special, and return how many were added.

        The encoder needs embeddings for them. Without the mark a token would also be found in text that spells it.
        """
        before, special = len(self), set(self.tokens(self.special_ids))
        # Those that are special keep what else is known of them, such as that a mask takes the space before it.
        self.backend.add_special_tokens([token for token in tokens if token not in special])
        extra = self.settings.setdefault(_EXTRA, [])
        roles = {self.settings.get(role) for role in _ROLES}
        extra += [token for token in tokens if token not in roles and token not in extra]
        return len(self) - before

    def _id(self, *roles: str) -> int | None:
        """The id of the first of some roles that a token has."""
        tokens = (self.settings.get(role) for role in roles)
        return next((self.backend.token_to_id(token) for token in tokens if token is not None), None)

    @property
    def special_ids(self) -> list[int]:
        """Of all tokens that are not text."""
        return [id for id, token in self.backend.get_added_tokens_decoder().items() if token.special]

    def vocabulary(self) -> dict[str, int]:
        """The id of every token."""
        return self.backend.get_vocab()

    def ids(self, tokens: Iterable[str]) -> list[int]:
        """The ids of tokens; of one that there is not, that of the unknown token."""
        ids = map(self.backend.token_to_id, tokens)
        return [self.unknown_id if id is None else id for id in ids]  # type: ignore[misc]

    def tokens(self, ids: Iterable[int]) -> list[str]:
        """The tokens with these ids."""
        return [self.backend.id_to_token(id) for id in ids]  # type: ignore[misc]

    def encode(self, texts: Sequence[str]) -> list[tokenizers.Encoding]:
        """The pieces of texts, without any before and behind; what spells a special token in a text stays text."""
        self.backend.encode_special_tokens = True
        return self.backend.encode_batch(list(texts), add_special_tokens=False)

    def save(self, folder: str | Path) -> None:
        """Write both files to a folder."""
        settings = {"tokenizer_class": "PreTrainedTokenizerFast", **self.settings}
        (Path(folder) / SETTINGS_FILE).write_text(json.dumps(settings, indent=2, sort_keys=True) + "\n", "utf-8")
        # Indented, it is half as large again.
        self.backend.save(str(Path(folder) / TOKENIZER_FILE), pretty=False)


def load_tokenizer(folder: str | Path) -> Tokenizer:
    """Read a tokenizer from the folder of a model, with the special tokens added.

    Raises `InputError` if there is no tokenizer, it cannot be read, it has no fast implementation, its ids are not
    consecutive from 0, or it has no token for unknown words or for the beginning of a sequence.
    """
    folder = Path(folder)
    if not any((folder / name).is_file() for name in TOKENIZER_FILES):
        # transformers would create a tokenizer with an empty vocabulary.
        raise InputError("the folder has no tokenizer (tokenizer.json)", folder)
    try:
        tokenizer = _read(folder) if _is_ready(folder) else _converted(folder)
        known = tokenizer.vocabulary()
        if max(known.values(), default=-1) >= len(known):
            raise InputError(f"the tokenizer has {len(known)} tokens, but ids beyond {len(known) - 1}")
        tokenizer.add_special_tokens(SPECIAL_TOKENS)
        if tokenizer.unknown_id is None:
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
    return tokenizer


def _is_ready(folder: Path) -> bool:
    """Whether `Tokenizer.save` or transformers wrote the tokenizer, with the special tokens."""
    if not (folder / TOKENIZER_FILE).is_file() or not (folder / SETTINGS_FILE).is_file():
        return False
    settings = json.loads((folder / SETTINGS_FILE).read_text("utf-8"))
    return set(SPECIAL_TOKENS).issubset(settings.get(_EXTRA) or ())


def _read(folder: Path) -> Tokenizer:
    backend = tokenizers.Tokenizer.from_file(str(folder / TOKENIZER_FILE))
    # A saved tokenizer may carry the truncation of the task it was trained for.
    backend.no_truncation()
    backend.no_padding()
    return Tokenizer(backend, json.loads((folder / SETTINGS_FILE).read_text("utf-8")))


def _converted(folder: Path) -> Tokenizer:
    """Any other that transformers can read, as it saves it."""
    from transformers import AutoTokenizer, PreTrainedTokenizerFast
    from transformers.utils import logging

    verbosity = logging.get_verbosity()
    logging.set_verbosity_error()  # a type of model that it does not know is no fault of its tokenizer
    try:
        tokenizer = AutoTokenizer.from_pretrained(
            str(folder), use_fast=True, local_files_only=True, trust_remote_code=False
        )
    finally:
        logging.set_verbosity(verbosity)
    if not isinstance(tokenizer, PreTrainedTokenizerFast):
        raise InputError("the tokenizer has no fast version (tokenizer.json); save one there")
    marked = set(tokenizer.all_special_tokens)
    unmarked = [token for token in SPECIAL_TOKENS if token not in marked]
    tokenizer.add_special_tokens({"extra_special_tokens": unmarked}, replace_extra_special_tokens=False)
    with TemporaryDirectory() as saved:
        tokenizer.save_pretrained(saved)
        return _read(Path(saved))


@dataclass(frozen=True, slots=True)
class SpecialPieces:
    """The ids of the pieces in a sequence that are not part of words."""

    cls: int
    doc_start: int
    doc_end: int
    mention_start: int
    mention_end: int

    @classmethod
    def of(cls, tokenizer: Tokenizer) -> SpecialPieces:
        """Look them up in a tokenizer that has the special tokens."""
        if tokenizer.first_id is None:
            raise InputError("the tokenizer has neither a [CLS] nor a beginning-of-sequence token")
        return cls(tokenizer.first_id, *tokenizer.ids(SPECIAL_TOKENS))


class WordPieces:
    """Turns words into lists of piece ids, caching the words it has seen.

    A word is encoded as if after a space: byte-level BPE (RoBERTa) marks that in the piece, WordPiece (BERT) ignores
    it. Text that looks like a special token stays text: ``<m>`` in a document does not become a marker. The tokenizer
    must have an unknown token.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
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
            encoded = self.tokenizer.encode([" " + word for word in new])
            unknown: Any = [self.tokenizer.unknown_id]
            self._pieces.update((word, pieces.ids or unknown) for word, pieces in zip(new, encoded, strict=True))
        return [list(self._pieces[word]) for word in words]

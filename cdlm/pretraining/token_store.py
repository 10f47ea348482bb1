"""A corpus of document sets, tokenised once and stored on disk: sets of texts in, any document's token ids out.

Sampling during training then only reads a few pages of a file, however large the corpus, and the number of sets,
documents and tokens is known before training begins. The corpus is read and tokenised in shards; a shard is written
when it is complete, and an interrupted preparation resumes after the last one.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from cdlm.config import read_json
from cdlm.errors import InputError, first_line
from cdlm.files import replaced_file
from cdlm.pretraining.document_sets import SetSource, Tally, Texts

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

IDENTITY_FILE = "corpus.json"
WHOLE_FILE = "whole.json"
SHARD_TOKENS = 1 << 24
"""A shard is closed when it has this many tokens: 64 MB."""

EMPTY = "sets without a document"
SMALL = "sets with too few documents"
CUT = "documents cut to the maximum length"
SECONDS_BETWEEN_LINES = 10.0
Say = Callable[[str], None]


@dataclass(frozen=True)
class _Shard:
    """The positions of the documents and sets in one file."""

    path: Path
    document_starts: np.ndarray
    set_starts: np.ndarray
    left_out: Tally
    read: int


class TokenStore:
    """The documents of a corpus as token ids, by number.

    Attributes
    ----------
    set_starts
        *Shape:* (sets + 1,). The number of the first document of each set, and the number of documents.
    left_out
        What could not be used of the corpus; empty while the corpus is being prepared.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._shards = [_read_index(path) for path in sorted(folder.glob("*.safetensors"))]
        self._first_documents = [0]
        starts = [np.zeros(1, np.int64)]
        for shard in self._shards:
            starts.append(shard.set_starts[1:] + self._first_documents[-1])
            self._first_documents.append(self._first_documents[-1] + len(shard.document_starts) - 1)
        self.set_starts = np.concatenate(starts)
        whole = folder / WHOLE_FILE
        self.left_out = Tally(read_json(whole)["left_out"]) if whole.is_file() else Tally()
        self._open: dict[int, Any] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_open": {}}

    @property
    def sets(self) -> int:
        """The number of sets."""
        return len(self.set_starts) - 1

    @property
    def documents(self) -> int:
        """The number of documents."""
        return self._first_documents[-1]

    @cached_property
    def tokens(self) -> int:
        """The number of tokens in all documents."""
        return sum(int(shard.document_starts[-1]) for shard in self._shards)

    def set_of(self, document: int) -> int:
        """The number of the set to which a document belongs."""
        return int(np.searchsorted(self.set_starts, document, side="right")) - 1

    def documents_of(self, number: int) -> range:
        """The numbers of the documents of a set."""
        return range(int(self.set_starts[number]), int(self.set_starts[number + 1]))

    def __getitem__(self, document: int) -> np.ndarray:
        """The ids of a document. *Shape:* (tokens,)."""
        number = bisect_right(self._first_documents, document) - 1
        if number not in self._open:
            self._open[number] = safe_open(self._shards[number].path, framework="np").__enter__().get_slice("ids")
        starts = self._shards[number].document_starts
        place = document - self._first_documents[number]
        return self._open[number][int(starts[place]) : int(starts[place + 1])]


def _read_index(path: Path) -> _Shard:
    try:
        with safe_open(path, framework="np") as file:
            notes = file.metadata()
            starts = file.get_tensor("document_starts"), file.get_tensor("set_starts")
            return _Shard(path, *starts, Tally(json.loads(notes["left_out"])), int(notes["read"]))
    except (OSError, SafetensorError, KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"this shard of a tokenised corpus cannot be read ({error}); remove its folder", path
        ) from error


def prepare(
    sources: Sequence[SetSource],
    tokenizer: PreTrainedTokenizerFast,
    folder: str | Path,
    *,
    longest: int,
    min_documents: int = 3,
    disposable: bool = False,
    shard_tokens: int = SHARD_TOKENS,
    say: Say = lambda _: None,
) -> TokenStore:
    """Tokenise corpora into a folder, or reuse what was tokenised there before.

    Parameters
    ----------
    longest
        Maximum length of a document in tokens; longer ones are cut.
    min_documents
        Sets with fewer documents are skipped (3 in the paper).
    disposable
        Whether the tokens of another corpus in the folder may be removed.
    shard_tokens
        A file is written whenever there are this many tokens: what an interruption loses at most. Half as many
        characters are tokenised at a time, by all threads of the tokenizer together.
    say
        Called with lines of progress.

    Raises
    ------
    InputError
        If no set can be used, or the folder holds the tokens of another corpus or tokenizer.
    """
    folder = Path(folder)
    fingerprint = hashlib.sha256(tokenizer.backend_tokenizer.to_str().encode()).hexdigest()
    identity = {
        "sources": [source.identity() for source in sources],
        "tokenizer": fingerprint,
        "longest": longest,
        "min_documents": min_documents,
    }
    _claim(folder, identity, disposable)
    if not (folder / WHOLE_FILE).is_file():
        tokenise = partial(_usable, tokenizer, longest, min_documents)
        left_out = _write_shards(folder, sources, tokenise, shard_tokens, say)
        with replaced_file(folder / WHOLE_FILE) as path:
            path.write_text(json.dumps({"left_out": left_out}), encoding="utf-8")
    store = TokenStore(folder)
    if not store.sets:
        found = f"; omitted: {in_words(store.left_out)}" if store.left_out.total() else ""
        raise InputError(f"the corpus has no set of at least {min_documents} documents{found}")
    return store


def in_words(tally: Tally) -> str:
    """The numbers of sets that could not be used, on one line."""
    return "; ".join(f"{what}: {count:,}" for what, count in sorted(tally.items()) if count)


def _claim(folder: Path, identity: dict[str, Any], disposable: bool) -> None:
    """Record which corpus' tokens a folder holds, or reject a folder that holds others."""
    file = folder / IDENTITY_FILE
    try:
        if file.is_file():
            if read_json(file) == json.loads(json.dumps(identity)):
                return
            if not disposable:
                raise InputError(
                    "the tokens in this folder are those of another corpus or tokenizer, or were cut to another "
                    "length; use the same ones, or a new folder",
                    folder,
                )
            shutil.rmtree(folder)
        folder.mkdir(parents=True, exist_ok=True)
        if any(not path.name.startswith(".") for path in folder.iterdir()):
            raise InputError("this folder is not empty; choose a new one for the tokenised corpus", folder)
        with replaced_file(file) as path:
            path.write_text(json.dumps(identity, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(f"the tokenised corpus cannot be written here ({error.strerror})", folder) from error


def _usable(
    tokenizer: PreTrainedTokenizerFast, longest: int, min_documents: int, sets: Sequence[Texts], left_out: Tally
) -> list[list[np.ndarray]]:
    """The token ids of the usable sets of a batch, by document; text that looks like a special token stays text."""
    backend = tokenizer.backend_tokenizer
    backend.encode_special_tokens = True
    texts = [text for texts in sets for text in texts]
    encoded = (encoding.ids for encoding in backend.encode_batch_fast(texts, add_special_tokens=False))
    usable = []
    for size in map(len, sets):
        found = [np.array(ids, np.int32) for ids in islice(encoded, size) if ids]
        if len(found) < min_documents:
            left_out[SMALL if found else EMPTY] += 1
            continue
        left_out[CUT] += sum(len(ids) > longest for ids in found)
        usable.append([ids[:longest] for ids in found])
    return usable


Tokenise = Callable[[Sequence[Texts], Tally], list[list[np.ndarray]]]


def _write_shards(folder: Path, sources: Sequence[SetSource], tokenise: Tokenise, shard_tokens: int, say: Say) -> Tally:
    """Tokenise what is not yet in the folder, and return what could not be used of the whole corpus."""
    done = [_read_index(path) for path in sorted(folder.glob("*.safetensors"))]
    read, left_out = (done[-1].read, done[-1].left_out) if done else (0, Tally())
    unreadable = Tally()  # counted again when finished shards are skipped
    sets = chain.from_iterable(source.read(unreadable) for source in sources)
    for _ in islice(sets, read):
        pass
    number, tokens, reported = len(done), 0, time.monotonic()
    waiting: list[list[np.ndarray]] = []
    for batch in _batches(sets, shard_tokens // 2):
        found = tokenise(batch, left_out)
        read += len(batch)
        waiting += found
        tokens += sum(len(ids) for documents in found for ids in documents)
        if tokens >= shard_tokens:
            _write_shard(folder / f"{number:05}.safetensors", waiting, left_out, read)
            number, tokens, waiting = number + 1, 0, []
        if time.monotonic() - reported > SECONDS_BETWEEN_LINES:
            reported = time.monotonic()
            say(f"tokenising: {read:,} sets read")
    if waiting:
        _write_shard(folder / f"{number:05}.safetensors", waiting, left_out, read)
    return left_out + unreadable


def _batches(sets: Iterable[Texts], size: int) -> Iterator[list[Texts]]:
    """Some sets at a time, of this many characters."""
    batch: list[Texts] = []
    characters = 0
    for texts in sets:
        batch.append(texts)
        characters += sum(map(len, texts))
        if characters >= size:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch


def _write_shard(path: Path, sets: list[list[np.ndarray]], left_out: Tally, read: int) -> None:
    documents = [ids for found in sets for ids in found]
    tensors = {
        "ids": np.concatenate(documents),
        "document_starts": np.cumsum([0, *map(len, documents)]),
        "set_starts": np.cumsum([0, *map(len, sets)]),
    }
    try:
        with replaced_file(path) as part:
            save_file(tensors, part, metadata={"left_out": json.dumps(left_out), "read": str(read)})
    except (OSError, SafetensorError) as error:
        what = f"the tokenised corpus cannot be written here ({first_line(error)})"
        raise InputError(f"{what}; make room, or choose another folder", path.parent) from error

"""A corpus of document sets, tokenised once and stored on disk, completely or not at all, however large it is."""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np

from cdlm.config import read_json
from cdlm.errors import InputError
from cdlm.files import replaced_folder
from cdlm.pretraining.document_sets import SetSource, Tally, Texts
from cdlm.runs import digest
from cdlm.tokens import Tokenizer

IDENTITY_FILE = "corpus.json"
IDS_FILE = "ids.int32"
STARTS_FILE = "starts.npz"
CHARACTERS_AT_ONCE = 1 << 23
"""Characters that the tokenizer's threads get at a time."""
EMPTY = "sets without a document"
SMALL = "sets with too few documents"
CUT = "documents cut to the maximum length"
SECONDS_BETWEEN_LINES = 10.0
Say = Callable[[str], None]


class TokenStore:
    """The documents of a corpus as token ids, by number.

    `set_starts`, *shape* (sets + 1,), has the number of the first document of each set, and the number of documents;
    `left_out` says what could not be used of the corpus.
    """

    def __init__(self, folder: Path) -> None:
        try:
            self.left_out = Tally(read_json(folder / IDENTITY_FILE)["left_out"])
            with np.load(folder / STARTS_FILE) as starts:
                self._document_starts, self.set_starts = starts["documents"], starts["sets"]
            self._ids = folder / IDS_FILE
            whole = self._ids.stat().st_size == 4 * self.tokens
        except (OSError, KeyError, TypeError, ValueError) as error:
            raise InputError(f"this tokenised corpus cannot be read ({error}); remove its folder", folder) from error
        if not whole:
            raise InputError("this tokenised corpus cannot be read: it is cut off; remove its folder", folder)

    @property
    def sets(self) -> int:
        """The number of sets."""
        return len(self.set_starts) - 1

    @property
    def documents(self) -> int:
        """The number of documents."""
        return len(self._document_starts) - 1

    @property
    def tokens(self) -> int:
        """The number of tokens in all documents."""
        return int(self._document_starts[-1])

    def set_of(self, document: int) -> int:
        """The number of the set to which a document belongs."""
        return int(np.searchsorted(self.set_starts, document, side="right")) - 1

    def documents_of(self, number: int) -> range:
        """The numbers of the documents of a set."""
        return range(int(self.set_starts[number]), int(self.set_starts[number + 1]))

    def __getitem__(self, document: int) -> np.ndarray:
        """The ids of a document. *Shape:* (tokens,)."""
        start, end = map(int, self._document_starts[document : document + 2])
        return np.fromfile(self._ids, np.int32, count=end - start, offset=4 * start)


def prepare(
    sources: Sequence[SetSource],
    tokenizer: Tokenizer,
    folder: str | Path,
    *,
    longest: int,
    min_documents: int = 3,
    disposable: bool = False,
    say: Say = lambda _: None,
) -> TokenStore:
    """Tokenise corpora into a folder, or reuse what was tokenised there before.

    Documents are cut to `longest` tokens, and sets with fewer than `min_documents` documents are skipped (3 in the
    paper). The tokens of another corpus in the folder are replaced if they are `disposable`. Raises `InputError` if no
    set can be used, or the folder holds something else.
    """
    folder = Path(folder)
    identity = {
        "corpus": digest(texts for source in sources for texts in source(Tally())),
        "tokenizer": hashlib.sha256(tokenizer.backend.to_str().encode()).hexdigest(),
        "longest": longest,
        "min_documents": min_documents,
    }
    if not _is_stored(folder, identity, disposable):
        left_out = Tally()
        sets = chain.from_iterable(source(left_out) for source in sources)
        try:
            with replaced_folder(folder) as new:
                batches = (_usable(tokenizer, longest, min_documents, batch, left_out) for batch in _batches(sets, say))
                _write(new, chain.from_iterable(batches))
                record = {"identity": identity, "left_out": left_out}
                (new / IDENTITY_FILE).write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
        except OSError as error:
            what = f"the tokenised corpus cannot be written here ({error.strerror})"
            raise InputError(f"{what}; make room, or choose another folder", folder) from error
    store = TokenStore(folder)
    if not store.sets:
        omitted = f"; omitted: {in_words(store.left_out)}" if store.left_out.total() else ""
        shutil.rmtree(folder)
        raise InputError(f"the corpus has no set of at least {min_documents} documents{omitted}")
    return store


def in_words(tally: Tally) -> str:
    """The numbers of sets that could not be used, on one line."""
    return "; ".join(f"{what}: {count:,}" for what, count in sorted(tally.items()) if count)


def _is_stored(folder: Path, identity: dict[str, Any], disposable: bool) -> bool:
    """Whether a folder holds the tokens of a corpus; one with anything else is rejected."""
    if (folder / IDENTITY_FILE).is_file():
        if read_json(folder / IDENTITY_FILE).get("identity") == json.loads(json.dumps(identity)):
            return True
        if not disposable:
            raise InputError(
                "the tokens in this folder are those of another corpus or tokenizer, or were cut to another length; "
                "use the same ones, or a new folder",
                folder,
            )
    elif folder.is_dir() and any(folder.iterdir()):
        raise InputError("this folder is not empty; choose a new one for the tokenised corpus", folder)
    return False


def _batches(sets: Iterable[Texts], say: Say) -> Iterator[list[Texts]]:
    """Sets of `CHARACTERS_AT_ONCE` characters at a time."""
    batch: list[Texts] = []
    characters = 0
    reported = time.monotonic()
    for read, texts in enumerate(sets, start=1):
        batch.append(texts)
        characters += sum(map(len, texts))
        if characters >= CHARACTERS_AT_ONCE:
            yield batch
            batch, characters = [], 0
            if time.monotonic() - reported > SECONDS_BETWEEN_LINES:
                reported = time.monotonic()
                say(f"tokenising: {read:,} sets read")
    if batch:
        yield batch


def _usable(
    tokenizer: Tokenizer, longest: int, min_documents: int, sets: Sequence[Texts], left_out: Tally
) -> list[list[np.ndarray]]:
    """The token ids of the usable sets of a batch, by document; text that looks like a special token stays text."""
    encoded = (encoding.ids for encoding in tokenizer.encode([text for texts in sets for text in texts]))
    usable = []
    for size in map(len, sets):
        documents = [np.array(ids, np.int32) for ids in islice(encoded, size) if ids]
        if len(documents) < min_documents:
            left_out[SMALL if documents else EMPTY] += 1
            continue
        left_out[CUT] += sum(len(ids) > longest for ids in documents)
        usable.append([ids[:longest] for ids in documents])
    return usable


def _write(folder: Path, sets: Iterable[list[np.ndarray]]) -> None:
    lengths, sizes = [0], [0]
    with (folder / IDS_FILE).open("wb") as file:
        for documents in sets:
            sizes.append(len(documents))
            lengths += map(len, documents)
            for ids in documents:
                ids.tofile(file)
    np.savez(folder / STARTS_FILE, documents=np.cumsum(lengths), sets=np.cumsum(sizes))

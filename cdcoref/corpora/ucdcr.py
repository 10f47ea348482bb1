"""Corpora in the layout of the uCDCR project (Zhukova et al. 2026), in which GVC and FCC-T are distributed.

Each split has a folder (``train``, ``val`` or ``dev``, ``test``) with a ``.conll`` file for the documents, and
``event_mentions.json`` and ``entity_mentions.json`` for the mentions. The CoNLL file has one of two layouts:

* eight columns (topic, subtopic, document, sentence, token, word, whether the sentence is annotated, coreference), as
  in Bugert et al. 2021. Here the mentions may be in the last column only, and instead of folders, file names may end in
  the split's name (``gvc-train.conll``).
* five columns (``topic/subtopic/document``, sentence, token in the sentence, word, coreference). Only words are read
  from it: it separates several mentions of a word by ``| ``, with a space, which is not valid CoNLL.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cdcoref.corpora.splits import is_number, split_files, text_lines
from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.errors import InputError
from cdcoref.formats import first_bytes, read_conll

FEW_COLUMNS = 5


def read_ucdcr(root: Path, split: str, files: Sequence[Path], *, kinds: tuple[str, ...]) -> Corpus:
    """Read a split; an `InputError` if mentions and documents do not match."""
    mention_files = [(kind, path) for kind in kinds for path in ucdcr_files(root, split, f"{kind}_mentions.json")]
    documents: dict[str, _PlacedDocument] = {}
    mentions: list[Mention] = []
    for path in files:
        few = _has_few_columns(path)
        if few and not mention_files:
            beside = " or ".join(f"{kind}_mentions.json" for kind in kinds)
            raise InputError(f"a file with {FEW_COLUMNS} columns needs its mentions beside it, in {beside}", path)
        if few:
            found = _read_few_columns(path)
        else:
            whole = read_conll(path, kind=kinds[0], ids="global")
            found = {f"{d.topic}/{d.subtopic}/{d.id}": _PlacedDocument.of(d) for d in whole.documents}
            mentions.extend(() if mention_files else whole.mentions)
        again = next((key for key in found if key in documents), None)
        if again is not None:
            raise InputError(f"document {again!r} is also in another file of this split; remove one of them", path)
        documents |= found
    for kind, path in mention_files:
        mentions.extend(_read_mentions(path, kind, documents))
    return Corpus(tuple(placed.document for placed in documents.values()), tuple(mentions))


def ucdcr_files(root: Path, split: str, suffix: str = ".conll") -> list[Path]:
    """The files of a split."""
    return split_files(root / "output_data" if (root / "output_data").is_dir() else root, split, suffix)


@dataclass(frozen=True, slots=True)
class _PlacedDocument:
    """A document, and the index of every token by its sentence and its number in the sentence."""

    document: Document
    tokens: dict[tuple[int, int], int]

    @classmethod
    def of(cls, document: Document) -> _PlacedDocument:
        """A document whose sentences and tokens are numbered from 0."""
        places = enumerate(document.sentences)
        return cls(document, {(s, token - start): token for s, (start, end) in places for token in range(start, end)})


@dataclass(slots=True)
class _Words:
    """The words of a document being read."""

    line: int
    sentences: dict[int, list[str]] = field(default_factory=dict)
    tokens: dict[tuple[int, int], int] = field(default_factory=dict)


def _has_few_columns(path: Path) -> bool:
    lines = first_bytes(path).split(b"\n")
    return next((line.count(b"\t") == FEW_COLUMNS - 1 for line in lines if line.strip() and line[:1] != b"#"), False)


def _read_few_columns(path: Path) -> dict[str, _PlacedDocument]:
    read: dict[str, _Words] = {}
    current: str | None = None
    open_since: int | None = None
    for number, line in text_lines(path):
        if line.startswith("#"):
            open_since = number if line.startswith("#begin document") else None
            current = None
        elif line.strip():
            columns = line.split("\t")
            if len(columns) != FEW_COLUMNS or not is_number(columns[1]) or not is_number(columns[2]):
                message = "expected five columns: topic/subtopic/document, sentence, token, word, coreference"
                raise InputError(message, path, number)
            if columns[0] != current:
                current = columns[0]
                if current in read:
                    message = f"document {current!r} began on line {read[current].line}; its lines must be contiguous"
                    raise InputError(message, path, number)
                if current.count("/") != 2:
                    raise InputError(f"{current!r} is not topic/subtopic/document", path, number)
                read[current] = _Words(number)
            words, place = read[current], (int(columns[1]), int(columns[2]))
            if place in words.tokens or place[0] < max(words.sentences, default=0):
                message = f"token {place[1]} of sentence {place[0]} is out of order or duplicate"
                raise InputError(message, path, number)
            words.tokens[place] = len(words.tokens)
            words.sentences.setdefault(place[0], []).append(columns[3] or "_")
    if open_since is not None:
        raise InputError(f"the file ends within the document of line {open_since}; it is truncated", path, number)
    return {key: _PlacedDocument(_document(key, words, path), words.tokens) for key, words in read.items()}


def _document(key: str, words: _Words, path: Path) -> Document:
    topic, subtopic, id = key.split("/")
    return Document.from_sentences(id, words.sentences.values(), topic=topic, subtopic=subtopic, path=str(path))


def _read_mentions(path: Path, kind: str, documents: dict[str, _PlacedDocument]) -> list[Mention]:
    try:
        entries = json.loads("".join(line + "\n" for _, line in text_lines(path)))
    except json.JSONDecodeError as error:
        raise InputError(f"this is not JSON ({error.msg} at column {error.colno})", path, error.lineno) from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"this cannot be read as JSON ({error})", path) from None
    if not isinstance(entries, list):
        raise InputError("expected a list of mentions, as in uCDCR", path)
    return [_read_mention(entry, number, path, kind, documents) for number, entry in enumerate(entries, 1)]


def _read_mention(entry: Any, number: int, path: Path, kind: str, documents: dict[str, _PlacedDocument]) -> Mention:
    def wrong(message: str) -> InputError:
        return InputError(f"mention {number} of the list cannot be used: {message}", path)

    if not isinstance(entry, dict):
        raise wrong("it is not a JSON object")
    key, sentence, numbers = (entry.get(name) for name in ("conll_doc_key", "sent_id", "tokens_number"))
    chain = entry.get("coref_chain")
    placed = documents.get(key) if isinstance(key, str) else None
    if placed is None:
        raise wrong(f"its document (conll_doc_key) is {json.dumps(key)[:80]}, which is not in the .conll file")
    if type(chain) is not int and not isinstance(chain, str):
        raise wrong("it has no cluster (coref_chain)")
    if type(sentence) is not int or not isinstance(numbers, list) or not all(type(n) is int for n in numbers):
        raise wrong("it needs the numbers of its sentence (sent_id) and of its tokens in the sentence (tokens_number)")
    tokens = sorted({placed.tokens.get((sentence, n), -1) for n in numbers})
    if not tokens or tokens[0] < 0:
        raise wrong(f"sentence {sentence} of its document has no tokens {numbers[:20]}")
    text, given = [placed.document.tokens[token] for token in tokens], entry.get("tokens_text")
    if given is not None and given != text:
        raise wrong(f"the tokens there are {text[:20]}, not {json.dumps(given)[:80]}; the .conll is another version")
    id, tag = entry.get("mention_id"), entry.get("mention_full_type") or entry.get("mention_type")
    return Mention(
        placed.document.id,
        tuple(tokens),
        kind,
        str(chain),
        id if isinstance(id, str) else None,
        tag if isinstance(tag, str) else None,
    )

"""Texts as a Python program has them in, a corpus out: strings, tokens, sentences, texts with metadata, documents."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from cdcoref.corpus import Corpus, Document
from cdcoref.errors import InputError
from cdcoref.formats import plain_value, tokenise_text, with_stated

_SURROGATE = re.compile("[\ud800-\udfff]")

_OTHERWISE = (
    "read files with cdcoref.formats.read_corpus, link spaCy Docs with cdcoref.spacy.link, leave out what is missing"
)

GivenText = str | Sequence[str] | Sequence[Sequence[str]] | Mapping[str, Any] | Document
"""A text: a string; a list of tokens, which are one sentence; a list of sentences, each a list of tokens; an object
with ``"text"`` (any of these), its ``"id"`` if it has one, and its metadata; or a document."""


def corpus_of_texts(texts: Mapping[str, GivenText] | Iterable[GivenText]) -> Corpus:
    """Documents for texts, whose ids are ``"1"``, ``"2"``, ... unless they have others.

    The ids of the texts of a pandas Series are the labels of its index, as they are printed. What is no text, and two
    with the same id, are refused.
    """
    if isinstance(texts, str | Document):
        texts = [texts]
    if isinstance(texts, bytes) or not isinstance(texts, Iterable):
        raise InputError(f"give texts by id, a list of texts or a corpus, not {type(texts).__name__}; {_OTHERWISE}")
    return Corpus(tuple(_document(id, text) for id, text in _with_ids(texts)))


def _with_ids(texts: Any) -> Iterable[tuple[Any, Any]]:
    if isinstance(texts, Mapping):
        return texts.items()
    if not (hasattr(texts, "index") and hasattr(texts, "items")):
        return ((str(number), text) for number, text in enumerate(texts, start=1))
    if texts.ndim != 1:
        raise InputError("give one column of the table, such as table['text']")
    return ((str(label), text) for label, text in texts.items())


def _document(id: object, text: object) -> Document:
    if isinstance(text, Document):
        return text
    metadata: Mapping[str, Any] = {}
    if isinstance(text, Mapping):
        stated = {str(name): plain_value(value) for name, value in text.items() if name not in ("id", "text")}
        metadata = {name: value for name, value in stated.items() if value not in (None, "")}
        if "text" not in text:
            raise InputError(f"the dictionary of the text {text.get('id', id)!r} has no 'text'; put the text there")
        id, text = text.get("id", id), text["text"]
    if not isinstance(id, str):
        raise InputError(f"the id of a text must be a string, not {id!r}")
    return with_stated(_read(id, text), metadata)


def _read(id: str, text: object) -> Document:
    if isinstance(text, str):
        _check_characters(id, text)
        return tokenise_text(text, id)
    if not isinstance(text, list | tuple):
        what = f"a string or a list of tokens, not {type(text).__name__}"
        raise InputError(f"the text of {id!r} must be {what}; {_OTHERWISE}")
    is_pair = isinstance(text, tuple) and len(text) == 2
    are_strings = len(text) > 1 and all(isinstance(one, str) for one in text)
    if are_strings and all(" " in one.strip() for one in text[is_pair:]):  # each of several words
        raise InputError(f"{id!r} is a list of texts, not of tokens; give texts with their ids as a dictionary")
    sentences = text if not text or not isinstance(text[0], str) else [text]
    for sentence in sentences:
        if not isinstance(sentence, list | tuple) or not all(isinstance(token, str) for token in sentence):
            raise InputError(f"the text of {id!r} must be a list of tokens, or a list of sentences of tokens")
        _check_characters(id, "".join(sentence))
    return Document.from_sentences(id, sentences)


def _check_characters(id: str, text: str) -> None:
    if _SURROGATE.search(id + text):
        raise InputError(f"document {id!r} contains half of a surrogate pair, which is not a character")

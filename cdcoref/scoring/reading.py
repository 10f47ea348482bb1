"""Which coreference format a file is in, by its content and not by its name; reading it as a table or as a corpus."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

from cdcoref.corpus import Corpus
from cdcoref.errors import InputError
from cdcoref.formats import (
    MentionTable,
    first_bytes,
    read_conll,
    read_conll_table,
    read_corefud,
    read_corefud_table,
    read_jsonl,
    read_jsonl_table,
)

Format = Literal["conll", "jsonl", "corefud"]

_BEGIN_DOCUMENT = re.compile(rb"^#\s*begin document\b", re.MULTILINE)
_CONLLU_COMMENT = re.compile(rb"^#\s*(newdoc|newpar|global\.|sent_id|text\b|generator)", re.MULTILINE)
_CONLLU_WORD = re.compile(rb"^\d+([-.]\d+)?(\t[^\t\n]+){9}\r?$", re.MULTILINE)


def format_of(path: str | Path) -> Format:
    """The format of a file, plain or gzipped.

    Raises
    ------
    InputError
        If it is none of those that say coreference, or cannot be read.
    """
    start = first_bytes(path)
    if start.lstrip().startswith(b"{"):
        return "jsonl"
    if _BEGIN_DOCUMENT.search(start):
        return "conll"
    if _CONLLU_COMMENT.search(start) or _CONLLU_WORD.search(start):
        return "corefud"
    if not start.strip():
        raise InputError("the file is empty", path)
    raise InputError(
        "this is not a format that says coreference: CoNLL with '#begin document' lines, JSON lines with one object "
        "a document, or CorefUD (CoNLL-U with Entity=)",
        path,
    )


def read_mention_table(path: str | Path) -> MentionTable:
    """The mentions of a file of any of the formats, for scoring.

    Raises
    ------
    InputError
        If the file is in none of the formats, is damaged, or has no documents.
    """
    match format_of(path):
        case "conll":
            table = read_conll_table(path)
        case "jsonl":
            table = read_jsonl_table(path)
        case "corefud":
            table = read_corefud_table(path)
    if not table.documents:
        raise InputError("the file has no document", path)
    return table


def read_coreference(path: str | Path) -> Corpus:
    """A file of any of the formats as a corpus, with its words.

    Raises
    ------
    InputError
        If the file is in none of the formats, or is damaged.
    """
    match format_of(path):
        case "conll":
            return read_conll(path)
        case "jsonl":
            return read_jsonl(path)
        case "corefud":
            return read_corefud(path)

"""Standoff annotation of the brat tool, as in LitBank's coreference: a text and its ``.ann`` file in, a Corpus out.

The text has one sentence per line, its tokens separated by spaces. A line ``T491<TAB>Pip-1 10 12<TAB>My`` annotates
characters 10 to 12; several ranges are separated by ``;``. LitBank annotates every mention twice: by its category
(``PRON_PER``) and by the name of its cluster, which ends in a number (``Pip-1``). Relations (``R1 appos ...``) and
notes are not read.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from pathlib import Path

from cdcoref.corpora.text_lines import text_lines
from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.errors import InputError
from cdlm.printing import counted

_TOKEN = re.compile(r"[^ \t\r\n]+")
_CATEGORY = re.compile(r"(PROP|NOM|PRON)_[A-Z]+")
_CLUSTER = re.compile(r".+-\d+")
_SPAN = re.compile(r"T\d+\t(\S+) (\d{1,9} \d{1,9}(?:;\d{1,9} \d{1,9})*)\t(.*)")


def read_brat(text: Path, annotation: Path, id: str, kind: str) -> Corpus:
    """Read one document.

    Returns
    -------
    Corpus
        One document, a topic of its own. Cluster names are preceded by its id; a mention's tag is its category. A range
        that does not coincide with tokens is extended to all tokens that it overlaps, which a note reports.

    Raises `InputError` if a file cannot be read, or the annotation does not belong to the text.
    """
    lines = [line for _, line in text_lines(text)]
    words = [found for line in lines if (found := _TOKEN.findall(line))]
    document = Document.from_sentences(id, words, topic=id, subtopic=id, path=str(text))
    places = _Places("".join(line + "\n" for line in lines))
    clustered: list[tuple[tuple[int, ...], str]] = []
    categories: dict[tuple[int, ...], str] = {}
    for number, line in text_lines(annotation):
        if line.startswith("T"):
            label, tokens = _read_span(line, places, annotation, number)
            if _CATEGORY.fullmatch(label):
                categories[tokens] = label
            elif _CLUSTER.fullmatch(label):
                clustered.append((tokens, label))
            else:
                message = f"{label!r} is neither a category (PROP_PER) nor the name of a cluster (Pip-1)"
                raise InputError(message, annotation, number)
    if categories and not clustered:
        raise InputError("no mention has a cluster; use LitBank's folder coref, not its folder entities", annotation)
    mentions = (
        Mention(id, tokens, kind, f"{id}/{label.rpartition('-')[2]}", tag=categories.get(tokens))
        for tokens, label in sorted(set(clustered))
    )
    notes = (f"{annotation}: {counted(places.widened, 'mention')} extended to whole tokens",) if places.widened else ()
    return Corpus((document,), tuple(mentions), notes)


def _read_span(line: str, places: _Places, path: Path, number: int) -> tuple[str, tuple[int, ...]]:
    """The label of an annotation, and its tokens."""
    match = _SPAN.fullmatch(line)
    if match is None:
        raise InputError("expected 'T1<TAB>label start end<TAB>text', as in brat", path, number)
    ranges = [tuple(map(int, bounds.split())) for bounds in match[2].split(";")]
    shown = " ".join(places.text[start:end] for start, end in ranges)
    if shown.split() != match[3].split():
        message = f"the text has {shown[:40]!r} there, not {match[3][:40]!r}; the .txt belongs to another .ann"
        raise InputError(message, path, number)
    tokens = sorted({token for start, end in ranges for token in places.tokens(start, end)})
    if not tokens:
        raise InputError("the annotation overlaps no token", path, number)
    return match[1], tuple(tokens)


class _Places:
    """Where the tokens of a text are."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = [match.start() for match in _TOKEN.finditer(text)]
        self.ends = [match.end() for match in _TOKEN.finditer(text)]
        self.widened = 0

    def tokens(self, start: int, end: int) -> range:
        """The tokens that overlap a range of characters."""
        first, last = bisect_right(self.ends, start), bisect_left(self.starts, end)
        if first < last and (self.starts[first], self.ends[last - 1]) != (start, end):
            self.widened += 1
        return range(first, last)

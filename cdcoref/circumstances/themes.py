"""Whom a transfer, an arrest, a conviction or the like is of: an event and its sentence in, its sort and that name out.

"Genk signed Piet Maas", "Piet Maas joined Genk", "Maas's move": three words of one sort, of one person. Two events of
one sort are two if these names have nothing in common, and may well be one if they are the same. Other nouns, such as
"election" and "vote", are of one sort too, and of nobody.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from cdcoref.circumstances.people import OBJECT, SUBJECT, full_names, roles_of
from cdcoref.language import lemma

_SORTS: Mapping[str, tuple[str, str, str]] = MappingProxyType(
    {
        "transfer": ("sign", "join", "transfer move signing"),
        "arrest": ("arrest detain", "", "arrest detention"),
        "conviction": ("convict", "", "conviction"),
        "sentence": ("sentence jail imprison", "", "sentence sentencing"),
        "acquittal": ("acquit clear", "", "acquittal"),
        "appointment": ("appoint hire", "", "appointment hiring"),
        "resignation": ("", "resign quit", "resignation departure"),
        "death": ("", "die", "death"),
        "funeral": ("bury", "", "burial funeral"),
    }
)
"""By sort of event: verbs of whose object it is, verbs of whose subject it is, nouns."""
_NOUNS = {
    "election": "election vote poll ballot",
    "strike": "strike walkout stoppage",
    "outage": "outage blackout cut",
    "fire": "fire blaze inferno wildfire",
    "quake": "quake earthquake tremor",
    "robbery": "robbery heist raid burglary theft",
    "crash": "crash collision accident",
    "storm": "storm hurricane typhoon cyclone tornado",
}
"""By sort of event that is of nobody: nouns."""
_BEHIND, _BEFORE, _NOUN = range(3)
_KINDS = {word: (sort, kind) for sort, lists in _SORTS.items() for kind in range(3) for word in lists[kind].split()}
_SORT_OF_NOUN = {word: sort for sort, words in _NOUNS.items() for word in words.split()}
_NOUN_BEFORE = frozenset({"'s", "’s", "'", "’", "the", "a", "an", "his", "her", "its", "their", "this", "that"})
_POSSESSIVE = frozenset({"'s", "’s", "'", "’"})
_BETWEEN = 2
"""Words between a possessor and the noun that it is of, at most."""


def sort_of(word: str) -> str:
    """The sort of an event by its word in lower case; empty if it has none."""
    return _KINDS.get(lemma(word), ("", 0))[0]


def noun_sort_of(word: str) -> str:
    """The sort of an event that is of nobody, by its noun in lower case; empty if it has none."""
    return _SORT_OF_NOUN.get(lemma(word), "")


def surnames_of(sentences: Sequence[Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """The full names of a document by their last words, in lower case; those of several are left out."""
    found: dict[str, set[tuple[str, ...]]] = {}
    for words in sentences:
        for start, end in full_names(words):
            name = tuple(word.casefold() for word in words[start:end])
            found.setdefault(name[-1], set()).add(name)
    return {last: next(iter(names)) for last, names in found.items() if len(names) == 1}


def theme(event: tuple[int, int], words: Sequence[str], surnames: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """The name of the person that an event is about, in lower case; empty if the event has no sort or names nobody.

    It is the full name if the document has only one with its last word; otherwise it is one word.

    Parameters
    ----------
    event
        Its words in the sentence, end exclusive.
    words
        The sentence, in sentence case.
    surnames
        The full names of the document by their last words.
    """
    start, end = event
    known = _KINDS.get(lemma(words[end - 1].casefold()))
    if known is None:
        return ()
    noun = start > 0 and words[start - 1].casefold() in _NOUN_BEFORE
    if noun or known[1] == _NOUN:
        role = OBJECT
        for place in range(start - 1, max(0, start - 2 - _BETWEEN), -1):
            if words[place] in _POSSESSIVE:
                return _full(words[place - 1], surnames)
    else:
        role = OBJECT if known[1] == _BEHIND else SUBJECT
    for one in roles_of(event, words, shortest=1):
        if one.role == role:
            return _full(words[one.end - 1], surnames)
    return ()


def _full(word: str, surnames: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    return surnames.get(word.casefold(), (word.casefold(),) if word[:1].isupper() else ())

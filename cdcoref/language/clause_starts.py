"""Where the clause of a noun begins: two nouns of one clause do not corefer.

In "the climber watched his brother" the two cannot corefer (Chomsky 1981, *Lectures on Government and Binding*,
principle C). Punctuation, conjunctions, and words that equate ("is", "as", "named", "into") end a clause here, since
the nouns before and after them may be one. In the train splits of ECB+, MEANTIME, GUM and LitBank, 17 of the 5,324
pairs of annotated mentions in one clause corefer (``scripts/benchmark.py conflicts --annotated``).
"""

from __future__ import annotations

from collections.abc import Sequence

from cdcoref.language.words import MentionWords
from cdcoref.word_tables import words_in

_ENDS = words_in("clause_ends.tsv")
_VAGUE = words_in("vague_nouns.tsv")
"""Heads that may stand for anything."""
MIN_LETTERS = 3
"""Of the head: shorter ones are often symbols or forms of dialect."""


def clause_start(words: Sequence[str], place: int) -> int:
    """The first word of the clause in which a word stands.

    Parameters
    ----------
    words
        Of the sentence.
    place
        Of the word.

    >>> clause_start("Yesterday , the climber watched his brother".split(), 6)
    2
    """
    while place and not _ends_clause(words[place - 1]):
        place -= 1
    return place


def is_noun(words: MentionWords) -> bool:
    """Whether a mention is a common noun that names something: no name, pronoun or number, and no word like "part"."""
    named = words.pronoun or words.names or words.initial_name
    return not named and words.head.isalpha() and len(words.head) >= MIN_LETTERS and words.head not in _VAGUE


def _ends_clause(word: str) -> bool:
    return word.casefold() in _ENDS or not any(map(str.isalnum, word))

"""The wordings of a cluster's mentions in, the one by which people recognise it out: a name in its fullest form, unless
names are rare, else the most frequent wording. The order of the mentions does not matter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

from cdcoref.corpus import EVENT
from cdcoref.language import PRONOUNS, is_common_word
from cdcoref.word_tables import words_in

_CONSEQUENCES = words_in("label_words.tsv", "consequence")
_VERBS = words_in("label_words.tsv", "verb")
"""Forms of verbs that have other endings."""
_ADVERBS = words_in("label_words.tsv", "adverb")
"""What ends a verb of several words ("went down", "took place")."""
_SHORTEST_SHOUTED = 4
"""Letters from which a common word in capitals is no abbreviation, but from a headline."""
LONGEST_NAME = 6
"""In words; what is longer is more than a name."""

_PRONOUNS = PRONOUNS - {"here", "then"} | {"one"}
"""What names nothing alone: "here" and "then" may be all that a cluster is called."""
_PARTICLES = words_in("label_words.tsv", "particle")
"""Words inside names that have no capital."""


def label_of_kind(kind: str | None, wordings: Iterable[str]) -> str:
    """The label of a cluster of events (:func:`event_label`), or of any other kind (:func:`cluster_label`)."""
    return event_label(wordings) if kind == EVENT else cluster_label(wordings)


def cluster_label(wordings: Iterable[str]) -> str:
    """The label of a cluster.

    >>> cluster_label(["Lark", "Lark", "the Sea Lark", "her", "her", "her"])
    'Sea Lark'
    >>> cluster_label(["Rohm", "Rohm", "Rohm", "Ida Rohm", "Ida Rohm", "Minister Rohm"])
    'Ida Rohm'
    >>> cluster_label(["the ferry", "a ferry", "the ferry"])
    'the ferry'
    >>> cluster_label(["coach", "coach", "coach", "Roarke", "Declan Roarke", "he"])
    'Declan Roarke'
    """
    spellings: dict[str, Counter[str]] = {}
    for wording in wordings:
        spellings.setdefault(wording.casefold(), Counter())[wording] += 1
    counts = {folded: spellings[folded].total() for folded in sorted(spellings)}
    spelling = {folded: max(spelled, key=lambda text: (spelled[text], text)) for folded, spelled in spellings.items()}
    best = max(counts, key=lambda text: (text not in _PRONOUNS, counts[text], len(text)))
    names = {folded: name for folded in counts if (name := _name(spelling[folded]))}
    if spelling[best].islower() or (best in names and _is_pronoun_or_common(names[best])):
        proper = [text for text, name in names.items() if not _is_pronoun_or_common(name)]
        if 2 * sum(counts[text] for text in proper) >= counts[best]:
            best = max(proper, key=lambda text: (counts[text], len(text)), default=best)
    first = best
    while best in names and (fuller := [text for text in names if _is_fuller(names[text], names[best])]):
        best = max(fuller, key=lambda text: (counts[text], len(text)))
    label = spelling[best]
    return label if best == first else " ".join(label.split()[-len(names[best]) :])


def event_label(wordings: Iterable[str]) -> str:
    """The label of an event: a name before a noun, a noun before a verb, and what happened before what came of it.

    >>> event_label(["fire", "burned", "burned", "blaze", "fire", "it"])
    'fire'
    >>> event_label(["defeat", "election", "defeat", "lost"])
    'election'
    >>> event_label(["elected", "elected", "the Norway Cup"])
    'Norway Cup'
    >>> event_label(["killed", "killed", "killing"])
    'killing'
    >>> event_label(["went down", "went down", "sinking"])
    'sinking'
    >>> event_label(["sinks", "went down", "went down", "sinks", "accident"])
    'accident'
    >>> event_label(["LAUNCH", "launched"])
    'launch'
    """
    known = list(wordings)
    sort = {wording: _sort_of_event(wording) for wording in known}
    best = max(sort.values())
    label = _without_article(cluster_label([wording for wording in known if sort[wording] == best]))
    words = label.split()
    shouted = label.isupper() and all(len(word) >= _SHORTEST_SHOUTED and is_common_word(word.lower()) for word in words)
    return label.lower() if shouted else label


def is_pronoun(wording: str) -> bool:
    """Whether words are a pronoun alone."""
    return wording.casefold() in _PRONOUNS


def is_name_of_event(label: str) -> bool:
    """Whether a label is a name of several words ("Norway Cup"), or of a pronoun, which clauses cannot better."""
    return _sort_of_event(label) in (0, 5)


def _sort_of_event(wording: str) -> int:
    """5: a name; 4: a noun; 3: perhaps a verb ("sinks"); 2: what comes of something else; 1: a verb; 0: a pronoun."""
    if is_pronoun(wording) or not wording.split():
        return 0
    if len(_name(wording)) > 1 and not wording.isupper():
        return 5
    words = wording.casefold().split()
    if _is_verb(words[-1]) or (len(words) > 1 and words[-1] in _ADVERBS and _is_verb(words[-2])):
        return 1
    if words[-1] in _CONSEQUENCES:
        return 2
    return 3 if words[-1].endswith("s") and not words[-1].endswith("ss") else 4


@lru_cache(maxsize=1 << 12)
def _is_verb(word: str) -> bool:
    """Whether a word in lower case is a past form of a verb, as far as its ending tells; "shooting" may be a noun."""
    from simplemma import lemmatize

    return word in _VERBS or (word.endswith("ed") and lemmatize(word, lang="en") != word)


def _without_article(label: str) -> str:
    words = label.split()
    return " ".join(words[1:]) if len(words) > 1 and words[0].casefold() in ("the", "a", "an") else label


def _name(wording: str) -> tuple[str, ...]:
    """The words of a name without its article, folded; none if it is no name."""
    words = wording.split()
    if len(words) > 1 and words[0].casefold() in ("the", "a", "an"):
        del words[0]
    ends = words and words[0][0].isupper() and words[-1][0].isupper() and not words[-1].endswith(("'s", "’s"))
    if not ends or len(words) > LONGEST_NAME or not all(w[0].isupper() or w in _PARTICLES for w in words):
        return ()
    return tuple(map(str.casefold, words))


def _is_pronoun_or_common(name: Sequence[str]) -> bool:
    """Whether the words of a name are capitalised for another reason: "I", "They're", "Families"."""
    return all(word.partition("'")[0] in _PRONOUNS or is_common_word(word) for word in name)


def _is_fuller(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether a name is another one with more words before or after it."""
    return len(one) > len(other) and other in (one[: len(other)], one[-len(other) :])

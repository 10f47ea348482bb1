"""Which events are subjects of others: the event mentions of a sentence in, pairs of a subject and its verb out.

"The blaze burned 1,200 hectares", "The strike has grounded 300 flights": a happening and what it did are two events.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cdcoref.circumstances.attachment import is_reporting

Span = tuple[int, int]

_DETERMINERS_WORDS = "the a an this that its his her their 's ’s another first second latest"
_DETERMINERS = frozenset(_DETERMINERS_WORDS.split())
_AUXILIARIES = frozenset({"has", "have", "had", "also", "later", "then"})
_EFFECTS_WORDS = """
affected affects blocked blocks burned burns burnt cancelled claimed claims closed closes cost costs crippled cut cuts
damaged damages delayed delays destroyed destroys disrupted disrupts displaced endangered flooded forced forces
frightened grounded grounds gutted halted halts hurt hurts injured injures killed kills leaves left paralysed paralyzed
razed ruined shut shuts stranded strands threatened threatens wounded wounds wrecked wrecks
"""
_EFFECTS = frozenset(_EFFECTS_WORDS.split())
"""What a happening does; verbs that only say that it happens ("struck", "broke out") are none."""
_MODIFIERS = 2


def subjects(events: Sequence[Span], words: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Pairs of events of which the first is the subject of the second, by their positions.

    Parameters
    ----------
    events
        Those of a sentence, in order.
    words
        The sentence, in lower case.
    """
    for number in range(1, len(events)):
        noun, verb = events[number - 1], events[number]
        between = words[noun[1] : verb[0]]
        beside = noun[1] <= verb[0] and all(word in _AUXILIARIES for word in between)
        if beside and words[verb[0]] in _EFFECTS and _is_noun(noun, words):
            yield number - 1, number


def _is_noun(event: Span, words: Sequence[str]) -> bool:
    """Whether an event has an article closely before it, or begins the sentence."""
    start, end = event
    if words[end - 1].endswith("ed") or is_reporting(words[start]):
        return False
    return start <= _MODIFIERS or not _DETERMINERS.isdisjoint(words[start - 1 - _MODIFIERS : start + 1])

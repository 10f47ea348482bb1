"""Which events are subjects of others, and whom an event happens to: words and event mentions of a sentence in.

"The blaze burned 1,200 hectares", "The strike has grounded 300 flights": a happening and what it did are two events.
"Genk signed Piet Maas", "Genk signed David Okello": two full names as objects of one verb tell two events apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cdcoref.facts import verbs_about
from cdcoref.language import is_common_word, is_date, lemma, word_set

Span = tuple[int, int]

_DETERMINERS = word_set("the a an this that its his her their 's ’s another first second latest")
_AUXILIARIES = frozenset({"has", "have", "had", "also", "later", "then"})
_EFFECTS = word_set("""
affected affects blocked blocks burned burns burnt cancelled claimed claims closed closes cost costs crippled cut cuts
damaged damages delayed delays destroyed destroys disrupted disrupts displaced endangered flooded forced forces
frightened grounded grounds gutted halted halts hurt hurts injured injures killed kills leaves left paralysed paralyzed
razed ruined shut shuts stranded strands threatened threatens wounded wounds wrecked wrecks
""")
"""What a happening does; verbs that only say that it happens ("struck", "broke out") are none."""
_PHRASES = frozenset({"by", "in", "near", "off", "at"})
_LONGEST_PHRASE = 4
_ENDS_PHRASE = word_set(", : ; and or but that which who when where after before was were is are to from said says")
_MODIFIERS = 2
_BEFORE_OBJECT = 5
"""Words between a verb and the first of its object's name, at most."""
_SHORTEST_NAME, _LONGEST_NAME = 2, 3
_ENDS_OBJECT = word_set("""
in on at of from to for with by after before when that who which and or but as over about against into , ; : . ( ) '
" `` '' -- - – — was were is are will would had has have said
""")


def subjects(events: Sequence[Span], words: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Pairs of events, the first the subject of the second, by their positions.

    Parameters
    ----------
    events
        Those of a sentence, in order.
    words
        The sentence, in lower case.
    """
    for number in range(1, len(events)):
        noun, verb = events[number - 1], events[number]
        if (
            _is_beside(words[noun[1] : verb[0]])
            and noun[1] <= verb[0]
            and words[verb[0]] in _EFFECTS
            and _is_noun(noun, words)
        ):
            yield number - 1, number


def _is_beside(between: Sequence[str]) -> bool:
    """Whether nothing but auxiliaries and a short phrase with a preposition is between a subject and its verb."""
    rest = [word for word in between if word not in _AUXILIARIES]
    return not rest or (rest[0] in _PHRASES and len(rest) <= _LONGEST_PHRASE and _ENDS_PHRASE.isdisjoint(rest[1:]))


def named_object(event: Span, words: Sequence[str]) -> tuple[str, ...]:
    """The full name closely behind a verb, in lower case; empty if there is none.

    Parameters
    ----------
    event
        The verb's words.
    words
        The sentence, in sentence case.
    """
    start, end = event
    verb = words[end - 1]
    if (
        not verb.islower()
        or lemma(verb) in verbs_about("report")
        or (start and words[start - 1].casefold() in _DETERMINERS)
    ):
        return ()
    place = end
    while place < min(end + _BEFORE_OBJECT, len(words)) and words[place].casefold() not in _ENDS_OBJECT:
        stop = place
        while stop < len(words) and words[stop][:1].isupper() and words[stop].isalpha():
            stop += 1
        name = tuple(word.casefold() for word in words[place:stop])
        if (
            _SHORTEST_NAME <= len(name) <= _LONGEST_NAME
            and all(map(_is_of_name, name))
            and not all(map(is_common_word, name))
        ):
            return name
        place = max(stop, place + 1)
    return ()


def _is_of_name(word: str) -> bool:
    return len(word) > _SHORTEST_NAME and not is_date(word.title())


def _is_noun(event: Span, words: Sequence[str]) -> bool:
    """Whether an event has an article closely before it, or begins the sentence."""
    start, end = event
    if words[end - 1].endswith("ed") or lemma(words[start]) in verbs_about("report"):
        return False
    return start <= _MODIFIERS or not _DETERMINERS.isdisjoint(words[start - 1 - _MODIFIERS : start + 1])

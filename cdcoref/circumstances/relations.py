"""What a quantity is a quantity of: its sentence and the event mentions in, the event and the sort of relation out.

"Killed 31 people" and "31 dead" state the same of an attack, "buy Orlo for $2.1 billion" and "a takeover worth $2.4
billion" the same of a purchase. The word that a quantity belongs to is the nearest event of its clause, or the nearest
word by which reports state quantities.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cdcoref.circumstances.attachment import is_reporting
from cdcoref.circumstances.quantities import MONEY, PEOPLE, Quantity
from cdcoref.circumstances.sentences import Sentence
from cdcoref.language import lemma, word_set

Span = tuple[int, int]
_RELATIONS = {
    "death": "kill die dead death slay perish drown toll fatal fatality claim",
    "injury": "injure injury wound hurt hospitalise hospitalize",
    "missing": "missing",
    "arrest": "arrest detain",
    "rescue": "rescue save",
    "flight": "evacuate displace flee",
    "purchase": "buy acquire purchase takeover acquisition merger deal buyout merge",
    "theft": "steal theft heist robbery rob raid haul loot burglary",
    "sentence": "sentence jail imprison imprisonment prison",
    "cut": "cut cost lose shed axe eliminate slash",
    "win": "win won defeat beat victory majority margin lead",
    "vote": "vote pass approve reject ballot",
    "fine": "fine penalty",
    "burning": "burn scorch blacken char",
    "price": "value worth price",
}
_RELATION_OF = {word: relation for relation, words in _RELATIONS.items() for word in words.split()}
"""The relation that a word states, by its dictionary form."""
RELATIONS = frozenset(_RELATIONS)
"""The sorts of relations that have a name."""
CASUALTIES = frozenset({"death", "injury", "missing", "arrest", "rescue", "flight"})
"""Relations whose bare numbers count people ("killed five")."""
_UNITS = {"cut": frozenset({"job"}), "win": frozenset({"vote"}), "vote": frozenset({"vote"}), "price": MONEY}
"""Units that a relation is about, where it is about these alone; its words mean something else with others."""
_CARRIERS = frozenset({"price"})
"""Relations of words that state a quantity of an event before them ("a takeover worth $2.4 billion")."""
_CARRIED = frozenset({"purchase", "theft"})
_FARTHEST = 10
"""Words between a quantity and what it is of, at most."""
_NO_OBJECT = word_set("and or but , ; : that which who as after before when by in on at of from to for with")
_NEW_PREDICATE = frozenset({"and", "but", "while", "or"})
"""What stands between a word and a quantity that begins another predicate: "a receptionist died and two men ..."."""
_LONGEST_OBJECT = 4
_COPULAS = word_set("was were is are had have has been be being will would rise rose climb climbed to at least")


@dataclass(frozen=True, slots=True)
class Relation:
    """What a quantity is of.

    Attributes
    ----------
    quantity
        The quantity; a bare number that counts people has their unit.
    event
        The number of the event mention in the sentence; None if the word is no mention.
    further
        Events whose object that event is: in "won the election by 1,240 votes", the winning.
    name
        The sort of relation, or the dictionary form of the event's word.
    """

    quantity: Quantity
    event: int | None
    further: tuple[int, ...]
    name: str


def states_relation(word: str) -> bool:
    """Whether reports state quantities by a word in lower case: "killed", "worth"."""
    return lemma(word) in _RELATION_OF


def is_object(between: Sequence[str]) -> bool:
    """Whether words in lower case between two events are such that the second is the object of the first: "won the"."""
    return 0 < len(between) <= _LONGEST_OBJECT and _NO_OBJECT.isdisjoint(between)


def relations(sentence: Sentence, spans: Sequence[Span], quantities: Sequence[Quantity]) -> Iterator[Relation]:
    """What each quantity of a sentence is of; those that are of nothing are left out.

    `spans` are the words of its event mentions, in their order.
    """
    lower = sentence.lower

    def reports(place: int) -> bool:
        return is_reporting(sentence.parse, sentence.first + place)

    covered = {place for start, end in spans for place in range(start, end)}
    counted = {place for one in quantities for place in range(one.start, one.end)}
    stating = [
        (place, place + 1, None)
        for place in range(len(lower))
        if place not in covered and place not in counted and (reports(place) or states_relation(lower[place]))
    ]
    known = sorted([*((start, end, number) for number, (start, end) in enumerate(spans)), *stating])
    for one in quantities:
        clause = sentence.clause_of(one.start)
        near = [own for own in known if sentence.clause_of(own[0]) == clause]
        chosen = _nearest(one, near, lower)
        if chosen is None or reports(chosen[0]):
            continue
        name = _name(lower, chosen)
        if name in _CARRIERS:
            carried = [own for own in near if own[1] <= chosen[0] and _name(lower, own) in _CARRIED]
            chosen, name = (carried[-1], _name(lower, carried[-1])) if carried else (chosen, name)
        if not one.unit:
            if name not in CASUALTIES or not _is_next(one, chosen, lower):
                continue
            one = Quantity(one.start, one.end, one.value, PEOPLE, one.rough)
        if one.unit not in _UNITS.get(name, {one.unit}) or (name in CASUALTIES and one.unit[:1] in MONEY):
            name = lemma(lower[chosen[0]])
        yield Relation(one, chosen[2], tuple(_governing(chosen, known, lower)), name)


_Known = tuple[int, int, int | None]


def _nearest(one: Quantity, near: Sequence[_Known], lower: Sequence[str]) -> _Known | None:
    """The word that a quantity belongs to."""
    before = [own for own in near if own[1] <= one.start]
    if before and before[-1][1] < one.start and lower[one.start - 1] in _NEW_PREDICATE:
        before = []
    after = [own for own in near if own[0] >= one.end]
    found = [(one.start - own[1], own) for own in before[-1:]] + [(own[0] - one.end, own) for own in after[:1]]
    within = [own for distance, own in sorted(found, key=lambda pair: pair[0]) if distance <= _FARTHEST]
    if not within:
        return None
    # Of two words for one thing ("sentenced to seven years in prison"), the one that is a mention.
    same = [own for own in within if _name(lower, own) == _name(lower, within[0])]
    return next((own for own in same if own[2] is not None), within[0])


def _name(lower: Sequence[str], known: _Known) -> str:
    """The relation that a word states; for any other word, its dictionary form."""
    words = [lemma(word) for word in lower[known[0] : known[1]]]
    return next((_RELATION_OF[word] for word in words if word in _RELATION_OF), words[-1])


def _is_next(one: Quantity, known: _Known, lower: Sequence[str]) -> bool:
    """Whether a bare number stands beside its word, with nothing but auxiliary verbs between."""
    between = lower[known[1] : one.start] if known[1] <= one.start else lower[one.end : known[0]]
    return all(word in _COPULAS for word in between)


def _governing(chosen: _Known, known: Sequence[_Known], lower: Sequence[str]) -> Iterator[int]:
    """The events before an event whose object it is: nothing but its determiners and adjectives lies between."""
    edge = chosen[0]
    for start, end, number in reversed([own for own in known if own[1] <= edge]):
        if not is_object(lower[end:edge]):
            return
        if number is not None:
            yield number
        edge = start

"""Which event mentions of a clause a date, a place or an amount belongs to: words and spans in, mentions out.

What follows an event belongs to it ("a fire broke out near Kalamata on Wednesday"), and to those before it in the same
predicate, but not to the event that another one is about ("charged with the shooting on Friday"). What precedes an
event belongs to it if it begins the clause ("On Friday a fire ...") or modifies it ("Sunday's fire"). Of a mention that
contains the phrase ("Sunday's fire" as a whole), only the words before or behind the phrase count.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cdcoref.language import word_set

Span = tuple[int, int]

REPORTING = word_set("""
said say says saying told tell tells reported reports announced announces according stated states added adds confirmed
confirms claimed claims believe believes wrote writes
""")
_SHOWING = frozenset({"showed", "shown", "indicated", "suggested"})
"""What results and data do ("results showed on Monday")."""
_ANNOUNCING = frozenset({"announced", "announces", "confirmed", "confirms"})
_FOLLOWING_UP = word_set("""
investigate investigates investigated investigating search searches searched searching seek seeks sought seeking
identify identified charge charged arraigned pleaded mourned mourning remembered unveiled
""")
"""What is done after a happening, on a day of its own."""
_OF_JUSTICE = word_set("""
acquitted arrested charged cleared convicted convictions conviction guilty indicted jailed sentenced
""")
"""What is done about a deed on a day of its own."""
_BOUNDARIES = word_set("with for over of to that who from which about against")
_ENDS_MODIFIER = word_set("""
a an the this that these those his her its their in on at of to for with by and or but as is are was were has had have
been be will would , ; : . ( ) -
""")
_PREPOSITIONS = word_set("in on at near of from since to by until through outside off around across during within for")
_DETERMINERS = frozenset({"the", "a", "an", "its", "his", "her", "their", "'s", "’s"})
_JOINING = frozenset({",", "and", "or", "but", "to", "that", "as", "then"})
_AUXILIARIES = word_set("""
is are was were be been being has have had do does did will would can could may might must should not it he she they
we i you who which get got gets
""")
_PARTICIPLES = frozenset({"built", "held", "made", "sold", "taken", "written", "found", "bought", "won", "shot"})
_SHORTEST_PARTICIPLE = 4
_LONGEST_MODIFIER = 3
_NEAR = 3
_AT_BEGINNING = 3


def attached(
    phrase: Span, events: Sequence[Span], words: Sequence[str], clause: Span, *, others: Iterable[Span] = ()
) -> list[int]:
    """The events that a phrase belongs to.

    Parameters
    ----------
    phrase
        Its words in the sentence, end exclusive.
    events
        Those of the event mentions of the sentence, in their order.
    words
        The sentence, in lower case.
    clause
        The clause that the phrase is in.
    others
        Further phrases of the same sort: what lies beyond one of them belongs to that one.

    Returns
    -------
    list
        Positions in `events`.
    """
    start, end = phrase
    events = [_beside(phrase, event, words) for event in events]
    low = max([clause[0], *(stop for _, stop in others if stop <= start)])
    high = min([clause[1], *(begin for begin, _ in others if begin >= end)])
    before = [number for number, event in enumerate(events) if low <= event[0] and event[1] <= start]
    after = [number for number, event in enumerate(events) if end <= event[0] < clause[1]]
    if after and _modifies(words, start, end, events[after[0]][0]):
        return _with_nested(after[0], events)
    if start and words[start - 1] in _DETERMINERS and words[start] not in _DETERMINERS:
        return []  # "the 2017 report on"
    after = [number for number in after if events[number][0] < high]
    owners = _backwards(start, before, events, words)
    begins = start - clause[0] <= _AT_BEGINNING and not before
    reported = any(is_reporting(words[events[number][0]]) for number in owners)
    if begins or (owners and not reported):
        owners += _forwards(end, after, events, words, begins=begins)
    return sorted(set(owners))


def is_reporting(word: str) -> bool:
    """Whether a word in lower case is a verb that reports speech, such as "said"."""
    return word in REPORTING


def belongs_to_report(words: Sequence[str], start: int, end: int) -> bool:
    """Whether a time is that of a report, or of what was done later: "said on Friday", "police on Friday charged".

    Parameters
    ----------
    words
        The sentence, in lower case.
    start, end
        The words of the time.
    """
    if end < len(words) and words[end] in ("'s", "’s"):
        return False  # "claimed victory in Sunday's election"
    before = [word for word in words[max(0, start - _NEAR) : start] if word not in _PREPOSITIONS]
    if start >= 4 and words[start - 4] in _ANNOUNCING and words[start - 3] in _DETERMINERS and words[start - 1] == "on":
        return True  # "announced her death on Sunday"
    auxiliary = end < len(words) and words[end] in ("was", "were", "has", "have", "had")
    after = words[end + auxiliary : end + auxiliary + 1]
    verbs = REPORTING | _FOLLOWING_UP | _SHOWING
    return any(word in verbs for word in (*before[-2:], *after))


def _beside(phrase: Span, event: Span, words: Sequence[str]) -> Span:
    """An event without a phrase that it contains: "win" of "Friday's win", "The fire" of "The fire on Friday"."""
    (start, end), (first, last) = phrase, event
    if not (first <= start and end <= last):
        return event
    if not _DETERMINERS.issuperset(words[first:start]):
        return first, start
    end += end < last and words[end] in ("'s", "’s")
    return (end, last) if end < last else event


def _modifies(words: Sequence[str], start: int, end: int, event: int) -> bool:
    """Whether a phrase modifies the event that begins behind it: nothing but nouns lies between.

    A phrase behind a preposition does so only with a possessive ("in Sunday's fire", not "in Portugal killed").
    """
    between = words[end:event]
    if not _ENDS_MODIFIER.isdisjoint(between):
        return False
    if between and between[0] in ("'s", "’s", "'"):
        return len(between) <= _LONGEST_MODIFIER + 1
    before = words[start - 1] if start else ""
    return len(between) <= _LONGEST_MODIFIER and before not in _PREPOSITIONS


def _with_nested(number: int, events: Sequence[Span]) -> list[int]:
    """An event and those directly behind it ("the Sunday shooting death")."""
    found = [number]
    while found[-1] + 1 < len(events) and events[found[-1] + 1][0] == events[found[-1]][1]:
        found.append(found[-1] + 1)
    return found


def _backwards(start: int, before: Sequence[int], events: Sequence[Span], words: Sequence[str]) -> list[int]:
    owners: list[int] = []
    edge = start
    for number in reversed(before):
        begin, end = events[number]
        between = words[end:edge]
        if any(map(is_reporting, between)) or (owners and _is_reduced(number, edge, events, words)):
            break
        if owners and _is_within_subject(begin, between, words):
            break
        if owners and words[end - 1] in _OF_JUSTICE and between and between[0] in ("of", "with", "for"):
            owners = []  # "convicted of fraud in October"
        if owners and not _BOUNDARIES.isdisjoint(between):
            if start - events[owners[0]][1] > _NEAR:
                return []  # either may be meant
            break
        owners.append(number)
        if is_reporting(words[begin]):
            break
        edge = begin
    return owners


def _is_within_subject(begin: int, between: Sequence[str], words: Sequence[str]) -> bool:
    """Whether a noun before a verb only belongs to its subject ("the toll from the attack rose on Sunday")."""
    before = begin - 1 - (begin > 0 and words[begin - 1] in _DETERMINERS)
    return before > 0 and words[before] in _PREPOSITIONS | {"of"} and _AUXILIARIES.issuperset(between)


def _is_reduced(number: int, edge: int, events: Sequence[Span], words: Sequence[str]) -> bool:
    """Whether the event at `edge` is a participle of a noun behind an earlier verb ("covers vans built in 2021")."""
    between = words[events[number][1] : edge]
    if not between or not _is_participle(words[edge]) or not _JOINING.isdisjoint(between):
        return False
    noun = between[-1]
    return noun.isalpha() and noun not in _AUXILIARIES and not noun.endswith("ly") and _is_verb(number, events, words)


def _is_verb(number: int, events: Sequence[Span], words: Sequence[str]) -> bool:
    """Whether an event is a verb: no article or preposition stands closely before it, or it is a past form."""
    begin = events[number][0]
    if _is_participle(words[begin]):
        return True
    for place in range(begin - 1, max(-1, begin - 1 - _LONGEST_MODIFIER), -1):
        if any(start <= place < end for start, end in events[:number]):
            return True
        if words[place] in _DETERMINERS or words[place] in _PREPOSITIONS:
            return False
    return begin > _LONGEST_MODIFIER


def _is_participle(word: str) -> bool:
    return (word.endswith("ed") and len(word) > _SHORTEST_PARTICIPLE) or word in _PARTICIPLES


def _forwards(
    end: int, after: Sequence[int], events: Sequence[Span], words: Sequence[str], *, begins: bool
) -> list[int]:
    owners: list[int] = []
    edge = end
    for number in after:
        between = words[edge : events[number][0]]
        if any(map(is_reporting, between)) or not _BOUNDARIES.isdisjoint(between):
            break
        if not _FOLLOWING_UP.isdisjoint(between):
            break
        if "," in between and not (begins and edge == end):
            break
        owners.append(number)
        if is_reporting(words[events[number][0]]):
            break
        edge = events[number][1]
    return owners

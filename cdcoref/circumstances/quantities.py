"""What a sentence counts and measures: its parse in, numbers with the noun that they count ("31 people", "£84.3m"), the
event or word above them that they are of ("killed 31 people", "the toll rose to 17"), and who says so out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import takewhile

from cdcoref.circumstances.owners import governor
from cdcoref.circumstances.sentences import Sentence
from cdcoref.corpus import Mention
from cdcoref.facts import Parse, clause_of, is_denied, is_verb, looks_elsewhere, verb_of, verbs_about
from cdcoref.language import GENDER_OF_NOUNS, SCALES, SHORT_SCALES, date_name, number_named
from cdcoref.word_tables import rows, words_in

PEOPLE = "people"
_SIGNS = {"$": "$", "€": "€", "£": "£", "us$": "$"}
_FIGURES = re.compile(r"(US\$|[$€£])?(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(k|mn?|bn|tn)?(%)?", re.IGNORECASE)
_YEAR = re.compile(r"(1[89]|20)\d\d")
_COMPOUND = re.compile(r"([\w.]+)-(year|month|week|day|hour|minute|magnitude)", re.IGNORECASE)
_UNITS = {row["word"]: row for row in rows("units.tsv")}
_RELATIONS = {row["relation"]: row for row in rows("quantity_relations.tsv")}
_NO_RELATION = {"kind": "", "units": "", "called": ""}
_RELATION_OF = {word: name for name, row in _RELATIONS.items() for word in row["words"].split()}
OF_PEOPLE = {word: name for word, name in _RELATION_OF.items() if "counts" in _RELATIONS[name]["kind"]}
"""By the words for what happens to people, the sort of relation that each states."""
_ROUGH, _NOT, _RELATING = (words_in("beside_quantities.tsv", kind) for kind in ("rough", "not", "relating"))
_DATED, _DATES, _CORRECTING, _ADDED = (
    words_in("beside_quantities.tsv", kind) for kind in ("dated", "behind dates", "correcting", "added")
)
_AGES = words_in("beside_quantities.tsv", "age")
_COMPANY = words_in("beside_quantities.tsv", "company")
_PRICE, _DEATH = "price", "death"
_PERCENT = frozenset({"%", "percent", "pct"})
_NUMBER_PARTS, _BARE, _WITHIN_CLAUSE, _DURATIONS = (
    words_in("parse_labels.tsv", kind) for kind in ("number part", "bare number", "within clause", "duration")
)
_ROUGH_BEFORE = 3
_ROUGHLY_SAME = Decimal("0.1")
"""By how much, as a share of the larger, an approximate value may differ from another."""
_SMALLEST_ROUNDED = 100
_LONGEST_SPEAKER = 7


@dataclass(frozen=True, slots=True)
class StatedQuantity:
    """A quantity in the tokens from `start` to before `end` that a document states of something.

    `unit`: in dictionary form; the sign of a currency, with " a year" for a rate; ``"people"``; ``"%"``.
    `rough`: whether it is an approximate value ("about 30", "more than 1,200").
    `event`, `further`: the event mention that it is of, and its object and subject.
    `relation`: the sort of relation ("death", "purchase"), or the dictionary form of the word.
    `label`: what is counted, in words ("people killed", "homes flooded").
    `elsewhere`: whether its clause is about another happening or an earlier year, or it is only wanted.
    `superseded`: whether it is denied, or an earlier value ("not 17", "up from 12").
    `corrects`: whether its verb says that it corrects an earlier one ("revised down to 61").
    `speaker`: who says so; empty if the document does.
    """

    start: int
    end: int
    value: Decimal
    unit: str
    rough: bool = False
    event: Mention | None = None
    further: tuple[Mention, ...] = ()
    relation: str = ""
    label: str = ""
    elsewhere: bool = False
    superseded: bool = False
    corrects: bool = False
    speaker: str = ""

    def differs(self, other: StatedQuantity) -> bool:
        """Whether two quantities of one unit contradict each other.

        One that is the other rounded does not, nor does an approximate one that is near.
        """
        if self.unit != other.unit or self.value == other.value:
            return False
        low, high = sorted((self.value, other.value))
        if (self.rough or other.rough) and high - low <= _ROUGHLY_SAME * high:
            return False
        return not (_is_rounded(self.value, other.value) or _is_rounded(other.value, self.value))

    @property
    def has_name(self) -> bool:
        """Whether the sort of relation is one of the table."""
        return self.relation in _RELATIONS

    @property
    def _kind(self) -> str:
        return _RELATIONS.get(self.relation, _NO_RELATION)["kind"]

    @property
    def counts_people(self) -> bool:
        """Whether it is a number of people with whom something happens, whatever noun they are called by."""
        return "counts" in self._kind and not any(row["unit"] == self.unit != PEOPLE for row in _UNITS.values())

    @property
    def grows(self) -> bool:
        """Whether only a correction makes it less, as with people killed."""
        return "grows" in self._kind

    @property
    def is_settled(self) -> bool:
        """Whether later reports change it as little as a price, a vote or a share."""
        return self._kind == "settled" or self.unit in ("%", "magnitude", "vote")


def _is_rounded(rounded: Decimal, exact: Decimal) -> bool:
    """Whether a value is another one rounded: "1,200" of 1,204, "2.1 billion" of 2.14 billion."""
    if rounded < _SMALLEST_ROUNDED or rounded != int(rounded):
        return False
    figures = str(int(rounded))
    zeros = len(figures) - len(figures.rstrip("0"))
    return zeros > 1 and abs(rounded - exact) <= Decimal(10) ** zeros / 2


@dataclass(frozen=True, slots=True)
class _Number:
    """A number in a sentence: its words, value and unit, and whether it is a range ("30 to 40")."""

    start: int
    end: int
    value: Decimal
    unit: str = ""
    is_range: bool = False


def quantities_of(sentence: Sentence, events: Mapping[int, Mention]) -> Iterator[StatedQuantity]:
    """The quantities of a sentence that are of something, in order; `events` by their head tokens."""
    taken = {word for time in sentence.times if time.period or time.looks_back for word in range(time.start, time.end)}
    place, last = sentence.dateline, None
    while place < len(sentence.words):
        number = None if place in taken else _number(sentence, place)
        place = place + 1 if number is None else number.end
        stated = None if number is None else _stated(sentence, number, events) or _instead_of(sentence, number, last)
        if stated is not None:
            yield stated
            last = stated
            place = max(place, stated.end - sentence.first)


def _instead_of(sentence: Sentence, number: _Number, stated: StatedQuantity | None) -> StatedQuantity | None:
    """The earlier value of a quantity that a number without a noun is ("1,200 jobs, not 900")."""
    start, end = sentence.first + number.start, sentence.first + number.end
    if stated is None or number.unit or not _is_superseded(sentence, start, number.start):
        return None
    return replace(stated, start=start, end=end, value=number.value, superseded=True)


def _number(sentence: Sentence, place: int) -> _Number | None:
    word = sentence.word
    if (compound := _COMPOUND.fullmatch(word(place))) and (value := _value(compound[1])) is not None:
        row = _UNITS.get(compound[2], {"unit": compound[2], "factor": "1"})
        return _Number(place, place + 1, value * int(row["factor"]), row["unit"])
    sign = _SIGNS.get(word(place), "")
    figures = word(place + bool(sign))
    if (value := _value(figures)) is None:
        return None
    match = _FIGURES.fullmatch(figures)
    sign = sign or (match and (_SIGNS.get(match[1]) or match[4])) or ""
    scale = SHORT_SCALES.get(match[3], 1) if match else 1
    end = place + bool(_SIGNS.get(word(place))) + 1
    while match and scale == 1 and word(end) in (",", ".") and word(end + 1).isdecimal():
        if "." in f"{value}" or (word(end) == "," and len(word(end + 1)) != 3):
            break  # "4 . 5 . 2013" is no number
        value = Decimal(f"{value}{word(end).strip(',')}{word(end + 1)}")  # "4 , 700"
        end += 2
    scales = SCALES | SHORT_SCALES if sign else SCALES
    while word(end) in scales:
        scale *= scales[word(end)]
        end += 1
    joins = word(end) in ("to", "-", "–") and word(place - 1) != "from"
    is_range = (joins or (word(place - 1), word(end)) == ("between", "and")) and _value(word(end + 1)) is not None
    return _Number(place, end + 2 * is_range, value * scale, sign, is_range)


def _unit_of(word: str) -> dict[str, str]:
    return _UNITS.get(word) or _UNITS.get(word.removesuffix("s")) or {"unit": "", "kind": ""}


def _value(word: str) -> Decimal | None:
    if (named := number_named(word)) is not None:
        return Decimal(named)
    match = _FIGURES.fullmatch(word)
    return None if match is None else Decimal(match[2].replace(",", ""))


def _stated(sentence: Sentence, number: _Number, events: Mapping[int, Mention]) -> StatedQuantity | None:
    parse, word = sentence.parse, sentence.word
    before, after = word(number.start - 1), word(number.end)
    is_added = not _ADDED.isdisjoint((before, after))  # "13 more bodies"
    if (is_added and before != "another") or number.is_range or _is_of_name(sentence, number, before, after):
        return None  # nothing contradicts a range
    token = parse.head_of(sentence.tokens(number.start, number.end))
    end, value, unit, noun, governor = number.end, number.value, number.unit, token, None
    if unit in ("$", "€", "£") or _unit_of(after)["kind"] == "money":
        end, unit = (end, unit) if unit else (end + 1, _unit_of(after)["unit"])
        if word(end) in ("a", "an", "per", "each", "every"):
            unit += f" a {word(end + 1)}"  # a sum for each year
    elif unit == "%" or after in _PERCENT or (after, word(end + 1)) == ("per", "cent"):
        end, unit = end + (2 if after == "per" else after in _PERCENT), "%"
    elif before == "magnitude" or (before == "of" and word(number.start - 2) == "magnitude"):
        unit = "magnitude"
    elif unit:  # "nine-year"
        if after in ("-", "old"):
            return None
    else:
        counted, behind = _counted(parse, token, sentence.first + end), sentence.first + end
        if after and counted in (None, behind) and _is_state(sentence, behind, value):
            unit, governor = PEOPLE, behind
        elif counted is not None and sentence.first <= counted < sentence.first + len(sentence.words):
            noun = counted
            if (found := _unit(sentence, noun)) is None:
                return None
            unit, value = found[0], value * found[1]
            end = max(end, noun + 1 - sentence.first)
        elif _UNITS.get(after, {}).get("kind") == "none":
            return None
    if governor is None and (governor := _governor(sentence, noun, events)) is None:
        return None
    relation = _relation(sentence, governor) or parse.lemma(governor)
    row = _RELATIONS.get(relation, _NO_RELATION)
    counts = "counts" in row["kind"]
    if not unit:
        if not counts or parse.relations[token] not in _BARE:
            return None
        unit = PEOPLE
    elif (row["units"] and unit[:1] not in row["units"]) or (counts and unit[:1] in _SIGNS):
        relation, row, counts = parse.lemma(governor), _NO_RELATION, False
    if is_added and relation == _DEATH:
        return None  # but "twelve died, and another 20 were injured"
    between = takewhile(lambda above: above != governor, (noun, *parse.ancestors(noun)))
    if counts and any(parse.lemma(above) in _COMPANY and parse.relations[above] == "prep" for above in between):
        return None  # "drowned with 40 others"
    start = number.start
    own = _events_of(parse, governor, events)
    return StatedQuantity(
        sentence.first + start,
        sentence.first + end,
        value,
        unit,
        not _ROUGH.isdisjoint(sentence.lower[max(0, start - _ROUGH_BEFORE) : start]),
        own[0] if own else None,
        tuple(own[1:]),
        relation,
        _label(sentence, unit, noun, governor, row["called"]),
        looks_elsewhere(parse, sentence.first + start)
        or _is_of_earlier_year(sentence, start)
        or (unit[:1] in ("%", *_SIGNS.values()) and _is_wished(parse, token)),
        _is_superseded(sentence, token, start),
        any(parse.lemma(word) in _CORRECTING for word in parse.ancestors(token)),
        speaker_of(sentence, token),
    )


def _is_wished(parse: Parse, token: int) -> bool:
    """Whether a share or a sum is only wanted ("want a raise of 15 percent")."""
    verb = verb_of(parse, token)
    within = (token, *takewhile(lambda word: word != verb, parse.ancestors(token)))
    of_subject = any(parse.relations[word].startswith("nsubj") for word in within)
    return not of_subject and any(parse.lemma(word) in verbs_about("wish") for word in (*within, verb))


def _is_state(sentence: Sentence, token: int, value: Decimal) -> bool:
    """Whether the word behind a number says what happened to as many people ("14 dead", "30 hurt")."""
    tag = sentence.parse.tags[token]
    counts = "counts" in _RELATIONS.get(_relation(sentence, token), _NO_RELATION)["kind"]
    return counts and tag != "NNS" and (value > 1 or tag[:1] in "JV")


def _is_of_name(sentence: Sentence, number: _Number, before: str, after: str) -> bool:
    """Whether a number is part of a date, a time of day, a name, a list, or an age between commas."""
    words, start, end = sentence.words, number.start, number.end
    if number.unit in ("$", "€", "£", "%"):
        return False
    name = start > 1 and words[start - 1].istitle()
    year = end == start + 1 and _YEAR.fullmatch(words[start])
    age = (before == "," and after == "," and end == start + 1) or _is_age(sentence, number)
    joined = before in ("-", "/", "no.", "#") or after in (":", "/")
    joined = joined or (before == ":" and words[start - 2][-1:].isdigit())
    date = any(map(date_name, (*words[max(0, start - 1) : start], *words[end : end + 1])))
    return bool(name or year or age or joined or date or "vs" in (before.rstrip("."), after.rstrip(".")))


def _is_age(sentence: Sentence, number: _Number) -> bool:
    """Whether a number says how old somebody is: "aged 91", "the age of 91", "died at 91", "men of 91 and 84"."""
    parse, token = sentence.parse, sentence.first + number.start
    while parse.relations[token] == "conj" and parse.heads[token] < token:
        token = parse.heads[token]
    above = parse.heads[token]
    if parse.relations[token] == "pobj" and parse.lemma(above) == "of" and parse.lemma(above - 1) in GENDER_OF_NOUNS:
        return True
    dies = OF_PEOPLE.get(parse.lemma(parse.heads[above])) == _DEATH
    before = sentence.word(number.start - 1)
    before = sentence.word(number.start - 2) if before == "of" else before
    return before in _AGES or (dies and parse.relations[token] == "pobj" and parse.lemma(above) == "at")


def _counted(parse: Parse, number: int, end: int) -> int | None:
    """The noun that a number counts; of "two of its nine plants" that of the whole."""
    for child in parse.children[number]:
        if parse.relations[child] == "prep" and parse.lemmas[child] == "of":
            return next(iter(parse.below(child, "pobj")), None)
    token = number
    while parse.relations[token] in _NUMBER_PARTS and parse.heads[token] >= end - 1:
        token = parse.heads[token]
        if parse.parts[token] in ("NOUN", "PROPN"):
            return token
    return None


def _unit(sentence: Sentence, noun: int) -> tuple[str, int] | None:
    """What a noun counts, and how many of that it is; None for a name and a span of time that only dates something."""
    parse, place = sentence.parse, noun - sentence.first
    if sentence.words[place][:1].isupper() and parse.parts[noun] == "PROPN":
        return None
    lemma = parse.lemma(noun)
    row = _UNITS.get(lemma)
    if row is None:
        return (PEOPLE if lemma == "whom" else lemma), 1  # "11 of whom"
    if row["kind"] == "none":
        return None
    if row["kind"] == "span":
        beside = {parse.lemma(child) for child in parse.children[noun] if parse.relations[child] != "prep"}
        beside.add(parse.lemma(parse.heads[noun]))
        is_duration = parse.relations[noun] in _DURATIONS and _DATED.isdisjoint(beside)
        if sentence.word(place + 1) in _DATES or not is_duration:
            return None
    return row["unit"], int(row["factor"])


def _relation(sentence: Sentence, token: int) -> str:
    """The sort of relation that a word states; empty if it states none."""
    parse, name, word = sentence.parse, sentence.parse.lemma(token), sentence.word(token - sentence.first)
    objects = [f"{name}_{parse.lemmas[child]}" for child in parse.children[token] if parse.relations[child] == "dobj"]
    counts = "counts" in _RELATIONS.get(_RELATION_OF.get(name, ""), _NO_RELATION)["kind"]
    for child in () if counts else parse.below(token, "prep"):  # "left 40 homes without power"
        objects += (f"{parse.lemma(child)}_{parse.lemmas[noun]}" for noun in parse.below(child, "pobj"))
    return next((_RELATION_OF[form] for form in (*objects, name, word) if form in _RELATION_OF), "")


def _governor(sentence: Sentence, noun: int, events: Mapping[int, Mention]) -> int | None:
    """The word that a quantity is of; one with a relation before any other event, of "rose to 5 metres" the subject."""
    parse = sentence.parse
    chain = list(_chain(sentence, noun))
    named = [word for word in chain if _relation(sentence, word)]
    named.sort(key=lambda word: _relation(sentence, word) == _PRICE)  # "a takeover worth $2.4 billion"
    event = next((word for word in chain if word in events and _relation(sentence, word) != _PRICE), None)
    if not named and event is not None and parse.lemma(event) in _RELATING:
        return [event, *parse.below(event, "nsubj", "nsubjpass")][-1]
    if not named or event is None:
        return named[0] if named else event
    return event if chain.index(event) < chain.index(named[0]) and not is_verb(parse, event) else named[0]


def _chain(sentence: Sentence, noun: int) -> Iterator[int]:
    """What modifies a noun, the words above it in its clause, the subject of a verb that only relates it to one."""
    parse = sentence.parse
    if parse.parts[noun] == "NOUN" and "counts" in _RELATIONS.get(_relation(sentence, noun), _NO_RELATION)["kind"]:
        yield noun  # "21 bodies"
    yield from parse.below(noun, "acl", "amod", "relcl")
    word = noun
    while parse.heads[word] != word:
        relation, word = parse.relations[word], parse.heads[word]
        if relation == "nsubjpass":  # "16 are known to have died"
            yield from parse.below(word, "xcomp")
        if parse.lemma(word) in verbs_about("report") and relation != "dobj":  # but "the flood claimed 47 lives"
            return
        relates = is_verb(parse, word) and parse.lemma(word) in _RELATING
        if relates and relation not in ("nsubj", "nsubjpass"):
            for child in (child for child in parse.children[word] if child != noun):
                if parse.relations[child] in ("nsubj", "nsubjpass", "dobj"):
                    yield from _below(parse, child)
                elif parse.relations[child] in ("acomp", "xcomp", "attr"):
                    yield child
        yield word
        if is_verb(parse, word) and parse.relations[word] not in _WITHIN_CLAUSE:
            yield from parse.below(word, "acomp", "oprd")
            yield from (n for attr in parse.below(word, "attr") for n in parse.below(attr, "amod") if n == word + 1)
            return  # "are dead, not 17"


def _below(parse: Parse, token: int) -> Iterator[int]:
    """A token and all that depends on it."""
    yield token
    for child in parse.children[token]:
        yield from _below(parse, child)


def _events_of(parse: Parse, governor: int, events: Mapping[int, Mention]) -> list[Mention]:
    """The event of a word, its subject and object; and the verb whose object it is."""
    near = parse.below(governor, "dobj", "nsubj", "nsubjpass")
    if parse.relations[governor] in ("dobj", "nsubj", "nsubjpass"):
        near.append(parse.heads[governor])
    return [events[token] for token in ((governor, *near) if governor in events else near[-1:]) if token in events]


def _label(sentence: Sentence, unit: str, noun: int, governor: int, called: str) -> str:
    """What is counted, in words: "people killed", "homes flooded", "damage (€)"."""
    parse, word = sentence.parse, sentence.lower[governor - sentence.first]
    if unit == PEOPLE:
        return f"{PEOPLE} {called or word}"
    if parse.parts[noun] != "NOUN" or not unit[:1].isalpha() or (not called and not is_verb(parse, governor)):
        return f"{called or word} ({unit})"
    past = parse.tags[governor] in ("VBN", "VBD")
    return f"{sentence.lower[noun - sentence.first]} {called or (word if past else parse.lemma(governor))}"


def _is_of_earlier_year(sentence: Sentence, start: int) -> bool:
    """Whether a time of an earlier year is in the clause of a word: with no comma between, or before it and governed by
    the verb ("In 2019, 25 people died")."""
    parse, clause = sentence.parse, clause_of(sentence.parse, sentence.first + start)
    return any(
        clause_of(parse, sentence.first + time.start) == clause
        for time in sentence.times
        if time.looks_back
        and (
            "," not in sentence.words[min(time.start, start) : max(time.start, start)]
            or (time.start < start and governor(parse, sentence.tokens(time.start, time.end)) == clause)
        )
    )


def _is_superseded(sentence: Sentence, token: int, start: int) -> bool:
    """Whether a quantity is denied, or stated as an earlier one."""
    parse = sentence.parse
    near = [word for word in sentence.lower[max(0, start - 3) : start] if word not in _ROUGH | {"the", "of"}][-2:]
    if not _NOT.isdisjoint(near) or near[-1:] in (["from"], ["than"]):
        return True
    if near[-1:] == ["to"]:  # "from 67 to 61"
        return False
    verb = verb_of(parse, token)
    return is_verb(parse, verb) and is_denied(parse, verb)


def speaker_of(sentence: Sentence, token: int) -> str:
    """Who says what a token is part of: the subject of the verb that reports its clause; empty if nobody."""
    parse = sentence.parse
    for word in (token, *parse.ancestors(token)):
        verb = parse.heads[word]
        verbs = [verb, *parse.below(word, "parataxis", "ccomp")]
        for one in verbs:
            reports = one != word and is_verb(parse, one) and parse.lemma(one) in verbs_about("report")
            if reports and (one != verb or parse.relations[word] in ("ccomp", "parataxis", "conj", "advcl")):
                subject = next(iter(parse.below(one, "nsubj")), None)
                if subject is not None and parse.parts[subject] not in ("PRON", "NUM"):
                    return _phrase(sentence, subject)
    return ""


def _phrase(sentence: Sentence, noun: int) -> str:
    """A noun with what stands before it."""
    parse = sentence.parse
    before = [child for child in parse.children[noun] if child < noun and parse.relations[child] != "punct"]
    start = min([noun, *(below for child in before for below in (child, *parse.children[child]))])
    words = list(sentence.words[start - sentence.first : noun + 1 - sentence.first])[-_LONGEST_SPEAKER:]
    if start == sentence.first and parse.parts[start] != "PROPN":
        words[0] = words[0].lower()
    return " ".join(words).replace(" '", "'").replace(" ’", "’")

"""Where documents of a story disagree about days, places, names, ages and numbers, with the sentences of each."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

from cdcoref.circumstances import Source, day_of, names_in_roles
from cdcoref.corpus import ENTITY, EVENT, Mention
from cdcoref.facts import descriptions, name_at, verbs_about
from cdcoref.language import are_forms_of_one_name, date_name, different_names, is_common_word
from cdcoref.reports.stated_numbers import StoryNumbers
from cdcoref.reports.stated_values import Disagreement, StatedValue, StoryContext
from cdcoref.word_tables import words_in


def disagreements(story: StoryContext) -> Iterator[Disagreement]:
    """What the documents of a story disagree about."""
    yield from StoryNumbers(story).contradictions()
    yield from contradicted_circumstances(story)
    yield from contradicted_names(story)
    yield from contradicted_ages(story)


_SPEECH = words_in("time_words.tsv", "speech")


def contradicted_circumstances(story: StoryContext) -> Iterator[Disagreement]:
    """Days and places that differ; what the same sentences state of two events, once."""
    found: dict[object, Disagreement] = {}
    for members in story.shared_events.values():
        days = [] if any(_is_statement(story, mention) for mention in members) else _days(story, members)
        places = [
            StatedValue(mention.document, mention.start, where.place.shown(), where.place)
            for mention in members
            for where in story.known.of_mention(mention).where
            if where.source == Source.STATED
        ]
        for about, values, differ in (("day", days, _are_other_days), ("place", places, _exclude)):
            for one in story.contradictions(about, members, "", values, differ, several=True):
                found.setdefault((about, frozenset(one.statements)), one)
    yield from found.values()


def _exclude(one: StatedValue, other: StatedValue) -> bool:
    return bool(one.value.excludes(other.value))


def _days(story: StoryContext, members: Sequence[Mention]) -> list[StatedValue]:
    return [
        StatedValue(
            mention.document, mention.start, when.period.shown(), (when.period, _exactness(story, mention, when.tokens))
        )
        for mention in members
        for when in story.known.of_mention(mention).when
        if when.source == Source.STATED and when.period.days == 1 and not when.looks_back
    ]


def _are_other_days(one: StatedValue, other: StatedValue) -> bool:
    """Whether two days differ; days that are stated by their distance ("today") by more than one."""
    gap = one.value[0].gap(other.value[0])
    return bool(gap > 0 if min(one.value[1], other.value[1]) else gap > 1)


def _exactness(story: StoryContext, mention: Mention, tokens: Sequence[int]) -> bool:
    """Whether a date names its day, in figures or by a weekday, rather than by its distance ("today")."""
    words = [story.documents[mention.document].tokens[token] for token in tokens]
    return any(any(map(str.isdigit, word)) or date_name(word) for word in words)


def _is_statement(story: StoryContext, mention: Mention) -> bool:
    """Whether an event is that somebody said something, which has no single day."""
    parse = story.known.readings[mention.document].parse
    lemma = parse.lemma(parse.head_of(mention.tokens))
    return lemma in _SPEECH or lemma in verbs_about("report") or lemma in verbs_about("announcement")


_DAYS_OF_YEAR = 365
_BIRTHDAY = 7
"""Days between two documents from which somebody may have become a year older."""
_SHORTEST_MISSPELT = 4
"""Letters of a surname that may be misspelt."""
_MOST_LETTERS = 2
"""Letters in which two spellings of one surname differ, at most."""
_SIDES = words_in("function_words.tsv", "side")
_OFFICES = words_in("titles.tsv", "single")
_FORMER = words_in("before_other_offices.tsv")
_FULL = 2
"""Words of a name that has a first name and a surname."""
_FIGURES = re.compile(r"\d+(?:[-–]\d+)?")


class _Age(NamedTuple):
    """The age of a mention; the words of its name, in lower case; the shared events of its sentence."""

    age: int
    name: frozenset[str]
    events: frozenset[str]


class _Name(NamedTuple):
    """The words of a name, in lower case, and the figures and other names of its sentence."""

    words: tuple[str, ...]
    figures: frozenset[str]
    others: frozenset[str]


def contradicted_names(story: StoryContext) -> Iterator[Disagreement]:
    """Names in one role of an event, or in one office, that differ."""
    for members in story.shared_events.values():
        of_roles: defaultdict[str, list[StatedValue]] = defaultdict(list)
        for mention in members:
            parse = story.known.readings[mention.document].parse
            for role, noun in names_in_roles(parse, parse.head_of(mention.tokens)):
                if (value := _name(story, mention.document, noun, 1 if role in _SIDES else _FULL)) is not None:
                    of_roles[role].append(value)
        for role, stated in of_roles.items():
            comparable = partial(_are_of_one_person, story, sides=role in _SIDES)
            yield from story.contradictions("name", members, "", stated, _differ, comparable)
    of_offices: defaultdict[str, list[StatedValue]] = defaultdict(list)
    for id in story.documents:
        for noun, office in _offices(story, id):
            if (value := _name(story, id, noun, _FULL)) is not None:
                of_offices[office].append(value)
    for office, stated in of_offices.items():
        comparable = partial(_are_of_one_person, story, sides=False)
        yield from story.contradictions("name", (), office, stated, _differ, comparable)


def contradicted_ages(story: StoryContext) -> Iterator[Disagreement]:
    """Ages of one person that differ, whatever time passed between the documents."""
    days = {id: day_of(document) for id, document in story.written.items()}

    def comparable(one: StatedValue, other: StatedValue) -> bool:
        gap = abs(one.value.age - other.value.age)
        first, second = days[one.document], days[other.document]
        if first is not None and second is not None:
            passed = first.gap(second)
            gap -= passed // _DAYS_OF_YEAR + (passed >= _BIRTHDAY)
        if one.value.name and other.value.name:
            return gap > 0 and not one.value.name.isdisjoint(other.value.name)
        return gap > 0 and not one.value.events.isdisjoint(other.value.events)

    for members in story.corpus.clusters():
        if members[0].kind == ENTITY and members[0].cluster is not None:
            ages = [value for mention in members if (value := _age(story, mention)) is not None]
            yield from story.contradictions("age", members, "", ages, _differ, comparable)


def _differ(one: StatedValue, other: StatedValue) -> bool:
    return bool(one.value[0] != other.value[0])


def _age(story: StoryContext, mention: Mention) -> StatedValue | None:
    age = story.known.readings[mention.document].facts(mention).syntax.age
    if not age:
        return None
    document = story.written[mention.document]
    words = (document.tokens[token] for token in mention.tokens)
    name = frozenset(word.casefold() for word in words if word[:1].isupper() and not is_common_word(word.casefold()))
    first, end = document.sentence_at(mention.start)
    events = frozenset(
        other.cluster
        for other in story.by_document[mention.document]
        if other.kind == EVENT and other.cluster in story.shared_events and first <= other.start < end
    )
    return StatedValue(mention.document, mention.start, str(age), _Age(age, name, events))


def _offices(story: StoryContext, id: str) -> Iterator[tuple[int, str]]:
    """The nouns that head the names of a document, with the offices that these people hold now."""
    parse = story.known.readings[id].parse
    for noun, part in enumerate(parse.parts):
        if part != "PROPN" or parse.relations[noun] == "compound":
            continue
        before = parse.below(noun, "compound")
        for token in (*before, *descriptions(parse, noun)):
            office = parse.lemma(token)
            beside = {parse.lemma(child) for child in (*parse.children[token], *parse.children[noun])}
            if office in _OFFICES and _FORMER.isdisjoint(beside):
                yield noun, office


def _name(story: StoryContext, id: str, noun: int, shortest: int) -> StatedValue | None:
    """The name that a noun heads, without titles; None if it has fewer words than the shortest."""
    reading, document = story.known.readings[id], story.written[id]
    name = [token for token in name_at(reading.parse, noun) if document.tokens[token].casefold() not in _OFFICES]
    if len(name) < shortest:
        return None
    first, end = document.sentence_at(noun)
    words = document.tokens[first:end]
    figures = frozenset(word for word in words if _FIGURES.fullmatch(word))
    parts = reading.parse.parts
    others = (document.tokens[n].casefold() for n in range(first, end) if parts[n] == "PROPN" and n not in name)
    value = _Name(tuple(document.tokens[token].casefold() for token in name), figures, frozenset(others))
    return StatedValue(id, name[0], document.passage(name[0], noun + 1), value)


def _are_of_one_person(story: StoryContext, one: StatedValue, other: StatedValue, *, sides: bool) -> bool:
    """Whether two names are of one person whom somebody got wrong, or of one side of a match."""
    first, second = one.value.words, other.value.words
    mine, theirs = set(first) - set(second), set(second) - set(first)
    if not mine or not theirs or mine & story.words[other.document] or theirs & story.words[one.document]:
        return False
    if not story.of_one_happening(one.document, other.document):
        return False
    if len(first) == len(second) == _FULL and mine.isdisjoint(theirs):
        if first[1] == second[1]:
            return different_names(first, second) or _other_first_name(first[0], second[0])
        if first[0] == second[0]:
            return _is_misspelt(first[1], second[1])
    return (
        sides
        and set(first).isdisjoint(second)
        and bool(one.value.figures & other.value.figures)
        and bool(one.value.others & other.value.others)
    )


def _other_first_name(one: str, other: str) -> bool:
    """Whether two first names with one initial are no spellings of one name, nor one short for the other."""
    is_spelling = one[:_SHORTEST_MISSPELT] == other[:_SHORTEST_MISSPELT] or are_forms_of_one_name(one, other)
    is_long = min(len(one), len(other)) >= _SHORTEST_MISSPELT and "." not in one + other  # "K.P. Nair"
    return is_long and not is_spelling and _changes(one, other) > _MOST_LETTERS


def _is_misspelt(one: str, other: str) -> bool:
    """Whether two surnames differ in a letter or two, and neither begins with the other."""
    is_part = one.startswith(other) or other.startswith(one)
    is_long = min(len(one), len(other)) >= _SHORTEST_MISSPELT
    return is_long and not is_part and _changes(one, other) <= _MOST_LETTERS


def _changes(one: str, other: str) -> int:
    """The number of letters to insert, leave out or replace."""
    from spacy.matcher.levenshtein import levenshtein

    return levenshtein(one, other)

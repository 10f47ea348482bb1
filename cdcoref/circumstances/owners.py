"""Which events a time or a place belongs to, by the parse: the word that it depends on or, if a verb only says that
something happens, its subject or object ("a fire broke out on Friday")."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from cdcoref.facts import (
    Parse,
    above_in_phrase,
    calls_off,
    is_plan,
    is_verb,
    looks_ahead,
    opened_behind,
    puts_off,
    verb_of,
    verbs_about,
)
from cdcoref.word_tables import words_in

_CLOSE = frozenset({"poss", "compound", "amod", "nummod", "nmod", "appos"})
_NOUNS = frozenset({"NOUN", "PROPN", "PRON", "NUM"})
_SUBJECTS = frozenset({"nsubj", "nsubjpass"})
_OBJECTS = frozenset({"dobj", "attr"})
_COMPLEMENTS = frozenset({"oprd", "acomp"})
_LIMITS = words_in("time_words.tsv", "limit")
"""Words before a time at which nothing happens."""
_SPANS = words_in("time_words.tsv", "span")
"""Parts of a day, and spans of days, that "of" a day stands behind."""
_ENDS = words_in("time_words.tsv", "end")
"""Words before the end of a range, such as "from Monday to Wednesday"."""
_DURING = words_in("time_words.tsv", "during")
_HAPPENINGS = words_in("happenings.tsv")
_TRENDS = words_in("time_words.tsv", "trend")
_AT_ONCE = words_in("time_words.tsv", "at once")


def governor(
    parse: Parse, tokens: Sequence[int], events: Collection[int] = (), *, of_place: bool = False
) -> int | None:
    """The word that a phrase belongs to: an event or a verb, or another noun that it modifies; None for a limit.

    `events`: head tokens of event mentions. `of_place`: whether the phrase names a place, which also says where
    what is done with a noun happens ("a home in Kokomo"). What is denied has no time ("did not fall on Monday"; unlike
    "fell on Monday, not Tuesday").
    """
    if parse.relations[tokens[-1]] == "poss" and parse.parts[tokens[-2:][0]] == "ADP":
        tokens = tokens[:-1]  # "two days before Wednesday's vote"
    head = token = parse.head_of(tokens)
    preposition = ""
    while parse.heads[token] != token:
        below, relation, token = token, parse.relations[token], parse.heads[token]
        if token in events or is_verb(parse, token):
            if not of_place and puts_off(parse, token, head):  # "put off until Friday", not "until after Easter"
                moved = parse.below(token, "nsubjpass", "dobj")
                return next(iter(moved), None) if parse.lemma(tokens[0] - 1) != "after" else None
            said = [child for child in parse.below(token, "ccomp") if child < tokens[0] < token]
            if said and is_report(parse, token):  # "he died on Monday, said a spokesman"
                return said[-1]
            denied = any(parse.relations[child] == "neg" and child < tokens[0] for child in parse.children[token])
            return None if (denied or preposition in _LIMITS) and not of_place else token
        if parse.parts[token] in ("ADP", "SCONJ") and token < head:
            ends = any(parse.lemma(child) in _ENDS for child in parse.children[token])
            is_hour = parse.parts[below] == "NUM" or parse.entity_types[below] == "TIME"
            on_day = is_hour and (below != head or parse.tags[tokens[0] - 1] == "CD")
            # "after 10 p.m. Tuesday", "after 3:30 Tuesday morning"
            preposition = preposition or ("during" if ends or on_day else parse.lemma(token))
        elif parse.lemma(token) in _TRENDS and parse.lemma(below) == "from":
            return None  # "2 percent, up from 1 percent in May"
        elif parse.lemma(token) in _SPANS and preposition == "of":
            continue  # "on the night of 3 May"
        elif relation == "appos" and parse.below(token, "nummod"):
            continue  # "at 16:15 UTC, 1 June"
        elif parse.parts[token] in _NOUNS and not of_place and (relation in _CLOSE or preposition == "of"):
            return token
    # "The following day they left", parsed as a day that has a relative clause
    return next(iter(parse.below(token, "relcl")), token) if token == head and not of_place else token


def owners(parse: Parse, word: int, events: Mapping[int, int], *, of_place: bool = False) -> list[int]:
    """The numbers of the events, by their head tokens, that have the time or place which a word governs.

    `of_place`: whether it is a place, which a verb shares with its subject and object.
    """
    is_event = word in events and (of_place or not is_plan(parse, word))
    heads = [word] if is_event else []
    if _is_at_once(parse, word):
        other = parse.heads[word]
        heads += [other, *_sharing(parse, other, other in events, of_place)]
    if parse.relations[word] in _COMPLEMENTS:  # "found dead on Monday"
        heads.append(parse.heads[word])
    if (above := verb_during(parse, word)) is not None:
        heads += [above, *_sharing(parse, above, True, of_place)]
    if parse.lemma(word) in verbs_about("comparison"):  # "resembles a robbery two weeks ago"
        heads = [child for child in parse.below(word, "dobj") if child in events] or heads
    elif is_verb(parse, word):
        heads += _sharing(parse, word, is_event, of_place)
        opened = opened_behind(parse, word) is not None
        clauses = parse.below(word, "advcl", "conj")
        heads += [child for child in clauses if _is_result(parse, child)] if is_event or opened else []
        heads += [
            child for child in clauses if child > word and _is_at_once(parse, child) and not is_report(parse, word)
        ]
    return list(dict.fromkeys(events[token] for token in heads if token in events))


def verb_during(parse: Parse, noun: int) -> int | None:
    """The verb of what happens in, or at, what a noun names ("voted at a Tuesday meeting", "said in an interview").

    None if there is none, or if it says what is done about it later ("charged in the shooting").
    """
    preposition, verb = parse.heads[noun], parse.heads[parse.heads[noun]]
    within = parse.relations[noun] == "pobj" and parse.lemma(preposition) in _DURING
    return verb if within and is_verb(parse, verb) and parse.lemma(verb) not in verbs_about("inquiry") else None


def _is_at_once(parse: Parse, verb: int) -> bool:
    """Whether what a verb says happened when that of the verb above it did ("Two died when a dam burst on Friday")."""
    marks = map(parse.lemma, parse.below(verb, "advmod", "mark"))
    return is_verb(parse, verb) and parse.relations[verb] == "advcl" and not _AT_ONCE.isdisjoint(marks)


def _is_result(parse: Parse, verb: int) -> bool:
    """Whether a verb says what came at once of that of the verb above it ("sank on Friday, killing two")."""
    if parse.relations[verb] == "conj":  # "burst on Friday and injured two"
        return parse.lemma(verb) in verbs_about("effect") and not parse.below(verb, "aux", "nsubj", "nsubjpass")
    before = {parse.relations[child] for child in parse.children[verb] if child < verb} - {"punct", "advmod"}
    between = range(parse.heads[verb] + 1, verb)  # of "searched for a plane that crashed, killing nine" it is "crashed"
    is_next = verb > parse.heads[verb] and not any(parse.tags[word] in ("VBD", "VBP", "VBZ") for word in between)
    return parse.tags[verb] == "VBG" and is_next and not before and not is_report(parse, verb)


def _sharing(parse: Parse, verb: int, is_event: bool, of_place: bool) -> Iterator[int]:
    """The subjects and objects of a verb that happen when or where it does."""
    name = parse.lemma(verb)
    if name in verbs_about("report") or (of_place and name in verbs_about("sense")):  # "was felt in Oman"
        return
    if name in verbs_about("inquiry"):
        if looks_ahead(parse, verb) is None:  # "are investigating a fire on Friday"
            yield from parse.below(verb, "dobj")
        return
    if not of_place and calls_off(parse, verb):
        return
    if parse.relations[verb] == "acl" and (is_plan(parse, verb) or name in verbs_about("occur")):
        yield parse.heads[verb]  # "the strike planned for Monday", or the subject of what looks like a participle
    for child in parse.children[verb]:
        relation = parse.relations[child]
        passive = relation == "nsubjpass"
        if relation in _SUBJECTS:
            if parse.tags[child] == "WDT" and name not in verbs_about("light"):  # "a fire that killed two on Friday"
                child = parse.heads[verb]
                if name in verbs_about("occur") and parse.lemma(child) not in _HAPPENINGS:  # "a fire at a shop that"
                    near = (*above_in_phrase(parse, child), *parse.below(verb_of(parse, child), "dobj"))
                    child = next((word for word in near if parse.lemma(word) in _HAPPENINGS), child)
            shares = name in verbs_about("occur") or (name in verbs_about("effect" if not passive else "hold"))
        elif relation in _OBJECTS:
            shares = name in verbs_about("hold") or name == "be"
            if name in verbs_about("effect") and not of_place:  # what was done to a fire on Friday did not begin it
                continue
        elif relation == "agent":  # "hit by a storm"
            child = next(iter(parse.children[child]), child)
            shares = name in verbs_about("occur") or name in verbs_about("effect")
        elif relation == "prep" and parse.lemma(child) in _DURING:
            child = next(iter(parse.children[child]), child)  # "in the last election, in 2018, Harder lost"
            shares = True
        else:
            continue
        if shares or of_place or not is_event:
            yield child
            yield from parse.below(child, "conj")


def is_report(parse: Parse, token: int) -> bool:
    """Whether a token is a verb that reports, or says what was done later: "said", "charged"."""
    name = parse.lemma(token)
    return is_verb(parse, token) and (name in verbs_about("report") or name in verbs_about("inquiry"))


def is_reporting(parse: Parse, token: int) -> bool:
    """Whether a token is a verb that reports speech, such as "said"."""
    return parse.parts[token] == "VERB" and parse.lemma(token) in verbs_about("report")

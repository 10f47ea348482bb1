"""What the parse of a document says of a mention: the word that heads it, its verb, and what somebody is called beside
a name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from cdcoref.facts.clauses import has_subject
from cdcoref.facts.parsing import Parse
from cdcoref.language import JOBS, RELATIVES, Syntax
from cdcoref.word_tables import words_in

_NOUNS = frozenset({"NOUN", "PROPN"})
_AS = words_in("equating_words.tsv", "preposition")
_EQUATING = words_in("equating_words.tsv", "verb")
_MAY_EQUATE = words_in("equating_words.tsv", "relation")
_NAMING = words_in("equating_words.tsv", "naming")
_TOO = words_in("equating_words.tsv", "too")
_OTHER = words_in("equating_words.tsv", "other")
_LONGEST_NAME = 3
_YOUNGEST, _OLDEST = 1, 115
_PAUSES = frozenset(",.;")
_YEARS_OLD = re.compile(r"(\d{1,3})-years?-olds?", re.IGNORECASE)


def syntax(parse: Parse, words: Sequence[str], tokens: Sequence[int]) -> Syntax:
    """What the parse says of the mention with these tokens; `words` are those of the document."""
    head = parse.head_of(tokens)
    verb, role = argument(parse, head)
    noun = relative_antecedent(parse, head)
    owner = next(iter(parse.below(head, "poss")), -1)
    known = head, verb, role, clause(parse, head), owner, noun, parse.entity_types[head]
    if parse.parts[head] not in ("PROPN", "PRON"):
        own = [n for n in (head, *parse.children[head]) if _YEARS_OLD.fullmatch(words[n])]
        stated = (n for verb in parse.below(head, "relcl") for n in _predicates(parse, verb))  # "who is 61"
        return Syntax(*known, _age(parse, words, own[:1] or [*stated, *_of_subject(parse, head)]))
    person = tuple(descriptions(parse, head))
    nouns = tuple((token, name) for token in person if parse.parts[token] == "NOUN" for name in _names(parse, token))
    clauses = parse.below(head, "relcl")
    who = ((n, verb) for verb in clauses for n in parse.children[verb] if parse.tags[n] == "WP")
    called = ((verb, f"{parse.lemmas[verb]}er") for n, verb in who if parse.relations[n].startswith("nsubj"))
    nouns += tuple(noun for noun in called if noun[1] in JOBS)  # "who teaches history"
    age = _age(parse, words, (head, *person, *_of_subject(parse, head))) or _age_behind(words[head + 1 : head + 4])
    relatives = tuple(
        (of, RELATIVES[name]) for token, name in nouns if name in RELATIVES for of in _owners(parse, token)
    )
    return Syntax(*known, age, nouns, relatives, _is_another(parse, head))


def _is_another(parse: Parse, name: int) -> bool:
    """Whether words beside a name say that it is somebody else's, too."""
    if parse.lemmas[parse.heads[name]] in _NAMING:
        return any(parse.lemmas[n] in _TOO for n in parse.children[parse.heads[name]])
    before = parse.below(name, "det", "amod")
    return parse.entity_types[name] == "PERSON" and any(parse.lemmas[child] in _OTHER for child in before)


def _owners(parse: Parse, noun: int) -> Iterator[int]:
    """Whose a noun is: "her uncle", "the uncle of Ann"."""
    for child in parse.children[noun]:
        if parse.relations[child] == "poss":
            yield child
        elif parse.relations[child] == "prep" and parse.lemmas[child] == "of":
            yield from (owner for owner in parse.below(child, "pobj") if parse.parts[owner] != "NUM")


def _names(parse: Parse, noun: int) -> Iterator[str]:
    """A noun, and with each noun before it ("driver", "bus driver")."""
    lemma = parse.lemmas[noun].lower()
    yield lemma
    before = (n for n in parse.children[noun] if parse.relations[n] == "compound" and parse.parts[n] == "NOUN")
    yield from (f"{parse.lemmas[n].lower()} {lemma}" for n in before)


def argument(parse: Parse, token: int) -> tuple[int, str]:
    """The verb that a noun is the subject or the object of, or behind a preposition, and which of them.

    Of a passive the agent is the subject.

    Nouns that "and" joins have the role of the first; so do verbs that share its subject. -1 and "" without a verb.
    """
    while parse.relations[token] == "conj" and parse.parts[parse.heads[token]] in (*_NOUNS, "PRON"):
        token = parse.heads[token]
    verb, relation = parse.heads[token], parse.relations[token]
    if relation == "pobj" and parse.relations[verb] == "agent":
        return parse.heads[verb], "subject"
    if relation == "pobj" and parse.parts[parse.heads[verb]] == "VERB":
        return parse.heads[verb], "oblique"
    if relation == "nsubj":
        return verb, "subject"
    if relation not in ("nsubjpass", "dobj", "dative") or parse.tags[token] == "PRP$":
        return -1, ""
    while parse.relations[verb] == "conj" and not has_subject(parse, verb):
        verb = parse.heads[verb]
    return verb, "object"


def name_at(parse: Parse, noun: int) -> tuple[int, ...]:
    """The tokens of the name that a noun heads, three at most, with its first name; empty if it is none."""
    if parse.parts[noun] != "PROPN":
        return ()
    before = (
        child
        for child in parse.children[noun]
        if parse.relations[child] == "compound" and parse.parts[child] == "PROPN" and child < noun
    )
    return (*(token for token in before if token > noun - _LONGEST_NAME), noun)


def relative_antecedent(parse: Parse, token: int) -> int:
    """The noun that a relative pronoun refers to ("the man who", "a town in which"); -1 for any other word."""
    if parse.tags[token] not in ("WP", "WDT", "WP$"):
        return -1
    while parse.relations[token] not in ("relcl", "ROOT"):
        token = parse.heads[token]
    return parse.heads[token] if parse.relations[token] == "relcl" else -1


def clause(parse: Parse, token: int) -> int:
    """The verb whose clause a noun is in, beside whose other nouns it stands for something else; -1 if it may be one
    with another of them: in an apposition, behind "and" or "as", with "is" and other verbs that equate.

    Of the pairs of annotated mentions in one clause in ECB+, MEANTIME and GUM (train and dev), 33 of 3,351 corefer.
    """
    while parse.parts[token] not in ("VERB", "AUX"):
        if parse.relations[token] in _MAY_EQUATE or parse.lemmas[token] in _AS:
            return -1
        token = parse.heads[token]
    return -1 if parse.lemmas[token] in _EQUATING else token


def descriptions(parse: Parse, head: int) -> Iterator[int]:
    """The nouns and numbers that say what somebody is: "a roofer", "29" and "who is a roofer" behind a name, "roofer"
    and "a roofer called" before it, and "is a roofer", unless it is denied or only possible."""
    above = parse.heads[head]
    if parse.relations[head] == "appos":
        yield above
    elif parse.lemmas[above] in _NAMING and parse.tags[above] != "VB":
        before = above - 1
        while before and (parse.relations[before] == "advmod" or parse.parts[before] == "PUNCT"):
            before -= 1
        if parse.parts[before] == "NOUN" and (parse.heads[before] != above or parse.tags[above] == "VBN"):
            yield before
    for child in parse.children[head]:
        if parse.relations[child] == "appos":
            yield child
            yield from parse.below(child, "appos")
        elif parse.relations[child] == "compound" and parse.parts[child] == "NOUN":
            yield child
        elif parse.relations[child] == "relcl":
            yield from _predicates(parse, child)
    if parse.relations[head] == "nsubj":
        yield from _predicates(parse, parse.heads[head])


def _predicates(parse: Parse, verb: int) -> Iterator[int]:
    """What a form of "be" says that its subject is."""
    children = parse.children[verb]
    if parse.lemmas[verb] == "be" and not any(parse.relations[n] == "neg" or parse.tags[n] == "MD" for n in children):
        yield from (n for n in children if parse.relations[n] in ("attr", "acomp"))


def _of_subject(parse: Parse, head: int) -> Iterator[int]:
    """What a verb says of the age of its subject: "died at the age of 88"."""
    verb = parse.heads[head]
    for child in parse.children[verb] if parse.relations[head] == "nsubj" and parse.lemmas[verb] == "die" else ():
        yield from (token for token in (child, *parse.below(child, "pobj")) if parse.lemmas[token] in ("age", "aged"))


def _age_behind(words: Sequence[str]) -> int:
    """The number between two commas, or a comma and the end ("Alan Frost, 41, was lost")."""
    is_age = len(words) == 3 and words[0] == "," and words[1].isdecimal() and words[2] in _PAUSES
    return int(words[1]) if is_age and _YOUNGEST <= int(words[1]) <= _OLDEST else 0


def _age(parse: Parse, words: Sequence[str], described: Sequence[int]) -> int:
    """The age of somebody whom words describe: "29", "29 years old", "aged 29", "29-year-old"; 0 if none states it."""
    for token in described:
        near = [token, *parse.children[token]]
        for child in near:
            if found := _YEARS_OLD.fullmatch(words[child]):
                return int(found[1])
            is_number = parse.relations[child] in ("appos", "attr") and not parse.children[child]
            if parse.lemmas[child] in ("old", "aged", "age"):
                inside = (n for below in parse.children[child] for n in (below, *parse.children[below]))
                numbers = [n for n in inside if parse.parts[n] == "NUM"]
            else:
                numbers = [child] if is_number and child in described else []
            for number in numbers:
                if words[number].isdecimal() and _YOUNGEST <= int(words[number]) <= _OLDEST:
                    return int(words[number])
    return 0

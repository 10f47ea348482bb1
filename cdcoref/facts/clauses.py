"""Clauses in a parse: which verb governs a word, in which tense, and which words are about another happening than the
one their sentence reports ("three days after a fire in Portugal", "since 2017, when a blaze killed 66")."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import takewhile

from cdcoref.facts.parsing import Parse
from cdcoref.facts.time_expressions import count_named, days_of_unit
from cdcoref.word_tables import words_in

_WITHOUT_TENSE = frozenset({"conj", "xcomp", "advcl", "pcomp"})
_OF_CLAUSES = frozenset({"ROOT", "relcl", "advcl", "ccomp", "parataxis", "csubj", "csubjpass"})
_AT_DISTANCE = words_in("time_words.tsv", "distance")
_AWAITED = words_in("time_words.tsv", "awaited")
_NOBODY = words_in("function_words.tsv", "nobody")
_DENIAL = words_in("beside_quantities.tsv", "denial")
_INDEFINITE = words_in("time_words.tsv", "indefinite")
_DURING = words_in("time_words.tsv", "during")
_SPANS = words_in("time_words.tsv", "span")
_BEFORE_NEW_DAY = words_in("time_words.tsv", "new day")


@cache
def verbs_about(what: str) -> frozenset[str]:
    """The verbs of a class of the table `verbs.tsv`, in dictionary form."""
    return words_in("verbs.tsv", what)


def is_verb(parse: Parse, token: int) -> bool:
    """Whether a token is a verb or an auxiliary."""
    return parse.parts[token] in ("VERB", "AUX")


def verb_of(parse: Parse, token: int) -> int:
    """The verb whose clause a token is in: itself, or the nearest verb or auxiliary above; else the root."""
    while not is_verb(parse, token) and parse.heads[token] != token:
        token = parse.heads[token]
    return token


def clause_of(parse: Parse, token: int) -> int:
    """The word that a token's clause depends on: a verb with a subject or a tense of its own, or the root."""
    while parse.heads[token] != token:
        if parse.relations[token] in _OF_CLAUSES:
            return token
        if parse.relations[token] == "conj" and is_verb(parse, token) and has_subject(parse, token):
            return token
        token = parse.heads[token]
    return token


def has_subject(parse: Parse, verb: int) -> bool:
    """Whether a verb has a subject of its own."""
    return any(parse.relations[child].startswith("nsubj") for child in parse.children[verb])


def says_no(parse: Parse, word: int) -> bool:
    """Whether a word or a word below it is "not", "nobody" or the like; "27 people, not 31" does not deny the 27."""
    is_noun = parse.parts[word] == "NOUN"
    below = (word, *(child for child in parse.children[word] if child < word or not is_noun))
    return any(parse.relations[one] == "neg" or parse.lemma(one) in _NOBODY for one in below)


def is_denied(parse: Parse, token: int) -> bool:
    """Whether a verb or noun is negated, also by its subject or object ("killed no one"), or its clause is denied.

    What was not done until a day was done then.
    """
    if parse.relations[token] in ("ccomp", "acl"):
        above = parse.heads[token]
        if not _DENIAL.isdisjoint((parse.lemma(above), parse.lemma(parse.heads[above]))):
            return True
    words = (token, *parse.below(token, "nsubj", "nsubjpass", "dobj"))
    is_late = any(parse.lemma(child) == "until" for child in parse.children[token])
    return not is_late and any(says_no(parse, word) for word in words)


def did_not_happen(parse: Parse, token: int) -> bool:
    """Whether a word is about what a text says did not happen, or had only been planned ("had been due to open")."""
    above = parse.heads[token]
    if is_denied(parse, token) or parse.relations[token] != "xcomp":
        return is_denied(parse, token)
    verbs = (above, parse.heads[above]) if parse.lemma(above) in _AWAITED else ()
    before = (child for verb in verbs for child in parse.below(verb, "aux"))
    if any(parse.lemma(child) in verbs_about("moving") for verb in verbs for child in parse.below(verb, "conj")):
        return True  # "was to begin on Monday but has been postponed"
    return is_denied(parse, above) or any(parse.tags[word] == "VBD" and parse.lemma(word) == "have" for word in before)


def has_not_happened(parse: Parse, token: int) -> bool:
    """Whether a token is of what has not happened so far ("nobody has been charged", "no arrests have been made")."""
    verb = verb_of(parse, token)
    is_perfect = any(parse.lemmas[child] == "have" and parse.tags[child] != "VBD" for child in parse.children[verb])
    return is_perfect and (is_denied(parse, token) or is_denied(parse, verb))


def is_in_relative_clause(parse: Parse, token: int) -> bool:
    """Whether a token is in a relative clause, which tells something of a word before it."""
    return any(parse.relations[word] == "relcl" for word in (token, *parse.ancestors(token)))


def looks_elsewhere(parse: Parse, token: int) -> bool:
    """Whether a token is about another happening than the one its sentence reports."""
    opened = (opened_behind(parse, word) for word in (token, *parse.ancestors(token)))
    return any(_depends_on_other(parse, word) for word in (token, *opened) if word is not None)


def _depends_on_other(parse: Parse, token: int) -> bool:
    """Whether a token depends on a word that introduces another happening."""
    for word in (token, *parse.ancestors(token)):
        name = parse.lemma(word)
        if name in ("since", "unlike") and parse.relations[word] == "prep":
            return True
        if parse.relations[word] in ("dobj", "pobj") and not _determiners(parse, word).isdisjoint(_INDEFINITE):
            above = parse.lemma(parse.heads[word])
            if above in verbs_about("comparison") or (above == "after" and "similar" in _determiners(parse, word)):
                return True
        compares = parse.lemma(parse.heads[word]) in verbs_about("comparison")
        if compares and word > parse.heads[word] and parse.relations[word] in ("npadvmod", "prep", "advmod"):
            return True
    return any(days for _, days in distances(parse, token))


def opened_behind(parse: Parse, verb: int) -> int | None:
    """The word behind which "when" or "where" opens the clause of a verb ("since 2017, when a blaze ..."), if any."""
    for child in parse.children[verb]:
        if child < verb and parse.relations[child] == "advmod" and parse.lemma(child) in ("when", "where"):
            before = child - 1 - (child > 1 and parse.tags[child - 1] == ",")
            return before if before >= 0 and parse.parts[before] != "PUNCT" else None
    return None


def distances(parse: Parse, token: int) -> Iterator[tuple[int, int]]:
    """The "three days after" that a token depends on: the word "after", and how many days later the token is (-3)."""
    for word in (token, *parse.ancestors(token)):
        is_main = parse.heads[word] == word  # a root with a mark is a misparsed clause
        marks = [] if is_main else parse.below(word, "mark")
        if parse.relations[word] == "advcl":  # "three days after a fire killed five", where "killed" depends on "came"
            beside = parse.children[parse.heads[word]]
            marks += [
                child for child in beside if parse.relations[child] == "prep" and parse.heads[word] < child < word
            ]
        for mark in (word, *marks):
            name = parse.lemma(mark)
            if name in _AT_DISTANCE and (days := _distance(parse, mark)) is not None:
                yield mark, days if name == "before" else -days


def _distance(parse: Parse, mark: int) -> int | None:
    """The days of "three days" before "after"; None if there are none. "Hours after" is the same day."""
    if mark < 2 or (unit := days_of_unit(parse.lemma(mark - 1))) is None:
        return None
    if parse.lemma(mark - 2) == "the":
        is_long = mark > 3 and parse.lemma(mark - 3) == "to" and days_of_unit(parse.lemma(mark - 4)) is not None
        is_main = any(parse.heads[word] == word for word in (mark, *parse.ancestors(mark)) if word < mark)
        return 1 if is_main and not is_long else None  # "ten years to the day after"
    count = count_named(parse.lemma(mark - 2))
    return None if count is None else count * unit


def _determiners(parse: Parse, noun: int) -> frozenset[str]:
    return frozenset(parse.lemma(child) for child in parse.children[noun] if parse.relations[child] in ("det", "amod"))


def reported_at(parse: Parse, time: int) -> int | None:
    """The reporting verb directly before a time, which is that of the report ("said on Monday it would")."""
    verb = time - 1 - (parse.lemma(time - 1) == "on")
    is_own = verb >= 0 and parse.parts[verb] == "VERB" and parse.relations[time] in ("pobj", "npadvmod")
    return verb if is_own and parse.lemma(verb) in verbs_about("report") else None


def is_plan(parse: Parse, verb: int) -> bool:
    """Whether a verb says for when something is planned, rather than when that was done ("scheduled for Friday")."""
    below = {parse.lemma(child) for child in parse.children[verb] if parse.relations[child] == "prep"}
    name = parse.lemma(verb)
    return parse.tags[verb] == "VBN" and name in _AWAITED and ("for" in below or name == "expect")


def calls_off(parse: Parse, verb: int) -> bool:
    """Whether a verb cancels or postpones something ("called off", "postponed"): its day is not that of its object."""
    is_off = parse.lemma(verb) == "call" and "off" in map(parse.lemma, parse.below(verb, "prt"))
    return is_off or parse.lemma(verb) in verbs_about("moving")


def puts_off(parse: Parse, verb: int, token: int) -> bool:
    """Whether a verb moves something to the day of a token ("postponed to Friday", "put off until May")."""
    between = takewhile(lambda word: word != verb, parse.ancestors(token))
    return parse.lemma(verb) in verbs_about("moving") and not _BEFORE_NEW_DAY.isdisjoint(map(parse.lemma, between))


def above_in_phrase(parse: Parse, token: int) -> Iterator[int]:
    """The words above a token below its verb."""
    return takewhile(lambda word: not is_verb(parse, word), parse.ancestors(token))


def looks_ahead(parse: Parse, token: int) -> bool | None:
    """Whether the clause of a token is about what is still to come, by its tense; None if it has no verb.

    The present tense counts, as in "opens on Friday". A verb without a tense has that of the verb above it. Of what a
    time only modifies, nothing is known unless it is the subject of a modal verb ("Friday's vote will").
    """
    before = takewhile(lambda word: not is_verb(parse, word) and parse.tags[word] != ".", range(token - 1, -1, -1))
    is_ranked = any(parse.tags[word] in ("JJS", "RBS") or parse.entity_types[word] == "ORDINAL" for word in before)
    if is_ranked and parse.relations[token] == "prep":
        return None  # "the worst drought in 40 years", "the third crash in a week"
    says = reported_at(parse, token)
    verb = verb_of(parse, token) if says is None else says
    beside = range(token, min(token + 2, len(parse.heads)))  # "the weekend"
    noun = next((parse.heads[word] for word in beside if parse.relations[word] in ("compound", "poss", "nmod")), None)
    if noun is not None and (parse.tags[noun] not in ("NN", "NNS") or parse.lemma(noun) in _SPANS):
        noun = None  # "Black Friday", "on Friday night"
    is_no_subject = noun is not None and not (parse.heads[noun] == verb and parse.relations[noun].startswith("nsubj"))
    above = parse.heads[token]
    modifies = parse.relations[token] == "npadvmod" and parse.entity_types[above] != "TIME"  # "a fire Sunday"
    preposition = verb if noun is None else parse.heads[noun]
    is_within = parse.heads[preposition] == verb and parse.lemma(preposition) in _DURING
    of_noun = noun is not None or (modifies and parse.tags[above] in ("NN", "NNS"))
    while is_verb(parse, verb):
        auxiliaries = [child for child in parse.children[verb] if parse.relations[child].startswith("aux")]
        tags = {parse.tags[verb], *(parse.tags[child] for child in auxiliaries)}
        lemmas = {parse.lemmas[child] for child in auxiliaries}
        if is_plan(parse, verb) or puts_off(parse, verb, token):
            return True
        if "MD" in tags and is_no_subject and not is_within:  # "in Friday's race Maas will"
            return None
        if "MD" in tags:
            return "have" not in lemmas
        if "VBD" in tags or "have" in lemmas:
            return False
        is_passive = any(parse.relations[child] == "auxpass" for child in auxiliaries)
        if parse.lemma(verb) in verbs_about("inquiry") and not is_passive:  # "is investigating a fire on Friday"
            return None
        if "TO" in tags and parse.relations[verb] == "xcomp" and parse.lemma(parse.heads[verb]) in verbs_about("phase"):
            verb = parse.heads[verb]  # "began to search on Tuesday"
            continue
        if "TO" not in tags and not tags.isdisjoint(("VBZ", "VBP")):
            return None if of_noun else True
        if "TO" in tags and parse.relations[verb] != "advcl":
            return True
        if parse.tags[verb] == "VBN":
            awaited = parse.lemma(verb) in _AWAITED  # "a meeting set to take place on Friday"
            return awaited and any(parse.relations[child] in ("xcomp", "advcl") for child in parse.children[verb])
        if parse.relations[verb] not in _WITHOUT_TENSE:
            return None
        verb = verb_of(parse, parse.heads[verb])
    return None

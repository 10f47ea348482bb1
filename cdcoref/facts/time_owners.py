"""Which events a time belongs to, by the parse: its phrase and the events of a sentence in, the events out.

A time belongs to the word that its phrase depends on, with the subject and the object of a verb, and with the verbs
that are joined to it and have no time of their own. What a verb reports, a relative clause and a clause with a
conjunction have times of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from cdcoref.facts.parsing import Parse
from cdcoref.facts.word_tables import rows

ARGUMENTS = frozenset({"nsubj", "nsubjpass", "dobj", "attr"})
_CLOSE = frozenset({"poss", "compound", "amod", "nummod", "nmod", "appos"})
_ABOUT_OTHERS = frozenset(row["verb"] for row in rows("verbs.tsv"))
"""Verbs whose objects are happenings with days of their own: what is reported, or looked into later."""
_JOINED = frozenset({"conj", "xcomp"})


def governor(parse: Parse, tokens: Sequence[int], events: Mapping[int, object]) -> int:
    """The word that a phrase belongs to: a verb, or a noun that is an event or that it modifies closely.

    Parameters
    ----------
    parse
        Of the document.
    tokens
        Of the phrase.
    events
        Head tokens of event mentions.
    """
    token = parse.head_of(tokens)
    relation, preposition = parse.relations[token], ""
    while parse.heads[token] != token:
        relation, token = parse.relations[token], parse.heads[token]
        part = parse.parts[token]
        if part in ("VERB", "AUX") or token in events:
            return token
        if part in ("ADP", "SCONJ"):
            preposition = parse.lemmas[token].casefold()
        elif part in ("NOUN", "PROPN", "PRON", "NUM") and (relation in _CLOSE or preposition == "of"):
            return token
    return token


def owners(parse: Parse, word: int, events: Mapping[int, int], timed: frozenset[int]) -> list[int]:
    """The numbers of the events that have the time which a word governs.

    Parameters
    ----------
    parse
        Of the document.
    word
        The word that the time belongs to.
    events
        The numbers of event mentions by their head tokens.
    timed
        The words that other times of the sentence belong to.
    """
    if parse.parts[word] not in ("VERB", "AUX"):
        return [events[word]] if word in events else []
    found: dict[int, None] = {}
    for verb in _joined(parse, word, timed):
        for token in (verb, *_arguments(parse, verb)):
            if token in events and (token == word or token not in timed):
                found[events[token]] = None
    return list(found)


def _joined(parse: Parse, verb: int, timed: frozenset[int]) -> Iterator[int]:
    """A verb, and those that are joined to it without a time of their own."""
    yield verb
    above, below = verb, [verb]
    while parse.relations[above] in _JOINED and parse.heads[above] not in timed:
        above = parse.heads[above]
        if not _is_verb(parse, above):
            break
        yield above
    while below:
        token = below.pop()
        for child in parse.children[token]:
            if child in timed or not _is_verb(parse, child):
                continue
            manner = parse.relations[child] == "advcl" and parse.tags[child] == "VBG" and child > token
            if (
                parse.relations[child] == "xcomp"
                or manner
                or (parse.relations[child] == "conj" and _shares(parse, child))
            ):
                yield child
                below.append(child)


def _shares(parse: Parse, verb: int) -> bool:
    """Whether a joined verb has no subject of its own, nor another tense ("bought in 2009, and has since sold")."""
    children = [(parse.relations[child], parse.lemmas[child]) for child in parse.children[verb]]
    return not any(relation.startswith("nsubj") or (relation, lemma) == ("aux", "have") for relation, lemma in children)


def _is_verb(parse: Parse, token: int) -> bool:
    return parse.parts[token] in ("VERB", "AUX")


def _arguments(parse: Parse, verb: int) -> Iterator[int]:
    """The heads of a verb's subjects and objects, with nouns that are joined to them."""
    head = parse.heads[verb]
    if parse.relations[verb] == "acl" and parse.heads[head] == head:
        yield head  # the subject of a verb that looks like a participle
    for child in parse.children[verb]:
        if parse.relations[child] in ARGUMENTS and parse.lemmas[verb] not in _ABOUT_OTHERS:
            yield child
            yield from (joined for joined in parse.children[child] if parse.relations[joined] == "conj")

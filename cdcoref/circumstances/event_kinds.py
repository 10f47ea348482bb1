"""Whom an event is of: "Genk signed Piet Maas", "Piet Maas joined Genk", "Maas's move" are of one kind, and of one
person."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from cdcoref.facts import Parse, has_subject, is_verb, name_at
from cdcoref.word_tables import rows

OBJECT, SUBJECT, _NOUN = "object", "subject", "noun"
_KIND_OF = {
    word: (row["kind"], role)
    for row in rows("event_kinds.tsv")
    for role in (OBJECT, SUBJECT, _NOUN)
    for word in row[role].split()
}
_OF_PEOPLE = frozenset(row["kind"] for row in rows("event_kinds.tsv") if row[OBJECT] or row[SUBJECT])


def kind_of(lemma: str) -> str:
    """The kind of an event that is of people, by its dictionary form; empty if it has none."""
    kind = _KIND_OF.get(lemma, ("", ""))[0]
    return kind if kind in _OF_PEOPLE else ""


def kind_of_noun(lemma: str) -> str:
    """The kind of an event that is of nobody, by its noun; empty if it has none."""
    kind = _KIND_OF.get(lemma, ("", ""))[0]
    return "" if kind in _OF_PEOPLE else kind


def _name(parse: Parse, words: Sequence[str], noun: int) -> tuple[str, ...]:
    """The words of a name, in lower case; of a noun, those of the name behind it ("the defender Piet Maas")."""
    behind = (child for child in parse.children[noun] if parse.relations[child] == "appos")
    names = (name_at(parse, token) for token in (noun, *behind))
    name = next(filter(None, names), ())
    return tuple(words[token].casefold() for token in name if words[token][:1].isupper())


def surnames_of(parse: Parse, words: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The full names of a document by their last words, in lower case; those of several are left out."""
    found: dict[str, set[tuple[str, ...]]] = {}
    for token in range(len(words)):
        if parse.relations[token] != "compound" and len(name := _name(parse, words, token)) > 1:
            found.setdefault(name[-1], set()).add(name)
    return {last: next(iter(names)) for last, names in found.items() if len(names) == 1}


def theme(parse: Parse, words: Sequence[str], event: int, surnames: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """The name of the person that an event is of, in lower case: the full one if the document has only one such.

    Empty if the event is of no kind of people's, or names nobody.
    """
    kind, role = _KIND_OF.get(parse.lemmas[event].casefold(), ("", ""))
    if kind not in _OF_PEOPLE:
        return ()
    wanted = SUBJECT if role == SUBJECT and is_verb(parse, event) else OBJECT
    for noun in (noun for role, noun in names_in_roles(parse, event) if role == wanted):
        if name := _name(parse, words, noun):
            return name if len(name) > 1 else surnames.get(name[0], name)
    return ()


def names_in_roles(parse: Parse, event: int) -> Iterator[tuple[str, int]]:
    """The nouns that are its subject or object, or stand behind a preposition, each with that role.

    Who a noun belongs to, or what it is of, is its object ("Maas's arrest").
    """
    is_clause = is_verb(parse, event)
    related = [(parse.relations[child], child) for child in parse.children[event]]
    if parse.relations[event] in ("conj", "xcomp") and not has_subject(parse, event):
        above = parse.children[parse.heads[event]]
        related += [(parse.relations[child], child) for child in above if parse.relations[child].startswith("nsubj")]
    for relation, child in related:
        if relation == "nsubj":
            yield SUBJECT, child
        elif relation in ("dobj", "nsubjpass", "poss"):
            yield OBJECT, child
        elif relation in ("prep", "agent"):
            name = parse.lemmas[child].casefold()
            role = OBJECT if name == "of" and not is_clause else name
            yield from ((role, noun) for noun in parse.children[child] if parse.relations[noun] == "pobj")

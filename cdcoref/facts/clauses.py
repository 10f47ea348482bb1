"""Clauses in a parse: which verb governs a word, in which tense, and which clauses look at another happening."""

from __future__ import annotations

from cdcoref.facts.parsing import Parse


def verb_of(parse: Parse, token: int) -> int:
    """The verb whose clause a token is in: itself, or the nearest verb or auxiliary above; else the root."""
    while parse.parts[token] not in ("VERB", "AUX") and parse.heads[token] != token:
        token = parse.heads[token]
    return token


def looks_ahead(parse: Parse, token: int) -> bool | None:
    """Whether the clause of a token is about what is still to come, by its tense; None if it has no verb.

    The present tense counts, as in "opens on Friday". A verb without a tense has that of the verb above it.
    """
    verb = verb_of(parse, token)
    while parse.parts[verb] in ("VERB", "AUX"):
        auxiliaries = [child for child in parse.children[verb] if parse.relations[child].startswith("aux")]
        tags = {parse.tags[verb], *(parse.tags[child] for child in auxiliaries)}
        lemmas = {parse.lemmas[child] for child in auxiliaries}
        if "MD" in tags:
            return "have" not in lemmas
        if "VBD" in tags or "have" in lemmas:
            return False
        if not tags.isdisjoint(("TO", "VBZ", "VBP")):
            return True
        if parse.tags[verb] == "VBN":
            return False
        if parse.relations[verb] not in _WITHOUT_TENSE:
            return None
        verb = verb_of(parse, parse.heads[verb])
    return None


_WITHOUT_TENSE = frozenset({"conj", "xcomp", "advcl", "pcomp"})

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

    The present tense counts, as in "opens on Friday". A verb without a tense has that of the verb above it. Of what a
    time only modifies, nothing is known unless it is the subject of a modal verb ("Friday's vote will").
    """
    verb = verb_of(parse, token)
    beside = range(token, min(token + 2, len(parse.heads)))  # "the weekend"
    noun = next((parse.heads[word] for word in beside if parse.relations[word] in ("compound", "poss", "nmod")), None)
    if noun is not None and parse.tags[noun] not in ("NN", "NNS"):
        noun = None  # "Black Friday"
    is_no_subject = noun is not None and not (parse.heads[noun] == verb and parse.relations[noun].startswith("nsubj"))
    while parse.parts[verb] in ("VERB", "AUX"):
        auxiliaries = [child for child in parse.children[verb] if parse.relations[child].startswith("aux")]
        tags = {parse.tags[verb], *(parse.tags[child] for child in auxiliaries)}
        lemmas = {parse.lemmas[child] for child in auxiliaries}
        if "MD" in tags and is_no_subject:
            return None
        if "MD" in tags:
            return "have" not in lemmas
        if "VBD" in tags or "have" in lemmas:
            return False
        if "TO" not in tags and not tags.isdisjoint(("VBZ", "VBP")):
            return True if noun is None else None
        if "TO" in tags and parse.relations[verb] != "advcl":
            return True
        if parse.tags[verb] == "VBN":
            return False
        if parse.relations[verb] not in _WITHOUT_TENSE:
            return None
        verb = verb_of(parse, parse.heads[verb])
    return None


_WITHOUT_TENSE = frozenset({"conj", "xcomp", "advcl", "pcomp"})

"""What clusters are called: the wording by which people recognise one; of an event, who and what, from the parse."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from cdcoref.corpus import Mention, mention_text
from cdcoref.facts import Parse, is_denied, says_no
from cdcoref.language import PRONOUNS, TITLES, is_common_word
from cdcoref.reading import Reading, Readings
from cdcoref.reports.ranking import is_in_dateline
from cdcoref.word_tables import words_in

_CONSEQUENCES = words_in("label_words.tsv", "consequence")
_SHORTEST_SHOUTED = 4
"""Letters from which a common word in capitals is no abbreviation, but from a headline."""
LONGEST_NAME = 6
"""In words; what is longer is more than a name."""
_RARE = 10
"""A longer name that goes on behind a name ("Boeing Commercial Airplanes") counts if one in this many has it."""
_PRONOUNS = PRONOUNS - {"here", "then"} | {"one", "_"}
"""What names nothing alone, as an empty node ("_"): "here" and "then" may be all that a cluster is called."""
_ARTICLES = words_in("function_words.tsv", "article")
_PARTICLES = words_in("label_words.tsv", "particle")
"""Words inside names that have no capital."""


def cluster_label(wordings: Iterable[str]) -> str:
    """The label of a cluster.

    >>> cluster_label(["Lark", "Lark", "the Sea Lark", "her", "her", "her"])
    'Sea Lark'
    >>> cluster_label(["Rohm", "Rohm", "Rohm", "Ida Rohm", "Ida Rohm", "Minister Rohm"])
    'Ida Rohm'
    >>> cluster_label(["the ferry", "a ferry", "the ferry"])
    'the ferry'
    >>> cluster_label(["coach", "coach", "coach", "Roarke", "Declan Roarke", "he"])
    'Declan Roarke'
    """
    spellings: dict[str, Counter[str]] = {}
    for wording in wordings:
        spellings.setdefault(wording.casefold(), Counter())[wording] += 1
    counts = {folded: spellings[folded].total() for folded in sorted(spellings)}
    spelling = {folded: max(spelled, key=lambda text: (spelled[text], text)) for folded, spelled in spellings.items()}
    best = max(counts, key=lambda text: (text not in _PRONOUNS, counts[text], len(text)))
    names = {folded: name for folded in counts if (name := _name(spelling[folded]))}
    # "Chief executive" at the beginning of a sentence is no name.
    if spelling[best].rpartition(" ")[2].islower() or (best in names and _is_pronoun_or_common(names[best])):
        proper = [text for text, name in names.items() if not _is_pronoun_or_common(name)]
        if 2 * sum(counts[text] for text in proper) >= counts[best]:
            best = max(proper, key=lambda text: (counts[text], len(text)), default=best)
    first = best
    while best in names and len(names[best]) - (names[best][0].rstrip(".") in TITLES) < 2:
        fuller = [t for t in names if _is_fuller(names[t], names[best], rare=counts[t] * _RARE < counts[best])]
        if not fuller:
            break
        best = max(fuller, key=lambda text: (counts[text], len(text)))
    label = spelling[best]
    return label if best == first else " ".join(label.split()[-len(names[best]) :])


def full_wording(mention: Mention, reading: Reading) -> str:
    """The words of a mention, or of the longer name whose head it is: "Bank of England" for "Bank"."""
    name = reading.parse.longer_name(mention.tokens)
    if name is not None and reading.parse.head_of(name) in mention.tokens:
        mention = replace(mention, tokens=tuple(name))
    return mention_text(mention, reading.document)


def event_label(mentions: Sequence[Mention], readings: Readings) -> str:
    """The label of an event: its name, or else who and what (:func:`event_name`), or else its words.

    A name comes before a noun, a noun before a verb, and what happened before what came of it.
    """
    ranks = [_rank(readings[mention.document], mention) for mention in mentions]
    best = max(ranks)
    chosen = [m for m, rank in zip(mentions, ranks, strict=True) if rank == best]
    label = cluster_label([mention_text(mention, readings[mention.document].cased) for mention in chosen])
    if best not in (_NAME, _PRONOUN) and (name := event_name(mentions, readings)) is not None:
        return name
    words = label.split()
    words = words[len(words) > 1 and words[0].casefold() in _ARTICLES :]
    label = " ".join(words)
    shouted = label.isupper() and all(len(word) >= _SHORTEST_SHOUTED and is_common_word(word.lower()) for word in words)
    return label.lower() if shouted or best == _VERB else label


def is_pronoun(wording: str) -> bool:
    """Whether words are a pronoun alone."""
    return wording.casefold() in _PRONOUNS


_PRONOUN, _VERB, _CONSEQUENCE, _NOUN, _NAME = range(5)
"""Ranks of the mentions of an event for its label, the best last."""


def _rank(reading: Reading, mention: Mention) -> int:
    wording = mention_text(mention, reading.cased)
    if is_pronoun(wording) or not wording.split():
        return _PRONOUN
    head = reading.parse.head_of(mention.tokens)
    if reading.parse.parts[head] not in ("NOUN", "PROPN"):
        return _VERB
    if len(_name(wording)) > 1 and not wording.isupper():
        return _NAME
    return _CONSEQUENCE if reading.document.tokens[head].casefold() in _CONSEQUENCES else _NOUN


def _name(wording: str) -> tuple[str, ...]:
    """The words of a name without its article, folded; none if it is no name."""
    words = wording.split()
    if len(words) > 1 and words[0].casefold() in _ARTICLES:
        del words[0]
    ends = words and words[0][0].isupper() and words[-1][0].isupper() and not words[-1].endswith(("'s", "’s"))
    if not ends or len(words) > LONGEST_NAME or not all(w[0].isupper() or w in _PARTICLES for w in words):
        return ()
    return tuple(map(str.casefold, words))


def _is_pronoun_or_common(name: Sequence[str]) -> bool:
    """Whether the words of a name are capitalised for another reason: "I", "They're", "Families"."""
    return all(word.partition("'")[0] in _PRONOUNS or is_common_word(word) for word in name)


def _is_fuller(one: tuple[str, ...], other: tuple[str, ...], *, rare: bool) -> bool:
    """Whether a name is another one with more words before it or, if it is not rare, after it."""
    return len(one) > len(other) and (other == one[-len(other) :] or (not rare and other == one[: len(other)]))


_TELLING = 2.0
"""The lowest `worth` at which a phrase counts as saying who or what."""
MOST_WORDS = 9
MOST_OF = 4
"""Words of a phrase with which what it is of still stands."""
_NAMED = frozenset({"PERSON", "NORP", "ORG", "GPE", "FAC", "LOC"})
_NOT_SHOWN = frozenset({"DATE", "TIME", "GPE"})
"""Types of names that are left out of the names of events, since lists show days and places beside them."""
_PRONOUN_TAGS = frozenset({"PRP", "PRP$", "DT", "WP", "WP$", "WDT", "EX"})
_DIRECTIONS = words_in("function_words.tsv", "preposition") | words_in("label_words.tsv", "completing")
"""Prepositions, and what else may complete a verb ("ran aground")."""
_QUOTES_AND_BRACKETS = frozenset('"“”()[]') | {"``", "''", "-LRB-", "-RRB-"}
_IN_PHRASE = frozenset({"compound", "nummod", "amod", "quantmod", "nmod", "poss"})


@dataclass(frozen=True, slots=True)
class _Phrase:
    """What one mention says happened; `worth` grows with what it says."""

    words: str
    lemma: str
    worth: float


def event_name(mentions: Sequence[Mention], readings: Readings) -> str | None:
    """Who and what, from the mention whose clause or phrase says most; None if none says more than its own words."""
    phrases = [phrase for mention in mentions if (phrase := _phrase(readings, mention)) is not None]
    counts = Counter(phrase.lemma for phrase in phrases)
    best = max(phrases, key=lambda phrase: (phrase.worth, counts[phrase.lemma], -len(phrase.words)), default=None)
    return None if best is None else best.words


def telling_mentions(mentions: Sequence[Mention], readings: Readings) -> list[Mention]:
    """The mentions of an event whose clause or phrase says who or what; all of them if none does."""
    phrases = (_phrase(readings, mention) for mention in mentions)
    found = [m for m, phrase in zip(mentions, phrases, strict=True) if phrase is not None and phrase.worth >= _TELLING]
    return found or list(mentions)


def is_bare(mentions: Sequence[Mention], label: str, readings: Readings) -> bool:
    """Whether the name of an event is a word that is no noun, so that it does not say who or what."""
    return len(label.split()) < 2 and all(_rank(readings[m.document], m) in (_PRONOUN, _VERB) for m in mentions)


def _phrase(readings: Readings, mention: Mention) -> _Phrase | None:
    reading = readings[mention.document]
    parse = reading.parse
    head = parse.head_of(mention.tokens)
    if parse.parts[head] == "ADJ" and parse.relations[head] == "acomp":  # "the sea was rough"
        head = parse.heads[head]
    is_clause = parse.parts[head] in ("VERB", "AUX")
    tokens, worth = _clause(parse, head) if is_clause else _noun(parse, head)
    if not worth or len(tokens) > MOST_WORDS or is_in_dateline(reading.document, tokens[0]):
        return None
    return _Phrase(_text(reading, tokens), parse.lemmas[head], worth)


def _clause(parse: Parse, verb: int) -> tuple[list[int], float]:
    """The tokens of a verb with its subject and object, in the order of the name; 0 if there is neither."""
    subject, passive = _subject(parse, verb)
    who = _noun_phrase(parse, subject)
    related = {parse.relations[child]: child for child in reversed(parse.children[verb])}
    what = _noun_phrase(parse, related.get("dobj"))
    if "dobj" in related and parse.entity_types[related["dobj"]] == "TIME":  # "was walking 7 p.m."
        what = []
    if "agent" in related and (agent := _object_of(parse, related["agent"])):
        what = [related["agent"], *agent]
    if not who and not what:
        return [], 0.0
    helpers = [child for child in parse.children[verb] if parse.relations[child] in ("aux", "neg") and child < verb]
    infinitive = any(parse.tags[child] == "TO" for child in helpers)
    negated = any(parse.relations[child] == "neg" for child in helpers)
    if not who and not negated:
        helpers = []
    if helpers:
        helpers += [child for child in parse.children[verb] if parse.relations[child] == "auxpass" and child < verb]
    particles = [child for child in parse.children[verb] if _completes(parse, verb, child, what)]
    plain = not helpers and parse.tags[verb] in ("VBD", "VBZ", "VBP", "VBN")
    # After a participle a subject may be its object: "a ferry carrying passengers sank".
    doubtful = bool(who) and who[0] > 0 and parse.tags[who[0] - 1] == "VBG"
    where = [] if what and (who or parse.tags[verb] != "VBG") else _prepositional_phrase(parse, verb)
    says_more = bool(what or passive or particles or where)
    doubtful |= parse.relations[verb] == "acl" and not says_more
    denied = 3.0 * (negated or is_denied(parse, verb))
    worth = 2.0 * bool(who) + says_more + 0.5 * plain - denied - 1.5 * (doubtful or infinitive)
    return [*who, *sorted(helpers), verb, *sorted((*particles, *what, *where))], max(worth, 0.1)


def _completes(parse: Parse, verb: int, word: int, what: Sequence[int]) -> bool:
    """Whether a word completes a verb: "broke off", "was pronounced dead", but not "capsized off" before a place."""
    relation = parse.relations[word]
    following = word + 1 if word + 1 < len(parse.parts) and word + 1 not in what else word
    if relation == "prt" and parse.parts[following] == "PROPN":
        return parse.entity_types[following] in ("DATE", "TIME")
    is_particle = relation == "advmod" and word == verb + 1 and parse.lemma(word) in _DIRECTIONS
    is_age = parse.tags[word] == "CD" and parse.relations[word - 1] == "acomp"  # "died aged 91"
    return word > verb and (is_particle or is_age or relation in ("prt", "acomp", "oprd"))


def _prepositional_phrase(parse: Parse, verb: int) -> list[int]:
    """The tokens of the first phrase behind a verb that says neither when nor in what city: "into the clinic"."""
    for child in parse.children[verb]:
        phrase = [] if child < verb or parse.relations[child] != "prep" else _object_of(parse, child)
        if 0 < len(phrase) <= MOST_OF and not _NOT_SHOWN.intersection(parse.entity_types[token] for token in phrase):
            return [child, *phrase]
    return []


def _subject(parse: Parse, verb: int) -> tuple[int | None, bool]:
    """Who does it, or to whom it is done, which the second value says."""
    for child in parse.children[verb]:
        if parse.relations[child] in ("nsubj", "nsubjpass"):
            passive = parse.relations[child] == "nsubjpass"
            relative = parse.tags[child] in ("WP", "WDT") and parse.relations[verb] == "relcl"
            return (parse.heads[verb] if relative else child), passive
    above = parse.heads[verb]
    if parse.relations[verb] == "acl" and parse.tags[verb] in ("VBN", "VBG"):
        return above, parse.tags[verb] == "VBN"
    if parse.relations[verb] in ("conj", "xcomp") and parse.parts[above] == "VERB" and above != verb:
        asked = next((child for child in parse.children[above] if parse.relations[child] == "dobj"), None)
        if asked is not None and parse.relations[verb] == "xcomp":  # "the owner asked the crew to leave"
            return asked, False
        passive = any(parse.relations[child] == "auxpass" for child in parse.children[verb])
        return _subject(parse, above)[0], passive
    return None, False


def _noun(parse: Parse, noun: int) -> tuple[list[int], float]:
    """The tokens of a noun with whose or what of it is; 0 if it stands alone."""
    phrase = _noun_phrase(parse, noun)
    says_whose = any(parse.relations[t] in ("poss", "compound", "prep") for t in phrase if parse.heads[t] == noun)
    return phrase, 2.5 * says_whose


def _object_of(parse: Parse, preposition: int) -> list[int]:
    nouns = (child for child in parse.children[preposition] if parse.relations[child] == "pobj")
    return _noun_phrase(parse, next(nouns, None))


def _noun_phrase(parse: Parse, noun: int | None) -> list[int]:
    """A noun with its name, number, owner and adjectives, and what it is of; nothing for a pronoun or a dateline."""
    if noun is None or (parse.tags[noun] in _PRONOUN_TAGS and not says_no(parse, noun)):
        return []
    name = parse.longer_name((noun,))
    if name is not None and parse.head_of(name) == noun and len(name) < MOST_WORDS:  # "Procter & Gamble"
        return [*name]
    children = parse.children[noun]
    of = [c for c in children if parse.relations[c] == "prep" and parse.lemmas[c].lower() == "of"]
    if parse.parts[noun] not in ("NOUN", "PROPN") and not of and not says_no(parse, noun):
        return []
    found = [noun, *(child for child in parse.below(noun, "det") if says_no(parse, child))]
    for child in parse.children[noun]:
        is_day = parse.relations[child] in ("nmod", "poss") and parse.entity_types[child] == "DATE"  # "a year's"
        if parse.relations[child] in _IN_PHRASE and parse.tags[child] not in _PRONOUN_TAGS and not is_day:
            found += _below(parse, child)
    phrase = list(range(min(found), max(found) + 1))
    phrase = phrase if len(phrase) < MOST_WORDS else [noun]
    owner = [token for child in of[:1] for token in (child, *_object_of(parse, child))]
    says_when = any(parse.entity_types[token] in ("DATE", "TIME") for token in owner)
    return [*phrase, *owner] if 1 < len(owner) <= MOST_OF and len(phrase) <= MOST_OF and not says_when else phrase


def _below(parse: Parse, token: int) -> Iterator[int]:
    """A token and all that depends on it, but articles, whatever a parse takes them for, and possessive pronouns."""
    if parse.relations[token] != "det" and parse.tags[token] != "PRP$" and parse.lemma(token) not in _ARTICLES:
        yield token
    for child in parse.children[token]:
        yield from _below(parse, child)


def _text(reading: Reading, tokens: Sequence[int]) -> str:
    """The words as they stand inside a sentence, without quotation marks and brackets."""
    document, parse = reading.cased, reading.parse
    text, before = "", -1
    for token in tokens:
        word = document.tokens[token]
        short_verb = word.startswith(("'", "’")) and parse.parts[token] in ("AUX", "VERB")  # "the groups've worked"
        if short_verb or word in _QUOTES_AND_BRACKETS:
            continue
        begins = document.sentence_at(token)[0] == token
        head_part = parse.parts[parse.heads[token]] if parse.entity_types[token] else ""  # "Port Elm"
        may_be_named = parse.entity_types[token] in _NAMED or word in reading.surnames
        is_named = may_be_named and not is_common_word(word.lower())
        is_name = is_named or "PROPN" in (parse.parts[token], head_part)
        lowers = begins and not word.isupper() and not is_name and not word[1:].isupper()
        adjacent = before == token - 1 and document.offsets[before][1] == document.offsets[token][0]
        joined = adjacent or word.startswith(("'", "’")) or word == "n't" or "-" in (word, text[-1:])
        text += ("" if joined or not text else " ") + (word[:1].lower() + word[1:] if lowers else word)
        before = token
    return text

"""Antecedents of pronouns: the mentions of a document and their vectors in, for each pronoun its best antecedent out,
if it is likelier than none, among `BEFORE` mentions before it and `AFTER` after it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import torch
from numpy.typing import NDArray

from cdcoref.corpus import Corpus
from cdcoref.inputs import Integers
from cdcoref.language import MentionFacts, different_names
from cdcoref.model import ANAPHORS, CorefModel
from cdcoref.reading import Readings

BEFORE = 50
AFTER = 5
SPEAKERS = ("i", "we", "you")
"""Classes of the pronouns that refer to who speaks or is spoken to."""
SAME_SPEAKER = 3.0
"""The log-odds that a pronoun refers to the same as the one before it by :func:`_same_speaker`: 6,937 of 7,294 do in
the train splits of GUM, LitBank and Invented Texts."""
REFLEXIVE = ("self", "selves")
"""Ends of the pronouns that are an object and refer to the subject."""
PAIRS_AT_ONCE = 65_536
"""Pairs whose hidden layers are in memory at the same time."""

Numbers = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Anaphora:
    """The pronouns of a document and their candidates.

    `classes`: The place of each mention's class in `ANAPHORS`. *Shape:* (mentions,)
    `known`: What is known of each mention: plural, name, definiteness, first of its sentence, how often its head came
        before, its length, whether it is quoted. *Shape:* (mentions, 7)
    `pronouns`, `candidates`: Positions of mentions, pronoun by pronoun in the order of the text. *Shape:* (pairs,)
    `pairs`: Distance in mentions and in sentences, whether they are in one sentence, whether the candidate comes after,
        whether their classes are equal, whether it contains the pronoun, whether it is next to it; how their quotations
        differ; how many such candidates stand between. *Shape:* (pairs, 15)
    `sizes`: Candidates of every pronoun.
    """

    classes: Integers
    known: Numbers
    pronouns: Integers
    candidates: Integers
    pairs: Numbers
    sizes: tuple[int, ...]


def anaphora(seen: Sequence[MentionFacts]) -> Anaphora:
    """The pronouns among the mentions of one kind in one document, and their candidates."""
    order = sorted(range(len(seen)), key=lambda n: (seen[n].start, seen[n].end))
    classes = np.array([ANAPHORS.index(one.words.pronoun) for one in seen], dtype=np.int64)
    known = np.zeros((len(seen), 7), dtype=np.float32)
    heads: dict[str, int] = {}
    sentences: set[int] = set()
    for number in order:
        one = seen[number]
        words = one.words
        last = words.words[-1]
        earlier = heads.get(words.head, 0)
        plural, first = last != words.head and last.endswith("s"), one.sentence not in sentences
        length = one.end - one.start
        quoted = one.quotation > 0
        known[number] = (plural, bool(words.names), words.definite, first, np.log1p(earlier), length, quoted)
        heads[words.head] = earlier + 1
        sentences.add(one.sentence)
    ordered = np.array(order, dtype=np.int64)
    places = np.flatnonzero(classes[ordered] > 0)
    others = places[:, None] + np.concatenate([np.arange(-BEFORE, 0), np.arange(1, AFTER + 1)])
    inside = (others >= 0) & (others < len(order))
    inside[:, BEFORE:] &= classes[ordered[np.where(inside, others, 0)]][:, BEFORE:] == 0
    sizes = inside.sum(axis=1)
    of_pronouns, of_candidates = np.repeat(places, sizes), others[inside]
    anaphors, referents = ordered[of_pronouns], ordered[of_candidates]
    quotations = np.array([one.quotation for one in seen], dtype=np.int64)
    of_class = classes[ordered[np.where(inside, others, 0)]]
    of_pairs = (
        _known_of_both(seen, classes, ordered, of_pronouns, of_candidates),
        _quotations(quotations[anaphors], quotations[referents]),
        _ranks(of_class == classes[ordered[places]][:, None], of_class == 0, inside),
    )
    pairs = np.concatenate(of_pairs, axis=1)
    return Anaphora(classes, known, anaphors, referents, pairs, tuple(sizes[sizes > 0].tolist()))


def _quotations(pronoun: Integers, candidate: Integers) -> Numbers:
    """What the quotations of pronouns and candidates, 0 for none, say of them. *Shape:* (pairs, 5)"""
    both, distance = (pronoun > 0) & (candidate > 0), np.abs(pronoun - candidate)
    features = (
        both & (distance == 0),
        both & (distance > 0),
        (pronoun > 0) & (candidate == 0),
        (pronoun == 0) & (candidate > 0),
        np.where(both, np.minimum(distance, 6) / 6, 0),
    )
    return np.stack(features, axis=1).astype(np.float32)


def _ranks(same: NDArray[np.bool_], nouns: NDArray[np.bool_], inside: NDArray[np.bool_]) -> Numbers:
    """What is counted of candidates before a pronoun. *Shape:* (pronouns, `BEFORE` + `AFTER`) in, (pairs, 3) out"""
    before = inside.copy()
    before[:, BEFORE:] = False
    from_here = [(of_class & before)[:, ::-1].cumsum(axis=1)[:, ::-1] for of_class in (same, nouns)]
    counts = np.stack([*from_here, np.broadcast_to(from_here[1][:, :1], inside.shape)], axis=-1)
    ranks: Numbers = np.log1p(counts[inside]).astype(np.float32)
    return ranks


def _known_of_both(
    seen: Sequence[MentionFacts], classes: Integers, ordered: Integers, place: Integers, other_place: Integers
) -> Numbers:
    """What is known of pronouns and candidates together, by their places in the order. *Shape:* (pairs, 7)"""
    pronoun, other = ordered[place], ordered[other_place]
    sentence, start, end = (
        np.array([getattr(one, name) for one in seen], dtype=np.int64) for name in ("sentence", "start", "end")
    )
    distance, sentences = np.abs(place - other_place), np.abs(sentence[pronoun] - sentence[other])
    features = (
        np.log1p(distance),
        np.log1p(sentences),
        sentences == 0,
        other_place > place,
        classes[pronoun] == classes[other],
        (start[other] <= start[pronoun]) & (end[other] >= end[pronoun]),
        distance == 1,
    )
    known: Numbers = np.stack(features, axis=1).astype(np.float32)
    return known


def mentions_by_kind(corpus: Corpus) -> list[list[int]]:
    """The numbers of the mentions of every document that are of one kind: of each kind, a list a document."""
    found: dict[tuple[str, str], list[int]] = {}
    for number, mention in enumerate(corpus.mentions):
        if mention.kind is not None:
            found.setdefault((mention.kind, mention.document), []).append(number)
    return list(found.values())


def antecedents(model: CorefModel, readings: Readings) -> tuple[Integers, Integers, Numbers]:
    """Pronouns of documents, their best antecedents, and the log-odds. *Shape* of each: (pronouns with antecedents,)"""
    assert readings.vectors is not None
    found: list[tuple[int, int, float]] = []
    for own in mentions_by_kind(readings.corpus):
        of_document = [readings.facts.mentions[n] for n in own]
        known = anaphora(of_document)
        if known.sizes:
            logits = _logits(model, known, readings.vectors.own["anaphora"][own])
            chosen = choose_antecedents(known, logits, of_document)
            found += [(own[one], own[other], odds) for one, other, odds in chosen]
    one, other, values = zip(*found, strict=True) if found else ((), (), ())
    return np.array(one, dtype=np.int64), np.array(other, dtype=np.int64), np.array(values, dtype=np.float32)


def choose_antecedents(
    known: Anaphora, logits: Numbers, mentions: Sequence[MentionFacts]
) -> Iterator[tuple[int, int, float]]:
    """The pronouns of a document that have an antecedent, their best candidate, and the log-odds.

    A candidate of the other gender, an organisation for "he" or "she", what a pronoun possesses, and the other
    argument of its verb are excluded. `logits` are of every pair against there being no antecedent (*Shape:*
    (pairs,)).
    """
    ends = np.cumsum(known.sizes)
    referent: dict[int, object] = {}
    first: dict[int, int] = {}
    genders: dict[object, frozenset[str]] = {}
    bearer, before = _bearers(mentions), _same_speaker(mentions)
    described = {token: one.words.head for one in mentions for token, _ in one.syntax.descriptions}
    heads = [described.get(one.syntax.head, one.words.head) for one in mentions]
    for place, one in enumerate(mentions):
        if not one.words.pronoun and (gender := one.words.stated.gender):
            genders.setdefault(bearer[place], gender)
    for start, end in zip(ends - known.sizes, ends, strict=True):
        pronoun, candidates, own = int(known.pronouns[start]), known.candidates[start:end].tolist(), logits[start:end]
        facts = mentions[pronoun]
        firsts = [first.get(one, one) for one in candidates]
        others: set[int] = set()  # subject and object of one verb are not the same, unless the pronoun is reflexive
        if not facts.words.words[-1].endswith(REFLEXIVE):
            beside = [one for one in candidates if mentions[one].is_other_argument(facts)]
            wordings = {mentions[one].words.words for one in beside if mentions[one].phrase.article == "the"}
            beside += (one for one in candidates if mentions[one].words.words in wordings)
            others = {first.get(one, one) for one in beside}
        # The noun before a relative clause, if it is a mention, is what its pronoun refers to.
        nouns = {one for one in candidates if mentions[one].syntax.head == facts.syntax.antecedent >= 0}
        impossible = [
            place in others
            or (bool(nouns) and one not in nouns)
            or facts.is_possessor_of(mentions[one])
            or _differ(facts.words.stated.gender, mentions[place].words.stated.gender or genders.get(bearer[place]))
            or bool(facts.words.stated.gender and mentions[place].words.is_organisation)
            for one, place in zip(candidates, firsts, strict=True)
        ]
        own = np.where(impossible, np.float32(-np.inf), own)
        best = int(own.argmax())
        if own[best] <= 0:
            other = before.get(pronoun, pronoun)
            referent[pronoun], first[pronoun] = referent.get(other, other), first.get(other, other)
            if other != pronoun:
                yield pronoun, other, SAME_SPEAKER
            continue
        referents = [referent.get(one, heads[one]) for one in candidates]
        referent[pronoun] = referents[best]
        first[pronoun] = firsts[best]
        if gender := facts.words.stated.gender:
            genders.setdefault(bearer[firsts[best]], gender)
        same = np.array([one == referents[best] for one in referents])
        others = np.logaddexp.reduce(own[~same].astype(np.float64), initial=0.0)
        yield pronoun, candidates[best], float(np.logaddexp.reduce(own[same].astype(np.float64)) - others)


def _same_speaker(mentions: Sequence[MentionFacts]) -> dict[int, int]:
    """By pronoun, the one before it of its class and quotation; outside, "I", "we" and "you" are one each."""
    order = sorted(range(len(mentions)), key=lambda n: (mentions[n].start, mentions[n].end))
    spoken = any(one.words.pronoun == "i" and not one.quotation for one in mentions)
    last: dict[tuple[str, int], int] = {}
    before: dict[int, int] = {}
    for place in order:
        one = mentions[place]
        key = one.words.pronoun, one.quotation
        if key[0] == "i" or (key[0] in SPEAKERS and (one.quotation or not spoken)):
            if key in last:
                before[place] = last[key]
            last[key] = place
    return before


def _bearers(mentions: Sequence[MentionFacts]) -> list[object]:
    """What every mention stands for by its name alone, the same for those with a surname that one person has."""
    full: dict[str, set[tuple[str, ...]]] = {}
    for one in mentions:
        if name := one.words.whole_name:
            full.setdefault(name[-1], set()).add(name)
    shared = {last for last, names in full.items() if any(different_names(*pair) for pair in combinations(names, 2))}
    found: list[object] = []
    for place, one in enumerate(mentions):
        name = one.words.whole_name
        surname = name[-1] if name else one.words.surname
        found.append(name if surname in shared and name else place if surname in shared else surname or place)
    return found


def _differ(one: frozenset[str], other: frozenset[str] | None) -> bool:
    return bool(one and other and one != other)


def _logits(model: CorefModel, known: Anaphora, vectors: NDArray[np.float16]) -> Numbers:
    scorer = model.antecedent_scorer
    assert scorer is not None
    of_mentions = [
        torch.from_numpy(table).to(model.device) for table in (vectors.astype(np.float32), known.classes, known.known)
    ]
    logits = []
    for start in range(0, len(known.pronouns), PAIRS_AT_ONCE):
        part = slice(start, start + PAIRS_AT_ONCE)
        of_pairs = (
            torch.from_numpy(table[part]).to(model.device) for table in (known.pronouns, known.candidates, known.pairs)
        )
        with torch.inference_mode():
            logits.append(scorer(*of_mentions, *of_pairs).cpu().numpy())
    result: Numbers = np.concatenate(logits)
    return result

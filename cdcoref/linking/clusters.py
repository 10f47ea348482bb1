"""Pair logits in, clusters out: agglomerative clustering of the mentions of each kind (paper, Appendix C.1). A
cannot-link has a score of 0; a cluster that holds one all the same is divided. Pronouns join the clusters of their
antecedents."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from cdcoref.circumstances import AGREEMENT, ENDS_SENTENCE, CircumstanceTables, Source
from cdcoref.clustering import (
    CannotLinks,
    PairScores,
    connected,
    dendrogram,
    merge_blocks,
    numbered,
    unconflicted_parts,
)
from cdcoref.corpus import ENTITY, EVENT, KINDS, Corpus, Document, Mention
from cdcoref.language import (
    JOBS,
    NO_FACTS,
    NO_PERSON,
    ORGANISATION,
    PERSON,
    TITLES,
    MentionFacts,
    StatedFacts,
    date_name,
    gender_of_first_name,
    head_word,
    in_conflict,
    is_noun,
    lemma,
)
from cdcoref.linking.full_names import YEARS, NamesOfStory
from cdcoref.linking.links import MentionLinks
from cdcoref.linking.pair_logits import PairLogits
from cdcoref.model import CorefConfig
from cdcoref.reading import Readings
from cdcoref.word_tables import words_in

CERTAIN_ANTECEDENT = 0.8
"""From this probability on, a pronoun states the gender of its antecedent."""
NEW = ("a", "another")
"""Articles of nouns that are new to a text."""
NOUNS_BEFORE = 8
"""How many earlier indefinite nouns an indefinite noun is compared with, to see whether it is new."""
_SIDES = words_in("before_names.tsv", "side")
_FURTHER = words_in("before_names.tsv", "further")
_NAMED_AFTER = frozenset({"AU", "CA", "US"})
"""Countries whose towns often have the name of a place in another country."""
_RIVERS = words_in("place_words.tsv", "river")
GROUP_MARGIN = 0.1
"""What two clusters of several mentions each may exceed the distance threshold by: the mean of many pairs is less
uncertain than that of few."""
THING = "thing"
"""What "it" states beside genders: in 5,500 annotated clusters with "he" or "it", 13 have both."""


@dataclass(frozen=True, slots=True)
class MentionConflicts:
    """Which mentions cannot be in one cluster: by mention, its facts, and others that it conflicts with."""

    stated: Mapping[int, StatedFacts]
    pairs: Mapping[int, frozenset[int]] = field(default_factory=dict)

    def with_pairs(self, apart: Iterable[tuple[int, int]]) -> MentionConflicts:
        """The same, and also these pairs."""
        pairs: defaultdict[int, set[int]] = defaultdict(set)
        for one, other in apart:
            pairs[one].add(other)
            pairs[other].add(one)
        for one, others in self.pairs.items():
            pairs[one] |= others
        return MentionConflicts(self.stated, {one: frozenset(others) for one, others in pairs.items()})

    def within(self, members: Sequence[int]) -> CannotLinks | None:
        """The cannot-links between the members of a cluster, by their positions; None if there are none."""
        facts: dict[StatedFacts, int] = {NO_FACTS: 0}
        classes: dict[tuple[int, int], int] = {}
        class_of = []
        for member in members:
            number = facts.setdefault(self.stated.get(member, NO_FACTS), len(facts))
            key = number, member if member in self.pairs else -1
            class_of.append(classes.setdefault(key, len(classes)))
        excluded = np.zeros((len(facts), len(facts)), dtype=bool)
        for (mine, one), (theirs, other) in combinations(list(facts.items())[1:], 2):
            excluded[one, other] = excluded[other, one] = in_conflict(mine, theirs)
        rows = [number for number, _ in classes]
        conflicting = excluded[np.ix_(rows, rows)]
        own = {member: place for (_, member), place in classes.items() if member >= 0}
        for member, place in own.items():
            conflicting[place, [own[other] for other in self.pairs[member] if other in own]] = True
        return CannotLinks(np.array(class_of), conflicting) if conflicting.any() else None


def _pairs_within(labels: NDArray[np.integer]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """All pairs of mentions of one cluster, the smaller number first. *Shapes:* (pairs,)"""
    order = np.argsort(labels, kind="stable")
    ends = np.flatnonzero(np.diff(labels[order])) + 1
    firsts, seconds = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for members in np.split(order, ends):
        if len(members) > 1:
            one, other = np.triu_indices(len(members), 1)
            firsts.append(members[one])
            seconds.append(members[other])
    return np.concatenate(firsts), np.concatenate(seconds)


class KindClusters:
    """The clusters of the mentions of one kind, at any threshold; they do not depend on the order of the documents.

    `temperature` replaces the settings' own.
    """

    def __init__(
        self,
        readings: Readings,
        logits: PairLogits,
        kind: str,
        settings: CorefConfig,
        temperature: Mapping[str, float] | None = None,
    ) -> None:
        mentions = readings.corpus.mentions
        keys = [(m.document, m.tokens, m.kind or "") for m in mentions]
        apart = readings.pronouns({kind}.intersection(settings.vectors.with_antecedents))
        scores = logits.scores(temperature or settings.temperature, kind)
        self._circumstances: CircumstanceTables | None = None
        self._stated: dict[int, tuple[Set[str], Set[str]]] = {}  # where events state both a place and a day
        if settings.cannot_links and kind == EVENT:
            self._circumstances = readings.circumstance_tables
            scores = _with_circumstances(scores, self._circumstances, apart)
        self.links = MentionLinks.of(scores, apart, keys)
        self._tree = dendrogram(self.links.compared, keys)
        self._merges_groups = settings.cannot_links
        self._order = sorted(range(len(keys)), key=lambda number: keys[number])
        self._conflicts = MentionConflicts({})
        self._names = NamesOfStory({})
        self._genders: dict[int, str] = {}
        if settings.cannot_links:
            own = [number for number in self._order if mentions[number].kind == kind]
            facts = {number: readings.facts.mentions[number] for number in own}
            if kind == ENTITY:
                pronouns = _pronouns(facts, self.links)
                named = {number: facts[number] for number in own if not apart[number]}
                headlines = [n for n, one in named.items() if not _ends_sentence(readings[one.document].document, one)]
                self._names = NamesOfStory(named, pronouns, headlines)
                self._genders = {n: min(gender) for n in own if (gender := facts[n].words.stated.gender)}
                self._genders |= {n: THING for n in own if apart[n] and facts[n].words.pronoun == "it"}
            self._conflicts = _conflicts(facts, self._names, apart, self.links)
            self._conflicts = self._conflicts.with_pairs(_new_mentions(readings, facts, kind))
            unlike = _namesakes if kind == ENTITY else _further_events
            self._conflicts = self._conflicts.with_pairs(unlike(readings, facts))
            if kind == EVENT:
                self._stated = {n: names for n in own if all(names := _stated_names(readings, n))}

    def cut(self, distance_threshold: float) -> NDArray[np.integer]:
        """The number of each mention's cluster; mentions of other kinds are clusters of their own. *Shape:* (mentions,)

        Clusters are merged while their distance is below the threshold; with cannot-links, those of several mentions
        each while it is less than `GROUP_MARGIN` above.
        """
        labels = self._tree.cut(distance_threshold)
        clusters, conflicts = self._members(labels), self._conflicting(labels)
        found = {label: conflicts.within(members) for label, members in clusters.items() if len(members) > 1}
        divided = {label: cannot_links for label, cannot_links in found.items() if cannot_links is not None}
        following = len(clusters)
        for label, parts in self._parts(labels, clusters, divided, distance_threshold):
            labels[clusters[label]] = np.where(parts == 0, label, parts + following - 1)
            following += int(parts.max())
        if self._merges_groups:
            labels = self._with_near_groups(numbered(labels), min(distance_threshold + GROUP_MARGIN, 1.0))
        labels = with_names_first(labels, self._names, self._conflicts)
        for pronoun in self._order:
            if pronoun in self.links.antecedents:
                labels[pronoun] = labels[self.links.antecedents[pronoun][0]]
        return _with_one_gender(labels, self._genders, self.links)

    def _members(self, labels: NDArray[np.integer]) -> dict[int, list[int]]:
        clusters: dict[int, list[int]] = defaultdict(list)
        for number in self._order:
            clusters[int(labels[number])].append(number)
        return clusters

    def _conflicting(self, labels: NDArray[np.integer]) -> MentionConflicts:
        """The conflicts, also those of the circumstances of events of one cluster."""
        if self._circumstances is None:
            return self._conflicts
        first, second = _pairs_within(labels)
        differ = self._circumstances.conflicts(first, second)
        named = [*self._stated]
        for place in np.flatnonzero(np.isin(first, named) & np.isin(second, named)).tolist():
            differ[place] |= all(_are_unlike(self._stated[int(first[place])], self._stated[int(second[place])]))
        return self._conflicts.with_pairs(zip(first[differ].tolist(), second[differ].tolist(), strict=True))

    def _with_near_groups(self, labels: NDArray[np.integer], distance_threshold: float) -> NDArray[np.integer]:
        """The clusters after average linkage of those of several mentions each, where that makes no conflict."""
        scores, size = self.links.compared, np.bincount(labels)
        one, other = labels[scores.first], labels[scores.second]
        between = (one != other) & (size[one] > 1) & (size[other] > 1)
        least, greatest = np.sort([one[between], other[between]], axis=0)
        code, pair = np.unique(least * len(size) + greatest, return_inverse=True)
        low, high = np.divmod(code, len(size))
        means = np.minimum(np.bincount(pair, scores.score[between], len(low)) / (size[low] * size[high]), 1.0)
        near = means > 1.0 - distance_threshold
        component = connected(len(size), low[near], high[near])  # no others merge: a mean is at most its greatest part
        clusters, conflicts = self._members(labels), self._conflicting(component[labels])
        for place in np.flatnonzero(near).tolist():
            both = clusters[int(low[place])] + clusters[int(high[place])]
            means[place] *= conflicts.within(both) is None
        inside = component[low] == component[high]
        pairs = PairScores(len(size), low[inside], high[inside], means[inside])
        groups = dendrogram(pairs, np.argsort([*clusters]).tolist(), size).cut(distance_threshold)
        merged = groups[labels]
        for group in np.flatnonzero(np.bincount(groups) > 1).tolist():
            members = np.flatnonzero(merged == group)
            if conflicts.within(members.tolist()) is not None:
                merged[members] = len(size) + labels[members]
        return merged

    def _parts(
        self,
        labels: NDArray[np.integer],
        clusters: Mapping[int, list[int]],
        divided: Mapping[int, CannotLinks],
        distance_threshold: float,
    ) -> Iterator[tuple[int, NDArray[np.integer]]]:
        """The clusters with cannot-links, and the part that each member of one goes to."""
        compared, some = self.links.compared, list(divided)
        merges = np.stack(self._tree.merges(distance_threshold), axis=1)
        merges = merges[np.isin(labels[merges[:, 0]], some)]
        pairs = np.stack([compared.first, compared.second], axis=1)
        inside = (labels[pairs[:, 0]] == labels[pairs[:, 1]]) & np.isin(labels[pairs[:, 0]], some)
        pairs, scores = pairs[inside], compared.score[inside]
        of_merge, of_pair = labels[merges[:, 0]], labels[pairs[:, 0]]
        place = np.zeros(len(labels), dtype=np.int64)
        for label, cannot_links in divided.items():
            members = clusters[label]
            place[members] = np.arange(len(members))
            first, second = place[pairs[of_pair == label]].T
            own = PairScores(len(members), first, second, scores[of_pair == label])
            blocks = unconflicted_parts(cannot_links, place[merges[of_merge == label]].tolist())
            yield label, merge_blocks(blocks, cannot_links, own)


def _with_circumstances(scores: PairScores, circumstances: CircumstanceTables, apart: NDArray[np.bool_]) -> PairScores:
    """The scores with 0 for events whose circumstances exclude each other, and more for those that agree."""
    compared = ~(apart[scores.first] | apart[scores.second])
    differ = compared & circumstances.conflicts(scores.first, scores.second)
    agree = compared & circumstances.agree(scores.first, scores.second)
    odds = np.exp(AGREEMENT)
    raised = scores.score * odds / (1 - scores.score + scores.score * odds)
    return replace(scores, score=np.where(differ, 0.0, np.where(agree, raised, scores.score)))


def _ends_sentence(document: Document, one: MentionFacts) -> bool:
    """Whether the line of a mention ends as a sentence does, and a headline does not."""
    return document.tokens[document.sentences[one.sentence][1] - 1] in ENDS_SENTENCE


def _pronouns(facts: Mapping[int, MentionFacts], links: MentionLinks) -> dict[int, list[MentionFacts]]:
    """By mention, the pronouns that certainly refer to it or a noun beside it, and "the 23-year-old" behind a name."""
    found: dict[int, list[MentionFacts]] = defaultdict(list)
    described = {(one.document, token): n for n, one in facts.items() for token, _ in one.syntax.descriptions}
    for pronoun, (_, probability) in links.antecedents.items():
        if probability >= CERTAIN_ANTECEDENT and pronoun in facts:
            referent = _referent(pronoun, links)
            noun = facts[pronoun].document, facts[referent].syntax.head
            found[described.get(noun, referent)].append(facts[pronoun])
    latest: dict[str, int] = {}
    for number, one in facts.items():
        named = latest.get(one.document)
        if one.words.whole_name and one.syntax.entity == "PERSON":
            latest[one.document] = number
        elif named is not None and one.sentence <= facts[named].sentence + 1 and _is_age(one, facts[named]):
            found[named].append(one)
    return found


def _is_age(one: MentionFacts, named: MentionFacts) -> bool:
    """Whether a mention is "the 23-year-old", or "the councillor, who is 61" behind "Al Hale, a councillor"."""
    is_noun_beside = any(one.words.head == noun for _, noun in named.syntax.descriptions)
    return one.syntax.age > 0 and one.phrase.article == "the" and (is_noun_beside or one.words.head.endswith("-old"))


def _conflicts(
    facts: Mapping[int, MentionFacts], names: NamesOfStory, apart: NDArray[np.bool_], links: MentionLinks
) -> MentionConflicts:
    """Which mentions of a kind cannot be one. A pronoun stands for its antecedent, a surname for its full name."""
    heads: dict[tuple[str, int], list[int]] = defaultdict(list)
    for number, one in facts.items():
        heads[one.document, one.syntax.head].append(number)
    pairs: dict[int, set[int]] = defaultdict(set)
    for number, one in facts.items():
        if one.syntax.possessor >= 0 and not apart[number]:
            for owner in heads.get((one.document, one.syntax.possessor), ()):
                root = _referent(owner, links)
                if facts[owner].is_possessor_of(one) and root != number:
                    pairs[root].add(number)
                    pairs[number].add(root)
    beside: dict[tuple[str, str, int], list[int]] = defaultdict(list)
    for number, one in facts.items():
        if one.clause >= 0:
            beside["clause", one.document, one.clause].append(number)
        if one.syntax.verb >= 0 and not one.words.pronoun:
            beside["verb", one.document, one.syntax.verb].append(number)
        if one.words.words[0].rstrip(".") in TITLES:
            beside[one.words.words[-1], one.document, one.sentence].append(number)
    for numbers in beside.values():
        for first, second in combinations(numbers, 2):
            one, other = facts[first], facts[second]
            if one.in_clause_with(other) or one.is_other_argument(other) or one.has_other_title(other):
                pairs[first].add(second)
                pairs[second].add(first)
    stated = {number: one.words.stated for number, one in facts.items() if not apart[number]}
    for number, own in stated.items():
        if (age := facts[number].syntax.age) and not facts[number].words.names:  # "a 34-year-old man"
            near = frozenset(map(str, range(age - YEARS, age + 1)))
            stated[number] = own._replace(amounts=own.amounts or near)
        phrase = facts[number].phrase
        if phrase.article == "the" and not facts[number].words.names and (sides := phrase.modifiers & _SIDES):
            side = frozenset(word.removesuffix("ern") for word in sides)  # "the north tower", "the southern tower"
            stated[number] = stated[number]._replace(generation=side)
    for number, name in names.names.items():
        if not facts[number].words.whole_name:
            of_name = stated[number].gender or frozenset(filter(None, (gender_of_first_name(name[0]),)))
            stated[number] = stated[number]._replace(full_name=name, gender=of_name)
        if number in names.shared:
            stated[number] = stated[number]._replace(generation=frozenset((" ".join(name),)))
    surnames = {name[-1] for name in names.names.values() if name in names.people} - JOBS.keys()
    nouns = [n for n in stated if is_noun(facts[n].words) and facts[n].words.words[-1] in surnames]
    for number in nouns:  # "the banks" are not Ann Banks
        stated[number] = stated[number]._replace(sorts=stated[number].sorts or NO_PERSON)
    words = {facts[n].words.surname for n in names.no_people} | {facts[n].words.words[-1] for n in nouns}
    companies = {name[:-1] for name in names.names.values() if name[-1] == ORGANISATION}
    for number, name in names.names.items():  # "Whitney Houston" is neither Houston nor "Whitney Houston Inc."
        if name in names.people and (name in companies or not words.isdisjoint(name)) and not stated[number].sorts:
            stated[number] = stated[number]._replace(sorts=frozenset((PERSON,)))
    for number, sorts in {**dict.fromkeys(names.things, NO_PERSON), **names.sorts}.items():
        if number in stated:
            of_words = stated[number].sorts
            stated[number] = stated[number]._replace(sorts=of_words & sorts or of_words or sorts)
    genders = {
        number: frozenset().union(*(one.words.stated.gender for one in pronouns))
        for number, pronouns in _pronouns(facts, links).items()
    }
    for number, gender in genders.items():
        if len(gender) == 1 and number in stated:
            own = stated[number]
            stated[number] = own._replace(gender=own.gender or gender, sorts=own.sorts or frozenset((PERSON,)))
    return MentionConflicts(stated, {number: frozenset(others) for number, others in pairs.items()})


def _new_mentions(readings: Readings, facts: Mapping[int, MentionFacts], kind: str) -> Iterator[tuple[int, int]]:
    """Pairs of a noun with "a" and one before it, or of their events, where these are two; also of two documents."""
    known, mentions = readings.facts.mentions, readings.corpus.mentions
    event_at = {(one.document, one.syntax.head): n for n, one in enumerate(known) if mentions[n].kind == EVENT}
    nouns: dict[tuple[str, str], list[tuple[int, int, int]]] = defaultdict(list)
    for number, one in enumerate(known):
        event = event_at.get((one.document, one.syntax.verb if one.syntax.verb >= 0 else one.clause))
        if event is not None and mentions[number].kind == ENTITY and one.phrase.article in NEW and not one.words.names:
            nouns[one.document, one.words.head].append((one.start, number, event))
    alike: dict[tuple[str, str], list[int]] = defaultdict(list)
    for number, one in facts.items():
        alike[one.document, one.words.head if kind == ENTITY else ""].append(number)
    for (document, head), own in nouns.items():
        own.sort()
        for place, (_, noun, later) in enumerate(own):
            before = own[max(0, place - NOUNS_BEFORE) : place]
            if any(_are_two(readings, earlier, later) for _, _, earlier in before):
                new = noun if kind == ENTITY else later
                others = alike[document, head if kind == ENTITY else ""]
                yield from ((number, new) for number in others if facts[number].start < facts[new].start)
    across: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for (_, head), own in nouns.items() if kind == ENTITY else ():
        across[head].append(own[0][1:])
    for found in across.values():
        stated = [_stated_names(readings, event) for _, event in found]
        first, second = np.triu_indices(len(found), 1)
        events = np.array([event for _, event in found], dtype=np.int64)
        differ = readings.circumstance_tables.conflicts(events[first], events[second])
        for a, b, conflict in zip(first.tolist(), second.tolist(), differ, strict=True):
            if conflict or all(_are_unlike(stated[a], stated[b])):
                yield found[a][0], found[b][0]


def _further_events(readings: Readings, facts: Mapping[int, MentionFacts]) -> Iterator[tuple[int, int]]:
    """Pairs of "a second fire" or "another fire" with the fires before it in its document, and of their verbs."""
    same_word: dict[tuple[str, str], list[int]] = defaultdict(list)
    at = {(one.document, one.syntax.head): number for number, one in facts.items()}
    for number in sorted(facts, key=lambda number: facts[number].start):
        same_word[facts[number].document, facts[number].words.head].append(number)
    for one in readings.facts.mentions:
        if not _is_further(one):
            continue
        verb = one.syntax.verb if one.syntax.role != "oblique" else -1
        for number in [at[one.document, token] for token in (one.syntax.head, verb) if (one.document, token) in at]:
            before = same_word[one.document, facts[number].words.head]
            before = before[: before.index(number)]
            yield from ((other, number) for other in before if not _is_further(facts[other]))


def _namesakes(readings: Readings, facts: Mapping[int, MentionFacts]) -> Iterator[tuple[int, int]]:
    """Pairs of a river ("the Jordan") and the country, the state or the firm with its name, and of two places with the
    same name, such as Lima in Peru and Lima in Ohio."""
    named: dict[str, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    towns: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for number, one in facts.items():
        place = readings[one.document].stated.sure_places.get(" ".join(one.words.words))
        if place is not None:
            towns[place.place.name][place.place.country].append(number)
        word = one.words.words[-1]
        is_name = one.words.words == (word,) and word in _RIVERS
        if is_name and readings[one.document].parse.relations[one.syntax.head] != "compound":  # "the Jordan border"
            named[word][one.phrase.article == "the"].append(number)
    for others, rivers in named.values():
        yield from product(others, rivers)
    for of_countries in towns.values():
        for country in _NAMED_AFTER & of_countries.keys():
            yield from product(
                of_countries[country], (n for c, own in of_countries.items() if c != country for n in own)
            )


def _is_further(one: MentionFacts) -> bool:
    phrase = one.phrase
    is_second = phrase.article == "a" and bool(phrase.modifiers & _FURTHER)
    return (is_second or phrase.article == "another") and not one.words.names


def _are_two(readings: Readings, *events: int) -> bool:
    """Whether two events of a document state places or weekdays of unlike names, or such as exclude each other."""
    unlike = any(_are_unlike(*(_stated_names(readings, event) for event in events)))
    return unlike or bool(readings.circumstance_tables.conflicts(*np.array(events)[:, None])[0])


def _stated_names(readings: Readings, event: int) -> tuple[Set[str], Set[str]]:
    """The names of places, and the weekdays and months, that are stated of an event."""
    stated = readings.circumstances[event]
    tokens = readings[readings.corpus.mentions[event].document].document.tokens
    places = {where.place.name for where in stated.where if where.source == Source.STATED}
    own = [when for when in stated.when if when.source == Source.STATED]
    return places, {day for when in own for n in when.tokens if (day := date_name(tokens[n]))}


def _are_unlike(one: tuple[Set[str], Set[str]], other: tuple[Set[str], Set[str]]) -> Iterator[bool]:
    """Of places and of weekdays, whether two events have some, and none in common."""
    return (bool(here and there and here.isdisjoint(there)) for here, there in zip(one, other, strict=True))


def _with_one_gender(
    labels: NDArray[np.integer], genders: Mapping[int, str], links: MentionLinks
) -> NDArray[np.integer]:
    """Clusters without "he" where there is "she", a woman or "it", and the other way round."""
    following = int(labels.max(initial=-1)) + 1
    members: dict[int, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for mention, gender in genders.items():
        members[int(labels[mention])][gender].append(mention)
    for of_gender in members.values():
        things = of_gender.pop(THING, [])
        if len(of_gender) > 1:
            labels[of_gender.pop(_less_likely(of_gender, links), [])] = following
            following += 1
        men = of_gender.get("man", [])
        if things and any(number in links.antecedents for number in men):  # a name alone may be a company's
            less = _less_likely({"man": men, THING: things}, links)
            labels[men if less == "man" else things] = following
            following += 1
    return labels


def _less_likely(of_gender: Mapping[str, list[int]], links: MentionLinks) -> str:
    """The gender whose pronouns are less likely to be the cluster's; empty if each is stated by a name or a noun."""
    weight = {gender: sum(links.antecedents.get(n, (n, np.inf))[1] for n in own) for gender, own in of_gender.items()}
    less = min(sorted(weight), key=weight.__getitem__)
    return less if weight[less] < np.inf else ""


def _referent(mention: int, links: MentionLinks) -> int:
    """What a pronoun refers to, from antecedent to antecedent; any other mention is its own."""
    while mention in links.antecedents:
        mention = links.antecedents[mention][0]
    return mention


def with_names_first(
    labels: NDArray[np.integer], names: NamesOfStory, conflicts: MentionConflicts
) -> NDArray[np.integer]:
    """Clusters in which mentions that are the same by their names are together.

    Two clusters become one unless they would hold a cannot-link; then the mention by itself is moved, if it can be.
    """
    labels = labels.copy()
    for one, other in names.same():
        if labels[one] == labels[other]:
            continue
        target, rest = (np.flatnonzero(labels == labels[number]).tolist() for number in (one, other))
        if conflicts.within([*target, *rest]) is None:
            labels[rest] = labels[one]
        elif conflicts.within([*target, other]) is None:
            labels[other] = labels[one]
        elif conflicts.within([*rest, one]) is None:
            labels[one] = labels[other]
    return labels


def clusters_by_kind(
    readings: Readings, logits: PairLogits, settings: CorefConfig
) -> dict[str, tuple[NDArray[np.integer], MentionLinks]]:
    """By kind, the number of each mention's cluster (*Shape:* (mentions,)), and what the clusters were made of."""
    logits = logits.across_places(readings) if settings.cannot_links else logits
    found = {}
    for kind in KINDS:
        clusters = KindClusters(readings, logits, kind, settings)
        found[kind] = clusters.cut(settings.distance_threshold[kind]), clusters.links
    return found


def cluster_mentions(readings: Readings, logits: PairLogits, settings: CorefConfig) -> Corpus:
    """Cluster the mentions of each kind; each mention gets its cluster's name and a confidence."""
    return with_clusters(readings.corpus, clusters_by_kind(readings, logits, settings))


def with_clusters(corpus: Corpus, clusters: Mapping[str, tuple[NDArray[np.integer], MentionLinks]]) -> Corpus:
    """The corpus with what :func:`clusters_by_kind` found: a name of a cluster and a confidence for each mention."""
    mentions = list(corpus.mentions)
    for kind, (labels, links) in clusters.items():
        found = links.confidences(labels)
        for number, mention in enumerate(corpus.mentions):
            if mention.kind == kind:
                confidence = mention.confidence if np.isnan(found[number]) else float(found[number])
                mentions[number] = replace(mention, cluster=f"{kind}_{labels[number]}", confidence=confidence)
    return replace(corpus, mentions=tuple(mentions))


def lemma_clusters(corpus: Corpus, groups: Sequence[Sequence[str]]) -> Corpus:
    """The lemma baseline: in a group of documents (ids), mentions of a kind with one head lemma are a cluster.

    A document in none of the `groups` is one by itself.
    """
    group_of = {id: number for number, group in enumerate(groups) for id in group}
    tokens_of = {document.id: document.tokens for document in corpus.documents}

    def cluster(mention: Mention) -> str:
        head = head_word(tokens_of[mention.document][mention.start : mention.end])
        group = group_of.setdefault(mention.document, len(groups) + len(group_of))
        return f"{group}:{lemma(head)}"

    return corpus.with_clusters(cluster)

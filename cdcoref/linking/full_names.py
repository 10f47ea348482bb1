"""Names decide before a model does: mentions of a story with one full name, or a surname or office that only one full
name can have, are one; clusters of one name in stories about one subject become one. Ages and jobs tell two of one name
apart."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from types import MappingProxyType

from cdcoref.circumstances import AMBIGUOUS, places_named
from cdcoref.corpus import ENTITY, Corpus
from cdcoref.language import (
    CLUB,
    GROUP,
    JOBS,
    NO_PERSON,
    ORGANISATION,
    ORGANISATIONS,
    PERSON,
    TITLES,
    TOWN,
    TOWNS,
    MentionFacts,
    StatedFacts,
    different_names,
    gender_of_first_name,
    in_conflict,
    may_be_surname,
)
from cdcoref.reading import Readings
from cdcoref.stories import DocumentVectors, subjects
from cdcoref.word_tables import words_in

Name = tuple[str, ...]
Word = tuple[str, str]
"""A document and a word of a name."""
_PEOPLE = frozenset({*JOBS, *TITLES, *words_in("people_nouns.tsv")})
"""Nouns that say of somebody what they are."""
_NO_PEOPLE = frozenset({"FAC", "GPE", "LOC"})
"""Types of named entities."""
_BUSINESS = words_in("name_endings.tsv", "business")
"""Nouns for what companies have."""
_SETTLEMENTS = words_in("place_words.tsv", "settlement")
_NO_TOWNS = ORGANISATIONS | _BUSINESS | words_in("place_words.tsv", "site")
"""Nouns that say of a name that it is not a town's."""
_OPPOSITE = {"sr": "jr", "jr": "sr"}
_OF_AGE = {"old": "sr", "young": "jr"}
_ELDER_FROM = 50
"""The age from which somebody is probably the elder of two, father and son or the like, of one name."""
YEARS = 2
"""Within these ages may be of one person, who has a birthday or whom somebody got wrong."""
YOUNGEST_AT_WORK = 15
"""In years; who is younger is nobody with a job."""
_INVESTIGATING = frozenset({"administration", "law", "police"})
"""Fields of jobs of those who do not work on what happened to their relatives."""
MANY_YEARS = 15
"""From more on, ages that two reports state are of two people, unless one noun says what they are."""


@dataclass(slots=True)
class Person:
    """Whom the mentions of a document with one name may mean, and what is stated of them."""

    document: str
    members: list[int] = field(default_factory=list)
    ages: set[int] = field(default_factory=set)
    nouns: set[str] = field(default_factory=set)
    tokens: set[int] = field(default_factory=set)
    heads: set[int] = field(default_factory=set)
    relatives: dict[int, str] = field(default_factory=dict)
    generations: set[str] = field(default_factory=set)
    initials: set[str] = field(default_factory=set)

    def add(self, number: int, stated: Sequence[MentionFacts]) -> None:
        """Add a mention, and what is stated of it."""
        self.members.append(number)
        for one in stated:
            self.ages |= {one.syntax.age} - {0}
            self.nouns |= {noun for _, noun in one.syntax.descriptions}
            self.tokens |= {token for token, _ in one.syntax.descriptions}
            self.heads.add(one.syntax.head)
            self.relatives.update(one.syntax.relatives)
            self.generations |= one.words.stated.generation
            if one.phrase.article == "the" and one.phrase.modifiers <= _OF_AGE.keys():  # "the elder Hale"
                self.generations |= {_OF_AGE[word] for word in one.phrase.modifiers}
            self.initials |= one.words.stated.initials
            if one.words.whole_name:
                self.nouns |= _titles(one) & JOBS.keys()

    def differs(self, other: Person) -> bool:
        """Whether what is stated of two of one name excludes that they are the same."""
        mine, theirs = ({JOBS[noun] for noun in one.nouns if noun in JOBS} for one in (self, other))
        if mine and theirs and mine.isdisjoint(theirs):
            return True
        if self.initials and other.initials and self.initials.isdisjoint(other.initials):
            return True
        mine, theirs = (one.generations or one.age_group for one in (self, other))
        if (self.generations or other.generations) and mine and theirs and mine.isdisjoint(theirs):
            return True
        related = not (other.heads.isdisjoint(self.relatives) and self.heads.isdisjoint(other.relatives))
        if related and self.document == other.document:
            return True
        for one, two in ((self, other), (other, self)):
            fields = {JOBS[noun] for noun in two.nouns if noun in JOBS}
            if fields and min(one.ages, default=YOUNGEST_AT_WORK) < YOUNGEST_AT_WORK:
                return True
            if one.relatives and not two.relatives and not fields.isdisjoint(_INVESTIGATING):
                return JOBS.keys().isdisjoint(one.nouns)
        years = min((abs(a - b) for a in self.ages for b in other.ages), default=0)
        if years <= YEARS or self.document == other.document:
            return years > YEARS
        both = bool(self.nouns and other.nouns)
        return self.nouns.isdisjoint(other.nouns) and (both or years > MANY_YEARS)

    @property
    def age_group(self) -> set[str]:
        """Which of two of one name that are of two generations somebody probably is, by the ages."""
        return {"sr" if age >= _ELDER_FROM else "jr" for age in self.ages}

    def tell_generations(self, other: Person) -> None:
        """Note which of two of one name is the elder, if the noun for a relative says it."""
        for generation in {self.relatives[head] for head in other.heads & self.relatives.keys()} - {""}:
            self.generations.add(generation)
            other.generations.add(_OPPOSITE[generation])


def people(stated: Mapping[int, Sequence[MentionFacts]]) -> list[list[Person]]:
    """Those whom the mentions of one name mean: the people of each document that may be the same in one list.

    `stated` has by mention, in the order of the text, its facts and those of its pronouns.
    """
    of_documents: defaultdict[str, list[Person]] = defaultdict(list)
    for number, facts in stated.items():
        known = of_documents[facts[0].document]
        new = Person(facts[0].document)
        new.add(number, facts)
        same = next((p for p in reversed(known) if not (facts[0].syntax.is_another or p.differs(new))), None)
        for person in known if same is None else ():
            person.tell_generations(new)
            new.tell_generations(person)
        if same is None:
            known.append(new)
        else:
            same.add(number, facts)
    found: list[list[Person]] = []
    for person in (person for known in of_documents.values() for person in known):
        apart = ((known, (person.document == one.document or person.differs(one) for one in known)) for known in found)
        same_as = next((known for known, differ in apart if not any(differ)), None)
        if same_as is None:
            found.append([person])
        else:
            same_as.append(person)
    return found


def numbered_people(
    facts: Mapping[int, MentionFacts], names: Mapping[int, Name], pronouns: Mapping[int, Sequence[MentionFacts]]
) -> dict[int, Name]:
    """The names of the mentions that mean one of several people of a name, with a number behind each.

    `facts` and `names` are by mention, `pronouns` those that refer to a mention.
    """
    of_names: defaultdict[Name, dict[int, list[MentionFacts]]] = defaultdict(dict)
    for number, name in names.items():
        of_names[name][number] = [facts[number], *pronouns.get(number, ())]
    result: dict[int, Name] = {}
    for name, stated in of_names.items():
        if not any(_is_described(one) for own in stated.values() for one in own):
            continue
        several = people(stated)
        everybody = [person for same in several for person in same]
        for place, same in enumerate(several if len(several) > 1 else (), 1):
            for person in same:
                own = [*person.members, *_nouns_for(person, facts, names, everybody)]
                result.update(dict.fromkeys(own, (*name, str(place))))
    return result


def _is_described(one: MentionFacts) -> bool:
    beside = bool(one.syntax.age or one.syntax.descriptions or one.syntax.is_another)
    in_name = bool(one.words.stated.generation or one.words.stated.initials)
    return beside or in_name or not JOBS.keys().isdisjoint(_titles(one))


def _nouns_for(
    person: Person, facts: Mapping[int, MentionFacts], names: Mapping[int, object], people: Sequence[Person]
) -> list[int]:
    """The mentions of a document that are a noun which says of one person alone what they are."""
    others = [one for one in people if one is not person and one.document == person.document]
    return [
        number
        for number, one in facts.items()
        if one.document == person.document
        and number not in names
        and (
            one.syntax.head in person.tokens
            or (
                one.words.head in person.nouns
                and one.start > min(facts[member].start for member in person.members)
                and not any(one.words.head in other.nouns for other in others)
            )
        )
    ]


class NamesOfStory:
    """The full names of the mentions of a story, from facts document by document, and pronouns by what they refer to.

    `headlines`: the mentions in lines that are no sentence.

    `names`: by mention, the full name that it has or can only belong to, with a number if several people have it
    (`shared`).
    `people`: full names that are mostly somebody's. `things`: those that "it" refers to, and that no full name of a
    person can be. `no_people`: names by themselves that are of a place or an organisation in their document. `sorts`:
    what names by themselves may be.
    """

    def __init__(
        self,
        facts: Mapping[int, MentionFacts],
        pronouns: Mapping[int, Sequence[MentionFacts]] = MappingProxyType({}),
        headlines: Collection[int] = (),
    ) -> None:
        self.things = {n for n, own in pronouns.items() if any(one.words.pronoun == "it" for one in own)}
        bearers: defaultdict[str, list[MentionFacts]] = defaultdict(list)
        begun: dict[Word, Name] = {}  # by the first word of an organisation's name that name, if only one begins so
        short: set[Word] = set()  # what stands for an organisation before anybody is named so
        borne: dict[Word, int] = {}  # where a document has the full name first
        seen: Counter[Word] = Counter()
        types: defaultdict[Word, set[str]] = defaultdict(set)  # of names by themselves, before anybody has them
        beside: dict[Word, frozenset[str]] = {}
        nouns = [one for one in facts.values() if not one.words.names]
        self.people = people = _people(facts, pronouns)
        first_names = _first_names(facts, people)
        alone = {
            number: (one.document, one.words.surname)
            for number, one in facts.items()
            if _is_alone(one) and number not in first_names
        }
        of_companies = {one.document for one in nouns if one.words.is_organisation or one.words.head in _BUSINESS}
        for number, one in facts.items():
            word = one.document, one.words.surname
            if may_be_surname(name := one.words.whole_name):
                bearers[name[-1]].append(one)
                borne.setdefault((one.document, name[-1]), one.start)
            if name and one.words.is_organisation:
                first = one.document, name[0]
                begun[first] = name if begun.get(first, name) == name else ()
            elif number in alone and word not in borne:
                if word in begun:
                    short.add(word)
                seen[word] += 1
                types[word] |= _types(one, pronouns.get(number, ()))
                if sorts := one.words.beside.sorts or _sorts_described(one):
                    beside[word] = beside.get(word, sorts) & sorts
        companies = {first for _, first in begun}
        of_story: defaultdict[str, set[str]] = defaultdict(set)
        for word in types.keys() - borne.keys():
            of_story[word[1]] |= types[word]
        no_people = set()
        for word, found in types.items():
            is_nobody = TOWN in found or PERSON not in beside.get(word, (PERSON,))
            if not is_nobody and word not in borne and "PERSON" not in found:
                is_nobody = (
                    (seen[word] > 1 and not _NO_PEOPLE.isdisjoint(found))  # once, the parse may be wrong
                    or (TOWN in of_story[word[1]] and "PERSON" not in of_story[word[1]])
                    or word[1] in AMBIGUOUS
                    or bool(places_named(word[1:]))
                    or (found == {"ORG"} and word[0] in of_companies)  # Disney, "the company"
                )
            if is_nobody:
                no_people.add(word)
        self.no_people = {
            number
            for number, word in alone.items()
            if word in no_people  # or, in a text, before whoever has the name
            or (word[1] in AMBIGUOUS and facts[number].start < borne.get(word, 0) and number not in headlines)
        }
        of_clubs = {one.document for one in facts.values() if CLUB in one.words.sorts}
        self.sorts: dict[int, frozenset[str]] = dict.fromkeys(self.no_people, NO_PERSON)
        for number, word in alone.items():
            if not _SETTLEMENTS.isdisjoint(noun for _, noun in facts[number].syntax.descriptions):
                self.sorts[number] = frozenset((TOWN,))  # "Chelsea, a district", beside the club
            elif word in beside and not (TOWN in beside[word] and word[0] in of_clubs):
                own = facts[number].words.beside.sorts if places_named(word[1:]) else ()
                self.sorts[number] = beside[word] or own or NO_PERSON
        self.names: dict[int, Name] = {n: one.words.whole_name for n, one in facts.items() if one.words.whole_name}
        groups = (
            one.words for one in facts.values() if one.words.is_organisation or one.words.beside.sorts == NO_PERSON
        )
        named_after = {words.whole_name for words in groups}
        for number, name in self.names.items():
            words, article = facts[number].words, facts[number].phrase.article
            is_thing = number in self.things or article == "the" or words.beside.sorts == NO_PERSON
            is_thing &= name in named_after
            if name in people and (words.is_organisation or is_thing):  # "Ann Keller Inc.", "the Ann Keller"
                self.names[number] = (*name, ORGANISATION)
        self.names |= first_names
        for number, one in facts.items():
            word = (one.document, one.words.surname)
            # In a document that names nobody so, a word that begins the name of an organisation of the story is that.
            other = word in short or (word not in borne and one.words.surname in companies)
            is_alone = number in alone
            of_organisation = is_alone and word in begun and (other or _may_be_organisation(one, facts.values()))
            possible = () if is_alone and other else bearers.get(one.words.surname, ())
            if number in self.no_people:
                possible = [bearer for bearer in possible if bearer.words.whole_name not in people]
            if any(bearer.words.is_organisation and bearer.words.whole_name in people for bearer in possible):
                is_person = one.syntax.entity == "PERSON"
                possible = [bearer for bearer in possible if is_person and not bearer.words.is_organisation]
            if number in self.things:
                possible = [bearer for bearer in possible if PERSON not in bearer.words.sorts]
            name = begun[word] if of_organisation else _full_name(one, possible, is_alone and word in begun)
            if name and number not in self.names:
                self.names[number] = name
        titled: defaultdict[str, list[MentionFacts]] = defaultdict(list)
        for one in facts.values():
            if one.words.whole_name:
                titled[one.document].append(one)
        for number, one in facts.items():
            if number not in self.names and (name := _holder(one, titled.get(one.document, ()))):
                self.names[number] = name
        self.shared = numbered_people(facts, self.names, pronouns)
        self.names |= self.shared
        of_people = {n: name for n, name in self.names.items() if name in people or name[:-1] in people}
        self.names |= _described(facts, of_people)

    def same(self) -> Iterator[tuple[int, int]]:
        """Pairs of mentions that are the same by their names: the first with a full name, and another."""
        first: dict[Name, int] = {}
        for number, name in self.names.items():
            if (other := first.setdefault(name, number)) != number:
                yield other, number


def _is_alone(one: MentionFacts) -> bool:
    return len(one.words.words) == 1 and bool(one.words.surname)


def _first_names(facts: Mapping[int, MentionFacts], people: Collection[Name]) -> dict[int, Name]:
    """By mention of a first name ("Ann", "Sir Ian"), the only full name before it in its document that begins so."""
    found: dict[int, Name] = {}
    bearers: defaultdict[Word, list[MentionFacts]] = defaultdict(list)
    surnames: set[Word] = set()
    others: set[Word] = set()
    for number, one in facts.items():
        word = one.document, one.words.surname
        if (name := one.words.whole_name) in people:
            bearers[one.document, name[0]].append(one)
            surnames.add((one.document, name[-1]))
        elif word[1] and word not in surnames:
            is_person = one.syntax.entity == "PERSON" or not _is_alone(one) or gender_of_first_name(word[1])
            may_be = is_person or (one.syntax.role == "subject" and word not in others)
            name = _only_name(bearers[word]) if may_be and TOWN not in one.words.beside.sorts else ()
            if name:
                found[number] = name
            else:
                others.add(word)
    return found


def _people(facts: Mapping[int, MentionFacts], pronouns: Mapping[int, Sequence[MentionFacts]]) -> set[Name]:
    """The full names that are mostly somebody's, by the parse, an age or "he"; a ship or a country is "she"."""
    count: Counter[Name] = Counter()
    referents = ((named, one.words.stated.gender) for n, named in facts.items() for one in pronouns.get(n, ()))
    men = {(named.document, named.words.words[-1]) for named, gender in referents if "man" in gender}
    men |= {(one.document, one.words.words[-1]) for one in facts.values() if one.words.surname and one.syntax.age}
    for one in facts.values():
        if (name := one.words.whole_name) and not one.words.is_organisation:
            he = (one.document, one.words.words[-1]) in men
            count[name] += 1 if he or one.syntax.entity == "PERSON" else -1
    return {name for name, more in count.items() if more > 0}


def _types(one: MentionFacts, pronouns: Sequence[MentionFacts]) -> set[str]:
    """What the parse takes a name for, a town behind "in" or beside such a noun, and who has an age or a pronoun."""
    found = {"" if one.words.surname in AMBIGUOUS else one.syntax.entity}
    if one.words.beside.sorts == {TOWN} or any(noun in TOWNS for _, noun in one.syntax.descriptions):
        found.add(TOWN)
    if one.syntax.age or any(pronoun.words.stated.gender for pronoun in pronouns):
        found.add("PERSON")
    return found


def _sorts_described(one: MentionFacts) -> frozenset[str]:
    """What the nouns beside a name that may be a town's say that it may be ("Lincoln, the car maker")."""
    nouns = {noun for _, noun in one.syntax.descriptions} if places_named((one.words.surname,)) else set()
    if not nouns.isdisjoint(JOBS):
        return frozenset((PERSON,))
    return frozenset() if nouns.isdisjoint(_NO_TOWNS) else GROUP


def _may_be_organisation(one: MentionFacts, others: Iterable[MentionFacts]) -> bool:
    """Whether the parse takes a name for an organisation, and it does nothing to one ("Reed founded the firm")."""
    return (one.syntax.entity, one.syntax.age) == ("ORG", 0) and not any(
        one.is_other_argument(other) and other.words.is_organisation for other in others
    )


def _full_name(one: MentionFacts, bearers: Sequence[MentionFacts], of_organisation: bool) -> Name:
    """The full name that a surname can belong to, if there is exactly one; `bearers` are the mentions of those."""
    bearers = [other for other in bearers if not (_differ_in_gender(one, other) or one.has_other_title(other))]
    own = [other for other in bearers if other.document == one.document]
    before = [other for other in own if other.start < one.start]
    if not before and of_organisation:
        return ()
    title = one.words.words[0] if len(one.words.words) > 1 and one.words.words[0] in TITLES else ""
    for group in (before, own, bearers):
        if group:
            titled = (
                [other for other in group if other.words.words[0] == title]
                or [other for other in group if title in other.around.lemmas]
                or [other for other in bearers if title in _titles(other)]
            )
            return _only_name(titled or group)
    return ()


def _only_name(mentions: Sequence[MentionFacts]) -> Name:
    """The full name of mentions, the first of several that can be one; empty if they have several, or are none."""
    names = list(dict.fromkeys(one.words.whole_name for one in mentions))
    return () if not names or any(different_names(*pair) for pair in combinations(names, 2)) else names[0]


def _holder(one: MentionFacts, named: Sequence[MentionFacts]) -> Name:
    """The only full name, of those in `named`, before an office with "the" that has the office as a title."""
    words = one.words
    if words.names or not (words.definite == 1 or one.phrase.article == "the") or words.head not in TITLES:
        return ()
    if words.words[-1:] != (words.head,):
        return ()  # "the ministers"
    office = words.lemmas | one.phrase.modifiers | one.phrase.complements
    holders = [other for other in named if other.start < one.start and _has_titles(other, office)]
    return _only_name([other for other in holders if not _differ_in_gender(one, other)])


def _has_titles(named: MentionFacts, office: Collection[str]) -> bool:
    """Whether all words of an office are titles of a full name, perhaps shortened ("Prof.")."""
    titles = {title.rstrip(".") for title in _titles(named)}
    short = tuple(title for title in titles if title in TITLES and len(title) > 2)
    return all(word in titles or (word in TITLES and word.startswith(short)) for word in office)


def _described(facts: Mapping[int, MentionFacts], names: Mapping[int, Name]) -> dict[int, Name]:
    """The names of nouns for people that stand beside one ("his brother, Al Hale", "Al Hale, a builder")."""
    beside: defaultdict[tuple[str, int], list[Name]] = defaultdict(list)
    for number, name in names.items():
        for token, _ in facts[number].syntax.descriptions:
            beside[facts[number].document, token].append(name)
    nouns = ((n, one) for n, one in facts.items() if one.words.head in _PEOPLE.intersection(one.words.words[-1:]))
    known = {number: set(beside.get((one.document, one.syntax.head), ())) for number, one in nouns}
    return {number: found.pop() for number, found in known.items() if number not in names and len(found) == 1}


def _titles(named: MentionFacts) -> frozenset[str]:
    return (named.words.lemmas - frozenset(named.words.whole_name)) | named.phrase.modifiers


def _differ_in_gender(one: MentionFacts, other: MentionFacts) -> bool:
    mine, theirs = one.words.stated.gender, other.words.stated.gender
    return bool(mine and theirs) and mine.isdisjoint(theirs)


@dataclass(slots=True)
class _Cluster:
    """What one story says of one entity: its names, and what cannot be another's."""

    story: int
    label: str
    person: Person
    names: set[Name] = field(default_factory=set)
    stated: set[StatedFacts] = field(default_factory=set)
    is_place: bool = False

    def conflicts(self, other: _Cluster) -> bool:
        """Whether what is stated of two excludes that they are the same."""
        stated = any(in_conflict(mine, theirs) for mine in self.stated for theirs in other.stated)
        return stated or self.person.differs(other.person)

    def agrees(self, other: _Cluster, name: Name) -> bool:
        """Whether a name that both bear may mean the same."""
        if self.conflicts(other):
            return False
        mine, theirs = ({name for name in one.names if len(name) > 1} for one in (self, other))
        if (self if theirs else other).is_place and bool(mine) != bool(theirs) and len(name) == 1:
            return not any(long[-1:] == name for long in mine | theirs)  # "Houston" is not "Marcus Houston"
        if len(name) > 1 or not mine or not theirs:
            return True
        return any(set(one) <= set(two) or set(two) <= set(one) for one in mine for two in theirs)


def joined_by_name(stories: Sequence[Readings]) -> list[Corpus]:
    """Give clusters of entities that bear the same name in stories about one subject the same label, that of the first.

    Every mention has a cluster, and no two stories share one. The order of the stories does not matter.
    """
    if len(stories) < 2:
        return [story.corpus for story in stories]
    clusters = [cluster for number, story in enumerate(stories) for cluster in _named_clusters(number, story)]
    joined = {cluster.label: {cluster.label: cluster} for cluster in clusters}
    for name, bearers in _bearers(clusters).items():
        for one, other in combinations(bearers, 2):
            if joined[one.label] is not joined[other.label] and one.agrees(other, name):
                together = joined[one.label] | joined[other.label]
                joined.update(dict.fromkeys(together, together))
    place = {cluster.label: number for number, cluster in enumerate(clusters)}
    label_of: dict[str | None, str] = {}
    for together in {id(together): together for together in joined.values()}.values():
        one_each = len({cluster.story for cluster in together.values()}) == len(together)
        if one_each and not any(one.conflicts(other) for one, other in combinations(together.values(), 2)):
            label_of.update(dict.fromkeys(together, min(together, key=place.__getitem__)))
    return [story.corpus.with_clusters(lambda m: label_of.get(m.cluster, m.cluster)) for story in stories]


def joined_across_stories(readings: Readings, stories: Sequence[Sequence[str]]) -> Corpus:
    """As :func:`joined_by_name`, for all stories of a corpus: those about each subject are joined with each other."""
    corpus = readings.corpus
    by_subject: defaultdict[int, list[Readings]] = defaultdict(list)
    for number, story in zip(subjects(DocumentVectors(corpus.documents), stories), stories, strict=True):
        by_subject[number].append(readings.with_corpus(corpus.subset(story)))
    joined = [story for own in by_subject.values() for story in joined_by_name(own)]
    return replace(corpus, mentions=tuple(mention for story in joined for mention in story.mentions))


def _named_clusters(number: int, story: Readings) -> Iterator[_Cluster]:
    uncapitalised = {token for document in story.corpus.documents for token in document.tokens if token.islower()}
    clusters: dict[str, _Cluster] = {}
    for mention in story.corpus.mentions:
        if mention.kind == ENTITY and mention.cluster is not None:
            new = _Cluster(number, mention.cluster, Person(mention.cluster))
            cluster = clusters.setdefault(mention.cluster, new)
            reading = story[mention.document]
            facts = reading.facts(mention)
            if any(stated := facts.words.stated):
                cluster.stated.add(stated)
            cluster.person.add(0, [facts])
            cluster.is_place |= facts.syntax.entity in _NO_PEOPLE
            name = reading.name(mention)
            # A word that begins a sentence may have its capital for that.
            begins = len(mention.tokens) == 1 and reading.document.sentence_at(mention.start)[0] == mention.start
            if len(name) > 1 or (name and name[0] not in uncapitalised and not begins):
                cluster.names.add(name)
    yield from clusters.values()


def _bearers(clusters: Sequence[_Cluster]) -> dict[Name, list[_Cluster]]:
    """The clusters that bear each name, of stories in which no other does."""
    found: defaultdict[Name, list[_Cluster]] = defaultdict(list)
    for cluster in clusters:
        for name in cluster.names:
            found[name].append(cluster)
    count = {name: Counter(cluster.story for cluster in bearers) for name, bearers in found.items()}
    return {name: [one for one in bearers if count[name][one.story] == 1] for name, bearers in found.items()}

"""Two people of one name: the names of a story in, a number for everybody who shares a name out.

Ages and jobs tell them apart that are stated beside the name or a pronoun for it ("Reese, 29, a roofer", "He is 44").
Within a document two people differ in age by more than `YEARS`, or have jobs of different fields. Across documents,
which may be wrong about an age, a different age is enough only if the people are also called different things. A noun
beside the name ("the roofer"), and the same noun later in the document, mean the same person.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from cdcoref.language import JOBS, MentionFacts

YEARS = 2
"""Within these ages may be of one person, who has a birthday or whom somebody got wrong."""


@dataclass(slots=True)
class Person:
    """Whom the mentions of a document with one name may mean, and what is stated of them."""

    document: str
    members: list[int] = field(default_factory=list)
    ages: set[int] = field(default_factory=set)
    nouns: set[str] = field(default_factory=set)
    tokens: set[int] = field(default_factory=set)

    def add(self, number: int, stated: Sequence[MentionFacts]) -> None:
        """Add a mention, and what is stated of it."""
        self.members.append(number)
        for one in stated:
            self.ages |= {one.syntax.age} - {0}
            self.nouns |= {noun for _, noun in one.syntax.descriptions}
            self.tokens |= {token for token, _ in one.syntax.descriptions}

    def differs(self, other: Person) -> bool:
        """Whether what is stated of two of one name excludes that they are the same."""
        mine, theirs = ({JOBS[noun] for noun in one.nouns if noun in JOBS} for one in (self, other))
        if mine and theirs and mine.isdisjoint(theirs):
            return True
        if not self.ages or not other.ages or min(abs(a - b) for a in self.ages for b in other.ages) <= YEARS:
            return False
        return self.document == other.document or bool(
            self.nouns and other.nouns and self.nouns.isdisjoint(other.nouns)
        )


def people(stated: Mapping[int, Sequence[MentionFacts]]) -> list[list[Person]]:
    """Those whom the mentions of one name mean: the people of each document that may be the same in one list.

    `stated` has by mention, in the order of the text, its facts and those of its pronouns.
    """
    of_documents: defaultdict[str, list[Person]] = defaultdict(list)
    for number, facts in stated.items():
        known = of_documents[facts[0].document]
        new = Person(facts[0].document)
        new.add(number, facts)
        same = next((person for person in reversed(known) if not person.differs(new)), None)
        if same is None:
            known.append(new)
        else:
            same.add(number, facts)
    found: list[list[Person]] = []
    for person in (person for known in of_documents.values() for person in known):
        same_as = next((known for known in found if not any(person.differs(one) for one in known)), None)
        if same_as is None:
            found.append([person])
        else:
            same_as.append(person)
    return found


def numbered_people(
    facts: Mapping[int, MentionFacts],
    names: Mapping[int, tuple[str, ...]],
    pronouns: Mapping[int, Sequence[MentionFacts]],
) -> dict[int, tuple[str, ...]]:
    """The names of the mentions that mean one of several people of a name, with a number behind each.

    `facts` and `names` are by mention, `pronouns` those that refer to a mention.
    """
    of_names: defaultdict[tuple[str, ...], dict[int, list[MentionFacts]]] = defaultdict(dict)
    for number, name in names.items():
        of_names[name][number] = [facts[number], *pronouns.get(number, ())]
    result: dict[int, tuple[str, ...]] = {}
    for name, stated in of_names.items():
        if not any(one.syntax.age or one.syntax.descriptions for own in stated.values() for one in own):
            continue
        several = people(stated)
        everybody = [person for same in several for person in same]
        for place, same in enumerate(several if len(several) > 1 else (), 1):
            for person in same:
                own = [*person.members, *_nouns_for(person, facts, names, everybody)]
                result.update(dict.fromkeys(own, (*name, str(place))))
    return result


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

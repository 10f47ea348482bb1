#!/usr/bin/env python
"""Generate a small set of multi-hop questions over generated facts, in HotpotQA's official JSON.

    python scripts/make_multihop_questions.py -o build/multihop

Each question has four short paragraphs: two people, and two works, one of them by the first. It asks for the birth of
the person behind the first work (bridge), or compares the births of both (comparison). No paragraph alone tells who is
asked about. In train.json every second question is one of yes or no; no name is in both files.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from cdlm.files import replaced_file


def words(text: str) -> list[str]:
    """The words of a text."""
    return text.split()


FIRST_NAMES = words(
    "Alan Alice Anna Arthur Barbara Ben Brian Carol Charles Clara Daniel David Diana Donald Edward Ellen Emma Eric Eva "
    "Frank Fred Grace Harry Helen Henry Ian Irene Jack James Jane Joan John Julia Karen Keith Kevin Laura Leo Linda "
    "Louis Lucy Margaret Maria Mark Martin Mary Michael Nancy Neil Nora Oliver Oscar Paul Peter Philip Rachel Ralph "
    "Robert Rosa Ruth Sam Sarah Simon Stella Steven Susan Thomas Tom Vera Victor Walter William"
)
LAST_NAMES = words(
    "Adams Allen Baker Barnes Bell Bennett Brooks Brown Butler Campbell Carter Clark Cole Collins Cook Cooper Cox "
    "Davis Dixon Evans Fisher Ford Foster Fox Gordon Graham Grant Gray Green Hall Harris Hayes Hill Hughes Hunt "
    "Jackson Jenkins Kelly Kennedy King Knight Lewis Marshall Mason Mills Mitchell Moore Morgan Morris Murphy Nelson "
    "Palmer Parker Perry Porter Powell Price Reed Rice Roberts Rogers Ross Scott Shaw Simpson Stone Taylor Turner "
    "Walker Ward Watson Webb Wells West White Wood Wright Young"
)
TOWNS = words(
    "Aberdeen Adelaide Albany Amsterdam Athens Atlanta Auckland Austin Baltimore Bangor Barcelona Basel Bath Bedford "
    "Belfast Berlin Bern Birmingham Bologna Boston Bradford Brighton Brisbane Bristol Brussels Budapest Buffalo "
    "Calgary Cambridge Canterbury Cardiff Carlisle Chester Chicago Cleveland Cologne Copenhagen Cork Coventry Dallas "
    "Denver Derby Detroit Dover Dresden Dublin Dundee Durham Edinburgh Exeter Florence Frankfurt Galway Geneva Genoa "
    "Ghent Glasgow Gloucester Halifax Hamburg Hanover Hartford Helsinki Houston Ipswich Lancaster Leeds Leicester "
    "Leipzig Lisbon Liverpool London Lyon Madrid Manchester Marseille Melbourne Memphis Miami Milan Milwaukee Montreal "
    "Moscow Munich Naples Newcastle Norwich Nottingham Oakland Omaha Oslo Ottawa Oxford Paris Perth Philadelphia "
    "Phoenix Pittsburgh Plymouth Portland Prague Preston Princeton Quebec Reading Richmond Rome Rotterdam Salem "
    "Salisbury Seattle Seville Sheffield Southampton Stockholm Stuttgart Sunderland Swansea Sydney Tampa Toledo "
    "Toronto Toulouse Tulsa Turin Utrecht Vancouver Venice Verona Vienna Warsaw Winchester Worcester York Zurich"
)
ADJECTIVES = words(
    "Silent Broken Golden Hidden Lost Last Secret Distant Burning Frozen Empty Crimson Bitter Gentle Restless Hollow "
    "Sleeping Wild Quiet Painted"
)
FILM_THINGS = words(
    "River Garden Mirror Station Harbor Summer Letter Window Mountain Orchard Lantern Island Bridge Kingdom Shadow "
    "Winter Road Circus Tower Valley"
)
COMPANY_THINGS = words("Motors Foods Instruments Textiles Airlines Furniture Chemicals Books Engines Shoes Ships Toys")
JOBS = words("painter lawyer teacher swimmer doctor farmer pilot singer judge sailor")
GENRES = words("comedy drama thriller western musical mystery")
YEARS = range(1900, 2000, 10)
"""Few years, so that their order can be learnt from few questions; they are not names, and dev has the same."""
KINDS = ("town", "year", "first", "same")
TRAIN_KINDS = ("town", "same", "year", "same", "first", "same")
"""The kinds of question, in turn."""
SHARE = 0.25
"""Share of paragraphs with a sentence that is never needed besides the one that may be."""


@dataclass(frozen=True)
class Names:
    """The names available to the entities of one split."""

    first: list[str]
    last: list[str]
    towns: list[str]
    films: list[str]
    companies: list[str]


@dataclass(frozen=True)
class Entity:
    """A person or a work: its paragraph, and the index of the sentence that may be needed."""

    name: str
    sentences: tuple[str, ...]
    needed: int


@dataclass(frozen=True)
class Person(Entity):
    """A person, with place and year of birth."""

    town: str
    year: int


def split_names(dev_share: float, random: np.random.Generator) -> tuple[Names, Names]:
    """Disjoint names for train and dev."""
    films = [f"The {word} {thing}" for word in ADJECTIVES for thing in FILM_THINGS]
    companies = [f"{word} {thing}" for word in ADJECTIVES for thing in COMPANY_THINGS]
    train, dev = [], []
    for names in (FIRST_NAMES, LAST_NAMES, TOWNS, films, companies):
        mixed = [names[place] for place in random.permutation(len(names))]
        border = int(len(mixed) * dev_share)
        dev.append(mixed[:border])
        train.append(mixed[border:])
    return Names(*train), Names(*dev)


def choose(options: list[str], number: int, random: np.random.Generator) -> list[str]:
    """Distinct names among some options."""
    return [options[place] for place in random.choice(len(options), number, replace=False)]


def either(first: str, second: str, random: np.random.Generator) -> str:
    """One of two wordings."""
    return first if random.random() < 0.5 else second


def with_other(needed: str, other: str, random: np.random.Generator) -> tuple[tuple[str, ...], int]:
    """The sentences of a paragraph, and the index of the one that may be needed."""
    if random.random() >= SHARE:
        return (needed,), 0
    return ((needed, other), 0) if random.random() < 0.5 else ((other, needed), 1)


def make_people(names: Names, same_town: bool, random: np.random.Generator) -> tuple[Person, Person, str]:
    """The two people of a world, born in different years, and the name of a third."""
    firsts, lasts, towns = (choose(some, 3, random) for some in (names.first, names.last, names.towns))
    if same_town:
        towns[1] = towns[0]
    people = []
    years = [int(year) for year in random.choice(YEARS, 2, replace=False)]
    for first, last, town, year in zip(firsts, lasts, towns, years, strict=False):
        birth = either(f"{last} was born in {town} in {year}.", f"{last}, born in {year}, came from {town}.", random)
        sentences, needed = with_other(birth, f"{last} worked as a {random.choice(JOBS)}.", random)
        people.append(Person(f"{first} {last}", sentences, needed, town, year))
    return people[0], people[1], f"{firsts[2]} {lasts[2]}"


def make_work(maker: str, film: str, company: str, random: np.random.Generator) -> tuple[Entity, str]:
    """A film or a company of a person, and the person's role in it."""
    if random.random() < 0.5:
        says = either(f"It was directed by {maker}.", f"{maker} was its director.", random)
        other, name, role = f"It is a {random.choice(GENRES)}.", film, "director"
    else:
        says = either(f"It was founded by {maker}.", f"{maker} was its founder.", random)
        other, name, role = f"It opened in {random.choice(YEARS)}.", company, "founder"
    return Entity(name, *with_other(says, other, random)), role


def make_question(number: int, split: str, names: Names, random: np.random.Generator) -> dict[str, Any]:
    """One question with its world, as an object of HotpotQA's JSON."""
    kinds = TRAIN_KINDS if split == "train" else KINDS
    kind = kinds[number % len(kinds)]
    same_town = kind == "same" and number // len(kinds) % 2 == 0
    *people, absent = make_people(names, same_town, random)
    films, companies = (choose(some, 2, random) for some in (names.films, names.companies))
    made = [make_work(*one, random) for one in zip((people[0].name, absent), films, companies, strict=True)]
    works = [work for work, _ in made]
    person, (work, role) = people[0], made[0]
    # The order in which the two people are named must not reveal the answer.
    one, other = (people[place] for place in random.permutation(2))
    if kind in ("town", "year"):
        where = "In which town" if kind == "town" else "In which year"
        question = f"{where} was the {role} of {work.name} born?"
        answer = person.town if kind == "town" else str(person.year)
        facts = [[work.name, work.needed], [person.name, person.needed]]
    else:
        if kind == "first":
            question = f"Who was born first, {one.name} or {other.name}?"
            answer = min(one, other, key=lambda who: who.year).name
        else:
            question = f"Were {one.name} and {other.name} born in the same town?"
            answer = "yes" if same_town else "no"
        facts = [[one.name, one.needed], [other.name, other.needed]]
    paragraphs = [[entity.name, list(entity.sentences)] for entity in (*people, *works)]
    return {
        "_id": f"{split}-{number}",
        "question": question,
        "answer": answer,
        "type": "bridge" if kind in ("town", "year") else "comparison",
        "supporting_facts": facts,
        "context": [paragraphs[place] for place in random.permutation(len(paragraphs))],
    }


def make_sets(output: Path, train: int, dev: int, seed: int) -> None:
    """Write ``train.json`` and ``dev.json``."""
    random = np.random.default_rng(seed)
    train_names, dev_names = split_names(0.3, random)
    output.mkdir(parents=True, exist_ok=True)
    for split, number, names in (("train", train, train_names), ("dev", dev, dev_names)):
        questions = [make_question(n, split, names, random) for n in range(number)]
        with replaced_file(output / f"{split}.json") as path:
            path.write_text(json.dumps(questions, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    """Parse the command line and write the sets."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, default=Path("build/multihop"), help="default: %(default)s")
    parser.add_argument("--train", type=int, default=14400, help="training questions (default: %(default)s)")
    parser.add_argument("--dev", type=int, default=200, help="dev questions (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="random seed")
    arguments = parser.parse_args()
    make_sets(arguments.output, arguments.train, arguments.dev, arguments.seed)


if __name__ == "__main__":
    main()

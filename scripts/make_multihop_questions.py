#!/usr/bin/env python
"""Make a small set of multi-hop questions over generated facts, in HotpotQA's official JSON.

    python scripts/make_multihop_questions.py -o build/multihop

Every question has a little world of its own: three works (films and companies), each with the person behind it, in six
paragraphs of two sentences in random order. It asks either for the town or the year of birth of the person behind one
work, which is found by way of the paragraph of the work (bridge), or to compare the births of two of the persons
(comparison: who was born first, answered by a name, or whether it was in the same town, answered by yes or no). All
three works and all three persons look alike, so that one paragraph alone does not tell whether it is needed. Names in
dev.json are not in train.json: neither persons nor towns nor films. Everything is fiction.
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
TOWN_BEGINNINGS = words(
    "Ash Black Bridge Brook Castle Church Clay Cliff East Elm Fair Farm Gold Green Hart High Iron King Lake Long Maple "
    "Mill New North Oak Old Pine Port Queen Red River Rock Salt Sand Silver South Spring Stone Sun West White Wind Wolf"
)
TOWN_ENDS = words("bridge brook burg bury field ford gate haven hill land mouth port side stead ton town ville well")
FILM_WORDS = words(
    "Silent Broken Golden Hidden Lost Last Secret Distant Burning Frozen Empty Crimson Bitter Gentle Restless Hollow "
    "Sleeping Wild Quiet Painted"
)
FILM_THINGS = words(
    "River Garden Mirror Station Harbor Summer Letter Window Mountain Orchard Lantern Island Bridge Kingdom Shadow "
    "Winter Road Circus Tower Valley"
)
COMPANY_ENDS = words("Motors Foods Instruments Textiles Airlines Furniture Chemicals Publishing Electronics Shipping")
JOBS = words("painter lawyer teacher swimmer doctor farmer pilot singer judge sailor")
GENRES = words("comedy drama thriller western musical mystery")
YEARS = range(1900, 2000)
LEAST_GAP = 25
"""Years between the births of two persons of a world, so that who was born first is no matter of months."""
CHAINS = 3


@dataclass(frozen=True)
class Names:
    """What the entities of one split may be called."""

    first: list[str]
    last: list[str]
    towns: list[str]
    films: list[str]


@dataclass(frozen=True)
class Person:
    """Somebody, and the paragraph on them: where its sentence on their birth stands."""

    name: str
    town: str
    year: int
    sentences: tuple[str, str]
    birth: int


@dataclass(frozen=True)
class Work:
    """A film or a company, and where its sentence on the person behind it stands."""

    name: str
    role: str
    sentences: tuple[str, str]
    maker: int


def split_names(dev_share: float, random: np.random.Generator) -> tuple[Names, Names]:
    """Names for train and for dev that have none in common."""
    towns = [beginning + end for beginning in TOWN_BEGINNINGS for end in TOWN_ENDS if beginning.lower() != end]
    films = [f"The {word} {thing}" for word in FILM_WORDS for thing in FILM_THINGS]
    train, dev = [], []
    for names in (FIRST_NAMES, LAST_NAMES, towns, films):
        mixed = [names[place] for place in random.permutation(len(names))]
        border = int(len(mixed) * dev_share)
        dev.append(mixed[:border])
        train.append(mixed[border:])
    return Names(*train), Names(*dev)


def choose(options: list[str], number: int, random: np.random.Generator) -> list[str]:
    """Different ones among some names."""
    return [options[place] for place in random.choice(len(options), number, replace=False)]


def make_people(names: Names, same_town: bool, random: np.random.Generator) -> list[Person]:
    """The persons of a world; the first two may have been born in the same town."""
    firsts, lasts = choose(names.first, CHAINS, random), choose(names.last, CHAINS, random)
    towns = choose(names.towns, CHAINS, random)
    if same_town:
        towns[1] = towns[0]
    while True:
        years = [int(year) for year in random.choice(YEARS, CHAINS)]
        if min(abs(a - b) for n, a in enumerate(years) for b in years[:n]) >= LEAST_GAP:
            break
    people = []
    for first, last, town, year in zip(firsts, lasts, towns, years, strict=True):
        birth = [f"{first} {last} was born in {town} in {year}.", f"{first} {last}, born in {year}, came from {town}."]
        job = f"{last} worked as a {random.choice(JOBS)}."
        place = int(random.integers(2))
        sentences = (str(random.choice(birth)), job) if place == 0 else (job, str(random.choice(birth)))
        people.append(Person(f"{first} {last}", town, year, sentences, place))
    return people


def make_work(maker: Person, film: str, names: Names, random: np.random.Generator) -> Work:
    """A film or a company of a person."""
    year = int(random.choice(YEARS))
    if random.random() < 0.5:
        title, role = film, "director"
        says = [f"It was directed by {maker.name}.", f"{maker.name} was its director."]
        other = f"{title} is a {random.choice(GENRES)} film from {year}."
    else:
        title, role = f"{random.choice(names.last)} {random.choice(COMPANY_ENDS)}", "founder"
        says = [f"It was founded by {maker.name}.", f"{maker.name} was its founder."]
        other = f"{title} is a company that opened in {year}."
    return Work(title, role, (other, str(random.choice(says))), 1)


def make_question(number: int, split: str, names: Names, random: np.random.Generator) -> dict[str, Any]:
    """One question with its world, as an object of HotpotQA's JSON."""
    kind = ("town", "year", "first", "same")[number % 4]
    same_town = kind == "same" and number % 8 < 4
    people = make_people(names, same_town, random)
    works: list[Work] = []
    for maker, film in zip(people, choose(names.films, CHAINS, random), strict=True):
        work = make_work(maker, film, names, random)
        while work.name in [one.name for one in works]:
            work = make_work(maker, film, names, random)
        works.append(work)
    person, work = people[0], works[0]
    # Which of the two compared persons is named first must not give the answer away.
    one, other = (people[place] for place in random.permutation(2))
    if kind in ("town", "year"):
        where = "In which town" if kind == "town" else "In which year"
        question = f"{where} was the {work.role} of {work.name} born?"
        answer = person.town if kind == "town" else str(person.year)
        facts = [[work.name, work.maker], [person.name, person.birth]]
    else:
        if kind == "first":
            question = f"Who was born first, {one.name} or {other.name}?"
            answer = min(one, other, key=lambda who: who.year).name
        else:
            question = f"Were {one.name} and {other.name} born in the same town?"
            answer = "yes" if same_town else "no"
        facts = [[one.name, one.birth], [other.name, other.birth]]
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
    parser.add_argument("--train", type=int, default=4000, help="training questions (default: %(default)s)")
    parser.add_argument("--dev", type=int, default=400, help="dev questions (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="random seed")
    arguments = parser.parse_args()
    make_sets(arguments.output, arguments.train, arguments.dev, arguments.seed)


if __name__ == "__main__":
    main()

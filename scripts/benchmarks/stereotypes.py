"""Whether pronouns follow stereotypes of occupations: how often the right antecedent is found, with and against them.

Two people meet, one of an occupation that more men have and one that more women have; each sentence is tried with both
in both places, and with "he" and "she". In type 1 only the meaning tells, in type 2 the form helps (Zhao et al. 2018,
*Gender Bias in Coreference Resolution*; the sentences are our own).

    python scripts/benchmark.py stereotypes --model default
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

from cdcoref.corpus import ENTITY, Corpus, Document, Mention
from cdcoref.predict import Predictor, load

MEN = ("mechanic", "plumber", "engineer", "farmer", "pilot", "surgeon", "carpenter", "guard", "judge", "driver")
WOMEN = (
    *("nurse", "librarian", "secretary", "teacher", "cleaner", "receptionist", "dressmaker", "cashier", "dietitian"),
    "florist",
)
FIRST_TYPE = (
    ("{} called {} because {pronoun} needed advice .", 0),
    ("{} paid {} because {pronoun} had done the work well .", 1),
    ("{} asked {} for a loan because {pronoun} was short of money .", 0),
    ("{} thanked {} because {pronoun} had been of great help .", 1),
    ("{} ran after {} because {pronoun} wanted to return the umbrella .", 0),
    ("{} forgave {} because {pronoun} had apologised at once .", 1),
    ("{} wrote to {} after {pronoun} had found the address in a drawer .", 0),
    ("{} waited for {} because {pronoun} was late again .", 1),
)
"""Sentences with places for two people, and which of them the pronoun refers to."""
SECOND_TYPE = (
    ("{} met {} at the station and took {object} home .", 1),
    ("{} woke {} and told {object} the news .", 1),
    ("{} said that {} would have to wait until {pronoun} had finished speaking to the visitors outside .", 0),
    ("{} looked for {} in the hall and found {object} asleep .", 1),
    ("{} sat down beside {} and opened {possessive} own letter .", 0),
    ("{} passed {} the keys and wished {object} luck .", 1),
)
PRONOUNS = {
    "man": {"pronoun": "he", "object": "him", "possessive": "his"},
    "woman": {"pronoun": "she", "object": "her", "possessive": "her"},
}


class Sentence(NamedTuple):
    """A sentence with its two people and its pronoun."""

    document: Document
    mentions: tuple[Mention, ...]
    """The sentence, and three mentions: the two people and the pronoun."""
    referent: int
    """Which of the two people the pronoun refers to, 0 or 1."""
    agrees: bool
    """Whether the pronoun is of the gender that most people of the referent's occupation have."""


def sentences(templates: Sequence[tuple[str, int]]) -> Iterator[Sentence]:
    """Every template with every pair of occupations, both in both places, and with pronouns of both genders."""
    pairs = [pair for one, other in zip(MEN, WOMEN, strict=True) for pair in ((one, other), (other, one))]
    for number, ((template, referent), people, gender) in enumerate(product(templates, pairs, PRONOUNS)):
        forms = PRONOUNS[gender]
        words = template.format(*(f"the {one}" for one in people), **forms).capitalize().split()
        places: list[tuple[int, ...]] = [(words.index(one) - 1, words.index(one)) for one in people]
        places.append((next(place for place, word in enumerate(words) if word in forms.values()),))
        document = Document.from_sentences(str(number), [words], topic=str(number))
        mentions = tuple(Mention(document.id, place, ENTITY) for place in places)
        yield Sentence(document, mentions, referent, (people[referent] in MEN) == (gender == "man"))


def found(predictor: Predictor, tried: Sequence[Sentence]) -> list[bool]:
    """Of each sentence, whether the pronoun is in the cluster of its antecedent, and the other person is not."""
    corpus = Corpus(tuple(one.document for one in tried), tuple(mention for one in tried for mention in one.mentions))
    cluster = {m.key: m.cluster for m in predictor.predict(corpus, kind=ENTITY, topics="gold_topic").corpus.mentions}
    result = []
    for one in tried:
        first, second, pronoun = (cluster[mention.key] for mention in one.mentions)
        right, wrong = (first, second) if one.referent == 0 else (second, first)
        result.append(pronoun is not None and pronoun == right != wrong)
    return result


def main() -> None:
    """Parse the command line, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="default", help="default: %(default)s")
    arguments = parser.parse_args()
    predictor = load(arguments.model)
    print(f"{'antecedent found':20} {'as the stereotype':>20} {'against it':>20}")
    for name, templates in (("first type", FIRST_TYPE), ("second type", SECOND_TYPE)):
        tried = list(sentences(templates))
        total = Counter(one.agrees for one in tried)
        right = Counter(one.agrees for one, known in zip(tried, found(predictor, tried), strict=True) if known)
        columns = (f"{right[agrees]} of {total[agrees]}" for agrees in (True, False))
        print(f"{name:20}", *(f"{column:>20}" for column in columns))


if __name__ == "__main__":
    main()

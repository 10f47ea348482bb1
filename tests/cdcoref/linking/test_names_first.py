"""Names come before what a model says: surnames, titles and full names, and what two people of one surname are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.linking import facts_of_mentions
from cdcoref.linking.fact_conflicts import MentionConflicts
from cdcoref.linking.names_first import NamesOfStory, with_names_first


def mentions_in(*texts: str) -> Corpus:
    """A document for each text; mentions are in brackets."""
    documents, mentions = [], []
    for number, text in enumerate(texts):
        tokens: list[str] = []
        starts: list[int] = []
        own: list[tuple[int, int]] = []
        for word in text.split():
            if word == "[":
                starts.append(len(tokens))
            elif word == "]":
                own.append((starts.pop(), len(tokens)))
            else:
                tokens.append(word)
        ends = [place + 1 for place, token in enumerate(tokens) if token == "."] or [len(tokens)]
        sentences = [tokens[start:end] for start, end in zip([0, *ends], ends, strict=False)]
        documents.append(Document.from_sentences(f"d{number}", sentences))
        mentions += [Mention(f"d{number}", tuple(range(*span)), "entity") for span in own]
    return Corpus(tuple(documents), tuple(mentions))


def names_in(*texts: str) -> list[str]:
    """The full name of every mention, or nothing."""
    corpus = mentions_in(*texts)
    found = NamesOfStory(dict(enumerate(facts_of_mentions(corpus)))).names
    return [" ".join(found.get(number, ())) for number in range(len(corpus.mentions))]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["[ Paula Reyes ] left . [ Reyes ] fell ."], ["paula reyes", "paula reyes"]),
        (["We saw [ Ms. Reyes ] . [ Paula Reyes ] fell ."], ["paula reyes", "paula reyes"]),
        # A second person of the name comes later: the surname before can only be the first one's.
        (["[ Ann Keller ] left . [ Keller ] fell . [ Bo Keller ] rose ."], ["ann keller", "ann keller", "bo keller"]),
        (["[ Ann Keller ] met [ Bo Keller ] . Then [ Keller ] fell ."], ["ann keller", "bo keller", ""]),
        # A title decides.
        (
            ["[ Mayor Ann Keller ] met [ Bo Keller ] . Then [ Mayor Keller ] fell ."],
            ["ann keller", "bo keller", "ann keller"],
        ),
        (
            ["[ Anne Keller ] met [ Boris Keller ] . Then [ Mr. Keller ] fell ."],
            ["anne keller", "boris keller", "boris keller"],
        ),
        (
            ["[ Bo Keller ] sang . [ Al Keller ] , once minister , left . Then [ Minister Keller ] fell ."],
            ["bo keller", "al keller", "al keller"],
        ),
        # Of another document, if one person of the story has the name.
        (["[ Ann Keller ] left .", "Then [ Keller ] fell ."], ["ann keller", "ann keller"]),
        (["[ Ann Keller ] met [ Bo Keller ] .", "Then [ Keller ] fell ."], ["ann keller", "bo keller", ""]),
        # A title that one of them has in another document decides before the only name of the own one.
        (
            ["[ Ann Keller ] left . Then [ President Keller ] fell .", "[ President Bo Keller ] rose ."],
            ["ann keller", "bo keller", "bo keller"],
        ),
        # Before all names of the document, what stands before one of them in the story.
        (
            [
                "union leader [ Bo Keller ] met [ Ann Keller ] .",
                "[ Keller ] , the union leader , left [ Ann Keller ] .",
            ],
            ["bo keller", "ann keller", "bo keller", "ann keller"],
        ),
        # A surname that is a common word.
        (
            ["[ George Bell ] met [ President Nina Bell ] there . Then [ President Bell ] fell ."],
            ["george bell", "nina bell", "nina bell"],
        ),
        (["[ Chief Justice Ann Keller ] left . [ Chief Justice Keller ] fell ."], ["ann keller", "ann keller"]),
        # An organisation has the name too.
        (["[ Keller Holdings ] sank . [ Keller ] met [ Ann Keller ] ."], ["keller holdings", "", "ann keller"]),
        (
            ["[ Keller Holdings ] sank . At [ Keller ] , [ Ann Keller ] rose . [ Ms. Keller ] left [ Keller ] ."],
            ["keller holdings", "", "ann keller", "ann keller", ""],
        ),
        (
            ["[ Keller Holdings ] hired [ Ann Keller ] .", "Shares of [ Keller ] rose . So did [ Ms. Keller ] ."],
            ["keller holdings", "ann keller", "", "ann keller"],
        ),
        # Particles, hyphens, and father and son.
        (["[ Jan van der Berg ] left . Then [ Van der Berg ] fell ."], ["jan berg", "jan berg"]),
        (["[ Eve Le Pen ] left . Then [ Mrs. Le Pen ] met [ Le Pen ] ."], ["eve pen", "eve pen", "eve pen"]),
        (["[ Ann Hale-Reyes ] left . Then [ Hale-Reyes ] fell ."], ["ann hale-reyes", "ann hale-reyes"]),
        (
            ["[ Bo Keller Sr. ] met [ Bo Keller Jr. ] . There [ Keller Jr. ] fell ."],
            ["bo keller sr", "bo keller jr", "bo keller jr"],
        ),
        (["[ Bo Keller ] met [ Bo Keller , Jr. ] there ."], ["bo keller", "bo keller jr"]),
        (["[ Bo Keller Jr. ] left . Then [ Keller ] fell ."], ["bo keller", "bo keller"]),
        (
            ["[ Keller Holdings ] hired [ Ann Keller ] . [ Keller ] left ."],
            ["keller holdings", "ann keller", "ann keller"],
        ),
        # What is no surname.
        (["[ White House ] aides saw the [ House ] vote ."], ["white house", ""]),
        (["In [ South Africa ] and in [ Africa ] it rained ."], ["", ""]),
        (["[ Ford Motors ] and [ General Motors ] merge ."], ["ford motors", ""]),
    ],
)
def test_a_surname_is_the_full_name_that_it_can_belong_to(texts: Sequence[str], expected: Sequence[str]) -> None:
    assert [name if name != "south africa" else "" for name in names_in(*texts)] == list(expected)


def joined(labels: Sequence[int], links: MentionConflicts, *texts: str) -> list[int]:
    corpus = mentions_in(*texts)
    names = NamesOfStory(dict(enumerate(facts_of_mentions(corpus))))
    return with_names_first(np.array(labels), names, links).tolist()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[ Captain Ruth Lang ] sat with [ Jan Beck ] . The [ captain ] slept .", "ruth lang"),
        (
            "Finance Minister [ Olga Brandt ] met [ Minister Pavel Rusk ] . The finance [ minister ] left .",
            "olga brandt",
        ),
        ("Finance Minister [ Olga Brandt ] met [ Minister Pavel Rusk ] . The [ minister ] left .", ""),
        ("[ Captain Ruth Lang ] sat with [ Captain Jan Beck ] . The [ captain ] slept .", ""),
        ("[ Captain Ruth Lang ] sat with [ Jan Beck ] . A [ captain ] slept .", ""),
        ("[ Captain Ruth Lang ] sat with [ Jan Beck ] . The [ captains ] slept .", ""),
        ("[ Captain Ruth Lang ] sat with [ Jan Beck ] . The other [ captain ] slept .", ""),
        ("The [ captain ] slept . [ Captain Ruth Lang ] sat with [ Jan Beck ] .", ""),
    ],
)
def test_an_office_is_the_one_name_that_has_it_as_a_title(text: str, expected: str) -> None:
    names = names_in(text)
    place = 0 if text.startswith("The [") else 2
    assert names[place] == expected


def test_clusters_of_one_full_name_become_one() -> None:
    texts = ("[ Ann Keller ] left with [ her dog ] .", "[ Ann Keller ] fell . [ Keller ] sued [ the town ] .")
    assert joined([0, 1, 2, 3, 4], MentionConflicts({}), *texts) == [0, 1, 0, 0, 4]


def test_a_cluster_in_conflict_gives_up_the_mention_alone() -> None:
    texts = ("[ Ann Keller ] met [ a guard ] . [ Keller ] sued [ the town ] .",)
    apart = MentionConflicts({}, {0: frozenset({3}), 3: frozenset({0})})
    assert joined([0, 1, 2, 2], apart, *texts) == [0, 1, 0, 2]
    apart = MentionConflicts({}, {0: frozenset({2}), 2: frozenset({0})})
    assert joined([0, 1, 2, 2], apart, *texts) == [0, 1, 2, 2]

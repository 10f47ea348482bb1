"""Names of events: who and what a clause or a phrase says, from its parse."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.facts import parse
from cdcoref.reading import Readings
from cdcoref.reports import Results, event_name, is_bare
from tests.tables import cases


def story(*marked: str) -> tuple[Readings, list[Mention]]:
    """A document of sentences with an event in braces each, which all are one; parsed by the pipeline that ships."""
    sentences = [re.sub("[{}]", "", sentence).split() for sentence in marked]
    document = Document.from_sentences("a", sentences)
    document = replace(document, parse=next(parse([document])).packed())
    mentions = []
    for number, sentence in enumerate(marked):
        inside = [word.startswith("{") or word.endswith("}") for word in sentence.split()]
        first = document.sentences[number][0]
        tokens = tuple(first + place for place in range(inside.index(True), len(inside) - inside[::-1].index(True)))
        mentions.append(Mention("a", tokens, "event", "1"))
    return Readings(Corpus((document,), tuple(mentions))), mentions


@pytest.mark.parametrize(("marked", "name"), cases(__file__, "event_names.tsv", "name"))
def test_the_name_says_who_and_what(marked: str, name: str | None) -> None:
    readings, mentions = story(marked)
    assert event_name(mentions, readings) == name


def test_of_several_mentions_the_one_that_says_most_names_the_event() -> None:
    readings, mentions = story(
        "He {resigned} .", "The {resignation} surprised many .", "Minister Olga Brandt {resigned} on Monday ."
    )
    assert event_name(mentions, readings) == "Minister Olga Brandt resigned"
    assert [is_bare([mention], "resigned", readings) for mention in mentions] == [True, False, True]
    assert not is_bare(mentions, "Brandt resigned", readings)


def test_names_stand_in_lists_and_documents_without_a_parse_keep_plain_labels() -> None:
    readings, _ = story("The dam {burst} .", "Then it {burst} again .")
    corpus = readings.corpus
    [cluster] = Results(corpus, (("a",),), readings=readings).clusters()
    assert (cluster.name, cluster.label) == ("dam burst", "dam burst")
    plain = replace(corpus, documents=(replace(corpus.documents[0], parse=None),))
    assert [found.name for found in Results(plain, (("a",),)).clusters()] == ["burst"]

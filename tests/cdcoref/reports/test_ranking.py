"""The order of clusters: groups, kinds in turns, bare dates and numbers last; how events are called."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.facts import parse
from cdcoref.formats import tokenise_text
from cdcoref.predict import Plan, Prediction
from cdcoref.reading import Readings
from cdcoref.reports import (
    CorpusCircumstances,
    Results,
    Stated,
    cluster_label,
    event_name,
    is_bare,
    is_date_or_number,
    mean_confidence,
    ranked_clusters,
)
from tests.tables import cases


@pytest.mark.parametrize(
    "words",
    [
        "1998", "on Tuesday", "last Friday night", "May 18 , 2006", "the 1990s", "Sept. 3", "3rd", "7.30 p.m.",
        "19", "nineteen", "about 40 million", "$ 2.5 million", "12 %", "twenty-one", "yesterday", "this week", "ago",
    ],
)  # fmt: skip
def test_bare_dates_and_numbers(words: str) -> None:
    assert is_date_or_number(words.split())


@pytest.mark.parametrize(
    "words",
    [
        "19 people", "the march", "may", "sat", "Tresk", "the 1998 election", "seven passengers", "Tuesday 's meeting",
        "the", "", "second", "sun", "weekly", "tens",
    ],
)  # fmt: skip
def test_other_words(words: str) -> None:
    assert not is_date_or_number(words.split())


@pytest.mark.parametrize(("text", "words", "little"), cases(__file__, "datelines.tsv", "text", "little"))
def test_datelines(text: str, words: str, little: bool) -> None:
    """A mention in a dateline ranks below the last word of the text, whose confidence is lower."""
    document = tokenise_text(text, "d")
    start = text.index(words)
    tokens = tuple(n for n, (a, b) in enumerate(document.offsets) if start <= a and b <= start + len(words))
    last = (len(document.tokens) - 2,)
    mentions = (Mention("d", tokens, "entity", "1", confidence=0.9), Mention("d", last, "entity", "2", confidence=0.1))
    ranked = [cluster[0].tokens for cluster in ranked_clusters(Corpus((document,), mentions))]
    assert ranked == ([last, tokens] if little else [tokens, last])


def test_kinds_take_turns_and_dates_come_last() -> None:
    words = ["1998", "ferry", "captain", "Tresk", "sank", "fled", "Tuesday", "later", "its"]
    documents = tuple(Document.from_sentences(name, [words]) for name in "abc")

    def across(token: int, kind: str | None, documents: str, confidence: float) -> list[Mention]:
        return [Mention(name, (token,), kind, words[token], confidence=confidence) for name in documents]

    mentions = [
        *across(0, "entity", "abc", 1.0),
        *across(1, "entity", "abc", 0.9),
        *across(2, "entity", "ab", 0.9),
        *across(3, "entity", "ab", 0.8),
        *across(4, "event", "ab", 0.7),
        *across(5, "event", "ab", 0.6),
        Mention("a", (6,), "entity", "within", confidence=0.9),
        Mention("b", (8,), None, "unknown"),
    ]
    corpus = Corpus(documents, tuple(mentions))
    names = [cluster[0].cluster for cluster in ranked_clusters(corpus)]
    assert names == ["sank", "ferry", "fled", "captain", "Tresk", "1998", "unknown", "within"]
    assert [cluster[0].cluster for cluster in ranked_clusters(corpus, singletons=False)] == names[:6]
    assert [mention.document for mention in next(ranked_clusters(corpus))] == ["a", "b"]


KIND = st.sampled_from(["event", "entity", None])


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 5), KIND, st.integers(0, 9)), unique=True, max_size=25))
def test_every_kind_is_ranked_and_nothing_is_lost(places: list[tuple[int, int, str | None, int]]) -> None:
    documents = tuple(Document.from_sentences(str(n), [["1998", "a", "b", "c", "d", "e"]]) for n in range(3))
    mentions = {(d, t, k): Mention(str(d), (t,), k, str(c), confidence=c / 10) for d, t, k, c in places}
    corpus = Corpus(documents, tuple(mentions.values()))
    ranked = list(ranked_clusters(corpus))
    assert sorted(map(id, (m for cluster in ranked for m in cluster))) == sorted(map(id, corpus.mentions))
    groups = [(len({m.document for m in c}) < 2, len(c) < 2, all(m.tokens == (0,) for m in c)) for c in ranked]
    assert groups == sorted(groups)
    for kind in ("event", "entity", None):
        own = [(g, len({m.document for m in c}) * (mean_confidence(c) or 0))
               for g, c in zip(groups, ranked, strict=True) if c[0].kind == kind]  # fmt: skip
        assert all(one[1] >= other[1] for one, other in pairwise(own) if one[0] == other[0])


@pytest.mark.parametrize(("wordings", "label"), cases(__file__, "labels.tsv", "wordings"))
def test_labels(wordings: list[str], label: str) -> None:
    assert cluster_label(wordings) == label


@given(st.data(), st.lists(st.sampled_from(["a", "b", "B", "Lark", "LARK", "Sea Lark", "Old Lark", "it"]), min_size=1))
def test_the_order_of_mentions_does_not_matter(data: st.DataObject, wordings: list[str]) -> None:
    assert cluster_label(data.draw(st.permutations(wordings))) == cluster_label(wordings)


@given(st.lists(st.text("aB 'é", max_size=8).map(lambda text: " ".join(text.split())), min_size=1, max_size=9))
def test_a_label_is_a_wording_or_one_without_its_article(wordings: list[str]) -> None:
    assert any(wording.endswith(cluster_label(wordings)) for wording in wordings)


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
    plan = story("The owners hope to {sell} the mill .", "The council {sold} the mill in May .")
    assert event_name(plan[1], plan[0]) == "council sold mill"


def test_names_stand_in_lists_also_of_documents_without_a_parse() -> None:
    readings, _ = story("The dam {burst} .", "Then it {burst} again .")
    corpus = readings.corpus
    [cluster] = Results(corpus, (("a",),), readings=readings).clusters()
    assert (cluster.name, cluster.label) == ("dam burst", "dam burst")
    plain = replace(corpus, documents=(replace(corpus.documents[0], parse=None),))
    assert [found.name for found in Results(plain, (("a",),)).clusters()] == ["dam burst"]


def entities(*marked: str) -> Results:
    """The results for sentences with an entity in braces each, all of them one document and of different clusters."""
    readings, mentions = story(*marked)
    known = tuple(replace(mention, kind="entity", cluster=str(number)) for number, mention in enumerate(mentions))
    corpus = replace(readings.corpus, mentions=known)
    return Results(corpus, (("a",),), readings=Readings(corpus))


@pytest.mark.parametrize(("marked", "name"), cases(__file__, "long_names.tsv", "name"))
def test_things_are_called_by_their_whole_names(marked: str, name: str) -> None:
    [cluster] = entities(marked).clusters(singletons=True)
    assert cluster.name == name


def test_words_that_only_complete_names_come_last() -> None:
    results = entities(
        "The Royal Society for the Protection of {Birds} met .", "The {Bank} of England agreed .", "Some {birds} sang ."
    )
    found = [cluster.name for cluster in results.clusters(singletons=True)]
    assert found[-1] == "Birds"
    assert set(found) == {"Birds", "Bank of England", "birds"}


def test_verbs_of_a_headline_in_capitals_are_no_name() -> None:
    readings, _ = story(
        "Mona Reyes {Checks Into} a Clinic in Velm", "Her doctor said that Reyes {checked} in on Monday ."
    )
    [cluster] = Results(readings.corpus, (("a",),), readings=readings).clusters()
    assert cluster.name == "Reyes checked in"


TEXTS = {
    "a": ["A storm hit the Norwegian town of Bergen on 3 May 2024 .", "The storm sank four boats ."],
    "b": ["4 May 2024", "On Friday the storm in Norway cut power .", "It spared Oslo ."],
}


def prediction(names: dict[tuple[str | None, str], str] | None = None) -> Prediction:
    documents = tuple(
        Document.from_sentences(id, [sentence.split() for sentence in sentences]) for id, sentences in TEXTS.items()
    )
    places = {"a": {1: "storm", 2: "storm", 5: None, 14: "storm", 17: None}, "b": {6: "storm", 10: None, 12: "storm"}}
    kinds = {("a", 5): "entity", ("a", 17): "entity", ("b", 10): "entity"}
    mentions = tuple(
        Mention(id, (place,), kinds.get((id, place), "event"), cluster)
        for id, own in places.items()
        for place, cluster in own.items()
    )
    return Prediction(Corpus(documents, mentions, names=names or {}), (("a", "b"),), Plan(2, 1, 2, 1, 0))


def test_when_where_and_participants_of_a_cluster() -> None:
    (storm,) = (cluster for cluster in prediction().clusters() if cluster.kind == "event")
    assert str(storm.when) == "2024-05-03"
    assert str(storm.where) == "Bergen, Norway"
    assert storm.when is not None
    assert storm.when.stated == (Stated("a", 44, 54, "3 May 2024"), Stated("b", 14, 20, "Friday"))
    assert storm.where is not None
    assert [one.text for one in storm.where.stated] == ["Bergen"]
    assert storm.label == "storm hit Norwegian town of Bergen · Bergen, Norway · 3 May 2024"
    assert [str(one) for one in storm.participants] == ["town", "boats", "power"]


def test_a_name_that_people_gave_is_the_label() -> None:
    (storm,) = (one for one in prediction({("event", "storm"): "Storm Ada"}).clusters() if one.kind == "event")
    assert storm.label == "Storm Ada"
    assert str(storm.where) == "Bergen, Norway"


def test_a_year_that_one_mention_looks_back_to_is_not_that_of_the_cluster() -> None:
    sentences = ["1 May 2020", "A fire began .", "The fire grew .", "A fire in 2009 was worse ."]
    document = Document.from_sentences("a", [sentence.split() for sentence in sentences])
    mentions = tuple(Mention("a", (place,), "event", "fire") for place in (4, 8, 12))
    assert [document.tokens[mention.start] for mention in mentions] == ["fire"] * 3
    assert CorpusCircumstances(Corpus((document,), mentions)).of(mentions[0]).when is None
    assert str(CorpusCircumstances(Corpus((document,), mentions[2:])).of(mentions[2]).when) == "2009"


@pytest.mark.parametrize(
    ("later", "day"),
    [
        ("The fire began on Thursday .", "2020-04-30"),
        ("The fire of 3 April was worse .", "None"),
        ("A fire is feared for 9 May .", "None"),
        ("The fire was feared in April .", "None"),
    ],
)
def test_a_day_stated_behind_the_beginning_is_that_of_the_main_event_if_it_is_of_the_last_week(
    later: str, day: str
) -> None:
    sentences = [
        "A fire was put out , which pleased all of the town .",
        *["The hall is in the middle of town ."] * 6,
        later,
    ]
    document = Document.from_sentences("2020-05-01_a", [sentence.split() for sentence in sentences])
    fires = [place for place, word in enumerate(document.tokens) if word == "fire"]
    mentions = tuple(Mention(document.id, (place,), "event", "fire") for place in fires)
    assert str(CorpusCircumstances(Corpus((document,), mentions)).of_document(document.id).when) == day


def test_names_of_one_country_contain_each_other_in_one_way() -> None:
    sentences = [
        "A vote took place in the U.K. in May .",
        "The vote in Britain was close .",
        "The vote in England too .",
    ]
    document = Document.from_sentences("a", [sentence.split() for sentence in sentences])
    mentions = tuple(Mention("a", (n,), "event", "vote") for n in (1, 11, 18))
    assert [document.tokens[mention.start] for mention in mentions] == ["vote"] * 3
    known = CorpusCircumstances(Corpus((document,), mentions))
    assert str(known.of(mentions[0]).where) == "Britain"
    whole = CorpusCircumstances(Corpus((document,), mentions[:2])).of(mentions[0]).where
    assert str(whole) == "Britain"


def test_a_weekday_in_texts_without_a_day() -> None:
    sentences = {
        "a": ["A fire began on Friday .", "It rained ."],
        "b": ["The fire of Friday night has spread .", "The fire spread on Saturday ."],
    }
    documents = tuple(Document.from_sentences(id, [one.split() for one in own]) for id, own in sentences.items())
    mentions = tuple(Mention(id, (n,), "event", "fire") for id, n in (("a", 1), ("b", 1), ("b", 8)))
    known = CorpusCircumstances(Corpus(documents, mentions))
    fire = known.of(mentions[0]).when
    assert fire is not None
    assert str(fire) == "XXXX-WXX-5"
    assert [one.text for one in fire.stated] == ["Friday", "Friday night"]
    assert known.label(mentions[0]) == "fire · Friday"
    dated = Document.from_sentences(
        "c", [sentence.split() for sentence in ("3 May 2024", "The fire of 3 May is out .")]
    )
    both = Corpus((*documents, dated), (*mentions, Mention("c", (4,), "event", "fire")))
    assert str(CorpusCircumstances(both).of(mentions[0]).when) == "2024-05-03"


def test_a_weekday_of_another_clause_is_not_that_of_an_event() -> None:
    document = Document.from_sentences(
        "a", [["He", "left", "after", "a", "fire", ",", "police", "said", "Friday", "."]]
    )
    mentions = (Mention("a", (1,), "event", "leaving"), Mention("a", (4,), "event", "fire"))
    known = CorpusCircumstances(Corpus((document,), mentions))
    assert [known.of(mention).when for mention in mentions] == [None, None]

"""Event clusters with when, where and participants, and the words that state them; their labels."""

from __future__ import annotations

from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.predict import Plan, Prediction
from cdcoref.reports import CorpusCircumstances, Stated

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
    assert storm.label == "storm · Bergen, Norway · 3 May 2024"
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

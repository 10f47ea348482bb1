"""What people say is obeyed at once, by every later addition and rebuild, and can be undone; nonsense is refused."""

from __future__ import annotations

import random
import sqlite3
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cdcoref.collection import Collection, Correction, Question
from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.errors import InputError
from cdcoref.predict import Predictor
from cdcoref.reports import says_little

Find = Callable[[str, str], str]


def partition(collection: Collection) -> dict[tuple[object, ...], str | None]:
    return {mention.key: mention.cluster for mention in collection.corpus().mentions}


def together(collection: Collection, *ids: str) -> bool:
    return len({collection.mention(id).cluster for id in ids}) == 1


def test_undo_takes_back_what_was_made_or_redone_last(news: Collection) -> None:
    for cluster, name in zip(("c1", "c2", "c3"), ("one", "two", "three"), strict=True):
        news.correct("rename", [cluster], name=name)
    for number in (1, 2, 1):  # 1 is redone twice
        news.undo(number)
        news.redo(number)
    assert [news.undo().number for _ in range(3)] == [1, 2, 3]
    with pytest.raises(InputError, match="there is no correction to undo"):
        news.undo()
    news.redo(2)
    news.correct("rename", ["c4"], name="four")
    assert [news.undo().number for _ in range(2)] == [4, 2]
    assert [news.redo().number for _ in range(2)] == [2, 4]
    with pytest.raises(InputError, match="there is no correction to redo"):
        news.redo()  # 1 and 3 were undone before 4 was made


def test_a_correction_that_changes_nothing_says_so(news: Collection, mention_id: Find) -> None:
    one, other = mention_id("ferry0", "ferry"), mention_id("ferry2", "ferry")
    assert news.correct("same", [one, other]).notes[-1:] == ("no cluster changed",)
    police = mention_id("ferry0", "Police")
    assert news.correct("not-a-mention", [police]).notes == ()
    assert news.correct("rename", [news.mention(one).cluster or ""], name="the boat").notes == ()
    assert news.undo(1).notes == ("no cluster changed",)


def test_move(news: Collection, mention_id: Find) -> None:
    before = partition(news)
    ferry, captain = mention_id("ferry0", "ferry"), news.mention(mention_id("ferry2", "captain")).cluster or ""
    left = news.mention(ferry).cluster
    said = news.correct("move", [ferry, captain])
    assert news.mention(ferry).cluster == captain == said.cluster
    assert {m.cluster for m in news.cluster(left or "").mentions} == {left}
    assert [(m.change, m.cluster, m.other, m.mentions, m.words) for m in said.moves] == [
        ("moved", captain, left, 1, ("ferry",))
    ]
    with pytest.raises(InputError, match="undo correction 1 first"):
        news.correct("same", [ferry, left or ""])
    with pytest.raises(InputError, match="an event and an entity are never the same"):
        news.correct("move", [mention_id("ferry0", "sank"), captain])
    undone = news.undo()
    assert [(m.change, m.cluster, m.other) for m in undone.moves] == [("moved", left, captain)]
    assert partition(news) == before


def test_what_became_of_clusters_is_told_and_kept(news: Collection, mention_id: Find) -> None:
    captain, police = mention_id("ferry0", "captain"), mention_id("ferry0", "Police")
    one, other = (news.mention(id).cluster for id in (captain, police))
    said = news.correct("same", [captain, police])
    kept, gone = sorted((one or "", other or ""), key=lambda id: int(id[1:]))
    assert [(m.change, m.cluster, m.other, m.mentions) for m in said.moves] == [("merged", kept, gone, 2)]
    assert news.corrections() == [said]
    split = news.correct("split", [mention_id("ferry2", "ferry")])
    (move,) = split.moves
    assert (move.change, move.words, move.title, move.other_title) == ("split", ("ferry",), "ferry", "ferry")
    dropped = news.correct("not-a-mention", [mention_id("ferry0", "storm")])
    assert [(m.change, m.cluster, m.words) for m in dropped.moves] == [("left", None, ("storm",))]
    back = news.undo()
    assert [(m.change, m.other, m.words) for m in back.moves] == [("back", None, ("storm",))]
    assert news.corrections() == [said, split, back]
    assert news.correct("rename", [kept], name="x").moves == ()


@pytest.mark.parametrize("character", ["\0", "\x1b", "\x9b", "\udcff"])
def test_a_name_is_visible(news: Collection, character: str) -> None:
    with pytest.raises(InputError, match="not a visible character"):
        news.correct("rename", ["c1"], name=f"the{character}boat")


def test_a_name_stays_with_the_cluster(written: Any, news: Collection) -> None:
    ferry = next(c for c in news.clusters() if c.title == "ferry")
    storm = next(c for c in news.clusters() if c.title == "storm")
    news.correct("rename", [storm.id], name="  The storm\nof  Friday ")
    news.correct("rename", [ferry.id], name="MS Maren")
    assert news.cluster(ferry.id).summary.title == "MS Maren"
    news.add(written.reports(5)[4])
    news.rebuild()
    assert {c.id: c.name for c in news.clusters() if c.name} == {ferry.id: "MS Maren", storm.id: "The storm of Friday"}
    assert news.search("storm of friday").clusters[0].id == storm.id
    merged = news.correct("same", [ferry.id, storm.id])
    (kept,) = [c for c in news.clusters() if c.name]
    assert kept.id == min(ferry.id, storm.id, key=lambda id: int(id[1:]))
    news.undo(merged.number)
    assert {c.id: c.name for c in news.clusters() if c.name} == {ferry.id: "MS Maren", storm.id: "The storm of Friday"}
    news.undo(2)
    assert news.cluster(ferry.id).summary.title == "ferry"


def test_of_the_names_of_merged_clusters_the_latest_stays(news: Collection, mention_id: Find) -> None:
    one, two, three = sorted(
        (news.mention(mention_id("ferry0", word)).cluster or "" for word in ("captain", "Police", "storm")),
        key=lambda id: int(id[1:]),
    )
    for cluster, name in ((two, "First"), (three, "Second"), (two, "Third")):
        news.correct("rename", [cluster], name=name)
    news.correct("same", [one, two, three])
    assert (news.cluster(three).summary.id, news.cluster(three).summary.name) == (one, "Third")
    news.undo(3)
    assert news.cluster(one).summary.name == "Second"
    news.correct("rename", [one], name="Fourth")
    assert news.cluster(one).summary.name == "Fourth"


def test_a_name_that_is_redone_holds_before_newer_ones_until_it_is_undone_again(news: Collection) -> None:
    def name() -> str | None:
        return news.cluster("c1").summary.name

    for given in ("First", "Second", "Third"):
        news.correct("rename", ["c1"], name=given)
    news.undo(1)
    news.redo(1)
    assert name() == "First"
    news.rebuild()
    assert name() == "First"
    assert news.undo().number == 1  # the one that was redone last
    assert name() == "Third"


def test_corrections_hold_for_later_additions_and_rebuilds(written: Any, news: Collection, mention_id: Find) -> None:
    said = [
        news.correct("same", [mention_id("ferry0", "captain"), mention_id("museum1", "guard")]),
        news.correct("not-same", [mention_id("ferry0", "ferry"), mention_id("ferry2", "ferry")]),
        news.correct("not-a-mention", [mention_id("museum3", "saw")]),
    ]

    def check() -> None:
        assert together(news, mention_id("ferry0", "captain"), mention_id("museum3", "guard"))
        assert not together(news, mention_id("ferry0", "ferry"), mention_id("ferry2", "ferry"))
        assert news.mention(mention_id("museum3", "saw")).rejected

    check()
    for corpus in written.reports(8)[4:]:
        news.add(corpus)
        check()
    news.rebuild()
    check()
    everything = written.joined(*written.reports(8))
    news.remove(["ferry2", "museum3"])
    news.add(Corpus(everything.documents, everything.mentions))
    check()
    for correction in reversed(said):
        news.undo(correction.number)
    assert {frozenset(c) for c in written.clusters_of(news.corpus())} == written.all_at_once(news.path.parent, 8)


def test_corrections_move_with_a_document_that_changes(written: Any, news: Collection, mention_id: Find) -> None:
    news.correct("not-a-mention", [mention_id("ferry0", "storm")])
    news.correct("same", [mention_id("ferry0", "captain"), mention_id("ferry0", "Police")])
    report = news.add(written.annotated("ferry0", "An update follows .", *written.FERRY))
    assert report.replaced == ("ferry0",)
    assert news.mention(mention_id("ferry0", "storm")).rejected
    assert together(news, mention_id("ferry0", "captain"), mention_id("ferry2", "Police"))
    news.undo(2)
    assert not together(news, mention_id("ferry0", "captain"), mention_id("ferry0", "Police"))


def change_or_remove(collection: Collection, written: Any, how: str) -> None:
    """The document museum1 loses its mentions, or is removed."""
    if how == "removed":
        collection.remove(["museum1"])
    else:
        collection.add(written.annotated("museum1", "Nothing else is known of the museum ."))


@pytest.mark.parametrize("how", ["removed", "replaced"])
def test_stories_that_a_document_tied_without_it(written: Any, news: Collection, mention_id: Find, how: str) -> None:
    captain, police, thieves = mention_id("ferry0", "captain"), mention_id("ferry0", "Police"), "thieves"
    before = partition(news)
    for mention in (captain, police):
        news.correct("same", [mention, mention_id("museum1", thieves)])
    assert together(news, captain, police, mention_id("museum3", thieves))
    change_or_remove(news, written, how)
    now = partition(news)
    assert {key: now[key] for key in now if key[0] != "museum1"} == {
        key: before[key] for key in now if key[0] != "museum1"
    }
    assert not news.mention(captain).checked
    if how == "removed":
        news.add(written.reports(2)[1])
        assert together(news, captain, police, mention_id("museum3", thieves))
        assert news.mention(captain).checked


def test_a_mention_and_a_cluster_that_begins_with_it_are_one(news: Collection, mention_id: Find) -> None:
    captain, police = mention_id("ferry0", "captain"), mention_id("ferry0", "Police")
    cluster = news.mention(captain).cluster or ""
    assert news.cluster(cluster).mentions[0].id == captain
    with pytest.raises(InputError, match="exactly two mentions"):
        news.correct("not-same", [captain, cluster])
    correction = news.correct("same", [captain, cluster, police])
    assert [mention.words for mention in correction.mentions] == ["captain", "Police"]


@pytest.mark.parametrize(
    ("action", "ids", "what"),
    [
        ("same", ["m1"], "two or more different mentions"),
        ("same", ["m1", "m999"], "there is no mention m999"),
        ("same", ["m1", "ferry"], "'ferry' is not the id of a mention, which is m and a number, such as m12"),
        ("not-a-mention", [], "give the words"),
        ("split", ["m1", "m4"], "give mentions of one cluster"),
        ("move", ["m1"], "give mentions, followed by the cluster to move them to"),
        ("rename", ["m1"], "give one cluster or story to rename, such as c3 or s2"),
        ("rename", ["c1"], "a cluster's name must have 1 to 200 characters"),
        ("rename", ["c999"], "there is no cluster c999"),
        (
            "confuse",
            ["m1"],
            "'confuse' is not a correction; choose same, not-same, not-a-mention, split, move, rename, ",
        ),
    ],
)
def test_nonsense_is_refused(news: Collection, action: Any, ids: list[str], what: str) -> None:
    before = partition(news)
    with pytest.raises(InputError) as error:
        news.correct(action, ids, name="x" if ids == ["c999"] else None)
    assert what in str(error.value)
    assert partition(news) == before
    assert news.corrections() == []


def test_kinds_and_rejected_mentions_are_refused(news: Collection, mention_id: Find) -> None:
    with pytest.raises(InputError, match="an event and an entity are never the same"):
        news.correct("same", [mention_id("ferry0", "sank"), mention_id("ferry0", "storm")])
    news.correct("not-a-mention", [mention_id("ferry0", "sank")])
    with pytest.raises(InputError, match="'sank' was marked as not being a mention; undo"):
        news.correct("same", [mention_id("ferry0", "sank"), mention_id("ferry0", "arrested")])
    whole = [m.id for m in news.cluster(news.mention(mention_id("ferry0", "storm")).cluster or "").mentions]
    with pytest.raises(InputError, match="these are all mentions of the cluster"):
        news.correct("split", whole)


def test_contradictions_name_all_that_are_to_be_undone(news: Collection, mention_id: Find) -> None:
    one, two, three = (mention_id("ferry0", word) for word in ("captain", "Police", "storm"))
    news.correct("same", [one, two])
    news.correct("rename", [news.mention(three).cluster or ""], name="The gale")
    news.correct("not-same", [three, mention_id("museum1", "guard")])
    news.correct("same", [two, one])
    with pytest.raises(InputError, match="this contradicts earlier corrections; undo corrections 1 and 4 first"):
        news.correct("not-same", [two, one])
    news.undo(1)
    news.undo(4)
    news.correct("not-same", [two, one])
    with pytest.raises(InputError, match="this contradicts an earlier correction; undo correction 5 first"):
        news.redo(4)


def test_only_what_holds_can_be_undone(news: Collection, mention_id: Find) -> None:
    with pytest.raises(InputError, match="there is no correction to undo"):
        news.undo()
    news.correct("not-a-mention", [mention_id("ferry0", "sank")])
    with pytest.raises(InputError, match="there is no correction to redo"):
        news.redo()
    with pytest.raises(InputError, match="there is no correction 7"):
        news.undo(7)
    with pytest.raises(InputError, match="a number is too large; give a smaller one"):
        news.undo(10**20)
    news.undo(1)
    with pytest.raises(InputError, match="correction 1 has already been undone"):
        news.undo(1)


# -- with a model ------------------------------------------------------------------------------------------------------


@pytest.fixture
def scored(written: Any, path: Path, predictor: Predictor, tiny_model_folder: Path) -> Iterator[Collection]:
    """A collection whose mentions a model compared."""
    with Collection.create(path, str(tiny_model_folder)) as collection:
        collection.add(written.joined(*written.reports(6)), predictor)
        yield collection


def test_what_changes_most_is_asked_first_and_not_again(scored: Collection) -> None:
    questions = scored.least_sure(1000)
    assert len(questions) > 5
    # Clusters are merged above a probability of 0.5; see the fixture of the model.
    documents = {cluster.id: cluster.documents for cluster in scored.clusters(min_mentions=1, limit=1000)}
    texts = {document.id: document for document in scored.corpus().documents}

    def is_trivial(question: Question) -> bool:
        asked = (question.first, question.second)
        return all(says_little(Mention(m.document, m.tokens, m.kind), texts[m.document]) for m in asked)

    weights = [
        min(q.probability, 1 - q.probability)
        * (0.1 if is_trivial(q) else 1)
        * sum(documents[id or ""] for id in {q.first.cluster, q.second.cluster})
        for q in questions
    ]
    assert weights == pytest.approx(sorted(weights, reverse=True))
    for question in questions:
        assert question.together == (question.first.cluster == question.second.cluster)
        assert question.first.kind == question.second.kind
    for question in questions[:5]:
        if question in scored.least_sure(1000):
            scored.correct("same" if question.together else "not-same", [question.first.id, question.second.id])
        assert (question.first.id, question.second.id) not in {
            (q.first.id, q.second.id) for q in scored.least_sure(1000) if q.together == question.together
        }


def test_a_name_that_may_be_of_two_people_is_asked_first(tmp_path: Path) -> None:
    texts = {
        "fire": "David Cole carried two children out of a burning house in Leeds . Cole heard shouting .",
        "vote": "David Cole asked the council in Leeds to put off a vote . The council agreed .",
    }
    with Collection.create(tmp_path / "c.cdcoref", "small") as collection:
        collection.add(Corpus(tuple(Document.from_sentences(id, [text.split()]) for id, text in texts.items())))
        first = collection.least_sure()[0]
        assert (first.together, first.first.text, first.second.text) == (True, "David Cole", "David Cole")
        assert {first.first.document, first.second.document} == {"fire", "vote"}
        collection.correct("same", [first.first.id, first.second.id])
        names = {q.first.text for q in collection.least_sure() if q.together and q.probability > 0.9}
        assert "David Cole" not in names


# -- undoing -----------------------------------------------------------------------------------------------------------


def state(collection: Collection, ids: set[str]) -> dict[str, Any]:
    """The cluster of every mention, the name of every cluster, and where the `ids` of clusters lead."""
    mentions = [m for d in collection.documents(limit=100) for m in collection.document(d.id).mentions]
    clusters = collection.clusters(min_mentions=1, limit=1000)
    return {
        "clusters": {mention.id: mention.cluster for mention in mentions},
        "names": {cluster.id: cluster.name for cluster in clusters},
        "aliases": {id: collection.cluster(id).summary.id for id in ids},
    }


def ids_of(collection: Collection) -> set[str]:
    return {cluster.id for cluster in collection.clusters(min_mentions=1, limit=1000)}


def random_correction(collection: Collection, chance: random.Random) -> Correction | None:
    """A correction of any kind; None if what was chosen makes no sense."""
    clusters = collection.clusters(min_mentions=1, limit=1000)
    cluster = chance.choice(clusters)
    others = [other for other in clusters if other.kind == cluster.kind and other.id != cluster.id]
    mentions = [mention.id for mention in collection.cluster(cluster.id).mentions]
    some = chance.sample(mentions, chance.randint(1, len(mentions)))
    other = chance.choice(others).id
    action, ids = chance.choice(
        [
            ("same", [cluster.id, other]),
            ("not-same", chance.sample(mentions, min(2, len(mentions)))),
            ("not-a-mention", some[:1]),
            ("split", some),
            ("move", [*some, other]),
            ("move", [*mentions[:-1], other]),
            ("rename", [cluster.id]),
        ]
    )
    try:
        return collection.correct(action, ids, name=f"name {chance.random()}" if action == "rename" else None)
    except InputError:
        return None


@pytest.mark.parametrize("seed", range(6))
def test_a_walk_back_leads_through_the_same_states(news: Collection, seed: int) -> None:
    chance = random.Random(seed)
    ids, states, made = [ids_of(news)], [], []
    for _ in range(12):
        before = state(news, set.union(*ids))
        if correction := random_correction(news, chance):
            states.append(before)
            made.append(correction.number)
            ids.append(ids_of(news))
    known = [set.union(*ids[: n + 1]) for n in range(len(ids))]
    ends = [*states[1:], state(news, known[-1])]
    for place in reversed(range(len(made))):
        news.undo()
        assert state(news, known[place]) == states[place]
    for place in range(len(made)):
        assert news.redo(made[place]).number == made[place]
        assert state(news, known[place + 1]) == ends[place]


def test_where_mentions_are_moved_id_and_name_stay(news: Collection, mention_id: Callable[[str, str], str]) -> None:
    page = news.cluster(next(cluster.id for cluster in news.clusters() if cluster.title == "ferry"))
    target = news.mention(mention_id("ferry0", "captain")).cluster or ""
    news.correct("rename", [page.summary.id], name="Maren")
    news.correct("rename", [target], name="the captain")
    moved = [mention.id for mention in page.mentions[:-1]]
    news.correct("move", [*moved, target])
    assert {news.mention(id).cluster for id in moved} == {target}
    assert news.cluster(target).summary.name == "the captain"
    assert news.mention(page.mentions[-1].id).cluster == page.summary.id
    assert news.cluster(page.summary.id).summary.name == "Maren"


# -- confidences -------------------------------------------------------------------------------------------------------


TEXTS = {
    "a": ("Karl Roth called . He spoke to his brother .", [(0, 1), (4,), (7,), (7, 8)]),
    "b": ("Karl Roth left . The brother stayed . Karl laughed .", [(0, 1), (4, 5), (8,)]),
}
LOGITS = {
    ("a", "a"): {(0, 3): -1.0, (0, 1): 6.0, (0, 2): 4.0},
    ("b", "b"): {(0, 1): 0.4, (0, 2): 2.0, (1, 2): 0.3},
    ("a", "b"): {(0, 0): 3.0, (0, 1): 0.2, (0, 2): 2.5, (3, 0): -2.0, (3, 1): -6.0, (3, 2): -2.0},
}
"""By the places of mentions; the brother in b is mistaken for Karl Roth."""


def sigmoid(*logits: float) -> list[float]:
    return [float(1 / (1 + np.exp(-logit))) for logit in logits]


@pytest.fixture
def brothers(written: Any, path: Path) -> Iterator[Collection]:
    """A collection of two documents of one story, with known scores and two pronouns."""
    documents = [Document.from_sentences(id, [text.split()]) for id, (text, _) in TEXTS.items()]
    mentions = [Mention(id, tokens, "entity", confidence=0.9) for id, (_, own) in TEXTS.items() for tokens in own]
    written.with_logits(path, Corpus(tuple(documents), tuple(mentions)), LOGITS)
    with Collection.open(path) as collection:
        yield collection


def test_what_is_not_the_same_leaves_the_rest_as_sure_as_it_is(brothers: Collection, mention_id: Find) -> None:
    karl, brother = mention_id("a", "Karl Roth"), mention_id("b", "The brother")
    he, his = mention_id("a", "He"), mention_id("a", "his")
    first = brothers.mention(karl).cluster or ""
    assert brothers.mention(he).cluster == brothers.mention(brother).cluster == first
    assert [brothers.mention(id).confidence for id in (he, his)] == pytest.approx(sigmoid(6.0, 4.0))
    said = brothers.correct("not-same", [karl, brother])
    assert [(m.change, m.other, m.words) for m in said.moves] == [("split", first, ("The brother",))]
    assert [brothers.mention(id).confidence for id in (he, his)] == pytest.approx(sigmoid(6.0, 4.0))
    assert brothers.mention(karl).confidence == pytest.approx(np.mean(sigmoid(3.0, 2.5)))
    assert brothers.mention(brother).confidence == 0.9
    assert brothers.cluster(first).summary.confidence == pytest.approx(
        np.mean(
            [*sigmoid(6.0, 4.0), np.mean(sigmoid(3.0, 2.5)), np.mean(sigmoid(3.0, 2.0)), np.mean(sigmoid(2.5, 2.0))]
        )
    )
    assert brothers.cluster(first).summary.checked == 0


def test_what_is_said_to_be_the_same_is_marked_and_as_sure_as_before(brothers: Collection, mention_id: Find) -> None:
    karl, his_brother = mention_id("a", "Karl Roth"), mention_id("a", "his brother")
    before = {m.id: m.confidence or 0 for m in brothers.document("a").mentions}
    brothers.correct("same", [karl, his_brother])
    after = {m.id: m for m in brothers.document("a").mentions}
    assert all((mention.confidence or 0) >= before[id] for id, mention in after.items())
    assert {id for id, mention in after.items() if mention.checked} == {karl, his_brother}
    assert after[his_brother].confidence == 1.0
    assert brothers.cluster(after[karl].cluster or "").summary.checked == 2
    brothers.undo()
    assert {m.id: m.confidence for m in brothers.document("a").mentions} == pytest.approx(before)
    assert not any(m.checked for m in brothers.document("a").mentions)


def test_a_pronoun_that_is_moved(brothers: Collection, mention_id: Find) -> None:
    his, brother = mention_id("a", "his"), mention_id("a", "his brother")
    target = brothers.mention(brother).cluster or ""
    brothers.correct("move", [his, target])
    assert (brothers.mention(his).cluster, brothers.mention(his).confidence) == (target, 1.0)
    assert brothers.mention(mention_id("a", "He")).confidence == pytest.approx(sigmoid(6.0)[0])


def test_a_pronoun_is_asked_about_by_its_antecedent(brothers: Collection, mention_id: Find) -> None:
    asked = {q.first.id: q for q in brothers.least_sure()}
    assert mention_id("a", "He") not in asked
    brother = asked[mention_id("b", "The brother")]
    assert brother.probability == pytest.approx(np.mean(sigmoid(0.4, 0.3, 0.2)))


@pytest.mark.parametrize("damage", ["bomb", "cut", "not packed"])
def test_scores_that_unpack_to_more_than_the_limit_are_damage(
    written: Any, brothers: Collection, mention_id: Find, monkeypatch: pytest.MonkeyPatch, damage: str
) -> None:
    monkeypatch.setenv("CDCOREF_MAX_UNPACKED_MB", "1")
    whole = written.packed(LOGITS["a", "b"])
    stored = {"bomb": zlib.compress(bytes(12 << 20)), "cut": whole[:-1], "not packed": b"not packed"}[damage]
    before = brothers.corpus()
    pair = [mention_id("a", "Karl Roth"), mention_id("b", "The brother")]
    with closing(sqlite3.connect(brothers.path)) as connection, connection:
        connection.execute("UPDATE scores SET logits = ? WHERE first != second", (stored,))
    with pytest.raises(InputError, match="stored scores are damaged"):
        brothers.correct("not-same", pair)
    assert brothers.corpus() == before

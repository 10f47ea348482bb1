"""Scoring files: levels, kinds, repeated mentions, documents on one side, mixed formats."""

from __future__ import annotations

from dataclasses import astuple, replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cdcoref.corpus import KINDS, Corpus, Document, Mention
from cdcoref.errors import InputError
from cdcoref.formats import ReadOptions, read_conll, read_file, table_of_corpus, write_conll, write_corpus, write_jsonl
from cdcoref.scoring import METRICS, FileScores, Options, Scores, score, score_files, score_tables

TOPICS = {"a1": ("a", "a_1"), "a2": ("a", "a_1"), "a3": ("a", "a_2"), "b1": ("b", "b_1")}

Spans = dict[str, list[tuple[str, int, int]]]
"""By cluster: document, first token, last token."""


def corpus(spans: Spans, documents: tuple[str, ...] = tuple(TOPICS), kind: str | None = None) -> Corpus:
    texts = [
        Document.from_sentences(id, [["w"] * 6, ["v"] * 4], topic=TOPICS[id][0], subtopic=TOPICS[id][1])
        for id in documents
    ]
    mentions = [
        Mention(document, tuple(range(first, last + 1)), kind, name)
        for name, cluster in spans.items()
        for document, first, last in cluster
    ]
    return Corpus(tuple(texts), tuple(mentions))


def saved(folder: Path, name: str, source: Spans | Corpus) -> Path:
    path = folder / name
    source = source if isinstance(source, Corpus) else corpus(source)
    if "jsonl" in name:
        write_jsonl(source, path)
    else:
        write_conll(source, path, layout="cross-document" if "8" in name else "2012")
    return path


def scored(folder: Path, key: Spans | Corpus, response: Spans | Corpus, **options: object) -> FileScores:
    files = saved(folder, "key.8.conll", key), saved(folder, "response.8.conll", response)
    [result] = score_files(files[0], [files[1]], Options(**options))  # type: ignore[arg-type]
    return result


KEY: Spans = {
    "x": [("a1", 0, 1), ("a2", 0, 0), ("a3", 3, 3), ("b1", 0, 0)],
    "y": [("a1", 3, 3), ("a3", 5, 6)],
    "z": [("b1", 2, 2)],
}
RESPONSE: Spans = {
    "1": [("a1", 0, 1), ("a2", 0, 0), ("a3", 5, 6)],
    "2": [("a1", 3, 3), ("b1", 0, 0)],
    "3": [("b1", 2, 2), ("a3", 3, 3)],
}


@pytest.mark.parametrize(
    ("level", "group"),
    [
        ("corpus", lambda document: ""),
        ("topic", lambda document: TOPICS[document][0]),
        ("subtopic", lambda document: TOPICS[document][1]),
        ("document", lambda document: document),
    ],
)
def test_a_level_cuts_clusters_at_its_borders(tmp_path: Path, level: str, group) -> None:
    def cut(spans: Spans) -> list[list[tuple]]:
        parts: dict[tuple, list[tuple]] = {}
        for name, cluster in spans.items():
            for mention in cluster:
                parts.setdefault((name, group(mention[0])), []).append(mention)
        return list(parts.values())

    result = scored(tmp_path, KEY, RESPONSE, level=level)
    expected = score(cut(KEY), cut(RESPONSE))
    assert result.level == level
    for metric in ("mentions", "muc", "b3", "ceafm", "ceafe", "lea"):
        assert result.scores[metric].f1 == pytest.approx(expected[metric].f1), metric


def test_links_across_a_border_are_no_links_of_blanc(tmp_path: Path) -> None:
    result = scored(tmp_path, KEY, RESPONSE, level="topic")
    # Pairs within topics: a has 10 of key and of response, b has one; coreferent are 3 + 1 in the key (x, y), in the
    # response 3, of which only a1-a2 is common; b's two mentions are apart in both.
    assert result.scores["blanc"].recall == pytest.approx((1 / 4 + 5 / 7) / 2)
    assert result.scores["blanc"].precision == pytest.approx((1 / 3 + 5 / 8) / 2)


def test_formats_and_compression_do_not_matter(tmp_path: Path) -> None:
    names = ["x.conll", "x.8.conll", "x.jsonl", "x.conll.gz", "x.8.conll.gz", "x.jsonl.gz"]
    keys = [saved(tmp_path, f"key.{name}", KEY) for name in names]
    responses = [saved(tmp_path, f"response.{name}", RESPONSE) for name in names]
    for number, path in enumerate(responses):
        responses[number] = path.rename(path.with_name(f"response{number}"))  # content says the format, not the name
    expected = score(corpus(KEY), corpus(RESPONSE))
    for key in keys:
        for result in score_files(key, responses):
            assert result.scores == expected
            assert result.notes == ()


def test_singletons_are_those_of_the_level(tmp_path: Path) -> None:
    key = {"x": [("a1", 0, 0), ("b1", 0, 0)], "y": [("a1", 1, 1), ("a2", 1, 1)]}
    response = {"x": key["x"], "1": [("a1", 1, 1)], "2": [("a2", 1, 1)]}
    joined = scored(tmp_path, key, response, singletons="remove").scores["mentions"]
    assert (joined.recall, joined.precision) == (0.5, 1)
    apart = scored(tmp_path, key, key, singletons="remove", level="topic").scores
    assert apart["b3"].f1 == 1
    assert scored(tmp_path, key, response, singletons="remove", level="document").scores["b3"].f1 == 0


def test_a_repeated_mention_stays_in_the_first_cluster(tmp_path: Path) -> None:
    repeated = {"1": [("a1", 0, 1), ("a2", 0, 0)], "2": [("a1", 0, 1), ("b1", 3, 3)], "3": [("a2", 0, 0)]}
    clean = {"1": [("a1", 0, 1), ("a2", 0, 0)], "2": [("b1", 3, 3)]}
    result = scored(tmp_path, clean, repeated)
    assert result.scores == score(corpus(clean), corpus(clean))
    assert result.notes == (
        "2 duplicate mentions of the response ignored; a mention counts once, in the first of its clusters",
    )


def test_documents_on_one_side(tmp_path: Path) -> None:
    key = corpus({"x": [("a1", 0, 0), ("a2", 0, 0)]}, ("a1", "a2"))
    response = corpus({"x": [("a1", 0, 0), ("b1", 0, 0)], "y": [("b1", 1, 1)]}, ("a1", "b1"))
    result = scored(tmp_path, key, response)
    mentions = result.scores["mentions"]
    assert (mentions.recall, mentions.precision) == (0.5, 1)
    assert result.notes == (
        "1 document of the key missing from the response; all mentions there count as missed",
        "1 document of the response missing from the key; ignored",
    )


def test_files_that_do_not_belong_together(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"response\.8\.conll: none of its documents is in the key .*: it has 'b1', the key has 'a1'"
    ):
        scored(tmp_path, corpus({}, ("a1",)), corpus({}, ("b1",)))
    shorter = Corpus((Document.from_sentences("a1", [["w"] * 9]),))
    with pytest.raises(InputError, match=r"line 2: document 'a1' has 9 tokens here and 10 in the key .*same tokens"):
        scored(tmp_path, corpus({}, ("a1",)), shorter)


def test_corpora_without_documents_score_nothing() -> None:
    for key, response in ((corpus(KEY), Corpus(())), (Corpus(()), corpus(KEY)), (Corpus(()), Corpus(()))):
        assert {value.f1 for value in score(key, response).metrics.values()} == {0}


def test_levels_that_the_key_does_not_say(tmp_path: Path) -> None:
    files = saved(tmp_path, "key.conll", KEY), saved(tmp_path, "response.8.conll", RESPONSE)
    with pytest.raises(InputError) as refused:
        list(score_files(files[0], [files[1]], Options(level="topic")))
    assert str(refused.value) == (
        f"{files[0]}, line 2: document 'a1' has no topic; score at the corpus or document level, or use a key in a "
        "format that includes topics (eight-column CoNLL, JSON lines)"
    )


def test_kinds(tmp_path: Path) -> None:
    events, entities = (
        corpus({"x": [("a1", 0, 0), ("a2", 0, 0)]}, kind="event"),
        corpus({"x": [("a1", 3, 3)]}, kind="entity"),
    )
    both = Corpus(events.documents, (*events.mentions, *entities.mentions))
    key, response = saved(tmp_path, "key.jsonl", both), saved(tmp_path, "response.jsonl", events)
    rates = {
        kind: next(score_files(key, [response], Options(kind=kind))).scores["mentions"].recall
        for kind in ("both", "event", "entity")
    }
    assert rates == {"both": pytest.approx(2 / 3), "event": 1, "entity": 0}
    conll = saved(tmp_path, "key.conll", both)
    with pytest.raises(InputError, match=r"key\.conll: some mentions have no kind"):
        list(score_files(conll, [response], Options(kind="event")))


def on_the_same_tokens() -> tuple[Corpus, Corpus]:
    """Events and entities of the same tokens and names; the events of the response are right, no link of entities."""
    documents = tuple(Document.from_sentences(id, [["w"] * 4]) for id in ("d", "e"))
    places = [(document.id, (token,)) for document in documents for token in range(4)]
    events = [Mention(*place, "event", str(place[1][0])) for place in places]
    key = [Mention(*place, "entity", str(place[1][0])) for place in places]
    response = [Mention(*place, "entity", place[0]) for place in places]
    return Corpus(documents, (*events, *key)), Corpus(documents, (*events, *response))


def test_an_event_and_an_entity_of_the_same_tokens_are_two_mentions_by_every_route(tmp_path: Path) -> None:
    key, response = on_the_same_tokens()
    by_clusters = score(*([[m.key for m in cluster] for cluster in side.clusters()] for side in (key, response)))
    routes: list[Scores | FileScores] = [score(key, response)]
    routes.append(score_tables(table_of_corpus(key, "k"), table_of_corpus(response, "r"), Options()))
    for name in ("x.jsonl", "x.conllu", "x.jsonl.gz"):
        for side, folder in ((key, "key"), (response, "response")):
            (tmp_path / folder).mkdir(exist_ok=True)
            write_corpus(side, tmp_path / folder / name)
    for name in ("x.jsonl", "x.conllu"):
        routes += score_files(tmp_path / "key" / name, [tmp_path / "response" / n for n in ("x.jsonl", "x.conllu")])
    for route in routes:
        scores = route if isinstance(route, Scores) else route.scores
        for name in METRICS:  # sums in another order
            assert astuple(scores[name]) == pytest.approx(astuple(by_clusters[name]), abs=1e-12)
        assert scores["mentions"].f1 == 1
        # Entities have half of their cluster right and a quarter of what they are put with.
        assert (scores["b3"].recall, scores["b3"].precision) == ((8 + 8 / 2) / 16, (8 + 8 / 4) / 16)
        assert (scores["muc"].recall, scores["muc"].precision) == (4 / 8, 4 / 10)
    assert all(score(key.of_kind(kind), response.of_kind(kind))["muc"].f1 == (kind == "event") for kind in KINDS)


def test_kinds_are_not_compared_where_one_side_has_none(tmp_path: Path) -> None:
    key, _ = on_the_same_tokens()
    entities = key.of_kind("entity")
    nameless = Corpus(key.documents, tuple(replace(m, kind=None) for m in entities.mentions))
    for side in (nameless, Corpus(key.documents, tuple(replace(m, kind="event") for m in nameless.mentions[:4]))):
        assert (score(entities, side)["mentions"].recall == 1) == (side is nameless)
        assert (score(side, entities)["mentions"].precision == 1) == (side is nameless)
    write_corpus(key, tmp_path / "key.jsonl")
    write_corpus(entities, tmp_path / "response.conll")
    [result] = score_files(tmp_path / "key.jsonl", [tmp_path / "response.conll"])
    assert result.scores["mentions"].f1 == 1
    assert result.notes[0].startswith("8 duplicate mentions of the key ignored")
    with pytest.raises(InputError, match="some mentions have no kind"):
        list(score_files(tmp_path / "key.jsonl", [tmp_path / "response.conll"], Options(kind="event")))


def test_discontinuous_mentions(tmp_path: Path) -> None:
    documents = (Document.from_sentences("d", [["w"] * 5]),)

    def with_mentions(*tokens: tuple[int, ...]) -> Corpus:
        return Corpus(documents, tuple(Mention("d", t, cluster="c") for t in tokens))

    key = saved(tmp_path, "key.jsonl", with_mentions((0, 2), (1, 2), (0, 3)))
    results = score_files(
        key,
        [
            saved(tmp_path, "1.jsonl", with_mentions((0, 3), (0, 2), (1, 2))),
            saved(tmp_path, "2.jsonl", with_mentions((0, 1, 2), (0, 1, 3), (1, 2))),
            saved(tmp_path, "3.conll", with_mentions((0, 1, 2), (1, 2))),
        ],
    )
    assert [result.scores["mentions"].recall for result in results] == [1, pytest.approx(1 / 3), pytest.approx(1 / 3)]


def test_corefud_is_scored_document_by_document(tmp_path: Path) -> None:
    path = tmp_path / "x.conllu"
    word = "1\tw\t" + "_\t" * 7
    path.write_text(f"# newdoc id = a\n{word}Entity=(e1--1)\n2{word[1:]}_\n\n# newdoc id = b\n{word}Entity=(e1--1)\n\n")
    [result] = score_files(path, [path])
    assert result.level == "document"
    assert result.scores["muc"].f1 == 0
    assert result.scores["b3"].f1 == 1
    [joined] = score_files(path, [path], Options(level="corpus"))
    assert joined.scores["muc"].f1 == 1


Blocks = list[list[list[str]]]
"""By block and document: the coreference cells."""


def in_2012(blocks: Blocks) -> str:
    """A block per document."""
    documents = [cells for block in blocks for cells in block]
    return "".join(
        f"#begin document (d{n}); part 000\n"
        + "".join(f"d{n} 0 {token} w {cell}\n" for token, cell in enumerate(cells))
        + "#end document\n"
        for n, cells in enumerate(documents)
    )


def in_eight_columns(blocks: Blocks) -> str:
    text, n = "", 0
    for block in blocks:
        text += "#begin document x\n"
        for cells in block:
            text += "".join(f"t\tu\td{n}\t0\t{token}\tw\tTrue\t{cell}\n" for token, cell in enumerate(cells))
            n += 1
        text += "#end document\n"
    return text


def partition(blocks: Blocks, scope: str) -> list[list[tuple[int, int]]]:
    """The clusters of mentions (document, token), worked out from the cells alone."""
    clusters: dict[tuple[int, str], list[tuple[int, int]]] = {}
    n = 0
    for number, block in enumerate(blocks):
        for cells in block:
            unit = {"file": 0, "block": number, "document": n}[scope]
            for token, cell in enumerate(cells):
                if cell != "-":
                    clusters.setdefault((unit, cell), []).append((n, token))
            n += 1
    return list(clusters.values())


cells_of_a_document = st.lists(st.sampled_from(["-", "(0)", "(1)", "(2)", "(3)"]), min_size=3, max_size=3)
pairs_of_blocks = st.lists(
    st.lists(st.tuples(cells_of_a_document, cells_of_a_document), min_size=1, max_size=3), min_size=1, max_size=3
)
ADDITIVE = ("mentions", "muc", "b3", "ceafm", "ceafe", "lea")
"""The metrics that count only links within a cluster, so that the unit of scoring does not matter."""


@given(pairs_of_blocks)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_ids_are_local_unless_they_are_global(tmp_path: Path, pairs: list[list[tuple[list[str], list[str]]]]) -> None:
    sides = [[[document[side] for document in block] for block in pairs] for side in (0, 1)]
    header = "# cluster ids: global\n"
    for write, given_header, ids, scope in (
        (in_2012, "", None, "document"),
        (in_2012, header, None, "file"),
        (in_2012, header, "local", "document"),
        (in_2012, "", "global", "file"),
        (in_eight_columns, "", None, "block"),
        (in_eight_columns, header, None, "file"),
        (in_eight_columns, "", "local", "document"),
        (in_eight_columns, "", "global", "file"),
    ):
        files = [tmp_path / "key.conll", tmp_path / "response.conll"]
        for path, blocks in zip(files, sides, strict=True):
            path.write_text(given_header + write(blocks))
        [result] = score_files(files[0], [files[1]], Options(ids=ids))
        expected = score(*(partition(blocks, scope) for blocks in sides))
        for metric in ADDITIVE:
            assert result.scores[metric].f1 == pytest.approx(expected[metric].f1), (write, scope, metric)
        corpus = read_conll(files[0], ReadOptions(ids=ids))
        assert sorted(len(cluster) for cluster in corpus.clusters()) == sorted(map(len, partition(sides[0], scope)))


def test_blocks_of_several_documents_are_scored_block_by_block(tmp_path: Path) -> None:
    one = [["(1)", "(2)"], ["(1)", "-"]]
    key, response = tmp_path / "k.conll", tmp_path / "r.conll"
    key.write_text(in_eight_columns([one, [["(1)", "-"], ["(1)", "(2)"]]]))
    response.write_text(in_eight_columns([one, [["(1)", "-"], ["(2)", "(3)"]]]))
    [result] = score_files(key, [response])
    assert result.level == "block"
    # Of the key's 2 coreference links the response has 1, and no other; of 4 others within blocks all 4, and 1 more.
    blanc = result.scores["blanc"]
    assert blanc.recall == pytest.approx((1 / 2 + 4 / 4) / 2)
    assert blanc.precision == pytest.approx((1 + 4 / 5) / 2)
    assert blanc.f1 == pytest.approx((2 / 3 + 8 / 9) / 2)
    # At the corpus level, the 9 pairs of mentions in different blocks count as well.
    [across] = score_files(key, [response], Options(level="corpus"))
    assert across.scores["blanc"].precision == pytest.approx((1 + 13 / 14) / 2)
    assert across.scores["muc"] == result.scores["muc"]


def test_a_mention_in_two_clusters_keeps_both(tmp_path: Path) -> None:
    document = Document.from_sentences("a", [["Ann", "met", "Bob"]])
    spans = [((0,), "1"), ((0,), "2"), ((2,), "2"), ((2,), "1")]
    gold = Corpus((document,), tuple(Mention("a", tokens, "entity", name) for tokens, name in spans))
    for suffix in (".jsonl", ".conll", ".conllu", ".spacy"):
        write_corpus(gold, tmp_path / f"x{suffix}")
        clusters = read_file(tmp_path / f"x{suffix}").clusters()
        assert [sorted(m.tokens for m in cluster) for cluster in clusters] == [[(0,), (2,)]] * 2, suffix

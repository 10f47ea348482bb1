"""The error report: which clusters and mentions are named, in which order, with which words."""

from __future__ import annotations

from pathlib import Path

import pytest

from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.formats import write_jsonl
from cdcoref.scoring import Options, report_errors
from cdcoref.views import error_text

DOCUMENTS = (
    Document.from_sentences("news/a", [["A", "strong", "quake", "hit", "Rome", "."], ["It", "killed", "ten", "."]]),
    Document.from_sentences("news/b", [["The", "earthquake", "was", "felt", "in", "Naples", "too", "."]]),
)


def corpus(**clusters: list[tuple[str, tuple[int, ...]]]) -> Corpus:
    mentions = [Mention(f"news/{d}", tokens, cluster=name) for name, c in clusters.items() for d, tokens in c]
    return Corpus(DOCUMENTS, tuple(mentions))


KEY = corpus(
    quake=[("a", (0, 1, 2)), ("a", (6,)), ("b", (0, 1)), ("a", (3,))], rome=[("a", (4,))], naples=[("b", (5,))]
)
RESPONSE = corpus(p=[("a", (0, 1, 2)), ("a", (6,)), ("a", (4,))], q=[("b", (0, 1))], r=[("b", (5,)), ("b", (3,))])


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    write_jsonl(KEY, tmp_path / "key.jsonl")
    write_jsonl(RESPONSE, tmp_path / "response.jsonl")
    return tmp_path / "key.jsonl", tmp_path / "response.jsonl"


def test_clusters_and_mentions_are_found(files: tuple[Path, Path]) -> None:
    report = report_errors(*files)
    assert (report.key_clusters, report.response_clusters, report.key_mentions, report.response_mentions) == (
        3,
        3,
        6,
        6,
    )
    [split] = report.split
    assert (split.cluster, split.size, split.links) == ("quake", 4, 5)
    assert [(part.cluster, [place.text for place in part.mentions]) for part in split.parts] == [
        ("p", ["A strong quake", "It"]),
        ("q", ["The earthquake"]),
        (None, ["hit"]),
    ]
    assert [(c.cluster, c.links) for c in report.merged] == [("p", 2), ("r", 1)]
    assert [part.cluster for part in report.merged[1].parts] == ["naples", None]
    [missed] = report.missed
    assert (missed.place.text, missed.cluster, missed.size) == ("hit", "quake", 4)
    [spurious] = report.spurious
    assert (spurious.place.text, spurious.cluster, spurious.size) == ("felt", "r", 2)
    assert (report.split_count, report.merged_count, report.missed_count, report.spurious_count) == (1, 2, 1, 1)


def test_places_have_a_few_words_of_their_sentence_around_them(tmp_path: Path) -> None:
    words = [f"w{n}" for n in range(20)]
    document = Document.from_sentences("d", [["First", "one", "."], words, ["Last", "one", "."]])
    spans = [(3,), (4, 6), (13, 14), (22,), (21, 23)]
    missed = [Mention("d", tokens, cluster=str(number)) for number, tokens in enumerate(spans)]
    write_jsonl(Corpus((document,), tuple(missed)), tmp_path / "one.jsonl")
    write_jsonl(Corpus((document,), (Mention("d", (0,)),)), tmp_path / "other.jsonl")
    report = report_errors(tmp_path / "one.jsonl", tmp_path / "other.jsonl")
    places = {entry.place.tokens: entry.place for entry in report.missed}
    assert {tokens: (place.before, place.text, place.after) for tokens, place in places.items()} == {
        (3,): ("", "w0", "w1 w2 w3 w4 w5 w6"),
        (4, 6): ("w0", "w1 w3", "w4 w5 w6 w7 w8 w9"),
        (13, 14): ("w4 w5 w6 w7 w8 w9", "w10 w11", "w12 w13 w14 w15 w16 w17"),
        (22,): ("w13 w14 w15 w16 w17 w18", "w19", ""),
        (21, 23): ("w12 w13 w14 w15 w16 w17", "w18 Last", ""),  # it ends in another sentence
    }
    assert [entry.cluster for entry in report.spurious] == ["#0"]  # the file gives it no name
    backwards = report_errors(tmp_path / "other.jsonl", tmp_path / "one.jsonl")
    assert [entry.place for entry in backwards.spurious] == [entry.place for entry in report.missed]


def test_limits_and_levels(files: tuple[Path, Path]) -> None:
    report = report_errors(*files, limit=1)
    assert [cluster.cluster for cluster in report.merged] == ["p"]
    assert report.merged_count == 2
    apart = report_errors(*files, Options(level="document"))
    assert apart.key_clusters == 4  # the quake is one cluster in either document
    assert apart.split[0].links == 2


def test_missed_mentions_of_large_clusters_come_first(tmp_path: Path) -> None:
    write_jsonl(
        corpus(one=[("a", (4,))], three=[("b", (0,)), ("b", (1,)), ("a", (2,))], two=[("a", (0,)), ("a", (1,))]),
        tmp_path / "key.jsonl",
    )
    write_jsonl(corpus(other=[("b", (5,))]), tmp_path / "response.jsonl")
    report = report_errors(tmp_path / "key.jsonl", tmp_path / "response.jsonl")
    assert (report.key, report.response) == tuple(str(tmp_path / f"{side}.jsonl") for side in ("key", "response"))
    assert [(missed.cluster, missed.size) for missed in report.missed] == [("three", 3)] * 3 + [("two", 2)] * 2 + [
        ("one", 1)
    ]
    assert [(missed.place.document, missed.place.tokens) for missed in report.missed[:3]] == [
        ("news/a", (2,)),
        ("news/b", (0,)),
        ("news/b", (1,)),
    ]


def test_the_text(files: tuple[Path, Path]) -> None:
    text = error_text(report_errors(*files))
    assert text.startswith(
        "Gold clusters that are split: 1 of 3; predicted clusters that merge different gold clusters"
    )
    assert "  gold cluster quake: 4 mentions in 3 parts, 5 links lost\n    predicted cluster p\n" in text
    assert "      news/a, sentence 0, tokens 0-2: [A strong quake] hit Rome .\n" in text
    assert "    missed\n      news/a, sentence 0, tokens 3: A strong quake [hit] Rome ." in text
    assert "  predicted cluster r: 2 mentions in 2 parts, 1 link wrong\n" in text
    assert text.endswith(
        "news/b, sentence 0, tokens 3: The earthquake was [felt] in Naples too . (cluster r, 2 mentions)"
    )


def test_what_could_control_the_terminal_is_not_printed(tmp_path: Path) -> None:
    document = Document.from_sentences("d\x1b]0;x\x07", [["Evil", "\x1b[31mred", "word"]])
    for name, clusters in (("key", "ab"), ("response", "aa")):
        mentions = [Mention(document.id, (n,), "entity", f"{c}\x1b") for n, c in enumerate(clusters)]
        write_jsonl(Corpus((document,), tuple(mentions)), tmp_path / f"{name}.jsonl")
    text = error_text(report_errors(tmp_path / "key.jsonl", tmp_path / "response.jsonl"))
    assert "red] word" in text
    assert not {c for c in text if not c.isprintable()} - {"\n"}

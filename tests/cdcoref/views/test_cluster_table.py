"""The table of clusters in a terminal: groups, columns, its beginning, and texts that would disturb it."""

from __future__ import annotations

from rich.cells import cell_len

from cdcoref.corpus import Corpus, Document, Mention
from cdcoref.predict import Plan, Prediction
from cdcoref.views import cluster_lines, first_lines


def prediction_of(*documents: Document, mentions: list[Mention]) -> Prediction:
    stories = (tuple(document.id for document in documents),)
    return Prediction(Corpus(documents, tuple(mentions)), stories, Plan(0, 0, 0, 0, 0))


def many(clusters: int, size: int = 2) -> Prediction:
    document = Document.from_sentences("x.txt", [["word"]] * (clusters * size))
    mentions = [Mention("x.txt", (n,), "event", str(n // size)) for n in range(clusters * size)]
    return prediction_of(document, mentions=mentions)


def test_the_whole_table(news: Prediction) -> None:
    assert list(cluster_lines(news, singletons=True)) == [
        " kind     mention        where           confidence",
        "",
        "── Clusters across documents ──────────────────────",
        " event    sinks          harbour.txt:1         0.90",
        "          sank           harbour.txt:3         0.80",
        "          sinking        inquiry.txt:1         0.70",
        "",
        " entity   Ann Dahl       harbour.txt:3         0.95",
        "          She            harbour.txt:3         0.55",
        "          Ann Dahl       inquiry.txt:1         0.90",
        "",
        " entity   ferry Maren    harbour.txt:3         0.70",
        "          Maren          inquiry.txt:1         0.60",
        "",
        "── Clusters within one document ───────────────────",
        " event    stolen         museum.txt:1          0.40",
        "          theft          museum.txt:1          0.40",
        "",
        " entity   A painting     museum.txt:1          0.80",
        "          the painting   museum.txt:1          0.80",
        "",
        "── Singletons ─────────────────────────────────────",
        " event    swam           harbour.txt:3         0.50",
    ]
    assert "Singletons" not in "\n".join(cluster_lines(news))


def test_the_beginning(news: Prediction) -> None:
    whole = first_lines(news)
    assert whole.lines == list(cluster_lines(news))
    assert (whole.shown, whole.left, whole.shortened) == (5, 0, False)
    start = first_lines(many(100))
    assert (start.shown, start.left, start.shortened) == (17, 83, False)
    assert len(start.lines) <= 60
    large = first_lines(many(3, size=500))
    assert (large.shown, large.left, large.shortened) == (3, 0, True)
    assert sum("... and 488 more" in line for line in large.lines) == 3
    none = first_lines(many(0))
    assert (none.lines, none.shown, none.left, none.shortened) == ([], 0, 0, False)


def test_long_mentions_are_broken_and_places_are_not() -> None:
    path = "archive/" + "deep/" * 20 + "x.txt"
    document = Document.from_sentences("x", [["渡船", *["沉没"] * 40, "x"]], path=path)
    spans = [tuple(range(0, 41)), (41,)]
    lines = list(
        cluster_lines(
            prediction_of(document, mentions=[Mention("x", s, "event", "1") for s in spans]), width=80
        )
    )  # fmt: skip
    assert sum(path in line for line in lines) == 2
    assert len({cell_len(line.partition("archive")[0]) for line in lines if "archive" in line}) == 1
    assert "".join(line[9:21] for line in lines).count("沉") + "".join(lines).count("没") >= 40


def test_a_text_cannot_command_the_terminal() -> None:
    document = Document.from_sentences("\x1b]0;x\x07", [["\x1b[31mred\x1b[0m", "x\u202ey", "a\u200db"]])
    mentions = [Mention(document.id, (n,), "event", "1") for n in range(3)]
    text = "\n".join(cluster_lines(prediction_of(document, mentions=mentions)))
    assert not [c for c in text if not c.isprintable() and c not in "\n\u200d"]
    assert "\ufffd[31mred\ufffd[0m" in text

"""JSON of annotation tools, news collectors, corpora and other programs; relations and columns that users name."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cdcoref.corpus import Corpus, Mention
from cdcoref.errors import InputError
from cdcoref.formats import ReadOptions, read_corpus, read_file, tokenise_text, write_label_studio, write_prodigy

FERRY = "A ferry sank off Tresk. 19 people died."
TEXT = "Ann left. She fell."
LABELS = [{"start": 0, "end": 3, "labels": ["entity"]}, {"start": 10, "end": 13, "labels": ["entity"]}]
SPANS = [{"start": 0, "end": 3, "label": "entity"}, {"start": 10, "end": 13, "label": "entity"}]
RELATION = {"head_span": SPANS[1], "child_span": SPANS[0], "label": "COREF"}
EXPORTS: dict[str, dict[str, Any]] = {
    "Label Studio": {
        "id": 4,
        "data": {"text": TEXT, "Published": "7 Mar 2024"},
        "annotations": [
            {
                "result": [
                    *({"id": f"r{n}", "type": "labels", "value": value} for n, value in enumerate(LABELS)),
                    {"type": "relation", "from_id": "r1", "to_id": "r0", "labels": ["Identity"]},
                    {"type": "relation", "from_id": "r1", "to_id": "r0", "labels": ["causes"]},
                ]
            }
        ],
    },
    "Prodigy": {
        **{"text": TEXT, "tokens": [{"text": "Ann"}], "spans": SPANS, "relations": [RELATION], "answer": "accept"},
        "meta": {"Published": "7 Mar 2024"},
    },
    "doccano": {
        "id": 4,
        "text": TEXT,
        "Published": "7 Mar 2024",
        "entities": [
            {"id": n, "label": "entity", "start_offset": span["start"], "end_offset": span["end"]}
            for n, span in enumerate(SPANS)
        ],
        "relations": [{"from_id": 1, "to_id": 0, "type": "same"}],
    },
}


def test_positions_of_browsers_count_an_emoji_as_two(tmp_path: Path) -> None:
    region, text = {"start": 3, "end": 6, "text": "Ann", "labels": ["entity"]}, f"\N{ROBOT FACE} {TEXT}"
    of_task = {"data": {"text": text}, "annotations": [{"result": [{"id": "r", "value": region}]}]}
    for content in ({"text": text, "objects": [region]}, of_task):
        (tmp_path / "a.json").write_text(json.dumps([{"id": 4, **content}]))
        [mention] = read_file(tmp_path / "a.json").mentions
        assert mention.tokens == (1,)


@pytest.mark.parametrize(
    "content",
    [
        {"id": 4, "text": TEXT, "objects": [{"text": "Ann", **LABELS[0]}], "annotator": 1},
        {
            **{"id": 4, "text": TEXT, "label": [{"text": "Ann", **LABELS[0]}]},
            **{"annotation_id": 7, "created_at": "2025-06-01T00:00:00Z", "lead_time": None},
        },
        {"id": 4, "text": TEXT, "labels": [[0, 3, "entity"]]},
        {"id": 4, "data": TEXT, "label": [[0, 3, "entity"]]},
        {"id": 4, "data": {"article": TEXT}, "annotations": [{"result": [{"id": "r", "value": LABELS[0]}]}]},
    ],
    ids=[
        "short Label Studio",
        "with times of the annotation",
        "labels of doccano",
        "an earlier doccano",
        "another field of Label Studio",
    ],
)
def test_annotation_without_relations(tmp_path: Path, content: dict[str, Any]) -> None:
    (tmp_path / "a.json").write_text(json.dumps([content]))
    corpus = read_file(tmp_path / "a.json")
    assert [(m.document, m.tokens, m.kind) for m in corpus.mentions] == [("4", (0,), "entity")]
    assert corpus.documents[0].text == TEXT
    assert "date" not in corpus.documents[0].metadata


@pytest.mark.parametrize("tool", EXPORTS)
def test_annotation_of_other_tools(tmp_path: Path, tool: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in (EXPORTS[tool], {"id": "b", "text": "x"})))
    corpus = read_file(path)
    [members] = corpus.clusters()
    assert [(m.tokens, m.kind) for m in members] == [((0,), "entity"), ((3,), "entity")]
    assert corpus.documents[0].metadata["date"] == "2024-03-07"
    assert any("relation 'causes' is not used" in note for note in corpus.notes) == (tool == "Label Studio")
    chosen = read_file(path, ReadOptions(relations=("Causes",)))
    assert len(chosen.clusters()) == (1 if tool == "Label Studio" else 2)


def test_relations_of_brat(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEXT)
    lines = (
        "T1\tentity 0 3\tAnn",
        "T2\tentity 10 13\tShe",
        "R1\tSameEvent Arg1:T2 Arg2:T1",
        "R2\tPart Arg1:T2 Arg2:T1",
    )
    (tmp_path / "a.ann").write_text("\n".join(lines))
    for relations, note in (((), "Part"), (("part",), "SameEvent")):
        corpus = read_file(tmp_path / "a.ann", ReadOptions(relations=relations))
        assert len(corpus.clusters()) == 1
        assert f"relation '{note}' is not used" in corpus.notes[0]
    assert len(read_file(tmp_path / "a.ann", ReadOptions(relations=("cause",))).clusters()) == 2


SENTENCES = [["Ann", "left", "."], ["She", "fell", "."]]
CORPORA: dict[str, dict[str, Any]] = {
    "e2e": {"sentences": SENTENCES, "clusters": [[[0, 0], [3, 3]], [[1, 1]]]},
    "DocRED": {
        "title": "Ann",
        "sents": SENTENCES,
        "vertexSet": [
            [{"name": "Ann", "pos": [0, 1], "sent_id": 0, "type": "PER"}, {"pos": [0, 1], "sent_id": 1, "type": "PER"}],
            [{"name": "left", "pos": [1, 2], "sent_id": 0, "type": "MISC"}],
        ],
        "labels": [{"r": "P1", "h": 0, "t": 1}],
    },
    "CoreNLP": {
        "docId": "a",
        "sentences": [{"tokens": [{"word": word, "originalText": word} for word in words]} for words in SENTENCES],
        "corefs": {
            "1": [{"sentNum": 1, "startIndex": 1, "endIndex": 2}, {"sentNum": 2, "startIndex": 1, "endIndex": 2}],
            "2": [{"sentNum": 1, "startIndex": 2, "endIndex": 3, "type": "NOMINAL"}],
        },
    },
}


@pytest.mark.parametrize("layout", CORPORA)
def test_clusters_of_corpora_and_other_programs(tmp_path: Path, layout: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps([CORPORA[layout]], indent=1))
    corpus = read_file(path)
    words = {document.id: document.tokens for document in corpus.documents}
    assert [[words[m.document][m.start] for m in cluster] for cluster in corpus.clusters()] == [
        ["Ann", "She"],
        ["left"],
    ]
    assert len(corpus.documents) == 1
    assert any("ignored" in note for note in corpus.notes) == (layout == "DocRED")


@pytest.mark.parametrize(
    ("layout", "change"),
    [
        ("DocRED", {"vertexSet": [[{"pos": [0, 9], "sent_id": 1}]]}),
        ("CoreNLP", {"corefs": {"1": [{"sentNum": 3, "startIndex": 1, "endIndex": 2}]}}),
    ],
)
def test_what_is_wrong_in_them_is_refused(tmp_path: Path, layout: str, change: dict[str, Any]) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(CORPORA[layout] | change))
    with pytest.raises(InputError, match="line 1"):
        read_file(path)


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv"])
def test_columns_have_the_names_that_the_user_gives_or_usual_ones(tmp_path: Path, name: str) -> None:
    row = {"Report": FERRY, "Head line": "Ferry sinks", "PUBLISHED": "7/3/2024", "Outlet": "Courier", "Desk": "Harbour"}
    plain = ",".join(row) + "\n" + ",".join(row.values())
    (tmp_path / name).write_text(json.dumps(row) if name.endswith("jsonl") else plain)
    loaded = read_corpus([tmp_path], ReadOptions(columns={"text": "Report", "title": "Head line"}))
    [document] = loaded.corpus.documents
    assert document.text == FERRY
    assert document.metadata == {"title": "Ferry sinks", "date": "7/3/2024", "source": "Courier", "Desk": "Harbour"}
    assert "cannot be read" in loaded.corpus.notes[0]


@pytest.mark.parametrize("tool", [write_label_studio, write_prodigy])
def test_tasks_for_people_are_read_back(tmp_path: Path, tool: Callable[..., object]) -> None:
    texts = [tokenise_text(TEXT, "x"), tokenise_text("Ann was not hurt.", "y")]
    documents = tuple(replace(d, metadata={"title": f"Title {d.id}"}, found=frozenset()) for d in texts)
    of_ann = [Mention(id, (token,), "entity", "c7") for id, token in (("x", 0), ("x", 3), ("y", 0))]
    corpus = Corpus(documents, (of_ann[0], Mention("x", (1,), "event", "c2"), of_ann[1], of_ann[2]))
    assert tool(corpus, tmp_path / "out") == ()
    loaded = read_corpus([tmp_path / "out"])
    assert loaded.problems == ()
    assert [(d.id, d.text, d.metadata) for d in loaded.corpus.documents] == [
        (d.id, d.text, d.metadata) for d in documents
    ]
    assert set(loaded.corpus.mentions) == set(corpus.mentions)
    broken = Corpus(documents[:1], (Mention("x", (0, 2), "entity", "c1"),))
    assert "extended" in str(tool(broken, tmp_path / "gaps"))


def test_a_link_that_people_removed_divides_a_cluster(tmp_path: Path) -> None:
    mentions = tuple(Mention("x", (token,), "entity", "c7") for token in (0, 1, 3))
    write_prodigy(Corpus((tokenise_text(TEXT, "x"),), mentions), tmp_path / "out")
    path = tmp_path / "out" / "tasks.jsonl"
    task = json.loads(path.read_text())
    del task["relations"][-1]
    path.write_text(json.dumps(task))
    assert [[m.tokens[0] for m in cluster] for cluster in read_file(path).clusters()] == [[0, 1], [3]]


TOKENS = """paragraph_ID\tsentence_ID\ttoken_ID_within_document\tword\tevent
0\t0\t0\tAnn\tO
0\t0\t1\tleft\tEVENT
0\t0\t2\t.\tO
0\t1\t3\tShe\tO
0\t1\t4\t"\tO
"""
ENTITIES = "COREF\tstart_token\tend_token\tprop\tcat\ttext\n4\t0\t0\tPROP\tPER\tAnn\n4\t3\t3\tPRON\tPER\tShe\n"


def test_tables_of_booknlp(tmp_path: Path) -> None:
    (tmp_path / "a.tokens").write_text(TOKENS)
    with pytest.raises(InputError, match=r"the mentions a\.entities"):
        read_file(tmp_path / "a.tokens")
    (tmp_path / "a.entities").write_text(ENTITIES)
    (tmp_path / "a.book.html").write_text("<html><body><p>Ann</p></body></html>")
    corpus = read_corpus([tmp_path]).corpus
    assert [document.sentences for document in corpus.documents] == [((0, 3), (3, 5))]
    assert [(m.tokens, m.kind, m.cluster, m.tag) for m in corpus.mentions] == [
        ((0,), "entity", "a/4", "PROP_PER"),
        ((1,), "event", None, None),
        ((3,), "entity", "a/4", "PRON_PER"),
    ]
    with pytest.raises(InputError, match=r"BookNLP's table of mentions, which is read with the \.tokens file"):
        read_file(tmp_path / "a.entities")
    (tmp_path / "a.entities").write_text(ENTITIES.replace("3\t3", "3\t9"))
    with pytest.raises(InputError, match="line 3: the mention 3 to 9 is not in"):
        read_file(tmp_path / "a.tokens")


@pytest.mark.parametrize("spans", [{"spans": []}, {}])
def test_what_was_rejected_is_left_out(tmp_path: Path, spans: dict[str, Any]) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"text": TEXT, "answer": "reject"} | spans))
    corpus = read_file(path)
    assert not corpus.documents
    assert corpus.notes == (f"{path}: text that was not accepted left out (once, on line 1)",)


@pytest.mark.parametrize(
    "content",
    [
        {"articles": [{"title": "T", "source": {"name": "P"}, "publishedAt": "20240307", "content": FERRY}]},
        {
            "articles": [
                {"title": "[Removed]", "content": "[Removed]", "description": "[Removed]"},
                {
                    "title": "T",
                    "source": {"name": "P"},
                    "publishedAt": "20240307",
                    "content": f"{FERRY} w… [+90 chars]",
                },
            ]
        },
        {"articles": [{"title": "T", "source": {"name": "P"}, "date": 1709800000000, "description": FERRY}]},
        {"page": {"limit": 1}, "data": [{"title": "T", "source": "P", "published_at": "20240307", "snippet": FERRY}]},
        {
            "title": "T",
            "maintext": FERRY,
            "date_publish": "1709800000",
            "source_domain": "P",
            "authors": [{"name": "A"}, "B"],
        },
        {
            **{"headline": {"main": "T"}, "byline": {"original": "By A, B"}, "pub_date": "7 Mar 2024", "source": "P"},
            "body": FERRY,
        },
        {
            "data": {
                "items": [
                    {"head": 1},
                    {"webTitle": "T", "pub_date": "20240307", "fields": {"bodyText": FERRY}, "paper": "P"},
                ]
            }
        },
        {"title": {"rendered": "T"}, "date": {"$date": "20240307"}, "media": "P", "body": {"a": f"<p>{FERRY}</p>"}},
        {"ferry": {"headline": "T", "content_html": f"<p>{FERRY}</p>", "date_published": "20240307", "journal": "P"}},
        {
            "version": "https://jsonfeed.org/version/1",
            "title": "P",
            "items": [{"title": "T", "text": FERRY, "date": "7.3.2024"}],
        },
        {"results": [{"source": {"uri": "p.ex", "title": "P"}, "title": "T", "date": "7.3.2024", "body": [FERRY]}]},
        {"docs": [{"headline": {"main": "T"}, "abstract": FERRY, "pub_date": "2024-03-07", "source": "P"}]},
        {"posts": [{"thread": {"site": "P", "title": "U"}, "title": "T", "text": FERRY, "published": "7.3.2024"}]},
        {"results": [{"title": "T", "content": FERRY, "timestamp": 1709800000000, "source_name": "P"}]},
        {"title": "T", "text": FERRY, "publish_date": "20240307", "source_url": "P"},
        {"title": "T", "text": FERRY, "date": "20240307", "source": "P", "_source": {"name": "Q"}},
        {"title": "T", "content": {"text": FERRY, "tokens": 5, "title": ""}, "date": "20240307", "source": "P"},
        {"title": "T", "body": FERRY, "date": {"$date": {"$numberLong": "1709800000000"}}, "media": "P"},
        {
            "_source": {
                "@timestamp": "2025-01-01",
                "article": {"title": "T", "text": FERRY, "pubdate": "20240307", "site": "P"},
            }
        },
    ],
)
def test_collectors_of_news(tmp_path: Path, content: dict[str, Any]) -> None:
    (tmp_path / "a.json").write_text(json.dumps(content))
    [document] = read_file(tmp_path / "a.json").documents
    assert document.text == FERRY
    assert {"title": "T", "source": "P", "date": "2024-03-07"}.items() <= dict(document.metadata).items()
    assert document.metadata.get("author") in (None, "A, B")


@pytest.mark.parametrize(
    ("content", "ids"),
    [
        ([FERRY, FERRY], ["a.json:1", "a.json:1:1"]),
        ({"texts": [FERRY, FERRY]}, ["a.json:1:1", "a.json:1:2"]),
        ({"x": FERRY, "y": FERRY}, ["x", "y"]),
        ({"hits": [{"docId": "x", "bodyText": FERRY}, {"doc_id": "y", "text": FERRY}]}, ["x", "y"]),
        ({"articles": [{"title": FERRY, "domain": "p.ex"}]}, ["a.json:1:1"]),
    ],
)
def test_texts_without_names(tmp_path: Path, content: Any, ids: list[str]) -> None:
    (tmp_path / "a.json").write_text(json.dumps(content))
    documents = read_file(tmp_path / "a.json").documents
    assert [(document.id, document.text) for document in documents] == [(id, FERRY) for id in ids]


WORDS = [["Ann", "left", "."], ["She", "fell", "."]]


@pytest.mark.parametrize(
    "content",
    [
        {"sentences": WORDS, "mention_clusters": [[[0, 0, 1], [1, 0, 1]]]},
        {"text": TEXT, "clusters": [[[0, 3], [10, 13]]], "clusters_strings": [["Ann", "She"]]},
    ],
    ids=["PreCo", "F-coref"],
)
def test_layouts_of_models(tmp_path: Path, content: dict[str, Any]) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps(content))
    corpus = read_file(tmp_path / "a.jsonl")
    assert [mention.tokens for mention in corpus.mentions] == [(0,), (3,)]
    assert corpus.mentions[0].cluster == corpus.mentions[1].cluster is not None
    assert len(corpus.documents[0].sentences) == 2


def test_clusters_of_scico_span_documents(tmp_path: Path) -> None:
    topic = {"id": 1, "doc_ids": [7, 8], "tokens": WORDS, "sentences": [[[0, 2]], [[0, 2]]]}
    (tmp_path / "a.jsonl").write_text(json.dumps({**topic, "mentions": [[0, 0, 0, 5], [1, 0, 1, 5]]}))
    corpus = read_file(tmp_path / "a.jsonl")
    assert [(m.document, m.tokens, m.cluster) for m in corpus.mentions] == [
        ("1/7", (0,), "1/5"),
        ("1/8", (0, 1), "1/5"),
    ]


@pytest.mark.parametrize("depth", [30, 700])
def test_what_is_nested_too_deeply_is_no_document(tmp_path: Path, depth: int) -> None:
    (tmp_path / "a.json").write_text('{"a": ' * depth + json.dumps({"text": FERRY}) + "}" * depth)
    with pytest.raises(InputError, match=r"neither 'text' nor 'tokens'|nested too deeply"):
        read_file(tmp_path / "a.json")

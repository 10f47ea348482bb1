"""Corpora by name: what users may write, what is read, and that a corpus is what it says of itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cdcoref.corpora import (
    CORPORA,
    SPLITS,
    AnnotatedCorpus,
    CorpusFolder,
    annotated_corpora,
    corpus_folders,
    corpus_statistics,
    documents_of,
    joined,
    licences,
    plain_documents,
)
from cdcoref.corpus import KINDS, Corpus, Document, Mention
from cdcoref.errors import InputError
from cdlm.documents import AnnotatedDocument, MentionSpan


def write_lines(path: Path, *documents: dict[str, Any]) -> Path:
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_text("".join(json.dumps(document) + "\n" for document in documents))
    return path


def document(id: str, *mentions: tuple[str | None, str]) -> dict[str, Any]:
    """A document of a word a mention, each with its kind and its cluster."""
    places = [{"tokens": [n], "kind": kind, "cluster": cluster} for n, (kind, cluster) in enumerate(mentions)]
    return {"id": id, "tokens": ["w"] * max(1, len(mentions)), "mentions": places}


def test_names_and_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert CorpusFolder.parse("gum:a/b:c") == CorpusFolder("gum", Path("a/b:c"))
    monkeypatch.setenv("HOME", str(tmp_path))
    assert CorpusFolder.parse("gum:~/gum").path == tmp_path / "gum"
    assert corpus_folders(["gvc:x"], tmp_path) == [CorpusFolder("ecb", tmp_path), CorpusFolder("gvc", Path("x"))]
    assert corpus_folders([]) == []


@pytest.mark.parametrize("text", ["", "gum", "gum:", ":", ":gum", "GUM:x", "ecb+:x", "http://gum"])
def test_what_is_no_name_and_folder_is_one_sentence_with_the_known_names(text: str) -> None:
    with pytest.raises(
        InputError, match="known names are ecb, gum, gum-heads, gvc, invented, litbank, meantime"
    ) as caught:
        CorpusFolder.parse(text)
    assert "\n" not in str(caught.value)


def test_every_corpus_says_what_it_is() -> None:
    for name, known in CORPORA.items():
        info = known.info
        assert info.name == name
        assert set(info.exhaustive) <= set(info.kinds) <= set(KINDS)
        assert all((info.kinds, info.title, info.sentences, info.citation, info.licence, info.source))


@pytest.mark.parametrize("name", [name for name, known in CORPORA.items() if known.json_lines])
def test_json_lines_serve_every_corpus(tmp_path: Path, name: str) -> None:
    kind = CORPORA[name].info.kinds[0]
    write_lines(tmp_path / "train.jsonl", document("a", (kind, "1"), (kind, "1")))
    write_lines(tmp_path / "val.jsonl", document("b", (kind, "2")))
    folder = CorpusFolder(name, tmp_path)
    assert folder.splits() == ["train", "dev"]
    read = folder.read("dev")
    assert read.info is CORPORA[name].info
    assert [d.id for d in read.corpus.documents] == ["b"]
    with pytest.raises(InputError, match=r"the test split of .*, only train and dev; expected test\.jsonl"):
        folder.read("test")
    with pytest.raises(InputError, match="has no split named 'validation'"):
        folder.read("validation")


def test_heads_are_not_in_json_lines(tmp_path: Path) -> None:
    write_lines(tmp_path / "dev.jsonl", document("a", ("entity", "1")))
    with pytest.raises(InputError, match="JSON lines do not contain the heads of mentions"):
        CorpusFolder("gum-heads", tmp_path).read("dev")


def test_the_only_kind_need_not_be_said(tmp_path: Path) -> None:
    write_lines(tmp_path / "dev.jsonl", document("a", (None, "1"), ("event", "1")))
    assert {m.kind for m in CorpusFolder("gvc", tmp_path).read("dev").corpus.mentions} == {"event"}
    with pytest.raises(InputError, match="document 'a' has a mention without a kind, but MEANTIME annotates event and"):
        CorpusFolder("meantime", tmp_path).read("dev")


def test_what_contradicts_the_corpus_is_refused(tmp_path: Path) -> None:
    write_lines(tmp_path / "dev.jsonl", document("a", ("entity", "1")), document("b", ("entity", "1")))
    assert len(CorpusFolder("meantime", tmp_path).read("dev").corpus.mentions) == 2
    with pytest.raises(InputError, match="document 'a' has an entity, but GVC annotates event mentions"):
        CorpusFolder("gvc", tmp_path).read("dev")
    with pytest.raises(
        InputError, match="cluster '1' is in two documents, 'a' and 'b', but links of LitBank stay within"
    ):
        CorpusFolder("litbank", tmp_path).read("dev")
    write_lines(tmp_path / "dev.jsonl", document("a"))
    with pytest.raises(InputError, match="no annotated mentions of LitBank"):
        CorpusFolder("litbank", tmp_path).read("dev")


@pytest.mark.parametrize("name", CORPORA)
def test_wrong_folders_are_one_sentence(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="nowhere: this is not a folder; give the folder that holds"):
        CorpusFolder(name, tmp_path / "nowhere").splits()
    (tmp_path / "notes.txt").write_text("nothing\n")
    message = "neither this folder nor its subfolder ECB" if name == "ecb" else "does not hold any split of"
    with pytest.raises(InputError, match=message):
        CorpusFolder(name, tmp_path).read("dev")


@pytest.mark.parametrize(
    ("name", "split", "documents", "mentions", "clusters", "singletons", "annotated"),
    [
        ("ecb:ecbplus", "dev", 196, {"event": 1245, "entity": 1476}, {"event": 129, "entity": 125},
         {"event": 280, "entity": 205}, (346, 2928)),
        ("meantime:meantime", "train", 60, {"event": 984, "entity": 1501}, {"event": 141, "entity": 205},
         {"event": 653, "entity": 306}, (299, 909)),
        ("meantime:meantime", "dev", 30, {"event": 580, "entity": 804}, {"event": 87, "entity": 83},
         {"event": 352, "entity": 110}, (148, 429)),
        ("gvc:gvc", "dev", 78, {"event": 977}, {"event": 157}, {"event": 114}, (1325, 1325)),
        ("gum:gum", "dev", 12, {"event": 311, "entity": 2682}, {"event": 60, "entity": 361},
         {"event": 118, "entity": 1050}, (438, 438)),
        ("gum-heads:gum", "dev", 12, {"event": 310, "entity": 2663}, {"event": 60, "entity": 355},
         {"event": 117, "entity": 1046}, (438, 438)),
        ("litbank:litbank", "train", 80, {"entity": 23182}, {"entity": 1739}, {"entity": 4481}, (6997, 6997)),
        ("litbank:litbank", "dev", 10, {"entity": 2752}, {"entity": 186}, {"entity": 511}, (806, 806)),
    ],
)  # fmt: skip
def test_counts_of_the_real_corpora(
    shared: Path, name: str, split: str, documents: int, mentions: dict[str, int], clusters: dict[str, int],
    singletons: dict[str, int], annotated: tuple[int, int],
) -> None:  # fmt: skip
    known, _, folder = name.partition(":")
    corpus = CorpusFolder(known, shared / "corpora" / folder).read(split).corpus
    counts = corpus_statistics(corpus)
    assert counts.documents == documents
    assert (counts.mentions, counts.clusters) == (mentions, clusters)
    assert singletons in (None, counts.singletons)
    assert annotated in (None, (counts.annotated_sentences, counts.sentences))


@pytest.mark.parametrize(
    ("name", "splits"),
    [("ecb:ecbplus", ["train", "dev"]), ("gvc:gvc", ["dev"]), ("gum:gum", ["train", "dev"]),
     ("litbank:litbank", ["train", "dev"]), ("meantime:meantime", ["train", "dev"])],
)  # fmt: skip
def test_splits_of_the_real_corpora(shared: Path, name: str, splits: list[str]) -> None:
    known, _, folder = name.partition(":")
    assert CorpusFolder(known, shared / "corpora" / folder).splits() == splits
    assert set(splits) <= set(SPLITS)


def test_hidden_sentences_are_left_out() -> None:
    document = Document.from_sentences(
        "d", [["http", "url"], ["One", "two"], ["x"], ["three"]], topic="1", subtopic="1_a", hidden=frozenset({0, 2})
    )
    mentions = (
        Mention("d", (1,), "event", "E1"),
        Mention("d", (2, 5), "entity", "E2"),
        Mention("d", (3, 4), "event", "E3"),
        Mention("d", (5,), "event"),
    )
    assert plain_documents(Corpus((document,), mentions)) == [
        AnnotatedDocument(
            "d",
            "1_a",
            ("One", "two", "three"),
            (MentionSpan((0, 2), "entity", "E2"), MentionSpan((2,), "event", None)),
            topic="1",
        )
    ]


def test_the_group_is_the_subtopic_or_else_the_topic_or_the_document() -> None:
    documents = tuple(
        Document.from_sentences(name, [["a"]], topic=topic, subtopic=subtopic)
        for name, topic, subtopic in (("a", "1", "1_x"), ("b", "1", None), ("c", None, None))
    )
    assert [document.group for document in plain_documents(Corpus(documents))] == ["1_x", "1", "c"]


def test_ecb(mini_ecb: Path) -> None:
    for topic in (5, 12, 18, 21, 23, 34, 35):
        (mini_ecb / "ECB+" / str(topic)).mkdir()
    documents = {document.id: document for document in documents_of("ecb", mini_ecb, "dev")}
    assert {document.group for document in documents.values()} == {"2_ecb", "2_ecbplus"}
    second = documents["2_1ecbplus"]
    assert second.words[0] == "Jackman"
    # The mention in the URL is left out with it, and the others are found again.
    assert [second.words[mention.words[0]] for mention in second.mentions] == ["the", ",", "a"]


def corpus(id: str, *mentions: tuple[str | None, str | None]) -> Corpus:
    """One document of a word a mention, each with its kind and its cluster."""
    document = Document.from_sentences(id, [["w"] * len(mentions)])
    return Corpus((document,), tuple(Mention(id, (n,), kind, name) for n, (kind, name) in enumerate(mentions)))


def test_an_own_corpus_annotates_the_kinds_that_occur() -> None:
    (own,) = annotated_corpora(corpus("a", ("event", "1"), (None, "2")))
    assert (own.info.kinds, own.info.exhaustive, own.info.cross_document) == (("event",), ("event",), True)
    assert annotated_corpora(own) == (own,)
    assert annotated_corpora([own, corpus("b", ("entity", "1"))])[1].info.kinds == ("entity",)


def test_one_kind_is_as_if_no_other_were_annotated() -> None:
    gum = AnnotatedCorpus(corpus("a", ("event", "1"), ("entity", "1")), CORPORA["gum"].info)
    events, entities = gum.of_kind("event"), gum.of_kind("entity")
    assert (events.info.kinds, events.info.exhaustive) == (("event",), ())
    assert (entities.info.kinds, entities.info.exhaustive) == (("entity",), ("entity",))
    assert [len(part.corpus.mentions) for part in (events, entities)] == [1, 1]
    assert gum.of_kind("both") is gum


def test_clusters_of_joined_corpora_stay_apart() -> None:
    parts = annotated_corpora([corpus("a", ("event", "1"), ("event", None)), corpus("b", ("event", "1"))])
    assert len(joined(parts).clusters()) == 3
    assert joined(parts[:1]) is parts[0].corpus
    with pytest.raises(InputError, match="two documents have the id 'a'"):
        joined([parts[0], parts[0]])


def test_licences_of_known_corpora_are_named() -> None:
    parts = [
        AnnotatedCorpus(corpus("a", ("entity", "1")), CORPORA[name].info) for name in ("litbank", "litbank", "ecb")
    ]
    assert licences(parts) == (
        "Trained and tuned on: LitBank (Bamman et al. 2020), CC BY 4.0; "
        "ECB+ (Cybulska and Vossen 2014), CC BY 3.0 (annotation).\n"
    )
    assert licences(annotated_corpora(corpus("a", ("entity", "1")))) == ""


def test_statistics() -> None:
    first = corpus("a", ("event", "1"), ("event", "1"), ("entity", "1"), (None, "1"))
    second = corpus("b", ("entity", "1"), ("entity", "1"))
    counts = corpus_statistics(Corpus(first.documents + second.documents, first.mentions + second.mentions))
    assert (counts.topics, counts.documents, counts.sentences, counts.annotated_sentences) == (0, 2, 2, 2)
    assert counts.mentions == {"event": 2, "entity": 3, "unknown": 1}
    assert counts.clusters == {"event": 1, "entity": 1}
    assert counts.cross_document_clusters == {"event": 0, "entity": 1}
    assert counts.singletons == {"unknown": 1}

"""Clusters across spaCy's Docs, and the pipeline component within them; both with a tiny model."""

from __future__ import annotations

import configparser
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import spacy
import torch
from spacy.language import Language
from spacy.tokens import Doc, DocBin, Span

import cdcoref.spacy
from cdcoref.errors import InputError
from cdcoref.formats import read_docbin
from cdcoref.model import CorefModel
from cdcoref.predict import PredictionOptions, Predictor, load
from cdcoref.views import write_page

ROOT = Path(__file__).resolve().parents[2]
TEXTS = [
    "The ferry sank in the storm off Tresk.  Nineteen people died, police said on Friday.",
    "Storm sinks ferry\n\nA ferry carrying passengers sank on Friday off Tresk. Police held the captain.",
    "Museum guards found the painting. The museum closed early, the guards said.",
]
EVERYTHING = PredictionOptions(topics="none", threshold=0.0)


@pytest.fixture(scope="module")
def model_folder(tiny_model_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny model, but one that finds events too."""
    model = CorefModel.from_pretrained(tiny_model_folder)
    with torch.no_grad():
        model.detector.output.bias[0] = 2.0
    folder = tmp_path_factory.mktemp("finding") / "model"
    model.save_pretrained(folder, "# A model for tests\n")
    return folder


@pytest.fixture(scope="module")
def predictor(model_folder: Path) -> Predictor:
    return load(model_folder, device="cpu")


@pytest.fixture
def nlp() -> Language:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    return nlp


def links(docs: list[Doc], kind: str) -> set[frozenset[tuple[int, str]]]:
    members: dict[str, set[tuple[int, str]]] = {}
    for number, doc in enumerate(docs):
        for span in doc.spans[kind]:
            members.setdefault(span._.cluster, set()).add((number, span.text))
    return {frozenset(cluster) for cluster in members.values()}


def test_links_are_those_of_the_prediction(predictor: Predictor, nlp: Language, tmp_path: Path) -> None:
    docs = [nlp(text) for text in TEXTS]
    prediction = cdcoref.spacy.link(docs, predictor, EVERYTHING)
    assert [d.text for d in prediction.corpus.documents] == TEXTS
    crossing = [c for kind in ("event", "entity") for c in links(docs, kind) if len({number for number, _ in c}) > 1]
    assert crossing
    for kind in ("event", "entity"):
        assert links(docs, kind)
        for doc, document in zip(docs, prediction.corpus.documents, strict=True):
            mentions = [m for m in prediction.corpus.by_document()[document.id] if m.kind == kind]
            group = doc.spans[kind]
            assert [span._.cluster for span in group] == [m.cluster for m in mentions]
            assert [[t.text for t in span] for span in group] == [
                [document.tokens[t] for t in m.tokens] for m in mentions
            ]
            assert group.attrs["confidence"] == [m.confidence for m in mentions]
            assert {span.label_ for span in group} <= {kind}
    write_page(prediction, tmp_path / "x.html")
    cdcoref.spacy.write_docbin(prediction.corpus, tmp_path / "x.spacy")
    assert read_docbin(tmp_path / "x.spacy").clusters() != []
    (first, *_) = DocBin().from_disk(tmp_path / "x.spacy").get_docs(nlp.vocab)
    assert [span._.cluster for span in first.spans["event"]] == [span._.cluster for span in docs[0].spans["event"]]


def test_named_entities_as_mentions(predictor: Predictor, nlp: Language, monkeypatch: pytest.MonkeyPatch) -> None:
    docs = [nlp(text) for text in TEXTS]
    for doc in docs[:2]:
        place = next(token.i for token in doc if token.text == "Tresk")
        doc.set_ents([Span(doc, place, place + 1, "GPE")])
    read, batches = CorefModel.read, []
    monkeypatch.setattr(CorefModel, "read", lambda model, batch, **o: batches.append(batch) or read(model, batch, **o))
    cdcoref.spacy.link(docs, predictor, EVERYTHING, entities=True)
    assert len(batches) == 1
    assert links(docs, "entity") == {frozenset({(0, "Tresk"), (1, "Tresk")})}
    assert [span.label_ for span in docs[0].spans["entity"]] == ["GPE"]
    assert links(docs, "event")
    only = PredictionOptions(kind="entity", topics="none", threshold=0.0)
    cdcoref.spacy.link(docs, predictor, only, entities=True)
    assert links(docs, "entity") == {frozenset({(0, "Tresk"), (1, "Tresk")})}
    assert not links(docs, "event")
    with pytest.raises(InputError, match="entities takes the entities of the Docs, and find_mentions ignores them"):
        cdcoref.spacy.link(docs, predictor, PredictionOptions(find_mentions=True), entities=True)
    none = [nlp(text) for text in TEXTS]
    cdcoref.spacy.link(none, predictor, EVERYTHING, entities=True)
    assert links(none, "event")
    assert not links(none, "entity")
    prediction = cdcoref.spacy.link(none, predictor, only, entities=True)
    assert not prediction.corpus.mentions
    assert not links(none, "entity")


@pytest.mark.parametrize(("docs", "message"), [(spacy.blank("en")("Ann left."), "list of Docs"), (TEXTS, "not str")])
def test_what_is_no_list_of_docs_is_refused(predictor: Predictor, docs: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        cdcoref.spacy.link(docs, predictor)


@pytest.mark.parametrize(("model", "message"), [("event", "pass kind='event'"), (3, "not 3"), (None, "not None")])
def test_what_is_no_model_is_refused(nlp: Language, model: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        cdcoref.spacy.link([nlp("Ann left.")], model)


def test_docs_of_another_corpus_are_refused(nlp: Language) -> None:
    docs = [nlp(text) for text in TEXTS]
    corpus = cdcoref.spacy.corpus_of(docs)
    with pytest.raises(InputError, match="there are 1 Doc and "):
        cdcoref.spacy.annotate(docs[:1], corpus)
    with pytest.raises(InputError, match=r"give a corpus, such as prediction\.corpus, not list"):
        cdcoref.spacy.annotate(docs, docs)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="not a single Doc"):
        cdcoref.spacy.corpus_of(docs[0])  # type: ignore[arg-type]


def test_the_component_links_within_each_doc(model_folder: Path, nlp: Language) -> None:
    nlp.add_pipe("cdcoref", config={"model": str(model_folder), "threshold": 0.0})
    docs = list(nlp.pipe([*TEXTS, ""]))
    assert [bool(doc.spans["event"] or doc.spans["entity"]) for doc in docs] == [True, True, True, False]
    for kind in ("event", "entity"):
        for doc in docs[:3]:
            assert {span._.cluster for span in doc.spans[kind]} <= {f"{kind}_{n}" for n in range(20)}
    alone = nlp(TEXTS[1])
    for kind in ("event", "entity"):
        assert [(s.text, s._.cluster) for s in alone.spans[kind]] == [
            (s.text, s._.cluster) for s in docs[1].spans[kind]
        ]


def test_a_pipeline_with_it_is_saved_and_loaded(model_folder: Path, nlp: Language, tmp_path: Path) -> None:
    nlp.add_pipe("cdcoref", config={"model": str(model_folder), "kind": "event"})
    nlp.to_disk(tmp_path / "pipeline")
    loaded = spacy.load(tmp_path / "pipeline")
    doc, again = nlp(TEXTS[0]), loaded(TEXTS[0])
    assert [span.text for span in again.spans["event"]] == [span.text for span in doc.spans["event"]] != []
    assert len(again.spans["entity"]) == 0


def test_spacy_finds_the_component_without_an_import(tmp_path: Path) -> None:
    """As after an installation: the entry point that setup.cfg names, and nothing imported."""
    config = configparser.ConfigParser()
    config.read_string((ROOT / "setup.cfg").read_text(encoding="utf-8"))
    folder = tmp_path / "cdcoref-0.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: cdcoref-here\nVersion: 0.0\n")
    lines = config["options.entry_points"]["spacy_factories"]
    (folder / "entry_points.txt").write_text(f"[spacy_factories]\n{lines.strip()}\n")
    code = f"""
import sys
sys.path[:0] = [{str(tmp_path)!r}, {str(ROOT)!r}]
import spacy
nlp = spacy.blank("en")
print(nlp.get_factory_meta("cdcoref").default_config)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "'entities': False" in done.stdout

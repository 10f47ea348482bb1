"""Documents without words are kept and shown, but are no story, in a collection as in a prediction."""

from __future__ import annotations

import csv
import json
import re
import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import quote
from urllib.request import urlopen

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cdcoref.collection import Collection, document_page_lines
from cdcoref.corpus import Corpus, Document
from cdcoref.formats import tokenise_text
from cdcoref.predict import Prediction, Predictor
from cdcoref.server import Server, ServerOptions
from cdcoref.views import write_csv, write_page

KINDS = ("ferry", "museum", "stop words", "empty")


def document(written: Any, kind: str, number: int) -> Corpus:
    """A document of a kind, unlike all with another number."""
    id = f"{kind} {number}"
    if kind == "empty":
        return Corpus((Document(id, (), (), "\n" * number, ()),))
    if kind == "stop words":
        return Corpus((tokenise_text("It is. " * (number + 1), id),))
    corpus: Corpus = written.annotated(id, *(written.FERRY if kind == "ferry" else written.MUSEUM), f"Report {number}")
    return corpus


def check_counts(collection: Collection, expected: Prediction) -> None:
    """The collection counts what the prediction counts, and exports it."""
    counts, others = collection.counts(), expected.counts()
    assert (counts.documents, counts.stories, counts.mentions) == (others.documents, others.stories, others.mentions)
    assert (counts.across, counts.singletons) == (others.across, others.singletons)
    exported = collection.prediction()
    assert exported.counts() == others
    assert set(map(frozenset, exported.story_documents)) == set(map(frozenset, expected.story_documents))
    assert (exported.plan.stories, exported.plan.largest) == (expected.plan.stories, expected.plan.largest)
    assert exported.plan.empty == expected.plan.empty


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(kinds=st.lists(st.sampled_from(KINDS), max_size=6), together=st.booleans())
def test_a_rebuilt_one_counts_alike(written: Any, predictor: Predictor, kinds: list[str], together: bool) -> None:
    lemma_predictor = Predictor(predictor.model, lemma=True)
    corpora = [document(written, kind, number) for number, kind in enumerate(["ferry", *kinds])]
    corpus = written.joined(*corpora)
    with tempfile.TemporaryDirectory() as folder, Collection.create(Path(folder) / "x.cdcoref", "lemma") as collection:
        for part in [corpus] if together else corpora:
            collection.add(part, lemma_predictor)
        collection.rebuild(lemma_predictor)
        expected = lemma_predictor.predict(collection.corpus(), collection.options)
        check_counts(collection, expected)
        assert len(collection.documents()) == len(corpora)


def test_a_story_has_one_number_wherever_it_is_shown(written: Any, tmp_path: Path) -> None:
    path = tmp_path / "news.cdcoref"
    kinds = ("empty", "ferry", "empty", "museum", "ferry")
    with Collection.create(path, "lemma") as collection:
        collection.add(written.joined(*(document(written, kind, number) for number, kind in enumerate(kinds))))
        collection.add(written.joined(document(written, "ferry", 5)))
    check_story_numbers(path, tmp_path)
    with Collection.open(path) as collection:
        collection.remove(["ferry 1", "ferry 4", "ferry 5"])  # the first story with words
        collection.add(written.joined(document(written, "ferry", 6)))
    check_story_numbers(path, tmp_path)


def check_story_numbers(path: Path, folder: Path) -> None:
    """Stories have the same numbers in lists, on a document's page in the terminal and in a browser, and in exports."""
    with Collection.open(path) as collection:
        listed = {document.id: document.story for document in collection.documents()}
        shown = {id: "\n".join(document_page_lines(collection.document(id))) for id in listed}
        source = collection.prediction()
    assert {id for id, story in listed.items() if story is None} == {id for id in listed if id.startswith("empty")}
    for id, text in shown.items():
        assert re.findall(r"story (\d+),", text) == ([] if listed[id] is None else [str(listed[id])])
    with Server(path, ServerOptions(port=0)) as server:
        for id, story in listed.items():
            with urlopen(f"{server.address}/document?id={quote(id)}") as answer:
                html = answer.read().decode()
            assert re.findall(r"Story (\d+)", html)[:1] == ([] if story is None else [str(story)])
    write_csv(source, folder / "x.csv")
    with (folder / "x.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = {row["document"]: row["story"] for row in csv.DictReader(file)}
    assert rows == {id: str(story) for id, story in listed.items() if story is not None}
    write_page(source, folder / "x.html")
    (data,) = re.findall(r'id="data">(.*?)</script>', (folder / "x.html").read_text(encoding="utf-8"))
    assert {name: story for name, story, *_ in json.loads(data)["documents"]} == {
        id: story or 0 for id, story in listed.items()
    }

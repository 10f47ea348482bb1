"""The JSON API: what it answers, what it changes, what it refuses, and its description."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import httpx
import pytest

from cdcoref.collection import Collection
from cdcoref.errors import InputError
from cdcoref.predict import Predictor


def as_json(value: Any) -> Any:
    """Records as ``cdcoref show --json`` prints them."""
    return json.loads(json.dumps(value, default=sorted))


def test_reading(steady: Any) -> None:
    with Collection.open(steady.path) as collection:
        about = steady.get("/api/collection").json()
        assert about["counts"] == asdict(collection.counts())
        assert (about["name"], about["model"], about["options"]["kind"]) == ("news.cdcoref", "lemma", "both")
        clusters = collection.clusters()
        assert steady.get("/api/clusters").json() == as_json(
            {"total": len(clusters), "clusters": [asdict(c) for c in clusters]}
        )
        part = steady.get("/api/clusters", params={"kind": "entity", "min_mentions": 1, "limit": 2, "offset": 1}).json()
        assert part["total"] == collection.cluster_count(kind="entity", min_mentions=1)
        assert [c["id"] for c in part["clusters"]] == [
            c.id for c in collection.clusters(kind="entity", min_mentions=1, limit=2, offset=1)
        ]
        assert "Maren" in [c["title"] for c in steady.get("/api/clusters?query=mar").json()["clusters"]]
        ferry = steady.cluster("ferry")
        page = as_json(asdict(collection.cluster(ferry)))
        assert steady.get(f"/api/clusters/{ferry}").json() == page
        assert steady.get(f"/api/clusters/{ferry}?limit=1&offset=1").json()["documents"] == page["documents"][1:2]
        documents = steady.get("/api/documents?limit=2").json()
        assert (documents["total"], [d["id"] for d in documents["documents"]]) == (
            4, ["museum.txt", "2024-03-05 storm.txt"],
        )  # fmt: skip
        document = collection.document("harbour.txt")
        assert steady.get("/api/document?id=harbour.txt").json() == as_json(asdict(document))
        found = steady.get("/api/search?query=storm").json()
        assert found == as_json(asdict(collection.search("storm")))
        assert steady.get("/api/search?query=sank%00storm").json() == as_json(asdict(collection.search("sank storm")))
        assert steady.get("/api/questions").json() == []


def test_correcting(client: Any) -> None:
    ferry = client.cluster("ferry")
    answer = client.http.post("/api/corrections", json={"action": "rename", "ids": [ferry], "name": "The Maren"})
    assert answer.status_code == 201
    assert (answer.json()["number"], answer.json()["cluster"], answer.json()["name"]) == (1, ferry, "The Maren")
    mention = client.id("harbour.txt", "storm")
    made = client.http.post("/api/corrections", json={"action": "not-a-mention", "ids": [mention]}).json()
    undone = client.http.post(f"/api/corrections/{made['number']}/undo", json={})
    assert undone.json()["undone"]
    again = client.http.post(f"/api/corrections/{made['number']}/redo", json={})
    assert (again.status_code, again.json()["undone"]) == (200, None)
    assert client.http.post(f"/api/corrections/{made['number']}/redo", json={}).json() == {
        "error": f"Correction {made['number']} has not been undone."
    }
    assert client.http.post("/api/corrections/1/undo", headers={"X-Cdcoref": "1"}).json()["number"] == 1
    assert [bool(c["undone"]) for c in client.get("/api/corrections").json()] == [True, False]


def test_removing(client: Any) -> None:
    headers = {"X-Cdcoref": "1"}
    report = client.http.delete("/api/document?id=harbour.txt", headers=headers)
    assert report.status_code == 200
    assert (report.json()["removed"], report.json()["stories"]) == (["harbour.txt"], 1)
    answer = client.http.delete("/api/document?id=harbour.txt", headers=headers)
    assert (answer.status_code, answer.json()) == (
        404, {"error": "There is no document 'harbour.txt' in the collection."},
    )  # fmt: skip
    assert client.get("/api/collection").json()["counts"]["documents"] == 3
    assert client.http.delete("/api/document", headers=headers).status_code == 422


@pytest.mark.parametrize(
    ("address", "status", "why"),
    [
        ("/api/clusters/c999", 404, "There is no cluster c999 in the collection."),
        ("/api/clusters/x", 404, "'x' is not the id of a cluster, which is c and a number, such as c12."),
        ("/api/document?id=x", 404, "There is no document 'x' in the collection."),
        ("/api/document", 422, "id: field required."),
        ("/api/clusters?kind=thing", 422, "kind: input should be 'event' or 'entity'."),
        ("/api/clusters?limit=0", 422, "limit: input should be greater than or equal to 1."),
        ("/api/clusters?limit=100000", 422, "limit: input should be less than or equal to 1000."),
        ("/api/documents?offset=99999999999999999999", 422, "offset: input should be less than or equal to"),
        ("/api/search?query=" + "x" * 501, 422, "query: string should have at most 500 characters."),
        ("/api/jobs/1", 404, "There is no addition 1."),
        ("/api/jobs/x", 422, "number: input should be a valid integer"),
        ("/api/", 404, "There is no such address; see /docs."),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(steady: Any, address: str, status: int, why: str) -> None:
    answer = steady.get(address)
    assert answer.status_code == status
    assert list(answer.json()) == ["error"]
    assert answer.json()["error"].startswith(why)


def test_the_description(steady: Any) -> None:
    described = steady.get("/api/openapi.json").json()
    assert described["openapi"].startswith("3.")
    page = steady.html("/docs")
    assert "https://" not in page
    assert all(path in page for path in described["paths"])
    assert {(path, method.upper()) for path, methods in described["paths"].items() for method in methods} == {
        ("/api/collection", "GET"), ("/api/clusters", "GET"), ("/api/clusters/{id}", "GET"), ("/api/documents", "GET"),
        ("/api/document", "GET"), ("/api/document", "DELETE"),
        ("/api/stories", "GET"), ("/api/stories/{number}", "GET"),
        ("/api/search", "GET"), ("/api/questions", "GET"),
        ("/api/corrections", "GET"), ("/api/corrections", "POST"),
        ("/api/corrections/{number}/undo", "POST"), ("/api/corrections/{number}/redo", "POST"),
        ("/api/predict", "POST"), ("/api/files", "POST"),
        ("/api/jobs/{number}", "GET"), ("/api/export/{kind}", "GET"),
    }  # fmt: skip
    for methods in described["paths"].values():
        for operation in methods.values():
            assert operation["summary"]
    schemas = described["components"]["schemas"]
    (fields,) = (s["properties"] for name, s in schemas.items() if "add_files" in name)
    assert set(fields) == {"files", "same_name", "encoding"}
    assert fields["encoding"]["description"].startswith("Encoding of plain text that is not UTF-8")
    properties = schemas["ClusterSummary"]["properties"]
    assert set(properties) == {"id", "kind", "title", "name", "mentions", "documents", "confidence", "story", "checked"}


def test_a_fault_of_the_program_is_said_and_the_server_goes_on(
    steady: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("secret details")

    with monkeypatch.context() as patch:
        patch.setattr(Collection, "search", broken)
        for address in ("/api/search?query=x", "/search?query=x"):
            answer = httpx.get(steady.server.address + address)
            assert answer.status_code == 500
            assert "An error occurred in cdcoref" in answer.text
            assert "secret" not in answer.text.replace('name="secret"', "")
            assert answer.headers["x-content-type-options"] == "nosniff"
    assert "secret details" in caplog.text
    assert steady.get("/api/search?query=x").status_code == 200


def test_predictions_store_nothing(tmp_path: Path, start: Any, tiny_model_folder: Path) -> None:
    path = tmp_path / "empty.cdcoref"
    Collection.create(path, str(tiny_model_folder)).close()
    lines: list[str] = []
    client = start(path, log=lines.append)
    texts = [{"id": "a", "text": "The ferry Maren sank off Tresk."}, {"id": "b", "text": "Police saw the ferry."}]
    answer = client.http.post("/api/predict", json={"documents": texts})
    assert answer.status_code == 200, answer.text
    assert [document["id"] for document in answer.json()["documents"]] == ["a", "b"]
    assert client.get("/api/collection").json()["counts"]["documents"] == 0
    assert client.http.post("/api/predict", json={"documents": texts[:1] * 2}).status_code == 422
    assert client.http.post("/api/predict", json={"documents": []}).status_code == 422
    assert lines[0].startswith("POST /api/predict 200 ")


def test_predictions_are_served_without_a_collection_and_with_their_progress(
    start: Any, tiny_model_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = start(None, model=str(tiny_model_folder))
    body = {"documents": [{"id": "a", "text": "The ferry Maren sank."}, {"id": "b", "text": "Police saw the ferry."}]}
    plain = client.http.post("/api/predict", json=body)
    streamed = client.http.post("/api/predict", json=body, headers={"Accept": "application/x-ndjson"})
    assert (plain.status_code, streamed.headers["content-type"]) == (200, "application/x-ndjson")
    *progress, last = map(json.loads, streamed.text.splitlines())
    assert last == {"prediction": plain.json()}
    assert {"finding mentions", "comparing"} <= {line["stage"] for line in progress}
    assert all(0 <= line["done"] <= line["total"] for line in progress)

    def broken(*_: object, **__: object) -> None:
        raise InputError("the model is tired")

    monkeypatch.setattr(Predictor, "predict", broken)
    refused = client.http.post("/api/predict", json=body, headers={"Accept": "application/x-ndjson"})
    assert json.loads(refused.text) == {"error": "the model is tired"}
    monkeypatch.undo()
    assert client.http.post("/api/predict", json=body).status_code == 200
    assert set(client.get("/api/openapi.json").json()["paths"]) == {"/api/predict"}
    assert "POST /api/predict" in client.html("/docs")
    assert (client.get("/").headers["location"], client.get("/health").status_code) == ("/docs", 200)
    for address in ("/api/clusters", "/stories", "/add", "/api/export/csv"):
        assert client.get(address).status_code == 404

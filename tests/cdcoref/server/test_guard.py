"""What is refused: other hosts and origins, no token, forms of others, too much; and what every answer says."""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
import uvicorn

from cdcoref.errors import InputError
from cdcoref.server import Server, ServerOptions, is_loopback, new_token, read_token

TOKEN = "a token of some length".replace(" ", "-")


def assert_shows_nothing(answer: httpx.Response, client: Any) -> None:
    """The answer has neither the secret of the forms nor the name of the collection."""
    assert 'name="secret"' not in answer.text
    assert client.path.name not in answer.text


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1", "127.0.0.1:1", ""])
def test_other_hosts(steady: Any, host: str) -> None:
    for address in ("/", "/api/clusters", "/static/keys.js"):
        answer = steady.get(address, headers={"Host": host})
        assert answer.status_code == 403
        assert "only requests for its own address" in answer.text
        assert_shows_nothing(answer, steady)


def test_own_names(steady: Any) -> None:
    port = urlsplit(steady.server.address).port
    for name in ("127.0.0.1", "localhost", "LOCALHOST", "[::1]"):
        assert steady.get("/", headers={"Host": f"{name}:{port}"}).status_code == 200


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:1", "https://localhost", "x", "http://[", "http://[x]"]
)
def test_other_origins(steady: Any, origin: str) -> None:
    for answer in (
        steady.get("/", headers={"Origin": origin}),
        steady.http.post("/corrections", data={"secret": steady.secret}, headers={"Origin": origin}),
        steady.http.post("/api/corrections/1/undo", json={}, headers={"Origin": origin}),
    ):
        assert answer.status_code == 403
        assert "other sites are refused" in answer.text
        assert_shows_nothing(answer, steady)


def test_sites_of_the_same_name_on_other_ports_are_others(steady: Any) -> None:
    fields = {"secret": steady.secret}
    for site in ("cross-site", "same-site"):
        assert steady.http.post("/corrections/undo", data=fields, headers={"Sec-Fetch-Site": site}).status_code == 403
    answer = steady.http.post("/corrections/undo", data=fields, headers={"Sec-Fetch-Site": "same-origin"})
    assert "There is no correction to undo." in answer.text
    answer = steady.http.post("/corrections/undo", data=fields, headers={"Origin": steady.server.address})
    assert answer.status_code == 422


ADDRESSES = {"/": 200, "/nothing": 404, "/api/clusters": 200, "/api/x": 404, "/static/server.css": 200, "/add": 200}


@pytest.mark.parametrize(("address", "status"), ADDRESSES.items())
def test_every_answer_has_the_headers(steady: Any, address: str, status: int) -> None:
    answer = steady.get(address)
    assert answer.status_code == status
    assert answer.headers["content-security-policy"] == (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "same-origin"
    assert answer.headers["cache-control"] == (
        "public, max-age=31536000, immutable" if "static" in address else "no-store"
    )
    assert "server" not in answer.headers


def test_beyond_this_computer_a_token_is_needed(news: Path, start: Callable[..., Any]) -> None:
    with pytest.raises(InputError, match=r"a token is needed to serve on 0\.0\.0\.0"):
        ServerOptions("0.0.0.0")
    with pytest.raises(InputError, match="the token is too short"):
        ServerOptions("0.0.0.0", token="short")
    client = start(news, host="0.0.0.0", token=TOKEN)
    port = urlsplit(client.server.address).port
    http = httpx.Client(base_url=f"http://127.0.0.1:{port}")
    for address in ("/", "/?token=wrong", "/api/clusters", "/api/export/csv", "/nothing"):
        answer = http.get(address)
        assert answer.status_code == 401
        assert "token" in answer.text
        assert TOKEN not in answer.text
        assert "ferry" not in answer.text
    assert http.get("/static/server.css").status_code == 200
    for answer in (http.get("/static/nothing"), http.get("/static/no/thing"), http.post("/health")):
        assert answer.status_code in (404, 405)
        assert_shows_nothing(answer, client)
    assert http.get("/api/clusters").json() == {
        "error": "Enter the token that was printed when the server was started."
    }
    assert http.get("/api/clusters", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 200
    assert http.get("/api/clusters", headers={"Authorization": "Bearer x"}).status_code == 401
    # The cookie does not hold the token itself.
    assert http.get("/", headers={"Cookie": f"cdcoref_{port}={TOKEN}"}).status_code == 401
    http.cookies.clear()
    answer = http.get(f"/search?query=ferry&token={TOKEN}")
    assert (answer.status_code, answer.headers["location"]) == (303, "/search?query=ferry")
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert TOKEN not in cookie
    assert "ferry" in http.get("/search?query=ferry").text
    with closing(HTTPConnection("127.0.0.1", port or 0)) as connection:
        connection.request("GET", f"//evil.example/?token={TOKEN}")
        assert connection.getresponse().headers["location"] == "/evil.example/"
    assert http.post("/api/corrections/1/undo", json={}, headers={"Origin": "http://evil.example"}).status_code == 403
    http.close()


@pytest.mark.parametrize("other", ["user@x=1", "a/b=1", 'prefs={"a": 1}', 'x="', "=", "", "\u00fc=\u00e4", "{port}=1"])
def test_cookies_of_other_servers_on_this_host(news: Path, start: Callable[..., Any], other: str) -> None:
    client = start(news, host="0.0.0.0", token=TOKEN)
    port = urlsplit(client.server.address).port
    name, _, value = (
        httpx.get(f"http://127.0.0.1:{port}/?token={TOKEN}").headers["set-cookie"].partition(";")[0].partition("=")
    )
    other = other.replace("{port}", name)
    for given, status in (
        (f"{other}; {name}={value}", 200),
        (f"{name}={value};{other}", 200),
        (f"{other}; {name}={value[:-1]}; x{name}={value}", 401),
        (other, 401),
    ):
        answer = httpx.get(f"http://127.0.0.1:{port}/api/clusters", headers={"Cookie": given.encode("latin-1")})
        assert answer.status_code == status, given


def test_a_token_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "token"
    for content, why in ((b"", "must hold a token"), (b"two words of it all", "one word"),
                         (b"\xff" * 20, "not text"), ("ü" * 20, "ASCII")):  # fmt: skip
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        with pytest.raises(InputError, match=why):
            read_token(file)
    file.write_text(f" {TOKEN}\n")
    assert read_token(file) == TOKEN
    with pytest.raises(InputError, match="the token cannot be read"):
        read_token(tmp_path / "none")
    assert len(new_token()) >= 32
    assert new_token() != new_token()


@pytest.mark.parametrize(
    ("host", "loopback"),
    [("127.0.0.1", True), ("127.8.8.8", True), ("::1", True), ("localhost", True), ("0.0.0.0", False), ("::", False),
     ("192.168.1.5", False), ("example.org", False)],
)  # fmt: skip
def test_loopback_addresses(host: str, loopback: bool) -> None:
    assert is_loopback(host) == loopback


@pytest.mark.parametrize("secret", [None, "", "wrong"])
def test_forms_that_are_not_of_this_server(steady: Any, secret: str | None) -> None:
    cluster = steady.cluster("ferry")
    fields = {"action": "rename", "id": cluster, "name": "The boat", "back": f"/clusters/{cluster}"}
    answer = steady.http.post("/corrections", data=fields if secret is None else {**fields, "secret": secret})
    assert answer.status_code == 403
    assert "This page is from before the server was restarted." in answer.text
    assert 'value="The boat"' in answer.text  # what was written stays
    assert steady.get("/api/corrections").json() == []
    for address in ("/corrections/undo", "/corrections/redo", "/documents/remove", "/add"):
        assert steady.http.post(address, data={"secret": secret or ""}).status_code == 403


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""]
)
def test_the_api_takes_nothing_that_a_foreign_form_can_send(steady: Any, kind: str) -> None:
    written = ("corrections", "files", "corrections/1/undo", "corrections/1/redo")
    for address in (f"/api/{name}" for name in written):
        answer = steady.http.post(address, content=b'{"documents": []}', headers={"Content-Type": kind})
        assert answer.status_code == 415
        assert "content type" in answer.json()["error"]
    removal = steady.http.delete("/api/document?id=harbour.txt", headers={"Content-Type": kind})
    assert removal.status_code == 415
    assert steady.get("/api/document?id=harbour.txt").status_code == 200


def test_too_large(news: Path, start: Callable[..., Any]) -> None:
    client = start(news, max_upload=2**20)
    large = b"x" * (2 * 2**20 + 1)

    def pieces() -> Any:
        for _ in range(40):
            yield b"x" * 2**16

    for answer in (
        client.http.post("/corrections", content=large),
        client.http.post("/api/files", files={"files": ("a.txt", large)}, headers={"X-Cdcoref": "1"}),
        client.http.post("/add", files={"files": ("a.txt", large)}, data={"secret": client.secret}),
        client.http.post("/api/corrections", content=pieces(), headers={"Content-Type": "application/json"}),
        client.http.post(
            "/corrections", content=pieces(), headers={"Content-Type": "application/x-www-form-urlencoded"}
        ),
    ):
        assert answer.status_code == 413, answer.text
        assert "The upload is too large; the maximum is " in answer.text
    assert client.server._site.writer.jobs == []
    assert client.get("/").status_code == 200


def test_a_server_that_ends_does_not_wait_for_the_rest_of_a_body(
    news: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = uvicorn.Config

    def hasty(*arguments: Any, timeout_graceful_shutdown: int, **options: Any) -> uvicorn.Config:
        assert timeout_graceful_shutdown == 3
        return config(*arguments, timeout_graceful_shutdown=1, **options)

    monkeypatch.setattr(uvicorn, "Config", hasty)
    request = "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 99\r\n"
    with Server(news, ServerOptions(port=0)) as server:
        address = urlsplit(server.address)
        connection = socket.create_connection((address.hostname, address.port))
        connection.sendall(f"POST /corrections HTTP/1.1\r\nHost: {address.netloc}\r\n{request}\r\nsecret=".encode())
        assert httpx.get(f"{server.address}/health").status_code == 200  # by now the other request has begun
    with closing(connection):
        assert connection.recv(2**16).startswith(b"HTTP/1.1 503 ")
    assert all(record.exc_info is None for record in caplog.records)


def test_other_methods_and_protocols(steady: Any) -> None:
    for method in ("PUT", "DELETE", "PATCH"):
        answer = steady.http.request(method, "/corrections")
        assert answer.status_code == 405
        assert "This address does not accept such requests." in answer.text
        assert answer.headers["allow"] == "POST"
    assert steady.http.request("DELETE", "/api/clusters", headers={"X-Cdcoref": "1"}).status_code == 405

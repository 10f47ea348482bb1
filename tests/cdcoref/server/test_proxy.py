"""The recipe for nginx in the documents, with other addresses and files, in a real nginx before a server."""

from __future__ import annotations

import re
import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from cdcoref.server import ServerOptions

ROOT = Path(__file__).resolve().parents[3]
NAME = "news.example.org"
TOKEN = "a-token-of-some-length"
MEGABYTE = 10**6


def free_port() -> int:
    with closing(socket.create_server(("127.0.0.1", 0))) as found:
        return int(found.getsockname()[1])


def recipe() -> str:
    """The configuration in the documents."""
    text = (ROOT / "docs" / "collections.md").read_text(encoding="utf-8")
    found = re.search(r"```nginx\n(.*?)```", text, re.DOTALL)
    assert found is not None
    return found[1]


def replaced(text: str, old: str, new: str) -> str:
    assert text.count(old) == 1
    return text.replace(old, new)


@pytest.fixture
def proxied(tmp_path: Path, news: Path, start: Any) -> Iterator[tuple[Any, httpx.Client]]:
    """A served collection, and requests to it through nginx, as a browser sends them to the proxy's name."""
    nginx, openssl = (
        shutil.which("nginx", path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin"),
        shutil.which("openssl"),
    )
    if nginx is None or openssl is None:
        pytest.skip("no nginx: install nginx-light and openssl to test the recipe for a proxy")
    key, certificate = tmp_path / "news.key", tmp_path / "news.pem"
    request = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={NAME}"]
    made = [openssl, *request, "-addext", f"subjectAltName=DNS:{NAME}", "-keyout", key, "-out", certificate]
    subprocess.run(made, check=True, capture_output=True)
    client = start(news, host="0.0.0.0", token=TOKEN, max_upload=2 * MEGABYTE)
    port = free_port()
    server = recipe()
    taken = re.search(r"client_max_body_size (\d+)m;", server)
    assert taken is not None
    assert int(taken[1]) * 2**20 > ServerOptions().max_upload
    server = replaced(server, "listen 443 ssl", f"listen 127.0.0.1:{port} ssl")
    server = replaced(server, "/etc/ssl/news.pem", str(certificate))
    server = replaced(server, "/etc/ssl/news.key", str(key))
    server = replaced(server, "http://127.0.0.1:8321", f"http://127.0.0.1:{urlsplit(client.server.address).port}")
    folders = "\n".join(
        f"{what}_temp_path {tmp_path / what};" for what in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    configuration = tmp_path / "nginx.conf"
    configuration.write_text(
        f"daemon off; master_process off; pid {tmp_path / 'pid'}; error_log {tmp_path / 'errors'};\n"
        f"events {{}}\nhttp {{ access_log off;\n{folders}\n{server}}}\n"
    )
    process = subprocess.Popen([nginx, "-p", tmp_path, "-c", configuration], stderr=subprocess.PIPE)
    address = f"https://{NAME}:{port}"
    connect = httpx.HTTPTransport(verify=ssl.create_default_context(cafile=str(certificate)))
    try:
        until = time.monotonic() + 30
        while time.monotonic() < until and process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                time.sleep(0.05)
        with httpx.Client(
            base_url=f"https://127.0.0.1:{port}",
            transport=connect,
            timeout=60,
            headers={"Host": urlsplit(address).netloc, "Origin": address, "Sec-Fetch-Site": "same-origin"},
            event_hooks={"request": [lambda request: request.extensions.update(sni_hostname=NAME)]},
        ) as http:
            yield client, http
    finally:
        process.terminate()
        process.wait(30)
        assert process.stderr is not None
        process.stderr.close()


def test_the_recipe_for_a_proxy(proxied: tuple[Any, httpx.Client]) -> None:
    client, http = proxied
    assert http.get("/health").status_code == 200
    assert http.get("/").status_code in (401, 403)
    entered = http.get(f"/?token={TOKEN}")
    assert entered.status_code == 303
    assert entered.headers["location"] == "/"  # of the proxy, whatever the server's own address
    page = http.get("/")
    assert page.status_code == 200
    secret = re.search(r'name="secret" value="([^"]+)"', page.text)
    assert secret is not None
    storm = client.id("harbour.txt", "storm")
    form = {"secret": secret[1], "action": "not-a-mention", "id": storm, "back": "/corrections"}
    corrected = http.post("/corrections", data=form)
    assert (corrected.status_code, corrected.headers["location"]) == (303, "/corrections?done=1")
    assert http.get(f"/api/mentions/{storm}").json()["rejected"] is True
    refused = http.post("/corrections", data=form, headers={"Origin": "https://evil.example"})
    assert refused.status_code == 403
    assert "attachment" in http.get("/download/csv").headers["content-disposition"]


def test_large_files_reach_the_server_through_the_proxy(proxied: tuple[Any, httpx.Client]) -> None:
    _, http = proxied
    http.get(f"/?token={TOKEN}")
    # More than nginx lets through by itself, and more than this server takes.
    answer = http.post("/api/files", files={"files": ("a.txt", b"x " * (2 * MEGABYTE))}, headers={"X-Cdcoref": "1"})
    assert answer.status_code == 413
    assert answer.json()["error"].startswith("The upload is too large")
    taken = http.post("/api/files", files={"files": ("a.txt", b"x " * (3 * MEGABYTE // 4))}, headers={"X-Cdcoref": "1"})
    assert taken.status_code == 202, taken.text

"""A served collection: how it is served, and what runs until it is interrupted, or in a thread until its block ends."""

from __future__ import annotations

import errno
import logging
import secrets
import signal
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from urllib.parse import quote

from cdcoref.collection import Collection
from cdcoref.errors import InputError
from cdcoref.linking import BATCH_TOKENS, LinkingOptions
from cdlm.extras import install_command

if TYPE_CHECKING:
    from cdcoref.server.writer import Job

PORT = 8321
SHORTEST_TOKEN = 16
MEGABYTE = 2**20


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """How a collection is served; port 0 is any free one, and `model` predicts where there is no collection.

    `max_upload` is in bytes; `device`, `precision` and `batch_tokens` are as in :func:`cdcoref.predict.load`; `log` is
    called with a line for each request.
    """

    host: str = "127.0.0.1"
    port: int = PORT
    token: str | None = None
    max_upload: int = 64 * MEGABYTE
    device: str | None = None
    precision: Literal["auto", "fp32", "bf16", "int8"] = "auto"
    batch_tokens: int = BATCH_TOKENS
    log: Callable[[str], None] | None = None
    model: str = "default"

    def __post_init__(self) -> None:
        LinkingOptions(batch_tokens=self.batch_tokens)  # refuses one that is out of its range
        if not 0 <= self.port < 65536:
            raise InputError(f"{self.port} is not a port; choose one from 1 to 65535, or 0 for any free one")
        if self.max_upload < MEGABYTE:
            raise InputError("the maximum upload size must be 1 MB or more")
        if self.token is None and not is_loopback(self.host):
            raise InputError(f"a token is needed to serve on {self.host}, which other computers may reach")
        if self.token is not None and len(self.token) < SHORTEST_TOKEN:
            raise InputError(f"the token is too short; it needs at least {SHORTEST_TOKEN} characters")


def is_loopback(host: str) -> bool:
    """Whether only programs on this computer can reach an address."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def new_token() -> str:
    """A token, or another secret, that nobody can guess."""
    return secrets.token_urlsafe(24)


def read_token(path: Path) -> str:
    """The token in a file, without the white space around it."""
    try:
        token = path.read_text(encoding="utf-8").strip()
    except OSError as error:
        raise InputError(f"the token cannot be read ({error.strerror})", path) from None
    except UnicodeDecodeError:
        raise InputError("the token is not text", path) from None
    if not token.isascii() or not token.isprintable() or " " in token or not token:
        raise InputError("the file must hold a token: one word of ASCII characters", path)
    return token


END_WITHIN = 3
"""Seconds that requests are given to be answered when the server ends."""


class Server:
    """A collection, or predictions alone, served by a thread of this process; a context manager.

    `address` is without the token. `left` are the additions that were cancelled, when the server has stopped.
    """

    def __init__(self, path: str | Path | None = None, options: ServerOptions | None = None) -> None:
        if not all(find_spec(name) for name in ("fastapi", "uvicorn", "python_multipart")):
            raise InputError(f"packages of the server are missing; install them with: {install_command('serve')}")
        import uvicorn

        from cdcoref.server.application import make_application
        from cdcoref.server.site import PredictionSite, Site

        self.options = options or ServerOptions()
        if path is not None:
            with Collection.open(path) as collection:
                collection.counts()
        self.left: list[Job] = []
        self._socket = _listen(self.options.host, self.options.port)
        port = int(self._socket.getsockname()[1])
        host = f"[{self.options.host}]" if ":" in self.options.host else self.options.host
        self.address = f"http://{host}:{port}"
        self._site = PredictionSite(self.options) if path is None else Site(Path(path).absolute(), self.options)
        logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
        config = uvicorn.Config(
            make_application(self._site, port),
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=END_WITHIN,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, args=([self._socket],), name="server", daemon=True)

    @property
    def first_address(self) -> str:
        """Where to begin: the address with the token, if there is one."""
        return f"{self.address}/?token={quote(self.options.token)}" if self.options.token else f"{self.address}/"

    def run(self) -> None:
        """Answer requests until the process is interrupted or terminated."""
        try:
            self._server.run(sockets=[self._socket])
        finally:
            self._close()

    def __enter__(self) -> Server:
        self._thread.start()  # what is asked for before it answers waits at the socket
        return self

    def __exit__(self, *_: object) -> None:
        self._server.should_exit = True
        self._thread.join()
        self._close()

    def _close(self) -> None:
        self.left = self._site.close()
        self._socket.close()


def serve(path: str | Path | None, options: ServerOptions, ready: Callable[[Server], None]) -> list[Job]:
    """Serve until the process is interrupted; returns the additions that were cancelled. `ready` is called first."""
    server = Server(path, options)
    # A process that is terminated ends as one that is interrupted, and not at once.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    ready(server)
    with suppress(KeyboardInterrupt):
        server.run()
    return server.left


def _listen(host: str, port: int) -> socket.socket:
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(address, family=family, backlog=128)
    except (OSError, UnicodeError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).partition(" (while attempting")[0]
        if getattr(error, "errno", None) == errno.EADDRINUSE:
            raise InputError(f"port {port} of {host} is in use; choose another one") from None
        raise InputError(f"the address {host}, port {port}, cannot be used ({reason})") from None

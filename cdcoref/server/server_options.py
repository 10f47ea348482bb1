"""How a collection is served: address, token, limits; checked before anything is opened."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from ipaddress import ip_address
from pathlib import Path
from typing import Literal

from cdcoref.errors import InputError
from cdcoref.linking import BATCH_TOKENS, LinkingOptions
from cdlm.extras import install_command

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
        if self.token is None and not self.loopback:
            raise InputError(f"a token is needed to serve on {self.host}, which other computers may reach")
        if self.token is not None and len(self.token) < SHORTEST_TOKEN:
            raise InputError(f"the token is too short; it needs at least {SHORTEST_TOKEN} characters")

    @property
    def loopback(self) -> bool:
        """Whether only programs on this computer can reach the address."""
        return is_loopback(self.host)


def is_loopback(host: str) -> bool:
    """Whether only programs on this computer can reach an address."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def check_installed() -> None:
    """Check that what serving needs is there."""
    if not all(find_spec(name) for name in ("fastapi", "uvicorn", "python_multipart")):
        raise InputError(f"FastAPI and uvicorn are not installed; install them with: {install_command('serve')}")


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
    if len(token) < SHORTEST_TOKEN:
        raise InputError(f"the token is too short; it needs at least {SHORTEST_TOKEN} characters", path)
    return token

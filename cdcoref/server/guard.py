"""What stands before every request: foreign hosts and origins, tokens, sizes in, refusals out; headers on each answer.
On a loopback address only requests for that address are answered (DNS rebinding); beyond it every request needs the
token. Writing to the API takes a header or a content type that no foreign form can send."""

import asyncio
import hashlib
import hmac
import time
from collections.abc import Callable, Mapping
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from fastapi import HTTPException
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cdcoref.server.running import MEGABYTE, ServerOptions, is_loopback

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # A form's origin is stated only where the policy lets a page state it to itself.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}
LARGEST_REQUEST = MEGABYTE
"""In bytes, where nothing is uploaded."""
HEALTH = "/health"
"""Tells whether the server works, and nothing else; no token is needed."""
UPLOADS = ("/add", "/api/files", "/api/predict")
WRITE_HEADER = "x-cdcoref"
READING = ("GET", "HEAD", "OPTIONS")
COOKIE_SECONDS = 30 * 24 * 3600


def is_open(path: str) -> bool:
    """Whether an address is answered without the token."""
    return path == HEALTH or path.startswith("/static/")


Refuse = Callable[[Scope, int, str], Response]
"""Makes the answer to a request that is refused, of a status and a sentence."""


class Guard:
    """The outermost layer; a refusal may go to a foreign page, so it holds nothing of the collection and no secret."""

    def __init__(self, app: ASGIApp, options: ServerOptions, port: int, refuse: Refuse) -> None:
        self._app = app
        self._options = options
        self._refuse = refuse
        self._cookie = f"cdcoref_{port}"
        names = ("127.0.0.1", "localhost", "[::1]", f"[{options.host}]" if ":" in options.host else options.host)
        self._hosts = {f"{name}:{port}" for name in names} | (set(names) if port == 80 else set())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return

        started = False
        began = time.monotonic()

        async def sealed(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                if self._options.log is not None:  # without the query, which may hold the token
                    took = f"{1000 * (time.monotonic() - began):.0f} ms"
                    self._options.log(f"{scope['method']} {quote(scope['path'])} {message['status']} {took}")
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        headers = Headers(scope=scope)
        answer = self._foreign(scope, headers) or self._without_token(scope, headers) or self._unsafe(scope, headers)
        if answer is not None:
            await answer(scope, receive, sealed)
            return
        limit = self._options.max_upload + MEGABYTE if scope["path"] in UPLOADS else LARGEST_REQUEST
        stated = headers.get("content-length", "0")
        if stated.isascii() and stated.isdecimal() and int(stated) > limit:
            await _drain(receive, 4 * limit)
            await self._refuse(scope, 413, too_large(limit))(scope, receive, sealed)
            return
        if scope["method"] == "HEAD":
            scope = {**scope, "method": "GET"}  # uvicorn sends the headers of the answer alone
        try:
            await self._app(scope, _limited(receive, limit), sealed)
        except asyncio.CancelledError:  # the server ends and does not wait any longer
            if not started:
                await self._refuse(scope, 503, "The server was stopped.")(scope, receive, sealed)

    def _foreign(self, scope: Scope, headers: Mapping[str, str]) -> Response | None:
        """The refusal of a request for another host, or from a page of another."""
        host = headers.get("host", "").lower()
        if is_loopback(self._options.host) and host not in self._hosts:
            return self._refuse(scope, 403, "This server answers only requests for its own address.")
        origin, site = headers.get("origin"), headers.get("sec-fetch-site", "none")
        is_foreign = scope["method"] not in READING and site not in ("same-origin", "none")
        if is_foreign or (origin is not None and _host_of(origin) != host):
            return self._refuse(scope, 403, "Requests from pages of other sites are refused.")
        return None

    def _without_token(self, scope: Scope, headers: Mapping[str, str]) -> Response | None:
        """The refusal of a request without the token; a token in an address moves into a cookie."""
        token = self._options.token
        if token is None or is_open(scope["path"]):
            return None
        bearer = headers.get("authorization", "")
        if bearer[:7].lower() == "bearer " and same(bearer[7:].strip(), token):
            return None
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = dict(query).get("token")
        if given is not None and scope["method"] in READING and same(given, token):
            rest = urlencode([(name, value) for name, value in query if name != "token"])
            path = "/" + scope["path"].lstrip("/\\")
            answer = RedirectResponse(f"{path}?{rest}" if rest else path, status_code=303)
            answer.set_cookie(
                self._cookie, _seal(token), max_age=COOKIE_SECONDS, httponly=True, samesite="strict", path="/"
            )
            return answer
        # A browser sends the cookies of every server on this host, in whatever form.
        for cookie in headers.get("cookie", "").split(";"):
            name, _, value = cookie.partition("=")
            if name.strip() == self._cookie and same(value.strip(), _seal(token)):
                return None
        if given is not None or bearer:
            return self._refuse(
                scope, 401, "The token is wrong; enter the one that was printed when the server was started."
            )
        return self._refuse(scope, 401, "Enter the token that was printed when the server was started.")

    def _unsafe(self, scope: Scope, headers: Mapping[str, str]) -> Response | None:
        """The refusal of a request that changes something and could have been sent by a foreign form."""
        if scope["method"] in READING or not scope["path"].startswith("/api/"):
            return None
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind == "application/json" or WRITE_HEADER in headers:
            return None
        return self._refuse(scope, 415, "Send JSON with its content type, or the header X-Cdcoref.")


def same(one: str, other: str) -> bool:
    """Whether two secrets are the same, in a time that does not tell how much of them is."""
    return hmac.compare_digest(*(secret.encode(errors="surrogatepass") for secret in (one, other)))


def too_large(limit: int) -> str:
    """The message about a request that is too large."""
    return f"The upload is too large; the maximum is {max(1, limit // MEGABYTE)} MB."


def _seal(token: str) -> str:
    """What is kept in the cookie: it proves the token and does not contain it."""
    return hmac.new(token.encode(), b"cdcoref cookie", hashlib.sha256).hexdigest()


def _host_of(origin: str) -> str | None:
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return None


def _limited(receive: Receive, limit: int) -> Receive:
    """What gives the body of a request, and ends it with an error where it is too large."""
    read = 0

    async def limited() -> Message:
        nonlocal read
        message = await receive()
        read += len(message.get("body", b""))
        if read > limit:
            raise HTTPException(413, too_large(limit))
        return message

    return limited


async def _drain(receive: Receive, most: int) -> None:
    """Read what a client sends: many read no answer before they have sent everything."""
    read = 0
    while read < most:
        message = await receive()
        read += len(message.get("body", b""))
        if message["type"] == "http.disconnect" or not message.get("more_body", False):
            return

"""``cdcoref serve``: a collection in a browser."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cdcoref.cli.collection_options import BatchOption, DeviceOption, FileArgument, PrecisionOption, say
from cdcoref.errors import InputError
from cdlm.printing import counted

if TYPE_CHECKING:
    from cdcoref.server import Server

MEGABYTE = 2**20


def serve(
    file: FileArgument,
    host: Annotated[
        str, typer.Option(help="Address to listen on. Beyond this computer (such as 0.0.0.0) a token is required.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0: any free one.")] = 8321,
    token_file: Annotated[
        Path | None,
        typer.Option(
            help="File with the token; without it, a new one is printed if a token is required.", show_default=False
        ),
    ] = None,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
    max_upload: Annotated[int, typer.Option(min=1, help="Most megabytes that may be added at once.")] = 64,
    device: DeviceOption = None,
    precision: PrecisionOption = "auto",
    batch_tokens: BatchOption = 8192,
) -> None:
    """Serve a collection as pages to search, read, correct and add to, and as a JSON API, until Ctrl-C.

    Only this computer can reach it unless --host says otherwise. Corrections are stored at once; an addition that is
    running at the end is stopped, and nothing of it is stored. /api/openapi.json describes the API.
    """
    from cdcoref.server import ServerOptions, check_installed, is_loopback, new_token, read_token, serve

    check_installed()
    if not file.exists():
        raise InputError("there is no collection here; make one with cdcoref add", file)
    token: str | None = None
    if token_file is not None:
        token = read_token(token_file)
    elif not is_loopback(host):
        token = new_token()
    options = ServerOptions(host, port, token, max_upload * MEGABYTE, device, precision, batch_tokens)

    def ready(server: Server) -> None:
        print(server.first_address, flush=True)
        say([f"serving {file}; Ctrl-C ends it"])
        if open_page and not webbrowser.open(server.first_address):
            say(["no browser was found; open this address in one"])

    for job in serve(file, options, ready):
        say([f"the addition of {counted(len(job.files), 'file')} was stopped; nothing of it was stored"])
    say(["ended"])

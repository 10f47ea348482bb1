"""``cdcoref serve``: a collection in a browser."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cdcoref.cli.collection_options import FileArgument, say
from cdcoref.cli.model_options import BatchOption, DeviceOption, PrecisionOption, given
from cdcoref.errors import InputError
from cdlm.printing import counted

if TYPE_CHECKING:
    from cdcoref.server import Server

MEGABYTE = 2**20
EXAMPLES = ("cdcoref serve news.cdcoref --open", "cdcoref serve news.cdcoref --host 0.0.0.0 --token-file token.txt")


def serve(
    file: FileArgument,
    host: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="Address to listen on. An address that other computers can reach, such as 0.0.0.0, requires a token.",
        ),
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(metavar="N", help="Port to listen on; 0: any free port.")] = 8321,
    token_file: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="File that holds the token. Default: a new token is printed if one is required.",
        ),
    ] = None,
    open_page: Annotated[bool, typer.Option("--open", help="Open the site in a browser.")] = False,
    max_upload: Annotated[int, typer.Option(metavar="N", help="Maximum upload size (MB).")] = 64,
    log: Annotated[bool, typer.Option("--log", help="Print a line for each request.")] = False,
    device: DeviceOption = None,
    precision: PrecisionOption = "auto",
    batch_tokens: BatchOption = None,
) -> None:
    """Serve a collection as a website to search, read, correct and extend it, and as a JSON API, until Ctrl-C.

    By default only this computer can reach it. Corrections are stored immediately. An addition that is still running
    when the server stops is cancelled, and none of its documents are stored. /docs describes the API.
    """
    from cdcoref.server import ServerOptions, check_installed, is_loopback, new_token, read_token, serve

    check_installed()
    if not file.exists():
        raise InputError("there is no collection here; `cdcoref add` creates one", file)
    if device is not None:
        from cdcoref.predict import check_device

        check_device(device)
    token: str | None = None
    if token_file is not None:
        token = read_token(token_file)
    elif not is_loopback(host):
        token = new_token()
    options = ServerOptions(
        host,
        port,
        token,
        max_upload * MEGABYTE,
        device,
        precision,
        **given(batch_tokens=batch_tokens),
        log=(lambda line: say([line])) if log else None,
    )

    def ready(server: Server) -> None:
        print(server.first_address, flush=True)
        say([f"serving {file}; Ctrl-C stops it"])
        if open_page and not webbrowser.open(server.first_address):
            say(["no browser was found; open this address in one"])

    for job in serve(file, options, ready):
        what = "; ".join(job.summary) or "none of its documents were stored"
        say([f"the addition of {counted(len(job.files), 'file')} was cancelled: {what}"])
    say(["stopped"])

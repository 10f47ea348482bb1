"""``cdcoref serve``: a collection in a browser."""

import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from cdcoref import server
from cdcoref.cli.messages import say
from cdcoref.cli.options import Computing, option
from cdcoref.errors import InputError
from cdlm.printing import counted

EXAMPLES = {
    "serve": (
        "cdcoref serve news.cdcoref --open",
        "cdcoref serve news.cdcoref --host 0.0.0.0 --token-file token.txt",
        "cdcoref serve --model small",
    )
}
MEGABYTE = 2**20


def serve(
    computing: Computing,
    file: Annotated[
        Path | None,
        typer.Argument(metavar="FILE", help="The collection. Without one, the server only makes predictions."),
    ] = None,
    model: str | None = option(
        None, "The model for predictions without a collection; a collection has its own.", metavar="NAME"
    ),
    host: str = option(
        "127.0.0.1",
        "Address to listen on. An address that other computers can reach, such as 0.0.0.0, requires a token.",
        metavar="ADDRESS",
    ),
    port: int = option(8321, "Port to listen on; 0: any free port.", metavar="N"),
    token_file: Path | None = option(
        None, "File that holds the token. Default: a new token is printed if one is required.", metavar="FILE"
    ),
    open_page: bool = option(False, "Open the site in a browser.", "--open"),
    max_upload: int = option(64, "Maximum upload size (MB).", metavar="N"),
    log: bool = option(False, "Print a line for each request.", "--log"),
) -> None:
    """Serve a collection as a website to search, read, correct and extend it, and as a JSON API, until Ctrl-C.

    By default only this computer can reach it. Corrections are stored immediately. An addition that is still running
    when the server stops is cancelled, and none of its documents are stored. /docs describes the API. Without a
    collection, only the part of the API that links the texts sent to it is available.
    """
    if file is not None and model is not None:
        raise InputError("a collection has its own model; leave out --model, or the collection", file)
    computing.check()
    token: str | None = None
    if token_file is not None:
        token = server.read_token(token_file)
    elif not server.is_loopback(host):
        token = server.new_token()
    options = server.ServerOptions(
        host,
        port,
        token,
        max_upload * MEGABYTE,
        computing.device,
        computing.precision,
        **computing.batch,
        log=say if log else None,
        model=model or "default",
    )

    def ready(running: server.Server) -> None:
        print(running.first_address, flush=True)
        say(f"serving {file or 'predictions'}; Ctrl-C stops it")
        if open_page and not webbrowser.open(running.first_address):
            say("no browser was found; open this address in one")

    for job in server.serve(file, options, ready):
        what = "; ".join(job.summary) or "none of its documents were stored"
        say(f"the addition of {counted(len(job.files), 'file')} was cancelled: {what}")
    say("stopped")

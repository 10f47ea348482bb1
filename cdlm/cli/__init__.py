"""The command line of the language model: ``cdlm pretrain | perplexity | ...``. Parsing and printing only.

One module a command. Commands import what they need when they run, so that ``cdlm --help`` starts at once.
"""

from __future__ import annotations

import sys
from importlib.metadata import PackageNotFoundError, version
from typing import Annotated

import typer

from cdlm.cli import align, convert, match, perplexity, pretrain, qa
from cdlm.errors import InputError

app = typer.Typer(
    name="cdlm",
    help="The cross-document language model: pretraining, its analyses, and tasks beside coreference.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        try:
            print(f"cdlm {version('cdcoref')}")  # both packages are one distribution
        except PackageNotFoundError:
            raise InputError("cdlm is not installed; its version is known only where it is") from None
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    pass


app.command("convert")(convert.convert)
app.command("pretrain")(pretrain.pretrain)
app.command("perplexity")(perplexity.perplexity)
app.command("align")(align.align)
app.add_typer(match.app, name="match")
app.add_typer(qa.app, name="qa")


def main() -> None:
    """Run the command line; wrong input is one sentence on standard error and exit code 2."""
    try:
        app()
    except InputError as error:
        print(f"cdlm: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("cdlm: interrupted", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(141)


if __name__ == "__main__":
    main()

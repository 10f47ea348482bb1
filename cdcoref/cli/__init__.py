"""The command line: ``cdcoref train | predict | score | ...``. Parsing and printing only; one module a command.

Commands import what they need when they run, so that ``cdcoref --help`` and ``cdcoref score`` start at once.
"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from cdcoref import __version__
from cdcoref.cli import demo, errors, evaluate, export, predict, publish, score, stats, train
from cdcoref.errors import InputError

app = typer.Typer(
    name="cdcoref",
    help="Which mentions, in different documents, are the same event or the same thing.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"cdcoref {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    pass


app.command("demo")(demo.demo)
app.command("predict")(predict.predict)
app.command("train")(train.train)
app.command("evaluate")(evaluate.evaluate)
app.command("stats")(stats.stats)
app.command("export")(export.export)
app.command("score")(score.score)
app.command("errors")(errors.errors)
app.command("publish")(publish.publish)


def main() -> None:
    """Run the command line; wrong input is one sentence on standard error and exit code 2."""
    try:
        app()
    except InputError as error:
        print(f"cdcoref: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("cdcoref: interrupted", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(141)


if __name__ == "__main__":
    main()
